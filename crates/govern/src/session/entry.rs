//! What becomes known of a session, one line of its file each, and what is counted of it.

use canon::Sha256;
use serde::{Deserialize, Serialize};

use super::{Plan, Read};

/// One thing that became known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Entry {
    /// A file was read.
    Read(Read),
    /// The session wrote a file.
    Wrote {
        /// The file, from the root.
        path: String,
        /// Its content afterwards.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<Sha256>,
    },
    /// The plan is now this one.
    Plan(Plan),
    /// The plan counts no more.
    PlanEnded,
    /// A mark is set.
    Mark {
        /// Its name.
        name: String,
        /// What it carries.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        value: String,
    },
    /// A mark is taken away.
    Unmark {
        /// Its name.
        name: String,
    },
    /// A call succeeded; see [`crate::receipts::equal`].
    Succeeded {
        /// What equal calls have in common.
        call: String,
    },
    /// A call was denied.
    Denied {
        /// The gate.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        gate: String,
        /// The rule within it.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        rule: String,
    },
    /// So many denials by one gate and rule, where the file was written anew.
    Blocks {
        /// Gate and rule.
        what: String,
        /// How many.
        count: u64,
    },
    /// The model took turns, and this much passed through the hook.
    Went {
        /// Turns of the model.
        steps: u64,
        /// Tokens, estimated.
        tokens: u64,
    },
    /// Pinned constraints were said.
    Pinned {
        /// The ids of those that were said.
        ids: Vec<String>,
        /// They are all that there are, and not the prohibitions alone.
        all: bool,
    },
    /// The token budget was crossed.
    OverBudget,
    /// The agent was told to plan first.
    PlanFirst,
    /// A call that had succeeded was made again.
    Retried,
    /// A call was allowed, which ends a row of denials.
    Allowed,
    /// The agent's turn ended.
    Turn,
    /// The context was compacted: what was read before is not before the agent's eyes any more.
    Compacted,
    /// The counters as they stand, where the file was written anew.
    Counted(Counters),
}

/// What is counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Calls that were denied.
    pub denied: u64,
    /// Of these, the last in a row.
    pub denied_in_a_row: u64,
    /// Turns that ended.
    pub turns: u64,
    /// Compactions.
    pub compactions: u64,
    /// Calls that were judged.
    #[serde(default)]
    pub judged: u64,
    /// Turns of the model: prompts, results and denials.
    #[serde(default)]
    pub steps: u64,
    /// Tokens since the last compaction, estimated.
    #[serde(default)]
    pub tokens: u64,
    /// The token budget was crossed since the last compaction.
    #[serde(default)]
    pub is_over: bool,
    /// All pinned constraints were said since the last compaction.
    #[serde(default)]
    pub is_pinned: bool,
    /// How often pinned constraints were said.
    #[serde(default)]
    pub pinned: u64,
    /// The turn of the model at which they were said last.
    #[serde(default)]
    pub pinned_at: u64,
    /// How many calls had been denied when the agent was last told to plan first.
    #[serde(default)]
    pub plan_first_at: u64,
    /// Calls that had succeeded and were made again.
    #[serde(default)]
    pub retries: u64,
}
