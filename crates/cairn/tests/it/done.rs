use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A started task with a locked test, code and a toolchain, everything committed.
fn started(test: &str) -> (Scratch, String) {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("sh tests/add.test.sh"));
    scratch.configure("/protocol/breakTest", json!("sh {test}"));
    scratch.write("add.sh", "echo 0\n");
    scratch.commit("before");
    let id = scratch.task("Add");
    scratch.write("tests/add.test.sh", test);
    scratch.run(&["chalk", "spec", &id, "--criterion", "1 and 2 is 3", "--test", "tests/add.test.sh"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("add.sh", "echo $(($1 + $2))\n");
    scratch.commit("work");
    (scratch, id)
}

const REAL: &str = "test \"$(sh add.sh 1 2)\" = 3\n";

fn state(scratch: &Scratch) -> Value {
    scratch.json(".chalk/tasks.json")[0]["state"].clone()
}

#[test]
fn a_verified_task_is_done() {
    let (scratch, id) = started(REAL);
    let ran = scratch.run(&["chalk", "done", &id[..12]]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ done: task-b8518be  Add
      verify: GREEN
      break-it: held
      not asked: review (`protocol.review.required` is not set), requireTest (the task has locked tests), mutation (`protocol.mutation` is not set)
      next: chalk next
    --- err
    ");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["state"], "done");
    assert!(task["doneAt"].is_string());
    assert!(
        scratch
            .read(".chalk/updates.jsonl")
            .contains("\"type\":\"work-item-accepted\",\"title\":\"Done: Add\"")
    );
    scratch.run(&["chalk", "done", &id]).refused(1, "done already");
}

#[test]
fn outside_git_and_without_a_toolchain_it_passes_labelled() {
    let scratch = Scratch::empty();
    scratch.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    let ran = scratch.run(&["chalk", "done", &id]).ok();
    assert!(ran.out.contains("VACUOUS"), "{}", ran.out);
}

#[test]
fn only_a_task_in_progress_gets_there() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    let before = scratch.spine();
    scratch.run(&["chalk", "done", &id]).refused(1, "wrong-state");
    scratch.run(&["chalk", "done", "nothing"]).refused(1, "not-found");
    scratch.run(&["chalk", "done"]).refused(1, "usage");
    scratch.run(&["chalk", "done", &id, "--force-review"]).refused(1, "reason-missing");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_red_toolchain_keeps_it_shut() {
    let (scratch, id) = started(REAL);
    scratch.write("add.sh", "echo 4\n");
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "verify-red");
    assert!(ran.err.contains("next: chalk verify"), "{}", ran.err);
    let document = scratch.run(&["chalk", "done", &id, "--json"]).refused(1, "verify-red").json();
    assert_eq!((&document["done"], &document["verify"]["green"]), (&json!(false), &json!(false)));
    assert_eq!(state(&scratch), "in-progress");
}

#[test]
fn a_locked_test_that_nobody_else_has_keeps_it_shut() {
    let (scratch, id) = started(REAL);
    scratch.git(&["rm", "-q", "--cached", "tests/add.test.sh"]);
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "test-untracked");
    assert!(ran.err.contains("next: git add tests/add.test.sh"), "{}", ran.err);
}

/// A verdict that is bound to nothing let any later code through.
#[test]
fn a_pass_counts_for_what_was_reviewed_alone() {
    let (scratch, id) = started(REAL);
    scratch.configure(
        "/protocol/review",
        json!({ "command": "echo '{\"verdict\":\"PASS\"}'", "required": true }),
    );
    scratch.commit("review");
    scratch.run(&["chalk", "done", &id]).refused(1, "review-missing");
    scratch.run(&["chalk", "review", &id]).ok();
    scratch.write("add.sh", "echo $(( $1 + $2 ))\n");
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "review-stale");
    assert!(ran.err.contains("next: chalk review"), "{}", ran.err);
    scratch.run(&["chalk", "review", &id]).ok();
    // A commit of the same content changes nothing of what was judged; a file that nobody saw does.
    scratch.commit("same content");
    scratch.write("new.sh", "echo\n");
    scratch.run(&["chalk", "done", &id]).refused(1, "review-stale");
    std::fs::remove_file(scratch.path("new.sh")).unwrap();
    scratch.run(&["chalk", "done", &id]).ok();
}

/// A test command that rewrites the code after the review passed it.
#[test]
fn code_that_the_toolchain_changed_was_reviewed_by_nobody() {
    let (scratch, id) = started(REAL);
    scratch.configure(
        "/protocol/review",
        json!({ "command": "echo '{\"verdict\":\"pass\"}'", "required": true }),
    );
    scratch.configure(
        "/protocol/verify/test",
        json!("[ ! -f x.hid ] || cp x.hid other.sh; sh tests/add.test.sh"),
    );
    scratch.write(".gitignore", "*.hid\n");
    scratch.write("other.sh", "echo fine\n");
    scratch.commit("all");
    scratch.run(&["chalk", "review", &id]).ok();
    scratch.write("x.hid", "echo other\n");
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "review-stale");
    assert!(ran.err.contains("other.sh"), "{}", ran.err);
}

