//! The published JSON Schemas: one for each document, made from the type that is printed.

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::commands as c;

/// A published schema.
pub struct Entry {
    /// `<protocol>/<document>`.
    pub name: &'static str,
    /// Makes the schema.
    pub make: fn() -> Schema,
}

const fn entry<T: JsonSchema>(name: &'static str) -> Entry {
    Entry { name, make: || SchemaGenerator::default().into_root_schema_for::<T>() }
}

/// Every published schema, sorted by name.
pub const ALL: &[Entry] =
    &[entry::<c::decision::Recorded>("chalk/decision"), entry::<ErrorDocument>("chalk/error")];

/// What `--json` prints when a command did not do what it was asked.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorDocument {
    /// The refusal.
    pub error: gate::Refusal,
}
