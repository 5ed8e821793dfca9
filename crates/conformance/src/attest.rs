//! Attestations: a report that somebody signed, so that anyone can check it and make the same run.
//!
//! What is signed is an in-toto statement about the vectors and the files of the subject. A program's own key signs it
//! as a DSSE envelope, a person's ssh key as an SSH signature over what DSSE signs.

use std::collections::BTreeMap;

use canon::{Sha256, Timestamp, base64, json};
use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use trust::dsse::{self, Envelope, PAYLOAD_TYPE, STATEMENT_TYPE, Statement, Subject};
use trust::ed25519::{SigningKey, VerifyingKey};
use trust::{Key, Signature};

use crate::codes;
use crate::corpus::Corpus;
use crate::judge::Class;
use crate::report::{LevelVerdict, Problem, Report, Under};
use crate::vector::Level;

/// The predicate type of a result.
pub const PREDICATE_TYPE: &str = "urn:cairn:conformance-result:1";

/// The ssh namespace of a person's signature.
pub const NAMESPACE: &str = "cairn-conformance";

/// What the subject of the statement that the vectors are is called.
const VECTORS: &str = "vectors";

/// A result, as it is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Attested {
    /// When it was made.
    pub at: Timestamp,
    /// The harness, with its version.
    pub harness: String,
    /// What was tested.
    pub subject: Under,
    /// The level that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The family that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// How often each vector was sent to one process.
    pub repeat: u32,
    /// How many more processes were started.
    pub fresh: u32,
    /// The levels.
    pub levels: Vec<LevelVerdict>,
    /// What is wrong with the subject as a whole.
    pub problems: Vec<Problem>,
    /// Every vector by name and version.
    pub vectors: BTreeMap<String, Outcome>,
}

/// How one vector came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Outcome {
    /// The class.
    pub class: Class,
    /// The digest of the answer in canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Sha256>,
}

/// A signed result, as it is handed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "form", rename_all = "lowercase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Attestation {
    /// Signed with a program's key.
    Dsse {
        /// The envelope over the statement.
        envelope: Envelope,
        /// The public key, as ssh writes it.
        public_key: String,
    },
    /// Signed with a person's ssh key.
    Sshsig {
        /// What the payload is.
        payload_type: String,
        /// The statement in base64.
        payload: String,
        /// The armored signature over DSSE's encoding of both, with the public key in it.
        signature: String,
    },
}

/// An attestation whose signature is good.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// The result.
    pub result: Attested,
    /// The digest of the vectors that it is about.
    pub corpus: Sha256,
    /// The fingerprint of the key that signed.
    pub signer: String,
}

/// What a second run says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Difference {
    /// The vector with its version.
    pub vector: String,
    /// What is attested; none where it is not.
    pub attested: Option<Class>,
    /// What was found; none where it was not run.
    pub found: Option<Class>,
    /// Both have one class, and another answer.
    pub answer: bool,
}

/// The statement of a report.
pub fn statement(report: &Report, at: Timestamp, harness: &str) -> Statement<Attested> {
    let vectors = report
        .vectors
        .iter()
        .map(|one| (one.name(), Outcome { class: one.class, output: one.output }))
        .collect();
    let digest = |sha256: Sha256| BTreeMap::from([("sha256".to_owned(), sha256.to_string())]);
    let about = |name: &str, sha256| Subject {
        name: name.to_owned(),
        digest: digest(sha256),
        annotations: BTreeMap::new(),
    };
    let mut subject = vec![about(VECTORS, report.corpus)];
    subject.extend(report.subject.files.iter().map(|(name, sha256)| about(name, *sha256)));
    Statement {
        kind: STATEMENT_TYPE.to_owned(),
        subject,
        predicate_type: PREDICATE_TYPE.to_owned(),
        predicate: Attested {
            at,
            harness: harness.to_owned(),
            subject: report.subject.clone(),
            level: report.level,
            family: report.family.clone(),
            repeat: report.repeat,
            fresh: report.fresh,
            levels: report.levels.clone(),
            problems: report.problems.clone(),
            vectors,
        },
    }
}

/// The statement, signed with a program's key.
///
/// # Errors
/// It has no canonical form.
pub fn sign(statement: &Statement<Attested>, key: &SigningKey) -> Result<Attestation, Refusal> {
    let envelope = statement.sign(key).map_err(no_form)?;
    Ok(Attestation::Dsse { envelope, public_key: key.public().ssh().to_string() })
}

/// The bytes that a person's ssh key signs in the namespace [`NAMESPACE`].
///
/// # Errors
/// The statement has no canonical form.
pub fn to_sign(statement: &Statement<Attested>) -> Result<Vec<u8>, Refusal> {
    Ok(dsse::pae(PAYLOAD_TYPE, &json::canonical(statement).map_err(no_form)?))
}

