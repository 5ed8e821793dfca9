//! `workspace verify`: every commit of a change, judged by what was believed before it.

use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use trust::Trust;
use trust::verify::Check;

use crate::place::{Place, tree_failed};
use crate::records::{Provenance, TrustView};
use crate::signers::{self, code};
use crate::{CONTRACT, Cairn, LEVEL, codes};

/// The judgement of a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// What was believed, and where that was read.
    pub trust: TrustView,
    /// The last commit of the change; none where it is no commit.
    pub head: Option<String>,
    /// Whether every commit had to be attested.
    pub require_attested: bool,
    /// Whether nothing fails.
    pub ok: bool,
    /// The commits, oldest first.
    pub commits: Vec<Commit>,
    /// The next set of signers, where the change brings one that follows.
    pub proposal: Option<Proposal>,
    /// What people should know, though it fails nothing.
    pub notes: Vec<String>,
    /// What fails.
    pub failures: Vec<Failure>,
}

/// One commit of the change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Commit {
    /// Its name.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// How far its authorship is established.
    pub provenance: Provenance,
    /// Whether it is a merge that adds nothing, and so needs no signature.
    pub plain_merge: bool,
    /// Files of the policy that it changes.
    pub protected: Vec<String>,
}

/// A set of signers that follows the one at base.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Proposal {
    /// The version at base.
    pub from: u64,
    /// The version at head.
    pub to: u64,
    /// Whose signatures bring it in.
    pub signed_by: Vec<String>,
}

/// Something that fails.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// Which check.
    pub check: CheckName,
    /// The code; none for what a signature lacks.
    pub code: Option<ReasonCode>,
    /// The commit that fails it.
    pub commit: Option<String>,
    /// What is wrong, for people.
    pub message: String,
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CheckName {
    /// There is a repository with a base and a head.
    Range,
    /// The policy at base can be read.
    Policy,
    /// The line of signers at base is unbroken.
    History,
    /// A signature by a listed key verifies.
    Attestation,
    /// A change of the policy is signed by someone who may make it.
    ProtectedWrite,
    /// A changed set of signers follows the one at base.
    Rotation,
    /// Every commit is attested.
    RequireAttested,
}

impl CheckName {
    /// As documents write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::Policy => "policy",
            Self::History => "history",
            Self::Attestation => "attestation",
            Self::ProtectedWrite => "protected-write",
            Self::Rotation => "rotation",
            Self::RequireAttested => "require-attested",
        }
    }
}

/// Judges the commits of base..`head`.
///
/// # Errors
/// `revision-unknown` where git does not answer. What fails is part of the document.
pub fn verify(
    place: &Place<'_>,
    base: Option<&str>,
    head: &str,
    require_attested: bool,
) -> Result<Document, Refusal> {
    let trust = place.trust(base)?;
    let found = trust.verify(head, require_attested).map_err(tree_failed)?;
    let ok = found.passes();
    let failures = found.failures.iter().map(|failure| failed(failure, &trust)).collect();
    let mut notes = found.notes;
    if trust.policy_problem().is_none() {
        notes.extend(signers::notes(&trust));
    }
    Ok(Document {
        contract: CONTRACT,
        chant: LEVEL,
        cairn: Cairn::THIS,
        trust: TrustView::of(&trust),
        head: found.head.map(|head| head.to_string()),
        require_attested,
        ok,
        commits: found.commits.into_iter().map(Commit::from).collect(),
        proposal: found.proposal.map(Proposal::from),
        notes,
        failures,
    })
}

impl From<trust::verify::JudgedCommit> for Commit {
    fn from(judged: trust::verify::JudgedCommit) -> Self {
        Self {
            commit: judged.commit.to_string(),
            subject: judged.subject,
            provenance: judged.provenance.into(),
            plain_merge: judged.is_plain_merge,
            protected: judged.protected.iter().map(|path| path.legible().into_owned()).collect(),
        }
    }
}

impl From<trust::verify::Proposal> for Proposal {
    fn from(proposal: trust::verify::Proposal) -> Self {
        let trust::verify::Proposal { from, to, signed_by } = proposal;
        Self { from, to, signed_by }
    }
}

fn failed(failure: &trust::verify::Failure, trust: &Trust) -> Failure {
    let (check, code) = match failure.check {
        Check::Range if trust.base().is_none() && trust.no_base().is_none() => {
            (CheckName::Range, Some(codes::NOT_A_GIT_REPOSITORY))
        }
        Check::Range => (CheckName::Range, Some(codes::REVISION_UNKNOWN)),
        Check::Policy => (CheckName::Policy, Some(codes::TRUST_POLICY_UNREADABLE)),
        Check::History(kind) => (CheckName::History, Some(code(kind))),
        Check::Rotation(kind) => (CheckName::Rotation, Some(code(kind))),
        Check::Attestation => (CheckName::Attestation, None),
        Check::ProtectedWrite => (CheckName::ProtectedWrite, None),
        Check::RequireAttested => (CheckName::RequireAttested, None),
    };
    Failure {
        check,
        code,
        commit: failure.commit.as_ref().map(ToString::to_string),
        message: failure.message.clone(),
    }
}
