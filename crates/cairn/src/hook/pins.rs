//! The pinned constraints of a repository: what its policy names, and what the work in progress is held to.

use std::path::{Path, PathBuf};

use chalk::pinned::Pinned;
use govern::policy::{Pin, Policy};
use govern::session::pins::{Constraint, joined};
use store::file;
use store::git::RepoPath;
use store::tree::{Revision, Tree};

/// The most bytes of a file with constraints.
const LARGEST: u64 = 64 * 1024;

/// The most constraints that are kept, the highest priorities first.
const MOST: usize = 200;

/// The priority of what a task is held to: as high as any.
const TASK: u32 = 100;

/// Every constraint, the highest priority first. Files that they are read from are added to `files`.
pub(super) fn pinned(
    policy: &Policy,
    root: &Path,
    committed: Option<&Revision>,
    work: &[Pinned],
    files: &mut Vec<PathBuf>,
) -> Vec<Constraint> {
    let mut constraints = Vec::new();
    for pin in &policy.pins {
        match (&pin.text, &pin.file) {
            (Some(text), _) => constraints.push(Constraint::new(text, pin)),
            (None, Some(name)) => {
                constraints.extend(of_file(name, pin, root, committed));
                files.push(root.join(name));
            }
            (None, None) => {}
        }
    }
    constraints.extend(work.iter().flat_map(of_task));
    let mut constraints = joined(constraints);
    constraints.truncate(MOST);
    constraints
}

/// The lines that `HEAD` has, and those that the working tree adds to them.
fn of_file(name: &str, pin: &Pin, root: &Path, committed: Option<&Revision>) -> Vec<Constraint> {
    let head = committed.and_then(|tree| tree.read(&RepoPath::from(name)).ok()?);
    let own =
        if root.join(name).is_file() { file::read_at_most(&root.join(name), LARGEST).ok() } else { None };
    let texts: Vec<Vec<u8>> = [head, own.flatten()].into_iter().flatten().collect();
    if texts.is_empty() {
        // A pin that can't be said must not pass for one that was.
        let words = format!(
            "`{name}` holds pinned constraints and can't be read here: ask the person for them first"
        );
        return vec![Constraint::stated(&words, pin.priority, true, &[])];
    }
    let lines = texts.iter().map(|text| Constraint::of_lines(&String::from_utf8_lossy(text), pin));
    lines.flatten().collect()
}

fn of_task(work: &Pinned) -> Vec<Constraint> {
    let mut found = Vec::new();
    if !work.criteria.is_empty() {
        let criteria = work.criteria.join("; ");
        let words = format!("task {} in progress, {}. It is accepted by: {criteria}", work.task, work.title);
        found.push(Constraint::stated(&words, TASK, false, &[]));
    }
    if !work.tests.is_empty() {
        let tests = work.tests.join(", ");
        let words = format!("task {}: never edit its locked tests: {tests}", work.task);
        let against = ["edit locked test", "change locked test", "delete locked test", "skip locked test"];
        found.push(Constraint::stated(&words, TASK, true, &against));
    }
    found
}
