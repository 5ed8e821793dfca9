//! Writing the rotation file: `signers rotate` and `signers sign`.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::file::{self, FileError};
use store::git::RepoPath;
use store::lock::FolderLock;
use store::tree::Tree;
use trust::keygen::{self, SigningKey};
use trust::rotation::{self, RotationFault, Version};
use trust::{Signers, Trust};

use super::{code, read, refused};
use crate::lock::{WriteLock, Writer};
use crate::place::{Place, tree_failed};
use crate::{CONTRACT, Cairn, LEVEL, codes};

/// The rotation file of the next set, without signatures yet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Rotated {
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The rotation file, from the top of the repository.
    pub path: String,
    /// The version of the next set.
    pub version: u64,
    /// How many of its signers must sign the one after it.
    pub threshold: u64,
    /// How many signers of the set in effect must sign it.
    pub need: u64,
    /// The principals of the next set, sorted.
    pub principals: Vec<String>,
    /// Signatures that the rotation file held for the next set, and which are gone.
    pub dropped: usize,
    /// Lines of the new signers file that are not used.
    pub notes: Vec<String>,
}

/// The rotation file with one more signature.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Signed {
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The rotation file, from the top of the repository.
    pub path: String,
    /// The version of the next set.
    pub version: u64,
    /// Who signed.
    pub principal: String,
    /// How many signatures count now.
    pub have: usize,
    /// How many are needed.
    pub need: u64,
}

/// The next set as the working tree has it, and the set in effect that it is to follow.
struct Pending {
    current: Version,
    signers_path: RepoPath,
    path: RepoPath,
    signers: Vec<u8>,
    rotation: Option<Vec<u8>>,
}

/// Writes the rotation file that lets the signers file of the working tree follow the set in effect at base.
///
/// # Errors
/// `write-usage-invalid`, `write-input-invalid`, the codes of the write lock, and those of the document of `signers`.
pub fn rotate(place: &Place<'_>, threshold: Option<u64>) -> Result<Rotated, Refusal> {
    let _lock = lock(place, "signers rotate")?;
    let pending = Pending::read(place)?;
    let text = rotation::rotate(&pending.current, &pending.signers, threshold)
        .map_err(|fault| refuse(&fault, &pending))?;
    let version = pending.current.version + 1;
    let dropped = pending.rotation.as_deref().map_or(0, |old| signatures(old, version));
    pending.write(place, &text)?;
    let set = Signers::read(&pending.signers);
    Ok(Rotated {
        contract: CONTRACT,
        chant: LEVEL,
        cairn: Cairn::THIS,
        path: pending.path.legible().into_owned(),
        version,
        threshold: threshold.unwrap_or(pending.current.threshold),
        need: pending.current.threshold,
        principals: set.principals().into_iter().map(ToString::to_string).collect(),
        dropped,
        notes: refused(&pending.signers_path.legible(), &set),
    })
}

/// Signs the rotation file of the working tree with a key of the set in effect at base, and adds the signature.
///
/// # Errors
/// As for [`rotate`].
pub fn sign(place: &Place<'_>, key: &str) -> Result<Signed, Refusal> {
    let pending = Pending::read(place)?;
    let statement =
        rotation::statement_to_sign(&pending.current, &pending.signers, pending.rotation.as_deref())
            .map_err(|fault| refuse(&fault, &pending))?;
    // A key may wait for its owner, so nobody else waits meanwhile.
    let key = SigningKey::file(key, &place.world.cwd, &place.world.env);
    let signed = keygen::sign(&key, rotation::NAMESPACE, &statement, &place.world.env)
        .map_err(|error| Refusal::new(codes::WRITE_USAGE_INVALID, error.to_string()))?;

    let _lock = lock(place, "signers sign")?;
    let pending = Pending::read(place)?;
    let done =
        rotation::countersign(&pending.current, &pending.signers, pending.rotation.as_deref(), &signed.armor)
            .map_err(|fault| refuse(&fault, &pending))?;
    pending.write(place, &done.text)?;
    Ok(Signed {
        contract: CONTRACT,
        chant: LEVEL,
        cairn: Cairn::THIS,
        path: pending.path.legible().into_owned(),
        version: pending.current.version + 1,
        principal: done.principal.to_string(),
        have: done.have,
        need: done.need,
    })
}

