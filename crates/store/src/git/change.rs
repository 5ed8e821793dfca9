//! What changed between a commit and the working tree, committed or not.

use std::ffi::OsString;
use std::fmt;

use super::listing::records;
use super::overlay::Overlay;
use super::process::Call;
use super::{Git, GitError, Oid, RepoPath, aside};

/// What to compare the working tree with.
#[derive(Debug, Clone, Copy, Default)]
pub struct Comparison<'a> {
    /// The revision to start from; `None` is the empty tree, before any commit.
    pub base: Option<&'a str>,
    /// Files and folders to leave out.
    pub exclude: &'a [RepoPath],
    /// Whether to show a deleted and an added file of like content as one renamed file.
    pub renames: bool,
}

impl<'a> Comparison<'a> {
    /// Everything since `base`.
    pub fn since(base: &'a str) -> Self {
        Self { base: Some(base), ..Self::default() }
    }
}

/// A file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its name now, or its last one when it is gone.
    pub path: RepoPath,
    /// The name it had, of a renamed file.
    pub old_path: Option<RepoPath>,
    /// How it differs.
    pub kind: ChangeKind,
}

/// How a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// New, and in the index.
    Added,
    /// Other content, or another permission to execute; of a submodule, another commit or changes within.
    Modified,
    /// Gone.
    Deleted,
    /// Under another name.
    Renamed,
    /// A file became a symbolic link or a submodule, or the reverse.
    TypeChanged,
    /// New, and not in the index; also a repository nested within this one.
    Untracked,
}

/// The working tree as it stands, ready to be compared with any revision.
///
/// Which files there are is settled when it is made; their content is read when a question is asked. It has a folder
/// in the temporary one until it is dropped.
pub struct Snapshot {
    pub(super) git: Git,
    pub(super) overlay: Overlay,
}

impl Git {
    /// The working tree as it stands below the folder. Reads every file once; the comparisons after it are cheap.
    pub fn snapshot(&self) -> Result<Snapshot, GitError> {
        Ok(Snapshot { git: self.clone(), overlay: Overlay::new(self)? })
    }
}

impl Snapshot {
    /// The files that differ between the base and the working tree, sorted by path.
    ///
    /// All of the change counts: committed, staged, not staged, and untracked files that no `.gitignore` names, also
    /// where git's settings or the index hide it from its user (`git update-index --assume-unchanged`, filters,
    /// `.git/info`). Only files below the folder are seen.
    pub fn changes(&self, comparison: &Comparison) -> Result<Vec<Change>, GitError> {
        let Self { git, overlay } = self;
        let call = compare(git, overlay, comparison, &["--name-status", "-z"])?;
        let (_, output) = call.answer()?;
        let mut changes = Vec::new();
        let mut fields = records(&output);
        while let Some(status) = fields.next() {
            let mut name =
                || fields.next().map(RepoPath::new).ok_or_else(|| call.malformed("a status without a path"));
            let path = name()?;
            let kind = match status[0] {
                b'A' if overlay.untracked.contains(&path) => ChangeKind::Untracked,
                b'A' => ChangeKind::Added,
                // U is a path in conflict; the file on disk follows as M.
                b'M' | b'U' => ChangeKind::Modified,
                b'D' => ChangeKind::Deleted,
                b'T' => ChangeKind::TypeChanged,
                b'R' => {
                    changes.push(Change { path: name()?, old_path: Some(path), kind: ChangeKind::Renamed });
                    continue;
                }
                _ => return Err(call.malformed("an unknown status")),
            };
            changes.push(Change { path, old_path: None, kind });
        }
        let is_excluded = |path: &RepoPath| comparison.exclude.iter().any(|folder| path.is_within(folder));
        for within in overlay.within.iter().filter(|it| it.is_submodule && !is_excluded(&it.path)) {
            if !changes.iter().any(|change| change.path == within.path) && aside::is_dirty(within, git)? {
                let path = within.path.clone();
                changes.push(Change { path, old_path: None, kind: ChangeKind::Modified });
            }
        }
        changes.extend(overlay.unborn.iter().filter(|path| !is_excluded(path)).map(|path| Change {
            path: path.clone(),
            old_path: None,
            kind: ChangeKind::Untracked,
        }));
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        // A path in conflict comes twice; what the file on disk amounts to is the more exact of the two.
        changes.dedup_by(|later, kept| {
            let same = later.path == kept.path;
            if same && kept.kind == ChangeKind::Modified {
                kept.kind = later.kind;
            }
            same
        });
        Ok(changes)
    }

