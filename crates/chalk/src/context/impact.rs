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
use super::words;
use crate::locks::{self, LockState};
use crate::model::{Config, Task};
use crate::session::{self, Session};
use crate::source::impact::{self, Limit, Reach, Repository, TestFile, Why};
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
    /// Why the map may lack something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// A test at risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct AtRisk {
    /// Its path, relative to the root.
    pub path: String,
    /// What ties it to the change, the surest tie first, as in `imports src/add.rs`.
    pub because: Vec<String>,
    /// The tasks that hold a lock on it.
    pub locked_by: Vec<String>,
    /// It changed itself.
    pub changed: bool,
}

/// Where a criterion is spoken of. One without words to go by, such as `1+2 is 3`, has none.
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
    json::read(json::legible(tasks.as_str()).as_bytes())
        .map_err(|damage| session.damaged("tasks.json", &damage))
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
    let files: Vec<&str> = files
        .iter()
        .filter_map(|path| std::str::from_utf8(path.as_bytes()).ok())
        .filter(|path| !withheld.hides(path.as_bytes()))
        .collect();
    let tests: BTreeSet<&str> = files
        .iter()
        .copied()
        .filter(|path| language::is_test_path(path))
        .chain(locked_by.keys().map(String::as_str).filter(|path| !withheld.hides(path.as_bytes())))
        .collect();
    let (tests, limits) = at_risk(&tree.path, &change.files, &files, &tests, &locked_by);
    let locks = locks::check(session, task, &tree.path)?;
    let locks: Vec<LockState> =
        locks.into_iter().filter(|lock| !withheld.hides(lock.path.as_bytes())).collect();
    let coverage = coverage(task, &locks, &tree.path);
    Ok(Impact {
        base: change.base,
        unknown: change.unknown,
        changed: change.files,
        tests,
        locks,
        coverage,
        limits,
        tree,
    })
}

/// The tests that reach a changed file, and why some may be missing.
fn at_risk(
    tree: &Path,
    changed: &[ChangedFile],
    files: &[&str],
    tests: &BTreeSet<&str>,
    locked_by: &BTreeMap<String, Vec<String>>,
) -> (Vec<AtRisk>, Vec<String>) {
    let changed: Vec<&str> = changed.iter().map(|file| file.path.as_str()).collect();
    if changed.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut limits = Vec::new();
    if tests.len() > MOST {
        limits.push(format!("{MOST} of {} tests were looked at", tests.len()));
    }
    let loaded: Vec<(&str, String)> =
        tests.iter().take(MOST).filter_map(|path| Some((*path, read(tree, path)?))).collect();
    let loaded: Vec<TestFile<'_>> =
        loaded.iter().map(|(path, text)| TestFile { id: path, path, text }).collect();
    let found = impact::impact(&changed, &loaded, Repository { files, read: &|path| read(tree, path) });
    limits.extend(found.limits.iter().map(words_of));
    let mut ties: BTreeMap<&str, Vec<(usize, String)>> = BTreeMap::new();
    for file in &found.files {
        for reach in &file.tests {
            ties.entry(&reach.test).or_default().push(tie(reach, &file.path));
        }
    }
    let mut at_risk: Vec<(usize, AtRisk)> = ties
        .into_iter()
        .map(|(path, mut ties)| {
            ties.sort();
            let nearest = ties.first().map_or(0, |(rank, _)| *rank);
            let because = ties.into_iter().map(|(_, tie)| tie).collect();
            let locked_by = locked_by.get(path).cloned().unwrap_or_default();
            let changed = changed.contains(&path);
            (nearest, AtRisk { path: path.to_owned(), because, locked_by, changed })
        })
        .collect();
    at_risk.sort_by(|(a_rank, a), (b_rank, b)| {
        (a.locked_by.is_empty(), a_rank, &a.path).cmp(&(b.locked_by.is_empty(), b_rank, &b.path))
    });
    (at_risk.into_iter().map(|(_, test)| test).collect(), limits)
}

/// A tie in words, with its rank: the surer and shorter, the lower.
fn tie(reach: &Reach, file: &str) -> (usize, String) {
    match reach.why {
        Why::SameFile => (0, "part of the change".to_owned()),
        Why::Imports { .. } => match &reach.via[..] {
            [] => (1, format!("imports {file}")),
            [through] => (2, format!("imports {file} through {through}")),
            [first, .., last] => (1 + reach.via.len(), format!("imports {file} through {first} ... {last}")),
        },
        Why::Names { .. } => (10, format!("names {file}")),
        Why::Convention => (11, format!("goes by its name or place with {file}")),
    }
}

fn words_of(limit: &Limit) -> String {
    match limit {
        Limit::TooLarge(path) => format!("{path} is too large to be looked into"),
        Limit::Files => "not every file between tests and change was read".to_owned(),
        Limit::Bytes => "not every test was looked into".to_owned(),
        Limit::Hops | Limit::Steps => "imports were not followed to their end".to_owned(),
    }
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
    let criteria = task.criteria().enumerate().filter_map(|(number, text)| {
        let wanted = words::of(text);
        let holds = |found: &BTreeSet<String>| 2 * words::shared(&wanted, found) >= wanted.len();
        let tests = spoken.iter().filter(|(_, found)| holds(found)).map(|(path, _)| (*path).to_owned());
        (!wanted.is_empty()).then(|| Coverage { criterion: number + 1, tests: tests.collect() })
    });
    criteria.collect()
}
