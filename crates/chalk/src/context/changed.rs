//! The change of a task by file, as a context and a handoff name it.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;
use store::git::ChangeKind;

use crate::change::{self, Change, Origin};
use crate::model::{Config, Task};
use crate::session::Session;
use crate::withheld::Withheld;

/// A changed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ChangedFile {
    /// Its path, relative to the root.
    pub path: String,
    /// `added`, `modified`, `deleted`, `renamed`, `type-changed` or `untracked`.
    pub how: &'static str,
}

/// What changed in a tree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changed {
    /// The commit from which the change is measured; none before the first one.
    pub base: Option<String>,
    /// The files, without held-out ones and the state of the spine.
    pub files: Vec<ChangedFile>,
    /// Why nothing is known.
    pub unknown: Option<String>,
}

/// What the work on `task` changed in `tree` so far. Nothing is left out silently: where it can't be told,
/// the reason is.
pub(crate) fn changed(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
    withheld: &Withheld,
) -> Changed {
    let unknown = |why: String| Changed { unknown: Some(why), ..Changed::default() };
    let set = match change::of(session, config, task, tree) {
        Ok(Change::Unknown(_)) => return unknown("outside git nothing tells old from new".to_owned()),
        Ok(Change::Known(set)) => set,
        Err(refusal) => return unknown(refusal.message),
    };
    let base = set.base.commit.as_ref().map(|oid| oid.as_str().to_owned());
    // What a review falls back to where nothing differs is not the work on this task.
    let is_fallback = match set.base.origin {
        Origin::LastCommit => true,
        Origin::Beginning => {
            set.files.iter().all(|file| file.kind != ChangeKind::Untracked) && has_commit(session, tree)
        }
        _ => false,
    };
    if is_fallback {
        return Changed { base, ..Changed::default() };
    }
    let files = set.worked_on().filter(|file| !withheld.hides(file.path.as_bytes()));
    let files =
        files.map(|file| ChangedFile { path: change::shown(&file.path), how: how(file.kind) }).collect();
    Changed { base, files, unknown: None }
}

fn has_commit(session: &Session<'_>, tree: &Path) -> bool {
    session.git(tree).and_then(|git| git.head().ok()).is_some_and(|head| head.oid().is_some())
}

fn how(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Modified => "modified",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Renamed => "renamed",
        ChangeKind::TypeChanged => "type-changed",
        ChangeKind::Untracked => "untracked",
    }
}