/// Amending the commit at which the task was started hid all of the work from the reviewer.
#[test]
fn a_rewritten_start_commit_hides_nothing() {
    let (scratch, id) = started(REAL);
    scratch.configure(
        "/protocol/review",
        json!({ "command": "cat > ../prompt; echo '{\"verdict\":\"pass\"}'", "required": true }),
    );
    scratch.write("hidden.sh", "echo hidden\n");
    scratch.git(&["add", "-A"]);
    scratch.git(&["reset", "-q", "--soft", "HEAD~2"]);
    scratch.git(&["commit", "-qm", "rewritten"]);
    scratch.write("tests/more.test.sh", "exit 0\n");
    scratch.run(&["chalk", "review", &id]).ok();
    assert!(std::fs::read_to_string(scratch.path("../prompt")).unwrap().contains("echo hidden"));
}

/// A second, clean work tree closed a task whose work lay half done in another.
#[test]
fn another_work_tree_does_not_close_the_task() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
    scratch.commit("spec");
    let beside = |name: &str| scratch.root().parent().unwrap().join(name);
    for name in ["first", "second"] {
        scratch.git(&["worktree", "add", "-q", beside(name).to_str().unwrap()]);
    }
    scratch.run_in(&beside("first"), &["chalk", "start", &id]).ok();
    scratch.run_in(&beside("second"), &["chalk", "done", &id]).refused(1, "other-tree");
    scratch.run_in(&beside("first"), &["chalk", "done", &id]).ok();
}

#[test]
fn force_needs_a_reason_and_is_logged() {
    let (scratch, id) = started(REAL);
    scratch.configure("/protocol/review", json!({ "command": "", "requiredAt": "per-task" }));
    let ran = scratch.run(&["chalk", "done", "--force-review", &id, "--why", "the reviewer is down"]).ok();
    assert!(ran.out.contains("forced"), "{}", ran.out);
    assert!(scratch.read(".chalk/updates.jsonl").contains("\"title\":\"Decision: Overrode review gate for "));
    assert!(scratch.read(".chalk/decisions.md").contains("the reviewer is down"));
}

#[test]
fn a_blocking_review_keeps_it_shut_and_one_of_another_program_counts() {
    let (scratch, id) = started(REAL);
    scratch.configure("/protocol/review", json!({ "command": "", "requiredAt": ["per-task"] }));
    let with_review = |verdict: &str, severity: &str| {
        let mut tasks = scratch.json(".chalk/tasks.json");
        tasks[0]["reviews"] = json!([{ "at": "2026-12-01T00:00:00.000Z", "by": "adversary", "verdict": verdict,
            "findings": [{ "severity": severity, "area": "correctness", "note": "negative numbers" }], "decisions": [] }]);
        scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
        scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    };
    with_review("block", "high");
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "review-blocked");
    assert!(ran.err.contains("negative numbers"), "{}", ran.err);
    with_review("pass", "high");
    scratch.configure("/protocol/reviewFindings", json!("refuse"));
    scratch.run(&["chalk", "done", &id]).refused(1, "review-blocked");
    scratch.configure("/protocol/reviewFindings", json!("warn"));
    let ran = scratch.run(&["chalk", "done", &id]).ok();
    for text in ["unbound", "weighs high", "negative numbers"] {
        assert!(ran.out.contains(text), "{text}: {}", ran.out);
    }
}

#[test]
fn the_cadence_of_milestones_asks_at_the_last_task_alone() {
    let scratch = Scratch::chalk();
    scratch.configure(
        "/protocol/review",
        json!({ "command": "", "requiredAt": ["milestone-boundary", "whenever"] }),
    );
    let mut ids = Vec::new();
    for title in ["one", "two"] {
        let added = scratch.run(&["chalk", "task", "add", title, "--milestone", "m1", "--json"]).ok();
        let id = added.json()["id"].as_str().unwrap().to_owned();
        scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
        ids.push(id);
    }
    scratch.run(&["chalk", "start", &ids[0]]).ok();
    scratch.run(&["chalk", "done", &ids[0]]).ok();
    scratch.run(&["chalk", "start", &ids[1]]).ok();
    scratch.run(&["chalk", "done", &ids[1]]).refused(1, "review-missing");
    let ran = scratch.run(&["chalk", "done", &ids[1], "--force-review", "--why", "x"]).ok();
    assert!(ran.out.contains("milestone done: m1"), "{}", ran.out);
    assert!(scratch.read(".chalk/updates.jsonl").contains("milestone-hit"));
}

