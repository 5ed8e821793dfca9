//! Writing the rotation file of the next set.

use std::fmt;

use canon::json;
use serde_json::json;

use super::{Broken, Countersignature, LARGEST, NAMESPACE, RotationFile, Version};
use crate::signers::Unproven;
use crate::{Principal, Signature, Signers};

/// Why a rotation file is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RotationFault {
    /// No set is in effect that another could follow.
    NoSet,
    /// The signers and the threshold are those in effect.
    Unchanged,
    /// The threshold is 0, or more than the new set's distinct signers.
    Threshold {
        /// What was asked for.
        threshold: u64,
        /// How many signers the new set has.
        signers: usize,
    },
    /// There is no rotation file to sign.
    NoFile,
    /// The rotation file is damaged.
    File(Broken),
    /// The rotation file does not follow the set in effect.
    Stale {
        /// The version that comes next.
        next: u64,
        /// The version that the file says.
        found: u64,
    },
    /// The signature is none by a signer of the set in effect over this rotation.
    Signature(Unproven),
    /// The signer has signed already.
    AlreadySigned(Principal),
}

impl fmt::Display for RotationFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSet => f.write_str("no set of signers is in effect"),
            Self::Unchanged => f.write_str("the signers and the threshold are those in effect"),
            Self::Threshold { threshold, signers } => {
                write!(f, "a threshold of {threshold} doesn't fit {signers} distinct signers")
            }
            Self::NoFile => f.write_str("there is no rotation file to sign"),
            Self::File(broken) => broken.fmt(f),
            Self::Stale { next, found } => write!(
                f,
                "the rotation file says version {found} and does not follow the set in effect, after which comes \
                 version {next}"
            ),
            Self::Signature(why) => write!(f, "the signature does not count for the set in effect: {why}"),
            Self::AlreadySigned(principal) => write!(f, "{principal} has signed this rotation already"),
        }
    }
}

impl std::error::Error for RotationFault {}

/// The text of the rotation file that lets `signers` follow the set in effect, without signatures yet. Without a
/// threshold the one in effect stays.
pub fn rotate(current: &Version, signers: &[u8], threshold: Option<u64>) -> Result<String, RotationFault> {
    let old = current.signers.as_deref().ok_or(RotationFault::NoSet)?;
    let set = Signers::read(signers);
    let threshold = threshold.unwrap_or(current.threshold);
    if set.digest() == old.digest() && threshold == current.threshold {
        return Err(RotationFault::Unchanged);
    }
    if !(1..=set.distinct() as u64).contains(&threshold) {
        return Err(RotationFault::Threshold { threshold, signers: set.distinct() });
    }
    let file = RotationFile {
        schema: 1,
        version: (current.version + 1).min(LARGEST),
        previous: Some(old.digest().to_owned()),
        threshold,
        signatures: Vec::new(),
    };
    Ok(file.text())
}

/// The bytes that a signer of the set in effect signs to let `signers` follow it.
pub fn statement_to_sign(
    current: &Version,
    signers: &[u8],
    rotation: Option<&[u8]>,
) -> Result<Vec<u8>, RotationFault> {
    let (file, _) = following(current, rotation)?;
    Ok(file.statement(&Signers::read(signers)))
}

/// A rotation file with one more signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Countersigned {
    /// The new text.
    pub text: String,
    /// Who signed.
    pub principal: Principal,
    /// How many signatures count now.
    pub have: usize,
    /// How many are needed.
    pub need: u64,
}

/// Adds a signature over [`statement_to_sign`] after checking it. What the same key left there before is replaced,
/// unless it counts already.
pub fn countersign(
    current: &Version,
    signers: &[u8],
    rotation: Option<&[u8]>,
    armor: &str,
) -> Result<Countersigned, RotationFault> {
    let (mut file, old) = following(current, rotation)?;
    let statement = file.statement(&Signers::read(signers));
    let signature =
        Signature::parse(armor).map_err(|fault| RotationFault::Signature(Unproven::Fault(fault)))?;
    let signer = old.author(&signature, NAMESPACE, &statement).map_err(RotationFault::Signature)?;
    let by_key = |entry: &Countersignature| {
        Signature::parse(&entry.signature).ok().filter(|known| known.key() == signature.key())
    };
    let counts = |entry: &Countersignature| {
        by_key(entry).is_some_and(|known| old.proves(&entry.principal, &known, NAMESPACE, &statement).is_ok())
    };
    if file.signatures.iter().any(counts) {
        return Err(RotationFault::AlreadySigned(signer.principal.clone()));
    }
    file.signatures.retain(|entry| by_key(entry).is_none());
    file.signatures.push(Countersignature {
        principal: signer.principal.as_str().to_owned(),
        signature: armor.trim_ascii().to_owned(),
    });
    let have = file.signed_by(old, &statement).len();
    Ok(Countersigned {
        text: file.text(),
        principal: signer.principal.clone(),
        have,
        need: current.threshold,
    })
}

/// The rotation file, where it follows the set in effect.
fn following<'a>(
    current: &'a Version,
    rotation: Option<&[u8]>,
) -> Result<(RotationFile, &'a Signers), RotationFault> {
    let old = current.signers.as_deref().ok_or(RotationFault::NoSet)?;
    let file = RotationFile::read(rotation.ok_or(RotationFault::NoFile)?).map_err(RotationFault::File)?;
    let next = current.version + 1;
    if file.version != next || file.previous.as_deref() != Some(old.digest()) {
        return Err(RotationFault::Stale { next, found: file.version });
    }
    Ok((file, old))
}

impl RotationFile {
    fn text(&self) -> String {
        json::pretty(&json!(self)) + "\n"
    }
}
