//! An index of our own that knows the untracked files too, for comparing the whole working tree.

use std::collections::BTreeSet;
use std::ffi::OsString;

use super::listing::{Listed, State};
use super::process::Call;
use super::{Disk, Git, GitError, Impartial, Layout, ObjectFormat, Oid, RepoPath, lfs};

/// The index as it would be after `git add --intent-to-add` of everything, in the temporary folder.
///
/// It is made anew from names, modes and objects. What the user's index says about files on disk (times and sizes of
/// a file that was clean once, by whatever rule; "assume unchanged") is not taken over, so every file is looked at.
pub(super) struct Overlay {
    impartial: Impartial,
    /// Untracked files and nested repositories.
    pub(super) untracked: BTreeSet<RepoPath>,
    /// Nested repositories without a commit, which no index can hold.
    pub(super) unborn: Vec<RepoPath>,
    /// Folders that the index has as a submodule or that are repositories of their own.
    pub(super) within: Vec<Within>,
    /// How many files there are.
    pub(super) files: usize,
    /// Tracked files that are not checked out, as in a sparse checkout.
    pub(super) absent: Vec<RepoPath>,
}

/// A folder with a history of its own.
pub(super) struct Within {
    pub(super) path: RepoPath,
    pub(super) is_submodule: bool,
    /// It is a repository; a submodule that is not checked out is none.
    pub(super) git: Option<Git>,
}

impl Overlay {
    pub(super) fn new(git: &Git) -> Result<Self, GitError> {
        let mut impartial = Impartial::new(git)?;
        let listing = impartial.listing()?;
        let mut overlay = Self {
            impartial,
            untracked: BTreeSet::new(),
            unborn: Vec::new(),
            within: Vec::new(),
            files: listing.len(),
            absent: Vec::new(),
        };
        overlay.fill(git, listing)?;
        Ok(overlay)
    }

    /// A command that sees this index. Its refs are not the user's: objects are named in full.
    pub(super) fn call<I>(&self, args: I) -> Call<'_>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        self.impartial.git.call(args).env("GIT_INDEX_FILE", self.impartial.path("index"))
    }

    pub(super) fn format(&self) -> ObjectFormat {
        self.impartial.format
    }

    fn fill(&mut self, git: &Git, listing: Vec<Listed>) -> Result<(), GitError> {
        let (mut entries, mut absent) = (Vec::new(), Vec::new());
        let (prefix, empty) = (self.impartial.prefix.clone(), self.format().empty_blob());
        let mut add = |mode: u32, oid: &Oid, stage: u8, path: &RepoPath| {
            entries.extend_from_slice(format!("{mode:06o} {oid} {stage}\t").as_bytes());
            entries.extend_from_slice(path.below(&prefix).as_bytes());
            entries.push(0);
        };
        let settled = lfs::unchanged(&self.impartial, &listing)?;
        let mut disk = Disk::new(git.dir());
        for listed in listing {
            match &listed.state {
                State::Tracked { mode, oid, stage, skip_worktree } => {
                    add(*mode, oid, *stage, &listed.path);
                    // A skipped file that is there can have been edited; one that is not is a sparse checkout.
                    if *skip_worktree && disk.find(&listed.path)?.is_none() {
                        push(&mut absent, &listed.path);
                        self.absent.push(listed.path);
                    } else if *mode == 0o160_000 {
                        self.within.extend(within(git, &mut disk, &listed.path, true)?);
                    }
                    continue;
                }
                // The mode and content that count are those on disk; the entry only makes git look there.
                State::Untracked => add(0o100_644, &empty, 0, &listed.path),
                State::Nested => {
                    let nested = Git::new(git.dir().join(listed.path.to_path()), git.env());
                    if nested.head()?.oid().is_some() {
                        add(0o160_000, &empty, 0, &listed.path);
                    } else {
                        self.unborn.push(listed.path.clone());
                    }
                    self.within.extend(within(git, &mut disk, &listed.path, false)?);
                }
            }
            self.untracked.insert(listed.path);
        }
        self.within.dedup_by(|later, kept| later.path == kept.path);
        self.call(["update-index", "-z", "--index-info"]).input(&entries).run()?;
        for (flag, paths) in [("--skip-worktree", absent), ("--assume-unchanged", settled)] {
            if !paths.is_empty() {
                self.call(["update-index", flag, "-z", "--stdin"]).input(&paths).run()?;
            }
        }
        // Reads every file once, so that the questions to come read only those that differ or are touched again.
        self.call(["update-index", "-q", "--unmerged", "--refresh"]).accept(&[0, 1]).run()?;
        Ok(())
    }
}

/// The folder at `path`, if there is one.
fn within(
    git: &Git,
    disk: &mut Disk,
    path: &RepoPath,
    is_submodule: bool,
) -> Result<Option<Within>, GitError> {
    let Some((folder, metadata)) = disk.find(path)? else { return Ok(None) };
    if !metadata.is_dir() {
        return Ok(None);
    }
    let found = Layout::discover(&folder)
        .map_err(|source| GitError::File { path: folder.clone(), source })?
        // The repository around it would answer for a folder that has none.
        .filter(|layout| super::layout::canonical(&folder).is_ok_and(|folder| layout.work_tree == folder));
    let git = found.map(|_| Git::new(&folder, git.env()));
    Ok(Some(Within { path: path.clone(), is_submodule, git }))
}

/// Adds a path to a list in which a NUL ends each.
pub(super) fn push(list: &mut Vec<u8>, path: &RepoPath) {
    list.extend_from_slice(path.as_bytes());
    list.push(0);
}
