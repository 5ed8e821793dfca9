//! `records new`: the first text of a record.

use canon::{Sha256, front_matter, json};
use gate::Refusal;
use serde_json::{Map, Value};
use trust::seal::Subject;

use super::ids::Existing;
use super::seal::{self, Seal, Sign};
use super::text::Edit;
use super::{Draft, fields, names, ratifies, state, usage};
use crate::codes;
use crate::kind::{Format, IdRule, Kind};
use crate::records::{digest, is_harvest};

/// What a new record is made of.
pub struct Opening<'a> {
    /// The fields given.
    pub fields: Map<String, Value>,
    /// The prefix of the id to be given, from `--prefix`.
    pub prefix: Option<&'a str>,
    /// Who opens it, from `--by`.
    pub by: Option<&'a str>,
    /// The commit that is checked out.
    pub head: Option<&'a str>,
    /// The key for the author's seal, from `--sign`.
    pub sign: Option<&'a dyn Sign>,
    /// Whether it comes from an agent's tool, which opens records in the first state only.
    pub from_agent: bool,
}

/// Plans a new record.
///
/// # Errors
/// `write-usage-invalid`, `write-input-invalid`, `record-id-taken`, `record-id-unallocatable`, `record-path-unmatched`,
/// `source-harvest-not-proposed`, `record-state-not-initial`, `record-sign-failed`.
pub fn new(kind: &Kind, existing: &Existing, opening: Opening<'_>) -> Result<Draft, Refusal> {
    if (kind.format, &kind.id) == (Format::Json, &IdRule::Sha256) {
        return addressed(kind, existing, opening);
    }
    let id_field = fields::id_field(kind)?;
    let mut data = opening.fields;
    fields::refuse_seals(kind, &data)?;
    let id = id(existing, id_field, &data, opening.prefix)?;
    data.insert(id_field.to_owned(), Value::from(id.as_str()));
    name_author(kind, &mut data, opening.by)?;
    check_state(kind, &data, opening.from_agent)?;
    if let Some(field) = kind.session.as_ref().and_then(|session| session.opened_rev.as_ref())
        && data.get(field).is_none_or(Value::is_null)
    {
        data.insert(field.clone(), opening.head.map_or(Value::Null, Value::from));
    }
    let data = fields::ordered(kind, data);
    let title = fields::text(&data, "title");
    let path = names::file(kind, &id, title)?;
    let body = title.map(|title| format!("\n# {title}\n")).unwrap_or_default();
    let body = front_matter::to_lf(&body).into_owned();

    let mut edit = Edit::new(&front_matter::file(&data, &body), &data);
    let mut changed: Vec<String> = data.keys().cloned().collect();
    let made = match opening.sign {
        Some(sign) => Some(author_seal(kind, &id, &mut edit, &body, sign)?),
        None => None,
    };
    changed.extend(made.as_ref().map(|_| "seal".to_owned()));
    let now = state(kind, &data);
    changed.extend(seal::close(kind, now, &mut edit, &body));
    let text = edit.finish(&path.to_string(), &body)?;
    Ok(Draft {
        id,
        digest: digest(kind, text.as_bytes()),
        ratifies: ratifies(kind, None, now),
        data: edit.data().clone(),
        path,
        text,
        changed,
        seal: made,
        seal_dropped: false,
    })
}

/// A record that its own bytes name; it is never changed afterwards.
fn addressed(kind: &Kind, existing: &Existing, opening: Opening<'_>) -> Result<Draft, Refusal> {
    if opening.prefix.is_some() {
        return Err(usage(format!(
            "records of the kind {} get their id from their content, not by --prefix",
            kind.name
        )));
    }
    if opening.sign.is_some() {
        let message = format!("records of the kind {} name no author who could sign", kind.name);
        return Err(Refusal::new(codes::RECORD_SIGN_FAILED, message));
    }
    let mut data = opening.fields;
    fields::refuse_seals(kind, &data)?;
    name_author(kind, &mut data, opening.by)?;
    check_state(kind, &data, opening.from_agent)?;
    let data = fields::ordered(kind, data);
    let text = format!("{}\n", json::pretty(&Value::Object(data.clone())));
    let id = Sha256::of(text.as_bytes()).to_string();
    let name = format!("{id}.json");
    if !kind.holds(name.as_bytes()) {
        let message = format!("the kind {} takes no file named {name}", kind.name);
        return Err(Refusal::new(codes::RECORD_PATH_UNMATCHED, message));
    }
    if existing.names.contains(&name) {
        let message = format!("a record with this content is there already: {name}");
        return Err(Refusal::new(codes::RECORD_ID_TAKEN, message));
    }
    Ok(Draft {
        path: kind.folder.join(&name),
        id,
        digest: digest(kind, text.as_bytes()),
        ratifies: ratifies(kind, None, state(kind, &data)),
        changed: data.keys().cloned().collect(),
        text,
        data,
        seal: None,
        seal_dropped: false,
    })
}

