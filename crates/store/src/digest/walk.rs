//! The files of a folder without git: an approximation of what a commit would hold.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use canon::Sha256;
use ignore::WalkBuilder;

use super::hashing::{Job, hash_all};
use super::line_ends::LineEnds;
use super::{DigestError, Entry, Exclude};
use crate::git::RepoPath;

/// Folders that tools fill and that nobody would commit.
const OUTPUT: &[&str] = &[
    ".dart_tool",
    ".git",
    ".gradle",
    ".mypy_cache",
    ".next",
    ".pytest_cache",
    ".ruff_cache",
    ".tox",
    ".venv",
    "__pycache__",
    "build",
    "coverage",
    "dist",
    "node_modules",
    "out",
    "target",
    "vendor",
    "venv",
];

/// Which files of a folder are content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// Those that no `.gitignore` names, outside of the folders that tools fill.
    Likely,
    /// Every one but git's own.
    All,
}

/// The entries of the files below `root`, byte for byte.
pub(super) fn entries(root: &Path, take: Take, exclude: Exclude) -> Result<Vec<Entry>, DigestError> {
    let skipped = if take == Take::Likely { OUTPUT } else { &[".git"] };
    let mut entries = Vec::new();
    let (mut files, mut jobs) = (Vec::new(), Vec::new());
    let walk = WalkBuilder::new(root)
        .standard_filters(false)
        .git_ignore(take == Take::Likely)
        .require_git(false)
        .filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            entry.depth() == 0 || !is_folder || !skipped.iter().any(|name| entry.file_name() == *name)
        })
        .build();
    for found in walk {
        let found = match found {
            Ok(found) => found,
            Err(error) => match failure(root, error) {
                Some(error) => return Err(error),
                None => continue,
            },
        };
        let Some(kind) = found.file_type() else { continue };
        let Ok(relative) = found.path().strip_prefix(root) else { continue };
        let path = RepoPath::from_path(relative);
        if found.depth() == 0 || kind.is_dir() || exclude(path.as_bytes()) {
            continue;
        }
        if kind.is_symlink() {
            match fs::read_link(found.path()) {
                Ok(target) => {
                    let sha256 = Sha256::of(RepoPath::link_target(&target));
                    entries.push(Entry { path, mode: 0o120_000, sha256 });
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(source) => return Err(DigestError::File { path: found.into_path(), source }),
            }
        } else if kind.is_file() {
            let Ok(metadata) = found.metadata() else { continue };
            files.push((path, mode(&metadata)));
            jobs.push(Job { file: found.into_path(), line_ends: LineEnds::Keep });
        }
    }
    for ((path, mode), digests) in files.into_iter().zip(hash_all(&jobs)?) {
        entries.extend(digests.map(|digests| Entry { path, mode, sha256: digests.as_is }));
    }
    Ok(entries)
}

/// The mode of a regular file, as git has it.
pub(super) fn mode(metadata: &fs::Metadata) -> u32 {
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o100 != 0 {
        return 0o100_755;
    }
    #[cfg(not(unix))]
    let _ = metadata;
    0o100_644
}

/// A failure of the walk, unless it is a file that has just vanished.
fn failure(root: &Path, error: ignore::Error) -> Option<DigestError> {
    let path = path_of(&error).unwrap_or(root).to_owned();
    let shown = error.to_string();
    let source = error.into_io_error().unwrap_or_else(|| io::Error::other(shown));
    (source.kind() != ErrorKind::NotFound).then_some(DigestError::File { path, source })
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}
