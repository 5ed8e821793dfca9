//! Tickets: a person lets one exact call pass, once.

use std::fs;
use std::path::{Path, PathBuf};

use agents::Judging;
use canon::{Sha256, Timestamp};
use gate::event::Call;
use govern::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::file;

/// How long a ticket waits for its grant.
const WAITS: i64 = 60 * 60 * 1000;

/// How long a grant waits for its call.
const LASTS: i64 = 10 * 60 * 1000;

/// The longest time between two entries of one call, in milliseconds.
const BETWEEN: i64 = 10 * 1000;

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
    /// When the first of two entries of its call used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub used: Option<i64>,
}

fn folder(state: &State) -> PathBuf {
    state.folder().join("tickets")
}

/// The hash of the exact call.
fn hash(call: &Call) -> Option<Sha256> {
    canon::json::canonical(&serde_json::json!([call.name, call.input])).ok().map(Sha256::of)
}

/// Notes a call that a person may let pass; the ticket's name.
pub(super) fn make(state: &State, call: &Call, fact: &str, now: Timestamp) -> Option<String> {
    let hash = hash(call)?.to_string();
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
        granted: None,
        used: None,
    };
    write(state, &ticket).ok()?;
    Some(ticket.id)
}

fn write(state: &State, ticket: &Ticket) -> Result<(), String> {
    let folder = folder(state);
    let above = state.folder().parent().unwrap_or(state.folder());
    file::create_folder(above, &folder).map_err(|error| error.to_string())?;
    let text = serde_json::to_vec(ticket).map_err(|error| error.to_string())?;
    file::replace(&folder.join(format!("{}.json", ticket.id)), &text).map_err(|error| error.to_string())
}

fn read(path: &Path) -> Option<Ticket> {
    serde_json::from_slice(&file::read(path).ok()??).ok()
}

/// Uses up the grant of this very call, if there is one. Of the two entries that one call reaches in some agents, the
/// second one takes what the first one used a moment ago.
pub(super) fn redeem(state: &State, call: &Call, judging: Judging, now: Timestamp) -> Option<Ticket> {
    let hash = hash(call)?.to_string();
    let path = folder(state).join(format!("{}.json", &hash[..8]));
    let used = path.with_extension("used");
    if judging == Judging::Second
        && let Some(ticket) = read(&used).filter(|ticket| ticket.call == hash)
    {
        fs::remove_file(&used).ok()?;
        if ticket.used.is_some_and(|used| now.as_millis().saturating_sub(used) <= BETWEEN) {
            return Some(ticket);
        }
    }
    let ticket = read(&path).filter(|ticket| ticket.call == hash)?;
    let granted = ticket.granted.filter(|granted| now.as_millis().saturating_sub(*granted) <= LASTS);
    granted?;
    // Of two calls at once, one finds the ticket gone.
    fs::rename(&path, &used).ok()?;
    let _ = fs::remove_file(&used);
    if judging == Judging::First {
        let spent = Ticket { used: Some(now.as_millis()), ..ticket.clone() };
        file::replace(&used, &serde_json::to_vec(&spent).ok()?).ok()?;
    }
    Some(ticket)
}

/// The tickets that still wait for a person, oldest first.
pub fn open(state: &State, now: Timestamp) -> Vec<Ticket> {
    let entries = fs::read_dir(folder(state)).into_iter().flatten().flatten();
    let mut tickets: Vec<Ticket> = entries
        .filter_map(|entry| read(&entry.path()))
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
    let ticket = open(state, now).into_iter().find(|ticket| ticket.id == id);
    let mut ticket = ticket.ok_or_else(|| format!("no ticket {id} waits for an answer"))?;
    ticket.granted = Some(now.as_millis());
    write(state, &ticket)?;
    Ok(ticket)
}
