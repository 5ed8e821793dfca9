//! Locked tests: taking a lock, and whether the locks of a task still hold (P2, P6).

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use canon::{Sha256, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file;
use store::git::{Git, Layout, RepoPath};

use crate::codes;
use crate::content;
use crate::model::Task;
use crate::model::task::Lock;
use crate::session::{self, Session};
use crate::tree;

/// Whether a lock holds, and how it doesn't.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integrity {
    /// The bytes are those that were locked.
    Intact,
    /// Only line ends differ, and git put them there: what it stores is what was locked.
    IntactByGit,
    /// Only line ends differ, and git did not put them there.
    LineEnds,
    /// The content differs.
    Changed,
    /// Nothing is there.
    Missing,
    /// What is there can't be read.
    Unreadable,
}

/// One lock as it stands in a tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct LockState {
    /// The whole id of the task that holds the lock.
    pub task: String,
    /// The locked path, as the task has it.
    pub path: String,
    /// Whether it holds.
    pub state: Integrity,
    /// The digest that was locked.
    pub locked: Sha256,
    /// The digest of what is there; none where nothing can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<Sha256>,
    /// Why it can't be read, or why git is not behind the line ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl LockState {
    /// Whether the lock is not broken.
    pub fn holds(&self) -> bool {
        matches!(self.state, Integrity::Intact | Integrity::IntactByGit)
    }

    /// What became of the locked file, as a sentence.
    pub fn sentence(&self) -> String {
        let path = text::one_line(&self.path);
        let detail = self.detail.as_deref().unwrap_or("no reason is known");
        match self.state {
            Integrity::Intact => format!("`{path}` is as it was locked"),
            Integrity::IntactByGit => format!("`{path}` is as it was locked but for git's line ends"),
            Integrity::LineEnds => format!("`{path}` has other line ends than when it was locked, {detail}"),
            Integrity::Changed => format!("`{path}` was modified since it was locked"),
            Integrity::Missing => format!("`{path}` is gone"),
            Integrity::Unreadable => format!("`{path}` can't be read: {detail}"),
        }
    }
}

/// How every lock of `task` stands in `tree`, in the task's order.
///
/// # Errors
/// git doesn't answer where it must be asked.
pub fn check(session: &Session<'_>, task: &Task, tree: &Path) -> Result<Vec<LockState>, Refusal> {
    task.tests.iter().map(|lock| check_one(session, &task.id, lock, tree)).collect()
}

/// The first broken lock of `task` in `tree`. Reads the files and starts git only where nothing but
/// line ends differs.
pub fn first_break(session: &Session<'_>, task: &Task, tree: &Path) -> Result<Option<LockState>, Refusal> {
    for lock in &task.tests {
        let state = check_one(session, &task.id, lock, tree)?;
        if !state.holds() {
            return Ok(Some(state));
        }
    }
    Ok(None)
}

fn check_one(session: &Session<'_>, task: &str, lock: &Lock, tree: &Path) -> Result<LockState, Refusal> {
    let state = |state, found, detail| LockState {
        task: task.to_owned(),
        path: lock.path.clone(),
        state,
        locked: lock.sha256,
        found,
        detail,
    };
    let bytes = match read(&on_disk(tree, &lock.path)) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Ok(state(Integrity::Missing, None, None)),
        Err(why) => return Ok(state(Integrity::Unreadable, None, Some(why))),
    };
    let found = Some(Sha256::of(&bytes));
    if found == Some(lock.sha256) {
        return Ok(state(Integrity::Intact, found, None));
    }
    if !differs_in_line_ends_alone(&bytes, lock.sha256) {
        return Ok(state(Integrity::Changed, found, None));
    }
    Ok(match why_not_git(session, tree, &lock.path)? {
        None => state(Integrity::IntactByGit, found, None),
        Some(why) => state(Integrity::LineEnds, found, Some(why.to_owned())),
    })
}

/// The file of a locked path. Other programs left backslashes in paths that they locked on Windows.
pub(crate) fn on_disk(tree: &Path, path: &str) -> PathBuf {
    let file = tree.join(path);
    if path.contains('\\') && fs::symlink_metadata(&file).is_err() {
        return tree.join(path.replace('\\', "/"));
    }
    file
}

