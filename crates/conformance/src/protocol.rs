//! What goes over the streams between harness and subject: one JSON document a line.

use canon::json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::vector::{Level, Setup, Step};

/// The version of the protocol.
pub const PROTOCOL: u32 = 1;

/// What a subject prints for `--capabilities`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Capabilities {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// The implementation.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The capability tags that it claims: it answers every case that requires no other.
    pub capabilities: Vec<String>,
    /// The tags of contracts that it knows and does not have: declared beforehand.
    #[serde(default)]
    pub specified_not_implemented: Vec<String>,
    /// The levels that it claims.
    #[serde(default)]
    pub levels: Vec<Level>,
    /// It takes `--sabotage`, and then runs with its gates switched off.
    #[serde(default)]
    pub sabotage: bool,
}

/// A case, as a subject gets it: a vector without its name, its contract and what is expected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Case {
    /// A handle of this one sending, to be given back. It is not the vector's id.
    pub id: String,
    /// The capability tags that the case requires.
    pub requires: Vec<String>,
    /// What is there before the first step.
    pub setup: Setup,
    /// What happens.
    pub steps: Vec<Step>,
}

/// What a subject says of a case as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It has played the case.
    Done,
    /// It does not claim a tag that the case requires.
    Unsupported,
    /// It declared a tag that the case requires as one that it does not have yet.
    SpecifiedNotImplemented,
}

/// The answer to a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Reply {
    /// The handle of the case.
    pub id: String,
    /// What the subject says of it.
    pub status: Status,
    /// One output for each step; none unless the status is `done`.
    #[serde(default)]
    pub outputs: Vec<Value>,
    /// The artifacts that the setup asks for, by name.
    #[serde(default)]
    pub artifacts: Map<String, Value>,
}

/// The document on one line, read strictly: no name stands twice, no field is unknown.
///
/// # Errors
/// What is wrong with the line.
pub(crate) fn read<T: for<'de> Deserialize<'de>>(line: &[u8]) -> Result<T, String> {
    let object = json::record(line).map_err(|damage| damage.to_string())?;
    T::deserialize(Value::Object(object)).map_err(|error| error.to_string())
}
