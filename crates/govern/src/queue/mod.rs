//! What waits for a person: proposals that the gates make of what they saw, sized by a budget.
//!
//! The queue is an append-only file of entries. At most so many proposals wait at once; what comes beyond is counted by
//! its kind, and may come again when there is room. One thing is proposed once, also after a person resolved it.
//!
//! No credential is kept: words that hold one are left out of a proposal, and refused as a person's [`Reason`].

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::{Sha256, Timestamp, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file::{self, Appender, FileError};
use store::lock::{Guard, LockError};

use crate::knowledge::admit::keepable;

/// How long a writer waits for another.
const WAIT: Duration = Duration::from_millis(500);

/// The most bytes of a queue that are read.
const MOST: u64 = 16 * 1024 * 1024;

/// What a proposal is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Calls of one session were denied again and again.
    RepeatedBlocks,
    /// What an agent said contradicts its receipts.
    InvalidEvidence,
    /// What an agent said goes against a pinned constraint.
    PinBroken,
    /// A lesson came up and was not read.
    ReadGateSkip,
    /// Something protected changed past the gates.
    Drift,
    /// A gate does not judge.
    SilentGate,
}

impl Kind {
    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RepeatedBlocks => "repeated_blocks",
            Self::InvalidEvidence => "invalid_evidence",
            Self::PinBroken => "pin_broken",
            Self::ReadGateSkip => "read_gate_skip",
            Self::Drift => "drift",
            Self::SilentGate => "silent_gate",
        }
    }
}

/// One thing for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Proposal {
    /// Its name.
    pub id: String,
    /// What it is about.
    pub kind: Kind,
    /// When it was made.
    pub at: Timestamp,
    /// The agent.
    pub agent: String,
    /// Its session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The fact, in one sentence.
    pub fact: String,
    /// What a person can do about it.
    pub next: String,
}

impl Proposal {
    /// A proposal about `subject`, which with kind, agent and session is what makes it the same as another.
    pub fn new(kind: Kind, agent: &str, session: Option<&str>, subject: &str, at: Timestamp) -> Self {
        let same = format!("{}\0{agent}\0{}\0{subject}", kind.as_str(), session.unwrap_or_default());
        Self {
            id: Sha256::of(same).to_string()[..8].to_owned(),
            kind,
            at,
            agent: text::clip(&text::one_line(agent), 100),
            session: session.map(|session| text::clip(&text::one_line(session), 200)),
            fact: String::new(),
            next: String::new(),
        }
    }

    /// The same with its words. What holds a credential is not kept, and what it was stands in its place.
    pub fn saying(mut self, fact: &str, next: &str) -> Self {
        // The whole of it is looked through: half a credential is no credential that is recognised.
        let kept = |what: &str, words: &str| match keepable(what, words) {
            Ok(_) => text::clip(&text::one_line(words), 400),
            Err(refusal) => format!("{}, which is kept nowhere", refusal.message),
        };
        self.fact = kept("the fact", fact);
        self.next = kept("what a person can do about it", next);
        self
    }
}

/// Why a person resolves a proposal, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason(String);

impl Reason {
    /// A reason in words.
    ///
    /// # Errors
    /// `HOLDS_SECRET`: they hold a credential.
    pub fn new(words: &str) -> Result<Self, Refusal> {
        keepable("the reason", words)?;
        Ok(Self(text::one_line(words)))
    }

    /// Its words.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a person decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Resolution {
    /// Something is done about it.
    Accepted,
    /// Nothing needs to be done.
    Rejected,
}

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Entry {
    Proposed { proposal: Proposal },
    Dropped { id: String, kind: Kind },
    Resolved { id: String, how: Resolution, why: String, at: Timestamp },
}

/// The queue as it stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Queue {
    /// What waits, oldest first.
    pub open: Vec<Proposal>,
    /// How many a person resolved.
    pub resolved: u64,
    /// What found no room, by kind.
    pub dropped: BTreeMap<Kind, u64>,
    known: BTreeSet<String>,
    left: BTreeMap<String, Kind>,
}

/// What became of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It waits for a person.
    Added,
    /// It waits already, or a person resolved it.
    Known,
    /// There is no room; it is counted.
    Dropped,
}

