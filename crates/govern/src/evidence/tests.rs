use gate::event::{Event, Verdict as Allowed};
use serde_json::json;

use super::*;
use crate::receipts::Known;
use crate::receipts::tests::{Bench, done, shell};

const GREEN: &str = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out";

/// The receipts of these calls: command, exit code, output, paths written.
fn receipts(calls: &[(&str, i64, &str, &[&str])]) -> Vec<Receipt> {
    let bench = Bench::new();
    let receipts = bench.receipts();
    for (n, (command, exit, output, paths)) in calls.iter().enumerate() {
        let event: Event = shell(Some(&n.to_string()), command);
        receipts.judged(&event, &Allowed::allow(), &Known::default()).unwrap();
        let writes: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
        let known = Known { writes: &writes, ..Known::default() };
        receipts.seen(&done(event, *exit, output), &known).unwrap();
    }
    bench.lines()
}

fn said(message: &str) -> Vec<(Key, Option<i64>)> {
    claims(message).into_iter().map(|claim| (claim.key, claim.figure)).collect()
}

#[test]
fn a_stated_total_is_held_against_the_receipts() {
    let lines = receipts(&[("cargo test", 0, GREEN, &[])]);
    // WS-021, WS-022, WS-023.
    let found = judge("Done. 12 tests passed.", &lines);
    assert_eq!((found.verdict, found.findings[0].receipt), (Verdict::Verified, Some(2)));
    let found = judge("Done. 13 tests passed.", &lines);
    assert_eq!((found.verdict, found.findings[0].receipted), (Verdict::Invalid, Some(12)));
    let found = judge("Done, 3 files changed.", &lines);
    assert_eq!((found.verdict, found.findings[0].receipted), (Verdict::Unverifiable, None));
    // Without a claim.
    let found = judge("Done.", &lines);
    assert_eq!((found.verdict, found.basis), (Verdict::Verified, Basis::ExecutionEvidencePresent));
    let found = judge("Done.", &[]);
    assert_eq!((found.verdict, found.basis), (Verdict::Unverifiable, Basis::NoEvidence));
    assert_eq!(judge("12 tests passed", &[]).verdict, Verdict::Unverifiable);
}

#[test]
fn the_worst_claim_decides() {
    let lines = receipts(&[("cargo test", 0, GREEN, &[])]);
    let found = judge("12 tests passed and 3 files changed.\nExit code 1.", &lines);
    let verdicts: Vec<Verdict> = found.findings.iter().map(|finding| finding.verdict).collect();
    assert_eq!(verdicts, [Verdict::Verified, Verdict::Unverifiable, Verdict::Invalid]);
    assert_eq!((found.verdict, found.findings[2].line), (Verdict::Invalid, 2));
    assert_eq!(judge("12 tests passed, 3 files changed", &lines).verdict, Verdict::Unverifiable);
    let record = found.record();
    assert_eq!((record.counts[&Count::ClaimsVerified], record.counts[&Count::ClaimsTotal]), (1, 3));
    assert!(!serde_json::to_string(&record).unwrap().contains("line"));
    assert_eq!(serde_json::to_value(&found).unwrap()["verdict"], json!("INVALID"));
}

