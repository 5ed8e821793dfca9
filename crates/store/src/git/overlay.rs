//! A copy of the index that knows the untracked files too, for comparing the whole working tree.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;

use super::listing::State;
use super::process::Call;
use super::scratch::Scratch;
use super::{Disk, Git, GitError, ObjectFormat, RepoPath};

/// The index as it would be after `git add --intent-to-add` of everything, in the temporary folder.
pub(super) struct Overlay<'a> {
    git: &'a Git,
    scratch: Scratch,
    pub(super) format: ObjectFormat,
    /// Untracked files and nested repositories.
    pub(super) untracked: BTreeSet<RepoPath>,
    /// Nested repositories without a commit, which no index can hold.
    pub(super) unborn: Vec<RepoPath>,
}

impl<'a> Overlay<'a> {
    pub(super) fn new(git: &'a Git) -> Result<Self, GitError> {
        let scratch = Scratch::new(git.env())?;
        let (format, prefix) = git.place()?;
        copy_index(&git.layout()?.git_dir.join("index"), &scratch.path("index"))?;
        let mut overlay = Self { git, scratch, format, untracked: BTreeSet::new(), unborn: Vec::new() };
        overlay.fill(&prefix)?;
        Ok(overlay)
    }

    /// A command that sees this index.
    pub(super) fn call<I>(&self, args: I) -> Call<'a>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        with_index(self.git.call(args), &self.scratch)
    }

    fn fill(&mut self, prefix: &RepoPath) -> Result<(), GitError> {
        let (mut assumed, mut skipped, mut added) = (Vec::new(), Vec::new(), Vec::new());
        let empty = self.format.empty_blob();
        let mut add = |mode: &str, path: &RepoPath| {
            added.extend_from_slice(format!("{mode} {empty}\t").as_bytes());
            added.extend_from_slice(path.below(prefix).as_bytes());
            added.push(0);
        };
        let mut disk = Disk::new(self.git.dir());
        for listed in self.git.listing()? {
            match listed.state {
                State::Tracked { hidden, .. } => {
                    if hidden.assume_unchanged {
                        push(&mut assumed, &listed.path);
                    }
                    // A skipped file that is absent is a sparse checkout; one that is there can have been edited.
                    if hidden.skip_worktree && disk.find(&listed.path)?.is_some() {
                        push(&mut skipped, &listed.path);
                    }
                    continue;
                }
                // The mode and content that count are those on disk; the entry only makes git look there.
                State::Untracked => add("100644", &listed.path),
                State::Nested => {
                    let nested = Git::new(self.git.dir().join(listed.path.to_path()), self.git.env());
                    if nested.head()?.oid().is_some() {
                        add("160000", &listed.path);
                    } else {
                        self.unborn.push(listed.path.clone());
                    }
                }
            }
            self.untracked.insert(listed.path);
        }
        for (flag, paths) in [("--no-assume-unchanged", assumed), ("--no-skip-worktree", skipped)] {
            if !paths.is_empty() {
                self.call(["update-index", flag, "-z", "--stdin"]).input(&paths).run()?;
            }
        }
        if !added.is_empty() {
            self.call(["update-index", "-z", "--index-info"]).input(&added).run()?;
        }
        Ok(())
    }
}

/// Makes `call` use the index in `scratch` and write nothing else.
pub(super) fn with_index<'a>(call: Call<'a>, scratch: &Scratch) -> Call<'a> {
    call.env("GIT_INDEX_FILE", scratch.path("index"))
        // Writing any index, even this one, would run the repository's `post-index-change` hook ...
        .setting("core.hooksPath=/dev/null")
        // ... and could put a new shared part of it into the git directory.
        .setting("core.splitIndex=false")
        // What `git diff` takes from settings and has no option for.
        .setting("diff.autoRefreshIndex=true")
        .setting("diff.suppressBlankEmpty=false")
}

fn push(list: &mut Vec<u8>, path: &RepoPath) {
    list.extend_from_slice(path.as_bytes());
    list.push(0);
}

/// Copies an index with its modification time.
///
/// Git distrusts entries that are as young as the index itself, because the file may have been edited in the same
/// tick of the clock. A copy with a later time would declare those edits clean.
fn copy_index(from: &Path, to: &Path) -> Result<(), GitError> {
    let file_error = |path: &Path, source| GitError::File { path: path.to_owned(), source };
    let mut source = match File::open(from) {
        Ok(source) => source,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(file_error(from, error)),
    };
    let modified = source.metadata().and_then(|metadata| metadata.modified());
    let modified = modified.map_err(|error| file_error(from, error))?;
    let mut copy = || {
        let mut target = File::create_new(to)?;
        io::copy(&mut source, &mut target)?;
        target.set_modified(modified)
    };
    copy().map_err(|error| file_error(to, error))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_copied_index_is_as_old_as_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        copy_index(&from, &to).unwrap();
        assert!(!to.exists(), "no index before the first file");
        std::fs::write(&from, "index").unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::new(1_900_000_000, 123_456_789);
        File::options().write(true).open(&from).unwrap().set_modified(old).unwrap();
        copy_index(&from, &to).unwrap();
        assert_eq!(std::fs::read(&to).unwrap(), b"index");
        assert_eq!(std::fs::metadata(&to).unwrap().modified().unwrap(), old);
    }
}
