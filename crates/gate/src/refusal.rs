//! The answer of a gate that stays shut.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ReasonCode;

/// What a process answers with; the numbers are the published ones of Chalk (facts: usage and refusal
/// share 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// 0: done, or allowed. A vacuous green is one.
    Done,
    /// 1: refused, an explained error, or wrong usage.
    Refused,
    /// 2: judged and found red.
    Red,
    /// 3: the reviewer blocks.
    Blocked,
}

impl Exit {
    /// The exit code.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::Red => 2,
            Self::Blocked => 3,
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Location {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The column in bytes, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

/// Why a command did not do what it was asked: one code, one sentence, the facts, and what comes next.
///
/// A refused command has changed nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Refusal {
    /// The reason, from the protocol's closed list.
    pub code: ReasonCode,
    /// One sentence without a full stop.
    pub message: String,
    /// What it rests on, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    /// Where, if the reason lies in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Location>,
    /// What to do, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The one command that comes next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The exit code's meaning.
    pub exit: Exit,
}

impl Refusal {
    /// A refusal with exit code 1.
    pub fn new(code: ReasonCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            facts: Vec::new(),
            at: None,
            hint: None,
            next: None,
            exit: Exit::Refused,
        }
    }

    /// With one more fact.
    pub fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    /// With more facts.
    pub fn facts(mut self, facts: impl IntoIterator<Item = String>) -> Self {
        self.facts.extend(facts);
        self
    }

    /// With the place in a file.
    pub fn at(mut self, path: impl Into<PathBuf>, line: Option<usize>, column: Option<usize>) -> Self {
        self.at = Some(Location { path: path.into(), line, column });
        self
    }

    /// With advice in words.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// With the command that comes next.
    pub fn next(mut self, command: impl Into<String>) -> Self {
        self.next = Some(command.into());
        self
    }

    /// With another exit code.
    pub fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {}