#[test]
fn what_is_a_claim() {
    use Key::*;
    type Said = [(Key, Option<i64>)];
    let table: &[(&str, &Said)] = &[
        ("12 tests passed", &[(TestsPassed, Some(12))]),
        ("All 12 unit tests pass.", &[(TestsPassed, Some(12)), (TestsFailed, Some(0))]),
        (
            "**12 passed**, 0 failed, 1 skipped",
            &[(TestsPassed, Some(12)), (TestsFailed, Some(0)), (TestsSkipped, Some(1))],
        ),
        ("12/12 tests pass", &[(TestsPassed, Some(12)), (TestsTotal, Some(12))]),
        ("11 of 12 tests passed", &[(TestsPassed, Some(11)), (TestsTotal, Some(12))]),
        ("Tests: 12 passing", &[(TestsPassed, Some(12))]),
        ("no failing tests", &[(TestsFailed, Some(0))]),
        ("There were two test failures.", &[(TestsFailed, Some(2))]),
        ("Ran 12 tests.", &[(TestsTotal, Some(12))]),
        ("All tests pass.", &[(TestsFailed, Some(0))]),
        ("The test suite is green", &[(TestsFailed, Some(0))]),
        (
            "3 files changed, 10 insertions(+), 2 deletions(-)",
            &[(FilesChanged, Some(3)), (Insertions, Some(10)), (Deletions, Some(2))],
        ),
        ("I modified 3 files.", &[(FilesChanged, Some(3))]),
        ("clippy reports no warnings", &[(Warnings, Some(0))]),
        ("It exits with code 0", &[(Exit, Some(0))]),
        ("exit 0", &[(Exit, Some(0))]),
        ("I ran `cargo test` and it is fine", &[(Ran, None)]),
        ("`cargo clippy` passes", &[(Ran, Some(0))]),
        ("Ran `make check`: exit code 2", &[(Ran, Some(2))]),
        (
            "```\ntest result: ok. 12 passed; 0 failed; 0 ignored;\n```",
            &[(TestsFailed, Some(0)), (TestsPassed, Some(12)), (TestsSkipped, Some(0))],
        ),
        // None of these says that something was done.
        ("The tests should pass now; 12 tests will run.", &[]),
        ("Please run `cargo test`", &[]),
        ("If 12 tests passed, good.", &[]),
        ("I did not run 12 tests, so none passed", &[]),
        ("I added 12 tests for the parser", &[]),
        ("See line 12 passed to `foo()`", &[]),
        ("`src/main.rs` passes the value on", &[]),
        ("`parse_line` is clean", &[]),
        ("Version 2 files are changed to 3", &[]),
        ("The error is gone", &[]),
        ("```\ncargo test\n12 tests\n```", &[]),
        ("", &[]),
    ];
    for (message, expected) in table {
        assert_eq!(said(message), *expected, "{message}");
    }
}

#[test]
fn a_labelled_claim_is_not_judged() {
    let found = judge("[UNVERIFIED: 99 tests passed]", &[]);
    assert_eq!((found.findings.len(), found.labelled, found.basis), (0, 1, Basis::NoEvidence));
}

#[test]
fn the_last_run_of_a_command_counts() {
    let red = "test result: FAILED. 11 passed; 1 failed; 0 ignored;";
    let lines = receipts(&[
        ("cargo test", 0, GREEN, &[]),
        ("cargo test ", 101, red, &[]),
        ("cargo test", 101, red, &[]),
    ]);
    assert_eq!(judge("12 tests passed", &lines).findings[0].receipted, Some(11));
    assert_eq!(judge("All tests pass", &lines).verdict, Verdict::Invalid);
    // Two commands: either one, or both together.
    let lines = receipts(&[("cargo test -p a", 0, GREEN, &[]), ("pytest", 0, "5 passed in 0.10s", &[])]);
    for (claimed, verdict) in
        [(12, Verdict::Verified), (5, Verdict::Verified), (17, Verdict::Verified), (7, Verdict::Invalid)]
    {
        assert_eq!(judge(&format!("{claimed} tests passed"), &lines).verdict, verdict, "{claimed}");
    }
}

#[test]
fn commands_that_are_named() {
    let lines =
        receipts(&[("cd sub && cargo test --locked 2>&1 | tail", 0, GREEN, &[]), ("make check", 2, "", &[])]);
    let verdict = |message: &str| judge(message, &lines).verdict;
    assert_eq!(verdict("I ran `cargo test`"), Verdict::Verified);
    assert_eq!(verdict("`cargo test` passes"), Verdict::Verified);
    assert_eq!(verdict("I ran `make check`"), Verdict::Verified);
    assert_eq!(verdict("`make check` succeeded"), Verdict::Invalid);
    assert_eq!(verdict("I ran `cargo clippy`"), Verdict::Unverifiable);
    let bench = Bench::new();
    let denied = Allowed { decision: gate::event::Decision::Deny, ..Allowed::allow() };
    bench.receipts().judged(&shell(Some("1"), "git push"), &denied, &Known::default()).unwrap();
    assert_eq!(judge("I ran `git push`", &bench.lines()).verdict, Verdict::Invalid);
}

#[test]
fn files_and_what_was_written_since() {
    let lines = receipts(&[
        ("cargo test", 0, GREEN, &[]),
        ("fmt a", 0, "", &["a", "b"]),
        ("fmt b", 0, "", &["b", "c"]),
    ]);
    assert_eq!(judge("3 files changed", &lines).verdict, Verdict::Verified);
    assert_eq!(judge("2 files changed", &lines).findings[0].receipted, Some(3));
    assert!(judge("12 tests passed", &lines).findings[0].stale);
    let lines = receipts(&[
        ("fmt a", 0, "", &["a"]),
        ("git diff --stat", 0, " 4 files changed, 9 insertions(+)", &[]),
    ]);
    assert_eq!(judge("4 files changed", &lines).verdict, Verdict::Verified);
    assert_eq!(judge("9 insertions", &lines).verdict, Verdict::Verified);
    let lines = receipts(&[("fmt a", 0, "", &["a"]), ("cargo test", 0, GREEN, &[])]);
    assert!(!judge("12 tests passed", &lines).findings[0].stale);
}

