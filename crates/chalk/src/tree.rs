//! Which tree a task is judged in: its locks hashed there, the toolchain run there.

use std::fmt;
use std::path::{Path, PathBuf};

use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::git::Layout;

use crate::codes;
use crate::model::Task;
use crate::session::Session;

/// A tree that something is judged in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Judged {
    /// Its folder, absolute: the one that matches the root of the spine.
    pub path: PathBuf,
    /// Why this one.
    pub kind: Kind,
    /// What is wrong with the work tree that the task records, where it can't be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unusable: Option<String>,
}

/// Why a tree is the one to judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// It is the folder of the spine.
    Root,
    /// The caller stands in this linked work tree.
    LinkedHere,
    /// The task records this work tree.
    TaskWorktree,
}

impl Judged {
    fn new(path: &Path, kind: Kind) -> Self {
        Self { path: path.to_owned(), kind, unusable: None }
    }
}

impl fmt::Display for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.kind {
            Kind::Root => "the folder of the spine",
            Kind::LinkedHere => "where you stand",
            Kind::TaskWorktree => "recorded with the task",
        };
        write!(f, "the work tree at `{}` ({why})", self.path.display())
    }
}

/// The tree that the caller stands in.
pub fn here(session: &Session<'_>) -> Judged {
    let kind = if session.spine.is_linked() { Kind::LinkedHere } else { Kind::Root };
    Judged::new(&session.spine.tree, kind)
}

/// The tree of a task: the caller's where that is a linked work tree, else the recorded one, else the root.
///
/// A recorded tree that is gone is named to the caller, and the root stands in for it.
pub fn of(session: &Session<'_>, task: &Task) -> Judged {
    if session.spine.is_linked() { here(session) } else { told(session, task, own(session, task)) }
}

/// Refuses a caller who stands in another linked work tree than the one that the task records: what lies here is not
/// the task's work, and closing it over this tree would judge something else.
pub fn refuse_another(session: &Session<'_>, task: &Task) -> Result<(), Refusal> {
    let own = own(session, task);
    if !session.spine.is_linked() || own.kind != Kind::TaskWorktree || own.path == session.spine.tree {
        return Ok(());
    }
    let there = own.path.display();
    Err(Refusal::new(codes::OTHER_TREE, format!("`{}` is worked on in the work tree at `{there}`", task.id))
        .hint("run the command there, or from the main checkout, which judges that tree")
        .next(format!("cd {}", quote(&there.to_string()))))
}

/// The tree of each task where several are judged at once.
///
/// In a linked work tree, tasks that record another tree keep theirs. A task that records none is
/// judged where the caller stands, unless one of the others lays claim to that tree: then it can only
/// have been worked on at the root.
pub fn of_each(session: &Session<'_>, tasks: &[Task]) -> Vec<Judged> {
    let own: Vec<Judged> = tasks.iter().map(|task| own(session, task)).collect();
    let is_here = |judged: &Judged| judged.kind == Kind::TaskWorktree && judged.path == session.spine.tree;
    let stays = |judged: &Judged| match judged.kind {
        _ if !session.spine.is_linked() => true,
        Kind::TaskWorktree => !is_here(judged),
        _ => own.iter().any(is_here),
    };
    let stays: Vec<bool> = own.iter().map(stays).collect();
    let each = own.into_iter().zip(stays).zip(tasks);
    each.map(|((judged, stays), task)| if stays { told(session, task, judged) } else { here(session) })
        .collect()
}

/// Names a recorded tree that can't be used to the caller.
fn told(session: &Session<'_>, task: &Task, judged: Judged) -> Judged {
    if let Some(unusable) = &judged.unusable {
        session.warn(format!(
            "the work tree {unusable}, which {} records; the root is judged instead",
            task.display_id()
        ));
    }
    judged
}

/// The recorded tree of a task, else the root.
fn own(session: &Session<'_>, task: &Task) -> Judged {
    let root = Judged::new(&session.spine.root, Kind::Root);
    let Some(recorded) = task.worktree.as_deref().filter(|folder| !folder.trim().is_empty()) else {
        return root;
    };
    match find(session, recorded) {
        Ok(path) if path == session.spine.root => root,
        Ok(path) => Judged::new(&path, Kind::TaskWorktree),
        Err(why) => Judged { unusable: Some(format!("`{recorded}` {why}")), ..root },
    }
}

/// The folder in a recorded work tree that matches the root of the spine.
fn find(session: &Session<'_>, recorded: &str) -> Result<PathBuf, &'static str> {
    let root = &session.spine.root;
    let folder = std::fs::canonicalize(root.join(recorded)).map_err(|_| "is gone")?;
    if !folder.is_dir() {
        return Err("is no folder");
    }
    let Some(own) = &session.spine.layout else { return Ok(folder) };
    // A folder of another repository would be judged by files that nobody locked.
    match Layout::discover(&folder) {
        Ok(Some(found)) if found.common_dir == own.common_dir => Ok(matching(session, &found, folder)),
        _ => Err("is no work tree of this repository"),
    }
}

/// Programs record either the top of a work tree or the folder in it that matches the root.
fn matching(session: &Session<'_>, found: &Layout, folder: PathBuf) -> PathBuf {
    let within = root_within(session);
    if folder != found.work_tree || within.as_os_str().is_empty() {
        return folder;
    }
    let matching = folder.join(within);
    if matching.is_dir() { matching } else { folder }
}

/// The root's own name below the top of its work tree; empty at the top and outside git.
pub(crate) fn root_within(session: &Session<'_>) -> PathBuf {
    let tree = &session.spine.tree;
    let top = session.spine.layout.as_ref().map(|layout| layout.work_tree.as_path());
    top.and_then(|top| tree.strip_prefix(top).ok()).unwrap_or(Path::new("")).to_owned()
}
