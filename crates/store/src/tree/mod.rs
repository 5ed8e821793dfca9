//! A tree of files, read the same way whether it lies on disk or in a commit.
//!
//! Names are [`RepoPath`]s relative to the top of the tree. Nothing is read through a symbolic link: a link is an
//! entry of its own kind, and what would lie behind one is not there.

mod overlay;
mod revision;
mod traced;
mod work;

use std::fmt;

pub use overlay::Overlay;
pub use revision::Revision;
pub use traced::{Asked, Trace, Traced};
pub use work::WorkTree;

use crate::file::FileError;
use crate::git::{GitError, Oid, RepoPath};

/// What a name in a tree stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link, wherever it leads.
    Link,
    /// Another repository's commit, a device, a pipe.
    Other,
}

/// One name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The name within the folder, as bytes.
    pub name: Vec<u8>,
    /// What it stands for.
    pub kind: EntryKind,
}

/// Files by name: the working tree, or what a commit holds.
pub trait Tree: Sync {
    /// The commit that is read; none for the working tree.
    fn commit(&self) -> Option<&Oid>;

    /// What `path` stands for; none where nothing is there. The empty path is the top folder.
    fn kind(&self, path: &RepoPath) -> Result<Option<EntryKind>, TreeError>;

    /// The entries of a folder, sorted by name; none where there is no such folder.
    fn list(&self, folder: &RepoPath) -> Result<Option<Vec<Entry>>, TreeError>;

    /// The content of a file; none where there is no regular file of that name.
    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError>;

    /// The contents of many files, in the order of `paths`.
    fn read_many(&self, paths: &[RepoPath]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        paths.iter().map(|path| self.read(path)).collect()
    }

    /// Whether `path` is a regular file.
    fn is_file(&self, path: &RepoPath) -> Result<bool, TreeError> {
        Ok(self.kind(path)? == Some(EntryKind::File))
    }

    /// Whether `path` is a folder.
    fn is_folder(&self, path: &RepoPath) -> Result<bool, TreeError> {
        Ok(self.kind(path)? == Some(EntryKind::Folder))
    }
}

/// Why a tree can't be read.
#[derive(Debug)]
pub enum TreeError {
    /// A file or folder on disk.
    File(FileError),
    /// An object of the repository.
    Git(GitError),
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Git(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for TreeError {}

impl From<FileError> for TreeError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<GitError> for TreeError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

#[cfg(test)]
mod tests;
