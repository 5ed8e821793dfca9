//! Findings in words: what was claimed, what the receipts have, and what can be said instead.
//!
//! What is to be said instead is itself a claim that the receipts bear out, or none.

use canon::text;

use super::{Evidence, Finding, Key, Verdict};

impl Evidence {
    /// The claims that the receipts contradict, as one fact and what to say instead of them; none where there are none.
    pub fn contradicted(&self) -> Option<(String, String)> {
        let wrong = || self.findings.iter().filter(|finding| finding.verdict == Verdict::Invalid);
        let facts: Vec<String> = wrong().map(Finding::fact).collect();
        let mut instead: Vec<String> = Vec::new();
        for text in wrong().map(Finding::instead) {
            if !instead.contains(&text) {
                instead.push(text);
            }
        }
        (!facts.is_empty()).then(|| (facts.join("; "), said_instead(&instead)))
    }
}

/// The step behind claims that were wrong.
pub(crate) fn said_instead(instead: &[String]) -> String {
    format!("take those words out of the message, and say instead: {}", instead.join("; "))
}

impl Finding {
    /// The claim in words.
    pub fn said(&self) -> String {
        match (self.key, self.claimed) {
            (Key::Ran, None) => format!("{} was run", self.command()),
            (Key::Ran, Some(0)) => format!("{} succeeded", self.command()),
            (Key::Ran | Key::Exit, Some(code)) => self.ended(code),
            (_, figure) => counted(self.key, figure.unwrap_or_default()),
        }
    }

    /// A contradicted claim, with what the receipts have of it.
    pub(crate) fn fact(&self) -> String {
        let has = match (self.key, self.receipted) {
            (Key::Ran | Key::Exit, Some(code)) => {
                let what = if self.command.is_some() { "its last run" } else { "the last command" };
                format!("{what} ended with exit code {code}")
            }
            (Key::Ran, None) if self.claimed.is_some() => "its last run failed".to_owned(),
            (Key::Ran | Key::Exit, None) => "it was denied each time".to_owned(),
            (key, figure) => format!("the receipts have {}", counted(key, figure.unwrap_or_default())),
        };
        format!("line {} says {}, and {has}", self.line, self.said())
    }

    /// What can be said in place of a contradicted claim.
    pub(crate) fn instead(&self) -> String {
        match (self.key, self.receipted) {
            (Key::Ran | Key::Exit, Some(code)) => self.ended(code),
            (Key::Ran, None) if self.claimed.is_some() => format!("{} failed", self.command()),
            (Key::Ran | Key::Exit, None) => format!("{} was denied", self.command()),
            (key, figure) => counted(key, figure.unwrap_or_default()),
        }
    }

    fn ended(&self, code: i64) -> String {
        if self.command.is_none() {
            return format!("the exit code was {code}");
        }
        format!("{} exited with code {code}", self.command())
    }

    fn command(&self) -> String {
        let command = self.command.as_deref().unwrap_or_default();
        format!("`{}`", text::one_line(command))
    }
}

/// A figure with what it counts.
fn counted(key: Key, figure: i64) -> String {
    let (one, many, rest) = match key {
        Key::TestsPassed => ("test", "tests", " passed"),
        Key::TestsFailed => ("test", "tests", " failed"),
        Key::TestsSkipped => ("test", "tests", " skipped"),
        Key::TestsTotal => ("test", "tests", " ran"),
        Key::FilesChanged => ("file", "files", " changed"),
        Key::Insertions => ("insertion", "insertions", ""),
        Key::Deletions => ("deletion", "deletions", ""),
        Key::Errors => ("error", "errors", ""),
        Key::Warnings => ("warning", "warnings", ""),
        Key::Exit | Key::Ran => return format!("the exit code was {figure}"),
    };
    format!("{figure} {}{rest}", if figure == 1 { one } else { many })
}
