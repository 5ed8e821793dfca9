use crate::scratch::Scratch;

#[test]
fn a_decision_is_an_entry_and_an_event() {
    let scratch = Scratch::chalk();
    let ran = scratch.run(&["chalk", "decision", "Use plain\nfunctions", "--why", "no state to keep"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ decision recorded: Use plain functions
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".chalk/decisions.md"), @"
    # Decisions (ADR-lite)

    ## Use plain functions

    - _when:_ 2026-12-01T00:00:02.000Z
    - _why:_ no state to keep
    ");
}

#[test]
fn an_empty_title_or_a_missing_reason_writes_nothing() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "decision", "  "]).refused(1, "empty");
    scratch.run(&["chalk", "decision", "x", "--why"]).refused(1, "--why");
    scratch.run(&["chalk", "decision", "x", "--because", "y"]).refused(1, "--because");
    scratch.run(&["chalk", "decision"]).refused(1, "usage");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_reason_may_begin_with_dashes() {
    let scratch = Scratch::chalk();
    scratch.run(&["chalk", "decision", "x", "--why=--force was needed", "--json"]).ok();
    assert!(scratch.read(".chalk/decisions.md").contains("- _why:_ --force was needed\n"));
}