/// The statement with the armored signature that an ssh key made over [`to_sign`].
///
/// # Errors
/// It has no canonical form.
pub fn signed(statement: &Statement<Attested>, signature: String) -> Result<Attestation, Refusal> {
    let payload = base64::encode(&json::canonical(statement).map_err(no_form)?);
    Ok(Attestation::Sshsig { payload_type: PAYLOAD_TYPE.to_owned(), payload, signature })
}

fn no_form(error: serde_json::Error) -> Refusal {
    Refusal::new(codes::NOT_SIGNED, format!("the result has no canonical form: {error}"))
}

/// Checks the signature of an attestation. Without `by` any key will do, and the answer says which one it was.
///
/// # Errors
/// It is no attestation, its signature is not one over this content, or by another key than `by`.
pub fn open(bytes: &[u8], by: Option<&Key>) -> Result<Opened, Refusal> {
    let damaged = |message: String| Refusal::new(codes::ATTESTATION_DAMAGED, message);
    let forged = |message: String| Refusal::new(codes::ATTESTATION_FORGED, message);
    let object = json::record(bytes).map_err(|damage| damaged(format!("the attestation: {damage}")))?;
    let attestation = Attestation::deserialize(serde_json::Value::Object(object))
        .map_err(|error| damaged(format!("it is no attestation: {error}")))?;
    let (payload, key) = match &attestation {
        Attestation::Dsse { envelope, public_key } => {
            let key = VerifyingKey::parse(public_key).map_err(|fault| damaged(fault.to_string()))?;
            let keys = [key];
            let (payload, key) = envelope.open(&keys).map_err(|fault| forged(fault.to_string()))?;
            if envelope.payload_type != PAYLOAD_TYPE {
                return Err(damaged("it holds no in-toto statement".to_owned()));
            }
            (payload, key.ssh())
        }
        Attestation::Sshsig { payload_type, payload, signature } => {
            let payload =
                base64::decode(payload).ok_or_else(|| damaged("its payload is no base64".to_owned()))?;
            let signature = Signature::parse(signature).map_err(|fault| forged(fault.to_string()))?;
            signature
                .verify(NAMESPACE, &dsse::pae(payload_type, &payload))
                .map_err(|fault| forged(format!("the signature: {fault}")))?;
            if payload_type != PAYLOAD_TYPE {
                return Err(damaged("it holds no in-toto statement".to_owned()));
            }
            (payload, signature.key().clone())
        }
    };
    if let Some(by) = by
        && *by != key
    {
        let message = format!("it is signed by {}, and not by {}", key.fingerprint(), by.fingerprint());
        return Err(forged(message));
    }
    let statement: Statement<Attested> =
        json::read(&payload).map_err(|damage| damaged(format!("the statement: {damage}")))?;
    if statement.kind != STATEMENT_TYPE || statement.predicate_type != PREDICATE_TYPE {
        return Err(damaged("it is a statement of another kind".to_owned()));
    }
    let of = |name: &str| {
        let subject = statement.subject.iter().find(|subject| subject.name == name);
        subject.and_then(|subject| subject.digest.get("sha256")?.parse().ok())
    };
    let corpus = of(VECTORS).ok_or_else(|| damaged("it names no vectors".to_owned()))?;
    for (name, digest) in &statement.predicate.subject.files {
        if of(name) != Some(*digest) {
            return Err(damaged(format!("it names `{name}` with two digests")));
        }
    }
    Ok(Opened { result: statement.predicate, corpus, signer: key.fingerprint() })
}

impl Opened {
    /// Makes sure that it is about these vectors.
    ///
    /// # Errors
    /// It is about others.
    pub fn is_about(&self, corpus: &Corpus) -> Result<(), Refusal> {
        if self.corpus == corpus.digest() {
            return Ok(());
        }
        let message = format!(
            "the attestation is about the vectors {}, and these are {}",
            self.corpus.short(),
            corpus.digest().short()
        );
        Err(Refusal::new(codes::OTHER_CORPUS, message)
            .hint("check it with the version of cairn that it names"))
    }

    /// What a second run says otherwise.
    pub fn differences(&self, report: &Report) -> Vec<Difference> {
        let found: BTreeMap<String, Outcome> = report
            .vectors
            .iter()
            .map(|one| (one.name(), Outcome { class: one.class, output: one.output }))
            .collect();
        let names = self
            .result
            .vectors
            .keys()
            .chain(found.keys().filter(|name| !self.result.vectors.contains_key(*name)));
        names
            .filter(|name| self.result.vectors.get(*name) != found.get(*name))
            .map(|name| {
                let (attested, found) = (self.result.vectors.get(name), found.get(name));
                let class = |one: Option<&Outcome>| one.map(|one| one.class);
                let (attested, found) = (class(attested), class(found));
                Difference { vector: name.clone(), attested, found, answer: attested == found }
            })
            .collect()
    }
}
