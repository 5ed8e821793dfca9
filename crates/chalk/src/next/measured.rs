//! What the gates measured last. To show, not to rely on: every gate measures for itself.

use canon::Sha256;

use crate::model::Task;
use crate::session::Session;
use crate::verify::{self, Last, Standing};

/// The last verify run on record, of whichever tasks.
///
/// Whether the content moved since is not asked, since hashing a tree takes longer than an answer may: its
/// standing says at most that the commands changed or that a later run never ended.
pub(crate) fn last(session: &Session<'_>) -> Option<Last> {
    verify::last(session, Sha256::of("")).ok()?
}

/// The last verify run, where it judged `task` with the present commands and ended after the task was started.
pub(crate) fn verify(session: &Session<'_>, task: &Task) -> Option<Last> {
    let last = last(session)?;
    let started = task.started_at.as_deref().unwrap_or_default();
    let counts = !matches!(last.standing, Standing::CommandsChanged | Standing::Interrupted)
        && last.stored.tasks.contains(&task.id)
        && last.at.to_string().as_str() >= started;
    counts.then_some(last)
}