/// The content that a test runner would read there, through links; none where nothing is.
fn read(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let real = match fs::canonicalize(path) {
        Ok(real) => real,
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error.to_string()),
    };
    file::read(&real).map_err(|error| error.source.to_string())
}

/// Whether the content has `locked` as its digest once all its line ends are LF, or all are CRLF.
fn differs_in_line_ends_alone(bytes: &[u8], locked: Sha256) -> bool {
    if bytes.contains(&0) || !bytes.contains(&b'\n') {
        return false;
    }
    let lf = with_lf(bytes);
    let mut crlf = Vec::with_capacity(lf.len() + lf.len() / 16);
    for &byte in &lf {
        if byte == b'\n' {
            crlf.push(b'\r');
        }
        crlf.push(byte);
    }
    Sha256::of(&lf) == locked || Sha256::of(&crlf) == locked
}

/// `bytes` with LF for every CRLF.
pub(crate) fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut lf = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().peekable();
    while let Some(&byte) = rest.next() {
        if byte != b'\r' || rest.peek() != Some(&&b'\n') {
            lf.push(byte);
        }
    }
    lf
}

/// Why the line ends on disk are not of git's making; none where they are: git takes the file for the
/// one at `HEAD` and stores that one with LF alone. A CRLF that was committed is a change like another.
fn why_not_git(session: &Session<'_>, tree: &Path, path: &str) -> Result<Option<&'static str>, Refusal> {
    let Some(git) = session.git(tree) else { return Ok(Some("and there is no git to have put them there")) };
    let path = RepoPath::from(path.replace('\\', "/").as_str());
    if !git.equals_head(&path).map_err(session::git)? {
        return Ok(Some("and git doesn't have the file as it is"));
    }
    let stored = git.blob("HEAD", &path).map_err(session::git)?.unwrap_or_default();
    let is_lf = !stored.windows(2).any(|pair| pair == b"\r\n");
    Ok((!is_lf).then_some("and they are committed so"))
}

/// A path that a caller named, as the spine writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Relative to the root of the spine, or to the matching folder of the linked work tree that the
    /// file lies in, with forward slashes; `../x` for what lies outside (facts 2.3).
    pub name: String,
    /// The file itself.
    pub file: PathBuf,
    /// The tree that the name is relative to.
    pub tree: PathBuf,
}

/// Finds what `given` names, as seen from the caller's folder. The file need not exist, its folder must.
pub fn name(session: &Session<'_>, given: &str) -> Result<Named, Refusal> {
    let unreadable = |message: String| Refusal::new(codes::TEST_UNREADABLE, message);
    let path = tidy(&session.world.cwd.join(given));
    let (Some(folder), Some(file)) = (path.parent(), path.file_name()) else {
        return Err(unreadable(format!("`{given}` is no file")));
    };
    let Ok(folder) = fs::canonicalize(folder) else {
        return Err(missing(session, given));
    };
    let tree = tree_around(session, &folder);
    let name = relative(&folder, file, &tree);
    let Some(name) = name.to_str().map(|name| name.replace(std::path::MAIN_SEPARATOR, "/")) else {
        return Err(unreadable(format!("the name of `{given}` is not UTF-8, which `tasks.json` can't hold"))
            .hint("give the file another name"));
    };
    Ok(Named { name, file: folder.join(file), tree })
}

/// The path without `.` and with `..` taken away where a folder stands before it. Not
/// `fs::canonicalize`, which would follow a link in the place of the file.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if fs::symlink_metadata(&tidy).is_ok_and(|found| !found.is_symlink()) => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}

/// The folder that names of files in `folder` are relative to.
fn tree_around(session: &Session<'_>, folder: &Path) -> PathBuf {
    if let Some(own) = &session.spine.layout
        && let Ok(Some(found)) = Layout::discover(folder)
        && found.common_dir == own.common_dir
    {
        let tree = found.work_tree.join(tree::root_within(session));
        if folder.starts_with(&tree) {
            return tree.components().collect();
        }
    }
    session.spine.tree.clone()
}

