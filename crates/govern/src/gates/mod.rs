//! The gates: each a function of a call, what it touches, and what is known. None opens a file, asks for the time, or
//! starts anything; [`Known`] hands in whatever they may look at.

mod commands;
mod commitment;
mod gain;
mod plan;
mod protected;
pub mod read_back;
pub mod verify;

use std::path::{Path, PathBuf};

use gate::ReasonCode;
use gate::event::{Decision, Event, Verdict};
use gate::protected::{Damaged, Kept};

use crate::classify::{Certainty, Effects, Target};
use crate::codes;
use crate::policy::{Policy, Switch};
use crate::session::Session;

pub use commands::runs_own;
pub use plan::{Fault as PlanFault, judge as judge_plan, sets_plan};

/// The mark that says that the text on planning was read.
pub const PLAN_SPEC_READ: &str = "plan-spec-read";
/// The marks that say which names were looked for: `searched:<name>`.
pub const SEARCHED: &str = "searched:";

/// A target with every name that it may have on disk.
#[derive(Debug, Clone)]
pub struct Touched<'e> {
    /// The target.
    pub target: &'e Target,
    /// Its absolute paths: as it is spelled, and where links lead.
    pub paths: Vec<PathBuf>,
}

/// What a gate may look at.
pub struct Known<'k> {
    /// The top of the repository.
    pub root: &'k Path,
    /// The rules about paths.
    pub rules: &'k Kept<'k>,
    /// What is asked of the gates.
    pub policy: &'k Policy,
    /// What is known of the session.
    pub session: &'k Session,
    /// Letters of either case are the same in names of files, as in the rules.
    pub fold: bool,
    /// The content of a file, by its absolute path; none where there is none.
    pub file: &'k dyn Fn(&Path) -> Option<Vec<u8>>,
    /// Whether a folder holds anything.
    pub is_occupied: &'k dyn Fn(&Path) -> bool,
}

impl Known<'_> {
    /// The path as rules have it: from the top where it lies below, else absolute.
    pub(crate) fn name(&self, path: &Path) -> String {
        let name = path.strip_prefix(self.root).unwrap_or(path).to_string_lossy();
        if cfg!(windows) { name.replace('\\', "/") } else { name.into_owned() }
    }
}

/// A call with what it touches.
pub struct Act<'a> {
    /// The event.
    pub event: &'a Event,
    /// What the call touches.
    pub effects: &'a Effects,
    /// What it writes or deletes, resolved.
    pub changes: &'a [Touched<'a>],
    /// What it reads by name, resolved.
    pub reads: &'a [Touched<'a>],
    /// What it names and may read, resolved.
    pub mentions: &'a [Touched<'a>],
    /// The folders that it reads through, resolved, in the order of [`Effects::recursive_reads`].
    pub walks: &'a [Vec<PathBuf>],
}

/// What one gate found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// What it decides.
    pub decision: Decision,
    /// The gate.
    pub gate: &'static str,
    /// The rule within it.
    pub rule: String,
    /// The reason.
    pub reason: ReasonCode,
    /// The fact, one sentence without a full stop.
    pub fact: String,
    /// The one allowed next step.
    pub next: String,
    /// A person may let this very call pass.
    pub ticket: bool,
}

impl Found {
    /// The verdict, in words that tell the agent the rule, the fact and the next step.
    pub fn verdict(&self) -> Verdict {
        Verdict {
            decision: self.decision,
            gate: Some(self.gate.to_owned()),
            rule: Some(self.rule.clone()),
            reason: Some(self.reason.as_str().to_owned()),
            message: Some(format!("{} ({}): {}. Next: {}", self.gate, self.rule, self.fact, self.next)),
            context: Vec::new(),
        }
    }
}

/// Judges a call that is about to be made: everything that the gates found, the strongest first.
///
/// # Errors
/// The kept rules are not what was kept: nothing can be said of the call.
pub fn judge(act: &Act<'_>, known: &Known<'_>) -> Result<Vec<Found>, Damaged> {
    let mut found = Vec::new();
    if let Certainty::Unparsable { why, hint } = &act.effects.certainty {
        found.push(Found {
            decision: Decision::Deny,
            gate: "shell",
            rule: "understood".to_owned(),
            reason: codes::UNPARSABLE,
            fact: format!("the command was not understood: {why}"),
            next: hint.clone(),
            ticket: false,
        });
    }
    found.extend(protected::judge(act, known)?);
    found.extend(commands::judge(act));
    if known.policy.is_on(Switch::Plan) {
        found.extend(plan::gate(act, known));
    }
    if known.policy.is_on(Switch::Gain) {
        found.extend(gain::judge(act, known));
    }
    if known.policy.is_on(Switch::Verify) {
        found.extend(verify::judge(act, known).or_else(|| read_back::judge(act, known)));
    }
    if known.policy.is_on(Switch::Commitment) {
        found.extend(commitment::judge(act, known));
    }
    order(&mut found);
    Ok(found)
}

/// Judges a call by the rules about paths alone: what another repository than the agent's own has to say of it.
///
/// # Errors
/// As [`judge`].
pub fn judge_paths(act: &Act<'_>, known: &Known<'_>) -> Result<Vec<Found>, Damaged> {
    protected::judge(act, known)
}

/// Puts what was found in order: deny wins over ask; of equals the gate that comes first.
pub fn order(found: &mut [Found]) {
    found.sort_by_key(|found| std::cmp::Reverse(found.decision));
}

#[cfg(test)]
mod tests;
