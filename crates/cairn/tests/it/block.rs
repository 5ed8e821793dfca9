use serde_json::json;

use crate::scratch::Scratch;

/// A task in progress and one that is done.
fn two() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "Add two numbers", "state": "in-progress",
          "acceptanceCriteria": [{ "text": "1+2 is 3" }], "tests": [], "reviews": [], "x": 1 },
        { "id": "task-bbbbbbbb", "title": "Multiply", "state": "done", "acceptanceCriteria": [], "tests": [] }
    ]));
    scratch
}

#[test]
fn a_blocked_task_has_a_reason_a_way_back_and_a_handoff() {
    let scratch = two();
    let ran =
        scratch.run(&["chalk", "block", "aaaa", "--needs", "decision", "--reason", "waiting for\nrounding"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ blocked task-aaaaaaaa  Add two numbers
      needs decision: waiting for rounding
      handoff: .chalk/handoffs/task-aaaaaaa-1.md
      when it can go on: chalk unblock task-aaaaaaaa
    --- err
    ");
    insta::assert_snapshot!(canon::json::pretty(&scratch.json(".chalk/tasks.json")[0]), @r#"
    {
      "id": "task-aaaaaaaa",
      "title": "Add two numbers",
      "state": "blocked",
      "acceptanceCriteria": [
        {
          "text": "1+2 is 3"
        }
      ],
      "tests": [],
      "reviews": [],
      "x": 1,
      "blockedFrom": "in-progress",
      "block": {
        "needs": "decision",
        "reason": "waiting for rounding",
        "at": "2026-12-01T00:00:03.000Z"
      },
      "handoff": {
        "path": ".chalk/handoffs/task-aaaaaaa-1.md",
        "at": "2026-12-01T00:00:03.000Z",
        "reason": "decision",
        "seq": 1
      }
    }
    "#);
    let log = scratch.read(".chalk/updates.jsonl");
    assert!(log.contains(
        "\"title\":\"Blocked: Add two numbers (needs decision)\",\"description\":\"waiting for rounding\""
    ));
    assert!(
        log.contains("\"title\":\"Handoff written: Add two numbers\",\"description\":\"reason: decision\"")
    );
    insta::assert_snapshot!(scratch.read(".chalk/handoffs/task-aaaaaaa-1.md"), @"
    # Handoff: Add two numbers

    - task: `task-aaaaaaaa` (blocked, was in-progress)
    - written: 2026-12-01T00:00:03.000Z
    - reason: decision: waiting for rounding

    ## Acceptance criteria

    1. 1+2 is 3

    ## Notes

    (none)

    ## Going on

    In a fresh session: `chalk unblock task-aaaaaaaa` once what it needs is there, then `chalk context task-aaaaaaaa`, then `chalk next`.
    ");
}

#[test]
fn unblock_goes_back_to_the_state_before() {
    let scratch = two();
    scratch.run(&["chalk", "block", "aaaa", "--needs", "creds", "--reason", "a key"]).ok();
    scratch.run(&["chalk", "block", "aaaa", "--needs", "upstream", "--reason", "a release"]).ok();
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["blockedFrom"], "in-progress");
    assert!(scratch.path(".chalk/handoffs/task-aaaaaaa-2.md").exists(), "the first document is kept");
    let ran = scratch.run(&["chalk", "unblock", "aaaa", "--why", "it is out"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-aaaaaaaa  Add two numbers is in-progress again
      next: chalk context task-aaaaaaaa
    --- err
    ");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["state"], "in-progress");
    assert!(task.get("block").is_none() && task.get("blockedFrom").is_none(), "{task}");
    assert_eq!(task["x"], 1);
    assert!(
        scratch
            .read(".chalk/updates.jsonl")
            .contains("\"title\":\"Unblocked: Add two numbers\",\"description\":\"it is out\"")
    );
}

#[test]
fn unblock_without_a_way_back_gives_specd() {
    let scratch = two();
    scratch.plant(&json!([{ "id": "task-cccccccc", "title": "t", "state": "blocked" }]));
    let ran = scratch.run(&["chalk", "unblock", "cccc", "--json"]).ok();
    assert_eq!(ran.json()["state"], "specd");
}

#[test]
fn a_done_task_cannot_be_blocked_and_a_free_one_not_unblocked() {
    let scratch = two();
    let before = scratch.spine();
    let ran = scratch
        .run(&["chalk", "block", "bbbb", "--needs", "creds", "--reason", "x"])
        .refused(1, "wrong-state");
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ `task-bbbbbbbb` is done, and a done task waits for nothing (wrong-state)
      hint: add a task for what is left
    ");
    let ran = scratch.run(&["chalk", "unblock", "aaaa"]).refused(1, "wrong-state");
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ `task-aaaaaaaa` is in-progress, not blocked (wrong-state)
      next: chalk next
    ");
    scratch.run(&["chalk", "block", "aaaa", "--needs", "coffee", "--reason", "x"]).refused(1, "coffee");
    scratch.run(&["chalk", "block", "aaaa", "--needs", "creds"]).refused(1, "--reason");
    scratch.run(&["chalk", "block", "aaaa", "--needs", "creds", "--reason", " "]).refused(1, "empty");
    scratch.run(&["chalk", "block", "task-", "--needs", "creds", "--reason", "x"]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "unblock", "none"]).refused(1, "not-found");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn two_tasks_in_progress_after_an_unblock_are_named() {
    let scratch = two();
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "a", "state": "in-progress" },
        { "id": "task-cccccccc", "title": "c", "state": "blocked", "blockedFrom": "in-progress" }
    ]));
    let ran = scratch.run(&["chalk", "unblock", "cccc"]).ok();
    assert!(ran.err.contains("2 tasks are in progress now"), "{}", ran.all());
}

#[test]
fn blocking_works_without_git() {
    let scratch = Scratch::plain();
    let id = scratch.task("t");
    scratch.run(&["chalk", "block", &id, "--needs", "human-input", "--reason", "x"]).ok();
    let handoff = scratch.json(".chalk/tasks.json")[0]["handoff"]["path"].as_str().unwrap().to_owned();
    assert!(scratch.read(&handoff).contains("outside git"));
    assert_eq!(scratch.run(&["chalk", "unblock", &id, "--json"]).ok().json()["state"], "todo");
}

#[test]
fn a_task_that_another_program_blocked_goes_on() {
    let Some(scratch) = Scratch::node("shelf") else { return };
    let ran = scratch.run(&["chalk", "unblock", "task-faad4b4", "--json"]).ok();
    assert_eq!(ran.json()["state"], "in-progress");
    scratch.run(&["chalk", "block", "task-faad4b4", "--needs", "decision", "--reason", "again"]).ok();
    assert!(scratch.path(".chalk/handoffs/task-faad4b4-2.md").exists(), "the number goes on");
}
