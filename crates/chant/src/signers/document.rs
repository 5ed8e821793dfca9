//! The documents.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use trust::rotation::{self, Break};

use crate::{CONTRACT, Cairn, LEVEL, Problem, codes};

const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/signers/v1/signers.schema.json";

/// The sets of signers that the base revision has had.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The commit whose first-parent history was read.
    pub base: String,
    /// The signers file, from the top of the repository.
    pub signers_path: String,
    /// The sets, oldest first.
    pub versions: Vec<Version>,
    /// Where the line breaks off; nothing is believed then.
    pub broken: Option<Broken>,
}

/// A set of signers.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Version {
    /// From 1; 0 is the removal of the signers file.
    pub version: u64,
    /// The commit that brought it in.
    pub commit: Option<String>,
    /// The digest of the signers file with LF line ends; none for a removal.
    pub digest: Option<String>,
    /// How many of its signers must sign the next one.
    pub threshold: u64,
    /// Its principals, sorted.
    pub principals: Vec<String>,
    /// Whose signatures brought it in.
    pub signed_by: Vec<String>,
}

/// A set that does not follow the one before.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Broken {
    /// The commit that brought it in.
    pub commit: Option<String>,
    /// What is wrong.
    pub code: ReasonCode,
    /// The same for people.
    pub message: String,
}

/// Why no history was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The reason.
    pub error: Problem,
}

impl Document {
    pub(super) fn new(base: String, signers_path: String, history: &trust::History) -> Self {
        Self {
            schema: SCHEMA,
            contract: CONTRACT,
            chant: LEVEL,
            cairn: Cairn::THIS,
            base,
            signers_path,
            versions: history.versions.iter().map(Version::from).collect(),
            broken: history.broken.as_ref().map(Broken::from),
        }
    }
}

impl From<&rotation::Version> for Version {
    fn from(version: &rotation::Version) -> Self {
        let principals = version.signers.as_deref().map(trust::Signers::principals).unwrap_or_default();
        Self {
            version: version.version,
            commit: version.commit.as_ref().map(ToString::to_string),
            digest: version.digest().map(str::to_owned),
            threshold: version.threshold,
            principals: principals.into_iter().map(ToString::to_string).collect(),
            signed_by: version.signed_by.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&rotation::Broken> for Broken {
    fn from(broken: &rotation::Broken) -> Self {
        Self {
            commit: broken.commit.as_ref().map(ToString::to_string),
            code: code(broken.kind),
            message: broken.message.clone(),
        }
    }
}

impl From<&Refusal> for Failure {
    fn from(refusal: &Refusal) -> Self {
        Self { schema: SCHEMA, contract: CONTRACT, chant: LEVEL, cairn: Cairn::THIS, error: refusal.into() }
    }
}

/// The code of a break between two sets.
pub fn code(kind: Break) -> ReasonCode {
    match kind {
        Break::SignersRemoved => codes::SIGNERS_REMOVED,
        Break::Unparseable => codes::ROTATION_UNPARSEABLE,
        Break::Invalid => codes::ROTATION_INVALID,
        Break::FirstVersion => codes::ROTATION_FIRST_VERSION,
        Break::Missing => codes::ROTATION_MISSING,
        Break::VersionSkew => codes::ROTATION_VERSION_SKEW,
        Break::PreviousMismatch => codes::ROTATION_PREVIOUS_MISMATCH,
        Break::ThresholdUnsatisfiable => codes::ROTATION_THRESHOLD_UNSATISFIABLE,
        Break::ThresholdNotMet => codes::ROTATION_THRESHOLD_NOT_MET,
    }
}
