//! What speaks for or against an entry: pieces that somebody added, and what receipts show.

use std::collections::BTreeMap;

use canon::{Timestamp, json};
use gate::event::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::normal;
use crate::evidence::Verdict;
use crate::receipts::{Kind, Receipt};

/// One piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Evidence {
    /// When it happened.
    pub at: Timestamp,
    /// When it was written down; when it happened where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_time: Option<Timestamp>,
    /// The signature of the entries that it is about.
    pub signature: String,
    /// Whether it speaks against them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub contradicts: bool,
    /// What it is, as in `receipt:12` or an address. Two pieces with one reference are one.
    pub reference: String,
    /// Who added it.
    pub writer: String,
    /// The project in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What there is to say of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl Evidence {
    /// Whether it is about entries of this signature.
    pub fn is_about(&self, signature: &str) -> bool {
        normal(&self.signature) == signature
    }

    /// The window that it falls into: how many windows of so many days since 1970 lie before it.
    pub fn window(&self, days: u32) -> i64 {
        window(self.at, days)
    }

    /// When it was written down.
    pub fn recorded(&self) -> Timestamp {
        self.transaction_time.unwrap_or(self.at)
    }

    /// Whether `writer` added it.
    pub fn is_by(&self, writer: &str) -> bool {
        normal(&self.writer) == normal(writer)
    }

    /// As one line of the file of evidence.
    pub fn line(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// The window that an instant falls into.
pub(super) fn window(at: Timestamp, days: u32) -> i64 {
    at.as_millis().div_euclid(i64::from(days.max(1)) * 24 * 60 * 60 * 1000)
}

/// The lines of a file of evidence. Empty lines are passed over, and half a line at the end: see [`torn_line`].
///
/// # Errors
/// The number of the first line that is none, and what is wrong with it.
pub fn read_lines(bytes: &[u8]) -> Result<Vec<Evidence>, (usize, String)> {
    let whole = if torn_line(bytes).is_some() { ended(bytes) } else { bytes };
    let lines = (1..).zip(whole.split(|&byte| byte == b'\n'));
    lines
        .filter(|(_, line)| !line.trim_ascii().is_empty())
        .map(|(number, line)| json::read(line).map_err(|damage| (number, damage.message)))
        .collect()
}

/// The number of a last line that has no end and is no evidence: somebody was stopped while writing it.
pub fn torn_line(bytes: &[u8]) -> Option<usize> {
    let ended = ended(bytes);
    let tail = &bytes[ended.len()..];
    let is_torn = !tail.trim_ascii().is_empty() && json::read::<Evidence>(tail).is_err();
    is_torn.then(|| ended.iter().filter(|&&byte| byte == b'\n').count() + 1)
}

/// The lines that have an end.
fn ended(bytes: &[u8]) -> &[u8] {
    bytes.iter().rposition(|&byte| byte == b'\n').map_or(&bytes[..0], |end| &bytes[..=end])
}

/// The number of the receipt that a reference names.
pub fn receipt_of(reference: &str) -> Option<&str> {
    let (kind, number) = reference.trim().split_once(':')?;
    kind.trim().eq_ignore_ascii_case("receipt").then_some(number.trim())
}

/// What receipts show of recurring faults: a denied call for its `reason:` and its `rule:`, a claim that the receipts
/// contradict for its `claim:`. What recurs within one session and one window is one piece, its first.
pub fn of_receipts(receipts: &[Receipt], days: u32) -> Vec<Evidence> {
    let mut pieces: BTreeMap<(String, i64, String), Evidence> = BTreeMap::new();
    for receipt in receipts {
        for signature in signatures(receipt) {
            let session = match (&receipt.agent, &receipt.session) {
                (Some(agent), Some(session)) => format!("{agent}/{session}"),
                _ => receipt.seq.to_string(),
            };
            let piece = || Evidence {
                at: receipt.at,
                transaction_time: None,
                signature: signature.clone(),
                contradicts: false,
                reference: format!("receipt:{}", receipt.seq),
                writer: "receipts".to_owned(),
                project: None,
                note: None,
            };
            let key = (signature.clone(), window(receipt.at, days), session);
            pieces.entry(key).or_insert_with(piece);
        }
    }
    let mut pieces: Vec<Evidence> = pieces.into_values().collect();
    pieces.sort_by(|a, b| (a.at, &a.reference, &a.signature).cmp(&(b.at, &b.reference, &b.signature)));
    pieces
}

fn signatures(receipt: &Receipt) -> Vec<String> {
    match receipt.kind {
        Kind::Judged if receipt.decision == Some(Decision::Deny) => {
            let named = |what: &str, value: &Option<String>| {
                value.as_ref().map(|value| normal(&format!("{what}:{value}")))
            };
            let found = [named("reason", &receipt.reason), named("rule", &receipt.rule)];
            found.into_iter().flatten().collect()
        }
        Kind::Evidence => {
            let findings = receipt.evidence.iter().flat_map(|record| &record.findings);
            let false_ones = findings.filter(|finding| finding.verdict == Verdict::Invalid);
            let mut found: Vec<String> = false_ones
                .filter_map(|finding| serde_json::to_value(finding.key).ok())
                .filter_map(|key| Some(format!("claim:{}", key.as_str()?)))
                .collect();
            found.dedup();
            found
        }
        _ => Vec::new(),
    }
}
