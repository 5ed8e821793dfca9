//! Tickets: a person lets one exact call pass, once.
//!
//! One call may reach several entries, when an agent runs another agent's hook file beside its own: in turn or at once,
//! in any order. All of them get the same answer for one grant, and a call that only looks like it gets none.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::Reading;
use canon::{Sha256, Timestamp};
use gate::event::Call;
use govern::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file;
use store::lock::Guard;

/// How long a ticket waits for its grant.
const WAITS: i64 = 60 * 60 * 1000;

/// How long a grant waits for its call.
const LASTS: i64 = 10 * 60 * 1000;

/// The longest time between two entries of one call, in milliseconds.
pub(super) const BETWEEN: i64 = 10 * 1000;

/// How long an entry waits for another that is at the tickets.
const PATIENCE: Duration = Duration::from_millis(500);

/// One ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// Its name: the beginning of the call's hash.
    pub id: String,
    /// The hash of the exact call.
    pub call: String,
    /// The tool.
    pub tool: String,
    /// What the call would do, for the person who decides.
    pub shown: String,
    /// Why it was denied.
    pub fact: String,
    /// When it was made, in milliseconds since 1970.
    pub made: i64,
    /// When a person granted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub granted: Option<i64>,
}

/// An entry that asks about a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Asker {
    /// The agent's session.
    session: Option<String>,
    /// The subagent that acts.
    subagent: Option<String>,
    /// The agent's own id of the call.
    id: Option<String>,
    /// The entry: whose settings name it, and at which of the agent's events.
    entry: String,
    /// When, in milliseconds since 1970.
    at: i64,
}

impl Asker {
    pub(super) fn new(reading: &Reading, now: Timestamp) -> Self {
        let event = &reading.event;
        Self {
            session: event.session.clone(),
            subagent: event.subagent.clone(),
            id: event.call.as_ref().and_then(|call| call.id.clone()),
            entry: format!("{} {}", reading.entry, reading.point.name),
            at: now.as_millis(),
        }
    }

    /// Whether both ask about one call, given that their calls are equal. Without an id, of one entry they don't.
    fn is_with(&self, other: &Self) -> bool {
        let is_near = (self.at - other.at).abs() <= BETWEEN;
        let is_one = match (&self.id, &other.id) {
            (Some(one), Some(other)) => one == other,
            _ => self.entry != other.entry,
        };
        is_near && is_one && (&self.session, &self.subagent) == (&other.session, &other.subagent)
    }
}

/// A ticket as it is kept.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    ticket: Ticket,
    /// Whose denial made it.
    #[serde(default)]
    denied: Option<Asker>,
}

/// A grant that was used, until the result of its call is seen.
#[derive(Debug, Serialize, Deserialize)]
struct Spent {
    /// The hash of the exact call.
    call: String,
    /// The entries that got it, the first one first.
    by: Vec<Asker>,
}

fn folder(state: &State) -> PathBuf {
    state.folder().join("tickets")
}

/// The hash of the exact call.
fn hash(call: &Call) -> Option<Sha256> {
    canon::json::canonical(&serde_json::json!([call.name, call.input])).ok().map(Sha256::of)
}

/// Where the ticket of a call is kept, and where it goes when it was used.
fn places(state: &State, hash: &str) -> (PathBuf, PathBuf) {
    let path = folder(state).join(format!("{}.json", &hash[..8]));
    (path.clone(), path.with_extension("used"))
}

/// Holds the tickets, so that of several entries at once each sees what the one before did.
fn hold(state: &State) -> Option<Guard> {
    let folder = folder(state);
    let above = state.folder().parent().unwrap_or(state.folder());
    file::create_folder(above, &folder).ok()?;
    Guard::acquire(&folder.join("lock"), PATIENCE).ok()
}

/// Notes a call that a person may let pass; the ticket's name. One that waits already, or is granted, stays.
pub(super) fn make(state: &State, reading: &Reading, fact: &str, now: Timestamp) -> Option<String> {
    let call = reading.event.call.as_ref()?;
    let hash = hash(call)?.to_string();
    let _guard = hold(state)?;
    let (path, _) = places(state, &hash);
    let known = read(&path).map(|kept| kept.ticket).filter(|ticket| ticket.call == hash);
    let granted = known.as_ref().and_then(|ticket| ticket.granted).filter(|granted| lasts(*granted, now));
    let shown = match &call.tool {
        gate::event::Tool::Shell { command, .. } => command.clone(),
        _ => canon::json::compact(&call.input),
    };
    let ticket = Ticket {
        id: hash[..8].to_owned(),
        call: hash,
        tool: call.name.clone(),
        shown: canon::text::clip(&canon::text::one_line(&shown), 400),
        fact: fact.to_owned(),
        made: now.as_millis(),
        granted,
    };
    // One that is lost is made again with the next try.
    let kept = Kept { ticket: ticket.clone(), denied: Some(Asker::new(reading, now)) };
    file::replace_unsynced(&path, &serde_json::to_vec(&kept).ok()?).ok()?;
    Some(ticket.id)
}

