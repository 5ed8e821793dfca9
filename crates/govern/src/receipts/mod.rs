//! Receipts: one line when a call is judged and one when its result is seen.
//!
//! [`Receipts`] adds lines; [`verify`](mod@verify) finds the first that is not as it was written; [`document`] lists,
//! shows and exports them. A line ([`Receipt`]) holds arguments and results as digests alone, and the few numbers that
//! [`figures`] reads off a result, which is what an agent's words are held against later.
//!
//! One chain stands for a repository, all its work trees and sessions. Each line is signed with the gate's own key
//! ([`key`]), and each stop adds a checkpoint, a signed statement about the chain's head. Lines are synced at
//! checkpoints alone. The head file beside the log is signed too, and what a checkpoint saw is remembered apart from the
//! repository; `witness` says what each of them shows. The chain is evidence against tampering, not against whoever holds the key.

mod call;
pub mod checkpoint;
pub mod document;
mod error;
pub mod figures;
pub mod key;
mod line;
mod log;
pub(crate) mod runs;
pub mod verify;
mod witness;

use std::path::PathBuf;
use std::time::Duration;

use canon::{Sha256, Timestamp};
use gate::event::{Call, Decision, Event, Tool, Verdict};
use serde_json::json;
use store::World;

pub use call::{equal, hash};
pub use checkpoint::Checkpoint;
pub use error::ReceiptError;
pub use key::KeyError;
pub use line::{Kind, NonExecution, Outcome, Receipt, VERSION};
pub use runs::short;

use crate::{State, evidence};
use call::Named;
use line::name;
use log::Log;

/// How long an append waits for other processes. Well below the deadline of any agent.
pub const WAIT: Duration = Duration::from_millis(700);

/// The marker of a call that a person let pass.
pub const APPROVED: &str = "approved";

/// The log of a repository, ready to be added to.
pub struct Receipts<'a> {
    log: Log,
    path: PathBuf,
    world: &'a World,
    policy: Option<Sha256>,
}

/// What a caller knows of a call beside the event.
#[derive(Debug, Clone, Default)]
pub struct Known<'a> {
    /// The paths that the call writes, as far as they are known, from the root.
    pub writes: &'a [String],
    /// The digest of the protected paths at this moment.
    pub protected: Option<Sha256>,
    /// The digest of what was found when the effect was looked for.
    pub probe: Option<Sha256>,
    /// One word for what let the call pass.
    pub marker: Option<&'a str>,
}

/// Something that is put on record beside calls.
#[derive(Debug, Clone, Default)]
pub struct Note<'a> {
    /// One word for it.
    pub marker: &'a str,
    /// Numbers by name.
    pub figures: &'a [(&'a str, i64)],
    /// Digests by name.
    pub digests: &'a [(&'a str, Sha256)],
    /// Paths that it is about; their short digests are kept.
    pub paths: &'a [String],
}

/// A line of the log, and whether this call wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// The line.
    pub receipt: Receipt,
    /// False where another entry of the same call wrote it.
    pub new: bool,
}

impl<'a> Receipts<'a> {
    /// The receipts of a repository. Makes the gate's key where there is none.
    pub fn open(state: &State, world: &'a World) -> Result<Self, ReceiptError> {
        let key = key::load_or_make(state.keys(), &*world.entropy)?;
        let path = state.receipts();
        Ok(Self { log: Log::new(&path, state.witness(), key, WAIT), path, world, policy: None })
    }

    /// The same, with the digest of the policy in force on every line.
    pub fn under(mut self, policy: Option<Sha256>) -> Self {
        self.policy = policy;
        self
    }

    /// Puts the log aside, in which a whole check found `why`, and begins a new one, whose first line says so. Gives back
    /// where the old one lies now. Adding a line looks at the log's end alone, and finds nothing further up.
    ///
    /// # Errors
    /// It can't be moved or written.
    pub fn renew(&self, why: &str) -> Result<PathBuf, ReceiptError> {
        self.log.renew(why.to_owned(), self.world.now())
    }

    /// Puts a judgement on record, before it is answered.
    ///
    /// # Errors
    /// The line is not on record: the call must be denied.
    pub fn judged(&self, event: &Event, verdict: &Verdict, known: &Known) -> Result<Written, ReceiptError> {
        let Some(call) = &event.call else {
            return self.note(event, &Note { marker: "judged", ..Note::default() });
        };
        let args = hash(&call.input)?;
        let now = self.world.now();
        let mut receipt = self.about(Kind::Judged, event);
        describe(&mut receipt, call, args, known);
        receipt.decision = Some(verdict.decision);
        receipt.gate.clone_from(&verdict.gate);
        receipt.rule.clone_from(&verdict.rule);
        receipt.reason.clone_from(&verdict.reason);
        let denied = verdict.decision == Decision::Deny;
        receipt.outcome = Some(if denied { Outcome::NotExecuted } else { Outcome::Pending });
        let named = Named::new(event, call, args)?;
        let mut writer = self.log.lock(now)?;
        let is_granted = known.marker == Some(APPROVED);
        let place = named.judged(&writer.tail(log::NEAR)?, writer.next(), verdict.decision, is_granted, now);
        if let Some(receipt) = place.twin {
            return Ok(Written { receipt, new: false });
        }
        if denied {
            let answer = json!([place.id, verdict.decision, verdict.gate, verdict.rule, verdict.reason]);
            receipt.non_execution =
                Some(NonExecution { answer_hash: hash(&answer)?, protected_hash: known.protected });
            if let Tool::Shell { command, .. } = &call.tool {
                receipt.runs = runs::of(command);
            }
        }
        receipt.call = Some(place.id);
        receipt.parent_seq = place.judged;
        Ok(Written { receipt: writer.add(receipt, false)?, new: true })
    }

