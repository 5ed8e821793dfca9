//! What the gates know of one session: a small append-only file of entries, folded into a [`Session`].
//!
//! [`pins`] are the constraints that stay before the agent's eyes, [`depth`] says when they are due, [`monitor`] holds
//! prompts and final messages against them, and [`lessons`] finds those that nobody read.
//!
//! Writers add a line under a guard of the file's own; readers take no lock. From [`LARGEST`] on, the file is replaced
//! by one that says the same in fewer lines.

pub mod depth;
mod entry;
pub mod lessons;
pub mod monitor;
pub mod pins;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::{Sha256, Timestamp};
use gate::event::Todo;
use serde::{Deserialize, Serialize};
use store::file::{self, Appender, FileError};
use store::lock::{Guard, LockError};

pub use entry::{Counters, Entry};

/// Bytes from which on the file is written anew.
const LARGEST: u64 = 128 * 1024;

/// How long a writer waits for another.
const WAIT: Duration = Duration::from_millis(500);

/// Lines of a file that were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Read {
    /// The file, from the root.
    pub path: String,
    /// The first line, from 1.
    pub first: u64,
    /// The last line; none is to the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<u64>,
    /// The content of the whole file at that time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Sha256>,
    /// The subagent that read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// How many times the context had been compacted; filled in when it becomes known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compactions: Option<u64>,
}

impl Read {
    /// Whether all lines from `first` to `last` were read; no last line is the file's end.
    pub fn covers(&self, first: u64, last: Option<u64>) -> bool {
        let to_the_end = match (self.last, last) {
            (None, _) => true,
            (Some(read), Some(last)) => read >= last,
            (Some(_), None) => false,
        };
        self.first <= first && to_the_end
    }
}

/// The plan of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Its steps.
    pub todos: Vec<Todo>,
    /// The digest of its text, where its carrier has no steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<Sha256>,
    /// When it was made.
    pub at: Timestamp,
}

/// What is known of a session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Session {
    /// What was read, by path, oldest first.
    pub reads: BTreeMap<String, Vec<Read>>,
    /// The content that the session left in the files that it wrote.
    pub wrote: BTreeMap<String, Option<Sha256>>,
    /// The plan that counts.
    pub plan: Option<Plan>,
    /// Marks and what they carry.
    pub marks: BTreeMap<String, String>,
    /// Calls that succeeded.
    pub succeeded: BTreeSet<String>,
    /// Denials, by gate and rule.
    pub blocks: BTreeMap<String, u64>,
    /// The ids of the pinned constraints that were said.
    pub said: BTreeSet<String>,
    /// What is counted.
    pub counters: Counters,
}

/// What is known of a session can't be read or written.
#[derive(Debug)]
pub enum SessionError {
    /// A file can't be read or written.
    File(FileError),
    /// Another process holds it for too long.
    Lock(LockError),
    /// A line is none that this program wrote.
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Lock(error) => error.fmt(f),
            Self::Damaged { path, line } => {
                write!(f, "`{}` line {line} is damaged", path.display())
            }
        }
    }
}

impl std::error::Error for SessionError {}

impl From<FileError> for SessionError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl From<LockError> for SessionError {
    fn from(error: LockError) -> Self {
        Self::Lock(error)
    }
}

impl SessionError {
    /// Whether what lies there is nothing that this program wrote, and reading it again would not help.
    pub fn is_damage(&self) -> bool {
        use std::io::ErrorKind::{InvalidInput, IsADirectory};
        match self {
            Self::File(error) => matches!(error.source.kind(), InvalidInput | IsADirectory),
            Self::Lock(_) => false,
            Self::Damaged { .. } => true,
        }
    }
}

impl Session {
    /// What is known of the session whose file is `path`; nothing where there is none. A half line at the end, which a
    /// writer at work or a crash left, is passed over.
    pub fn load(path: &Path) -> Result<Self, SessionError> {
        let bytes = file::read(path)?.unwrap_or_default();
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(&bytes[..0], |end| &bytes[..end]);
        let mut session = Self::default();
        for (line, text) in (1..).zip(whole.split(|&byte| byte == b'\n')).filter(|(_, text)| !text.is_empty())
        {
            let entry = serde_json::from_slice(text)
                .map_err(|_| SessionError::Damaged { path: path.to_owned(), line })?;
            session.learn(entry);
        }
        Ok(session)
    }

