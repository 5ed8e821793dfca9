//! What a verdict on a record names, and the seal over a whole file.

use canon::{Sha256, front_matter, json};
use serde_json::{Map, Value};

use crate::kind::{Format, Kind};

/// The digest of a record's file, also of one that can't be parsed: its text with LF line ends, without the fields
/// that may change after a verdict was given.
pub fn digest(kind: &Kind, bytes: &[u8]) -> Sha256 {
    let Ok(text) = std::str::from_utf8(bytes) else { return Sha256::of(bytes) };
    let text = front_matter::to_lf(text);
    let Some(reviews) = &kind.reviews else { return Sha256::of(text.as_bytes()) };
    let mut left_out = vec![reviews.field.as_str(), "seal"];
    if let (Some(_), Some(states)) = (&reviews.ratified, &kind.states) {
        left_out.push(&states.field);
    }
    left_out.extend(kind.seal.as_deref());
    let text = match kind.format {
        Format::FrontMatter => front_matter::without_blocks(&text, &left_out),
        Format::Json => json::without_members(&text, &left_out),
    };
    Sha256::of(text.as_bytes())
}

/// The seal over a whole record: its data without the field of the seal, and its body.
pub fn whole_seal(field: &str, data: &Map<String, Value>, body: &str) -> Option<String> {
    let mut core = data.clone();
    core.shift_remove(field);
    // What was read from JSON or from the subset of YAML can always be written.
    front_matter::seal_digest(&core, body).ok()
}