const RED: &str = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out";

/// "I ran `cargo test`: 12 passed, 3 failed" was held to claim an exit code of 0, which nobody had said.
#[test]
fn who_tells_rightly_what_failed_is_borne_out() {
    let lines = receipts(&[("cargo test", 101, RED, &[]), ("npm test", 1, "4 passed, 1 failed", &[])]);
    for message in [
        "I ran `cargo test`: 12 passed, 3 failed.",
        "`cargo test`: 12 passed; 3 failed",
        "`cargo test` fails: 12 tests passed and 3 failed.",
        "`cargo test` completed with 3 failures.",
        "`cargo test` passes 12 of 15 tests, 3 failed.",
        "I ran `cargo test`, and 3 tests failed",
        "I ran `npm test`: 4 passed, 1 failed.",
        "Ran `npm test`: one failed",
        "`npm test` exited with 1, 4 tests passed, 1 test failed",
        "I ran `cargo test` and `npm test`: 16 passed, 4 failed",
    ] {
        let found = judge(message, &lines);
        assert_eq!(found.verdict, Verdict::Verified, "{message}: {:#?}", found.findings);
        assert_eq!(found.basis, Basis::Claims, "{message}");
    }
}

#[test]
fn words_of_success_claim_that_a_command_succeeded() {
    let lines = receipts(&[("make check", 2, "", &[])]);
    for message in [
        "`make check` passes",
        "I ran `make check`, it is green",
        "I ran `make check`: no failures",
        "`make check` is clean",
        "`make check` succeeded with 0 failures",
        "I ran `make check` successfully",
    ] {
        assert_eq!(judge(message, &lines).verdict, Verdict::Invalid, "{message}");
    }
    for message in ["I ran `make check`", "I ran `make check` and looked at what failed"] {
        assert_eq!(judge(message, &lines).verdict, Verdict::Verified, "{message}");
    }
}

/// A refusal named the first wrong figure alone, by the name of a variant.
#[test]
fn what_is_to_be_said_instead_is_borne_out() {
    let bench_lines = receipts(&[
        ("cargo test", 101, RED, &[]),
        ("fmt a", 0, "", &["a", "b"]),
        ("git diff --stat", 0, " 2 files changed, 1 insertion(+), 4 deletions(-)", &[]),
        ("tsc", 2, "Found 7 errors in 2 files.", &[]),
    ]);
    let message = "15 passed, 0 failed, 9 skipped. All 15 tests pass.\nI ran 20 tests. `cargo test` succeeded.\n\
                   3 files changed, 9 insertions(+), 8 deletions(-); no errors.\nThe exit code is 5.";
    let found = judge(message, &bench_lines);
    let (fact, next) = found.contradicted().unwrap();
    assert!(fact.contains("line 1 says 15 tests passed, and the receipts have 12 tests passed"), "{fact}");
    assert!(fact.contains("`cargo test` succeeded, and its last run ended with exit code 101"), "{fact}");
    let wrong = found.findings.iter().filter(|finding| finding.verdict == Verdict::Invalid).count();
    assert_eq!((wrong, fact.matches("line ").count()), (10, 10), "{fact}");
    let said = next.split_once("say instead: ").unwrap().1;
    let again = judge(said, &bench_lines);
    assert_eq!(again.verdict, Verdict::Verified, "{said}: {:#?}", again.findings);
    assert!(again.findings.len() >= 8, "{said}: {:#?}", again.findings);
    // What was denied, or failed without a code.
    let bench = Bench::new();
    let denied = Allowed { decision: gate::event::Decision::Deny, ..Allowed::allow() };
    bench.receipts().judged(&shell(Some("1"), "git push"), &denied, &Known::default()).unwrap();
    let (fact, next) = judge("I ran `git push`.", &bench.lines()).contradicted().unwrap();
    assert_eq!(fact, "line 1 says `git push` was run, and it was denied each time");
    let said = next.split_once("say instead: ").unwrap().1;
    assert!(judge(said, &bench.lines()).findings.is_empty(), "{said}");
    assert!(judge("Done.", &bench.lines()).contradicted().is_none());
}
