//! The write lock: what a protocol publishes, guarded by an advisory lock of our own.
//!
//! A protocol's published lock is what other programs honour: a file created exclusively ([`WriteLock`], Chalk's
//! `.chalk/.lock`) or a folder that names its owner ([`LockFolder`], Chant's `chant-write.lock`). It outlives a killed
//! holder, so somebody has to break it; two processes that break it at once could each take away the other's fresh
//! lock. Therefore every process of ours first takes an advisory lock on a guard file, which the system frees when
//! its holder dies, and only the holder of the guard touches what is published (`engine`). State of our own needs no more than a guard ([`Guard`]).

mod engine;
mod file;
mod folder;
mod guard;
mod process;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use file::WriteLock;
pub use folder::{Claim, FolderLock, LockFolder, Owner};
pub use guard::Guard;
pub use process::process_runs;

use crate::file::FileError;

/// Why the lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds it and lives.
    Held {
        /// The published lock.
        path: PathBuf,
        /// What is known of the holder, as in "process 4711".
        holder: String,
        /// How long this process waited.
        waited: Duration,
    },
    /// The lock is not held under this token.
    NotHeld {
        /// The published lock.
        path: PathBuf,
        /// What is known of the holder, if there is one.
        holder: Option<String>,
    },
    /// What stands in the lock's place is no lock.
    Odd(PathBuf),
    /// A file of the lock can't be read or written.
    File(FileError),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { path, holder, waited } => {
                write!(f, "`{}` is held by {holder}, after {} s of waiting", path.display(), waited.as_secs())
            }
            Self::NotHeld { path, holder: Some(holder) } => {
                write!(f, "`{}` is held by {holder}, not under this token", path.display())
            }
            Self::NotHeld { path, holder: None } => {
                write!(
                    f,
                    "`{}` is not held any more: it was released, or broken after its time",
                    path.display()
                )
            }
            Self::Odd(path) => {
                write!(f, "`{}` is nothing that a program locks with; remove it", path.display())
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LockError {}

impl From<FileError> for LockError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}
