//! How one set of signers hands over to the next.
//!
//! A set is the signers file and a *threshold*. Beside the signers file lies its rotation file: the version, the digest
//! of the set before, the threshold of this one, and signatures over all of that by signers of the set before. A set
//! counts when as many signers of the set before signed it as that one's threshold asks for. A signer is a key: one
//! that is listed under two names counts once.
//!
//! - [`History`] walks the sets along the first-parent line of a commit;
//! - [`next`] judges one step, merged or proposed;
//! - [`rotate`] and [`countersign`] write the rotation file of the next set.

mod change;
mod history;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use canon::json;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::git::{Oid, RepoPath};

pub use change::{Countersigned, RotationFault, countersign, rotate, statement_to_sign};
pub use history::History;

use crate::{Principal, Signature, Signers};

/// What signatures of a rotation are made for.
pub const NAMESPACE: &str = "chant-signers";

/// The largest number that every JSON reader holds exactly.
const LARGEST: u64 = (1 << 53) - 1;

/// Where the rotation file of a signers file lies.
pub fn path(signers: &RepoPath) -> RepoPath {
    RepoPath::new([signers.as_bytes(), b".rotation.json"].concat())
}

/// A set of signers in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    /// From 1; 0 stands for the removal of the signers file.
    pub version: u64,
    /// The commit that brought it in; none for a set that is only proposed.
    pub commit: Option<Oid>,
    /// How many of its signers must sign the next one; 0 for a removal.
    pub threshold: u64,
    /// Its signers; none for a removal.
    pub signers: Option<Arc<Signers>>,
    /// Whose signatures brought it in; nobody's for a first one.
    pub signed_by: Vec<Principal>,
}

impl Version {
    /// The digest of its signers file; none for a removal.
    pub fn digest(&self) -> Option<&str> {
        self.signers.as_deref().map(Signers::digest)
    }
}

/// The ways in which a set fails to follow the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Break {
    /// The signers file is gone.
    SignersRemoved,
    /// The rotation file is not JSON.
    Unparseable,
    /// The rotation file has another shape.
    Invalid,
    /// A first set claims to follow another.
    FirstVersion,
    /// The set changed without a rotation file.
    Missing,
    /// The version is not the next one.
    VersionSkew,
    /// The set before is another than the rotation file names.
    PreviousMismatch,
    /// The new set has fewer signers than its threshold asks for.
    ThresholdUnsatisfiable,
    /// Too few signers of the set before have signed.
    ThresholdNotMet,
}

/// A set that does not follow the one before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// The commit that brought it in; none for a set that is only proposed.
    pub commit: Option<Oid>,
    /// What is wrong.
    pub kind: Break,
    /// The same for people.
    pub message: String,
}

