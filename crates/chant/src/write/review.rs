//! `records review`: a verdict on a record.

use gate::Refusal;
use serde_json::{Map, Value};
use store::git::RepoPath;
use trust::seal::Subject;

use super::amend::refuse_closed;
use super::close::note_opening;
use super::seal::{Seal, Sign};
use super::text::Edit;
use super::{Before, Draft, fields, usage};
use crate::codes;
use crate::kind::Kind;
use crate::records::digest;

/// A verdict.
pub struct Review<'a> {
    /// `agree`, `dissent` or `abstain`.
    pub verdict: &'a str,
    /// Who gives it.
    pub by: &'a str,
    /// Why.
    pub note: Option<&'a str>,
    /// The day, `YYYY-MM-DD`.
    pub on: &'a str,
    /// The session that it was given in, which takes it as well.
    pub session: Option<(&'a Kind, &'a Before)>,
    /// The commit that is checked out.
    pub head: Option<&'a str>,
    /// The key for the reviewer's seal, from `--sign`.
    pub sign: Option<&'a dyn Sign>,
}

/// The session's file as a verdict would leave it.
#[derive(Debug, Clone)]
pub struct SessionDraft {
    /// The file.
    pub path: RepoPath,
    /// The session's id.
    pub id: String,
    /// The entry added to its verdicts.
    pub verdict: Map<String, Value>,
    /// The text.
    pub text: String,
}

/// A verdict, planned.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The record's file.
    pub draft: Draft,
    /// The entry added to its verdicts.
    pub entry: Map<String, Value>,
    /// The session's file.
    pub session: Option<SessionDraft>,
}

impl Review<'_> {
    /// Refuses what can't be a verdict, whatever the record is.
    ///
    /// # Errors
    /// `write-usage-invalid`.
    pub fn check(&self) -> Result<(), Refusal> {
        if !matches!(self.verdict, "agree" | "dissent" | "abstain") {
            return Err(usage(format!("--verdict {:?} is not agree, dissent or abstain", self.verdict)));
        }
        if self.by.trim().is_empty() {
            return Err(usage("--by names nobody"));
        }
        Ok(())
    }
}

/// Plans a verdict.
///
/// # Errors
/// `write-usage-invalid`, `review-unsupported`, `record-closed`, `review-note-required`, `session-not-open`,
/// `review-sign-failed`, `record-schema-invalid`, `record-unparseable`.
pub fn review(kind: &Kind, before: &Before, review: &Review<'_>) -> Result<Judged, Refusal> {
    review.check()?;
    fields::id_field(kind)?;
    let id = before.id(kind).to_owned();
    let Some(reviews) = &kind.reviews else {
        let message = format!("records of the kind {} take no verdicts", kind.name);
        return Err(Refusal::new(codes::REVIEW_UNSUPPORTED, message));
    };
    refuse_closed(kind, before, &id)?;
    let note = review.note.filter(|note| !note.trim().is_empty());
    if review.verdict == "dissent" && note.is_none() {
        let message = format!("a dissent on {id} says why");
        return Err(Refusal::new(codes::REVIEW_NOTE_REQUIRED, message).hint("give the reason with --note"));
    }
    let session = match review.session {
        Some((kind, session)) => Some((kind, session, open_session(kind, session)?)),
        None => None,
    };

    let judged = before.digest.to_string();
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| entry.insert(key.to_owned(), value);
    put("reviewer", Value::from(review.by));
    put("verdict", Value::from(review.verdict));
    if let Some(note) = note {
        put("note", Value::from(note));
    }
    put("on", Value::from(review.on));
    put("digest", Value::from(judged.as_str()));
    if let Some((_, _, id)) = &session {
        put("session", Value::from(id.as_str()));
    }
    if let Some(sign) = review.sign {
        let subject = Subject::verdict(Some(&id), Some(&judged), review.verdict, review.by, Some(review.on));
        let seal = Seal::make(sign, &subject, codes::REVIEW_SIGN_FAILED)?;
        put("seal", seal.value());
    }

    let edit = Edit::new(&before.text, &before.data);
    let text = append(edit, before, &reviews.field, &entry)?;
    let mut data = before.data.clone();
    data.insert(reviews.field.clone(), with(before.data.get(&reviews.field), &entry));
    let session = match session {
        Some((kind, session, session_id)) => {
            Some(in_session(kind, session, session_id, &id, review, &judged)?)
        }
        None => None,
    };
    let draft = Draft {
        path: before.path.clone(),
        digest: digest(kind, text.as_bytes()),
        id,
        text,
        data,
        changed: vec![reviews.field.clone()],
        seal: None,
        seal_dropped: false,
        ratifies: false,
    };
    Ok(Judged { draft, entry, session })
}

/// The id of a session that takes verdicts.
fn open_session(kind: &Kind, session: &Before) -> Result<String, Refusal> {
    let id = session.id(kind).to_owned();
    let state = session.state(kind);
    if kind.is_closed(state) {
        let message = format!("the session {id} is {} and takes no more verdicts", state.unwrap_or_default());
        return Err(Refusal::new(codes::SESSION_NOT_OPEN, message));
    }
    Ok(id)
}

fn in_session(
    kind: &Kind,
    session: &Before,
    id: String,
    record: &str,
    review: &Review<'_>,
    digest: &str,
) -> Result<SessionDraft, Refusal> {
    let Some(block) = &kind.session else {
        return Err(usage(format!("the kind {} is no kind of sessions", kind.name)));
    };
    let verdict: Map<String, Value> =
        [("record", record), ("principal", review.by), ("verdict", review.verdict), ("digest", digest)]
            .into_iter()
            .map(|(key, text)| (key.to_owned(), Value::from(text)))
            .collect();
    let mut edit = Edit::new(&session.text, &session.data);
    note_opening(kind, &mut edit, review.head);
    let text = append(edit, session, &block.verdicts, &verdict)?;
    Ok(SessionDraft { path: session.path.clone(), id, verdict, text })
}

/// The text of a record with one more entry in the list in `field`.
fn append(
    mut edit: Edit,
    before: &Before,
    field: &str,
    entry: &Map<String, Value>,
) -> Result<String, Refusal> {
    if before.data.get(field).is_some_and(|value| !value.is_array() && !value.is_null()) {
        let message = format!("{}: /{field} must be a list", before.path);
        return Err(Refusal::new(codes::RECORD_SCHEMA_INVALID, message));
    }
    edit.set(field, &with(before.data.get(field), entry));
    edit.finish(&before.path.to_string(), &before.body)
}

fn with(list: Option<&Value>, entry: &Map<String, Value>) -> Value {
    let mut list = list.and_then(Value::as_array).cloned().unwrap_or_default();
    list.push(Value::Object(entry.clone()));
    Value::Array(list)
}
