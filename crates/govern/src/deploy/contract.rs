//! What a toolset has to meet the capability contracts with.
//!
//! Which toolset provides what is handed in as data; here is when a toolset is suitable.

pub use gate::contract::Contract as Id;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
            assert_eq!(name, id.id());
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
