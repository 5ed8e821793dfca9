//! Lines in RFC 8785 form, whose hash is that of all their bytes.

use canon::{Sha256, json};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::BadLine;

/// Reads a line that is written just so. `number` gives the number that it gives itself, `not_one` says what it is
/// where it is none.
///
/// # Errors
/// It is none, or not as such lines are written.
pub fn read<T: Serialize + DeserializeOwned>(
    line: &[u8],
    number: impl Fn(&T) -> u64,
    not_one: &'static str,
) -> Result<T, BadLine> {
    let value: T = json::read(line).map_err(|_| BadLine { number: None, why: not_one })?;
    if json::canonical(&value).unwrap_or_default() != line {
        return Err(BadLine { number: Some(number(&value)), why: "it is not as receipts are written" });
    }
    Ok(value)
}

/// The line with its end, and its hash.
pub fn sealed(value: &impl Serialize) -> (String, Sha256) {
    let bytes = json::canonical(value).unwrap_or_default();
    let hash = Sha256::of(&bytes);
    let mut line = String::from_utf8(bytes).unwrap_or_default();
    line.push('\n');
    (line, hash)
}
