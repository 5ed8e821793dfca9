use serde_json::json;

use crate::scratch::Scratch;

fn base(scratch: &Scratch) -> String {
    scratch.git(&["rev-parse", "HEAD"]).trim().to_owned()
}

#[test]
fn a_started_task_knows_where_its_change_begins() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--criterion", "it adds"]).ok();
    let ran = scratch.run(&["chalk", "start", &id]);
    insta::assert_snapshot!(ran.all().replace(&base(&scratch)[..12], "[commit]"), @"
    exit 0
    --- out
    ✓ started: task-a6ead51  Add
      judged in the work tree at `[root]` (the folder of the spine)
      its change counts from commit [commit]
      next: chalk context task-a6ead519
    --- err
    ");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["state"], "in-progress");
    assert_eq!(task["cairn"]["base"], base(&scratch));
    assert!(task["startedAt"].is_string() && task.get("worktree").is_none());
    assert!(
        scratch.read(".chalk/updates.jsonl").contains(r#""type":"work-item-started","title":"Started: Add""#)
    );
    // Again, on a later commit: nothing changes.
    scratch.commit("later");
    let before = scratch.spine();
    let again = scratch.run(&["chalk", "start", &id, "--json"]).ok().json();
    assert_eq!(
        (again["already"].as_bool(), again["base"].as_str()),
        (Some(true), task["cairn"]["base"].as_str())
    );
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_task_without_criteria_is_refused() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add");
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "start", &id]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ task-a6ead51 has no acceptance criterion and no locked test (no-criteria)
      hint: say what must hold before the work begins, best as a test that fails now
      next: chalk spec task-a6ead519 --criterion "..." --test <path>
    "#);
    assert_eq!(scratch.spine(), before);
    // A blank criterion, as another program lets through, is none.
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "specd", "acceptanceCriteria": [{ "text": " " }] }]));
    insta::assert_snapshot!(scratch.run(&["chalk", "start", "task-aaaaaaaa"]).err, @r#"
    ✗ task-aaaaaaa has no acceptance criterion and no locked test (no-criteria)
      1 blank criterion does not count
      hint: say what must hold before the work begins, best as a test that fails now
      next: chalk spec task-aaaaaaaa --criterion "..." --test <path>
    "#);
}

#[test]
fn states_that_cannot_be_started() {
    let scratch = Scratch::chalk();
    let task = |id: &str, state: &str| json!({ "id": id, "title": "T", "state": state, "acceptanceCriteria": [{ "text": "x" }] });
    let mut blocked = task("task-bbbbbbbb", "blocked");
    blocked["block"] = json!({ "needs": "creds", "reason": "no key", "at": "" });
    scratch.plant(&json!([task("task-aaaaaaaa", "done"), blocked, task("task-cccccccc", "frozen")]));
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "start", "task-a"]).err, @r#"
    ✗ task-aaaaaaa is done (wrong-state)
      hint: new work is a new task; a changed test of this one reopens it
      next: chalk amend-spec task-aaaaaaaa --test <path> --why "..."
    "#);
    insta::assert_snapshot!(scratch.run(&["chalk", "start", "task-b"]).err, @"
    ✗ task-bbbbbbb is blocked (task-blocked)
      needs creds: no key
      next: chalk unblock task-bbbbbbbb
    ");
    insta::assert_snapshot!(scratch.run(&["chalk", "start", "task-c"]).err, @"
    ✗ task-ccccccc has the state `frozen`, which Chalk doesn't know (wrong-state)
      hint: set `state` in `.chalk/tasks.json` to `specd`
    ");
    scratch.run(&["chalk", "start", "task-"]).refused(1, "ambiguous-id");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn one_task_at_a_time_unless_asked_otherwise() {
    let scratch = Scratch::chalk();
    let first = scratch.started("First", &[]);
    let second = scratch.task("Second");
    scratch.run(&["chalk", "spec", &second, "--criterion", "x"]).ok();
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "start", &second]).err, @"
    ✗ another task is in progress (other-in-progress)
      task-a6ead51  First
      hint: finish or block it first, or start this one beside it with `--parallel`
      next: chalk next
    ");
    assert_eq!(scratch.spine(), before);
    scratch.run(&["chalk", "start", &first]).ok();
    scratch.run(&["chalk", "start", &second, "--parallel"]).ok();
    let third = scratch.task("Third");
    scratch.run(&["chalk", "spec", &third, "--criterion", "x"]).ok();
    scratch.configure("/protocol/parallel", json!({ "enabled": true }));
    scratch.run(&["chalk", "start", &third]).ok();
}

