//! The working tree.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::{Entry, EntryKind, Tree, TreeError};
use crate::file::{self, FileError};
use crate::git::{Oid, RepoPath};
use crate::parallel;

/// The files below one folder on disk.
#[derive(Debug)]
pub struct WorkTree {
    root: PathBuf,
    /// Whether a folder's whole path is free of links, as far as asked. A tree is read within moments; what is
    /// replaced by a link meanwhile is caught by the file's own opening.
    folders: Mutex<HashMap<RepoPath, bool>>,
}

impl WorkTree {
    /// The tree whose top is `root`, a folder named without symbolic links.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), folders: Mutex::default() }
    }

    /// The top.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a name lies on disk.
    pub fn at(&self, path: &RepoPath) -> PathBuf {
        self.root.join(path.to_path())
    }

    /// Whether `folder` is a folder that is reached through folders alone.
    fn is_plain(&self, folder: &RepoPath) -> Result<bool, TreeError> {
        if folder.is_empty() {
            return Ok(true);
        }
        let known = |folders: &Mutex<HashMap<RepoPath, bool>>| {
            folders.lock().ok().and_then(|folders| folders.get(folder).copied())
        };
        if let Some(plain) = known(&self.folders) {
            return Ok(plain);
        }
        let plain = self.is_plain(&folder.parent())? && {
            let path = self.at(folder);
            present("look at", &path, fs::symlink_metadata(&path))?.is_some_and(|found| found.is_dir())
        };
        if let Ok(mut folders) = self.folders.lock() {
            folders.insert(folder.clone(), plain);
        }
        Ok(plain)
    }

    /// Whether `path` lies in the tree, in a folder that is reached through folders alone.
    pub(super) fn is_reached(&self, path: &RepoPath) -> Result<bool, TreeError> {
        Ok(Self::is_inside(path) && self.is_plain(&path.parent())?)
    }

    fn is_inside(path: &RepoPath) -> bool {
        !path.as_bytes().starts_with(b"/") && path.first() != b".."
    }
}

impl Tree for WorkTree {
    fn commit(&self) -> Option<&Oid> {
        None
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<EntryKind>, TreeError> {
        if !Self::is_inside(path) || !self.is_plain(&path.parent())? {
            return Ok(None);
        }
        let path = self.at(path);
        let found = present("look at", &path, fs::symlink_metadata(&path))?;
        Ok(found.map(|found| kind_of(found.file_type())))
    }

    fn list(&self, folder: &RepoPath) -> Result<Option<Vec<Entry>>, TreeError> {
        if !Self::is_inside(folder) || !self.is_plain(folder)? {
            return Ok(None);
        }
        let path = self.at(folder);
        let Some(listing) = present("list", &path, fs::read_dir(&path))? else { return Ok(None) };
        let mut entries = Vec::new();
        for entry in listing {
            let entry = entry.map_err(|error| FileError::new("list", &path, error))?;
            let kind = kind_of(entry.file_type().map_err(|error| FileError::new("list", &path, error))?);
            entries.push(Entry { name: RepoPath::raw(Path::new(&entry.file_name())), kind });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(Some(entries))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError> {
        match self.kind(path)? {
            Some(EntryKind::File) => Ok(file::read(&self.at(path))?),
            _ => Ok(None),
        }
    }

    fn read_many(&self, paths: &[RepoPath]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        parallel::each(paths.iter().collect(), |path| self.read(path)).into_iter().collect()
    }
}

fn kind_of(file_type: fs::FileType) -> EntryKind {
    if file_type.is_file() {
        EntryKind::File
    } else if file_type.is_dir() {
        EntryKind::Folder
    } else if file_type.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Other
    }
}

/// Absence as `None`, also where a file stands for a folder on the way.
fn present<T>(doing: &'static str, path: &Path, result: io::Result<T>) -> Result<Option<T>, FileError> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        // A name that no disk can hold is not there.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidFilename) =>
        {
            Ok(None)
        }
        Err(error) => Err(FileError::new(doing, path, error)),
    }
}
