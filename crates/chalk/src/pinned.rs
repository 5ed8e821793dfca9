//! What the work in progress is held to, for whoever keeps it before an agent's eyes: criteria, and locked tests by
//! name.

use gate::Refusal;

use crate::Session;
use crate::model::State;

/// A task in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pinned {
    /// The task as people see it.
    pub task: String,
    /// What it is about.
    pub title: String,
    /// What it is accepted by.
    pub criteria: Vec<String>,
    /// The locked tests.
    pub tests: Vec<String>,
}

/// The tasks in progress that have criteria or locked tests.
///
/// # Errors
/// The tasks can't be read.
pub fn pinned(session: &Session<'_>) -> Result<Vec<Pinned>, Refusal> {
    let tasks = session.all_tasks()?.into_iter().filter(|task| task.state == State::InProgress);
    let of = |task: crate::model::Task| Pinned {
        task: task.display_id().to_owned(),
        criteria: task.criteria().map(str::to_owned).collect(),
        tests: task.tests.iter().map(|lock| lock.path.clone()).collect(),
        title: task.title,
    };
    Ok(tasks.map(of).filter(|one| !one.criteria.is_empty() || !one.tests.is_empty()).collect())
}
