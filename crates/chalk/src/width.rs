//! How much one task takes in: tasks are to be of a single feature (P2). Measured and shown, never refused.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Task;

/// More criteria than this are more than one feature.
const CRITERIA: usize = 7;
/// So are more locked tests than this,
const TESTS: usize = 5;
/// tests in more areas than this,
const AREAS: usize = 2;
/// and a criterion that joins more things than this.
const JOINED: usize = 3;

/// Folders that say nothing of what a file is about.
const NEUTRAL: &[&str] = &[
    "src",
    "lib",
    "app",
    "apps",
    "packages",
    "crates",
    "modules",
    "services",
    "test",
    "tests",
    "spec",
    "specs",
    "__tests__",
    "unit",
    "integration",
    "e2e",
    "functional",
    "main",
    "java",
    "kotlin",
    "internal",
    "pkg",
    "cmd",
    "..",
    ".",
    ".chalk",
];

/// A task in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Width {
    /// Criteria that say something.
    pub criteria: usize,
    /// Locked tests.
    pub tests: usize,
    /// The parts of the project that the locked tests lie in.
    pub areas: Vec<String>,
    /// The most things that one criterion joins with "and" or a semicolon.
    pub joined: usize,
    /// Which of these numbers speak of several features, one phrase each; none for a small task.
    pub wide: Vec<String>,
}

/// Measures a task.
pub fn measure(task: &Task) -> Width {
    let criteria = task.criteria().count();
    let tests = task.tests.len();
    let areas: BTreeSet<&str> = task.tests.iter().filter_map(|lock| area(&lock.path)).collect();
    let areas: Vec<String> = areas.into_iter().map(str::to_owned).collect();
    let joined = task.criteria().map(things).max().unwrap_or(0);
    let mut wide = Vec::new();
    if criteria > CRITERIA {
        wide.push(format!("{criteria} criteria, more than {CRITERIA}"));
    }
    if tests > TESTS {
        wide.push(format!("{tests} locked tests, more than {TESTS}"));
    }
    if areas.len() > AREAS {
        wide.push(format!("tests in {} areas, more than {AREAS}: {}", areas.len(), areas.join(", ")));
    }
    if joined > JOINED {
        wide.push(format!("a criterion that joins {joined} things, more than {JOINED}"));
    }
    Width { criteria, tests, areas, joined, wide }
}

/// The outermost folder of a path that says what it is about.
fn area(path: &str) -> Option<&str> {
    let (folders, _) = path.rsplit_once('/')?;
    folders.split('/').find(|folder| !NEUTRAL.contains(folder))
}

/// How many things a criterion asks for at once, as far as its conjunctions tell.
fn things(criterion: &str) -> usize {
    let words = criterion.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
    let joins = words.filter(|word| word.eq_ignore_ascii_case("and")).count();
    1 + joins + criterion.matches("; ").count()
}

#[cfg(test)]
mod tests {
    use canon::Sha256;

    use super::*;
    use crate::model::task::{Criterion, Lock};

    fn task(criteria: &[&str], tests: &[&str]) -> Task {
        Task {
            acceptance_criteria: criteria.iter().map(|text| Criterion { text: (*text).to_owned() }).collect(),
            tests: tests
                .iter()
                .map(|path| Lock { path: (*path).to_owned(), sha256: Sha256::of("") })
                .collect(),
            ..Task::default()
        }
    }

    #[test]
    fn a_small_task_is_not_wide() {
        let width = measure(&task(
            &["add(1, 2) is 3 and add(0, 0) is 0", " "],
            &["test/a.test.js", "test/b.test.js"],
        ));
        assert_eq!((width.criteria, width.tests, width.joined), (1, 2, 2));
        assert!(width.areas.is_empty() && width.wide.is_empty(), "{width:?}");
    }

    #[test]
    fn each_measure_says_its_number() {
        let eight: Vec<&str> = vec!["x"; 8];
        assert_eq!(measure(&task(&eight, &[])).wide, ["8 criteria, more than 7"]);
        let six: Vec<&str> = vec!["test/a.js"; 6];
        assert_eq!(measure(&task(&[], &six)).wide, ["6 locked tests, more than 5"]);
        let spread = ["packages/api/test/a.js", "packages/web/test/a.js", "test/billing/a.js"];
        assert_eq!(measure(&task(&[], &spread)).wide, ["tests in 3 areas, more than 2: api, billing, web"]);
        let joined = ["log in, and log out; reset the password and send a mail"];
        assert_eq!(measure(&task(&joined, &[])).wide, ["a criterion that joins 4 things, more than 3"]);
    }
}
