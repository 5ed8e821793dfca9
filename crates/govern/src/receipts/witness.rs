//! The head of the chain at the last checkpoint, remembered apart from the repository.

use std::fs;
use std::path::Path;

use store::chain::Head;
use store::file::{self, FileError};

/// What is remembered; none where nothing is, or what is there can't be understood.
pub(super) fn read(path: &Path) -> Result<Option<Head>, FileError> {
    let Some(bytes) = file::read(path)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let mut words = text.split_whitespace();
    let n = words.next().and_then(|word| word.parse().ok());
    let hash = words.next().and_then(|word| word.parse().ok());
    Ok(n.zip(hash).map(|(n, hash)| Head { n, hash }))
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
    file::replace(path, format!("{} {}\n", head.n, head.hash).as_bytes())
}
