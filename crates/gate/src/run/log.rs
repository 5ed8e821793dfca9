//! The files that take a command's output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _};
use std::path::Path;
use std::process::Stdio;

use canon::Sha256;

use super::Capture;

/// What a command wrote into one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Log {
    /// The digest of the whole file.
    pub sha256: Sha256,
    /// Its length in bytes.
    pub bytes: u64,
}

/// The open files of one run. They stay open from the start of the command to the digest, so that
/// what is hashed is what the command wrote, whatever became of the name meanwhile.
pub(super) enum Logs {
    Combined(File),
    Split { stdout: File, stderr: File },
    Discard,
}

impl Logs {
    pub(super) fn create(capture: &Capture) -> io::Result<Self> {
        Ok(match capture {
            Capture::Combined(path) => Self::Combined(create(path)?),
            Capture::Split { stdout, stderr } if stdout == stderr => {
                let message = format!("`{}` can't take both streams apart", stdout.display());
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
            Capture::Split { stdout, stderr } => {
                Self::Split { stdout: create(stdout)?, stderr: create(stderr)? }
            }
            Capture::Discard => Self::Discard,
        })
    }

    /// The standard output and the standard error for the child.
    pub(super) fn streams(&self) -> io::Result<(Stdio, Stdio)> {
        Ok(match self {
            Self::Combined(file) => (file.try_clone()?.into(), file.try_clone()?.into()),
            Self::Split { stdout, stderr } => (stdout.try_clone()?.into(), stderr.try_clone()?.into()),
            Self::Discard => (Stdio::null(), Stdio::null()),
        })
    }

    /// What was written: the main log and, when split, the standard error.
    pub(super) fn digests(self) -> io::Result<(Option<Log>, Option<Log>)> {
        Ok(match self {
            Self::Combined(file) => (Some(digest(file)?), None),
            Self::Split { stdout, stderr } => (Some(digest(stdout)?), Some(digest(stderr)?)),
            Self::Discard => (None, None),
        })
    }
}

/// A new, empty file under `path`. A regular file of that name is unlinked, not truncated: another
/// name of it (a hard link) and a reader of the last log keep their content, and a straggler of the
/// last run doesn't write into this log. Anything else under that name is refused, above all a
/// symbolic link.
fn create(path: &Path) -> io::Result<File> {
    let explain = |error: io::Error| {
        io::Error::new(error.kind(), format!("can't create the log `{}`: {error}", path.display()))
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_file() => fs::remove_file(path).map_err(explain)?,
        Ok(_) => {
            return Err(explain(io::Error::new(io::ErrorKind::AlreadyExists, "not a regular file")));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(explain(error)),
    }
    // `create_new` follows no link, so a name that appears in between is an error and not a way out.
    // Appending keeps a child that opens `/dev/stdout` anew from overwriting the beginning.
    OpenOptions::new().read(true).append(true).create_new(true).open(path).map_err(explain)
}

fn digest(mut file: File) -> io::Result<Log> {
    file.rewind()?;
    let (sha256, bytes) = Sha256::of_reader(file)?;
    Ok(Log { sha256, bytes })
}
