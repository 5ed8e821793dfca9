use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A task that holds a lock on `t.test.js`, in the given state, whose last review passed.
fn locked(scratch: &Scratch, state: &str) -> String {
    scratch.write("t.test.js", "a\n");
    let lock = json!({ "path": "t.test.js", "sha256": canon::Sha256::of("a\n") });
    let review =
        json!({ "at": "2026-01-01T00:00:00.000Z", "by": "adversary", "verdict": "pass", "findings": [] });
    scratch.plant(&json!([{
        "id": "task-aaaaaaaa", "title": "Add", "state": state, "tests": [lock], "reviews": [review],
        "doneAt": "2026-01-01T00:00:00.000Z",
    }]));
    scratch.write("t.test.js", "b\n");
    "task-aaaaaaaa".to_owned()
}

fn task(scratch: &Scratch) -> Value {
    scratch.json(".chalk/tasks.json")[0].clone()
}

#[test]
fn a_task_in_progress_stays_so_and_its_review_is_stale() {
    let scratch = Scratch::chalk();
    let id = locked(&scratch, "in-progress");
    let ran = scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js", "--why", "the rule\nchanged"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-aaaaaaa  Add  (in-progress)
      t.test.js: sha256 87428fc52280 -> 0263829989b6, with 1 thing that decides it
      decision logged: the rule changed
    ! the review that passed is stale: it judged another contract
      next: chalk verify
    --- err
    ");
    let task = task(&scratch);
    assert_eq!(task["state"], "in-progress");
    assert_eq!(task["tests"], json!([{ "path": "t.test.js", "sha256": canon::Sha256::of("b\n") }]));
    let last = task["reviews"].as_array().unwrap().last().unwrap();
    assert_eq!((last["by"].as_str(), last["verdict"].as_str()), (Some("amend-spec"), Some("stale")));
    assert_eq!(last["findings"], json!([]));
    insta::assert_snapshot!(scratch.read(".chalk/decisions.md"), @"
    # Decisions (ADR-lite)

    ## Accepted a change of .chalk/tasks.json past the program

    - _when:_ 2026-12-01T00:00:02.000Z
    - _why:_ test set-up

    ## Amended locked test t.test.js (Add)

    - _when:_ 2026-12-01T00:00:03.000Z
    - _why:_ the rule changed
    ");
    assert!(scratch.read(".chalk/updates.jsonl").contains("Decision: Amended locked test t.test.js (Add)"));
    // Stale once is stale.
    scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js", "--reason", "again", "--json"]).ok();
    assert_eq!(self::task(&scratch)["reviews"].as_array().unwrap().len(), 2);
}

#[test]
fn a_done_task_goes_back_to_specd() {
    let scratch = Scratch::chalk();
    let id = locked(&scratch, "done");
    insta::assert_snapshot!(scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js", "--why", "x"]).all(), @"
    exit 0
    --- out
    ✓ task-aaaaaaa  Add  (specd)
      t.test.js: sha256 87428fc52280 -> 0263829989b6, with 1 thing that decides it
      decision logged: x
    ! the task was done and is so no more: it has to pass its gates again
    ! the review that passed is stale: it judged another contract
      next: chalk start task-aaaaaaaa
    --- err
    ");
    let task = task(&scratch);
    assert_eq!(task["state"], "specd");
    assert!(task.get("doneAt").is_none());
    assert!(scratch.read(".chalk/updates.jsonl").contains("Reopened: Add"));
}

#[test]
fn a_new_path_is_added_and_its_deciders_recorded() {
    let scratch = Scratch::chalk();
    let id = locked(&scratch, "todo");
    scratch.write("u.test.js", "c\n");
    insta::assert_snapshot!(
        scratch.run(&["chalk", "amend-spec", &id, "--test", "u.test.js", "--test", "t.test.js", "--why", "x"]).all(), @"
    exit 0
    --- out
    ✓ task-aaaaaaa  Add  (specd)
      u.test.js: newly locked, sha256 a3a5e715f0cc, with 1 thing that decides it
      t.test.js: sha256 87428fc52280 -> 0263829989b6, with 1 thing that decides it
      decision logged: x
    ! the review that passed is stale: it judged another contract
      next: chalk start task-aaaaaaaa
    --- err
    ");
    let task = task(&scratch);
    assert_eq!(task["tests"].as_array().unwrap().len(), 2);
    assert_eq!(task["state"], "specd");
    assert_eq!(task["cairn"]["deciders"].as_array().unwrap().len(), 2);
}

#[test]
fn without_a_reason_or_a_file_nothing_changes() {
    let scratch = Scratch::chalk();
    let id = locked(&scratch, "in-progress");
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js"]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ a locked test changes only with a reason (reason-missing)
      hint: the reason is logged as a decision
      next: chalk amend-spec task-aaaaaaaa --test <path> --why "..."
    "#);
    scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js", "--why", " "]).refused(1, "empty");
    scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.js", "--why"]).refused(1, "--why");
    scratch.run(&["chalk", "amend-spec", &id, "--why", "x"]).refused(1, "--test");
    scratch.run(&["chalk", "amend-spec", &id, "--test", "none.js", "--why", "x"]).refused(1, "doesn't exist");
    scratch.run(&["chalk", "amend-spec", &id, "--test", ".", "--why", "x"]).refused(1, "is a folder");
    assert_eq!(scratch.spine(), before);
}
