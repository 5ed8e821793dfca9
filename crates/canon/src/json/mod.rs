//! JSON, in the three ways that the protocols need it.
//!
//! - [`read`] and [`check`]: strict reading that answers with a line and a column;
//! - [`record`] and [`without_members`]: one object in which no name repeats, and its text without some members;
//! - [`Editor`]: changing one value of a text while every other byte stays as it was, whoever wrote it;
//! - [`pretty`], [`compact`] and [`canonical`]: writing as JavaScript does, and RFC 8785.

mod damage;
mod edit;
mod legible;
mod record;
mod scan;

use serde::Serialize;
use serde_json::{Number, Value};

pub(crate) use damage::conflict_marker;
pub use damage::{Damage, check, read, read_sparse};
pub use edit::{Editor, Step};
pub use legible::legible;
pub use record::{record, without_members};
pub use scan::elements;

/// `value` as `JSON.stringify(value, null, 2)` writes it, without a trailing newline.
pub fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

/// A number as JavaScript holds it: an integer where a double holds it exactly. `None` where it is not finite.
pub fn number(value: f64) -> Option<Number> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        #[expect(clippy::cast_possible_truncation, reason = "whole and within the range of i64")]
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}

/// `value` on one line without spaces, as `JSON.stringify(value)` writes it.
pub fn compact(value: &Value) -> String {
    value.to_string()
}

/// The RFC 8785 form of `value`, which is what gets hashed.
///
/// # Errors
/// A number that JSON cannot express (not a number, infinite), or a map whose keys are not strings.
pub fn canonical(value: &impl Serialize) -> Result<Vec<u8>, serde_json::Error> {
    serde_json_canonicalizer::to_vec(value)
}
