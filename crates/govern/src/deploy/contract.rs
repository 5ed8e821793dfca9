//! The capability contracts C-1 to C-9, and what a toolset has to meet them with.
//!
//! Which toolset provides what is handed in as data; here is what a contract is, and when a toolset is suitable.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A capability contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Id {
    /// The plan gate.
    #[serde(rename = "C-1")]
    PlanGate,
    /// The commitment gate.
    #[serde(rename = "C-2")]
    CommitmentGate,
    /// Receipts.
    #[serde(rename = "C-3")]
    Receipts,
    /// Completion evidence.
    #[serde(rename = "C-4")]
    CompletionEvidence,
    /// The lifecycle of knowledge.
    #[serde(rename = "C-5")]
    KnowledgeLifecycle,
    /// Seeding of the vault.
    #[serde(rename = "C-6")]
    VaultSeeding,
    /// Rules that stay under compaction.
    #[serde(rename = "C-7")]
    Pinning,
    /// The priority of directives.
    #[serde(rename = "C-8")]
    DirectivePriority,
    /// Rules that are said again after so many calls.
    #[serde(rename = "C-9")]
    Reinjection,
}

impl Id {
    /// Every contract.
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

    /// Its number, as in `C-1`.
    pub const fn as_str(self) -> &'static str {
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

    /// Whether a toolset without it is not suitable.
    pub const fn is_required(self) -> bool {
        !matches!(self, Self::Pinning | Self::DirectivePriority | Self::Reinjection)
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

/// How a contract is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Provided {
    /// By the toolset itself.
    Native,
    /// By what the deployment adds.
    Bridge,
    /// In part.
    Degraded,
    /// Not at all.
    Missing,
}

/// One contract of one toolset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Contract {
    /// Which.
    pub id: Id,
    /// How it is met.
    pub provided: Provided,
    /// With what.
    pub by: String,
}

/// What joins a toolset to the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Bridge {
    /// The engine has one and installs it.
    Shipped,
    /// It must be written.
    ToBeWritten,
}

/// A toolset that is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Toolset {
    /// Its name.
    pub name: String,
    /// Its version; none where it was not asked or did not say.
    pub version: Option<String>,
    /// By what it was found: programs and folders.
    pub found_by: Vec<String>,
    /// What joins it to the engine.
    pub bridge: Bridge,
    /// Its capability was observed here, not only declared.
    pub observed: bool,
    /// What it has for each contract. One that is not named is missing.
    pub contracts: Vec<Contract>,
}

impl Toolset {
    fn provided(&self, id: Id) -> Provided {
        let found = self.contracts.iter().find(|contract| contract.id == id);
        found.map_or(Provided::Missing, |contract| contract.provided)
    }

    /// The required contracts that it does not meet.
    pub fn lacks(&self) -> Vec<Id> {
        let is_met = |id: Id| matches!(self.provided(id), Provided::Native | Provided::Bridge);
        Id::ALL.into_iter().filter(|id| id.is_required() && !is_met(*id)).collect()
    }

    /// The optional contracts that it meets in part or not at all.
    pub fn degrades(&self) -> Vec<Id> {
        let is_met = |id: Id| matches!(self.provided(id), Provided::Native | Provided::Bridge);
        Id::ALL.into_iter().filter(|id| !id.is_required() && !is_met(*id)).collect()
    }

    /// Whether it meets every required contract.
    pub fn is_suitable(&self) -> bool {
        self.lacks().is_empty()
    }
}

/// The toolset that a deployment uses: of the suitable ones the one that was asked for, else one that was observed, else
/// one whose bridge is shipped, else the first.
pub fn select<'a>(toolsets: &'a [Toolset], wanted: Option<&str>) -> Option<&'a Toolset> {
    let suitable = || toolsets.iter().filter(|toolset| toolset.is_suitable());
    if let Some(wanted) = wanted {
        return suitable().find(|toolset| toolset.name == wanted);
    }
    suitable()
        .find(|toolset| toolset.observed && toolset.bridge == Bridge::Shipped)
        .or_else(|| suitable().find(|toolset| toolset.bridge == Bridge::Shipped))
        .or_else(|| suitable().next())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A toolset that has everything.
    pub(crate) fn whole(name: &str) -> Toolset {
        let contract = |id| Contract { id, provided: Provided::Native, by: "a hook".to_owned() };
        Toolset {
            name: name.to_owned(),
            version: Some("2.1.0".to_owned()),
            found_by: vec!["a program on the PATH".to_owned()],
            bridge: Bridge::Shipped,
            observed: true,
            contracts: Id::ALL.into_iter().map(contract).collect(),
        }
    }

    /// The same without one contract.
    pub(crate) fn without(id: Id, provided: Provided) -> Toolset {
        let mut toolset = whole("claude");
        for contract in toolset.contracts.iter_mut().filter(|contract| contract.id == id) {
            contract.provided = provided;
        }
        toolset
    }

    /// CV-10: without one of C-1 to C-6 a toolset is not suitable; without one of the others it is, and says what for.
    #[test]
    fn each_required_contract_alone_decides() {
        for id in Id::ALL {
            for provided in [Provided::Missing, Provided::Degraded] {
                let toolset = without(id, provided);
                assert_eq!(toolset.is_suitable(), !id.is_required(), "{id:?}");
                assert_eq!(toolset.degrades().is_empty(), id.is_required(), "{id:?}");
                assert_eq!(id.degrades_to().is_some(), !id.is_required());
            }
            assert!(without(id, Provided::Bridge).is_suitable());
            let unnamed = Toolset { contracts: Vec::new(), ..whole("x") };
            assert!(!unnamed.is_suitable(), "what is not said is not there");
            let name = serde_json::to_value(id).unwrap();
            assert_eq!(name, id.as_str());
        }
    }

    #[test]
    fn one_that_was_asked_for_or_observed_goes_first() {
        let declared = Toolset { observed: false, ..whole("codex") };
        let unwritten = Toolset { bridge: Bridge::ToBeWritten, ..whole("droid") };
        let unfit = Toolset { contracts: Vec::new(), ..whole("old") };
        let all = [unfit, unwritten, declared, whole("claude")];
        let name = |wanted| select(&all, wanted).map(|toolset| toolset.name.as_str());
        assert_eq!(name(None), Some("claude"));
        assert_eq!(name(Some("droid")), Some("droid"));
        assert_eq!(name(Some("old")), None);
        assert_eq!(select(&all[..3], None).unwrap().name, "codex");
        assert_eq!(select(&all[..2], None).unwrap().name, "droid");
        assert_eq!(select(&all[..1], None), None);
    }
}
