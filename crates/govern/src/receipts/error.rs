//! Why a receipt was not written. Before a call that is a denial.

use std::fmt;
use std::path::PathBuf;

use store::chain::ChainError;
use store::file::FileError;
use store::lock::LockError;

use super::KeyError;

/// Why a receipt was not written, or the log was not read.
#[derive(Debug)]
pub enum ReceiptError {
    /// A file can't be read or written.
    File(FileError),
    /// Another process holds the log for too long.
    Lock(LockError),
    /// The key can't be used.
    Key(KeyError),
    /// A value has no canonical form.
    Value(serde_json::Error),
    /// The log can't be read as it is.
    Damaged(String),
    /// The log is written on by a later version of this program.
    Newer(PathBuf),
    /// The log was damaged. It is put aside, and a new one begins with a line that says so.
    Broken {
        /// Where the damaged log lies now.
        aside: PathBuf,
        /// What was wrong.
        why: String,
    },
}

impl fmt::Display for ReceiptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Lock(error) => error.fmt(f),
            Self::Key(error) => error.fmt(f),
            Self::Value(error) => write!(f, "a value has no canonical form: {error}"),
            Self::Damaged(why) => write!(f, "the log of receipts is damaged: {why}"),
            Self::Newer(path) => write!(
                f,
                "`{}` has receipts of a later version of cairn: install that version, the log is left as it is",
                path.display()
            ),
            Self::Broken { aside, why } => write!(
                f,
                "the log of receipts was damaged ({why}); it is kept as `{}` and a new one is begun",
                aside.display()
            ),
        }
    }
}

impl std::error::Error for ReceiptError {}

impl From<FileError> for ReceiptError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<LockError> for ReceiptError {
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

impl From<KeyError> for ReceiptError {
    fn from(error: KeyError) -> Self {
        Self::Key(error)
    }
}

impl From<serde_json::Error> for ReceiptError {
    fn from(error: serde_json::Error) -> Self {
        Self::Value(error)
    }
}

impl From<ChainError> for ReceiptError {
    fn from(error: ChainError) -> Self {
        match error {
            ChainError::File(error) => Self::File(error),
            broken @ ChainError::Broken { .. } => Self::Damaged(broken.to_string()),
        }
    }
}