    /// Puts a result on record.
    pub fn seen(&self, event: &Event, known: &Known) -> Result<Written, ReceiptError> {
        let Some(call) = &event.call else {
            return self.note(event, &Note { marker: "seen", ..Note::default() });
        };
        let args = hash(&call.input)?;
        let now = self.world.now();
        let mut receipt = self.about(Kind::Seen, event);
        describe(&mut receipt, call, args, known);
        receipt.post_condition_probe_hash = known.probe;
        receipt.outcome = Some(Outcome::Unknown);
        if let Some(outcome) = &event.outcome {
            receipt.result_hash = Some(hash(&outcome.result)?);
            receipt.outcome = Some(match (outcome.ok, outcome.exit) {
                (Some(true), _) | (None, Some(0)) => Outcome::Success,
                (Some(false), _) | (None, Some(_)) => Outcome::Failure,
                (None, None) => Outcome::Unknown,
            });
            if let Some(exit) = outcome.exit {
                receipt.figure("exit", exit);
            }
            if let Tool::Shell { command, .. } = &call.tool {
                receipt.runs = runs::of(command);
                for (name, value) in figures::of_command(command, &outcome.result) {
                    receipt.figure(name, value);
                }
            }
        }
        let named = Named::new(event, call, args)?;
        let mut writer = self.log.lock(now)?;
        let result = receipt.result_hash;
        let mut place = named.seen(&writer.tail(log::NEAR)?, writer.next(), result, now);
        if place.judged.is_none() && place.twin.is_none() {
            place = named.seen(&writer.tail(log::FAR)?, writer.next(), result, now);
        }
        if let Some(receipt) = place.twin {
            return Ok(Written { receipt, new: false });
        }
        receipt.call = Some(place.id);
        receipt.parent_seq = place.judged;
        Ok(Written { receipt: writer.add(receipt, false)?, new: true })
    }

    /// Puts something else on record.
    pub fn note(&self, event: &Event, note: &Note) -> Result<Written, ReceiptError> {
        let mut receipt = self.about(Kind::Note, event);
        receipt.marker = Some(name(note.marker));
        for (name, value) in note.figures {
            receipt.figure(name, *value);
        }
        receipt.digests = note.digests.iter().map(|(name, digest)| ((*name).to_owned(), *digest)).collect();
        receipt.writes = note.paths.iter().map(|path| short(path)).collect();
        let receipt = self.log.lock(self.world.now())?.add(receipt, false)?;
        Ok(Written { receipt, new: true })
    }

    /// Ends a turn: puts on record what was found of the agent's words, then a checkpoint, and syncs both. Of two
    /// entries that fire for one stop, the second one adds nothing.
    pub fn checkpoint(
        &self,
        event: &Event,
        found: Option<&evidence::Evidence>,
    ) -> Result<Receipt, ReceiptError> {
        let now = self.world.now();
        let mut writer = self.log.lock(now)?;
        let session = event.session.as_deref().map(name);
        let twin = writer.last().filter(|last| {
            last.kind == Kind::Checkpoint && last.session == session && call::is_near(last, now)
        });
        if let Some(twin) = twin {
            return Ok(twin.clone());
        }
        writer.meet_witness(now)?;
        let mut proof = None;
        if let Some(found) = found {
            let mut receipt = self.about(Kind::Evidence, event);
            receipt.evidence = Some(found.record());
            let written = writer.add(receipt, false)?;
            proof = Some(format!("receipt:{}", written.seq));
        }
        let mut receipt = self.about(Kind::Checkpoint, event);
        receipt.evidence_ref = proof;
        let head = writer.head();
        let about = Checkpoint { seq: head.n, at: now, session };
        receipt.checkpoint = Some(checkpoint::sign(head, about, self.log.key())?);
        let receipt = writer.add(receipt, true)?;
        writer.bear_witness(now)?;
        Ok(receipt)
    }

    /// The lines of the event's session in the last `most` bytes of the log, in order. To show and to reconcile: the
    /// chain is not checked.
    pub fn of_session(&self, event: &Event, most: u64) -> Result<Vec<Receipt>, ReceiptError> {
        document::session_lines(&self.path, &event.agent, event.session.as_deref(), most)
    }

    /// When the call of a result was judged, as far as the last `most` bytes of the log say.
    pub fn judged_at(&self, event: &Event, seen: &Receipt, most: u64) -> Option<Timestamp> {
        let judged = seen.parent_seq?;
        self.of_session(event, most).ok()?.into_iter().find(|line| line.seq == judged).map(|line| line.at)
    }

    fn about(&self, kind: Kind, event: &Event) -> Receipt {
        let mut receipt = Receipt::new(kind, self.world.now());
        receipt.agent = Some(name(&event.agent));
        receipt.session = event.session.as_deref().map(name);
        receipt.subagent = event.subagent.as_deref().map(name);
        receipt.policy_hash = self.policy;
        receipt
    }
}

fn describe(receipt: &mut Receipt, call: &Call, args: Sha256, known: &Known) {
    receipt.tool = Some(name(&call.name));
    receipt.args_hash = Some(args);
    receipt.reversibility = Some(changes_nothing(&call.tool));
    receipt.marker = known.marker.map(name);
    receipt.writes = known.writes.iter().map(|path| short(path)).collect();
}

/// Whether nothing would have to be taken back after the call.
fn changes_nothing(tool: &Tool) -> bool {
    matches!(
        tool,
        Tool::Read { .. }
            | Tool::Search { .. }
            | Tool::Plan { .. }
            | Tool::Fetch { .. }
            | Tool::Ask
            | Tool::Harmless
    )
}

#[cfg(test)]
pub(crate) mod tests;
