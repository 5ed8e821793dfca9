//! What decides a locked test beside its own text: the command that runs it, the runner's configuration,
//! the scripts and targets on the way, its fixtures and snapshots.
//!
//! A test whose file is locked can still be made to say anything: by a script that runs less, a hook
//! that skips it, a fixture that does the code's work. So each of these is recorded with its digest when
//! the test is locked, in a key of the task's own, and compared when the test is judged.
//!
//! Of files that mostly name dependencies only the deciding sections count, so that a new version is no
//! alarm. Line ends don't count. What is found is what common tools do by convention: a plug-in that
//! reads settings from elsewhere is out of sight.

mod command;
mod files;
mod fixtures;
mod python;
mod rules;
mod runner;
mod sections;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use canon::{Sha256, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::RepoPath;

use self::command::Follower;
use self::files::Files;
use crate::locks::is_same;
use crate::model::task::Decider;
use crate::model::{Config, Task, VerifyGate};
use crate::session::{self, Session};

/// At most this many deciders are kept with a task.
pub const LIMIT: usize = 200;

/// Marks a runner's configuration that git ignores, and that another checkout therefore need not have.
const IGNORED: &str = "ignored:";

/// One thing that decides a test.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    /// Its name: a path, with `#` and a section where only a part counts.
    what: String,
    /// The file that git is asked about; none for what lies in `chalk.json`.
    file: Option<String>,
    sha256: Sha256,
    /// It was looked for by a fixed name, so that it counts even where git ignores it: a new
    /// `conftest.py` decides tests whether or not anybody else gets it.
    fixed: bool,
}

impl Part {
    fn new(what: String, file: &str, sha256: Sha256) -> Self {
        Self { what, file: Some(file.to_owned()), sha256, fixed: false }
    }

    fn whole(files: &Files<'_>, file: &str) -> Option<Self> {
        Some(Self::new(file.to_owned(), file, files.digest(file)?))
    }

    fn section(file: &str, section: &str, sha256: Sha256) -> Self {
        Self::new(format!("{file}#{section}"), file, sha256)
    }

    fn setting(name: &str, value: &str) -> Self {
        Self { what: name.to_owned(), file: None, sha256: Sha256::of(value), fixed: false }
    }

    fn by_fixed_name(mut self) -> Self {
        self.fixed = true;
        self
    }
}

/// What decides `tests`, paths as the task has them, in `tree` at present. Sorted by test and name.
///
/// # Errors
/// git doesn't say what it ignores.
pub fn collect(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
    tests: &[&str],
) -> Result<Vec<Decider>, Refusal> {
    if !tests.is_empty() {
        for command in unfollowed(config, tree) {
            let command = text::one_line(&command);
            session.warn(format!("`{command}` can't be followed, so what it runs is not watched"));
        }
    }
    collect_for(session, config, tree, tests, &|_| true)
}

/// Commands on the way of the gates that may run tests which take in a script whose name the shell makes when it
/// runs. What that script says decides tests, and nobody watches it.
pub(crate) fn unfollowed(config: &Config, tree: &Path) -> BTreeSet<String> {
    let files = Files::of(tree);
    let mut follower = Follower::new(&files);
    for gate in config.protocol.verify.iter().filter(|gate| may_run_tests(gate)) {
        follower.follow(&config.protocol.command(&gate.cmd).unwrap_or_default(), "");
    }
    follower.unfollowed
}

fn may_run_tests(gate: &VerifyGate) -> bool {
    !matches!(gate.name.as_str(), "typecheck" | "lint" | "build")
}

