//! The head of the chain as it is remembered beside the log: signed in the head file at each line, and kept apart from
//! the repository at each checkpoint.
//!
//! The signature shows that who wrote the head file has the key: the last lines can't be taken away by rewriting it, not
//! even with what an older line says of itself. It does not show that the head is the newest: a head file that was put
//! by before is good again with the log of that time. What was remembered apart from the repository shows that, back to
//! the last checkpoint, and so does any export. Who can write where the key lies can undo all of it.

use std::fmt;
use std::fs;
use std::path::Path;

use canon::Timestamp;
use store::chain::Head;
use store::file::{self, FileError};
use trust::ed25519::{SigningKey, VerifyingKey};

/// What stands after the time where heads are signed from then on.
const SIGNED: &str = "signed";

/// A head at a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Witness {
    /// The head.
    pub head: Head,
    /// When it was witnessed, where that was put down.
    pub at: Option<Timestamp>,
    /// Whether the head file was signed.
    pub signed: bool,
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "a checkpoint of {at} is of line {}", self.head.n),
            None => write!(f, "the last checkpoint is of line {}", self.head.n),
        }
    }
}

/// What is remembered; none where nothing is, or what is there can't be understood.
pub(super) fn read(path: &Path) -> Result<Option<Witness>, FileError> {
    let Some(bytes) = file::read(path)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let mut more = text.split_whitespace().skip(2);
    let at = more.next().and_then(|at| at.parse().ok());
    let signed = more.next() == Some(SIGNED);
    Ok(text.parse().ok().map(|head| Witness { head, at, signed }))
}

/// Remembers `head`, which is signed in the head file.
pub(super) fn write(path: &Path, head: Head, at: Timestamp) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| FileError {
            path: folder.to_owned(),
            doing: "create",
            source,
        })?;
    }
    file::replace(path, format!("{head} {at} {SIGNED}\n").as_bytes())
}

fn signed(head: Head) -> String {
    // The hash is over all lines before, so that no other log has it.
    format!("urn:cairn:receipts-head:1 {head}")
}

/// The signature on a head file.
pub(super) fn sign(head: Head, key: &SigningKey) -> String {
    key.sign(signed(head).as_bytes())
}

/// Whether it is that of `key`.
pub(super) fn is_signed(head: Head, signature: &str, key: &VerifyingKey) -> bool {
    key.verifies(signed(head).as_bytes(), signature)
}

#[cfg(test)]
mod tests;
