use serde_json::json;

use crate::scratch::Scratch;

/// A project whose phases need an audit, audited.
fn audited() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("src/a.mjs", "export const a = 1\n");
    scratch.configure("/protocol/regression/required", json!(true));
    scratch.configure("/protocol/regression/command", json!("true"));
    scratch.run(&["chalk", "audit"]).ok();
    scratch
}

fn phase(scratch: &Scratch) -> String {
    scratch.json(".chalk/chalk.json")["protocol"]["phase"].as_str().unwrap().to_owned()
}

#[test]
fn a_phase_without_gates_is_set_and_logged() {
    let scratch = Scratch::chalk();
    let ran = scratch.run(&["chalk", "phase", "build"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ phase discovery → build
    --- err
    ");
    assert_eq!(phase(&scratch), "build");
    assert!(scratch.read(".chalk/updates.jsonl").contains("\"title\":\"Phase → build\""));
    let ran = scratch.run(&["chalk", "phase", "beta\nrc"]).ok();
    assert!(ran.err.contains("`beta rc` is none of the usual phases"), "{}", ran.err);
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "phase", "beta rc", "--json"]).ok();
    assert_eq!(ran.json()["changed"], false);
    assert_eq!(scratch.spine(), before, "the same phase is no write");
    scratch.run(&["chalk", "phase", " "]).refused(1, "empty");
    scratch.run(&["chalk", "phase"]).refused(1, "usage");
}

#[test]
fn a_phase_that_was_never_audited_stays_shut() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/regression/required", json!(true));
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "phase", "build"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 1
    --- out
    --- err
    ✗ the phase was never audited (audit-missing)
      hint: past this gate: `--force-audit --why "..."`, logged as a decision
      next: chalk audit
    "#);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_red_audit_keeps_the_phase_shut() {
    let scratch = audited();
    scratch.configure("/protocol/regression/command", json!("false"));
    scratch.run(&["chalk", "audit"]).refused(2, "RED");
    scratch.run(&["chalk", "phase", "build", "--json"]).refused(1, "audit-red");
}

#[test]
fn code_rewritten_at_equal_length_makes_the_audit_stale() {
    let scratch = audited();
    scratch.write("src/a.mjs", "export const a = 2\n");
    let ran = scratch.run(&["chalk", "phase", "build"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 1
    --- out
    --- err
    ✗ the last audit, of 2026-12-01T00:00:04.000Z, is stale: the tree is not the one that was audited (audit-stale)
      hint: past this gate: `--force-audit --why "..."`, logged as a decision
      next: chalk audit
    "#);
    scratch.write("src/a.mjs", "export const a = 1\n");
    scratch.commit("a commit changes no content");
    scratch.run(&["chalk", "phase", "build"]).ok();
}

#[test]
fn a_newly_locked_held_out_file_makes_the_audit_stale() {
    let scratch = audited();
    scratch.write(".chalk/held-out/a.mjs", "1\n");
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/a.mjs"]).ok();
    scratch.run(&["chalk", "phase", "build"]).refused(1, "the held-out set is not the one that was audited");
    scratch.run(&["chalk", "audit"]).ok();
    scratch.write(".chalk/held-out/a.mjs", "2\n");
    scratch.run(&["chalk", "phase", "build"]).refused(1, "the held-out set is not the one that was audited");
}

/// A test that nobody locked yet ran in no audit, and the phase was open over it.
#[test]
fn a_held_out_file_that_is_not_locked_makes_the_audit_stale() {
    let scratch = audited();
    scratch.write(".chalk/held-out/a.mjs", "1\n");
    let ran = scratch.run(&["chalk", "phase", "build"]).refused(1, "audit-stale");
    assert!(ran.err.contains("the held-out set is not the one that was audited"), "{}", ran.err);
    scratch.run(&["chalk", "audit"]).ok();
    scratch.run(&["chalk", "phase", "build"]).ok();
}

#[test]
fn an_audit_of_another_program_is_judged_by_its_size() {
    let scratch = audited();
    let last = |loc: u64| json!({ "at": "2026-12-01T00:00:00.000Z", "green": true, "size": { "loc": loc, "files": 1 }, "count": 0 });
    scratch.configure("/protocol/regression/lastAudit", last(7));
    scratch.run(&["chalk", "phase", "build"]).refused(1, "another size");
    scratch.configure("/protocol/regression/lastAudit", last(2));
    scratch.run(&["chalk", "phase", "build"]).ok();
}

#[test]
fn a_set_below_the_floor_keeps_the_phase_shut() {
    let scratch = audited();
    scratch.write("big.dart", "x\n".repeat(4000));
    scratch.run(&["chalk", "audit"]).ok();
    let ran = scratch.run(&["chalk", "phase", "build"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 1
    --- out
    --- err
    ✗ 0 held-out tests are locked, and 4001 lines of code (2 by the published formula) ask for 2 (held-out-small)
      hint: past this gate: `--force-audit --why "..."`, logged as a decision
      next: chalk guard add PATH
    "#);
}

#[test]
fn an_override_needs_a_reason_and_is_logged() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/regression/required", json!(true));
    let before = scratch.spine();
    scratch.run(&["chalk", "phase", "build", "--force-audit", "--json"]).refused(1, "reason-missing");
    scratch.run(&["chalk", "phase", "build", "--force-review"]).refused(1, "an override needs a reason");
    scratch.run(&["chalk", "phase", "build", "--force-review", "--why", "x"]).refused(1, "never audited");
    assert_eq!(scratch.spine(), before);
    let ran = scratch.run(&["chalk", "phase", "build", "--force-audit", "--why", "a prototype"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ phase discovery → build
    ! past a shut gate (audit-missing); the reason is logged as a decision
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".chalk/decisions.md"), @r"
    # Decisions (ADR-lite)

    ## Accepted a change of .chalk/chalk.json past the program

    - _when:_ 2026-12-01T00:00:02.000Z
    - _why:_ test set-up

    ## Overrode audit gate for phase build

    - _when:_ 2026-12-01T00:00:06.000Z
    - _why:_ a prototype (the phase was never audited)
    ");
    assert_eq!(phase(&scratch), "build");
}

#[test]
fn the_cadence_wants_every_task_reviewed() {
    let scratch = Scratch::chalk();
    let review = |verdict: &str| json!([{ "at": "2026-12-01T00:00:00.000Z", "by": "adversary", "verdict": verdict, "findings": [] }]);
    let task =
        |id: &str, state: &str, reviews| json!({ "id": id, "title": id, "state": state, "reviews": reviews });
    let tasks = json!([
        task("task-aaaaaaaa", "done", review("pass")),
        task("task-bbbbbbbb", "done", review("block")),
        task("task-cccccccc", "in-progress", json!([])),
        task("task-dddddddd", "blocked", json!([])),
        task("task-eeeeeeee", "todo", json!([])),
    ]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.configure("/protocol/review/requiredAt", json!(["phase-advance"]));
    let ran = scratch.run(&["chalk", "phase", "build"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 1
    --- out
    --- err
    ✗ the last review of `task-bbbbbbbb`, by adversary, blocks (review-blocked)
      `task-cccccccc` has no review
      hint: past this gate: `--force-review --why "..."`, logged as a decision
      next: chalk review task-bbbbbbbb
    "#);
    scratch.run(&["chalk", "phase", "build", "--force-review", "--why", "reviewed by hand"]).ok();
    assert!(
        scratch
            .read(".chalk/updates.jsonl")
            .contains("\"title\":\"Decision: Overrode review gate for phase build\"")
    );
}
