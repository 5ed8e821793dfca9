//! The test-impact map: from the files that changed to the tests that name or import them, across the locks of
//! all tasks and the test files of the repository (P3, facts 6 item 4).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use canon::json;
use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file;
use store::git::RepoPath;

use super::changed::{self, ChangedFile};
use super::{link, words};
use crate::locks::{self, LockState};
use crate::model::{Config, Task};
use crate::session::{self, Session};
use crate::source::language;
use crate::tree;
use crate::withheld::Withheld;

/// A test of more bytes is not read.
const LARGEST: usize = 1024 * 1024;
/// So many tests are read at most.
const MOST: usize = 5000;

/// The test-impact map of a task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Impact {
    /// The tree that was looked at.
    pub tree: tree::Judged,
    /// The commit from which the change is measured; none before the first one and outside git.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Why nothing is known of the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<String>,
    /// The files that changed.
    pub changed: Vec<ChangedFile>,
    /// The tests that name or import one of them, or changed themselves; locked ones first.
    pub tests: Vec<AtRisk>,
    /// The task's own locks.
    pub locks: Vec<LockState>,
    /// Which of the locked tests speak of which criterion.
    pub coverage: Vec<Coverage>,
}

/// A test at risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AtRisk {
    /// Its path, relative to the root.
    pub path: String,
    /// What ties it to the change, as in `imports src/add.rs`.
    pub because: Vec<String>,
    /// The tasks that hold a lock on it.
    pub locked_by: Vec<String>,
    /// It changed itself.
    pub changed: bool,
}

/// Where a criterion is spoken of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Coverage {
    /// The number of the criterion, from 1.
    pub criterion: usize,
    /// The locked tests that hold at least half of its words.
    pub tests: Vec<String>,
}

/// What is needed of every task: its locks.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Locked {
    #[serde(default)]
    pub id: String,
    #[serde(default)]
    pub tests: Vec<LockedPath>,
    #[serde(default)]
    pub held_out: Vec<String>,
}

/// A lock of which the path alone is needed.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct LockedPath {
    #[serde(default)]
    pub path: String,
}

/// The locks of every task.
pub(super) fn locks_of_all(session: &Session<'_>) -> Result<Vec<Locked>, Refusal> {
    let tasks = session.tasks()?;
    if tasks.as_str().trim().is_empty() {
        return Ok(Vec::new());
    }
    json::read(json::legible(tasks.as_str()).as_bytes()).map_err(|damage| session.damaged("tasks.json", &damage))
}

/// Draws the map.
pub(super) fn map(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    all: &[Locked],
    withheld: &mut Withheld,
) -> Result<Impact, Refusal> {
    let tree = tree::of(session, task);
    let files = files(session, &tree.path)?;
    withheld.allow(&files);
    let change = changed::changed(session, config, task, &tree.path, withheld);
    let mut locked_by: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in all {
        for lock in &task.tests {
            let path = RepoPath::from(lock.path.replace('\\', "/").as_str()).to_string();
            locked_by.entry(path).or_default().push(task.id.clone());
        }
    }
    let tests: BTreeSet<String> = files
        .iter()
        .filter_map(|path| std::str::from_utf8(path.as_bytes()).ok())
        .filter(|path| language::is_test_path(path))
        .map(str::to_owned)
        .chain(locked_by.keys().cloned())
        .filter(|path| !withheld.hides(path.as_bytes()))
        .collect();
    if tests.len() > MOST {
        session.warn(format!("the test-impact map looked at {MOST} of {} tests", tests.len()));
    }
    let changed: BTreeSet<&str> = change.files.iter().map(|file| file.path.as_str()).collect();
    let mut at_risk: Vec<AtRisk> = Vec::new();
    for path in tests.iter().take(MOST) {
        let is_changed = changed.contains(path.as_str());
        let others: Vec<&str> = changed.iter().copied().filter(|file| file != path).collect();
        let because = match read(&tree.path, path) {
            Some(text) if !others.is_empty() => link::because(path, &text, &others),
            _ => Vec::new(),
        };
        if is_changed || !because.is_empty() {
            let because = if because.is_empty() { vec!["part of the change".to_owned()] } else { because };
            let locked_by = locked_by.get(path).cloned().unwrap_or_default();
            at_risk.push(AtRisk { path: path.clone(), because, locked_by, changed: is_changed });
        }
    }
    at_risk.sort_by(|a, b| a.locked_by.is_empty().cmp(&b.locked_by.is_empty()).then_with(|| a.path.cmp(&b.path)));
    let locks = locks::check(session, task, &tree.path)?;
    let locks: Vec<LockState> =
        locks.into_iter().filter(|lock| !withheld.hides(lock.path.as_bytes())).collect();
    let coverage = coverage(task, &locks, &tree.path);
    Ok(Impact {
        base: change.base,
        unknown: change.unknown,
        changed: change.files,
        tests: at_risk,
        locks,
        coverage,
        tree,
    })
}

/// The files of a tree, as git would take them into a commit.
fn files(session: &Session<'_>, tree: &Path) -> Result<Vec<RepoPath>, Refusal> {
    if let Some(git) = session.git(tree) {
        return git.files().map_err(session::git);
    }
    let mut files = Vec::new();
    for entry in ignore::WalkBuilder::new(tree).require_git(false).build().flatten() {
        if entry.file_type().is_some_and(|kind| kind.is_file())
            && let Ok(path) = entry.path().strip_prefix(tree)
        {
            files.push(RepoPath::from_path(path));
        }
    }
    files.sort();
    Ok(files)
}

fn read(tree: &Path, path: &str) -> Option<String> {
    let bytes = file::read(&locks::on_disk(tree, path)).ok()??;
    (bytes.len() <= LARGEST).then(|| String::from_utf8_lossy(&bytes).into_owned())
}

/// Which locked tests hold at least half of the words of a criterion.
fn coverage(task: &Task, locks: &[LockState], tree: &Path) -> Vec<Coverage> {
    let spoken: Vec<(&str, BTreeSet<String>)> = locks
        .iter()
        .filter_map(|lock| Some((lock.path.as_str(), words::of(&read(tree, &lock.path)?))))
        .collect();
    if spoken.is_empty() {
        return Vec::new();
    }
    let criteria = task.criteria().enumerate().map(|(number, text)| {
        let wanted = words::of(text);
        let holds = |found: &BTreeSet<String>| 2 * words::shared(&wanted, found) >= wanted.len().max(1);
        let tests = spoken.iter().filter(|(_, found)| holds(found)).map(|(path, _)| (*path).to_owned());
        Coverage { criterion: number + 1, tests: tests.collect() }
    });
    criteria.collect()
}

