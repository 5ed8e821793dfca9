//! One receipt: a line in RFC 8785 form, signed, that names the hash of the line before it.

use std::collections::BTreeMap;

use canon::{Sha256, Timestamp, json};
use gate::event::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::chain::{BadLine, Head, Link, canonical};
use trust::dsse::Envelope;
use trust::ed25519::{SigningKey, VerifyingKey};

use crate::evidence;

/// The version of the form.
pub const VERSION: u32 = 1;

/// A name that an agent chose is kept as it is up to this length, else as its digest.
const NAME: usize = 200;

/// The largest number that every reader of JSON holds exactly.
const EXACT: i64 = (1 << 53) - 1;

/// What a line records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A call was judged, before it was answered.
    Judged,
    /// A call's result was seen.
    Seen,
    /// Something else happened, which `marker` names.
    Note,
    /// What the agent said at a stop was held against the receipts.
    Evidence,
    /// The chain up to the line before is attested by an envelope.
    Checkpoint,
    /// The chain before this one was damaged and put aside. Always the first line.
    Broken,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It may go on; its result was not seen yet.
    Pending,
    /// It was denied, so it did not run.
    NotExecuted,
    /// It did what it was asked.
    Success,
    /// It failed.
    Failure,
    /// The agent does not say.
    Unknown,
}

/// The claim of a denial that nothing happened, which can be found false.
///
/// It is false where a result of the same call is on record, or where the protected paths have another digest after
/// it although no other call was allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NonExecution {
    /// SHA-256 over the RFC 8785 form of the answer that the agent got: call, decision, gate and rule.
    pub answer_hash: Sha256,
    /// The digest of the protected paths when the call was denied, where it was known.
    pub protected_hash: Option<Sha256>,
}

/// A line of the log. Arguments and results are in it as digests alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The version of the form.
    pub v: u32,
    /// The line's number, from 1.
    pub seq: u64,
    /// SHA-256 of the line before, without its line end; zeros for the first.
    pub prev_hash: Sha256,
    /// What it records.
    pub kind: Kind,
    /// When.
    pub at: Timestamp,
    /// The agent.
    pub agent: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The subagent, where one acted.
    pub subagent: Option<String>,
    /// The call that joins a judgement with its result: the agent's own id, or a derived one that begins with `~`.
    pub call: Option<String>,
    /// The tool as the agent names it.
    pub tool: Option<String>,
    /// SHA-256 over the RFC 8785 form of the arguments.
    pub args_hash: Option<Sha256>,
    /// SHA-256 over the RFC 8785 form of the result.
    pub result_hash: Option<Sha256>,
    /// What was decided.
    pub decision: Option<Decision>,
    /// The gate that decided.
    pub gate: Option<String>,
    /// The rule within it.
    pub rule: Option<String>,
    /// The reason code.
    pub reason: Option<String>,
    /// The digest of the policy that was in force.
    pub policy_hash: Option<Sha256>,
    /// What became of the call.
    pub outcome: Option<Outcome>,
    /// Whether the tool changes nothing that would have to be taken back.
    pub reversibility: Option<bool>,
    /// Of a denial: that the call did not run.
    pub non_execution: Option<NonExecution>,
    /// What a note records, one word.
    pub marker: Option<String>,
    /// Numbers that were read off the result, by name.
    pub figures: BTreeMap<String, i64>,
    /// Digests of other things, by name.
    pub digests: BTreeMap<String, Sha256>,
    /// Short digests of the commands that a shell was given, whole and by their first words.
    pub runs: Vec<String>,
    /// Short digests of the paths that were written.
    pub writes: Vec<String>,
    /// The line that this one belongs to: of a result, its judgement.
    pub parent_seq: Option<u64>,
    /// The digest of what was found when the call's effect was looked for.
    pub post_condition_probe_hash: Option<Sha256>,
    /// What else proves it.
    pub evidence_ref: Option<String>,
    /// At `evidence`: what was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<evidence::Record>,
    /// At `checkpoint`: the envelope over the hash of the line before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Envelope>,
    /// The fingerprint of the key that signed the line.
    pub key: String,
    /// The signature in base64, over the RFC 8785 form of the line without this field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub sig: String,
}

impl Receipt {
    /// A line that says nothing yet.
    pub(super) fn new(kind: Kind, at: Timestamp) -> Self {
        Self {
            v: VERSION,
            seq: 0,
            prev_hash: Head::empty().hash,
            kind,
            at,
            agent: None,
            session: None,
            subagent: None,
            call: None,
            tool: None,
            args_hash: None,
            result_hash: None,
            decision: None,
            gate: None,
            rule: None,
            reason: None,
            policy_hash: None,
            outcome: None,
            reversibility: None,
            non_execution: None,
            marker: None,
            figures: BTreeMap::new(),
            digests: BTreeMap::new(),
            runs: Vec::new(),
            writes: Vec::new(),
            parent_seq: None,
            post_condition_probe_hash: None,
            evidence_ref: None,
            evidence: None,
            checkpoint: None,
            key: String::new(),
            sig: String::new(),
        }
    }

