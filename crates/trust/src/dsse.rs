//! DSSE envelopes over in-toto statements: something said about things that are named by their digests, signed so
//! that anyone can check it (DSSE v1, in-toto Statement v1).

use std::collections::BTreeMap;
use std::fmt;

use canon::{Sha256, base64, json};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ed25519::{SigningKey, VerifyingKey};

/// The payload type of an in-toto statement.
pub const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// The `_type` of a statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";

/// A signed text, as it is stored and handed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// What the text is.
    pub payload_type: String,
    /// The text in base64.
    pub payload: String,
    /// Who signed it.
    pub signatures: Vec<Signature>,
}

/// One signature of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Signature {
    /// The key's fingerprint: a hint, which the signature does not cover.
    pub keyid: String,
    /// The signature in base64.
    pub sig: String,
}

/// Something said about one or more things.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement<P = Value> {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub kind: String,
    /// The things.
    pub subject: Vec<Subject>,
    /// What kind of thing is said.
    pub predicate_type: String,
    /// What is said.
    pub predicate: P,
}

/// A thing that is spoken of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Its digests by their algorithm.
    pub digest: BTreeMap<String, String>,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub annotations: BTreeMap<String, Value>,
}

/// Why an envelope proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnvelopeFault {
    /// It has no signature, or its payload is not base64 as an encoder writes it.
    Malformed,
    /// None of its signatures is by a key that is trusted.
    Untrusted,
    /// What it holds is no in-toto statement.
    PayloadType,
    /// What it holds is no statement of this kind.
    Statement,
}

impl fmt::Display for EnvelopeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Malformed => "it is no DSSE envelope",
            Self::Untrusted => "no signature in the envelope is by a trusted key",
            Self::PayloadType => "the envelope holds no in-toto statement",
            Self::Statement => "the envelope holds another kind of statement",
        })
    }
}

impl std::error::Error for EnvelopeFault {}

/// What is signed of a payload: DSSE's pre-authentication encoding. Lengths are decimal byte counts.
pub fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut bytes = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    bytes.extend_from_slice(payload);
    bytes
}

impl Envelope {
    /// An envelope around `payload`, signed by `key`.
    pub fn sign(payload_type: &str, payload: &[u8], key: &SigningKey) -> Self {
        let sig = key.sign(&pae(payload_type, payload));
        Self {
            payload_type: payload_type.to_owned(),
            payload: base64::encode(payload),
            signatures: vec![Signature { keyid: key.public().id(), sig }],
        }
    }

    /// The payload, after one good signature by one of `keys`, and that key.
    pub fn open<'k>(&self, keys: &'k [VerifyingKey]) -> Result<(Vec<u8>, &'k VerifyingKey), EnvelopeFault> {
        let payload = base64::decode(&self.payload).ok_or(EnvelopeFault::Malformed)?;
        if self.signatures.is_empty() {
            return Err(EnvelopeFault::Malformed);
        }
        let signed = pae(&self.payload_type, &payload);
        let good = |key: &&VerifyingKey| self.signatures.iter().any(|one| key.verifies(&signed, &one.sig));
        let key = keys.iter().find(good).ok_or(EnvelopeFault::Untrusted)?;
        Ok((payload, key))
    }
}

impl<P: Serialize + for<'de> Deserialize<'de>> Statement<P> {
    /// A statement about one thing, which a SHA-256 digest names.
    pub fn about(name: &str, sha256: Sha256, predicate_type: &str, predicate: P) -> Self {
        let digest = BTreeMap::from([("sha256".to_owned(), sha256.to_string())]);
        Self {
            kind: STATEMENT_TYPE.to_owned(),
            subject: vec![Subject { name: name.to_owned(), digest, annotations: BTreeMap::new() }],
            predicate_type: predicate_type.to_owned(),
            predicate,
        }
    }

    /// The statement in an envelope, in canonical form.
    ///
    /// # Errors
    /// The predicate has no JSON form.
    pub fn sign(&self, key: &SigningKey) -> Result<Envelope, serde_json::Error> {
        Ok(Envelope::sign(PAYLOAD_TYPE, &json::canonical(self)?, key))
    }

    /// The statement in an envelope that one of `keys` signed, and that key.
    pub fn open<'k>(
        envelope: &Envelope,
        predicate_type: &str,
        keys: &'k [VerifyingKey],
    ) -> Result<(Self, &'k VerifyingKey), EnvelopeFault> {
        let (payload, key) = envelope.open(keys)?;
        if envelope.payload_type != PAYLOAD_TYPE {
            return Err(EnvelopeFault::PayloadType);
        }
        let statement: Self = json::read(&payload).map_err(|_| EnvelopeFault::Statement)?;
        if statement.kind != STATEMENT_TYPE || statement.predicate_type != predicate_type {
            return Err(EnvelopeFault::Statement);
        }
        Ok((statement, key))
    }
}

#[cfg(test)]
mod tests;
