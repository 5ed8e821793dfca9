//! Files on disk, looked up the way git does: never through a symbolic link.

use std::collections::HashMap;
use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{GitError, RepoPath};

/// The files below a folder.
pub(crate) struct Disk<'a> {
    root: &'a Path,
    /// Folders seen so far, and whether each is one.
    folders: HashMap<PathBuf, bool>,
}

impl<'a> Disk<'a> {
    pub(crate) fn new(root: &'a Path) -> Self {
        Self { root, folders: HashMap::new() }
    }

    /// The file's place and what it is, if it is there.
    ///
    /// Behind a folder that became a link there is nothing: to git the link is new and the files are deleted.
    pub(crate) fn find(&mut self, path: &RepoPath) -> Result<Option<(PathBuf, Metadata)>, GitError> {
        let path = path.to_path();
        if !self.is_folder(path.parent().unwrap_or(Path::new("")))? {
            return Ok(None);
        }
        let file = self.root.join(path);
        Ok(metadata(&file)?.map(|metadata| (file, metadata)))
    }

    fn is_folder(&mut self, folder: &Path) -> Result<bool, GitError> {
        let Some(above) = folder.parent() else { return Ok(true) };
        if let Some(&known) = self.folders.get(folder) {
            return Ok(known);
        }
        let is_folder = self.is_folder(above)?
            && metadata(&self.root.join(folder))?.is_some_and(|metadata| metadata.is_dir());
        self.folders.insert(folder.to_owned(), is_folder);
        Ok(is_folder)
    }
}

fn metadata(path: &Path) -> Result<Option<Metadata>, GitError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(source) => Err(GitError::File { path: path.to_owned(), source }),
    }
}
