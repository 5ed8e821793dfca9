//! `update` and `log`: events are added, and read newest first.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Event;
use crate::session::Session;

/// One event that was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// Its id.
    pub id: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its title.
    pub title: String,
    /// When, ISO 8601.
    pub at: canon::Timestamp,
}

/// Adds an event.
pub fn add(session: &Session<'_>, title: &str, kind: &str, description: &str) -> Result<Added, Refusal> {
    session.write("update", |draft| {
        let id = draft.event(kind, title, description, None);
        Ok(Added { id, kind: kind.to_owned(), title: canon::text::one_line(title), at: draft.now() })
    })
}

/// Which events to show.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// At most so many.
    pub n: usize,
    /// Only of this kind.
    pub kind: Option<String>,
    /// Only those that hold this text, in any case.
    pub grep: Option<String>,
    /// Oldest first.
    pub reverse: bool,
}

/// Events, as an array: the form that other programs print too.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Events {
    /// The events.
    pub events: Vec<Event>,
}

/// Reads the newest events that fit.
pub fn read(session: &Session<'_>, query: &Query) -> Result<Events, Refusal> {
    let filtered = query.kind.is_some() || query.grep.is_some();
    // A line has some 250 bytes; more is read only where that wasn't enough.
    let guess = (query.n as u64).saturating_mul(1024).max(64 * 1024);
    let mut events = session.events((!filtered).then_some(guess))?;
    if !filtered && events.len() < query.n {
        events = session.events(None)?;
    }
    let needle = query.grep.as_ref().map(|text| text.to_lowercase());
    let fits = |event: &Event| {
        query.kind.as_ref().is_none_or(|kind| event.kind == *kind)
            && needle.as_ref().is_none_or(|needle| {
                event.title.to_lowercase().contains(needle)
                    || event.description.to_lowercase().contains(needle)
            })
    };
    events.retain(fits);
    let surplus = events.len().saturating_sub(query.n);
    events.drain(..surplus);
    if !query.reverse {
        events.reverse();
    }
    Ok(Events { events })
}
