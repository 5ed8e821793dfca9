//! The whole change of a task: everything between the commit where it began and the files on disk,
//! committed or not, untracked files too, without the spine's own state.

mod base;
mod diff;
#[cfg(test)]
pub(crate) mod fixture;
mod setup;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use canon::Sha256;
use gate::Refusal;
use store::digest::ContentDigest;
use store::git::{self, Comparison, Git, Layout, Oid, RepoPath};

use crate::content;
use crate::model::{Config, Task};
use crate::session::{self, Session};

pub use base::{Base, Origin};
pub use diff::DiffText;

/// The change of a task in a tree.
#[derive(Debug, Clone)]
pub enum Change {
    /// Outside git nothing tells old from new; the content alone is known.
    Unknown(ContentDigest),
    /// In git.
    Known(ChangeSet),
}

/// What changed since a commit.
#[derive(Debug, Clone)]
pub struct ChangeSet {
    /// Where the change begins.
    pub base: Base,
    /// The files that differ, sorted by path; relative to the tree.
    pub files: Vec<git::Change>,
    /// The content of the tree, taken before the files were listed.
    pub content: ContentDigest,
    /// None of the files is work: all were made by `init` and wait for their first commit.
    nothing_done: bool,
    /// There is no commit before the change.
    unborn: bool,
    git: Git,
    exclude: Vec<RepoPath>,
}

impl Change {
    /// The content digest of the tree.
    pub fn digest(&self) -> Sha256 {
        self.content().digest
    }

    /// The content of the tree, file by file.
    pub fn content(&self) -> &ContentDigest {
        match self {
            Self::Unknown(content) => content,
            Self::Known(set) => &set.content,
        }
    }

    /// The files that differ; none outside git, where that is not known.
    pub fn files(&self) -> &[git::Change] {
        match self {
            Self::Unknown(_) => &[],
            Self::Known(set) => &set.files,
        }
    }

    /// The commit where the change begins; none outside git and before the first commit.
    pub fn base(&self) -> Option<&str> {
        match self {
            Self::Unknown(_) => None,
            Self::Known(set) => set.base.commit.as_ref().map(Oid::as_str),
        }
    }

    /// Whether there is certainly no change. What `init` made and nobody committed is none.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Known(set) if set.is_empty())
    }
}

impl ChangeSet {
    /// Whether no work has been done. What `init` made and nobody committed is none.
    pub fn is_empty(&self) -> bool {
        self.nothing_done
    }

    /// The files that somebody worked on: all but those that `init` made and nobody committed.
    pub fn worked_on(&self) -> impl Iterator<Item = &git::Change> {
        self.files.iter().filter(|file| !setup::is_left(self.git.dir(), file, self.unborn))
    }