/// Tests that assert nothing passed every gate, and the levers never ran here.
#[test]
fn a_test_that_passes_without_the_change_is_named_and_can_be_refused() {
    let (scratch, id) = started("sh add.sh 1 2 >/dev/null\n");
    scratch.configure("/protocol/doneLevers", json!("refuse"));
    scratch.run(&["chalk", "done", &id]).refused(1, "vacuous-test");
    assert_eq!(state(&scratch), "in-progress");
    scratch.configure("/protocol/doneLevers", json!("warn"));
    let ran = scratch.run(&["chalk", "done", &id]).ok();
    assert!(ran.out.contains("vacuous-test"), "{}", ran.out);
}

#[test]
fn what_changes_while_the_gates_run_is_not_judged() {
    let (scratch, id) = started(REAL);
    let order = format!("{} && sh tests/add.test.sh", "sh meddle.sh");
    scratch.configure("/protocol/verify/test", json!(order));
    // The toolchain itself takes the criterion away.
    scratch.write(
        "meddle.sh",
        "sed -i.bak 's/1 and 2 is 3/anything/' .chalk/tasks.json && rm .chalk/tasks.json.bak\n",
    );
    scratch.commit("meddle");
    scratch.run(&["chalk", "done", &id]).refused(1, "spine-moved");
    assert_eq!(state(&scratch), "in-progress");
}

#[test]
fn open_corrections_are_resolved_and_unknown_keys_stay() {
    let (scratch, id) = started(REAL);
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["directives"] = json!([{ "choice": "a", "instead": "b", "resolved": false, "x": 1 }]);
    tasks[0]["pipeline"] = json!({ "stage": "verified" });
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    scratch.run(&["chalk", "done", &id]).ok();
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["directives"][0]["resolved"], true);
    assert_eq!(task["directives"][0]["x"], 1);
    assert_eq!(task["pipeline"]["stage"], "verified");
}

#[test]
fn what_the_levers_found_comes_with_advice() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/doneLevers", json!("refuse"));
    scratch.configure("/protocol/requireTest", json!(true));
    scratch.write("a.sh", "echo 0\n");
    scratch.commit("before");
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("a.sh", "echo 1\n");
    let ran = scratch.run(&["chalk", "done", &id]).refused(1, "no-test-change");
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ the change adds no test and changes none (no-test-change)
      changed: `a.sh`
      hint: add a test, or change one, that asserts what the files above do now; then verify again
      next: chalk verify
    ");
    let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
    assert_eq!((&next["reason"], &next["command"]), (&json!("done-refused"), &json!("chalk verify")));
}

#[test]
fn the_tree_that_was_judged_is_named_where_it_is_another_one() {
    let (scratch, id) = started(REAL);
    scratch.git(&["worktree", "add", "-q", "../work", "-b", "work"]);
    let work = scratch.root().parent().unwrap().join("work");
    let ran = scratch.run_in(&work, &["chalk", "done", &id]).ok();
    assert!(
        ran.out.contains("  judged: the work tree at `") && ran.out.contains("/work` (where you stand)"),
        "{}",
        ran.out
    );
}

/// A lever that had nothing to judge looked like one that nobody asked for.
#[test]
fn a_lever_with_nothing_to_judge_is_shown_and_under_strict_policy_refuses() {
    let scratch = Scratch::chalk();
    scratch.write("add.sh", "echo 3\n");
    scratch.commit("the work, before the start");
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--criterion", "1 and 2 is 3"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.configure("/protocol/doneLevers", json!("refuse"));
    scratch.commit("strict");
    let ran = scratch.run(&["chalk", "done", &id]);
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ requireTest had nothing to judge: nothing changed since the task was started (lever-inconclusive)
      hint: what was done before `start`, and what lies where tests lie, is not judged; a person lets a task go without by `chalk task edit task-a6ead519 --label no-test`
      next: chalk task show task-a6ead519
    ");
    scratch.configure("/protocol/doneLevers", json!("warn"));
    scratch.commit("as published");
    let ran = scratch.run(&["chalk", "done", &id]).ok();
    insta::assert_snapshot!(ran.out, @"
    ✓ done: task-a6ead51  Add
    ! verified, but VACUOUS: no gate has a command
      requireTest: nothing to judge
      not asked: review (`protocol.review.required` is not set), break-it (`protocol.breakTest` is not set), mutation (`protocol.mutation` is not set)
    ! lever-inconclusive: requireTest had nothing to judge: nothing changed since the task was started
      hint: what was done before `start`, and what lies where tests lie, is not judged; a person lets a task go without by `chalk task edit task-a6ead519 --label no-test`
      next: chalk next
    ");
}
