//! Checking a log offline, from the first line to the last, and naming the first that is not as it was written.

mod fault;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;

use canon::{Sha256, Timestamp, json};
use gate::event::Decision;
use schemars::JsonSchema;
use serde::Serialize;
use store::chain::{Chain, Head, LAG, Link as _};
use store::file;
use trust::ed25519::VerifyingKey;

pub use fault::{Fault, Why};

use super::line::{Kind, Receipt, VERSION};
use super::log::HEAD_UNSIGNED;
use super::witness::Witness;
use super::{ReceiptError, checkpoint, witness};
use crate::State;

/// How many lines a key signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Signer {
    /// The key's fingerprint.
    pub key: String,
    /// How many lines.
    pub lines: u64,
}

/// A break that is on record: the log before this one was damaged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Break {
    /// When it was found.
    pub at: Timestamp,
    /// What the damaged log's name ends with.
    pub aside: String,
    /// How many lines it had, as far as its head file said.
    pub lines: Option<i64>,
    /// The first thing that is wrong with it; none where it is gone.
    pub fault: Option<Fault>,
}

/// A result of a call that was denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Contradiction {
    /// The line that denied the call.
    pub denied: u64,
    /// The line that saw its result.
    pub seen: u64,
    /// The call.
    pub call: String,
}

/// What a check of a log found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Verification {
    /// Every line is as it was written, and none is missing.
    pub sound: bool,
    /// The first thing that is wrong.
    pub fault: Option<Fault>,
    /// How many lines were checked: all before the fault.
    pub lines: u64,
    /// The hash of the last good line.
    pub head: Sha256,
    /// The keys that signed.
    pub keys: Vec<Signer>,
    /// How many checkpoints there are.
    pub checkpoints: u64,
    /// How many lines stand behind the last one.
    pub since_checkpoint: u64,
    /// Whether the head file is signed; none where there is none to ask, as for an exported log, or no line.
    pub head_signed: Option<bool>,
    /// The lines before which the head file had no signature: an older cairn wrote it, or somebody without the key.
    pub unsigned_heads: Vec<u64>,
    /// What came before this log.
    pub breaks: Vec<Break>,
    /// Calls that ran although they were denied.
    pub contradictions: Vec<Contradiction>,
}

/// What is known of a log beside its own bytes.
#[derive(Debug, Clone, Default)]
pub struct Beside {
    /// What the head file says; none where there is no head file to ask, as for an exported log.
    pub head: Option<Head>,
    /// How the head file is signed.
    pub seal: Seal,
    /// What the last checkpoint outside the repository says.
    pub witness: Option<Witness>,
}

/// How a head file is signed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Seal {
    /// There is no head file to ask.
    #[default]
    Unasked,
    /// It is not.
    None,
    /// With this signature, in base64.
    Signed(String),
}

/// Checks the log of a repository.
pub fn verify(state: &State, keys: &[VerifyingKey]) -> Result<Verification, ReceiptError> {
    // Head and witness first: while others write, the log then looks longer than they say, never shorter.
    let chain = Chain::<Receipt>::of(state.receipts());
    let witness = witness::read(&state.witness())?;
    let head = chain.sealed_head();
    let bytes = file::read(chain.path())?.unwrap_or_default();
    let (named, seal) = match &head {
        Ok((head, seal)) => (Some(*head), seal.clone().map_or(Seal::None, Seal::Signed)),
        Err(_) => (None, Seal::Unasked),
    };
    let beside = Beside { head: named, seal, witness };
    let mut found = bytes_of(&bytes, &beside, keys);
    if found.fault.is_none() && head.is_err() {
        found.fail(found.lines, found.lines, Why::Head);
    }
    for broken in &mut found.breaks {
        broken.fault = aside(state, &broken.aside, keys)?;
    }
    Ok(found)
}

/// What is wrong with a log that was put aside.
fn aside(state: &State, name: &str, keys: &[VerifyingKey]) -> Result<Option<Fault>, ReceiptError> {
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Ok(None);
    }
    let path = |end: &str| state.receipts().with_extension(format!("{end}.{name}"));
    // What is no file was put in the place of the log, which is gone.
    let is_other = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| !found.is_file());
    if is_other(&path("jsonl")) {
        return Ok(None);
    }
    let Some(bytes) = file::read(&path("jsonl"))? else { return Ok(None) };
    let head =
        if is_other(&path("jsonl.head")) { Some(Vec::new()) } else { file::read(&path("jsonl.head"))? };
    let head = head.map(|bytes| String::from_utf8_lossy(&bytes).parse());
    let known = match head {
        Some(Ok(head)) => Some(head),
        Some(Err(_)) => None,
        None => Some(Head::empty()),
    };
    let mut found = bytes_of(&bytes, &Beside { head: known, ..Beside::default() }, keys);
    if found.fault.is_none() && known.is_none() {
        found.fail(found.lines, found.lines, Why::Head);
    }
    Ok(found.fault)
}

