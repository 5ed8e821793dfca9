//! Lever 1: a change that adds a feature adds or changes a test (facts 4.7).

use gate::Refusal;
use store::git::{Change, ChangeKind};

use super::files::{TESTS_ALONE, implementation, text};
use super::{Outcome, Subject};
use crate::change::{ChangeSet, shown};
use crate::codes;
use crate::locks;
use crate::model::Task;
use crate::source::language::{Language, is_test_path};
use crate::source::says_something;

/// Kinds of change that need no test.
const EXEMPT: &[&str] = &["docs", "chore", "refactor", "style", "build", "ci"];
/// Labels that a person puts on a task that needs none.
const LABELS: &[&str] = &["skip-test", "no-test"];

/// How many changed files are named.
const NAMED: usize = 5;

pub(super) fn ask(subject: &Subject<'_, '_>) -> Result<Outcome, Refusal> {
    let task = subject.task;
    if !subject.config.protocol.require_test {
        return Ok(Outcome::off("`protocol.requireTest` is false"));
    }
    if task.criteria().next().is_none() {
        return Ok(Outcome::off("the task has no criteria"));
    }
    if task.tests.iter().any(|lock| holds_test(subject, &lock.path)) {
        return Ok(Outcome::off("the task has locked tests"));
    }
    if let Some(exempt) = exemption(task) {
        return Ok(Outcome::off(exempt));
    }
    if !task.tests.is_empty() {
        return Ok(Outcome::idle("the locked tests are empty", codes::NO_TEST_CHANGE));
    }
    let set = match subject.change()? {
        Ok(set) => set,
        Err(outcome) => return Ok(outcome),
    };
    let mut tests = Vec::new();
    for change in &set.files {
        if is_test_change(subject, set, change)? {
            tests.push(change);
        }
    }
    if !tests.is_empty() {
        // An implementation in the place of a test is no test of itself.
        if implementation(subject, set).is_empty() {
            return Ok(subject.idle(TESTS_ALONE));
        }
        if tests.iter().all(|change| !holds_test(subject, &text(&change.path))) {
            return Ok(Outcome::idle("the tests that changed are empty", codes::NO_TEST_CHANGE));
        }
        return Ok(Outcome::Held);
    }
    let mut facts: Vec<String> =
        set.files.iter().take(NAMED).map(|change| format!("changed: `{}`", shown(&change.path))).collect();
    if set.files.len() > NAMED {
        facts.push(format!("and {} more files", set.files.len() - NAMED));
    }
    Ok(Outcome::Finding {
        code: codes::NO_TEST_CHANGE,
        message: "the change adds no test and changes none".to_owned(),
        facts,
    })
}

/// Why a task needs no test, by what it says of itself.
pub(super) fn exemption(task: &Task) -> Option<String> {
    if let Some(kind) = task.branch_type.as_deref().filter(|kind| EXEMPT.contains(kind)) {
        return Some(format!("a change of the kind `{kind}` needs no test"));
    }
    let label = task.labels.iter().find(|label| LABELS.contains(&label.as_str()))?;
    Some(format!("the task has the label `{label}`"))
}

/// Whether a file of the tree holds anything but comments. What can't be read is somebody else's finding.
fn holds_test(subject: &Subject<'_, '_>, path: &str) -> bool {
    let content = std::fs::read(locks::on_disk(subject.tree, path));
    content.map_or(true, |content| says_something(path, &String::from_utf8_lossy(&content)))
}

/// Whether a test was added or changed. One that was taken away proves nothing.
fn is_test_change(subject: &Subject<'_, '_>, set: &ChangeSet, change: &Change) -> Result<bool, Refusal> {
    let path = text(&change.path);
    if change.kind == ChangeKind::Deleted {
        return Ok(false);
    }
    if is_test_path(&path) {
        return Ok(true);
    }
    if Language::of(&path) != Some(Language::Rust) {
        return Ok(false);
    }
    // Rust keeps unit tests in the file that they test.
    let now = std::fs::read(subject.tree.join(change.path.to_path())).unwrap_or_default();
    let Some(now) = unit_tests(&now) else { return Ok(false) };
    let before = set.at_base(&change.path)?.unwrap_or_default();
    Ok(unit_tests(&before) != Some(now))
}

/// The text from the first mark of a test on.
fn unit_tests(text: &[u8]) -> Option<&[u8]> {
    let marks: [&[u8]; 3] = [b"#[cfg(test)]", b"#[test]", b"::test]"];
    let at = |mark: &[u8]| text.windows(mark.len()).position(|window| window == mark);
    marks.into_iter().filter_map(at).min().map(|at| &text[at..])
}
