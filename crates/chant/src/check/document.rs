//! What `check` prints.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use store::git::RepoPath;

use crate::declaration::Severity;
use crate::{CONTRACT, Cairn, LEVEL, Problem};

/// The `$id` of the documents' schema.
pub const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/check/v1/check.schema.json";

/// What `check` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Document {
    /// The checks ran.
    Report(Box<Report>),
    /// They could not.
    Failure(Failure),
}

/// What the checks found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Who speaks, and of what; left out of the short form.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub head: Option<Head>,
    /// The lineage lock; null where the folder has none.
    pub lock: Option<&'static str>,
    /// Whether nothing fails.
    pub ok: bool,
    /// What is open in the lineage lock.
    pub findings: Vec<LockFinding>,
    /// What the declaration's checks found; absent where there is no declaration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declaration: Option<Declared>,
}

impl Report {
    /// The short form, as it was before the contract.
    pub fn short(self) -> Self {
        Self { head: None, ..self }
    }
}

/// Who speaks, and of what.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Head {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the program that wrote it.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The commit that was read; null for the working tree.
    pub at: Option<String>,
    /// The workspace; null where there is no declaration.
    pub workspace: Option<WorkspaceName>,
}

/// Which workspace was checked.
#[derive(Debug, Serialize, JsonSchema)]
pub struct WorkspaceName {
    /// Its name; null where the declaration can't be read.
    pub name: Option<String>,
    /// Its root, from the top of the repository; an absolute path outside of one.
    pub root: String,
}

/// Something open in the lineage lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LockFinding {
    /// `lock-invalid` or `manual-step-open`.
    pub code: ReasonCode,
    /// The scope; null for the lock as a whole.
    pub scope: Option<String>,
    /// The file, from the folder of the lock.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What is open.
    pub message: String,
}

/// What the checks of the declaration found.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Declared {
    /// The declaration, from the folder that the command ran in.
    pub file: String,
    /// Whether no error is active.
    pub ok: bool,
    /// The active findings, by position.
    pub diagnostics: Vec<Diagnostic>,
    /// The findings that an entry suppresses.
    pub suppressed: Vec<Diagnostic>,
    /// The links between members.
    pub links: Vec<LinkRow>,
}

/// One finding.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// The file, from the folder that the command ran in.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The check's id.
    pub rule_id: &'static str,
    /// How much it counts.
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// The member or group that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// The reason code, where the finding has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ReasonCode>,
    /// Why it is suppressed, where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file, from the top of the repository.
    #[serde(skip)]
    pub path: RepoPath,
}

/// A link between two members.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LinkRow {
    /// The member that reads.
    pub consumer: String,
    /// The member that is read.
    pub producer: String,
    /// What is read.
    pub output: String,
    /// `output`, `telemetry`, or what the file says.
    pub kind: String,
    /// How it was found.
    pub origin: &'static str,
    /// How the names compare.
    pub label: &'static str,
    /// The parameter that an inferred join feeds.
    pub input: Option<String>,
    /// Where it was resolved.
    pub resolves: &'static str,
    /// What became of it.
    pub status: LinkStatus,
    /// Why it is not resolved.
    pub reason: Option<String>,
    /// Where the declaration states it.
    pub pointer: String,
    /// The protocol of a telemetry link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LinkStatus {
    /// The producer has the output.
    Resolved,
    /// It has not.
    Missing,
    /// Nothing here can tell.
    Unresolved,
    /// The link itself is wrong.
    Invalid,
}

/// The checks could not run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the program that wrote it.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// Why.
    pub error: FailureProblem,
}

/// Why the checks could not run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FailureProblem {
    /// The reason.
    #[serde(flatten)]
    pub problem: Problem,
    /// Always null.
    pub location: (),
}

impl Failure {
    /// The document of a refusal.
    pub fn of(refusal: &Refusal) -> Self {
        let error = FailureProblem { problem: refusal.into(), location: () };
        Self { schema: SCHEMA, contract: CONTRACT, chant: LEVEL, cairn: Cairn::THIS, error }
    }
}
