//! The part of a failed command's log that says why it failed.

use std::io;
use std::path::Path;

use super::tail;

/// How much of the end of a log is searched.
const SEARCHED: u64 = 256 * 1024;

/// How many characters of a line are shown.
const WIDTH: usize = 1000;

/// How a line begins that reports one failed test, in runners that end with totals: TAP, Go, node, mocha, jest and
/// vitest, pytest.
const TESTS: &[&str] =
    &["not ok ", "--- FAIL", "\u{2716} ", "\u{2717} ", "\u{2715} ", "\u{d7} ", "\u{25cf} ", "E   "];
/// How a line begins that reports a failed file, or a failed test where no line of [`TESTS`] is there.
const FILES: &[&str] = &["FAIL ", "FAIL:", "FAILED ", "ERROR:", "ERROR "];
/// What a report says of a test that failed for one below it.
const PARENT: &[&str] = &["subtestsFailed", "subtest failed", "subtests failed"];

/// Some `lines` lines of a failed command's log, for people: the last ones, unless the last failure that is reported
/// stands further above; then those from there on. Lines that are no output of the command, such as npm's notices,
/// are left out. What is made safe is what [`tail()`] makes safe, and long lines are cut.
pub fn failure(path: &Path, lines: usize) -> io::Result<Vec<String>> {
    let mut all = tail(path, usize::MAX, SEARCHED)?;
    all.retain(|line| !line.starts_with("npm notice"));
    while all.last().is_some_and(|line| line.trim().is_empty()) {
        all.pop();
    }
    let end = all.len().saturating_sub(lines);
    let start = reported(&all, lines).map_or(end, |failure| failure.min(end));
    let shown = all.iter().skip(start).take(lines);
    let mut shown: Vec<String> = shown.map(|line| canon::text::clip(line, WIDTH)).collect();
    while shown.last().is_some_and(|line| line.trim().is_empty()) {
        shown.pop();
    }
    Ok(shown)
}

/// The line where the last reported failure begins.
fn reported(all: &[String], lines: usize) -> Option<usize> {
    let begins = |line: &str, marks: &[&str]| marks.iter().any(|mark| line.trim_start().starts_with(mark));
    let panicked = |line: &str| line.starts_with("thread '") && line.contains(" panicked at ");
    let is_test = |line: &str| begins(line, TESTS) || panicked(line);
    let is_parent = |at: usize| {
        let report = all.iter().skip(at).take(lines);
        let own = report.enumerate().take_while(|(n, line)| *n == 0 || !is_test(line));
        own.into_iter().any(|(_, line)| PARENT.iter().any(|mark| line.contains(mark)))
    };
    let last = |is: &dyn Fn(&str) -> bool| (0..all.len()).rev().find(|&at| is(&all[at]) && !is_parent(at));
    let is_error = |line: &str| line.contains("Error: ") || line.trim_start().starts_with("error");
    let found = last(&is_test).or_else(|| last(&|line| begins(line, FILES))).or_else(|| last(&is_error))?;
    // Of a report that takes several such lines, all of them.
    let same = |line: &str| line.trim_start().starts_with("E   ");
    let above = (0..found).rev().take_while(|&at| same(&all[at]) && same(&all[found])).count();
    Some(found - above)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(log: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, log).unwrap();
        failure(&path, 6).unwrap()
    }

    const TOTALS: &str = "1..2\n# tests 2\n# suites 0\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 60\n";

    #[test]
    fn the_failed_assertion_and_not_the_totals() {
        let assertion = "  ---\n  error: '3 !== 4'\n  ...\n";
        let tap = format!("TAP version 13\nnot ok 1 - adds\n{assertion}ok 2 - subs\n{TOTALS}");
        assert_eq!(shown(&tap)[..3], ["not ok 1 - adds", "  ---", "  error: '3 !== 4'"]);
        let parent = "not ok 1 - sums\n  ---\n  failureType: 'subtestsFailed'\n  ...\n";
        let nested = format!("    not ok 1 - adds\n{assertion}    1..1\n{parent}{TOTALS}");
        assert_eq!(shown(&nested)[..3], ["    not ok 1 - adds", "  ---", "  error: '3 !== 4'"]);

        let jest = "FAIL src/sum.test.js\n  \u{2715} adds (2 ms)\n\n  \u{25cf} adds\n\n    Expected: 4\n    Received: 3\n\n      at a.js:4:21\n\n\
                    Test Suites: 1 failed, 1 total\nTests: 1 failed\nSnapshots: 0 total\nTime: 1 s\nRan all test suites.\n";
        assert_eq!(shown(jest)[..4], ["  \u{25cf} adds", "", "    Expected: 4", "    Received: 3"]);

        let cargo = "thread 'adds' (7) panicked at src/lib.rs:5:9:\nassertion failed\n  left: 3\n right: 4\n\n\nfailures:\n    adds\n\n\
                     test result: FAILED. 0 passed; 1 failed\n\nerror: test failed, to rerun pass `--lib`\n";
        assert_eq!(shown(cargo)[1..4], ["assertion failed", "  left: 3", " right: 4"]);

        let go = "--- FAIL: TestAdd (0.00s)\n    add_test.go:7: got 3 want 4\nFAIL\nFAIL\tm/add\t0.002s\nok  \tm/b\t0.1s\nok  \tm/c\t0.1s\nok  \tm/d\t0.1s\nFAIL\n";
        assert_eq!(shown(go)[1], "    add_test.go:7: got 3 want 4");

        let pytest = ">       assert add(1, 2) == 4\nE       assert 3 == 4\nE        +  where 3 = add(1, 2)\n\ntest_a.py:4: AssertionError\n\
                      ---- coverage ----\na.py 9%\nb.py 9%\nc.py 9%\nd.py 9%\ne.py 9%\n";
        assert_eq!(shown(pytest)[0], "E       assert 3 == 4");
    }

    #[test]
    fn the_end_where_it_says_all() {
        let short = "FAIL: test_add (t.T)\nAssertionError: 3 != 4\n\nRan 1 test\n\nFAILED (failures=1)\n";
        assert_eq!(shown(short).len(), 6);
        let plain = (0..20).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        assert_eq!(shown(&plain)[0], "line 14");
        let error = format!("sh: 1: nothing: not found\nError: no config\n{plain}");
        assert_eq!(shown(&error)[0], "Error: no config");
        assert!(shown("").is_empty());
    }

    #[test]
    fn notices_of_npm_are_left_out() {
        let notices = "npm notice\nnpm notice New major version of npm available!\nnpm notice\n";
        assert_eq!(shown(&format!("not here\n{notices}")), ["not here"]);
    }
}
