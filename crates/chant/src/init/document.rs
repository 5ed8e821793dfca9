//! The document.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{Leaving, Stack};
use crate::Cairn;

/// A declaration, proposed or written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Document {
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The declaration's file, from the top of the repository.
    pub file: String,
    /// Whether it was written.
    pub written: bool,
    /// What it says.
    pub declaration: Value,
    /// What leaves the root project.
    pub leaving: Vec<Leaving>,
    /// One ownership stack for each chant member. Advice: it is never written.
    pub stacks: Vec<Stack>,
}
