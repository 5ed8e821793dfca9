//! The head of the chain at the last checkpoint, remembered apart from the repository.

use std::fs;
use std::path::Path;

use store::chain::Head;
use store::file::{self, FileError};

/// What is remembered; none where nothing is, or what is there can't be understood.
pub(super) fn read(path: &Path) -> Result<Option<Head>, FileError> {
    let Some(bytes) = file::read(path)? else { return Ok(None) };
    Ok(String::from_utf8_lossy(&bytes).parse().ok())
}

/// Remembers `head`.
pub(super) fn write(path: &Path, head: Head) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|source| FileError {
            path: folder.to_owned(),
            doing: "create",
            source,
        })?;
    }
    file::replace(path, format!("{head}\n").as_bytes())
}
