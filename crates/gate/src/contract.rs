//! The capability contracts C-1 to C-9: what must hold for the governance workflow, by whatever means an agent offers.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A capability contract: what must hold, by whatever means the agent offers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Contract {
    /// The plan gate: a call can be denied with a reason before it is made.
    #[serde(rename = "C-1")]
    PlanGate,
    /// The commitment gate: a person decides, outside the model.
    #[serde(rename = "C-2")]
    CommitmentGate,
    /// Receipts: arguments and results of calls are told.
    #[serde(rename = "C-3")]
    Receipts,
    /// Completion evidence: the end of a turn or session is told.
    #[serde(rename = "C-4")]
    CompletionEvidence,
    /// The knowledge lifecycle: there is a feed of evidence.
    #[serde(rename = "C-5")]
    KnowledgeLifecycle,
    /// Vault seeding: files can be copied and made anew.
    #[serde(rename = "C-6")]
    VaultSeeding,
    /// Pinned constraints are there after a compaction.
    #[serde(rename = "C-7")]
    Pinning,
    /// Prompts and final messages are held against pinned directives.
    #[serde(rename = "C-8")]
    DirectivePriority,
    /// Prohibitions are said again before a session forgets them.
    #[serde(rename = "C-9")]
    Reinjection,
}

impl Contract {
    /// Every contract, in order.
    pub const ALL: [Self; 9] = [
        Self::PlanGate,
        Self::CommitmentGate,
        Self::Receipts,
        Self::CompletionEvidence,
        Self::KnowledgeLifecycle,
        Self::VaultSeeding,
        Self::Pinning,
        Self::DirectivePriority,
        Self::Reinjection,
    ];

    /// Its id, as in `C-7`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::PlanGate => "C-1",
            Self::CommitmentGate => "C-2",
            Self::Receipts => "C-3",
            Self::CompletionEvidence => "C-4",
            Self::KnowledgeLifecycle => "C-5",
            Self::VaultSeeding => "C-6",
            Self::Pinning => "C-7",
            Self::DirectivePriority => "C-8",
            Self::Reinjection => "C-9",
        }
    }

    /// What it is about, in two words.
    pub const fn subject(self) -> &'static str {
        match self {
            Self::PlanGate => "plan gate",
            Self::CommitmentGate => "commitment gate",
            Self::Receipts => "receipts",
            Self::CompletionEvidence => "completion evidence",
            Self::KnowledgeLifecycle => "knowledge lifecycle",
            Self::VaultSeeding => "vault seeding",
            Self::Pinning => "constraint pinning",
            Self::DirectivePriority => "directive priority",
            Self::Reinjection => "re-injection",
        }
    }

    /// Whether a toolset without it is no suitable one (C-1 to C-6).
    pub fn is_required(self) -> bool {
        self <= Self::VaultSeeding
    }

    /// The least that a tool must expose for it.
    pub const fn primitive(self) -> &'static str {
        match self {
            Self::PlanGate => "a hook before each tool call that can deny it with a reason",
            Self::CommitmentGate => "an approval outside the agent for what can't be taken back",
            Self::Receipts => "the arguments and the result of each tool call",
            Self::CompletionEvidence => "a signal at the end of a turn or a session",
            Self::KnowledgeLifecycle => {
                "the logic that promotes and regenerates, and a feed of evidence for it"
            }
            Self::VaultSeeding => "copying files and regenerating the agents' instructions",
            Self::Pinning => "control over the context under compaction",
            Self::DirectivePriority => "a hook at each input and a way to review the output",
            Self::Reinjection => "a hook at each call that can add to the context",
        }
    }

    /// What holds no more where it is missing and not required.
    pub const fn degrades_to(self) -> Option<&'static str> {
        match self {
            Self::Pinning => Some("pinned rules are not enforced under compaction"),
            Self::DirectivePriority => Some("the output alone is reviewed"),
            Self::Reinjection => Some("rules are said again at tool calls alone"),
            _ => None,
        }
    }
}

impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
