//! What this program itself wrote of the files that agents may not write. A file that is as it was written here was
//! changed by a command; any other change went past the commands.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::Sha256;
use store::file::{self, FileError, Staged};
use store::lock::{Guard, LockError};

/// How long one writer waits for another.
const WAIT: Duration = Duration::from_secs(5);

/// What tells the temporary file of this writer.
const MARK: &str = "noted";

/// The deepest folder that is looked into.
const DEEPEST: usize = 16;

/// Absolute paths with the digest of what was written there; none for a file that was removed.
type Files = BTreeMap<PathBuf, Option<Sha256>>;

/// The record of one repository's state folder.
#[derive(Debug, Clone)]
pub struct Written {
    folder: PathBuf,
}

/// What lies at some places at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lying {
    places: Vec<PathBuf>,
    files: Files,
}

impl Lying {
    /// What lies at these places now: files, and folders with all that is in them. No link is followed.
    pub fn at(places: Vec<PathBuf>) -> Self {
        let mut files = Files::new();
        for place in &places {
            gather(place, DEEPEST, &mut files);
        }
        Self { places, files }
    }
}

fn gather(path: &Path, depth: usize, files: &mut Files) {
    let Ok(found) = fs::symlink_metadata(path) else { return };
    if found.is_file() {
        files.insert(path.to_owned(), digest(path));
    } else if found.is_dir() && depth > 0 {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            gather(&entry.path(), depth - 1, files);
        }
    } else {
        // A link or a device is never what this program wrote.
        files.insert(path.to_owned(), None);
    }
}

fn digest(path: &Path) -> Option<Sha256> {
    file::read(path).ok().flatten().map(Sha256::of)
}

impl Written {
    /// The record in a repository's state folder. Nothing is opened.
    pub fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    fn path(&self) -> PathBuf {
        self.folder.join("written.json")
    }

    fn known(&self) -> Files {
        let bytes = file::read(&self.path()).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    /// Notes what is written at absolute paths; none for a file that is removed.
    ///
    /// # Errors
    /// The record can't be locked or written.
    pub fn note(&self, files: impl IntoIterator<Item = (PathBuf, Option<Sha256>)>) -> Result<(), LockError> {
        let mut files = files.into_iter().peekable();
        if files.peek().is_none() {
            return Ok(());
        }
        let there = self.folder.ancestors().find(|folder| folder.is_dir()).unwrap_or(&self.folder);
        file::create_folder(there, &self.folder).map_err(LockError::File)?;
        let _guard = Guard::acquire(&self.folder.join("written.lock"), WAIT)?;
        let mut known = self.known();
        known.extend(files);
        let source = std::io::Error::other;
        let fail = |error| FileError { path: self.path(), doing: "write", source: source(error) };
        let text = serde_json::to_vec(&known).map_err(|error| LockError::File(fail(error)))?;
        // What a killed writer left has the same name, and the lock keeps every other one out.
        let written = Staged::write_as(&self.path(), MARK, &text).and_then(|mut staged| staged.commit());
        written.map_err(LockError::File)
    }

    /// Takes away what a killed writer had not yet put in its place.
    ///
    /// # Errors
    /// The record can't be locked, or the file not removed.
    pub fn sweep(&self) -> Result<(), LockError> {
        let mut name = self.path().into_os_string();
        name.push(format!(".{MARK}.tmp"));
        let left = PathBuf::from(name);
        if fs::symlink_metadata(&left).is_err() {
            return Ok(());
        }
        let _guard = Guard::acquire(&self.folder.join("written.lock"), WAIT)?;
        match fs::remove_file(&left) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(LockError::File(FileError { path: left, doing: "remove", source }))
            }
            _ => Ok(()),
        }
    }

    /// Notes what changed at these places since `before`.
    ///
    /// # Errors
    /// As [`note`](Self::note).
    pub fn note_since(&self, before: &Lying) -> Result<(), LockError> {
        let now = Lying::at(before.places.clone());
        let gone = before.files.keys().filter(|path| !now.files.contains_key(*path));
        let gone: Vec<_> = gone.map(|path| (path.clone(), None)).collect();
        let changed = now.files.into_iter().filter(|(path, digest)| before.files.get(path) != Some(digest));
        self.note(changed.chain(gone))
    }

    /// Whether a file, or every file of a folder, is as this program wrote it last.
    pub fn is_as_written(&self, path: &Path) -> bool {
        is_as_known(&self.known(), path)
    }

    /// What [`is_as_written`](Self::is_as_written) says of each path, with one look at the record.
    pub fn are_as_written<'p>(&self, paths: impl IntoIterator<Item = &'p Path>) -> Vec<bool> {
        let known = self.known();
        paths.into_iter().map(|path| is_as_known(&known, path)).collect()
    }
}

fn is_as_known(known: &Files, path: &Path) -> bool {
    let found = fs::symlink_metadata(path);
    if !found.as_ref().is_ok_and(fs::Metadata::is_dir) {
        let is_link = found.is_ok_and(|found| !found.is_file());
        return !is_link && known.get(path) == Some(&digest(path));
    }
    let lying = Lying::at(vec![path.to_owned()]);
    let is_known =
        |(path, digest): (&PathBuf, &Option<Sha256>)| digest.is_some() && known.get(path) == Some(digest);
    lying.files.iter().all(is_known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_told_from_any_other_change() {
        let folder = tempfile::tempdir().unwrap();
        let (vault, state) = (folder.path().join("vault"), folder.path().join("state"));
        fs::create_dir_all(vault.join("Lessons")).unwrap();
        let (index, lesson) = (vault.join("Index.md"), vault.join("Lessons/a.md"));
        fs::write(&index, "mine").unwrap();
        let written = Written::at(&state);
        let before = Lying::at(vec![vault.clone()]);
        written.note_since(&before).unwrap();
        assert!(!state.exists(), "nothing changed");
        fs::write(&lesson, "one").unwrap();
        written.note_since(&before).unwrap();
        assert!(written.is_as_written(&lesson) && !written.is_as_written(&index));
        assert!(written.is_as_written(&vault.join("Lessons")) && !written.is_as_written(&vault));
        fs::write(&lesson, "two").unwrap();
        assert!(!written.is_as_written(&lesson) && !written.is_as_written(&vault.join("Lessons")));
        fs::remove_file(&lesson).unwrap();
        assert!(!written.is_as_written(&lesson));
        written.note([(lesson.clone(), None)]).unwrap();
        assert!(written.is_as_written(&lesson));
    }

    #[test]
    #[cfg(unix)]
    fn a_link_is_never_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "one").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let written = Written::at(&folder.path().join("state"));
        written.note([(link.clone(), Some(Sha256::of("one"))), (link.clone(), None)]).unwrap();
        assert!(!written.is_as_written(&link));
    }
}