    /// Takes in one thing that became known.
    pub fn learn(&mut self, entry: Entry) {
        match entry {
            Entry::Read(mut read) => {
                read.compactions.get_or_insert(self.counters.compactions);
                let known = self.reads.entry(read.path.clone()).or_default();
                // What a later read of the same content shows too is not kept twice.
                known.retain(|old| {
                    (&old.by, old.content, old.compactions) != (&read.by, read.content, read.compactions)
                        || !read.covers(old.first, old.last)
                });
                known.push(read);
            }
            Entry::Wrote { path, content } => {
                self.wrote.insert(path, content);
                // What a call does may be another thing now.
                self.succeeded.clear();
            }
            Entry::Plan(plan) => self.plan = Some(plan),
            Entry::PlanEnded => self.plan = None,
            Entry::Mark { name, value } => {
                self.marks.insert(name, value);
            }
            Entry::Unmark { name } => {
                self.marks.remove(&name);
            }
            Entry::Succeeded { call } => {
                self.succeeded.insert(call);
            }
            Entry::Denied { gate, rule } => {
                self.counters.denied += 1;
                self.counters.denied_in_a_row += 1;
                self.counters.judged += 1;
                self.counters.steps += 1;
                *self.blocks.entry(format!("{gate} {rule}").trim().to_owned()).or_default() += 1;
            }
            Entry::Allowed => {
                self.counters.denied_in_a_row = 0;
                self.counters.judged += 1;
            }
            Entry::Turn => self.counters.turns += 1,
            Entry::Compacted => {
                self.counters.compactions += 1;
                self.counters.tokens = 0;
                self.counters.is_over = false;
                self.counters.is_pinned = false;
            }
            Entry::Blocks { what, count } => {
                self.blocks.insert(what, count);
            }
            Entry::Went { steps, tokens } => {
                self.counters.steps = self.counters.steps.saturating_add(steps);
                self.counters.tokens = self.counters.tokens.saturating_add(tokens);
            }
            Entry::Pinned { ids, all } => {
                self.counters.pinned += 1;
                self.counters.pinned_at = self.counters.steps;
                self.counters.is_pinned |= all;
                if all {
                    self.said.clear();
                }
                self.said.extend(ids);
            }
            Entry::OverBudget => self.counters.is_over = true,
            Entry::PlanFirst => self.counters.plan_first_at = self.counters.denied,
            Entry::Retried => self.counters.retries += 1,
            Entry::Counted(counters) => self.counters = counters,
        }
    }

    /// The entries that say what is known.
    fn entries(&self) -> Vec<Entry> {
        let ids = self.said.iter().cloned().collect();
        let blocks = self.blocks.iter();
        let mut entries = vec![Entry::Pinned { ids, all: false }];
        entries.extend(blocks.map(|(what, count)| Entry::Blocks { what: what.clone(), count: *count }));
        entries.push(Entry::Counted(self.counters));
        entries.extend(self.reads.values().flatten().cloned().map(Entry::Read));
        let wrote = self.wrote.iter();
        entries.extend(wrote.map(|(path, content)| Entry::Wrote { path: path.clone(), content: *content }));
        entries.extend(self.plan.clone().map(Entry::Plan));
        let marks = self.marks.iter();
        entries.extend(marks.map(|(name, value)| Entry::Mark { name: name.clone(), value: value.clone() }));
        entries.extend(self.succeeded.iter().map(|call| Entry::Succeeded { call: call.clone() }));
        entries
    }
}

/// Puts aside what is kept of a session and can't be read, with `stamp` behind its name, and begins anew with
/// `entries`. Gives back whether it did: nothing is done where another process was first.
pub fn begin_anew(path: &Path, stamp: i64, entries: &[Entry]) -> Result<bool, SessionError> {
    let _guard = Guard::acquire(&path.with_extension("lock"), WAIT)?;
    if !Session::load(path).is_err_and(|error| error.is_damage()) {
        return Ok(false);
    }
    let fail = |source| FileError { path: path.to_owned(), doing: "put aside", source };
    fs::rename(path, path.with_extension(format!("broken-{stamp}"))).map_err(fail)?;
    append(path, entries)?;
    Ok(true)
}

/// Adds entries to the session whose file is `path`: all of them, or none.
pub fn record(path: &Path, entries: &[Entry]) -> Result<(), SessionError> {
    if entries.is_empty() {
        return Ok(());
    }
    let _guard = Guard::acquire(&path.with_extension("lock"), WAIT)?;
    append(path, entries)
}

/// Adds what `decide` finds due, by what is known at this very moment: of several that find the same thing due at once,
/// one claims it. Gives back whether anything was added.
pub fn claim(path: &Path, decide: impl FnOnce(&Session) -> Vec<Entry>) -> Result<bool, SessionError> {
    let _guard = Guard::acquire(&path.with_extension("lock"), WAIT)?;
    let entries = decide(&Session::load(path)?);
    if !entries.is_empty() {
        append(path, &entries)?;
    }
    Ok(!entries.is_empty())
}

/// Adds entries, with the guard held.
fn append(path: &Path, entries: &[Entry]) -> Result<(), SessionError> {
    let (mut appender, _) = Appender::open_whole(path)?;
    if appender.offset > LARGEST {
        let mut session = Session::load(path)?;
        entries.iter().cloned().for_each(|entry| session.learn(entry));
        return Ok(file::replace(path, text(&session.entries()).as_bytes())?);
    }
    Ok(appender.append(text(entries).as_bytes(), false)?)
}

fn text(entries: &[Entry]) -> String {
    let lines = entries.iter().map(|entry| serde_json::to_string(entry).unwrap_or_default() + "\n");
    lines.collect()
}

/// Removes what is kept of sessions that nobody touched since `before`, files and locks. Gives back how many there
/// were.
pub fn forget(folder: &Path, before: Timestamp) -> Result<usize, SessionError> {
    let fail = |source| FileError { path: folder.to_owned(), doing: "list", source };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(fail(error).into()),
    };
    let mut forgotten = 0;
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let millis = modified.ok().and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let millis = millis.map(|since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX));
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == "jsonl")
            && millis.is_some_and(|millis| millis < before.as_millis())
        {
            let fail = |source| FileError { path: path.clone(), doing: "remove", source };
            fs::remove_file(&path).map_err(fail)?;
            for beside in ["lock", "moment", "moment-lock", "said"] {
                let _ = fs::remove_file(path.with_extension(beside));
            }
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

#[cfg(test)]
mod tests;
