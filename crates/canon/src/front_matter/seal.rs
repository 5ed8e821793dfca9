//! The digest that seals a whole record.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Sha256;
use crate::json::canonical;

#[derive(Serialize)]
struct Sealed<'a> {
    body: &'a str,
    core: &'a Map<String, Value>,
}

/// `sha256:` and the SHA-256 of the RFC 8785 form of `{"body": ..., "core": ...}`: `core` is the front matter
/// without the field of the seal, `body` the text below it with LF line ends.
///
/// # Errors
/// A number that JSON cannot express.
pub fn seal_digest(core: &Map<String, Value>, body: &str) -> Result<String, serde_json::Error> {
    Ok(format!("sha256:{}", Sha256::of(&canonical(&Sealed { body, core })?)))
}