fn lock(place: &Place<'_>, verb: &str) -> Result<FolderLock, Refusal> {
    place.repository()?;
    WriteLock::new(place.root(), place.layout(), place.world).acquire(Writer { verb, by: None })
}

impl Pending {
    fn read(place: &Place<'_>) -> Result<Self, Refusal> {
        let (trust, history) = read(place, None)?;
        usable(&trust)?;
        if let Some(broken) = &history.broken {
            let message = format!("the history of the signers at base is broken: {}", broken.message);
            return Err(Refusal::new(code(broken.kind), message));
        }
        let signers_path = trust.signers_path().clone();
        let missing = |message: String| Refusal::new(codes::SIGNERS_FILE_MISSING, message);
        let current = history.newest().cloned();
        let current = current.ok_or_else(|| missing("no set of signers is in effect at base".to_owned()))?;
        let path = rotation::path(&signers_path);
        let tree = place.work_tree();
        let signers = tree.read(&signers_path).map_err(tree_failed)?;
        let signers = signers
            .ok_or_else(|| missing(format!("the working tree has no signers file (`{signers_path}`)")))?;
        let rotation = tree.read(&path).map_err(tree_failed)?;
        Ok(Self { current, signers_path, path, signers, rotation })
    }

    fn write(&self, place: &Place<'_>, text: &str) -> Result<(), Refusal> {
        let failed = |error: FileError| Refusal::new(codes::WRITE_INPUT_INVALID, error.to_string());
        file::create_folder(place.root(), &place.root().join(self.path.parent().to_path()))
            .map_err(failed)?;
        file::replace(&place.root().join(self.path.to_path()), text.as_bytes()).map_err(failed)
    }
}

/// A policy that can't be read may name another signers file.
fn usable(trust: &Trust) -> Result<(), Refusal> {
    match trust.policy_problem() {
        Some(problem) => Err(Refusal::new(codes::TRUST_POLICY_UNREADABLE, problem)),
        None => Ok(()),
    }
}

/// How many signatures a rotation file holds for this version.
fn signatures(text: &[u8], version: u64) -> usize {
    let file: Option<Value> = canon::json::read(text).ok();
    let file = file.filter(|file| file["version"].as_u64() == Some(version));
    file.and_then(|file| file["signatures"].as_array().map(Vec::len)).unwrap_or(0)
}

fn refuse(fault: &RotationFault, pending: &Pending) -> Refusal {
    let again = "write it with `chant workspace signers rotate`";
    let message = fault.to_string();
    let path = pending.path.to_path();
    match fault {
        RotationFault::NoSet => Refusal::new(codes::SIGNERS_FILE_MISSING, message),
        RotationFault::Unchanged => Refusal::new(codes::WRITE_USAGE_INVALID, message)
            .hint(format!("change `{}` first", pending.signers_path)),
        RotationFault::Threshold { .. } => Refusal::new(codes::ROTATION_THRESHOLD_UNSATISFIABLE, message),
        RotationFault::NoFile => Refusal::new(codes::ROTATION_MISSING, message).hint(again),
        RotationFault::File(broken) => {
            Refusal::new(code(broken.kind), message).at(path, None, None).hint(again)
        }
        RotationFault::Stale { .. } => {
            Refusal::new(codes::ROTATION_VERSION_SKEW, message).at(path, None, None).hint(again)
        }
        RotationFault::Signature(_) | RotationFault::AlreadySigned(_) => {
            Refusal::new(codes::WRITE_USAGE_INVALID, message)
        }
    }
}