/// Checks the bytes of a log.
pub fn bytes_of(bytes: &[u8], beside: &Beside, keys: &[VerifyingKey]) -> Verification {
    let keyring: HashMap<String, &VerifyingKey> = keys.iter().map(|key| (key.id(), key)).collect();
    let mut check = Check {
        bytes,
        keys,
        keyring,
        beside,
        head: Head::empty(),
        signers: BTreeMap::new(),
        found: Verification::new(),
    };
    check.run();
    check.found.sound = check.found.fault.is_none();
    check.found.head = check.head.hash;
    check.found.keys = check.signers.into_iter().map(|(key, lines)| Signer { key, lines }).collect();
    check.found
}

impl Verification {
    fn new() -> Self {
        Self {
            sound: false,
            fault: None,
            lines: 0,
            head: Head::empty().hash,
            keys: Vec::new(),
            checkpoints: 0,
            since_checkpoint: 0,
            head_signed: None,
            unsigned_heads: Vec::new(),
            breaks: Vec::new(),
            contradictions: Vec::new(),
        }
    }

    fn fail(&mut self, line: u64, seq: u64, why: Why) {
        self.fail_saying(line, seq, why, why.meaning().to_owned());
    }

    fn fail_saying(&mut self, line: u64, seq: u64, why: Why, message: String) {
        self.sound = false;
        self.fault = Some(Fault { line, seq, why, message });
    }

    /// Whether a later form of lines is why nothing more can be told.
    pub fn is_newer(&self) -> bool {
        self.fault.as_ref().is_some_and(|fault| fault.why == Why::Newer)
    }
}

/// How many lines are read at once.
const BATCH: usize = 4096;

/// A line by itself.
struct Alone {
    /// The receipt, with a good signature.
    receipt: Result<Receipt, Why>,
    hash: Sha256,
}

struct Check<'a> {
    bytes: &'a [u8],
    keys: &'a [VerifyingKey],
    keyring: HashMap<String, &'a VerifyingKey>,
    beside: &'a Beside,
    head: Head,
    signers: BTreeMap<String, u64>,
    found: Verification,
}

