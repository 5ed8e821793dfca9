//! `records close`: the end of a session.

use canon::Timestamp;
use gate::Refusal;
use serde_json::Value;

use super::amend::refuse_closed;
use super::text::Edit;
use super::{Before, Draft, fields, seal, usage};
use crate::kind::Kind;
use crate::records::digest;

/// A session's end, planned.
#[derive(Debug, Clone)]
pub struct Closing {
    /// The session's file.
    pub draft: Draft,
    /// The field with the whole-file seal.
    pub seal_field: String,
    /// The seal.
    pub seal: String,
}

/// Plans the end of a session at `now`, with `head` checked out.
///
/// # Errors
/// `write-usage-invalid` for a kind that is none of sessions, `record-closed`, `record-unparseable`.
pub fn close(kind: &Kind, before: &Before, head: Option<&str>, now: Timestamp) -> Result<Closing, Refusal> {
    fields::id_field(kind)?;
    let closed = kind.states.as_ref().and_then(|states| Some((&states.field, states.closed.first()?)));
    let (Some(session), Some((state_field, closed))) = (&kind.session, closed) else {
        return Err(usage(format!("records of the kind {} are no sessions that could be closed", kind.name)));
    };
    let id = before.id(kind).to_owned();
    refuse_closed(kind, before, &id)?;

    let mut edit = Edit::new(&before.text, &before.data);
    if let (Some(field), Some(head)) = (&session.opened_rev, head)
        && before.data.get(field).is_none_or(Value::is_null)
    {
        edit.set(field, &Value::from(head));
    }
    edit.set(state_field, &Value::from(closed.as_str()));
    if let Some(field) = &session.closed_on {
        edit.set(field, &Value::from(seconds(now)));
    }
    if let Some(field) = &session.closed_rev {
        edit.set(field, &head.map_or(Value::Null, Value::from));
    }
    let Some((seal_field, seal)) = seal::of_closed(kind, Some(closed), edit.data(), &before.body) else {
        return Err(usage(format!("the kind {} has no field for the seal of a closed session", kind.name)));
    };
    edit.set(&seal_field, &Value::from(seal.as_str()));
    let text = edit.finish(&before.path.to_string(), &before.body)?;
    let draft = Draft {
        path: before.path.clone(),
        id,
        digest: digest(kind, text.as_bytes()),
        text,
        changed: fields::changed(&before.data, edit.data()),
        data: edit.data().clone(),
        seal: None,
        seal_dropped: false,
        ratifies: false,
    };
    Ok(Closing { draft, seal_field, seal })
}

/// Notes the commit at which a session opened, where none was there yet when it was written. Gives the field.
pub(super) fn note_opening(kind: &Kind, edit: &mut Edit, head: Option<&str>) -> Option<String> {
    let field = kind.session.as_ref()?.opened_rev.as_ref()?;
    let head = head.filter(|_| edit.data().get(field).is_some_and(Value::is_null))?;
    edit.set(field, &Value::from(head));
    Some(field.clone())
}

/// ISO 8601 in UTC, to the second.
fn seconds(now: Timestamp) -> String {
    let text = now.to_string();
    format!("{}Z", text.split('.').next().unwrap_or(&text))
}
