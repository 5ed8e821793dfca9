//! What external links answered when someone looked: a dated file, since nothing here uses the network.

use std::collections::BTreeMap;

use canon::Timestamp;
use canon::json::Damage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The answers of external links at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkCache {
    /// The version of this form: 1.
    pub schema: u32,
    /// When they were asked.
    pub at: Timestamp,
    /// The answer of each address.
    pub links: BTreeMap<String, Answered>,
}

/// What one address answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The HTTP status; 0 where there was no answer.
    pub status: u16,
    /// The title of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

impl LinkCache {
    /// Reads such a file.
    ///
    /// # Errors
    /// It is not such a JSON text, or of another schema.
    pub fn read(bytes: &[u8]) -> Result<Self, Damage> {
        let cache: Self = canon::json::read(bytes)?;
        if cache.schema != 1 {
            return Err(Damage::at(bytes, 0, format!("answers of schema {}; 1 is known", cache.schema)));
        }
        Ok(cache)
    }
}
