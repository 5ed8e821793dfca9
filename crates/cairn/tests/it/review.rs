use serde_json::json;

use crate::scratch::Scratch;

const PASS: &str = r#"cat > /dev/null; echo '{"verdict":"pass"}'"#;

/// A task with work on disk and a reviewer.
fn with_reviewer(command: &str) -> (Scratch, String) {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    scratch.configure("/protocol/review/command", json!(command));
    scratch.commit("state");
    scratch.write("sum.js", "export const sum = (a, b) => a + b;\n");
    (scratch, id)
}

#[test]
fn a_pass() {
    let (scratch, id) = with_reviewer(PASS);
    let ran = scratch.run(&["chalk", "review", &id]);
    insta::assert_snapshot!(ran.all(), @"");
    let log = scratch.run(&["chalk", "log", "--n", "1"]).ok();
    assert!(log.out.contains("Review (pass): Add two numbers"), "{}", log.all());
}

#[test]
fn a_block_exits_with_3() {
    let (scratch, id) = with_reviewer(
        r#"cat > /dev/null; echo 'I tried.
{"verdict":"BLOCK","findings":[{"severity":"high","area":"test-adequacy","note":"no test adds"},"and\nmore"],
"decisions":[{"choice":"floats","why":"short","blast":"low","undo":"easy"}, "a plain one"]}'"#,
    );
    let ran = scratch.run(&["chalk", "review", &id]);
    insta::assert_snapshot!(ran.all(), @"");
    assert_eq!(scratch.run(&["chalk", "review", &id, "--json"]).code, 3);
}

#[test]
fn a_pass_with_a_high_finding_is_loud() {
    let (scratch, id) = with_reviewer(
        r#"cat > /dev/null; echo '{"verdict":"pass","findings":[{"severity":"High","area":"correctness","note":"wrong"}]}'"#,
    );
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).ok().all(), @"");
}

#[test]
fn a_tree_that_moves_under_the_reviewer_is_named() {
    let (scratch, id) = with_reviewer(&format!("{PASS}; echo >> sum.js; echo > new.js"));
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).all(), @"");
}

#[test]
fn no_verdict_records_nothing() {
    let (scratch, id) = with_reviewer("cat > /dev/null; echo 'rate limit reached'; exit 1");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "review", &id]).refused(1, "twice");
    insta::assert_snapshot!(masked(&ran.err), @"");
    let ran = scratch.run(&["chalk", "review", &id, "--no-retry"]).refused(1, "rate limit reached");
    assert!(!ran.err.contains("twice"));
    scratch.run(&["chalk", "review", &id, "--json"]).refused(1, "review-unreadable");
    assert_eq!(scratch.spine(), before);
}

/// The number of this process is in the folder of the log.
fn masked(text: &str) -> String {
    text.replace(&format!("-{}/", std::process::id()), "-[pid]/")
}

#[test]
fn nothing_to_review() {
    let scratch = Scratch::empty();
    scratch.git(&["init", "-q", "-b", "main"]);
    scratch.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    let id = scratch.task("Nothing");
    scratch.configure("/protocol/review/command", json!(format!("touch called; {PASS}")));
    std::fs::remove_file(scratch.path(".chalk/.gitignore")).ok();
    std::fs::remove_file(scratch.path(".chalk/spec.md")).ok();
    std::fs::remove_dir_all(scratch.path(".chalk/held-out")).ok();
    scratch.commit("state");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "review", &id]);
    insta::assert_snapshot!(ran.all(), @"");
    assert!(!scratch.path("called").exists());
    assert_eq!(scratch.spine(), before);
}

#[test]
fn no_reviewer() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).all(), @"");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn by_hand() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id, "--note", "Read it all."]).all(), @"");
    insta::assert_snapshot!(
        scratch.run(&["cairn", "review", &id, "--note", "No test.", "--by", "Ada", "--block"]).all(), @"");
    scratch.run(&["chalk", "review", &id, "--note=--force was needed", "--json"]).ok();
    scratch.configure("/protocol/review/command", json!(PASS));
    scratch.run(&["chalk", "review", &id, "--note", "mine"]).refused(0, "was not asked");
}

#[test]
fn usage() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    let before = scratch.spine();
    scratch.run(&["chalk", "review"]).refused(1, "usage");
    scratch.run(&["chalk", "review", "nope"]).refused(1, "no task has the id");
    scratch.run(&["chalk", "review", &id, "--note", " "]).refused(1, "empty");
    scratch.run(&["chalk", "review", &id, "--block"]).refused(1, "--note");
    scratch.run(&["chalk", "review", &id, "--by", "x"]).refused(1, "--note");
    scratch.run(&["chalk", "review", &id, "--note", "x", "--no-retry"]).refused(1, "--no-retry");
    scratch.run(&["chalk", "review", &id, "--note", "x", "--by", "adversary"]).refused(1, "name of the reviewer");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_task_waiting_for_review_goes_on() {
    let (scratch, id) = with_reviewer(PASS);
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["state"] = json!("blocked");
    tasks[0]["blockedFrom"] = json!("in-progress");
    tasks[0]["block"] = json!({ "needs": "review", "reason": "r", "at": "2026-12-01T00:00:00.000Z" });
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.commit("blocked");
    scratch.write("sum.test.js", "");
    let ran = scratch.run(&["chalk", "review", &id]).ok();
    assert!(ran.out.contains("goes on where it was blocked"), "{}", ran.all());
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["state"], "in-progress");
}
