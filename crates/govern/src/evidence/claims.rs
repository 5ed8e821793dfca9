//! Claims of work done, found in prose: a key and a figure, or a command that is said to have been run.
//!
//! Only what is said plainly of the past or the present counts. A sentence that speaks of what should, will or may be
//! is no claim, and one that is labelled as unverified is none that can be wrong. What is missed here is not judged;
//! what is found wrongly would accuse, so in doubt there is no claim.

use std::collections::BTreeSet;

use super::Key;
use crate::receipts::figures;

/// One claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// What it is about.
    pub key: Key,
    /// The figure; of a command the exit code, where it is claimed in digits or by a word of success.
    pub figure: Option<i64>,
    /// The command that is named with it.
    pub command: Option<String>,
    /// The line of the message, from 1.
    pub line: usize,
    /// The sentence is labelled as unverified.
    pub labelled: bool,
}

/// Words of sentences that claim nothing.
const UNREAL: &[&str] = &[
    "should",
    "would",
    "could",
    "will",
    "may",
    "might",
    "shall",
    "can",
    "cannot",
    "if",
    "unless",
    "please",
    "expect",
    "expects",
    "expected",
    "expecting",
    "plan",
    "planned",
    "todo",
    "next",
    "remaining",
    "try",
    "let",
    "want",
    "need",
    "needs",
    "must",
    "until",
    "whether",
    "before",
    "previously",
    "earlier",
    "originally",
    "not",
    "never",
    "didn't",
    "haven't",
    "couldn't",
    "don't",
    "hasn't",
    "wasn't",
    "weren't",
    "without",
    "ensure",
    "verify",
    "once",
    "when",
];

/// Labels of the evidence taxonomy that say a claim is no established fact.
const LABELS: &[&str] =
    &["[UNVERIFIED", "UNVERIFIED:", "(UNVERIFIED)", "[INFERENCE]", "UNKNOWN:", "(UNKNOWN)", "[UNKNOWN"];

/// Every claim of a message, each once.
pub fn claims(message: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let mut fence: Option<&str> = None;
    for (line, text) in (1..).zip(message.lines()) {
        let bare = text.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| bare.starts_with(mark));
        match (fence, mark) {
            (Some(open), Some(mark)) if open == mark => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (Some(_), _) => quoted(text, line, &mut found),
            (None, None) => {
                sentences(text).for_each(|sentence| Sentence::new(sentence, line).read(&mut found));
            }
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|claim| known.insert((claim.key, claim.figure, claim.command.clone())));
    found
}

/// A line that is quoted claims what a runner's summary says.
fn quoted(text: &str, line: usize, found: &mut Vec<Claim>) {
    for (name, figure) in figures::of_text(text) {
        let key = match name {
            "tests_passed" => Key::TestsPassed,
            "tests_failed" => Key::TestsFailed,
            "tests_skipped" => Key::TestsSkipped,
            "files_changed" => Key::FilesChanged,
            "insertions" => Key::Insertions,
            "deletions" => Key::Deletions,
            "errors" => Key::Errors,
            "warnings" => Key::Warnings,
            _ => continue,
        };
        found.push(Claim { key, figure: Some(figure), command: None, line, labelled: false });
    }
}

/// The sentences of a line. A full stop inside a number, a name or code ends none.
fn sentences(line: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    let mut ends = Vec::new();
    let mut letters = line.char_indices().peekable();
    while let Some((at, c)) = letters.next() {
        let at_end = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
        match c {
            '`' => code = !code,
            '.' | '!' | '?' | ';' if !code && at_end => ends.push(at + 1),
            _ => {}
        }
    }
    ends.push(line.len());
    let mut start = 0;
    ends.into_iter().map(move |end| {
        let sentence = &line[start..end];
        start = end;
        sentence
    })
}

/// A word of a sentence: plain, or code between backticks.
#[derive(Debug)]
enum Word {
    Plain(String),
    Code(String),
}

struct Sentence {
    words: Vec<Word>,
    line: usize,
    labelled: bool,
}

impl Sentence {
    fn new(text: &str, line: usize) -> Self {
        let labelled = LABELS.iter().any(|label| text.contains(label));
        let mut words = Vec::new();
        for (at, part) in text.split('`').enumerate() {
            if at % 2 == 1 {
                words.push(Word::Code(part.trim().to_owned()));
                continue;
            }
            for word in part.split(|c: char| c.is_whitespace() || "()[]{}|*,:;\"".contains(c)) {
                let word = word.trim_matches(|c: char| "._~!?".contains(c)).to_lowercase();
                if !word.is_empty() {
                    words.push(Word::Plain(word));
                }
            }
        }
        Self { words, line, labelled }
    }

    fn word(&self, at: usize) -> &str {
        match self.words.get(at) {
            Some(Word::Plain(word)) => word,
            _ => "",
        }
    }

    /// Whether one of `words` stands within `reach` words from `at` on.
    fn has(&self, at: usize, reach: usize, words: &[&str]) -> bool {
        (at..at + reach).any(|at| words.contains(&self.word(at)))
    }