fn lasts(granted: i64, now: Timestamp) -> bool {
    now.as_millis().saturating_sub(granted) <= LASTS
}

fn write<T: Serialize>(path: &Path, kept: &T) -> Result<(), String> {
    let text = serde_json::to_vec(kept).map_err(|error| error.to_string())?;
    file::replace(path, &text).map_err(|error| error.to_string())
}

fn read(path: &Path) -> Option<Kept> {
    serde_json::from_slice(&file::read(path).ok()??).ok()
}

/// Uses up the grant of this very call, if there is one, and tells whether it passes. Every entry that the call reaches
/// passes with it, until its result is seen; an entry of the call that was denied is not let pass by a grant that came
/// in between, since the agent is denied already.
pub(super) fn redeem(state: &State, reading: &Reading, now: Timestamp) -> bool {
    let call = reading.event.call.as_ref();
    let Some(hash) = call.and_then(hash).map(|hash| hash.to_string()) else { return false };
    let (path, used) = places(state, &hash);
    if !path.exists() && !used.exists() {
        return false;
    }
    let Some(_guard) = hold(state) else { return false };
    let asker = Asker::new(reading, now);
    let spent = file::read(&used).ok().flatten();
    let spent = spent.and_then(|bytes| serde_json::from_slice::<Spent>(&bytes).ok());
    if let Some(mut spent) = spent.filter(|spent| spent.call == hash)
        && spent.by.first().is_some_and(|first| first.is_with(&asker))
        && (asker.id.is_some() || spent.by.iter().all(|other| other.entry != asker.entry))
    {
        spent.by.push(asker);
        return write(&used, &spent).is_ok();
    }
    let Some(kept) = read(&path).filter(|kept| kept.ticket.call == hash) else { return false };
    if !kept.ticket.granted.is_some_and(|granted| lasts(granted, now)) {
        return false;
    }
    if asker.id.is_some() && kept.denied.is_some_and(|denied| denied.is_with(&asker)) {
        return false;
    }
    // First what shows that it was used: a grant that was used and is still there would be one more.
    write(&used, &Spent { call: hash, by: vec![asker] }).is_ok() && fs::remove_file(&path).is_ok()
}

/// The result of a call was seen: what let it pass lets nothing pass any more.
pub(super) fn over(state: &State, call: &Call) {
    if let Some(hash) = hash(call) {
        // It is there for the few calls that a person let pass.
        let _ = fs::remove_file(places(state, &hash.to_string()).1);
    }
}

/// The tickets that still wait for a person, oldest first.
pub fn open(state: &State, now: Timestamp) -> Vec<Ticket> {
    let entries = fs::read_dir(folder(state)).into_iter().flatten().flatten();
    let tickets =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "json"));
    let mut tickets: Vec<Ticket> = tickets
        .filter_map(|path| read(&path).map(|kept| kept.ticket))
        .filter(|ticket| ticket.granted.is_none() && now.as_millis().saturating_sub(ticket.made) <= WAITS)
        .collect();
    tickets.sort_by_key(|ticket| ticket.made);
    tickets
}

/// Grants a ticket.
///
/// # Errors
/// There is none of that name that still waits.
pub fn grant(state: &State, id: &str, now: Timestamp) -> Result<Ticket, String> {
    let none = || format!("no ticket {id} waits for an answer");
    let waits = open(state, now).into_iter().any(|ticket| ticket.id == id);
    let path = Some(folder(state).join(format!("{id}.json"))).filter(|_| waits).ok_or_else(none)?;
    let _guard = hold(state).ok_or_else(|| "the tickets are held by another process".to_owned())?;
    let mut kept = read(&path).filter(|kept| kept.ticket.granted.is_none()).ok_or_else(none)?;
    kept.ticket.granted = Some(now.as_millis());
    write(&path, &kept)?;
    Ok(kept.ticket)
}