#[test]
fn open_tasks_that_come_first_are_named() {
    let scratch = Scratch::chalk();
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "Before", "state": "specd" },
        { "id": "task-bbbbbbbb", "title": "Done", "state": "done" },
        { "id": "task-cccccccc", "title": "T", "state": "specd", "acceptanceCriteria": [{ "text": "x" }],
          "after": ["task-aaaaaaaa", "task-bbbbbbbb", "task-gone"] },
    ]));
    let ran = scratch.run(&["chalk", "start", "task-c"]).ok();
    insta::assert_snapshot!(ran.out.replace(&base(&scratch)[..12], "[commit]"), @"
    ✓ started: task-ccccccc  T
      judged in the work tree at `[root]` (the folder of the spine)
      its change counts from commit [commit]
    ! order: task-aaaaaaa comes first and is specd: Before
    ! order: it comes after `task-gone`, which is no task here
      next: chalk context task-cccccccc
    ");
}

#[test]
fn a_task_of_several_features_is_named_with_its_numbers() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Everything");
    let criteria: Vec<String> = (0..9).map(|n| format!("part {n} works")).collect();
    let mut spec = vec!["chalk", "spec", &id];
    for criterion in &criteria {
        spec.extend(["--criterion", criterion]);
    }
    scratch.run(&spec).ok();
    let ran = scratch.run(&["chalk", "start", &id]).ok();
    insta::assert_snapshot!(ran.out.replace(&base(&scratch)[..12], "[commit]"), @r#"
    ✓ started: task-a6ead51  Everything
      judged in the work tree at `[root]` (the folder of the spine)
      its change counts from commit [commit]
    ! size: it looks like several features: 9 criteria, more than 7
      hint: a task of one feature is judged best; split it with `chalk task add "..."`
      next: chalk context task-a6ead519
    "#);
}

#[test]
fn a_linked_work_tree_is_recorded_with_its_own_commit() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--criterion", "x"]).ok();
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    let linked = std::fs::canonicalize(scratch.root().join("../linked")).unwrap();
    scratch.git_in(&linked, &["commit", "-q", "--allow-empty", "-m", "there"]);
    scratch.run_in(&linked, &["chalk", "start", &id]).ok();
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["worktree"].as_str(), linked.to_str());
    assert_eq!(task["cairn"]["base"].as_str(), Some(scratch.git_in(&linked, &["rev-parse", "HEAD"]).trim()));
}

#[test]
fn detached_unborn_shallow_and_no_git() {
    // R25: a detached HEAD is a commit like another, and an unborn one is none.
    let scratch = Scratch::chalk();
    scratch.git(&["checkout", "-q", "--detach"]);
    scratch.started("Add", &[]);
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["cairn"]["base"], base(&scratch));

    let unborn = Scratch::plain();
    unborn.git(&["init", "-q", "-b", "main"]);
    unborn.started("Add", &[]);
    assert!(unborn.json(".chalk/tasks.json")[0]["cairn"].get("base").is_none());

    let plain = Scratch::plain();
    plain.started("Add", &[]);
    assert_eq!(plain.json(".chalk/tasks.json")[0]["state"], "in-progress");

    // R24: of a shallow clone the commit in hand is known, and no older one is taken for it.
    let origin = Scratch::chalk();
    origin.commit("second");
    let clone = Scratch::empty();
    let url = format!("file://{}", origin.root().display());
    clone.git(&["clone", "-q", "--depth", "1", &url, "."]);
    clone.started("Add", &[]);
    assert_eq!(clone.json(".chalk/tasks.json")[0]["cairn"]["base"], base(&origin));
}
