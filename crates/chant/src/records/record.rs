//! One record, as a document lists it.

use canon::Sha256;
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use store::git::RepoPath;

use super::pins::Asset;
use super::reviews::{Attestation, Quorum};
use super::sessions::Citation;
use super::work::{AcceptanceView, AnswerView, Lease, LinkState};
use crate::Problem;
use crate::journal::LastWrite;

/// A value that a document shows also where it is null.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Nullable<T>(pub Option<T>);

/// A record with what reading it found.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Record {
    /// The id; null where the file can't be parsed or has none.
    pub id: Option<String>,
    /// The file, from the top of the repository.
    #[serde(serialize_with = "as_text")]
    #[schemars(with = "String")]
    pub path: RepoPath,
    /// The state as the record writes it.
    pub state: Option<String>,
    /// Whether there are no reasons.
    pub valid: bool,
    /// What makes the record invalid.
    pub reasons: Vec<Problem>,
    /// The record that replaces this one.
    pub superseded_by: Option<String>,
    /// The records that mend this one without replacing it.
    pub remediated_by: Vec<String>,
    /// The commit that decided it, for a kind with ranks that is no work kind, in a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_in: Option<Nullable<DecidedIn>>,
    /// The record's data.
    pub data: Option<Map<String, Value>>,
    /// How far the authorship of the file is established.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// The files that it pins by hash.
    pub assets: Vec<Asset>,
    /// What leaves the record valid.
    pub warnings: Vec<Problem>,
    /// What a verdict on the record names.
    #[serde(serialize_with = "digest_as_text")]
    #[schemars(with = "String")]
    pub digest: Option<Sha256>,
    /// Its verdicts, counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quorum: Option<Nullable<Quorum>>,
    /// Whether its author's seal verifies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attested: Option<Nullable<bool>>,
    /// What the author's seal establishes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Attestation>,
    /// Of a session: the verdicts of other records that name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cited_by: Option<Vec<Citation>>,
    /// Of a work item: whether it can be taken up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<bool>,
    /// Of a work item: the needs that are not done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_by: Option<Vec<LinkState>>,
    /// Of a work item: the decisions that it carries out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub implements: Option<Vec<LinkState>>,
    /// Of a work item: its criteria.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acceptance: Option<Nullable<AcceptanceView>>,
    /// In a working tree: `committed`, `modified` or `new`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// Of a work item: the contract that it builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contract: Option<Nullable<LinkState>>,
    /// Of a work item: the answers that speak of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<AnswerView>>,
    /// Of a work item in the working tree: who holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lease: Option<Nullable<Lease>>,
    /// In a working tree: the write that left the file as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_write: Option<Nullable<LastWrite>>,
}

impl Record {
    /// A reason against the record.
    pub(super) fn refuse(&mut self, problem: Problem) {
        self.reasons.push(problem);
        self.valid = false;
    }

    /// The value of a field of the data.
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.data.as_ref()?.get(name)
    }

    /// The string in a field of the data.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.field(name)?.as_str()
    }

    /// The list in a field of the data; empty where there is none.
    pub fn list(&self, name: &str) -> &[Value] {
        self.field(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// How a file compares with what `HEAD` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Worktree {
    /// As `HEAD` holds it.
    Committed,
    /// Otherwise than `HEAD` holds it.
    Modified,
    /// Not held by `HEAD`.
    New,
}

/// The commit that last moved a record into an approved state and kept it there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DecidedIn {
    /// The commit.
    pub sha: String,
    /// Its author date, ISO 8601.
    pub date: String,
    /// The first line of its message.
    pub subject: String,
}

/// How far the authorship of a record's file is established, judged at base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Provenance {
    /// `attested`, `attested-unverifiable-here`, `adopted` or `unattested`.
    pub level: String,
    /// The commit that the content comes from; null for what is not committed.
    pub commit: Option<String>,
    /// Who was asked, where somebody was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestor: Option<String>,
    /// Who signed, when attested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// The fingerprint of the key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Why.
    pub reason: String,
}

impl From<trust::Provenance> for Provenance {
    fn from(found: trust::Provenance) -> Self {
        Self {
            level: found.level.as_str().to_owned(),
            commit: found.commit.map(|commit| commit.to_string()),
            attestor: found.attestor.map(str::to_owned),
            principal: found.principal,
            key: found.key,
            reason: found.reason,
        }
    }
}

pub(super) fn as_text<S: Serializer>(path: &RepoPath, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(path)
}

#[expect(clippy::ref_option, reason = "serde hands over the field as it is")]
fn digest_as_text<S: Serializer>(digest: &Option<Sha256>, serializer: S) -> Result<S::Ok, S::Error> {
    match digest {
        Some(digest) => serializer.collect_str(digest),
        None => serializer.serialize_none(),
    }
}
