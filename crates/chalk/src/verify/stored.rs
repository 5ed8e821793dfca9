//! What is kept of a verify run, outside the work tree.

use std::path::PathBuf;

use canon::{Sha256, Timestamp};
use gate::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::chain::{Chain, ChainError, Record};
use store::file;

use super::{GateResult, Report};
use crate::codes;
use crate::session::Session;
use crate::toolchain::{self, Outcome};
use crate::tree;

/// The kind of a finished run in the chain of results.
pub const KIND: &str = "verify";
/// The kind of a run that began. Without a finished one behind it, the run died.
const BEGUN: &str = "verify-begun";

/// How much of the end of the chain is looked at for the last run.
const TAIL: u64 = 512 * 1024;

/// The record of one run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Stored {
    /// Whole ids of the tasks that were judged.
    pub tasks: Vec<String>,
    /// The tree that the toolchain ran in.
    pub tree: PathBuf,
    /// Why that one.
    pub kind: tree::Kind,
    /// The content digest before the toolchain.
    pub digest: Sha256,
    /// The content digest after it, where the toolchain changed files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest_after: Option<Sha256>,
    /// The digest of the commands that were to run.
    pub commands: Sha256,
    /// Every gate.
    pub gates: Vec<StoredGate>,
    /// Every lock.
    pub locks: Vec<StoredLock>,
    /// No gate failed and every lock held.
    pub green: bool,
    /// Nothing ran.
    pub vacuous: bool,
    /// Files that the toolchain changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// What made it red, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<String>,
}

/// One gate of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredGate {
    /// Its name.
    pub name: String,
    /// The browser spec that it ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// What became of it.
    pub result: Outcome,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub duration_ms: u64,
    /// The digest of its output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_sha256: Option<Sha256>,
}

impl StoredGate {
    pub(super) fn new(gate: &GateResult) -> Self {
        let run = gate.run.as_ref();
        Self {
            name: gate.name.clone(),
            spec: gate.spec.clone(),
            result: gate.result,
            cause: run.map(|run| run.cause.clone()),
            duration_ms: run.map_or(0, |run| run.duration_ms),
            log_sha256: run.and_then(|run| run.log_sha256),
        }
    }
}

/// One lock of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredLock {
    /// The task that holds it.
    pub task: String,
    /// The locked path.
    pub path: String,
    /// The digest that was locked.
    pub sha256: Sha256,
    /// Whether it held, before the toolchain and after it.
    pub held: bool,
}

/// The last run on record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Last {
    /// When it ended.
    pub at: Timestamp,
    /// What it found.
    pub stored: Stored,
    /// Whether it still speaks of what is there.
    pub standing: Standing,
}

/// Whether a result speaks of the present content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It judged this content with the present commands.
    Fresh,
    /// The content is another one now.
    ContentMoved,
    /// The commands are other ones now.
    CommandsChanged,
    /// A later run began and never ended.
    Interrupted,
}

impl Last {
    /// Whether it is green, judged the present content, and judged this task.
    pub fn is_green_for(&self, task: &str) -> bool {
        self.standing == Standing::Fresh && self.stored.green && self.stored.tasks.iter().any(|id| id == task)
    }
}

/// The last verify run on record, and whether it judged the content `digest`. To show, not to rely on:
/// `done` runs the toolchain itself.
///
/// A run whose toolchain changed files speaks of the content before and after: what it left behind is
/// what it judged and its own doing, and no one else touched it.
///
/// # Errors
/// There is no place for results, or the log can't be read.
pub fn last(session: &Session<'_>, digest: Sha256) -> Result<Option<Last>, Refusal> {
    let chain = session.results()?;
    let (tail, _) = file::read_tail(chain.path(), TAIL).map_err(crate::session::io)?;
    let mut interrupted = false;
    for line in tail.split(|&byte| byte == b'\n').rev() {
        let Ok(record) = canon::json::read::<Record>(line) else { continue };
        match record.kind.as_str() {
            BEGUN => interrupted = true,
            KIND => {
                let Ok(stored) = serde_json::from_value::<Stored>(record.body) else { continue };
                let commands = toolchain::commands_digest(&session.config()?);
                let standing = if interrupted {
                    Standing::Interrupted
                } else if stored.commands != commands {
                    Standing::CommandsChanged
                } else if stored.digest == digest || stored.digest_after == Some(digest) {
                    Standing::Fresh
                } else {
                    Standing::ContentMoved
                };
                return Ok(Some(Last { at: record.at, stored, standing }));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// Notes that a run began. Refuses before minutes of work are spent where the result could not be kept.
pub(super) fn begin(session: &Session<'_>, digest: Sha256, tasks: &[String]) -> Result<(), Refusal> {
    append(session, BEGUN, json!({ "digest": digest, "tasks": tasks }))
}

/// Keeps the result of a run, with an event that says so.
pub(super) fn keep(session: &Session<'_>, report: &Report, stored: &Stored) -> Result<(), Refusal> {
    let body = serde_json::to_value(stored).unwrap_or_default();
    session.write("verify", |draft| {
        let title = match (report.green, report.vacuous) {
            (true, true) => "Verify GREEN (VACUOUS)".to_owned(),
            (true, false) => "Verify GREEN".to_owned(),
            (false, _) => format!("Verify RED: {}", report.red.join("; ")),
        };
        let task = match stored.tasks.as_slice() {
            [only] => Some(only.as_str()),
            _ => None,
        };
        draft.event("progress-update", &title, "", task);
        written(&session.results()?, KIND, draft.now(), body)
    })
}

fn append(session: &Session<'_>, kind: &str, body: Value) -> Result<(), Refusal> {
    session.write("verify", |draft| written(&session.results()?, kind, draft.now(), body))
}

fn written(chain: &Chain, kind: &str, at: Timestamp, body: Value) -> Result<(), Refusal> {
    match chain.append(at, kind, body) {
        Ok(_) => Ok(()),
        Err(ChainError::File(error)) => Err(crate::session::io(error)),
        Err(broken) => {
            Err(Refusal::new(codes::SPINE_DAMAGED, format!("the record of results is broken: {broken}"))
                .at(chain.path().to_owned(), None, None)
                .hint("somebody edited it; move it away together with its `.head`, and a new one begins"))
        }
    }
}
