//! What the held-out set says of the tasks that name files of it as theirs.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::Outcome;
use super::run::SetRun;
use crate::held_out::{HeldOut, HeldOutFile};
use crate::locks;
use crate::model::Task;

/// What the set says of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct TaskResult {
    /// The task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its criteria, which are what failed, as far as one can tell without naming an assertion.
    pub criteria: Vec<String>,
    /// How its held-out files came out together.
    pub outcome: Outcome,
    /// How many of the files that it names are not locked, so that they count for nothing.
    pub unlocked: usize,
}

/// The result of each task that names held-out files.
pub(super) fn results(
    tasks: &[Task],
    set: &HeldOut,
    broken: &[HeldOutFile],
    ran: &SetRun,
) -> Vec<TaskResult> {
    let naming = tasks.iter().filter(|task| !task.held_out.is_empty());
    naming
        .map(|task| {
            let locked = |named: &String| set.locks.iter().find(|lock| is_meant(named, &lock.path));
            let files: Vec<&str> =
                task.held_out.iter().filter_map(locked).map(|lock| lock.path.as_str()).collect();
            TaskResult {
                id: task.id.clone(),
                title: task.title.clone(),
                criteria: task.criteria().map(str::to_owned).collect(),
                outcome: outcome(&files, broken, ran),
                unlocked: task.held_out.len() - files.len(),
            }
        })
        .collect()
}

/// Whether a task means the locked file by `named`: a path, or the file's name alone.
fn is_meant(named: &str, locked: &str) -> bool {
    let is_name = !named.contains(['/', '\\']);
    locks::is_same(named, locked)
        || (is_name && Path::new(locked).file_name().is_some_and(|name| name == named))
}

fn outcome(files: &[&str], broken: &[HeldOutFile], ran: &SetRun) -> Outcome {
    if files.is_empty() {
        return Outcome::NotRun;
    }
    if broken.iter().any(|file| files.contains(&file.path.as_str())) {
        return Outcome::Fail;
    }
    let own: Vec<Outcome> = ran
        .each
        .iter()
        .filter(|(path, _)| files.contains(&path.as_str()))
        .map(|(_, outcome)| *outcome)
        .collect();
    if let Some(red) = own.iter().find(|outcome| outcome.is_red()) {
        return *red;
    }
    match (own.is_empty(), ran.outcome()) {
        (false, _) => Outcome::Pass,
        // One run of everything: a pass is everyone's, a failure somebody's.
        (true, Outcome::Fail) => Outcome::Unknown,
        (true, outcome) => outcome,
    }
}