impl Broken {
    fn new(kind: Break, message: impl Into<String>) -> Self {
        Self { commit: None, kind, message: message.into() }
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RotationFile {
    schema: u64,
    version: u64,
    previous: Option<String>,
    threshold: u64,
    signatures: Vec<Countersignature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Countersignature {
    principal: String,
    signature: String,
}

impl RotationFile {
    fn read(text: &[u8]) -> Result<Self, Broken> {
        let value: Value = json::read(text).map_err(|damage| {
            Broken::new(Break::Unparseable, format!("the rotation file is not JSON: {damage}"))
        })?;
        let invalid =
            |what: &str| Broken::new(Break::Invalid, format!("the rotation file is invalid: {what}"));
        if value.get("previous").is_none() {
            return Err(invalid("`previous` is missing"));
        }
        let file: Self = json::read(text).map_err(|damage| invalid(&damage.to_string()))?;
        let digest = |text: &String| {
            text.strip_prefix("sha256:").is_some_and(|hex| {
                hex.len() == 64 && hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
            })
        };
        if file.schema != 1 {
            return Err(invalid("`schema` must be 1"));
        }
        if !(1..=LARGEST).contains(&file.version) || !(1..=LARGEST).contains(&file.threshold) {
            return Err(invalid("`version` and `threshold` must be whole numbers from 1"));
        }
        if !file.previous.as_ref().is_none_or(digest) {
            return Err(invalid("`previous` must be null or `sha256:` and 64 hex digits"));
        }
        if file.signatures.iter().any(|entry| entry.principal.is_empty() || entry.signature.is_empty()) {
            return Err(invalid("each signature needs a principal and a signature"));
        }
        Ok(file)
    }

    /// What each signature covers.
    fn statement(&self, signers: &Signers) -> Vec<u8> {
        let statement = json!({
            "type": "chant-signer-set",
            "version": self.version,
            "previous": self.previous,
            "signers": signers.digest(),
            "threshold": self.threshold,
        });
        // Strings, null and whole numbers have a canonical form.
        json::canonical(&statement).unwrap_or_default()
    }

    /// The signers of `set` who signed, each key once, in the order of the file.
    fn signed_by(&self, set: &Signers, statement: &[u8]) -> Vec<Principal> {
        let mut keys = BTreeSet::new();
        let mut signed_by = Vec::new();
        for entry in &self.signatures {
            let Ok(signature) = Signature::parse(&entry.signature) else { continue };
            let Ok(signer) = set.proves(&entry.principal, &signature, NAMESPACE, statement) else { continue };
            if keys.insert(signer.key.clone()) {
                signed_by.push(signer.principal.clone());
            }
        }
        signed_by
    }
}

/// The set that these files make after `previous`, or after nothing; none where they leave the set as it is.
///
/// # Errors
/// Why the set doesn't follow from the one before.
pub fn next(
    previous: Option<&Version>,
    signers: &[u8],
    rotation: Option<&[u8]>,
) -> Result<Option<Version>, Broken> {
    let file = rotation.map(RotationFile::read).transpose()?;
    let set = Signers::read(signers);
    let threshold = file.as_ref().map_or(1, |file| file.threshold);
    let make = |version, signed_by| Version {
        version,
        commit: None,
        threshold,
        signers: Some(Arc::new(set.clone())),
        signed_by,
    };
    let before = previous.and_then(|previous| Some((previous, previous.signers.as_deref()?)));
    let Some((previous, old)) = before else {
        if let Some(file) = file.filter(|file| file.version != 1 || file.previous.is_some()) {
            let message = format!(
                "a first set of signers is version 1 and follows none; the rotation file says version {}",
                file.version
            );
            return Err(Broken::new(Break::FirstVersion, message));
        }
        satisfiable(threshold, &set)?;
        return Ok(Some(make(1, Vec::new())));
    };
    if set.digest() == old.digest() && threshold == previous.threshold {
        return Ok(None);
    }
    let Some(file) = file else {
        let message = format!(
            "the set of signers differs from version {} and no rotation file is beside it",
            previous.version
        );
        return Err(Broken::new(Break::Missing, message));
    };
    if Some(file.version) != previous.version.checked_add(1) {
        let message =
            format!("the rotation file says version {}, after version {}", file.version, previous.version);
        return Err(Broken::new(Break::VersionSkew, message));
    }
    if file.previous.as_deref() != Some(old.digest()) {
        let message = format!(
            "the rotation file follows {}, and version {} is {}",
            file.previous.as_deref().unwrap_or("no set"),
            previous.version,
            old.digest()
        );
        return Err(Broken::new(Break::PreviousMismatch, message));
    }
    satisfiable(threshold, &set)?;
    let signed_by = file.signed_by(old, &file.statement(&set));
    if (signed_by.len() as u64) < previous.threshold {
        let message = format!(
            "version {} is signed by {} of the {} signers of version {} that it needs",
            file.version,
            signed_by.len(),
            previous.threshold,
            previous.version
        );
        return Err(Broken::new(Break::ThresholdNotMet, message));
    }
    Ok(Some(make(file.version, signed_by)))
}

fn satisfiable(threshold: u64, set: &Signers) -> Result<(), Broken> {
    let distinct = set.distinct() as u64;
    // A file without any signer is a set that nobody can sign for; what it asks for is then no fault of the threshold.
    if threshold <= distinct.max(1) {
        return Ok(());
    }
    let message = format!("the threshold is {threshold}, and the set has {distinct} distinct signers");
    Err(Broken::new(Break::ThresholdUnsatisfiable, message))
}

#[cfg(test)]
mod tests;
