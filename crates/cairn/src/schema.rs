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
#[rustfmt::skip]
pub const ALL: &[Entry] = &[
    entry::<c::schema::Printed>("cairn/schema"),
    entry::<chalk::accept::Accepted>("chalk/accept"),
    entry::<c::decision::Recorded>("chalk/decision"),
    entry::<ErrorDocument>("chalk/error"),
    entry::<chalk::init::Made>("chalk/init"),
    entry::<chalk::timeline::Events>("chalk/log"),
    entry::<chalk::question::One>("chalk/question-add"),
    entry::<chalk::question::List>("chalk/question-list"),
    entry::<chalk::question::One>("chalk/question-resolve"),
    entry::<chalk::task::Added>("chalk/task-add"),
    entry::<chalk::task::Dropped>("chalk/task-drop"),
    entry::<chalk::task::Edited>("chalk/task-edit"),
    entry::<chalk::task::Shown>("chalk/task-show"),
    entry::<chalk::timeline::Added>("chalk/update"),
];

/// What `--json` prints when a command did not do what it was asked.
#[derive(serde::Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ErrorDocument {
    /// The refusal.
    pub error: gate::Refusal,
}
