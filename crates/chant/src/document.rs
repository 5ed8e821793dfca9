//! What every document has in common.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

/// The version of the read contract that every document follows.
pub const CONTRACT: u32 = 1;

/// The level of the contract's own program that is implemented here; the `chant` field of documents.
pub const LEVEL: &str = "0.108.0";

/// The program that printed a document. The contract leaves fields named `x-...` to whoever prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cairn {
    /// Its version.
    pub version: &'static str,
}

impl Cairn {
    /// This one.
    pub const THIS: Self = Self { version: env!("CARGO_PKG_VERSION") };
}

/// A code of the closed list with a sentence: a reason, a warning, an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// One code of the closed list.
    pub code: ReasonCode,
    /// What is wrong, for people.
    pub message: String,
}

impl Problem {
    /// A problem.
    pub fn new(code: ReasonCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<&Refusal> for Problem {
    fn from(refusal: &Refusal) -> Self {
        Self::new(refusal.code, refusal.message.clone())
    }
}