    fn read(&self, found: &mut Vec<Claim>) {
        if (0..self.words.len()).any(|at| UNREAL.contains(&self.word(at))) {
            return;
        }
        let commands = self.commands();
        let exit = self.exit();
        for (at, command) in &commands {
            if let Some(success) = self.ran(*at) {
                let figure = exit.or(success.then_some(0));
                self.push(found, Key::Ran, figure, Some(command.clone()));
            }
        }
        if let (Some(exit), true) =
            (exit, !found.iter().any(|claim| claim.line == self.line && claim.key == Key::Ran))
        {
            self.push(found, Key::Exit, Some(exit), commands.first().map(|(_, command)| command.clone()));
        }
        let before = found.len();
        for at in 0..self.words.len() {
            self.ratio(at, found);
            if let Some(figure) = number(self.word(at)) {
                self.counted(at, figure, found);
            }
        }
        let nothing = found.len() == before;
        if nothing && self.says_all_pass() {
            self.push(found, Key::TestsFailed, Some(0), None);
        }
    }

    fn push(&self, found: &mut Vec<Claim>, key: Key, figure: Option<i64>, command: Option<String>) {
        found.push(Claim { key, figure, command, line: self.line, labelled: self.labelled });
    }

    /// `12/12 tests pass`, `12 of 14 tests passed`.
    fn ratio(&self, at: usize, found: &mut Vec<Claim>) {
        let word = self.word(at);
        let (passed, total, rest) = if let Some((passed, total)) = word.split_once('/') {
            (number(passed), number(total), at + 1)
        } else if self.word(at + 1) == "of" {
            (number(word), number(self.word(at + 2)), at + 3)
        } else if self.word(at + 1) == "out" && self.word(at + 2) == "of" {
            (number(word), number(self.word(at + 3)), at + 4)
        } else {
            return;
        };
        let (Some(passed), Some(total)) = (passed, total) else { return };
        if self.has(rest, 4, PASS) {
            self.push(found, Key::TestsPassed, Some(passed), None);
            self.push(found, Key::TestsTotal, Some(total), None);
        }
    }

    /// What the number at `at` counts.
    fn counted(&self, at: usize, figure: i64, found: &mut Vec<Claim>) {
        let next = self.word(at + 1);
        let of_ratio = at > 0 && self.word(at - 1) == "of" || next == "of" || next == "out";
        if of_ratio || (at > 0 && ["code", "status", "line", "version"].contains(&self.word(at - 1))) {
            return;
        }
        // Another number has what stands behind it to itself.
        let mut behind = (at + 1..at + 4).take_while(|&at| !self.is_number(at));
        let noun = behind.find(|&at| TESTS.contains(&self.word(at)));
        let all = at > 0 && self.word(at - 1) == "all";
        match next {
            "passed" | "passing" => return self.push(found, Key::TestsPassed, Some(figure), None),
            "failed" | "failing" | "failure" | "failures" => {
                return self.push(found, Key::TestsFailed, Some(figure), None);
            }
            "skipped" | "ignored" => return self.push(found, Key::TestsSkipped, Some(figure), None),
            "insertion" | "insertions" => return self.push(found, Key::Insertions, Some(figure), None),
            "deletion" | "deletions" => return self.push(found, Key::Deletions, Some(figure), None),
            "error" | "errors" => return self.push(found, Key::Errors, Some(figure), None),
            "warning" | "warnings" => return self.push(found, Key::Warnings, Some(figure), None),
            "test" if self.has(at + 2, 1, &["failure", "failures"]) => {
                return self.push(found, Key::TestsFailed, Some(figure), None);
            }
            _ => {}
        }
        if let Some(noun) = noun {
            let between = at + 1..noun;
            let adjective = |words: &[&str]| between.clone().any(|at| words.contains(&self.word(at)));
            if adjective(FAIL) || self.has(noun + 1, 2, FAIL) {
                self.push(found, Key::TestsFailed, Some(figure), None);
            } else if adjective(PASS) || self.has(noun + 1, 3, PASS) {
                self.push(found, Key::TestsPassed, Some(figure), None);
                if all {
                    self.push(found, Key::TestsFailed, Some(0), None);
                }
            } else if self.has(noun + 1, 2, &["skipped", "ignored"]) {
                self.push(found, Key::TestsSkipped, Some(figure), None);
            } else if self.has(noun + 1, 2, &["ran", "run", "executed"])
                || (at > 0 && ["ran", "executed"].contains(&self.word(at - 1)))
            {
                self.push(found, Key::TestsTotal, Some(figure), None);
            }
        } else if ["file", "files"].contains(&next) {
            const CHANGED: &[&str] = &["changed", "modified", "edited", "touched", "updated"];
            if self.has(at + 2, 2, CHANGED) || (at > 0 && CHANGED.contains(&self.word(at - 1))) {
                self.push(found, Key::FilesChanged, Some(figure), None);
            }
        }
    }

