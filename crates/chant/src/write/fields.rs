//! The fields that a caller gives for a record.

use canon::json;
use gate::Refusal;
use serde_json::{Map, Value};

use crate::codes;
use crate::kind::{Format, IdRule, Kind};

/// Reads the fields that a write was given: one JSON object.
///
/// # Errors
/// `write-input-invalid`, with the place.
pub fn read(bytes: &[u8], from: &str) -> Result<Map<String, Value>, Refusal> {
    json::record(bytes).map_err(|damage| {
        let message = format!("the fields from {from} are not one JSON object: {damage}");
        Refusal::new(codes::WRITE_INPUT_INVALID, message).at(from, Some(damage.line), Some(damage.column))
    })
}

/// The field with the id of a kind whose records can be written.
///
/// # Errors
/// `write-usage-invalid` for a kind of another format.
pub(super) fn id_field(kind: &Kind) -> Result<&str, Refusal> {
    if let (Format::FrontMatter, IdRule::Field(field)) = (&kind.format, &kind.id) {
        return Ok(field);
    }
    let message = format!(
        "records of the kind {} are not written with this command: they are no markdown with an id in its front matter",
        kind.name
    );
    Err(Refusal::new(codes::WRITE_USAGE_INVALID, message))
}

/// Refuses fields that only the program writes.
pub(super) fn refuse_seals(kind: &Kind, fields: &Map<String, Value>) -> Result<(), Refusal> {
    let author = kind.reviews.is_some().then_some("seal");
    match author.into_iter().chain(kind.whole_seal()).find(|field| fields.contains_key(*field)) {
        Some(field) => {
            let message = format!("{field} is a seal, which is written by the program alone");
            Err(Refusal::new(codes::WRITE_INPUT_INVALID, message)
                .hint("leave it out; --sign makes an author's seal"))
        }
        None => Ok(()),
    }
}

/// `data` in the order in which a new record has its fields: as the schema orders them, then as given.
pub(super) fn ordered(kind: &Kind, mut data: Map<String, Value>) -> Map<String, Value> {
    let mut ordered = Map::new();
    for field in kind.schema.order() {
        if let Some(value) = data.shift_remove(field) {
            ordered.insert(field.to_owned(), value);
        }
    }
    ordered.extend(data);
    ordered
}

/// `old` with `set` over it: the fields that both have stay in their place, new ones follow as the schema orders them.
pub(super) fn merged(kind: &Kind, old: &Map<String, Value>, set: Map<String, Value>) -> Map<String, Value> {
    let mut merged = old.clone();
    for (field, value) in ordered(kind, set) {
        merged.insert(field, value);
    }
    merged
}

/// The fields of `new` whose values differ from those of `old`, in the order of `new`.
pub(super) fn changed(old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<String> {
    new.iter()
        .filter(|(field, value)| old.get(*field) != Some(value))
        .map(|(field, _)| field.clone())
        .collect()
}

/// The value of a field as a text that is not blank.
pub(super) fn text<'d>(data: &'d Map<String, Value>, field: &str) -> Option<&'d str> {
    data.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}
