//! What can be wrong with a log.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// How a line, or the log's end, is not as it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A byte of the line is another one.
    Changed,
    /// The line that stood here is gone.
    Removed,
    /// The line that stood here stands elsewhere, or one that stands here belongs elsewhere.
    Moved,
    /// The line is signed with a key that is not known here.
    ForeignKey,
    /// The line is whole, but the line before it is not the one that it follows.
    Replaced,
    /// The line's envelope does not attest the chain before it.
    Checkpoint,
    /// Lines at the end are gone.
    CutTail,
    /// The last line is half a line.
    Torn,
    /// The head file is gone, damaged, or names another line.
    Head,
    /// The head file is not signed with the key of the line that it names.
    HeadSignature,
    /// The line is of a later form than this program reads: whether it is as it was written can't be told.
    Newer,
    /// The log is not the one that the last checkpoint outside the repository was of.
    Witness,
}

impl Why {
    /// The same in words.
    pub(super) fn meaning(self) -> &'static str {
        match self {
            Self::Changed => "a byte of it was changed",
            Self::Removed => "the line that stood here was removed",
            Self::Moved => "lines were moved",
            Self::ForeignKey => "it is signed with a key that is not known here",
            Self::Replaced => "it does not follow the line before it, which was replaced",
            Self::Checkpoint => "its checkpoint does not attest the lines before it",
            Self::CutTail => "the end of the log was cut off here",
            Self::Torn => "it is half a line",
            Self::Head => "the head file does not name the log's last line",
            Self::HeadSignature => "the head file is not signed with the key of the line that it names",
            Self::Newer => "a later cairn wrote it, or it was made to look so",
            Self::Witness => "the last checkpoint was of another log",
        }
    }
}

/// The first thing that is wrong with a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fault {
    /// The line in the file, from 1.
    pub line: u64,
    /// The number of the receipt that should stand there, or of the line itself where it can be read.
    pub seq: u64,
    /// What is wrong.
    pub why: Why,
    /// The same in words.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} (receipt {}): {}", self.line, self.seq, self.message)
    }
}
