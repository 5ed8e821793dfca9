//! Seals: signatures of people over a verdict, a record or the approval of a gate.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::Env;

use crate::keygen::{self, SignError, SigningKey};
use crate::signers::Unproven;
use crate::{Fault, Signature, Trust, principal};

/// A seal, as it stands in a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Who signed.
    pub signer: String,
    /// The fingerprint of the key. Shown and never believed.
    pub key: String,
    /// The armored signature.
    pub signature: String,
}

/// What is sealed. Each kind has a purpose of its own, so that no signature can stand in for one of another kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A reviewer's verdict.
    Verdict,
    /// A record, by its author.
    Record,
    /// The approval of a gate.
    Gate,
}

impl Kind {
    /// The ssh namespace of its signatures.
    pub fn namespace(self) -> &'static str {
        match self {
            Self::Verdict => "chant-review",
            Self::Record => "chant-record",
            Self::Gate => "chant-gate",
        }
    }
}

/// One thing that a seal can stand on: who must have signed, and what exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    kind: Kind,
    /// What messages call it.
    what: String,
    principal: Option<String>,
    payload: Option<Vec<u8>>,
}

/// The approval of a gate, part by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Approval<'a> {
    /// The operation or component.
    pub op: &'a str,
    /// The gate.
    pub gate: &'a str,
    /// The environment, if it has one.
    pub environment: Option<&'a str>,
    /// The digest of the plan, if one is bound.
    pub plan_digest: Option<&'a str>,
    /// Who approved.
    pub resolved_by: &'a str,
    /// When.
    pub timestamp: &'a str,
    /// Who passed the approval on, if somebody did.
    pub relayed_by: Option<&'a str>,
}

impl Subject {
    /// A verdict. Without its record, digest or day it can't be sealed.
    pub fn verdict(
        record: Option<&str>,
        digest: Option<&str>,
        verdict: &str,
        reviewer: &str,
        on: Option<&str>,
    ) -> Self {
        Self {
            kind: Kind::Verdict,
            what: format!("the verdict by {reviewer}"),
            principal: Some(reviewer.to_owned()),
            payload: lines(&[record, digest, Some(verdict), Some(reviewer), on]),
        }
    }

    /// A record with its author. Without an id or an author it can't be sealed.
    pub fn record(id: Option<&str>, digest: &str, author: Option<&str>, state: Option<&str>) -> Self {
        Self {
            kind: Kind::Record,
            what: id.unwrap_or("the record").to_owned(),
            principal: author.map(str::to_owned),
            payload: lines(&[id, Some(digest), author, Some(state.unwrap_or_default())]),
        }
    }

    /// The approval of a gate.
    pub fn gate(approval: &Approval<'_>) -> Self {
        let relayed = approval.relayed_by.map(|principal| format!("relayed-by {principal}"));
        let mut parts = vec![
            Some(approval.op),
            Some(approval.gate),
            Some(approval.environment.unwrap_or_default()),
            Some(approval.plan_digest.unwrap_or_default()),
            Some(approval.resolved_by),
            Some(approval.timestamp),
        ];
        parts.extend(relayed.as_deref().map(Some));
        Self {
            kind: Kind::Gate,
            what: format!("the approval of gate {} by {}", approval.gate, approval.resolved_by),
            principal: Some(approval.resolved_by.to_owned()),
            payload: lines(&parts),
        }
    }

    /// What is signed; none where a part is missing.
    pub fn payload(&self) -> Option<&[u8]> {
        self.payload.as_deref()
    }
}

/// The parts, a line each. One that holds a line break would read as two, and so is as good as missing.
fn lines(parts: &[Option<&str>]) -> Option<Vec<u8>> {
    let parts: Option<Vec<&str>> = parts.iter().copied().collect();
    let parts = parts?;
    (!parts.iter().any(|part| part.contains('\n'))).then(|| parts.join("\n").into_bytes())
}

/// Why something is not attested by its seal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SealProblem {
    /// There is no seal.
    Missing,
    /// Base lists no key of the signer's.
    SignerUnlisted,
    /// The seal is malformed, another's, or does not verify.
    SignatureInvalid,
    /// Nothing here can say whose seal it is.
    Unverifiable,
}

/// What a seal establishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attestation {
    /// Whether the seal is the principal's; none where nothing here can say.
    pub attested: Option<bool>,
    /// Why not; none exactly where it is attested.
    pub problem: Option<SealProblem>,
    /// The same for people.
    pub message: String,
    /// The fingerprint of the key that signed, where the signature was checked.
    pub key: Option<String>,
}

impl Attestation {
    fn no(problem: SealProblem, message: String) -> Self {
        Self { attested: Some(false), problem: Some(problem), message, key: None }
    }

    fn unknown(problem: SealProblem, message: String) -> Self {
        Self { attested: None, problem: Some(problem), message, key: None }
    }