fn id(
    existing: &Existing,
    field: &str,
    data: &Map<String, Value>,
    prefix: Option<&str>,
) -> Result<String, Refusal> {
    match (data.get(field), prefix) {
        (None | Some(Value::Null), prefix) => existing.allocate(prefix),
        (Some(_), Some(_)) => {
            Err(usage(format!("--prefix asks for an id, and the fields give one in {field}")))
        }
        (Some(Value::String(id)), None) => {
            existing.admit(id)?;
            Ok(id.clone())
        }
        (Some(_), None) => {
            Err(Refusal::new(codes::WRITE_INPUT_INVALID, format!("the id in {field} is not a string")))
        }
    }
}

/// Puts the name that `--by` gives in the field of the proposer while the record is a proposal, else of the decider.
fn name_author(kind: &Kind, data: &mut Map<String, Value>, by: Option<&str>) -> Result<(), Refusal> {
    let Some(by) = by else { return Ok(()) };
    if by.trim().is_empty() {
        return Err(usage("--by names nobody"));
    }
    let is_proposal = kind.states.as_ref().is_none_or(|states| state(kind, data) == Some(&states.all[0]));
    let proposer = kind.proposed_by.as_ref().filter(|_| is_proposal);
    let decider = kind.reviews.as_ref().map(|reviews| &reviews.decider);
    let Some(field) = proposer.or(decider) else {
        return Err(usage(format!("the kind {} has no field for the name that --by gives", kind.name)));
    };
    match data.get(field) {
        None | Some(Value::Null) => {
            data.insert(field.clone(), Value::from(by));
        }
        Some(given) if given.as_str() == Some(by) => {}
        Some(given) => {
            let message = format!("--by says {by}, and the fields give {given} in {field}");
            return Err(Refusal::new(codes::WRITE_INPUT_INVALID, message));
        }
    }
    Ok(())
}

fn check_state(kind: &Kind, data: &Map<String, Value>, from_agent: bool) -> Result<(), Refusal> {
    let Some(states) = &kind.states else { return Ok(()) };
    let first = &states.all[0];
    if state(kind, data) == Some(first) {
        return Ok(());
    }
    let harvested = kind.source.as_ref().and_then(|field| data.get(field)).is_some_and(is_harvest);
    let (code, who) = match (harvested, from_agent) {
        (true, _) => (codes::SOURCE_HARVEST_NOT_PROPOSED, "a harvested record"),
        (_, true) => (codes::RECORD_STATE_NOT_INITIAL, "a record from an agent"),
        _ => return Ok(()),
    };
    Err(Refusal::new(code, format!("{who} opens in the state {first}, and a person moves it on")))
}

/// Makes the author's seal and puts it in.
pub(super) fn author_seal(
    kind: &Kind,
    id: &str,
    edit: &mut Edit,
    body: &str,
    sign: &dyn Sign,
) -> Result<Seal, Refusal> {
    let refuse = |message: String| Refusal::new(codes::RECORD_SIGN_FAILED, message);
    let Some(reviews) = &kind.reviews else {
        return Err(refuse(format!("records of the kind {} name no author who could sign", kind.name)));
    };
    let Some(author) = fields::text(edit.data(), &reviews.decider) else {
        return Err(refuse(format!(
            "{id} names no author in {}, so there is nobody to sign for",
            reviews.decider
        )));
    };
    let author = author.to_owned();
    let text = edit.finish(id, body)?;
    let digest = digest(kind, text.as_bytes()).to_string();
    let state = state(kind, edit.data()).unwrap_or_default().to_owned();
    let subject = Subject::record(Some(id), &digest, Some(&author), Some(&state));
    let seal = Seal::make(sign, &subject, codes::RECORD_SIGN_FAILED)?;
    edit.set("seal", &seal.value());
    Ok(seal)
}
