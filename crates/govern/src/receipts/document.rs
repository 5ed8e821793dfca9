//! Receipts as documents: a list of calls, one call whole, and the log to hand on.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use canon::json::Damage;
use canon::{Sha256, Timestamp};
use gate::event::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::chain::{Chain, Head, Link as _};
use store::file;
use trust::ed25519::VerifyingKey;

use super::line::{Kind, Outcome, Receipt, name};
use super::{ReceiptError, verify};
use crate::State;

/// Which receipts are listed. What is not set lets everything through.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// The session.
    pub session: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The decision.
    pub decision: Option<Decision>,
    /// At or after this instant.
    pub since: Option<Timestamp>,
    /// The last so many.
    pub last: Option<usize>,
}

/// A call, or something else on record.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Entry {
    /// The number of the line that judged the call, or of the line itself.
    pub seq: u64,
    /// When.
    pub at: Timestamp,
    /// What it records.
    pub kind: Kind,
    /// The agent.
    pub agent: Option<String>,
    /// The session.
    pub session: Option<String>,
    /// The call's id.
    pub call: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// What was decided.
    pub decision: Option<Decision>,
    /// The gate that decided.
    pub gate: Option<String>,
    /// Its rule.
    pub rule: Option<String>,
    /// What became of the call.
    pub outcome: Option<Outcome>,
    /// The number of the line that saw its result.
    pub seen: Option<u64>,
    /// What a note records.
    pub marker: Option<String>,
    /// Numbers that were read off the result.
    pub figures: BTreeMap<String, i64>,
}

/// What `receipts list` prints.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct List {
    /// How many lines the log has.
    pub lines: u64,
    /// What passes the filter, oldest first.
    pub receipts: Vec<Entry>,
}

/// What `receipts show` prints.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Show {
    /// The lines of the call, or the one line.
    pub lines: Vec<Receipt>,
}

/// What `receipts export` prints: all that is needed to check the log elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// The public keys that signed, in PEM, by their fingerprints. Who relies on them must know them from elsewhere.
    pub keys: BTreeMap<String, String>,
    /// How many lines the log has, as its head file says.
    pub lines: u64,
    /// The hash of the last one.
    pub head: Sha256,
    /// Every line.
    pub receipts: Vec<Receipt>,
}

/// The calls and other records that pass a filter.
pub fn list(state: &State, filter: &Filter) -> Result<List, ReceiptError> {
    let lines = read(&state.receipts())?;
    let total = lines.last().map_or(0, |line| line.seq);
    let mut entries = join(lines);
    entries.retain(|entry| filter.passes(entry));
    if let Some(last) = filter.last {
        entries.drain(..entries.len().saturating_sub(last));
    }
    Ok(List { lines: total, receipts: entries })
}

/// Every line of the log that can be read, in order. The chain is not checked.
pub fn lines(state: &State) -> Result<Vec<Receipt>, ReceiptError> {
    read(&state.receipts())
}

/// Every line about the call with this id, or about the call of the line with this number.
pub fn show(state: &State, which: &str) -> Result<Show, ReceiptError> {
    let lines = read(&state.receipts())?;
    let number: Option<u64> = which.parse().ok();
    let named = number.and_then(|seq| lines.iter().find(|line| line.seq == seq)).cloned();
    let belongs = |line: &Receipt| match &named {
        Some(one) if one.call.is_some() => line.call == one.call && line.session == one.session,
        Some(one) => line.seq == one.seq,
        None => line.call.as_deref() == Some(which),
    };
    Ok(Show { lines: lines.into_iter().filter(belongs).collect() })
}

/// The log with the keys that signed it, as far as they are known.
pub fn export(state: &State, keys: &[VerifyingKey]) -> Result<Export, ReceiptError> {
    let chain = Chain::<Receipt>::of(state.receipts());
    let head = chain.head()?;
    let receipts = read(chain.path())?;
    let signed = keys.iter().filter(|key| receipts.iter().any(|line| line.key == key.id()));
    let keys = signed.filter_map(|key| Some((key.id(), key.to_pem().ok()?))).collect();
    Ok(Export { keys, lines: head.n, head: head.hash, receipts })
}

