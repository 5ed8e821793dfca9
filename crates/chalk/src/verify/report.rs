//! The document of a verify run.

use std::path::PathBuf;

use canon::Sha256;
use gate::{Exit, Finding};
use schemars::JsonSchema;
use serde::Serialize;

use crate::toolchain::GateResult;
use crate::tree;

/// What a verify run found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Report {
    /// No gate failed and every lock held.
    pub green: bool,
    /// Nothing ran: no gate has a command, and there is no browser spec. Green says nothing then.
    pub vacuous: bool,
    /// What made it red, one short phrase each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub red: Vec<String>,
    /// The tree that the toolchain ran in.
    pub tree: tree::Judged,
    /// The tasks whose locks were judged.
    pub tasks: Vec<JudgedTask>,
    /// The content digest of the tree before the toolchain.
    pub digest: Sha256,
    /// The gates in the order in which they ran, then the browser specs.
    pub gates: Vec<GateResult>,
    /// How many locks there are, and how many held before the toolchain and after it.
    pub locks: LockCount,
    /// What else was found.
    pub findings: Vec<Finding>,
    /// Files that the toolchain changed, at most twenty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    /// How many more it changed.
    #[serde(skip_serializing_if = "is_zero")]
    pub changed_more: usize,
    /// The command that comes next.
    pub next: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// A task whose locks were judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct JudgedTask {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The tree that its locks were judged in.
    pub tree: PathBuf,
}

/// Locks in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LockCount {
    /// Of the judged tasks.
    pub checked: usize,
    /// That held.
    pub held: usize,
}

impl Report {
    /// The exit code: a red result is 2, a vacuous green is 0.
    pub fn exit(&self) -> Exit {
        if self.green { Exit::Done } else { Exit::Red }
    }
}
