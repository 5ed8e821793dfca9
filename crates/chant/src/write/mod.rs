//! Writing records: `records new`, `amend`, `review` and `close`.
//!
//! A write is planned first: [`new()`], [`amend()`], [`review()`] and [`close()`] are functions of the record as it
//! stands ([`Before`]) and of what the caller gives, and answer with the text as it would be ([`Draft`]) or with a
//! refusal. They change no file. A command ([`NewRequest`], [`AmendRequest`], [`ReviewRequest`], [`CloseRequest`]) holds
//! the write lock from its first read, asks whether the writer may, reads all records of the kind again with the draft
//! in place, and only then writes.
//!
//! *Invariants:* a text is changed in place, by whole top-level fields, and what was written reads back as what was
//! meant. A closed record never changes. What only the program may write, seals and digests, is never taken from the
//! caller. A refused write changes nothing.

mod amend;
mod close;
mod command;
mod document;
mod fields;
mod ids;
mod names;
mod new;
mod pen;
mod review;
mod scope;
mod seal;
mod text;
mod writing;

use canon::{Sha256, front_matter};
use gate::Refusal;
use serde_json::{Map, Value};
use store::git::RepoPath;

use crate::codes;
use crate::kind::Kind;
use crate::records::digest;

pub use amend::{Amendment, amend};
pub use close::{Closing, close};
pub use command::{AmendRequest, CloseRequest, NewRequest, ReviewRequest};
pub use document::{
    Amended, Closed, Conflict, Created, Failed, Head, KindName, Reviewed, SessionEntry, Tail, Verb, WholeSeal,
};
pub use fields::read as read_fields;
pub use ids::Existing;
pub use names::slug;
pub use new::{Opening, new};
pub use pen::SignWith;
pub use review::{Judged, Review, SessionDraft, review};
pub use seal::{Seal, Sign};
pub use writing::Refused;

/// A record as it stands before a write.
#[derive(Debug, Clone)]
pub struct Before {
    /// Its file.
    pub path: RepoPath,
    /// The text of the file.
    pub text: String,
    /// Its data.
    pub data: Map<String, Value>,
    /// The text below the front matter, with LF line ends.
    pub body: String,
    /// The digest that `--expect` and verdicts name.
    pub digest: Sha256,
}

impl Before {
    /// Reads a record's file.
    ///
    /// # Errors
    /// `record-unparseable`.
    pub fn read(kind: &Kind, path: RepoPath, bytes: &[u8]) -> Result<Self, Refusal> {
        let refuse = |damage: canon::json::Damage| {
            Refusal::new(codes::RECORD_UNPARSEABLE, format!("{path} can't be read: {damage}")).at(
                path.to_path(),
                Some(damage.line),
                Some(damage.column),
            )
        };
        let read = front_matter::parse(bytes).map_err(refuse)?;
        let (data, body) = (read.data.clone(), read.body().to_owned());
        let text = String::from_utf8_lossy(bytes).into_owned();
        Ok(Self { digest: digest(kind, bytes), path, text, data, body })
    }

    /// The id.
    pub fn id(&self, kind: &Kind) -> &str {
        fields::id_field(kind)
            .ok()
            .and_then(|field| self.data.get(field))
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// The state.
    pub fn state(&self, kind: &Kind) -> Option<&str> {
        state(kind, &self.data)
    }

    /// Refuses a write that the caller based on another text of the record.
    ///
    /// # Errors
    /// `write-usage-invalid` for what is no digest, `record-conflict`.
    pub fn expect(&self, kind: &Kind, digest: &str) -> Result<(), Refusal> {
        let is_digest = digest.len() == 64 && digest.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            let message = format!("--expect {digest:?} is not a digest of 64 lower-case hex digits");
            return Err(Refusal::new(codes::WRITE_USAGE_INVALID, message));
        }
        if self.digest.to_string() == digest {
            return Ok(());
        }
        let message = format!(
            "{} has moved since it was read: its digest is {} and {digest} was expected",
            self.id(kind),
            self.digest
        );
        Err(Refusal::new(codes::RECORD_CONFLICT, message).hint(
            "read the record again, and write with --expect set to its digest if the change still stands",
        ))
    }
}

/// A record's file as a write would leave it.
#[derive(Debug, Clone)]
pub struct Draft {
    /// The file.
    pub path: RepoPath,
    /// The record's id.
    pub id: String,
    /// The text.
    pub text: String,
    /// The data.
    pub data: Map<String, Value>,
    /// The digest of the text.
    pub digest: Sha256,
    /// The top-level fields whose values differ from before, seals last; empty where nothing is to be written.
    pub changed: Vec<String>,
    /// The author's seal that was made.
    pub seal: Option<Seal>,
    /// The author's seal went, since it no longer covers the text.
    pub seal_dropped: bool,
    /// The record enters the state that needs a met quorum.
    pub ratifies: bool,
}

fn state<'d>(kind: &Kind, data: &'d Map<String, Value>) -> Option<&'d str> {
    data.get(&kind.states.as_ref()?.field)?.as_str()
}

/// Whether a record that moves from the state `old` to `new` is ratified by that.
fn ratifies(kind: &Kind, old: Option<&str>, new: Option<&str>) -> bool {
    let ratified = kind.reviews.as_ref().and_then(|reviews| reviews.ratified.as_deref());
    ratified.is_some() && new == ratified && old != ratified
}

fn usage(message: impl Into<String>) -> Refusal {
    Refusal::new(codes::WRITE_USAGE_INVALID, message)
}

#[cfg(test)]
mod tests;