    /// The same change as one unified diff, untracked files as new ones, for a reader or a reviewer.
    ///
    /// The form does not depend on the user's settings: `a/` and `b/` before names, three lines around, no colour, no
    /// external diff program. Object names are full, so a binary file's content is bound too. Of a submodule or nested
    /// repository only the commit shows; [`Snapshot::aside`] has the rest.
    pub fn diff_text(&self, comparison: &Comparison) -> Result<Vec<u8>, GitError> {
        diff(&self.git, &self.overlay, comparison, &RepoPath::new(""))
    }

    /// The same change as a list of files with counts of lines, and a last line with the sums.
    pub fn diff_stat(&self, comparison: &Comparison) -> Result<Vec<u8>, GitError> {
        Ok(compare(&self.git, &self.overlay, comparison, &["--stat=160,120"])?.answer()?.1)
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").field("git", &self.git).finish_non_exhaustive()
    }
}

/// The unified diff, with names below the folder `above`.
pub(super) fn diff(
    git: &Git,
    overlay: &Overlay,
    comparison: &Comparison,
    above: &RepoPath,
) -> Result<Vec<u8>, GitError> {
    let form = [
        "--patch",
        "--full-index",
        "--unified=3",
        "--inter-hunk-context=0",
        "--diff-algorithm=default",
        "--indent-heuristic",
        "--submodule=short",
    ];
    let prefix = |option: &str, side: &str| {
        let mut argument = OsString::from(format!("{option}={side}/"));
        if !above.as_bytes().is_empty() {
            argument.push(above.to_os());
            argument.push("/");
        }
        argument
    };
    let form = form.iter().map(OsString::from);
    let form: Vec<_> = form.chain([prefix("--src-prefix", "a"), prefix("--dst-prefix", "b")]).collect();
    Ok(compare(git, overlay, comparison, &form)?.answer()?.1)
}

fn compare<'a, F: Clone + Into<OsString>>(
    git: &Git,
    overlay: &'a Overlay,
    comparison: &Comparison,
    form: &[F],
) -> Result<Call<'a>, GitError> {
    let base = match comparison.base {
        None => overlay.format().empty_tree(),
        Some(rev) => match Oid::parse(rev) {
            Some(oid) => oid,
            None => git.resolve(rev)?.ok_or_else(|| GitError::Revision { rev: rev.to_owned() })?,
        },
    };
    let renames: &[&str] = if comparison.renames { &["--find-renames", "-l1000"] } else { &["--no-renames"] };
    let exclude = comparison.exclude.iter().map(|path| {
        let mut spec = OsString::from(":(exclude,literal)");
        spec.push(if path.as_bytes().is_empty() { ".".into() } else { path.to_os() });
        spec
    });
    Ok(overlay
        // Not `diff-index`: it takes a file for changed when only its size on disk did, as with other line ends.
        .call([
            "diff",
            "--relative",
            // Git would ask the submodule by its own rules, and run its programs.
            "--ignore-submodules=dirty",
            "--no-ext-diff",
            "--no-textconv",
            "--no-color",
        ])
        .args(["-O", "/dev/null"])
        .args(renames)
        .args(form.iter().cloned())
        .args([base.as_str(), "--", "."])
        .args(exclude))
}

#[cfg(test)]
mod tests;
