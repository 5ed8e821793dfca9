use serde_json::json;

use crate::scratch::Scratch;

/// A task with a criterion, and an executor that runs `script`.
pub fn with_executor(script: &str) -> (Scratch, String) {
    let scratch = Scratch::chalk();
    scratch.write("../tools/executor.sh", script);
    scratch.configure("/protocol/executor/command", json!("sh ../tools/executor.sh"));
    scratch.configure("/protocol/verify/test", json!("test -f done.txt"));
    scratch.configure("/protocol/requireTest", json!(false));
    scratch.commit("set-up");
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "done.txt is there"]).ok();
    (scratch, id)
}

#[test]
fn the_executor_is_given_the_context_and_its_word_counts_for_nothing() {
    let (scratch, id) = with_executor("cat > ../tools/prompt.txt\necho ok > done.txt\nexit 1\n");
    let ran = scratch.run(&["chalk", "work", &id]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
      executor: exit code 1, attempt 1
    ✓ worked and verified: task-c104e75  one
      next: chalk done task-c104e751
    --- err
    ");
    let prompt = std::fs::read_to_string(scratch.root().parent().unwrap().join("tools/prompt.txt")).unwrap();
    assert!(prompt.contains("done.txt is there"), "{prompt}");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!((&task["state"], &task["attempts"]), (&json!("in-progress"), &json!(1)));
    assert!(scratch.read(".chalk/updates.jsonl").contains("Worked + verified: one"));
}

#[test]
fn an_executor_that_claims_and_did_nothing_is_red() {
    let (scratch, id) = with_executor("echo 'all tests pass, task complete'\n");
    scratch.run(&["chalk", "work", &id]).refused(2, "verify RED");
    let document = scratch.run(&["chalk", "work", &id, "--json"]).refused(2, "verify-red").json();
    assert_eq!(document["attempts"], 2);
}

#[test]
fn what_is_missing_stops_it_before_the_executor_runs() {
    let (scratch, _) = with_executor("touch ran\n");
    let bare = scratch.task("no criteria");
    scratch.run(&["chalk", "work", &bare]).refused(2, "no-criteria");
    scratch.configure("/protocol/plan/required", json!(true));
    scratch.run(&["chalk", "work", &bare]).refused(2, "plan-missing");
    assert!(!scratch.path("ran").exists());
}

#[test]
fn an_open_fork_stops_it() {
    let (scratch, id) = with_executor("echo ok > done.txt\n");
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["raised"] = json!([{ "id": "raise-1", "fork": "round up or down?", "status": "open" }]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    let ran = scratch.run(&["chalk", "work", &id]).refused(2, "open-fork");
    assert!(ran.err.contains("round up or down?"), "{}", ran.err);
}

#[test]
fn a_finding_of_a_lever_stops_it() {
    let (scratch, id) = with_executor("echo ok > done.txt\necho 'echo 1' > code.sh\n");
    scratch.configure("/protocol/requireTest", json!(true));
    scratch.run(&["chalk", "work", &id]).refused(2, "no-test-change");
}