/// As [`collect`], with the commands of those gates alone that `counts` answers for by name.
fn collect_for(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
    tests: &[&str],
    counts: &dyn Fn(&str) -> bool,
) -> Result<Vec<Decider>, Refusal> {
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let files = Files::of(tree);
    let shared = commands(config, &files, counts);
    let mut each: Vec<(&str, BTreeMap<String, Part>)> = Vec::new();
    for test in tests {
        let name = test.replace('\\', "/");
        let mut parts = shared.clone();
        if config.protocol.command(&config.protocol.e2e.command).is_some()
            && name.ends_with(&config.protocol.e2e.spec_pattern)
        {
            parts.push(Part::setting("e2e.command", &config.protocol.e2e.command));
        }
        // Outside the tree nothing is known but the commands.
        if !name.starts_with("../") {
            parts.extend(runner::parts(&files, &name));
            parts.extend(fixtures::parts(&files, &name));
        }
        parts.retain(|part| !is_same(test, &part.what));
        // What has a fixed name counts as such, whoever else names it.
        parts.sort_by_key(|part| part.fixed);
        each.push((test, parts.into_iter().map(|part| (part.what.clone(), part)).collect()));
    }
    let ignored = ignored(session, tree, each.iter().flat_map(|(_, parts)| parts.values()))?;
    let mut deciders = Vec::new();
    for (test, parts) in each {
        for part in parts.into_values() {
            let is_ignored = part.file.as_ref().is_some_and(|file| ignored.contains(file));
            let what = match (is_ignored, part.fixed) {
                (false, _) => part.what,
                (true, true) => format!("{IGNORED}{}", part.what),
                (true, false) => continue,
            };
            deciders.push(Decider { test: test.to_owned(), what, sha256: part.sha256 });
        }
    }
    Ok(deciders)
}

/// The commands of the gates that may run tests, and what of the tree they run.
fn commands(config: &Config, files: &Files<'_>, counts: &dyn Fn(&str) -> bool) -> Vec<Part> {
    let protocol = &config.protocol;
    let mut parts = Vec::new();
    let mut follower = Follower::new(files);
    let has_test = protocol.verify.iter().any(|gate| gate.name == "test");
    if !has_test {
        // Also says that deciders were looked for.
        parts.push(Part::setting("verify.test", ""));
    }
    for gate in &protocol.verify {
        if !may_run_tests(gate) || !counts(&gate.name) {
            continue;
        }
        let command = protocol.command(&gate.cmd).unwrap_or_default();
        // A gate that is put off to the phase no longer runs the test in `verify`.
        let value = if gate.at_phase { format!("at phase: {command}") } else { command.clone() };
        parts.push(Part::setting(&format!("verify.{}", gate.name), &value));
        follower.follow(&command, "");
    }
    parts.extend(follower.parts.into_values());
    parts
}

/// The files of `parts` that git ignores.
fn ignored<'p>(
    session: &Session<'_>,
    tree: &Path,
    parts: impl Iterator<Item = &'p Part>,
) -> Result<BTreeSet<String>, Refusal> {
    let files: BTreeSet<&String> = parts.filter_map(|part| part.file.as_ref()).collect();
    let Some(git) = session.git(tree).filter(|_| !files.is_empty()) else { return Ok(BTreeSet::new()) };
    let paths: Vec<RepoPath> = files.iter().map(|file| RepoPath::from(file.as_str())).collect();
    let answers = git.ignored(&paths).map_err(session::git)?;
    Ok(files.into_iter().zip(answers).filter(|(_, ignored)| *ignored).map(|(file, _)| file.clone()).collect())
}

/// The deciders that a task keeps once those of `tests` are `fresh`, and how many did not fit.
pub(crate) fn kept(recorded: &[Decider], tests: &[&str], fresh: Vec<Decider>) -> (Vec<Decider>, usize) {
    let stays = |decider: &&Decider| !tests.iter().any(|test| is_same(test, &decider.test));
    let mut kept: Vec<Decider> = recorded.iter().filter(stays).cloned().collect();
    kept.extend(fresh);
    let cut = kept.len().saturating_sub(LIMIT);
    kept.truncate(LIMIT);
    (kept, cut)
}

/// A decider that is not what it was when its tests were locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Moved {
    /// The whole id of the task.
    pub task: String,
    /// `verify.test`, or a file's path, with `#` and the section where only a part counts.
    pub what: String,
    /// What became of it.
    pub how: How,
    /// The locked tests that it decides.
    pub tests: Vec<String>,
}

