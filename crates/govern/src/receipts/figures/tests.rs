use serde_json::json;

use super::*;

fn figures(text: &str) -> Vec<(&'static str, i64)> {
    of_text(text).into_iter().collect()
}

/// Passed, failed, skipped.
fn counts(text: &str) -> (i64, i64, i64) {
    let found = of_text(text);
    let get = |name: &str| found.get(name).copied().unwrap_or(-1);
    (get(PASSED), get(FAILED), found.get(SKIPPED).copied().unwrap_or(0))
}

#[test]
fn the_last_lines_of_known_runners() {
    let table = [
        (
            "cargo test",
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.0s",
            (12, 0, 1),
        ),
        (
            "cargo test, two binaries",
            "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored;\n\ntest result: FAILED. 3 passed; 1 failed; 0 ignored;",
            (5, 1, 0),
        ),
        (
            "nextest",
            "     Summary [   0.512s] 12 tests run: 11 passed (1 slow), 1 failed, 2 skipped",
            (11, 1, 2),
        ),
        ("pytest", "===== 1 failed, 12 passed, 2 skipped, 1 warning in 0.12s =====", (12, 1, 2)),
        ("pytest -q", "12 passed in 0.10s", (12, 0, 0)),
        ("pytest error", "1 passed, 1 error in 1.20s", (1, 1, 0)),
        (
            "jest",
            "Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 2 skipped, 12 passed, 15 total",
            (12, 1, 2),
        ),
        (
            "vitest",
            "\u{1b}[2m Test Files \u{1b}[22m 2 passed (2)\n\u{1b}[2m      Tests \u{1b}[22m \u{1b}[32m12 passed\u{1b}[39m | 1 failed (13)",
            (12, 1, 0),
        ),
        ("mocha", "  12 passing (30ms)\n  2 pending\n  1 failing\n", (12, 1, 2)),
        (
            "go test -v",
            "--- PASS: TestA (0.00s)\n--- FAIL: TestB (0.00s)\n--- PASS: TestC (0.00s)",
            (2, 1, 0),
        ),
        ("unittest", "Ran 12 tests in 0.001s\n\nOK", (12, 0, 0)),
        ("unittest red", "Ran 12 tests in 0.001s\n\nFAILED (failures=1, errors=2, skipped=3)", (6, 3, 3)),
        ("rspec", "12 examples, 1 failure, 2 pending", (9, 1, 2)),
        (
            "maven",
            "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 1 s\nTests run: 7, Failures: 1, Errors: 0, Skipped: 0\nTests run: 12, Failures: 1, Errors: 0, Skipped: 2",
            (9, 1, 2),
        ),
        ("node --test", "# tests 12\n# pass 11\n# fail 1\n# skipped 0", (11, 1, 0)),
        ("bun test", " 12 pass\n 1 fail\n", (12, 1, 0)),
        (
            "dotnet",
            "Passed!  - Failed:     0, Passed:    12, Skipped:     1, Total:    13, Duration: 1 s",
            (12, 0, 1),
        ),
        ("phpunit", "OK (12 tests, 30 assertions)", (12, 0, 0)),
        ("phpunit red", "Tests: 12, Assertions: 30, Failures: 1.", (11, 1, 0)),
        ("ctest", "92% tests passed, 1 tests failed out of 12", (11, 1, 0)),
        ("deno", "ok | 12 passed | 0 failed (30ms)", (12, 0, 0)),
    ];
    for (runner, text, expected) in table {
        assert_eq!(counts(text), expected, "{runner}");
    }
}

#[test]
fn other_tools() {
    let text = " 3 files changed, 10 insertions(+), 2 deletions(-)";
    assert_eq!(figures(text), [("deletions", 2), ("files_changed", 3), ("insertions", 10)]);
    assert_eq!(figures(" 1 file changed, 1 insertion(+)"), [("files_changed", 1), ("insertions", 1)]);
    assert_eq!(figures("✖ 3 problems (1 error, 2 warnings)"), [("errors", 1), ("warnings", 2)]);
    assert_eq!(figures("Found 3 errors in 2 files."), [("errors", 3)]);
}

#[test]
fn ordinary_text_has_none() {
    for text in [
        "all good",
        "12 passed the exam in 2020",
        "the tests passed",
        "12 apples",
        "Found it",
        "",
        "ok  \texample.org/pkg\t0.012s",
        "I ran 12 tests in the morning",
        "commit 12 changed",
    ] {
        assert_eq!(figures(text), [], "{text}");
    }
    assert_eq!(figures(&format!("{}12 passed in 0.1s", "x".repeat(1000))), []);
    let far = format!("12 passed in 0.10s\n{}", "ä\n".repeat(200_000));
    assert_eq!(figures(&far), [], "only the end is looked at");
}

#[test]
fn a_command_that_prints_figures_measures_nothing() {
    let result = json!({ "stdout": "12 passed in 0.10s", "stderr": "" });
    assert_eq!(of_command("python -m pytest -q | tail -3", &result)[PASSED], 12);
    for command in [
        "echo '12 passed in 0.10s'",
        "cat report.txt",
        "true && printf '12 passed in 0.10s\\n'",
        "python --version; echo '12 passed in 0.10s'",
        "cat <<EOF | python -c 'print(input())'\n12 passed in 0.10s\nEOF",
        "",
    ] {
        assert!(of_command(command, &result).is_empty(), "{command}");
    }
    let parts = json!([{ "type": "text", "text": "12 passed in 0.10s" }]);
    assert_eq!(of_command("pytest", &parts)[PASSED], 12);
}
