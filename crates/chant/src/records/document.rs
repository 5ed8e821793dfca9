//! What `records` prints.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use super::checkout::Checkout;
use super::pins::Asset;
use super::record::Record;
use super::work::DecisionWork;
use crate::kind::Kind;
use crate::{CONTRACT, Problem};

/// The `$id` of the documents' schema.
pub const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/records/v1/records.schema.json";

/// What `records` prints.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Document {
    /// The records of one kind.
    One(Box<Outcome>),
    /// Those of every kind that the workspace declares.
    Set(Set),
}

/// The records of a kind, or why there are none.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Outcome {
    /// The kind was read.
    Listing(Box<Listing>),
    /// It was not.
    Failure(Failure),
}

/// The records of one kind.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Listing {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// How the declaration names the kind, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// The kind.
    pub kind: KindHead,
    /// The commit that was read; null for the working tree.
    pub at: Option<String>,
    /// The folder that pinned paths start from.
    pub workspace_root: String,
    /// Whether superseded records are left out.
    pub current: bool,
    /// Whether only records that `HEAD` does not hold as they are were listed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncommitted: bool,
    /// Where the working tree stands; only there, and in a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkout: Option<Checkout>,
    /// What authorship was judged by; in a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<TrustView>,
    /// The records, sorted by path.
    pub records: Vec<Record>,
    /// How many there are.
    pub summary: Summary,
    /// Of a work kind: the decisions with the items that carry them out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<DecisionWork>>,
}

/// A kind, as documents name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KindHead {
    /// Its own name.
    pub name: String,
    /// The `$id` of its schema.
    pub schema: String,
    /// Its file, from the top of the repository.
    pub file: String,
    /// How a file holds its record.
    pub format: &'static str,
    /// Whether its current records are the workspace's specification.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spec: bool,
}

impl KindHead {
    /// The head of a kind.
    pub fn of(kind: &Kind) -> Self {
        Self {
            name: kind.name.clone(),
            schema: kind.schema.id.clone(),
            file: kind.file.to_string(),
            format: kind.format.as_str(),
            spec: kind.is_spec,
        }
    }
}

/// How a declaration names a kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Declared {
    /// The member that declares it; null for the workspace's own.
    pub member: Option<String>,
    /// The kind file, from the workspace root.
    pub path: String,
    /// The name that the declaration gives it.
    pub name: Option<String>,
}

/// What authorship was judged by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrustView {
    /// The commit that the policy was read at.
    pub base: Option<String>,
    /// How it was found.
    pub base_from: Option<String>,
    /// Whether a signers file exists there.
    pub active: bool,
    /// The signers file, from the top of the repository.
    pub signers_path: String,
    /// Why the policy can't be read.
    pub problems: Vec<String>,
}

impl TrustView {
    /// What a document shows of trust.
    pub fn of(trust: &trust::Trust) -> Self {
        let base = trust.base();
        Self {
            base: base.map(|base| base.commit.to_string()),
            base_from: base.map(|base| base.from.as_str().to_owned()),
            active: trust.is_active(),
            signers_path: trust.signers_path().to_string(),
            problems: trust.problems(),
        }
    }
}

/// How many records there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Summary {
    /// Listed.
    pub total: usize,
    /// Listed and valid.
    pub valid: usize,
    /// Listed and invalid.
    pub invalid: usize,
    /// Superseded, whether listed or not.
    pub superseded: usize,
}

/// Why a kind has no listing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// How the declaration names the kind, where it was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Declared>,
    /// Why.
    pub error: Problem,
}

impl Failure {
    /// The document of a refusal.
    pub fn of(refusal: &Refusal, declared: Option<Declared>) -> Self {
        Self { schema: SCHEMA, contract: CONTRACT, declared, error: refusal.into() }
    }
}

/// The records of every kind that the workspace declares.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Set {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// Each declared kind, in the declaration's order.
    pub kinds: Vec<Outcome>,
    /// With `--current`: what the workspace's specification is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<Spec>,
}

/// The workspace's specification: the current records of every kind that is marked so.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Spec {
    /// The kinds, in the declaration's order.
    pub kinds: Vec<Declared>,
    /// Their current records.
    pub records: Vec<SpecRecord>,
}

/// A record of the specification.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SpecRecord {
    /// The kind's name.
    pub kind: String,
    /// The record's id.
    pub id: Option<String>,
    /// Its file.
    pub path: String,
    /// Its state.
    pub state: Option<String>,
    /// Whether it is valid.
    pub valid: bool,
    /// Its digest.
    pub digest: String,
    /// The files that it pins.
    pub assets: Vec<Asset>,
}
