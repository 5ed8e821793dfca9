use serde_json::json;

use crate::scratch::Scratch;
use crate::work::with_executor;

#[test]
fn the_runnable_tasks_are_taken_in_order_through_done() {
    let (scratch, first) = with_executor("echo ok > done.txt\n");
    let second =
        scratch.run(&["chalk", "task", "add", "two", "--after", &first, "--json"]).ok().json()["id"].clone();
    scratch.run(&["chalk", "spec", second.as_str().unwrap(), "--criterion", "works"]).ok();
    scratch.task("no criteria, so not runnable");
    let ran = scratch.run(&["chalk", "run", "--dry-run"]).ok();
    assert!(ran.out.contains("one: would run") && !ran.out.contains("two"), "{}", ran.out);
    let ran = scratch.run(&["chalk", "run"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-c104e75  one: done
    ✓ task-d26b9e2  two: done
    stopped: nothing is runnable
      next: chalk next
    --- err
    ");
    let states: Vec<_> = scratch
        .json(".chalk/tasks.json")
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["state"].clone())
        .collect();
    assert_eq!(states, ["done", "done", "todo"]);
    assert_eq!(scratch.run(&["chalk", "run", "--json"]).ok().json()["tasks"], json!([]));
}

#[test]
fn what_fails_is_blocked_after_its_attempts_and_the_next_one_is_taken() {
    let (scratch, _) = with_executor("exit 0\n");
    let second = scratch.task("two");
    scratch.run(&["chalk", "spec", &second, "--criterion", "works"]).ok();
    let ran = scratch.run(&["chalk", "run", "--until", "blocked"]).refused(2, "verify RED");
    assert!(ran.out.contains("stopped: a task is blocked"), "{}", ran.all());
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!((&task["state"], &task["attempts"]), (&json!("blocked"), &json!(3)));
    assert_eq!(task["block"]["needs"], "human-input");
    assert!(
        task["block"]["reason"].as_str().unwrap().contains("verify RED"),
        "`stats` counts by these words"
    );
    let handoff = scratch.read(task["handoff"]["path"].as_str().unwrap());
    for part in ["(blocked, was in-progress)", "## What failed", "- test: `", "test.log", "unblock task-"] {
        assert!(handoff.contains(part), "{part}: {handoff}");
    }
    let document = scratch.run(&["chalk", "run", "--json"]).refused(2, "blocked").json();
    assert_eq!(document["tasks"][0]["outcome"], "blocked");
}

#[test]
fn a_task_that_nobody_worked_on_is_not_done() {
    let (scratch, _) = with_executor("exit 0\n");
    scratch.commit("all");
    scratch.configure("/protocol/verify/test", json!("true"));
    let ran = scratch.run(&["chalk", "run", "--max", "1"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 2
    --- out
    ✗ task-c104e75  one: nothing changed since the start; blocked
    stopped: 1 task was taken (`--max 1`)
      next: chalk next
    --- err
    ");
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["block"]["needs"], "human-input");
}

#[test]
fn a_run_that_got_something_done_is_no_failure() {
    let (scratch, _) = with_executor("echo ok > done.txt\n");
    let second = scratch.task("two");
    scratch.write("two.test.sh", "true\n");
    scratch.run(&["chalk", "spec", &second, "--test", "two.test.sh"]).ok();
    scratch.write("two.test.sh", "false\n");
    let ran = scratch.run(&["chalk", "run"]).ok();
    assert!(ran.out.contains("one: done") && ran.out.contains("a broken lock; blocked"), "{}", ran.all());
}

#[test]
fn a_reviewer_that_blocks_sends_it_back_and_then_to_a_person() {
    let (scratch, id) = with_executor("echo ok > done.txt\n");
    let verdict = json!({ "verdict": "block", "findings": [{ "severity": "high", "area": "correctness", "note": "no" }] });
    scratch
        .configure("/protocol/review", json!({ "command": format!("echo '{verdict}'"), "required": true }));
    scratch.run(&["chalk", "run"]).refused(2, "the reviewer blocks the change");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!((task["id"].as_str().unwrap(), &task["block"]["needs"]), (id.as_str(), &json!("review")));
    assert_eq!(task["reviews"].as_array().unwrap().len(), 3);
}

#[test]
fn without_an_executor_nothing_runs() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "run"]).refused(1, "not-configured");
    scratch.run(&["chalk", "run", "--until", "doomsday"]).refused(1, "possible values");
    scratch.run(&["chalk", "run", "--max", "0"]).refused(1, "0");
    assert_eq!(scratch.spine(), before);
}
