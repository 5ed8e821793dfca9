//! The read gate (RG-1): a lesson whose signature recurs although nobody read it was skipped, and is flagged once.

use std::path::Path;

use schemars::JsonSchema;
use serde::Serialize;

use super::entry::Entry;
use super::evidence::Evidence;
use super::fields::Status;
use crate::session::Session;

/// The mark of a session that a skip was flagged: `lesson-skip:<entry>`.
pub const SKIPPED: &str = "lesson-skip:";

/// A lesson that was not read although it mattered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Skip {
    /// The entry.
    pub id: String,
    /// What recurred.
    pub signature: String,
    /// The piece of evidence that shows it.
    pub reference: String,
    /// The file that was not read, from the top of the repository.
    pub path: String,
}

impl Skip {
    /// The name of the mark that keeps the skip from being flagged again.
    pub fn mark(&self) -> String {
        format!("{SKIPPED}{}", self.id)
    }
}

/// The lessons that recur in `evidence`, the session's own, and whose files the session never read. What carries the mark
/// of an earlier flag is left out, and what [`lifecycle`](super::lifecycle) revives for the same recurrence, since that
/// is told already.
pub fn skips(
    entries: &[Entry],
    evidence: &[Evidence],
    session: &Session,
    project: &str,
    vault: &str,
) -> Vec<Skip> {
    let is_read =
        |path: &str| session.reads.keys().any(|read| read == path || Path::new(read).ends_with(path));
    let is_a_lesson = |entry: &&Entry| {
        matches!(entry.status(), Status::Promoted | Status::Candidate)
            && entry.fields.quarantine.is_none()
            && entry.applies_in(project)
    };
    entries
        .iter()
        .filter(is_a_lesson)
        .filter_map(|entry| {
            let signature = entry.signature();
            let piece = evidence.iter().find(|piece| !piece.contradicts && piece.is_about(&signature))?;
            let path = format!("{vault}/{}", entry.path());
            let skip = Skip { id: entry.id.clone(), signature, reference: piece.reference.clone(), path };
            (!is_read(&skip.path) && !session.marks.contains_key(&skip.mark())).then_some(skip)
        })
        .collect()
}
