//! What is counted of the gates: every figure from the receipts, so that each can be counted again by whoever doubts it.
//!
//! A figure stands here only if something advances it; the tests advance each.

use std::collections::BTreeMap;

use gate::event::Decision;
use schemars::JsonSchema;
use serde::Serialize;

use crate::evidence::{Count, Verdict};
use crate::receipts::{Kind, Receipt};

/// The marker of a note that pinned constraints were said.
pub const PINNED: &str = "pinned";
/// The marker of a note that a constraint which was said is not in force any more, or was not said after a compaction.
pub const PIN_DROPPED: &str = "pin-dropped";
/// The marker of a note that a prompt goes against a pinned constraint.
pub const PIM_CONFLICT: &str = "pim-conflict";
/// The marker of a note of what the review of a final message found.
pub const SOM_REVIEW: &str = "som-review";
/// The marker of a note that a session crossed its token budget.
pub const TOKEN_BUDGET: &str = "token-budget";
/// The marker of a call that is made again although it succeeded.
pub const RETRY_HINT: &str = "retry-hint";
/// The marker of a note that a lesson came up and was not read.
pub const READ_GATE_SKIP: &str = "read-gate-skip";
/// The marker of a note that the agent was told to plan first.
pub const PLAN_FIRST: &str = "plan-first";
/// The marker of a note that a gate does not judge.
pub const SILENT_GATE: &str = "silent-gate";
/// The marker of a note that the context was compacted.
pub const COMPACT: &str = "compact";

/// The session in which the gate tries itself.
pub const CANARY: &str = "canary";

/// What is counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Counts {
    /// Claims of final messages that the receipts bear out.
    pub claims_verified: u64,
    /// All claims of final messages but those that are labelled.
    pub claims_total: u64,
    /// Claims that contradict the receipts.
    pub claims_invalid: u64,
    /// Claims that have no receipt.
    pub claims_unverifiable: u64,
    /// Claims that the message itself labels as unverified.
    pub claims_labelled: u64,
    /// Calls that were judged.
    pub calls: u64,
    /// Calls that were denied, by gate.
    pub blocks: BTreeMap<String, u64>,
    /// Calls that had succeeded and were made again.
    pub retries: u64,
    /// How often pinned constraints were said.
    pub pinned: u64,
    /// How often of these because the context was compacted.
    pub pinned_after_compaction: u64,
    /// Constraints that were said once and were not any more after a compaction.
    pub pins_dropped: u64,
    /// Compactions.
    pub compactions: u64,
    /// Prompts that go against a pinned constraint.
    pub conflicts: u64,
    /// Final messages in which the review found something.
    pub reviews: u64,
    /// Pinned constraints that final messages went against.
    pub pins_broken: u64,
    /// Sessions that crossed their token budget.
    pub over_budget: u64,
    /// How often an agent was told to plan first.
    pub plan_first: u64,
    /// Lessons that came up and were not read.
    pub lessons_skipped: u64,
    /// How often a gate was found that does not judge.
    pub silent_gates: u64,
}

/// What is counted of one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SessionCounts {
    /// The agent.
    pub agent: String,
    /// The session.
    pub session: String,
    /// Calls that were judged.
    pub calls: u64,
    /// Calls that were denied, by gate and rule.
    pub blocks: BTreeMap<String, u64>,
}

impl SessionCounts {
    /// How many calls were denied.
    pub fn blocked(&self) -> u64 {
        self.blocks.values().sum()
    }
}

impl Counts {
    /// What the lines of a log say, in any order. What the gate tried on itself is left out.
    pub fn of(receipts: &[Receipt]) -> Self {
        let mut counts = Self::default();
        for line in receipts.iter().filter(|line| line.session.as_deref() != Some(CANARY)) {
            match line.kind {
                Kind::Judged => counts.judged(line),
                Kind::Note => counts.note(line),
                Kind::Evidence => counts.evidence(line),
                Kind::Seen | Kind::Checkpoint | Kind::Broken => {}
            }
        }
        counts
    }

    fn judged(&mut self, line: &Receipt) {
        self.calls += 1;
        self.retries += u64::from(line.marker.as_deref() == Some(RETRY_HINT));
        if line.decision == Some(Decision::Deny) {
            *self.blocks.entry(line.gate.clone().unwrap_or_default()).or_default() += 1;
        }
    }

    fn note(&mut self, line: &Receipt) {
        let figure = |name: &str| line.figures.get(name).and_then(|n| u64::try_from(*n).ok()).unwrap_or(1);
        match line.marker.as_deref() {
            Some(PINNED) => {
                self.pinned += 1;
                self.pinned_after_compaction += u64::from(line.figures.contains_key("compacted"));
            }
            Some(PIN_DROPPED) => self.pins_dropped += figure("constraints"),
            Some(COMPACT) => self.compactions += 1,
            Some(PIM_CONFLICT) => self.conflicts += 1,
            Some(SOM_REVIEW) => {
                self.reviews += 1;
                self.pins_broken += line.figures.get("broken").map_or(0, |_| figure("broken"));
            }
            Some(TOKEN_BUDGET) => self.over_budget += 1,
            Some(PLAN_FIRST) => self.plan_first += 1,
            Some(READ_GATE_SKIP) => self.lessons_skipped += figure("lessons"),
            Some(SILENT_GATE) => self.silent_gates += 1,
            _ => {}
        }
    }

    fn evidence(&mut self, line: &Receipt) {
        let Some(record) = &line.evidence else { return };
        let count = |which: Count| record.counts.get(&which).copied().unwrap_or(0);
        let stand =
            |verdict: Verdict| record.findings.iter().filter(|one| one.verdict == verdict).count() as u64;
        self.claims_verified += count(Count::ClaimsVerified);
        self.claims_total += count(Count::ClaimsTotal);
        self.claims_labelled += count(Count::ClaimsLabelled);
        self.claims_invalid += stand(Verdict::Invalid);
        self.claims_unverifiable += stand(Verdict::Unverifiable);
    }

    /// How many calls were denied.
    pub fn blocked(&self) -> u64 {
        self.blocks.values().sum()
    }
}

/// What is counted of each session that had a call denied, the most denials first, then by name; `most` of them.
pub fn sessions(receipts: &[Receipt], most: usize) -> Vec<SessionCounts> {
    let mut found: BTreeMap<(String, String), SessionCounts> = BTreeMap::new();
    for line in receipts.iter().filter(|line| line.kind == Kind::Judged) {
        let (Some(agent), Some(session)) = (&line.agent, &line.session) else { continue };
        if session == CANARY {
            continue;
        }
        let counts = found.entry((agent.clone(), session.clone())).or_insert_with(|| SessionCounts {
            agent: agent.clone(),
            session: session.clone(),
            calls: 0,
            blocks: BTreeMap::new(),
        });
        counts.calls += 1;
        if line.decision == Some(Decision::Deny) {
            let word = |part: &Option<String>| part.clone().unwrap_or_default();
            let what = format!("{} {}", word(&line.gate), word(&line.rule)).trim().to_owned();
            *counts.blocks.entry(what).or_default() += 1;
        }
    }
    let mut sessions: Vec<SessionCounts> =
        found.into_values().filter(|counts| counts.blocked() > 0).collect();
    sessions.sort_by_key(|counts| std::cmp::Reverse(counts.blocked()));
    sessions.truncate(most);
    sessions
}
