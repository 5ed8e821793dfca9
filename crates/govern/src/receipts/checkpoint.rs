//! What a checkpoint attests: the chain up to the line before it.

use canon::{Sha256, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::chain::Head;
use trust::dsse::{Envelope, Statement};
use trust::ed25519::{SigningKey, VerifyingKey};

/// The predicate type of a checkpoint.
pub const PREDICATE_TYPE: &str = "urn:cairn:receipts-checkpoint:1";

/// The name of the chain in the statement's subject.
const SUBJECT: &str = "receipts";

/// What is said of the chain's head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checkpoint {
    /// The number of the line that the subject's digest is of, and so how many lines there are.
    pub seq: u64,
    /// When it was attested.
    pub at: Timestamp,
    /// The session whose turn ended.
    pub session: Option<String>,
}

pub(super) fn sign(head: Head, about: Checkpoint, key: &SigningKey) -> Result<Envelope, serde_json::Error> {
    Statement::about(SUBJECT, head.hash, PREDICATE_TYPE, about).sign(key)
}

/// Whether the envelope attests exactly this head.
pub(super) fn attests(envelope: &Envelope, head: Head, keys: &[VerifyingKey]) -> bool {
    let Ok((statement, _)) = Statement::<Checkpoint>::open(envelope, PREDICATE_TYPE, keys) else {
        return false;
    };
    let [subject] = statement.subject.as_slice() else { return false };
    let digest = subject.digest.get("sha256").and_then(|digest| digest.parse::<Sha256>().ok());
    subject.name == SUBJECT && digest == Some(head.hash) && statement.predicate.seq == head.n
}
