//! Lever 1: a change that adds a feature adds or changes a test (facts 4.7).

use gate::Refusal;
use store::git::{Change, ChangeKind};

use super::files::text;
use super::{Outcome, Subject};
use crate::change::{ChangeSet, shown};
use crate::codes;
use crate::source::language::{Language, is_test_path};

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
    if !task.tests.is_empty() {
        return Ok(Outcome::off("the task has locked tests"));
    }
    if let Some(kind) = task.branch_type.as_deref().filter(|kind| EXEMPT.contains(kind)) {
        return Ok(Outcome::off(format!("a change of the kind `{kind}` needs no test")));
    }
    if let Some(label) = task.labels.iter().find(|label| LABELS.contains(&label.as_str())) {
        return Ok(Outcome::off(format!("the task has the label `{label}`")));
    }
    let set = match subject.change()? {
        Ok(set) => set,
        Err(outcome) => return Ok(outcome),
    };
    for change in &set.files {
        if is_test_change(subject, set, change)? {
            return Ok(Outcome::Held);
        }
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
