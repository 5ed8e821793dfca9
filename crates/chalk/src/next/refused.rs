//! What `done` refused last, kept among the results, so that nobody is sent back into the same refusal.

use canon::Sha256;
use gate::Refusal;
use serde::{Deserialize, Serialize};
use store::chain::{ChainError, Record};
use store::file;

use crate::codes;
use crate::model::Task;
use crate::review;
use crate::session::{self, Session};

/// The kind of the record in the chain of results.
const KIND: &str = "done";
/// How much of the end of the chain is looked at.
const TAIL: u64 = 512 * 1024;

/// A refusal of `done`, and what it was a refusal of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// The whole id of the task.
    task: String,
    /// The reason code.
    pub code: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The content digest of the tree that was judged.
    pub digest: Sha256,
    /// The digest of what the task asked for.
    asked: Sha256,
    /// How many reviews the task had.
    reviews: usize,
}

impl Kept {
    /// Whether the task still asks for the same.
    pub fn asks_the_same(&self, task: &Task) -> bool {
        self.asked == review::asked(task)
    }

    /// Whether no review came after it.
    pub fn is_newer_than_reviews(&self, task: &Task) -> bool {
        self.reviews == task.reviews.len()
    }
}

/// Keeps a refusal of `task`, whose tree had the content `digest`.
pub(crate) fn keep(
    session: &Session<'_>,
    task: &Task,
    refusal: &Refusal,
    digest: Sha256,
) -> Result<(), Refusal> {
    let kept = Kept {
        task: task.id.clone(),
        code: refusal.code.as_str().to_owned(),
        message: refusal.message.clone(),
        facts: refusal.facts.clone(),
        hint: refusal.hint.clone(),
        next: refusal.next.clone(),
        digest,
        asked: review::asked(task),
        reviews: task.reviews.len(),
    };
    let body = serde_json::to_value(&kept).unwrap_or_default();
    // The lock of the spine keeps two processes from mixing their lines.
    session.write("done", |draft| match session.results()?.append(draft.now(), KIND, body) {
        Ok(_) => Ok(()),
        Err(ChainError::File(error)) => Err(session::io(error)),
        Err(broken) => Err(Refusal::new(codes::IO, broken.to_string())),
    })
}

/// The last refusal of `task` since it was started.
pub(super) fn last(session: &Session<'_>, task: &Task) -> Option<Kept> {
    let started = task.started_at.as_deref().unwrap_or_default();
    let (tail, _) = file::read_tail(session.results().ok()?.path(), TAIL).ok()?;
    tail.split(|&byte| byte == b'\n')
        .rev()
        .filter_map(|line| canon::json::read::<Record>(line).ok())
        .filter(|record| record.kind == KIND && record.at.to_string().as_str() >= started)
        .filter_map(|record| serde_json::from_value::<Kept>(record.body).ok())
        .find(|kept| kept.task == task.id)
}