    /// `all tests pass`, `the test suite is green`.
    fn says_all_pass(&self) -> bool {
        (0..self.words.len()).any(|at| {
            let tests = ["tests", "specs"].contains(&self.word(at))
                && (at == 0 || ["all", "the", "and", "existing", "unit"].contains(&self.word(at - 1)));
            let suite = self.word(at) == "suite" && at > 0 && self.word(at - 1) == "test";
            (tests || suite) && self.has(at + 1, 3, PASS) && !self.has(at + 1, 3, FAIL)
        })
    }

    /// `exit code 0`, `exits with 1`, `exited 0`.
    fn exit(&self) -> Option<i64> {
        let at = (0..self.words.len()).find(|&at| ["exit", "exits", "exited"].contains(&self.word(at)))?;
        let mut next = at + 1;
        while ["with", "code", "status", "is", "was", "a"].contains(&self.word(next)) {
            next += 1;
        }
        self.word(next).parse().ok()
    }

    /// Code that a shell could run, with its place.
    fn commands(&self) -> Vec<(usize, String)> {
        let command = |(at, word): (usize, &Word)| match word {
            Word::Code(code) if is_command(code) => Some((at, code.clone())),
            _ => None,
        };
        self.words.iter().enumerate().filter_map(command).collect()
    }

    /// Whether the command at `at` is said to have run, and if so, whether successfully. Figures beside it are claims of
    /// their own, and that something was run says nothing of how it ended.
    fn ran(&self, at: usize) -> Option<bool> {
        const DID: &[&str] = &["ran", "executed", "reran", "re-ran"];
        let did = at > 0 && (at.saturating_sub(3)..at).any(|at| DID.contains(&self.word(at)));
        let counts = (at + 1..at + 5).any(|at| OUTCOME.contains(&self.word(at)) && self.is_counted(at));
        let failed = self.has(at + 1, 4, &["fails", "failed", "exits", "exit", "exited"]);
        let well = (at + 1..at + 5).any(|at| self.says_well(at));
        (did || well || counts || failed).then(|| well && !self.tells_failure(at))
    }

    /// Whether the word at `at` is one of success, and not of how many.
    fn says_well(&self, at: usize) -> bool {
        let none = self.word(at) == "no" && self.has(at + 1, 1, &["failures", "errors"]);
        none || WELL.contains(&self.word(at)) && !self.is_counted(at)
    }

    /// Whether a number stands beside the word: `12 passed`, `passes 4/5`.
    fn is_counted(&self, at: usize) -> bool {
        let is_figure = |at| self.word(at).starts_with(|c: char| c.is_ascii_digit()) || self.is_number(at);
        is_figure(at - 1) || is_figure(at + 1)
    }

    fn is_number(&self, at: usize) -> bool {
        number(self.word(at)).is_some()
    }

    /// Whether the words of the command at `at`, up to the next one, tell of something that failed.
    fn tells_failure(&self, at: usize) -> bool {
        let others =
            self.words[at + 1..].iter().position(|word| matches!(word, Word::Code(code) if is_command(code)));
        let end = others.map_or(self.words.len(), |next| at + 1 + next);
        (at + 1..end).any(|at| {
            let none = (at.saturating_sub(2)..at).any(|at| number(self.word(at)) == Some(0));
            FAIL.contains(&self.word(at)) && !none
        })
    }
}

const WELL: &[&str] = &[
    "pass",
    "passes",
    "passed",
    "succeeds",
    "succeeded",
    "clean",
    "green",
    "successfully",
    "completes",
    "completed",
];
/// Words that stand beside a figure of tests.
const OUTCOME: &[&str] = &["pass", "passes", "passed", "passing", "fail", "fails", "failed", "failing"];
const TESTS: &[&str] = &["test", "tests", "spec", "specs", "testcase", "testcases"];
const PASS: &[&str] = &["pass", "passes", "passed", "passing", "green", "succeed", "succeeded", "succeeds"];
const FAIL: &[&str] = &["fail", "fails", "failed", "failing", "failure", "failures", "red"];

/// A number in digits, or one of the words that people write instead.
fn number(word: &str) -> Option<i64> {
    const WORDS: [&str; 13] = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    if word == "no" {
        return Some(0);
    }
    if let Some(at) = WORDS.iter().position(|name| *name == word) {
        return i64::try_from(at).ok();
    }
    if word.is_empty() || word.len() > 12 || !word.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    word.replace('_', "").parse().ok()
}

/// Whether code may be a command line: a program's name first, and not a path, a type or a call alone.
fn is_command(code: &str) -> bool {
    let mut words = code.split_whitespace();
    let program = words.next().unwrap_or_default();
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
    let alone = words.next().is_none();
    program.starts_with(|c: char| c.is_ascii_lowercase() || c == '.' || c == '/')
        && program.chars().all(plain)
        && !(alone && program.contains(['.', '/', '_']))
}
