//! The agents that are there, and what each has for the capability contracts.

use agents::install::{Scope, targets};
use agents::{AgentId, Standing};
use govern::deploy::contract::{Bridge, Contract, Id, Provided, Toolset};

/// What an agent has for each contract, from the one table of how they stand with it.
pub fn contracts(agent: AgentId) -> Vec<Contract> {
    let contract = |one: agents::Provision| {
        let provided = match (one.contract, one.standing) {
            // These cairn does itself, whatever the agent.
            (Id::KnowledgeLifecycle | Id::VaultSeeding, Standing::Native) => Provided::Bridge,
            (_, Standing::Native) => Provided::Native,
            // What a required contract lacks in the agent cairn makes up for: a ticket, where nobody is asked.
            (id, Standing::Degraded) if id.is_required() => Provided::Bridge,
            (_, Standing::Degraded) => Provided::Degraded,
            (_, Standing::Absent) => Provided::Missing,
        };
        Contract { id: one.contract, provided, by: one.by.to_owned() }
    };
    agent.contracts().into_iter().map(contract).collect()
}

/// An agent that is there.
pub fn toolset(agent: AgentId, version: Option<String>, found_by: Vec<String>, observed: bool) -> Toolset {
    let bridge = if targets(agent, Scope::Shared).is_ok() { Bridge::Shipped } else { Bridge::ToBeWritten };
    Toolset {
        name: agent.as_str().to_owned(),
        version,
        found_by,
        bridge,
        observed,
        contracts: contracts(agent),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent: AgentId) -> Toolset {
        toolset(agent, None, Vec::new(), false)
    }

    /// Every agent that can deny a call is suitable, since the ticket and the receipts are cairn's own.
    #[test]
    fn the_agents_that_are_installed_are_suitable() {
        for agent in AgentId::ALL {
            let toolset = of(agent);
            assert!(toolset.is_suitable(), "{agent} lacks {:?}", toolset.lacks());
            assert_eq!(toolset.contracts.len(), Id::ALL.len());
        }
        assert_eq!(of(AgentId::Claude).bridge, Bridge::Shipped);
        assert_eq!(of(AgentId::Droid).bridge, Bridge::Shipped);
        assert_eq!(of(AgentId::Generic).bridge, Bridge::ToBeWritten);
    }

    /// A table of its own said that opencode lacks C-9, which `cairn health` says it has.
    #[test]
    fn what_is_weaker_is_what_the_agents_table_says() {
        for agent in AgentId::ALL {
            let weaker = agent.degraded().into_iter().map(|one| one.contract).filter(|id| !id.is_required());
            assert_eq!(of(agent).degrades(), weaker.collect::<Vec<_>>(), "{agent}");
        }
        assert_eq!(of(AgentId::Claude).degrades(), []);
        assert_eq!(
            of(AgentId::Antigravity).degrades(),
            [Id::Pinning, Id::DirectivePriority, Id::Reinjection]
        );
        assert_eq!(of(AgentId::OpenCode).degrades(), []);
    }
}