/// `folder/file` as seen from `tree`; both are absolute and free of links.
fn relative(folder: &Path, file: &OsStr, tree: &Path) -> PathBuf {
    let mut up = PathBuf::new();
    let mut above = tree;
    loop {
        if let Ok(within) = folder.strip_prefix(above) {
            return up.join(within).join(file);
        }
        up.push("..");
        match above.parent() {
            Some(parent) => above = parent,
            // Another drive: nothing is shared, so the path stays absolute.
            None => return folder.join(file),
        }
    }
}

fn missing(session: &Session<'_>, given: &str) -> Refusal {
    let refusal = Refusal::new(codes::TEST_UNREADABLE, format!("`{given}` doesn't exist"));
    let from_root = session.spine.tree.join(given);
    if !given.starts_with('/') && session.world.cwd != session.spine.tree && from_root.is_file() {
        return refusal.hint(format!("paths start where you stand; it is `{}`", from_root.display()));
    }
    refusal.hint("write the test first: a lock holds its content")
}

/// A lock on a file as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// What goes into the task.
    pub lock: Lock,
    /// The tree that the file lies in.
    pub tree: PathBuf,
}

/// Locks the file that `given` names, as seen from the caller's folder.
///
/// # Errors
/// `test-unreadable` for what is no regular file, for a symbolic link, whose content another path
/// holds, and for state of the spine, which every command changes.
pub fn take(session: &Session<'_>, given: &str) -> Result<Taken, Refusal> {
    let unreadable = |message: String| Refusal::new(codes::TEST_UNREADABLE, message);
    let Named { name, file, tree } = name(session, given)?;
    let metadata = match fs::symlink_metadata(&file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing(session, given)),
        Err(error) => return Err(unreadable(format!("`{given}` can't be read: {error}"))),
    };
    if metadata.is_dir() {
        return Err(unreadable(format!("`{given}` is a folder"))
            .hint("lock its files one by one: `--test` may be given several times"));
    }
    if metadata.is_symlink() {
        let target = fs::read_link(&file).unwrap_or_default();
        return Err(unreadable(format!("`{given}` is a symbolic link to `{}`", target.display()))
            .hint("lock the file that it leads to"));
    }
    if content::is_left_out(name.as_bytes(), None) {
        return Err(unreadable(format!("`{name}` is state of the spine, which every command changes"))
            .hint("tests may lie in `.chalk/tests`"));
    }
    match file::read(&file) {
        Ok(Some(bytes)) => Ok(Taken { lock: Lock { path: name, sha256: Sha256::of(bytes) }, tree }),
        Ok(None) => Err(missing(session, given)),
        Err(error) => Err(unreadable(format!("`{given}` can't be read: {}", error.source))),
    }
}

/// Whether two locked paths name the same file, whichever program wrote them.
pub(crate) fn is_same(a: &str, b: &str) -> bool {
    let form = |path: &str| RepoPath::from(path.replace('\\', "/").as_str());
    a == b || form(a) == form(b)
}

/// Whether a locked path, relative to `tree`, leads out of the repository, or out of the root where there is none.
pub(crate) fn is_outside(session: &Session<'_>, tree: &Path, path: &str) -> bool {
    let top = match Layout::discover(tree) {
        Ok(Some(layout)) if session.spine.layout.is_some() => layout.work_tree,
        _ => tree.to_owned(),
    };
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| tidy(path));
    !real(&tree.join(path)).starts_with(real(&top))
}

/// Those of the locked paths that git ignores in `tree`, so that nobody else would get them.
pub(crate) fn ignored<'a>(git: Option<&Git>, paths: &[&'a str]) -> Result<Vec<&'a str>, Refusal> {
    let Some(git) = git.filter(|_| !paths.is_empty()) else { return Ok(Vec::new()) };
    let asked: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(*path)).collect();
    let ignored = git.ignored(&asked).map_err(session::git)?;
    Ok(paths.iter().zip(ignored).filter(|(_, ignored)| *ignored).map(|(path, _)| *path).collect())
}

#[cfg(test)]
mod tests;