/// What became of a decider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// Its content changed.
    Changed,
    /// It was not there when the test was locked.
    Appeared,
    /// It is gone.
    Vanished,
}

impl Moved {
    /// What happened, as a sentence.
    pub fn sentence(&self) -> String {
        let how = match self.how {
            How::Changed => "changed since",
            How::Appeared => "appeared after",
            How::Vanished => "is gone since",
        };
        let first = text::one_line(self.tests.first().map_or("", String::as_str));
        let what = text::one_line(&self.what);
        let more = match self.tests.len() {
            0 | 1 => " was locked".to_owned(),
            n => format!(" and {} more were locked", n - 1),
        };
        format!("`{what}` {how} `{first}`{more}, and decides what it says")
    }
}

/// The recorded deciders of `task` that are not what they were, judged in `tree`. A task that another
/// program locked has none on record, and nothing to compare.
///
/// # Errors
/// git doesn't say what it ignores.
pub fn moved(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    tree: &Path,
) -> Result<Vec<Moved>, Refusal> {
    let recorded = task.cairn.as_ref().map(|own| own.deciders.as_slice()).unwrap_or_default();
    let is_locked = |decider: &&Decider| task.tests.iter().any(|lock| is_same(&lock.path, &decider.test));
    let recorded: Vec<&Decider> = recorded.iter().filter(is_locked).collect();
    let tests: BTreeSet<&str> = recorded.iter().map(|decider| decider.test.as_str()).collect();
    let tests: Vec<&str> = tests.into_iter().collect();
    // One more gate takes nothing from the ones that were there.
    let was_there = |gate: &str| recorded.iter().any(|it| it.what.strip_prefix("verify.") == Some(gate));
    let present = collect_for(session, config, tree, &tests, &was_there)?;
    let before: BTreeMap<Name<'_>, &Decider> = recorded.iter().map(|it| (Name::of(it), *it)).collect();
    let after: BTreeMap<Name<'_>, &Decider> = present.iter().map(|it| (Name::of(it), it)).collect();
    let mut differing: Vec<(Name<'_>, How)> = Vec::new();
    for (name, was) in &before {
        match after.get(name) {
            Some(now) if now.sha256 != was.sha256 => differing.push((*name, How::Changed)),
            Some(_) => {}
            // Another checkout need not have what git ignores.
            None if was.what.starts_with(IGNORED) => {}
            None => differing.push((*name, How::Vanished)),
        }
    }
    // Where the list was cut, what is not on it may well have been there.
    if before.len() < LIMIT {
        let new = after.keys().filter(|name| !before.contains_key(name));
        differing.extend(new.map(|name| (*name, How::Appeared)));
    }
    // What is locked itself needs no second watch.
    differing.retain(|(name, _)| !task.tests.iter().any(|lock| is_same(&lock.path, name.what)));
    let mut found: BTreeMap<(&str, How), Vec<String>> = BTreeMap::new();
    for (name, how) in differing {
        found.entry((name.what, how)).or_default().push(name.test.to_owned());
    }
    let moved = found.into_iter().map(|((what, how), tests)| Moved {
        task: task.id.clone(),
        what: what.to_owned(),
        how,
        tests,
    });
    Ok(moved.collect())
}

/// A decider's name, the same whether or not git ignores the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Name<'d> {
    test: &'d str,
    what: &'d str,
}

impl<'d> Name<'d> {
    fn of(decider: &'d Decider) -> Self {
        let what = decider.what.strip_prefix(IGNORED).unwrap_or(&decider.what);
        Self { test: &decider.test, what }
    }
}

/// What `parts` finds in a tree of these files, by name and sorted.
#[cfg(test)]
fn named(all: &[(&str, &str)], parts: impl FnOnce(&Files<'_>) -> Vec<Part>) -> Vec<String> {
    let tree = tempfile::tempdir().unwrap();
    for (name, content) in all {
        let path = tree.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    let mut names: Vec<String> = parts(&Files::of(tree.path())).into_iter().map(|part| part.what).collect();
    names.sort();
    names
}
