//! Front matter: a YAML block between two `---` lines at the top of a text.
//!
//! - [`parse`]: reading it as the JSON subset of YAML;
//! - [`replace`], [`remove`], [`insert`], [`replace_all`]: changing top-level fields of a file while every other byte stays;
//! - [`block`], [`body_start`]: where a field, and the text below, lie;
//! - [`without_blocks`]: a text without some of its fields, which is what a review digest covers;
//! - [`field`] and [`file`]: writing fields and whole files;
//! - [`seal_digest`]: what a whole-file seal covers.

mod blocks;
mod fence;
mod load;
mod plain;
mod render;
mod seal;
mod written;

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::json::Damage;

pub use blocks::{block, insert, remove, replace, replace_all, without_blocks};
pub use fence::to_lf;
pub use load::MAX_DEPTH;
pub use render::{field, file, yaml};
pub use seal::seal_digest;

use fence::Fence;

/// A text with front matter.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'a> {
    text: Cow<'a, str>,
    body: usize,
    /// The fields, in the order of the file.
    pub data: Map<String, Value>,
}

impl Document<'_> {
    /// The whole text, with LF line ends.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands below the front matter, with LF line ends.
    pub fn body(&self) -> &str {
        &self.text[self.body..]
    }
}

/// Reads a text with front matter.
///
/// The front matter must be one mapping in the JSON subset of YAML: plain scalars mean what they mean under the
/// JSON schema of YAML (a date is a string), and what JSON cannot hold is refused, as is a key that stands twice.
///
/// # Errors
/// The text is not UTF-8, has no front matter, or its front matter is not such a mapping. Lines count from the
/// top of the file.
pub fn parse(bytes: &[u8]) -> Result<Document<'_>, Damage> {
    let raw =
        std::str::from_utf8(bytes).map_err(|error| Damage::at(bytes, error.valid_up_to(), "not UTF-8"))?;
    let text = to_lf(raw);
    let fence = Fence::find(&text).map_err(|missing| missing.damage(&text))?;
    let data = load::load(fence.content(&text)).map_err(|fault| fault.damage(&text, &fence))?;
    let body = fence.body;
    Ok(Document { text, body, data })
}

/// Where the text below the front matter of `text` begins, whatever stands in it. `None` where there is no front matter,
/// or no line closes it.
pub fn body_start(text: &str) -> Option<usize> {
    Fence::find(text).ok().map(|fence| fence.body)
}

#[cfg(test)]
mod tests;
