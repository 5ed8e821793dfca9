//! `records amend`: some fields of a record changed.

use gate::Refusal;
use serde_json::{Map, Value};

use super::close::note_opening;
use super::new::author_seal;
use super::seal::{self, Sign};
use super::text::Edit;
use super::{Before, Draft, fields, ratifies, state};
use crate::codes;
use crate::kind::Kind;
use crate::records::digest;

/// What an amendment changes.
pub struct Amendment<'a> {
    /// The fields given, each with its whole new value.
    pub fields: Map<String, Value>,
    /// The commit that is checked out.
    pub head: Option<&'a str>,
    /// The key for the author's seal, from `--sign`.
    pub sign: Option<&'a dyn Sign>,
}

/// Plans an amendment. Where the fields change nothing and nothing is signed, nothing is to be written.
///
/// # Errors
/// `write-usage-invalid`, `write-input-invalid`, `amend-id-immutable`, `record-closed`, `amend-supersede-instead`,
/// `record-sign-failed`, `record-unparseable`.
pub fn amend(kind: &Kind, before: &Before, amendment: Amendment<'_>) -> Result<Draft, Refusal> {
    let id_field = fields::id_field(kind)?;
    fields::refuse_seals(kind, &amendment.fields)?;
    let id = before.id(kind).to_owned();
    if let Some(given) = amendment.fields.get(id_field).filter(|given| given.as_str() != Some(&id)) {
        let message = format!("{id} keeps its id, and the fields give {given} in {id_field}");
        return Err(
            Refusal::new(codes::AMEND_ID_IMMUTABLE, message).hint("a record of another id is a new record")
        );
    }
    let target = fields::merged(kind, &before.data, amendment.fields);
    let changed = fields::changed(&before.data, &target);
    if changed.is_empty() && amendment.sign.is_none() {
        return Ok(unchanged(before, id));
    }
    let (old, new) = (before.state(kind), state(kind, &target));
    refuse_closed(kind, before, &id)?;
    refuse_approved(kind, before, &id, &changed, new)?;

    let mut edit = Edit::new(&before.text, &before.data);
    for field in &changed {
        edit.set(field, &target[field]);
    }
    let opened = note_opening(kind, &mut edit, amendment.head);
    edit.settle(&before.text, &before.body);
    let mut draft = Draft {
        path: before.path.clone(),
        id,
        text: String::new(),
        data: Map::new(),
        digest: before.digest,
        ratifies: ratifies(kind, old, new),
        changed: changed.into_iter().chain(opened).collect(),
        seal: None,
        seal_dropped: false,
    };
    seal_again(kind, before, amendment.sign, &mut edit, &mut draft)?;
    if !kind.is_closed(old)
        && let Some(field) = seal::close(kind, new, &mut edit, &before.body)
    {
        draft.changed.push(field);
    }
    edit.settle(&before.text, &before.body);
    draft.text = edit.finish(&before.path.to_string(), &before.body)?;
    draft.digest = digest(kind, draft.text.as_bytes());
    draft.data = edit.data().clone();
    Ok(draft)
}

fn unchanged(before: &Before, id: String) -> Draft {
    Draft {
        path: before.path.clone(),
        id,
        text: before.text.clone(),
        data: before.data.clone(),
        digest: before.digest,
        changed: Vec::new(),
        seal: None,
        seal_dropped: false,
        ratifies: false,
    }
}

pub(super) fn refuse_closed(kind: &Kind, before: &Before, id: &str) -> Result<(), Refusal> {
    let state = before.state(kind);
    if !kind.is_closed(state) {
        return Ok(());
    }
    let message = format!("{id} is {}, and a closed record changes no more", state.unwrap_or_default());
    let refusal = Refusal::new(codes::RECORD_CLOSED, message);
    Err(match &kind.supersedes {
        Some(link) => refusal.hint(format!("write a new record that names it in {}", link.field)),
        None => refusal,
    })
}

/// What is approved changes only by a successor: all but its state, which never falls back, its pins and its verdicts.
fn refuse_approved(
    kind: &Kind,
    before: &Before,
    id: &str,
    changed: &[String],
    new: Option<&str>,
) -> Result<(), Refusal> {
    let old = before.state(kind);
    let (Some(old_rank), Some(new_rank)) = (kind.rank(old), kind.rank(new)) else { return Ok(()) };
    let shown = old.unwrap_or_default();
    let refuse = |message: String| {
        let refusal = Refusal::new(codes::AMEND_SUPERSEDE_INSTEAD, message);
        Err(match &kind.supersedes {
            Some(link) => refusal.hint(format!("write a new record that names {id} in {}", link.field)),
            None => refusal,
        })
    };
    if old_rank > 0 {
        let free = [
            kind.states.as_ref().map(|states| states.field.as_str()),
            kind.pins.as_deref(),
            kind.reviews.as_ref().map(|reviews| reviews.field.as_str()),
        ];
        let fixed: Vec<&str> =
            changed.iter().map(String::as_str).filter(|field| !free.contains(&Some(*field))).collect();
        if !fixed.is_empty() {
            return refuse(format!("{id} is {shown}, so a successor changes {}", fixed.join(", ")));
        }
    }
    if new_rank < old_rank {
        return refuse(format!("{id} is {shown}, and does not fall back to {}", new.unwrap_or("no state")));
    }
    Ok(())
}

/// Signs the record again where that was asked for, and takes out an author's seal that no longer covers the text.
fn seal_again(
    kind: &Kind,
    before: &Before,
    sign: Option<&dyn Sign>,
    edit: &mut Edit,
    draft: &mut Draft,
) -> Result<(), Refusal> {
    if let Some(sign) = sign {
        draft.seal = Some(author_seal(kind, &draft.id, edit, &before.body, sign)?);
        draft.changed.push("seal".to_owned());
    } else if kind.reviews.is_some() && edit.data().contains_key("seal") {
        let text = edit.finish(&before.path.to_string(), &before.body)?;
        if digest(kind, text.as_bytes()) != before.digest {
            edit.unset("seal");
            draft.seal_dropped = true;
            draft.changed.push("seal".to_owned());
        }
    }
    Ok(())
}
