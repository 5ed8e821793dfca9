//! Completion evidence: what an agent says it did, held against the receipts of its session.
//!
//! Each claim of the final message is reconciled by its key: receipted and equal is VERIFIED, receipted and different
//! is INVALID (with the receipted figure), not receipted is UNVERIFIABLE. The verdict of the whole is the worst one.
//! Without claims, receipts alone are VERIFIED, under a kind of their own, since that says little; without both it is
//! UNVERIFIABLE.

mod claims;
mod reconcile;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use claims::{Claim, claims};
pub(crate) use words::said_instead;

use crate::receipts::Receipt;

/// What a claim is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// How many tests passed.
    TestsPassed,
    /// How many tests failed.
    TestsFailed,
    /// How many tests were left out.
    TestsSkipped,
    /// How many tests ran.
    TestsTotal,
    /// How many files were changed.
    FilesChanged,
    /// How many lines were added.
    Insertions,
    /// How many lines were taken away.
    Deletions,
    /// How many errors a tool found.
    Errors,
    /// How many warnings a tool gave.
    Warnings,
    /// The exit code of a command.
    Exit,
    /// A command was run.
    Ran,
}

/// How a claim stands, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The receipts say the same.
    Verified,
    /// The receipts say nothing of it.
    Unverifiable,
    /// The receipts say something else.
    Invalid,
}

/// What the verdict rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// Claims, each of them reconciled.
    Claims,
    /// No claim; something was executed.
    ExecutionEvidencePresent,
    /// No claim, and nothing was executed.
    NoEvidence,
}

/// A claim and what the receipts say of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is about.
    pub key: Key,
    /// The figure that is claimed; of a command that was run, the exit code, where success or failure is claimed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claimed: Option<i64>,
    /// The figure that is receipted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipted: Option<i64>,
    /// How it stands.
    pub verdict: Verdict,
    /// The command that is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The line of the message, from 1.
    pub line: usize,
    /// The number of the receipt that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receipt: Option<u64>,
    /// Files were written after that receipt.
    pub stale: bool,
}

/// What was found of a final message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The worst of the findings.
    pub verdict: Verdict,
    /// What it rests on.
    pub basis: Basis,
    /// Every claim.
    pub findings: Vec<Finding>,
    /// Claims that the message itself labels as unverified, which are not judged.
    pub labelled: usize,
    /// How many results of calls are on record.
    pub executed: usize,
}

/// What a receipt keeps of the evidence: figures and digests, no text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// The worst of the findings.
    pub verdict: Verdict,
    /// What it rests on.
    pub basis: Basis,
    /// How many claims stand how.
    pub counts: BTreeMap<Count, u64>,
    /// Every claim.
    pub findings: Vec<RecordedFinding>,
}

/// What is counted of the claims of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Claims that the receipts bear out.
    ClaimsVerified,
    /// All claims.
    ClaimsTotal,
    /// Claims that the message labels itself.
    ClaimsLabelled,
}

/// One finding as a receipt keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedFinding {
    /// What it is about.
    pub key: Key,
    /// The figure that is claimed.
    pub claimed: Option<i64>,
    /// The figure that is receipted.
    pub receipted: Option<i64>,
    /// How it stands.
    pub verdict: Verdict,
    /// The number of the receipt that decided.
    pub receipt: Option<u64>,
}

/// Holds a final message against the receipts of its session, in the log's order.
pub fn judge(message: &str, receipts: &[Receipt]) -> Evidence {
    let ledger = reconcile::Ledger::new(receipts);
    let claims = claims(message);
    let labelled = claims.iter().filter(|claim| claim.labelled).count();
    let judged = claims.into_iter().filter(|claim| !claim.labelled);
    let findings: Vec<Finding> = judged.map(|claim| ledger.reconcile(claim)).collect();
    let executed = ledger.executed();
    let (verdict, basis) = match findings.iter().map(|finding| finding.verdict).max() {
        Some(worst) => (worst, Basis::Claims),
        None if executed > 0 => (Verdict::Verified, Basis::ExecutionEvidencePresent),
        None => (Verdict::Unverifiable, Basis::NoEvidence),
    };
    Evidence { verdict, basis, findings, labelled, executed }
}

impl Evidence {
    /// What a receipt keeps of it.
    pub fn record(&self) -> Record {
        let verified = self.findings.iter().filter(|finding| finding.verdict == Verdict::Verified).count();
        let counts = [
            (Count::ClaimsVerified, verified),
            (Count::ClaimsTotal, self.findings.len()),
            (Count::ClaimsLabelled, self.labelled),
        ];
        let findings = self.findings.iter().map(|finding| RecordedFinding {
            key: finding.key,
            claimed: finding.claimed,
            receipted: finding.receipted,
            verdict: finding.verdict,
            receipt: finding.receipt,
        });
        Record {
            verdict: self.verdict,
            basis: self.basis,
            counts: counts.into_iter().map(|(count, n)| (count, n as u64)).collect(),
            findings: findings.collect(),
        }
    }
}

#[cfg(test)]
mod tests;