    /// The bytes that a file had where the change begins, as stored; none where it was not there.
    pub fn at_base(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, Refusal> {
        match &self.base.commit {
            Some(commit) => self.git.blob(commit.as_str(), path).map_err(session::git),
            None => Ok(None),
        }
    }

    /// Writes these files as they were where the change begins into a new folder `dest`, those that were there, as
    /// a checkout would. The answer is the folder in `dest` that stands for the tree.
    pub(crate) fn export_base(&self, dest: &Path, paths: &[RepoPath]) -> Result<PathBuf, Refusal> {
        match &self.base.commit {
            Some(commit) => self.git.export(commit.as_str(), dest, Some(paths)).map_err(session::git),
            None => Ok(dest.to_owned()),
        }
    }
}

/// The change of `task` in `tree`, which is the root or the matching folder of a linked work tree.
///
/// It begins at the commit where the task was started, or where the branch left the branch that changes go to,
/// whichever is later. Where neither is known, and where nothing changed since, it is what is not committed. Where
/// nothing is uncommitted either, it is the last commit with content, unless it is known where the task was
/// started: an older commit is not its work.
///
/// # Errors
/// [`HISTORY_CUT`](crate::codes::HISTORY_CUT) in a shallow clone that does not have the commit where it begins.
pub fn of(session: &Session<'_>, config: &Config, task: &Task, tree: &Path) -> Result<Change, Refusal> {
    let content = content::digest(session, config, tree)?;
    let Some(git) = repository(session, tree)? else { return Ok(Change::Unknown(content)) };
    let held_out = content::unjudged_folder(session, config, tree)?;
    let exclude = content::left_out(held_out.as_deref());
    let head = git.head().map_err(session::git)?;
    let unborn = head.oid().is_none();
    let mut lister = Lister { git, exclude, held_out, unborn };

    let Some(tip) = head.oid() else {
        let base = Base { commit: None, origin: Origin::Beginning };
        return Ok(Change::Known(lister.set(base, content)?));
    };
    let mut found = Vec::new();
    if let Some(base) = base::known(&lister.git, config, task, &head)? {
        found.push(base);
    }
    if found.iter().all(|base| base.commit.as_ref() != Some(tip)) {
        found.push(Base { commit: Some(tip.clone()), origin: Origin::Head });
    }
    for base in found.clone() {
        let set = lister.set(base, content.clone())?;
        if !set.is_empty() {
            return Ok(Change::Known(set));
        }
    }
    if base::is_started(&lister.git, task, tip)? {
        let base = found.into_iter().next();
        let base = base.unwrap_or(Base { commit: Some(tip.clone()), origin: Origin::Head });
        return Ok(Change::Known(lister.set(base, content)?));
    }
    let last = base::before_last_commit(&lister.git, &lister.exclude)?;
    let base = last.or_else(|| found.into_iter().next());
    let base = base.unwrap_or(Base { commit: Some(tip.clone()), origin: Origin::Head });
    Ok(Change::Known(lister.set(base, content)?))
}

/// Where the change of `task` would begin by what is on record, without a look at the files: none outside git,
/// where nothing is on record, and where a shallow clone hides it.
pub(crate) fn known_base(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
) -> Result<Option<(Git, Oid)>, Refusal> {
    let Some(git) = repository(session, tree)? else { return Ok(None) };
    let head = git.head().map_err(session::git)?;
    match base::known(&git, config, task, &head) {
        Ok(base) => Ok(base.and_then(|base| base.commit).map(|oid| (git, oid))),
        Err(refusal) if refusal.code == crate::codes::HISTORY_CUT => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// git in `tree`; none outside a repository, and in a folder that the repository around it ignores.
fn repository(session: &Session<'_>, tree: &Path) -> Result<Option<Git>, Refusal> {
    let Some(git) = session.git(tree) else { return Ok(None) };
    let Some(layout) = Layout::discover(tree).map_err(session::git)? else { return Ok(None) };
    let within = tree.strip_prefix(&layout.work_tree).unwrap_or(Path::new(""));
    if !within.as_os_str().is_empty() {
        let top = Git::new(&layout.work_tree, &session.world.env);
        let ignored = top.ignored(&[RepoPath::from_path(within)]).map_err(session::git)?;
        if ignored == [true] && git.files().map_err(session::git)?.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(git))
}

/// A path for people: on one line, whatever bytes it has.
pub fn shown(path: &RepoPath) -> String {
    let text = String::from_utf8_lossy(path.as_bytes());
    if !text.contains(char::is_control) {
        return text.into_owned();
    }
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// Lists what changed since a base.
struct Lister {
    git: Git,
    exclude: Vec<RepoPath>,
    held_out: Option<String>,
    unborn: bool,
}

impl Lister {
    fn set(&mut self, base: Base, content: ContentDigest) -> Result<ChangeSet, Refusal> {
        let comparison = Comparison {
            base: base.commit.as_ref().map(Oid::as_str),
            exclude: &self.exclude,
            renames: false,
        };
        let files = self.git.changes(&comparison).map_err(session::git)?;
        let held_out = self.held_out.as_ref().map(String::as_bytes);
        let is_left_out = |file: &git::Change| content::is_left_out(file.path.as_bytes(), held_out);
        let (left_out, files): (Vec<_>, Vec<_>) = files.into_iter().partition(is_left_out);
        // What no list of names covers, such as a killed writer's temporary file.
        self.exclude.extend(left_out.into_iter().map(|file| file.path));
        let tree = self.git.dir();
        // A first commit of nothing but what `init` made is no work either.
        let unborn = self.unborn || base.commit.is_none();
        let nothing_done = files.iter().all(|file| setup::is_left(tree, file, unborn));
        let (git, exclude) = (self.git.clone(), self.exclude.clone());
        Ok(ChangeSet { base, files, content, nothing_done, unborn, git, exclude })
    }
}
