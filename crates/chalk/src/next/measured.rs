//! What the gates measured last, as far as the end of the log of results tells. To show, not to rely on:
//! every gate measures for itself.

use canon::Timestamp;
use store::chain::Record;
use store::file;

use crate::model::Task;
use crate::session::Session;
use crate::verify::{self, Stored};

/// How much of the log is looked at.
const TAIL: u64 = 256 * 1024;

/// A verify run on record.
#[derive(Debug, Clone)]
pub(crate) struct Verified {
    /// When it ended.
    pub at: Timestamp,
    /// Whether it was green.
    pub green: bool,
    /// What made it red, in short.
    pub red: Vec<String>,
}

/// The last verify run, of whichever tasks, and the whole ids of those.
pub(crate) fn last(session: &Session<'_>) -> Option<(Verified, Vec<String>)> {
    let chain = session.results().ok()?;
    let (tail, _) = file::read_tail(chain.path(), TAIL).ok()?;
    tail.split(|&byte| byte == b'\n').rev().find_map(|line| {
        let record: Record = canon::json::read(line).ok()?;
        let stored: Stored = (record.kind == verify::KIND).then(|| serde_json::from_value(record.body).ok())??;
        Some((Verified { at: record.at, green: stored.green, red: stored.red }, stored.tasks))
    })
}

/// The last verify run, where it judged `task` and ran after it was started.
pub(crate) fn verify(session: &Session<'_>, task: &Task) -> Option<Verified> {
    let (verified, tasks) = last(session)?;
    let started = task.started_at.as_deref().unwrap_or_default();
    (tasks.contains(&task.id) && verified.at.to_string().as_str() >= started).then_some(verified)
}
