//! The numbers that known test runners and tools print in their last lines.
//!
//! They are read off a result when its receipt is written, so that the text itself need not be kept. A command that
//! only prints text, or whose own words hold the figures that it prints, measures nothing and has none.

use std::collections::BTreeMap;

use serde_json::Value;

use super::runs;

/// How much of a result's end is looked at. Summaries stand last.
const END: usize = 256 * 1024;
/// A longer line is no summary.
const LINE: usize = 400;

/// Programs that show what something else measured, or nothing.
const PRINTERS: &[&str] = &[
    "echo", "printf", "cat", "head", "tail", "tee", "grep", "rg", "sed", "awk", "less", "more", "sort",
    "uniq", "cut", "tr", "wc", "cd", "true", "false", "test", "set", "export", "sleep", "ls", "pwd", "yes",
    "jq", "column", "fold",
];

/// The figures of a shell command's result, by name.
pub fn of_command(command: &str, result: &Value) -> BTreeMap<&'static str, i64> {
    let commands = runs::simple(command);
    let measures = commands.iter().any(|words| !PRINTERS.contains(&words[0].as_str()));
    let recites =
        commands.iter().flatten().any(|word| !of_text(word).is_empty()) || !of_text(command).is_empty();
    if !measures || recites {
        return BTreeMap::new();
    }
    let mut text = String::new();
    collect(result, &mut text);
    of_text(&text)
}

/// Every string of a result, one below the other.
fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(string) => {
            text.push_str(string);
            text.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, text)),
        Value::Object(members) => members.values().for_each(|value| collect(value, text)),
        _ => {}
    }
}

/// The figures of a text. Those of several runs are added up.
pub fn of_text(text: &str) -> BTreeMap<&'static str, i64> {
    let mut start = text.len().saturating_sub(END);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    let mut found = Found::default();
    for line in text[start..].lines().filter(|line| line.len() <= LINE) {
        found.line(plain(line).trim());
    }
    found.finish()
}

/// A line without the escape sequences that colour it.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        if c != '\u{1b}' {
            plain.push(c);
        } else if rest.next() == Some('[') {
            let _ = rest.find(char::is_ascii_alphabetic);
        }
    }
    plain
}

#[derive(Default)]
struct Found {
    sum: BTreeMap<&'static str, i64>,
    /// Totals of a runner that prints one for each class before the last: the last counts.
    last: BTreeMap<&'static str, i64>,
    /// What `unittest` said it ran; how many failed comes below.
    ran: Option<i64>,
}

const PASSED: &str = "tests_passed";
const FAILED: &str = "tests_failed";
const SKIPPED: &str = "tests_skipped";

impl Found {
    fn line(&mut self, line: &str) {
        let pairs = || pairs(line);
        let starts = |prefix: &str| line.starts_with(prefix);
        if starts("test result: ") || starts("Tests:  ") || starts("ok | ") || starts("FAILED | ") {
            // cargo test, jest, deno
            self.counts(pairs());
        } else if starts("Tests  ") || (starts("Summary [") && line.contains(" run: ")) {
            // vitest, nextest
            self.counts(pairs());
        } else if is_pytest(line) {
            self.counts(pairs());
        } else if starts("Tests run: ") {
            // JUnit under Maven and ant
            let labels = labels(line);
            let get = |name: &str| labels.iter().find(|(label, _)| label == name).map_or(0, |(_, n)| *n);
            let failed = get("failures") + get("errors");
            let passed = get("tests run") - failed - get("skipped");
            self.last = [(PASSED, passed), (FAILED, failed), (SKIPPED, get("skipped"))].into();
        } else if (starts("Passed! ") || starts("Failed! ")) && line.contains("Total:") {
            // dotnet test
            for (label, n) in labels(line) {
                self.count(label.rsplit(' ').next().unwrap_or_default(), n);
            }
        } else if starts("# pass ")
            || starts("# fail ")
            || starts("# skipped ")
            || starts("ℹ pass ")
            || starts("ℹ fail ")
        {
            // node --test
            let mut words = line.split_whitespace().skip(1);
            if let (Some(word), Some(n)) = (words.next(), words.next().and_then(|word| word.parse().ok())) {
                self.count(word, n);
            }
        } else if let Some(n) = between(line, "Ran ", " test").filter(|_| line.contains(" in ")) {
            self.ran = Some(n);
        } else if let Some(ran) = self.ran.filter(|_| line == "OK" || starts("OK (") || starts("FAILED (")) {
            // unittest
            let of = |names: &[&str]| names.iter().filter_map(|name| between(line, name, "")).sum::<i64>();
            let (failed, skipped) = (of(&["failures=", "(errors=", " errors="]), of(&["skipped="]));
            self.add(&[(PASSED, ran - failed - skipped), (FAILED, failed), (SKIPPED, skipped)]);
            self.ran = None;
        } else if let Some(n) = between(line, "OK (", " test").filter(|_| line.contains(" assertion")) {
            // PHPUnit
            self.add(&[(PASSED, n), (FAILED, 0)]);
        } else if starts("Tests: ") && line.contains("Assertions: ") {
            let labels = labels(line);
            let get = |name: &str| labels.iter().find(|(label, _)| label == name).map_or(0, |(_, n)| *n);
            let failed = get("failures") + get("errors");
            self.add(&[(PASSED, get("tests") - failed - get("skipped")), (FAILED, failed)]);
        } else if line.contains("% tests passed, ") {
            // ctest
            if let (Some(failed), Some(total)) =
                (between(line, "passed, ", " test"), between(line, "out of ", ""))
            {
                self.add(&[(PASSED, total - failed), (FAILED, failed)]);
            }
        } else if starts("--- PASS: ") {
            self.add(&[(PASSED, 1)]);
        } else if starts("--- FAIL: ") {
            self.add(&[(FAILED, 1)]);
        } else if is_only_pair(line, &["passing", "failing", "pending"])
            || is_only_pair(line, &["pass", "fail", "skip"])
        {
            // mocha, bun
            self.counts(pairs());
        } else if is_only_pairs(line) {
            // runners of one's own
            self.counts(pairs());
        } else if line.contains(" example") && (line.contains(" failure")) && pairs().len() >= 2 {
            // rspec
            let pairs = pairs();
            let get =
                |word: &str| pairs.iter().find(|(_, found)| found.starts_with(word)).map_or(0, |(n, _)| *n);
            let (failed, skipped) = (get("failure"), get("pending"));
            self.add(&[(PASSED, get("example") - failed - skipped), (FAILED, failed), (SKIPPED, skipped)]);
        } else if line.contains(" changed")
            && pairs().first().is_some_and(|(_, word)| word.starts_with("file"))
        {
            // git diff --stat
            for (n, word) in pairs() {
                let name =
                    ["file", "insertion", "deletion"].into_iter().position(|name| word.starts_with(name));
                if let Some(at) = name {
                    self.last.insert(["files_changed", "insertions", "deletions"][at], n);
                }
            }
        } else if starts("✖ ") && line.contains(" problem") {
            // eslint
            for (n, word) in pairs() {
                match word.trim_end_matches('s') {
                    "error" => self.add(&[("errors", n)]),
                    "warning" => self.add(&[("warnings", n)]),
                    _ => {}
                }
            }
        } else if let Some(n) = between(line, "Found ", " error").filter(|_| starts("Found ")) {
            // tsc, ruff, mypy
            self.add(&[("errors", n)]);
        }
    }

