//! One digest for the content of a folder: what a verify run, a review or an audit was about.
//!
//! The digest covers the path, mode and content of every file that git would take into a commit, as it is on disk
//! now, whether committed or not. Two checkouts of the same commit have the same digest, also when their settings
//! give them other line ends. Committing, staging or touching changes nothing.
//!
//! It is the SHA-256 of one line for each entry, in the order of the paths' bytes:
//! `<octal mode> SP <hex SHA-256 of the content> SP <path> NUL`.

mod hashing;
mod line_ends;
mod repository;
#[cfg(test)]
mod tests;
mod walk;

use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use canon::{Hasher, Sha256};

use crate::Env;
use crate::git::{GitError, Layout, RepoPath};

/// Which paths are left out of a digest: answers true for a path, as bytes relative to the digest's root.
pub type Exclude<'a> = &'a dyn Fn(&[u8]) -> bool;

/// A file, symbolic link or submodule that a digest covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name, relative to the digest's root.
    pub path: RepoPath,
    /// As git has it: `0o100644`, `0o100755` when it may be executed, `0o120000` for a symbolic link, `0o160000` for
    /// a submodule or another repository within the tree.
    pub mode: u32,
    /// Of a file its content, with line ends as git stores them; of a symbolic link its target; of a submodule the
    /// content digest of its folder, or the digest of its commit's name while it isn't checked out.
    pub sha256: Sha256,
}

/// The digest of a folder's content, and what it is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentDigest {
    /// The digest over all entries.
    pub digest: Sha256,
    /// Every entry, sorted by path.
    pub entries: Vec<Entry>,
}

impl ContentDigest {
    fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let mut hasher = Hasher::new();
        for Entry { path, mode, sha256 } in &entries {
            hasher.update(format!("{mode:06o} {sha256} "));
            hasher.update(path.as_bytes());
            hasher.update([0]);
        }
        Self { digest: hasher.finish(), entries }
    }
}

/// The digest of everything below `root` as it is on disk.
///
/// In a git work tree: tracked files and untracked files that no `.gitignore` names. The content is taken with line
/// ends as git takes them when adding (`text`, `eol` and `crlf` of `.gitattributes`, `core.autocrlf`); other
/// conversions (`filter`, `ident`, `working-tree-encoding`) are not undone. Rules that one person alone has
/// (`.git/info`, `core.excludesFile`, `core.attributesFile`) don't count. A submodule, or another repository within the tree, counts with
/// its own digest. Linked worktrees of the same repository that stand within the tree are not part of it.
///
/// Outside git, or where git ignores `root` altogether, an approximation: all files that no `.gitignore` below `root`
/// excludes, without `.git` and without the folders that common tools write to (`node_modules`, `target`, `dist`,
/// ...), byte for byte.
///
/// A file that vanishes meanwhile is left out. Symbolic links are not followed.
///
/// # Errors
///
/// A file that cannot be read is an error and never a gap in the digest; so is a repository without a working `git`.
pub fn content_digest(root: &Path, env: &Env, exclude: Exclude) -> Result<ContentDigest, DigestError> {
    let at_root = |source| DigestError::File { path: root.to_owned(), source };
    let root = crate::git::canonical(root).map_err(at_root)?;
    let layout = Layout::discover(&root).map_err(at_root)?;
    let entries = match layout {
        Some(layout) => repository::entries(&root, &layout, env, exclude)?,
        None => None,
    };
    let entries = match entries {
        Some(entries) => entries,
        None => walk::entries(&root, walk::Take::Likely, exclude)?,
    };
    Ok(ContentDigest::new(entries))
}

/// The paths whose mode or content differ between two digests, or that only one of them has. Sorted.
pub fn changed_between(a: &ContentDigest, b: &ContentDigest) -> Vec<RepoPath> {
    let (mut a, mut b) = (a.entries.iter().peekable(), b.entries.iter().peekable());
    let mut changed = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return changed,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.path.cmp(&b.path),
        };
        let old = if order.is_le() { a.next() } else { None };
        let new = if order.is_ge() { b.next() } else { None };
        if old != new {
            changed.extend(new.or(old).map(|entry| entry.path.clone()));
        }
    }
}

/// Why there is no digest.
#[derive(Debug)]
pub enum DigestError {
    /// Git did not say which files there are.
    Git(GitError),
    /// A file or folder cannot be read.
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Git(error) => write!(f, "cannot list the files to digest: {error}"),
            Self::File { path, source } => {
                write!(f, "cannot read `{}` for the digest: {source}", path.display())
            }
        }
    }
}

impl std::error::Error for DigestError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Git(error) => Some(error),
            Self::File { source, .. } => Some(source),
        }
    }
}

impl From<GitError> for DigestError {
    fn from(error: GitError) -> Self {
        match error {
            GitError::File { path, source } => Self::File { path, source },
            error => Self::Git(error),
        }
    }
}
