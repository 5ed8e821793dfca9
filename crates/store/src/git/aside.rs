//! What belongs to a change and lies outside of its diff.

use std::fs;
use std::io::ErrorKind;

use super::change::{Comparison, Snapshot, diff};
use super::listing::records;
use super::overlay::{Overlay, Within};
use super::{Git, GitError, Oid, RepoPath};

/// Up to this many files of a repository that is new as a whole are shown one by one.
const MANY: usize = 2000;

/// What belongs to a change and lies outside of its diff, or needs a word beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aside {
    /// Submodules and other repositories within the tree whose content changed, sorted by path.
    pub nested: Vec<Nested>,
    /// Tracked files that are not checked out, as in a sparse checkout: nobody looked at them.
    pub absent: Vec<RepoPath>,
    /// Untracked files that the diff has, although git is told outside of the repository's content to ignore them
    /// (`.git/info/exclude`, `core.excludesFile`).
    pub private: Vec<RepoPath>,
}

/// A change within a submodule or another repository within the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nested {
    /// The folder.
    pub path: RepoPath,
    /// The change of its content as a unified diff, with names that begin at the tree.
    pub text: Vec<u8>,
    /// What the text leaves out.
    pub unshown: Option<Unshown>,
}

/// Why a part of a nested repository is not shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unshown {
    /// The whole repository is new, with this many files: what is committed in it is left out.
    Many(usize),
    /// The commit that the change begins with is not there, so what was committed since is left out.
    Since(Oid),
    /// There are files in the folder of a submodule that is not checked out.
    NotCheckedOut,
}

impl Snapshot {
    /// What belongs to the change and lies outside of [`Snapshot::diff_text`]. A process for each submodule and nested
    /// repository, and none where there is neither.
    pub fn aside(&self, comparison: &Comparison) -> Result<Aside, GitError> {
        let Self { git, overlay } = self;
        let untracked: Vec<RepoPath> = overlay.untracked.iter().cloned().collect();
        let ignored = git.ignored(&untracked)?;
        let private = untracked.into_iter().zip(ignored).filter(|(_, ignored)| *ignored);
        let mut aside = Aside { private: private.map(|(path, _)| path).collect(), ..Aside::default() };
        nested(git, overlay, comparison, &RepoPath::new(""), &mut aside.nested)?;
        aside.absent.clone_from(&overlay.absent);
        Ok(aside)
    }
}

/// Whether anything in the folder differs from the commit that is checked out there.
pub(super) fn is_dirty(within: &Within, git: &Git) -> Result<bool, GitError> {
    let Some(nested) = &within.git else { return has_files(git, &within.path) };
    let head = nested.head()?;
    let base = head.oid().map(Oid::as_str);
    Ok(!nested.snapshot()?.changes(&Comparison { base, ..Comparison::default() })?.is_empty())
}

/// Adds the changes within the repositories below `overlay`, which stands at `above` in the tree.
fn nested(
    git: &Git,
    overlay: &Overlay,
    comparison: &Comparison,
    above: &RepoPath,
    found: &mut Vec<Nested>,
) -> Result<(), GitError> {
    let is_excluded = |path: &RepoPath| comparison.exclude.iter().any(|folder| path.is_within(folder));
    let within: Vec<_> = overlay.within.iter().filter(|within| !is_excluded(&within.path)).collect();
    if within.is_empty() {
        return Ok(());
    }
    let recorded = recorded(git, comparison.base, &within)?;
    for (within, recorded) in within.into_iter().zip(recorded) {
        let path = within.path.below(above);
        let Some(nested_git) = &within.git else {
            if has_files(git, &within.path)? {
                found.push(Nested { path, text: Vec::new(), unshown: Some(Unshown::NotCheckedOut) });
            }
            continue;
        };
        let nested_overlay = Overlay::new(nested_git)?;
        let (base, unshown) = match recorded {
            Some(oid) if nested_git.exists(&oid)? => (Some(oid), None),
            Some(oid) => (nested_git.head()?.oid().cloned(), Some(Unshown::Since(oid))),
            None if nested_overlay.files <= MANY => (None, None),
            None => (nested_git.head()?.oid().cloned(), Some(Unshown::Many(nested_overlay.files))),
        };
        let exclude: Vec<RepoPath> = comparison
            .exclude
            .iter()
            .filter(|excluded| excluded.is_within(&within.path))
            .map(|excluded| excluded.seen_from(&within.path))
            .collect();
        let inner = Comparison { base: base.as_ref().map(Oid::as_str), exclude: &exclude, renames: false };
        let text = match (&base, &unshown) {
            // Without a commit there is nothing to tell many files from.
            (None, Some(_)) => Vec::new(),
            _ => diff(nested_git, &nested_overlay, &inner, &path)?,
        };
        if !text.is_empty() || unshown.is_some() {
            found.push(Nested { path: path.clone(), text, unshown });
        }
        nested(nested_git, &nested_overlay, &inner, &path, found)?;
    }
    Ok(())
}

/// The commit that each folder had as a submodule in the revision.
fn recorded(git: &Git, base: Option<&str>, within: &[&Within]) -> Result<Vec<Option<Oid>>, GitError> {
    let Some(base) = base else { return Ok(vec![None; within.len()]) };
    let call =
        git.call(["ls-tree", "-z", base, "--"]).args(within.iter().map(|it| it.path.to_os())).literal();
    let (_, output) = call.answer()?;
    // `<mode> SP <type> SP <oid> TAB <path>`
    let entry = |record: &[u8]| {
        let tab = record.iter().position(|&byte| byte == b'\t')?;
        let oid = record[..tab].strip_prefix(b"160000 commit ")?;
        Some((RepoPath::new(&record[tab + 1..]), Oid::from_bytes(oid)?))
    };
    let entries: Vec<_> = records(&output).filter_map(entry).collect();
    let of = |path: &RepoPath| entries.iter().find(|(name, _)| name == path).map(|(_, oid)| oid.clone());
    Ok(within.iter().map(|it| of(&it.path)).collect())
}

fn has_files(git: &Git, path: &RepoPath) -> Result<bool, GitError> {
    let folder = git.dir().join(path.to_path());
    match fs::read_dir(&folder) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(false),
        Err(source) => Err(GitError::File { path: folder, source }),
    }
}

#[cfg(test)]
mod tests;