impl Check<'_> {
    fn run(&mut self) {
        let end = self.bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let (whole, half) = self.bytes.split_at(end);
        let mut denied: HashMap<(Option<String>, String), u64> = HashMap::new();
        let named = self.beside.head;
        let mut head_is_met = named.is_none_or(|head| head == Head::empty());
        let witness = self.beside.witness;
        let mut witness_is_met = witness.is_none();
        let mut named_key = None;
        let body = whole.strip_suffix(b"\n").into_iter();
        let mut lines = body.flat_map(|body| body.split(|&byte| byte == b'\n'));
        let mut batch: VecDeque<Alone> = VecDeque::new();
        loop {
            if batch.is_empty() {
                batch = self.alone(&lines.by_ref().take(BATCH).collect::<Vec<_>>());
            }
            let Some(alone) = batch.pop_front() else { break };
            let receipt = match self.follows(alone.receipt) {
                Ok(receipt) => receipt,
                Err((seq, why)) => return self.found.fail(self.head.n + 1, seq, why),
            };
            self.head = Head { n: receipt.seq, hash: alone.hash };
            if named == Some(self.head) {
                head_is_met = true;
                named_key = self.keyring.get(&receipt.key).copied();
            }
            witness_is_met |= witness.is_some_and(|witness| witness.head == self.head);
            self.found.lines = receipt.seq;
            *self.signers.entry(receipt.key.clone()).or_default() += 1;
            self.note(&receipt, &mut denied);
        }
        let next = self.head.n + 1;
        let last = self.head.n.max(1);
        if !half.is_empty() {
            self.found.fail(next, next, Why::Torn);
        } else if named.is_some_and(|head| head.n > self.head.n) {
            self.found.fail(next, next, Why::CutTail);
        } else if !head_is_met || named.is_some_and(|head| self.head.n - head.n > LAG) {
            self.found.fail(last, last, Why::Head);
        } else if named.is_some_and(|head| head.n == 0) && self.head.n > 1 {
            // A crash leaves the head file away only behind the very first line.
            self.found.fail(last, last, Why::Head);
        } else if let Some(witness) = witness.filter(|_| !witness_is_met) {
            let (at, why) =
                if witness.head.n > self.head.n { (next, Why::CutTail) } else { (last, Why::Witness) };
            self.found.fail_saying(at, at, why, format!("{}: {witness}", why.meaning()));
        } else if let Some(head) = named.filter(|head| head.n > 0) {
            let is_signed = match &self.beside.seal {
                Seal::Unasked => return,
                // Heads are signed since that checkpoint.
                Seal::None => witness.is_none_or(|witness| !witness.signed),
                Seal::Signed(seal) => named_key.is_some_and(|key| witness::is_signed(head, seal, key)),
            };
            self.found.head_signed = Some(is_signed && self.beside.seal != Seal::None);
            if !is_signed {
                self.found.fail(last, last, Why::HeadSignature);
            }
        }
    }

    /// What can be told of lines without those before them, by as many threads as the machine runs.
    fn alone(&self, lines: &[&[u8]]) -> VecDeque<Alone> {
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let share = lines.len().div_ceil(threads).max(1);
        thread::scope(|scope| {
            let read = |lines: &[&[u8]]| lines.iter().map(|line| self.read(line)).collect::<Vec<_>>();
            let shares: Vec<_> = lines.chunks(share).map(|lines| scope.spawn(move || read(lines))).collect();
            // A thread that ended in a panic makes the log shorter, which the head shows.
            shares.into_iter().flat_map(|share| share.join().unwrap_or_default()).collect()
        })
    }

    fn read(&self, line: &[u8]) -> Alone {
        let hash = Sha256::of(line);
        // What a known key signed is as receipts are written; of other lines that is asked apart.
        let receipt = match json::read::<Receipt>(line) {
            Ok(receipt) if receipt.v <= VERSION => receipt,
            _ => {
                let why = if is_newer(line) { Why::Newer } else { Why::Changed };
                return Alone { receipt: Err(why), hash };
            }
        };
        let signed = match self.keyring.get(&receipt.key) {
            Some(key) if receipt.is_signed_in(line, key) => Ok(receipt),
            Some(_) => Err(Why::Changed),
            None if Receipt::read(line).is_err() => Err(Why::Changed),
            // A changed letter in the key's name is a changed line, not a foreign key.
            None if self.keys.iter().any(|key| is_renamed(&receipt, key)) => Err(Why::Changed),
            None => Err(Why::ForeignKey),
        };
        Alone { receipt: signed, hash }
    }

    /// Whether the line follows the head.
    fn follows(&self, receipt: Result<Receipt, Why>) -> Result<Receipt, (u64, Why)> {
        let expected = self.head.n + 1;
        let receipt = receipt.map_err(|why| (expected, why))?;
        if receipt.seq != expected {
            let elsewhere = receipt.seq < expected || self.holds(expected);
            return Err((expected, if elsewhere { Why::Moved } else { Why::Removed }));
        }
        if receipt.prev_hash != self.head.hash {
            return Err((expected, Why::Replaced));
        }
        if receipt.kind == Kind::Checkpoint {
            let attested = receipt.checkpoint.as_ref();
            if !attested.is_some_and(|envelope| checkpoint::attests(envelope, self.head, self.keys)) {
                return Err((expected, Why::Checkpoint));
            }
        }
        Ok(receipt)
    }

    /// Whether a good line with this number stands anywhere in the log.
    fn holds(&self, seq: u64) -> bool {
        self.bytes.split(|&byte| byte == b'\n').any(|line| {
            Receipt::read(line).is_ok_and(|receipt| {
                receipt.seq == seq
                    && self.keyring.get(&receipt.key).is_some_and(|key| receipt.is_signed_by(key))
            })
        })
    }

    fn note(&mut self, receipt: &Receipt, denied: &mut HashMap<(Option<String>, String), u64>) {
        self.found.since_checkpoint += 1;
        match receipt.kind {
            Kind::Checkpoint => {
                self.found.checkpoints += 1;
                self.found.since_checkpoint = 0;
            }
            Kind::Broken => self.found.breaks.push(Break {
                at: receipt.at,
                aside: receipt.marker.clone().unwrap_or_default(),
                lines: receipt.figures.get("lines").copied(),
                fault: None,
            }),
            Kind::Judged | Kind::Seen => {
                let Some(call) = &receipt.call else { return };
                let name = (receipt.session.clone(), call.clone());
                if receipt.kind == Kind::Seen {
                    if let Some(&denied) = denied.get(&name) {
                        let call = call.clone();
                        self.found.contradictions.push(Contradiction { denied, seen: receipt.seq, call });
                    }
                } else if receipt.decision == Some(Decision::Deny) {
                    denied.insert(name, receipt.seq);
                } else {
                    denied.remove(&name);
                }
            }
            Kind::Note if receipt.marker.as_deref() == Some(HEAD_UNSIGNED) => {
                self.found.unsigned_heads.push(receipt.seq);
            }
            Kind::Note | Kind::Evidence => {}
        }
    }
}

/// Whether a line is an object that says to be of a later form.
pub(super) fn is_newer(line: &[u8]) -> bool {
    let line: Option<serde_json::Value> = json::read(line).ok();
    line.and_then(|line| line["v"].as_u64()).is_some_and(|v| v > u64::from(VERSION))
}

/// Whether the line would be this key's if it named it.
fn is_renamed(receipt: &Receipt, key: &VerifyingKey) -> bool {
    Receipt { key: key.id(), ..receipt.clone() }.is_signed_by(key)
}

#[cfg(test)]
mod tests;