    fn by(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    /// Whether the seal is the principal's for sure.
    pub fn is_attested(&self) -> bool {
        self.attested == Some(true)
    }
}

impl Trust {
    /// What the seal on `subject` establishes by the signers at base.
    pub fn check_seal(&self, subject: &Subject, seal: Option<&Value>) -> Attestation {
        use SealProblem::{Missing, SignatureInvalid, SignerUnlisted, Unverifiable};
        let what = &subject.what;
        let Some(seal) = seal.filter(|seal| !seal.is_null()) else {
            let message = format!("{what} carries no seal");
            return if subject.kind == Kind::Record && subject.principal.is_none() {
                Attestation::unknown(
                    Missing,
                    format!("{what} names no author, so there is nobody to seal it"),
                )
            } else if self.is_active() {
                Attestation::no(Missing, message)
            } else {
                Attestation::unknown(
                    Missing,
                    format!("{message}; without a signers file at base it needs none"),
                )
            };
        };
        let text = |name: &str| seal.get(name).and_then(Value::as_str);
        let (Some(signer), Some(armor)) = (text("signer"), text("signature")) else {
            return Attestation::no(
                SignatureInvalid,
                format!("the seal on {what} is malformed: it needs a signer and a signature"),
            );
        };
        let Some(principal) = subject.principal.as_deref().filter(|name| principal::is_same(name, signer))
        else {
            let whose = subject.principal.as_deref().unwrap_or("nobody");
            let shown = signer.escape_debug();
            return Attestation::no(
                SignatureInvalid,
                format!("the seal on {what} is by {shown} and would have to be by {whose}"),
            );
        };
        let Some(payload) = subject.payload() else {
            return Attestation::no(
                SignatureInvalid,
                format!("{what} lacks a part that its seal covers, or a part has more than one line"),
            );
        };
        let signature = match Signature::parse(armor) {
            Ok(signature) => signature,
            Err(fault) => {
                return Attestation::no(SignatureInvalid, format!("the seal on {what} is no good: {fault}"));
            }
        };
        let key = signature.key().fingerprint();
        let namespace = subject.kind.namespace();
        let problem = self.problems().into_iter().next();
        let signers = match (self.signers(), problem) {
            (Some(signers), None) => signers,
            (_, problem) => {
                let nobody = problem.unwrap_or_else(|| "there is no signers file at base".to_owned());
                return match signature.verify(namespace, payload) {
                    Ok(()) => Attestation::unknown(
                        Unverifiable,
                        format!("the seal on {what} is intact, and nothing says whose key it is: {nobody}"),
                    ),
                    Err(fault @ Fault::Unsupported { .. }) => Attestation::unknown(
                        Unverifiable,
                        format!("the seal on {what} can't be checked: {fault}"),
                    ),
                    Err(fault) => {
                        Attestation::no(SignatureInvalid, format!("the seal on {what} is no good: {fault}"))
                    }
                }
                .by(&key);
            }
        };
        if !signers.lists(principal) {
            let path = self.signers_path();
            return Attestation::no(SignerUnlisted, format!("{principal} has no key in `{path}` at base"));
        }
        match signers.proves(principal, &signature, namespace, payload) {
            Ok(signer) => Attestation {
                attested: Some(true),
                problem: None,
                message: format!("sealed by {} with {key}", signer.principal),
                key: Some(key),
            },
            Err(Unproven::Fault(fault @ Fault::Unsupported { .. })) => {
                Attestation::unknown(Unverifiable, format!("the seal on {what} can't be checked: {fault}"))
                    .by(&key)
            }
            Err(Unproven::Unlisted) => Attestation::no(
                SignatureInvalid,
                format!("the seal on {what} is by a key that is not listed for {principal} and this purpose"),
            )
            .by(&key),
            Err(Unproven::Fault(fault)) => {
                Attestation::no(SignatureInvalid, format!("the seal on {what} is no good: {fault}")).by(&key)
            }
        }
    }
}

/// Why no seal was made.
#[derive(Debug)]
pub enum SealError {
    /// The subject lacks its principal or a part that a seal covers.
    Incomplete {
        /// What was to be sealed.
        what: String,
    },
    /// The key made no signature.
    Sign(SignError),
}

impl fmt::Display for SealError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incomplete { what } => {
                write!(f, "{what} lacks a part that a seal covers, or a part has more than one line")
            }
            Self::Sign(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SealError {}

/// Seals `subject` with the key of its principal.
pub fn seal(subject: &Subject, key: &SigningKey, env: &Env) -> Result<Seal, SealError> {
    let (Some(signer), Some(payload)) = (&subject.principal, subject.payload()) else {
        return Err(SealError::Incomplete { what: subject.what.clone() });
    };
    let made = keygen::sign(key, subject.kind.namespace(), payload, env).map_err(SealError::Sign)?;
    Ok(Seal { signer: signer.clone(), key: made.signature.key().fingerprint(), signature: made.armor })
}

#[cfg(test)]
mod tests;
