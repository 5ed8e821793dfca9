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
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ review (pass) of task-a6ead51: Add two numbers
      1 file: what is not committed
      next: chalk done task-a6ead519
    --- err
    ");
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
    insta::assert_snapshot!(ran.all(), @"
    exit 3
    --- out
    ✗ review (block) of task-a6ead51: Add two numbers
      1 file: what is not committed
      [high] test-adequacy: no test adds
      [med] and more
      judgement calls of the author, for a person to look at:
      - floats, because short (blast low, undo easy)
      - a plain one
      next: chalk review task-a6ead519
    --- err
    ");
    assert_eq!(scratch.run(&["chalk", "review", &id, "--json"]).code, 3);
}

#[test]
fn a_pass_with_a_high_finding_is_loud() {
    let (scratch, id) = with_reviewer(
        r#"cat > /dev/null; echo '{"verdict":"pass","findings":[{"severity":"High","area":"correctness","note":"wrong"}]}'"#,
    );
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).ok().all(), @"
    exit 0
    --- out
    ✓ review (pass) of task-a6ead51: Add two numbers
      1 file: what is not committed
      [high] correctness: wrong
    ! the reviewer passed the change with a finding of high weight: look at it
      next: chalk done task-a6ead519
    --- err
    ");
}

#[test]
fn a_tree_that_moves_under_the_reviewer_is_named() {
    let (scratch, id) = with_reviewer(&format!("{PASS}; echo >> sum.js; echo > new.js"));
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).all(), @"
    exit 0
    --- out
    ✓ review (pass) of task-a6ead51: Add two numbers
      1 file: what is not committed
    ! `new.js`, `sum.js` changed while the reviewer ran
      hint: the verdict is about the files before that
      next: chalk review task-a6ead519
    --- err
    ");
}

#[test]
fn no_verdict_records_nothing() {
    let (scratch, id) = with_reviewer("cat > /dev/null; echo 'rate limit reached'; exit 1");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "review", &id]).refused(1, "twice");
    insta::assert_snapshot!(masked(&ran.err), @r#"
    ✗ the reviewer gave no verdict, twice (review-unreadable)
      it ended with: exit code 1
      the end of what it printed:
        rate limit reached
      at: [root]/.git/cairn/chalk/root/logs/20261201T000004000Z-review-[pid]/answer-2.txt
      hint: it must print a JSON object such as {"verdict": "block", "findings": []} as the last thing; nothing was recorded
    "#);
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
    scratch.run(&["chalk", "init", "--bare"]).ok();
    let id = scratch.task("Nothing");
    scratch.configure("/protocol/review/command", json!(format!("touch called; {PASS}")));
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "review", &id]);
    insta::assert_snapshot!(ran.all(), @"
    exit 1
    --- out
    --- err
    ✗ there is no change to review (review-empty)
      in `[root]` nothing differs from what is committed, and no commit has content
      hint: the state in `.chalk/` and what `init` made count as no change; the reviewer was not called
    ");
    assert!(!scratch.path("called").exists());
    assert_eq!(scratch.spine(), before);
}

#[test]
fn no_reviewer() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ no reviewer is set in `protocol.review.command` (not-configured)
      hint: set one that reads a prompt on stdin and prints a verdict, or record a review by hand
      next: chalk review task-a6ead519 --note "..."
    "#);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn by_hand() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add two numbers");
    insta::assert_snapshot!(scratch.run(&["chalk", "review", &id, "--note", "Read it all."]).all(), @"
    exit 0
    --- out
    ✓ review (pass) of task-a6ead51: Add two numbers, by hand
      2 files: the last commit, as nothing changed since
      Read it all.
      next: chalk done task-a6ead519
    --- err
    ");
    insta::assert_snapshot!(
        scratch.run(&["cairn", "review", &id, "--note", "No test.", "--by", "Ada", "--block"]).all(), @"
    exit 3
    --- out
    ✗ review (block) of task-a6ead51: Add two numbers, by Ada (by hand)
      2 files: the last commit, as nothing changed since
      No test.
      next: cairn review task-a6ead519
    --- err
    ");
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
    scratch
        .run(&["chalk", "review", &id, "--note", "x", "--by", "adversary"])
        .refused(1, "name of the reviewer");
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