/// The queue can't be read or written.
#[derive(Debug)]
pub enum QueueError {
    /// The file can't be read or written.
    File(FileError),
    /// Another process holds it for too long.
    Lock(LockError),
    /// A line is none that this program wrote.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1; none where the file is too large.
        line: Option<usize>,
    },
    /// Nothing of that name waits.
    Gone(String),
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Lock(error) => error.fmt(f),
            Self::Damaged { path, line: Some(line) } => {
                write!(f, "`{}` line {line} is damaged", path.display())
            }
            Self::Damaged { path, line: None } => {
                write!(f, "`{}` is larger than a queue: {MOST} bytes are the most", path.display())
            }
            Self::Gone(id) => write!(f, "no proposal `{id}` waits for a person"),
        }
    }
}

impl std::error::Error for QueueError {}

impl From<FileError> for QueueError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<LockError> for QueueError {
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

impl Queue {
    /// The queue in a file; empty where there is none. Half a line at the end is passed over.
    pub fn load(path: &Path) -> Result<Self, QueueError> {
        let mut queue = Self::default();
        if !path.exists() {
            return Ok(queue);
        }
        let damaged = |line| QueueError::Damaged { path: path.to_owned(), line };
        let bytes = file::read_at_most(path, MOST)?.ok_or_else(|| damaged(None))?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(&bytes[..0], |end| &bytes[..end]);
        for (line, text) in (1..).zip(whole.split(|&byte| byte == b'\n')).filter(|(_, text)| !text.is_empty())
        {
            queue.learn(serde_json::from_slice(text).map_err(|_| damaged(Some(line)))?);
        }
        queue.dropped = BTreeMap::new();
        for kind in queue.left.values() {
            *queue.dropped.entry(*kind).or_default() += 1;
        }
        Ok(queue)
    }

    fn learn(&mut self, entry: Entry) {
        match entry {
            Entry::Proposed { proposal } => {
                self.left.remove(&proposal.id);
                if self.known.insert(proposal.id.clone()) {
                    self.open.push(proposal);
                }
            }
            Entry::Dropped { id, kind } => {
                self.left.insert(id, kind);
            }
            Entry::Resolved { id, .. } => {
                let before = self.open.len();
                self.open.retain(|proposal| proposal.id != id);
                self.resolved += u64::from(self.open.len() < before);
            }
        }
    }

    /// The proposal of that name that waits.
    pub fn find(&self, id: &str) -> Option<&Proposal> {
        self.open.iter().find(|proposal| proposal.id == id)
    }

    /// How many found no room.
    pub fn left_out(&self) -> u64 {
        self.dropped.values().sum()
    }
}

/// Makes a proposal, if there is room: at most `cap` wait.
pub fn propose(path: &Path, cap: usize, proposal: Proposal) -> Result<Outcome, QueueError> {
    let _guard = Guard::acquire(&path.with_extension("lock"), WAIT)?;
    let queue = Queue::load(path)?;
    if queue.known.contains(&proposal.id) {
        return Ok(Outcome::Known);
    }
    if queue.open.len() >= cap {
        if !queue.left.contains_key(&proposal.id) {
            append(path, &Entry::Dropped { id: proposal.id, kind: proposal.kind })?;
        }
        return Ok(Outcome::Dropped);
    }
    append(path, &Entry::Proposed { proposal })?;
    Ok(Outcome::Added)
}

/// Takes a proposal off the queue.
///
/// # Errors
/// Nothing of that name waits, or the queue can't be read or written.
pub fn resolve(
    path: &Path,
    id: &str,
    how: Resolution,
    why: &Reason,
    at: Timestamp,
) -> Result<Proposal, QueueError> {
    let _guard = Guard::acquire(&path.with_extension("lock"), WAIT)?;
    let queue = Queue::load(path)?;
    let proposal = queue.find(id).cloned().ok_or_else(|| QueueError::Gone(id.to_owned()))?;
    append(path, &Entry::Resolved { id: id.to_owned(), how, why: why.0.clone(), at })?;
    Ok(proposal)
}

fn append(path: &Path, entry: &Entry) -> Result<(), QueueError> {
    let line = serde_json::to_string(entry).unwrap_or_default() + "\n";
    let (mut appender, _) = Appender::open_whole(path)?;
    Ok(appender.append(line.as_bytes(), false)?)
}

#[cfg(test)]
mod tests;