impl Export {
    /// Reads what `receipts export` printed.
    ///
    /// # Errors
    /// It is not such a JSON text.
    pub fn read(bytes: &[u8]) -> Result<Self, Damage> {
        canon::json::read(bytes)
    }

    /// Checks an exported log with the keys that it carries. Whether those are the gate's, the reader must know.
    ///
    /// # Errors
    /// A key is none, or has another fingerprint than its name says.
    pub fn verify_by_itself(&self) -> Result<verify::Verification, String> {
        let parse = |(id, pem): (&String, &String)| {
            let key = VerifyingKey::parse(pem).map_err(|fault| format!("the key `{id}`: {fault}"))?;
            if key.id() == *id {
                Ok(key)
            } else {
                Err(format!("the key `{id}` has the fingerprint {}", key.id()))
            }
        };
        let keys: Vec<VerifyingKey> = self.keys.iter().map(parse).collect::<Result<_, String>>()?;
        Ok(self.verify(&keys))
    }

    /// Checks an exported log.
    pub fn verify(&self, keys: &[VerifyingKey]) -> verify::Verification {
        let text: String = self.receipts.iter().map(Receipt::line).collect();
        let beside = verify::Beside {
            head: Some(Head { n: self.lines, hash: self.head }),
            ..verify::Beside::default()
        };
        verify::bytes_of(text.as_bytes(), &beside, keys)
    }
}

impl Filter {
    fn passes(&self, entry: &Entry) -> bool {
        let is = |wanted: &Option<String>, found: &Option<String>| wanted.is_none() || wanted == found;
        is(&self.session.as_deref().map(name), &entry.session)
            && is(&self.tool.as_deref().map(name), &entry.tool)
            && (self.decision.is_none() || self.decision == entry.decision)
            && self.since.is_none_or(|since| entry.at >= since)
    }
}

/// Every line that can be read, in the log's order.
fn read(path: &Path) -> Result<Vec<Receipt>, ReceiptError> {
    Ok(lines_of(&file::read(path)?.unwrap_or_default()))
}

fn lines_of(bytes: &[u8]) -> Vec<Receipt> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

/// The lines of a session in the last `most` bytes of a log.
pub(super) fn session_lines(
    path: &Path,
    agent: &str,
    session: Option<&str>,
    most: u64,
) -> Result<Vec<Receipt>, ReceiptError> {
    let (tail, _) = file::read_tail(path, most)?;
    let (agent, session) = (name(agent), session.map(name));
    let needle = session.as_deref().unwrap_or_default().as_bytes().to_vec();
    let mut lines = Vec::new();
    for line in tail.split(|&byte| byte == b'\n') {
        if !needle.is_empty() && !holds(line, &needle) {
            continue;
        }
        let Ok(receipt) = serde_json::from_slice::<Receipt>(line) else { continue };
        if receipt.session == session && receipt.agent.as_deref() == Some(&agent) {
            lines.push(receipt);
        }
    }
    Ok(lines)
}

/// Whether a line may be of a session with this name; a name that JSON escapes is not looked for.
fn holds(line: &[u8], name: &[u8]) -> bool {
    let plain = name.iter().all(|&byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte));
    let text = str::from_utf8(line).unwrap_or_default();
    !plain || str::from_utf8(name).is_ok_and(|name| text.contains(name))
}

fn join(lines: Vec<Receipt>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut open: HashMap<(Option<String>, String), usize> = HashMap::new();
    for line in lines {
        let name = line.call.clone().map(|call| (line.session.clone(), call));
        let judged = name.as_ref().and_then(|name| open.get(name)).filter(|_| line.kind == Kind::Seen);
        if let Some(&at) = judged {
            let entry: &mut Entry = &mut entries[at];
            entry.seen = Some(line.seq);
            entry.outcome = line.outcome;
            entry.figures = line.figures;
            continue;
        }
        if let Some(name) = name {
            open.insert(name, entries.len());
        }
        entries.push(Entry {
            seq: line.seq,
            at: line.at,
            kind: line.kind,
            agent: line.agent,
            session: line.session,
            call: line.call,
            tool: line.tool,
            decision: line.decision,
            gate: line.gate,
            rule: line.rule,
            outcome: line.outcome,
            seen: (line.kind == Kind::Seen).then_some(line.seq),
            marker: line.marker,
            figures: line.figures,
        });
    }
    entries
}