    /// Puts the line behind `head` and signs it.
    pub(super) fn seal(&mut self, head: Head, key: &SigningKey, id: &str) {
        self.seq = head.n + 1;
        self.prev_hash = head.hash;
        id.clone_into(&mut self.key);
        self.sig = key.sign(&self.signed());
    }

    /// Sets a figure, within what every reader of JSON holds exactly.
    pub(super) fn figure(&mut self, name: &str, value: i64) {
        self.figures.insert(name.to_owned(), value.clamp(-EXACT, EXACT));
    }

    /// The bytes that are signed.
    pub fn signed(&self) -> Vec<u8> {
        let unsigned = Self { sig: String::new(), ..self.clone() };
        json::canonical(&unsigned).unwrap_or_default()
    }

    /// Whether `key` signed the line.
    pub fn is_signed_by(&self, key: &VerifyingKey) -> bool {
        key.verifies(&self.signed(), &self.sig)
    }

    /// Whether `key` signed the line, which stands in the log as `line`: what is signed is cut out of it instead of being
    /// written anew.
    pub(super) fn is_signed_in(&self, line: &[u8], key: &VerifyingKey) -> bool {
        without_signature(line, &self.sig).is_some_and(|signed| key.verifies(&signed, &self.sig))
    }
}

/// The bytes that were signed of a line in RFC 8785 form: the line without its member `sig`, which stands before
/// `subagent`. Signatures of a checkpoint stand elsewhere.
fn without_signature(line: &[u8], sig: &str) -> Option<Vec<u8>> {
    let line = str::from_utf8(line).ok()?;
    let member = format!(",\"sig\":\"{sig}\"");
    let at = line.rfind(&member).filter(|_| !sig.is_empty())?;
    if !line[at + member.len()..].starts_with(",\"subagent\":") {
        return None;
    }
    Some([&line[..at], &line[at + member.len()..]].concat().into_bytes())
}

impl Link for Receipt {
    /// The signature is not looked at.
    fn read(line: &[u8]) -> Result<Self, BadLine> {
        canonical::read(line, |receipt: &Self| receipt.seq, "it is no receipt")
    }

    fn number(&self) -> u64 {
        self.seq
    }

    fn previous(&self) -> Sha256 {
        self.prev_hash
    }

    fn hash(&self) -> Sha256 {
        self.sealed().1
    }

    fn line(&self) -> String {
        self.sealed().0
    }

    fn sealed(&self) -> (String, Sha256) {
        canonical::sealed(self)
    }
}

/// A name from a payload as a receipt keeps it.
pub(super) fn name(text: &str) -> String {
    if text.len() <= NAME { text.to_owned() } else { format!("sha256:{}", Sha256::of(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receipts::tests::{Bench, shell};
    use crate::receipts::{Known, key};
    use gate::event::Verdict;

    #[test]
    fn what_is_signed_is_cut_out_of_the_line() {
        let bench = Bench::new();
        let receipts = bench.receipts();
        // A command that looks like the member that is cut out.
        let odd = shell(Some("a"), "echo ',\"sig\":\"x\"'");
        receipts.judged(&odd, &Verdict::allow(), &Known::default()).unwrap();
        receipts.checkpoint(&shell(None, "x"), None).unwrap();
        let text = std::fs::read_to_string(bench.state.receipts()).unwrap();
        let key = &key::known(bench.state.keys()).unwrap()[0];
        for line in text.lines() {
            let receipt = Receipt::read(line.as_bytes()).unwrap();
            assert_eq!(without_signature(line.as_bytes(), &receipt.sig), Some(receipt.signed()));
            assert!(receipt.is_signed_in(line.as_bytes(), key));
            assert!(
                !receipt.is_signed_in(line.replace("generic", "another").as_bytes(), key)
                    || !line.contains("generic")
            );
            // At another place it is a line that nobody wrote.
            let member = format!(",\"sig\":\"{}\"", receipt.sig);
            let moved = line.replace(&member, "").replace(",\"v\":", &format!("{member},\"v\":"));
            assert!(!receipt.is_signed_in(moved.as_bytes(), key));
            let unsigned = Receipt { sig: String::new(), ..receipt };
            assert!(!unsigned.is_signed_in(line.as_bytes(), key));
        }
    }
}
