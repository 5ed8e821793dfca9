use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn the_backlog_shows_what_is_ready_and_what_waits_for_what() {
    let scratch = Scratch::chalk();
    let specd = |id: &str, title: &str, after: serde_json::Value| {
        json!({ "id": id, "title": title, "state": "specd", "acceptanceCriteria": [{ "text": "x" }],
            "milestone": "m1", "after": after })
    };
    scratch.plant(&json!([
        { "id": "task-00000001", "title": "done", "state": "done" },
        specd("task-00000002", "ready", json!(["task-00000001", "task-dropped"])),
        specd("task-00000003", "waits", json!(["task-00000002"])),
        { "id": "task-00000004", "title": "no\u{1b}[31m criteria" },
        { "id": "task-00000005", "title": "stuck", "state": "blocked", "block": { "needs": "creds", "reason": "a key" } },
        { "id": "task-00000006", "title": "mend", "state": "blocked", "block": { "needs": "review", "reason": "two findings" } },
        { "id": "task-00000007", "title": "odd", "state": "paused" }
    ]));
    insta::assert_snapshot!(scratch.run(&["chalk", "backlog"]).all(), @"
    exit 0
    --- out
    To rework after a review (1)
      task-00000006  mend  needs review: two findings
    Ready to start (1)
      task-00000002  ready  [m1]
    Without criteria (1)
      task-00000004  no [31m criteria
    After other tasks (1)
      task-00000003  waits  [m1]  after task-00000002
    Blocked (1)
      task-00000005  stuck  needs creds: a key
    In a state that the protocol doesn't have (1)
      task-00000007  odd  (paused)
    1 done
    --- err
    ");
    insta::assert_snapshot!(scratch.run(&["chalk", "backlog", "--milestone", "m1"]).all(), @"
    exit 0
    --- out
    Ready to start (1)
      task-00000002  ready  [m1]
    After other tasks (1)
      task-00000003  waits  [m1]  after task-00000002
    --- err
    ");
    insta::assert_snapshot!(scratch.run(&["chalk", "backlog", "--milestone", "m2"]).all(), @"
    exit 0
    --- out
    nothing is open in `m2`
    --- err
    ");
    scratch.run(&["chalk", "backlog", "--milestone"]).refused(1, "--milestone");
}

#[test]
fn the_backlog_is_bounded_unless_all_is_asked_for() {
    let scratch = Scratch::plain();
    let tasks: Vec<_> =
        (0..40).map(|n| json!({ "id": format!("task-{n:08x}"), "title": format!("t{n}") })).collect();
    scratch.plant(&json!(tasks));
    let ran = scratch.run(&["chalk", "backlog"]).ok();
    assert!(ran.out.lines().count() < 15 && ran.out.contains("and 30 more"), "{}", ran.out);
    let all = scratch.run(&["chalk", "backlog", "--all", "--json"]).ok().json();
    assert_eq!(all["groups"][0]["tasks"].as_array().unwrap().len(), 40);
    assert_eq!(all["counts"]["needsCriteria"], 40);
}

#[test]
fn an_empty_backlog_says_so() {
    let scratch = Scratch::chalk();
    insta::assert_snapshot!(scratch.run(&["chalk", "backlog"]).all(), @"
    exit 0
    --- out
    nothing is open
    --- err
    ");
}