    fn counts(&mut self, pairs: Vec<(i64, String)>) {
        for (n, word) in pairs {
            self.count(&word, n);
        }
    }

    fn count(&mut self, word: &str, n: i64) {
        let name = match word.to_lowercase().as_str() {
            "passed" | "passing" | "pass" => PASSED,
            // An error in pytest is a test that could not be run.
            "failed" | "failing" | "fail" | "error" | "errors" => FAILED,
            "skipped" | "ignored" | "pending" | "skip" | "todo" => SKIPPED,
            _ => return,
        };
        self.add(&[(name, n)]);
    }

    fn add(&mut self, figures: &[(&'static str, i64)]) {
        for (name, n) in figures {
            let sum = self.sum.entry(name).or_default();
            *sum = sum.saturating_add(*n);
        }
    }

    fn finish(mut self) -> BTreeMap<&'static str, i64> {
        let last = std::mem::take(&mut self.last);
        self.add(&last.into_iter().collect::<Vec<_>>());
        // A runner that ran and names no failures had none.
        if self.sum.contains_key(PASSED) || self.sum.contains_key(FAILED) {
            self.add(&[(PASSED, 0), (FAILED, 0)]);
        }
        self.sum
    }
}

/// `12 passed, 1 failed` as its pairs.
fn pairs(line: &str) -> Vec<(i64, String)> {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || ",;|()=[]".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let pair = |pair: &[&str]| Some((pair[0].parse().ok()?, pair[1].trim_end_matches('.').to_owned()));
    words.windows(2).filter_map(pair).collect()
}

/// `Failures: 1, Errors: 0` as its pairs, in lower case.
fn labels(line: &str) -> Vec<(String, i64)> {
    let label = |part: &str| {
        let (label, n) = part.split_once(':')?;
        let n = n.trim().trim_end_matches('.').parse().ok()?;
        Some((label.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase(), n))
    };
    line.split(',').filter_map(label).collect()
}

/// The number between two texts, or at the end of what follows the first.
fn between(line: &str, before: &str, after: &str) -> Option<i64> {
    let rest = &line[line.find(before)? + before.len()..];
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[digits..].starts_with(after).then(|| rest[..digits].parse().ok()).flatten()
}

/// `12 passed in 0.10s`, with or without the frame of `=`.
fn is_pytest(line: &str) -> bool {
    let bare = line.trim_matches('=').trim();
    let known = [
        "passed",
        "failed",
        "skipped",
        "error",
        "errors",
        "deselected",
        "xfailed",
        "xpassed",
        "warning",
        "warnings",
    ];
    let Some((counts, time)) = bare.rsplit_once(" in ") else { return false };
    time.starts_with(|c: char| c.is_ascii_digit())
        && counts.split(", ").all(|part| {
            part.split_once(' ').is_some_and(|(n, word)| n.parse::<u32>().is_ok() && known.contains(&word))
        })
}

/// `12 passing (30ms)` and nothing else.
fn is_only_pair(line: &str, words: &[&str]) -> bool {
    let bare = line.split(" (").next().unwrap_or(line);
    bare.split_once(' ').is_some_and(|(n, word)| n.parse::<u32>().is_ok() && words.contains(&word))
}

/// `4 passed, 1 failed` and nothing else.
fn is_only_pairs(line: &str) -> bool {
    let is_pair = |part: &str| {
        part.split_once(' ').is_some_and(|(n, word)| {
            n.parse::<u32>().is_ok() && ["passed", "failed", "skipped", "ignored", "total"].contains(&word)
        })
    };
    line.contains(", ") && line.split(", ").all(is_pair)
}

#[cfg(test)]
mod tests;
