use serde_json::json;

use crate::scratch::Scratch;

fn edit_by_hand(scratch: &Scratch) {
    let tasks = scratch.read(".chalk/tasks.json");
    scratch.write(".chalk/tasks.json", tasks.replace("\"todo\"", "\"done\""));
}

#[test]
fn a_hand_edit_is_named_until_somebody_accepts_it() {
    let scratch = Scratch::chalk();
    scratch.task("one");
    edit_by_hand(&scratch);
    insta::assert_snapshot!(scratch.run(&["chalk", "log", "--n", "1"]).all(), @r#"
    exit 0
    --- out
    2026-12-01 00:00  work-item-started     Task created: one
    --- err
    warning: `.chalk/tasks.json` was changed past the program, and not committed either; accept it with `chalk accept --why "..."`
    "#);
    // A write on top doesn't wash it white.
    let ran = scratch.run(&["chalk", "task", "add", "two"]).ok();
    assert!(ran.err.contains("past the program"), "{}", ran.err);
    assert!(scratch.run(&["chalk", "next"]).ok().err.contains("past the program"));
    let ran = scratch.run(&["chalk", "accept", "--why", "closed by the team"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ accepted `.chalk/tasks.json` as changed, and recorded the decision
    --- err
    ");
    assert!(!scratch.run(&["chalk", "next"]).ok().err.contains("past the program"));
    assert!(scratch.read(".chalk/decisions.md").contains("closed by the team"));
    let before = scratch.spine();
    scratch.run(&["chalk", "accept", "--why", "again", "--json"]).ok();
    assert_eq!(scratch.spine(), before);
    scratch.run(&["chalk", "accept"]).refused(1, "--why");
}

#[test]
fn a_commit_of_another_program_is_no_tampering() {
    let scratch = Scratch::chalk();
    scratch.task("one");
    edit_by_hand(&scratch);
    scratch.commit("by another program");
    let ran = scratch.run(&["chalk", "next"]).ok();
    assert!(ran.err.is_empty(), "{}", ran.err);
    // But a task that is done past every gate is named, once.
    let ran = scratch.run(&["chalk", "update", "goes on"]);
    insta::assert_snapshot!(ran.err, @"warning: a commit brought in a `.chalk/tasks.json` with tasks that are done, but by no gate that is on record: `task-a6ead519`; `chalk doctor` tells more");
    assert!(scratch.run(&["chalk", "update", "and on"]).ok().err.is_empty());
    // Checking out an older state is one, too.
    scratch.git(&["checkout", "-q", "HEAD~1", "--", ".chalk/tasks.json"]);
    assert!(scratch.run(&["chalk", "next"]).ok().err.contains("past the program"));
    scratch.git(&["reset", "-q", "--hard", "HEAD~1"]);
    assert!(scratch.run(&["chalk", "next"]).ok().err.is_empty());
}

#[test]
fn policy_can_refuse_to_go_on_and_can_not_be_switched_off_by_hand() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    scratch.configure("/protocol/tamperEvident", json!("refuse"));
    edit_by_hand(&scratch);
    let config = scratch.read(".chalk/chalk.json");
    scratch.write(".chalk/chalk.json", config.replace("\"refuse\"", "false"));
    let before = scratch.spine();
    for args in
        [&["task", "add", "x"][..], &["start", &id], &["verify"], &["update", "x"], &["decision", "x"]]
    {
        scratch.run(&[&["chalk"], args].concat()).refused(1, "spine-tampered");
    }
    assert_eq!(scratch.spine(), before);
    // Reading goes on, and says so.
    assert!(scratch.run(&["chalk", "status"]).ok().err.contains("past the program"));
    scratch.run(&["chalk", "accept", "--why", "looked at"]).ok();
    scratch.run(&["chalk", "update", "x"]).ok();
}

#[test]
fn a_record_of_writes_that_was_cut_is_noticed() {
    let scratch = Scratch::chalk();
    scratch.task("one");
    let record = scratch.path(".git/cairn/chalk/root/spine.jsonl");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.lines().next().unwrap().to_owned() + "\n").unwrap();
    assert!(scratch.run(&["chalk", "next"]).ok().err.contains("cut off"));
    scratch.run(&["chalk", "accept", "--why", "restored from a backup"]).ok();
    assert!(scratch.run(&["chalk", "next"]).ok().err.is_empty());
}

#[test]
fn outside_git_the_record_lies_in_the_state_folder() {
    let scratch = Scratch::empty();
    scratch.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    scratch.task("one");
    edit_by_hand(&scratch);
    assert!(scratch.run(&["chalk", "next"]).ok().err.contains("past the program"));
    assert!(scratch.home().join("state/cairn/chalk").is_dir());
}
