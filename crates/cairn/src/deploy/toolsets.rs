//! The agents that are there, and what each has for the capability contracts.

use agents::install::{Scope, targets};
use agents::{AgentId, Reach};
use gate::event::Moment;
use govern::deploy::contract::{Bridge, Contract, Id, Provided, Toolset};

/// What an agent has for each contract, from what is known of it.
pub fn contracts(agent: AgentId) -> Vec<Contract> {
    let known = agent.capabilities();
    let point = |moment| {
        let found = agent.points().iter().find(|point| point.moment == Some(moment));
        found.map(|point| point.name)
    };
    let reach = |reach, by: &str| match reach {
        Reach::Full => (Provided::Native, by.to_owned()),
        Reach::Partial => (Provided::Degraded, by.to_owned()),
        Reach::None => (Provided::Missing, "nothing".to_owned()),
    };
    let native = |name: &str| (Provided::Native, format!("`{name}`"));
    let nothing = || (Provided::Missing, "nothing".to_owned());
    let before = point(Moment::PreTool).unwrap_or("a hook before a call");
    let after = point(Moment::PostTool).unwrap_or("a hook after a call");
    let has_results = known.result == Reach::Full;
    let of = |id| match id {
        Id::PlanGate => reach(known.deny, &format!("`{before}`")),
        // Where nobody can be asked, the call is denied and a person lets it pass with a ticket.
        Id::CommitmentGate if known.deny == Reach::None => nothing(),
        Id::CommitmentGate if known.ask == Reach::Full => native(before),
        Id::CommitmentGate => {
            (Provided::Bridge, "a ticket, which a person grants with `cairn approve`".to_owned())
        }
        Id::Receipts => reach(known.result, &format!("`{after}`")),
        Id::CompletionEvidence => {
            point(Moment::Stop).or_else(|| point(Moment::SessionEnd)).map_or_else(nothing, native)
        }
        Id::KnowledgeLifecycle if !has_results => nothing(),
        Id::KnowledgeLifecycle => (Provided::Bridge, "cairn, fed by its receipts".to_owned()),
        Id::VaultSeeding => (Provided::Bridge, "cairn itself".to_owned()),
        Id::Pinning => point(Moment::Compact).map_or_else(nothing, native),
        Id::DirectivePriority => match (point(Moment::Prompt), point(Moment::Stop)) {
            (Some(prompt), Some(_)) if known.final_message == Reach::Full => native(prompt),
            (Some(prompt), _) => (Provided::Degraded, format!("`{prompt}` alone")),
            (None, Some(stop)) if known.final_message != Reach::None => {
                (Provided::Degraded, format!("`{stop}` alone"))
            }
            _ => nothing(),
        },
        Id::Reinjection if known.context_at_call == Reach::None && has_results => {
            (Provided::Degraded, format!("`{after}` alone"))
        }
        Id::Reinjection => reach(known.context_at_call, &format!("`{before}`")),
    };
    let contract = |id| {
        let (provided, by) = of(id);
        Contract { id, provided, by }
    };
    Id::ALL.into_iter().map(contract).collect()
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

    #[test]
    fn what_an_agent_has_no_point_for_degrades() {
        assert_eq!(of(AgentId::Claude).degrades(), []);
        assert_eq!(
            of(AgentId::Antigravity).degrades(),
            [Id::Pinning, Id::DirectivePriority, Id::Reinjection]
        );
        assert_eq!(of(AgentId::OpenCode).degrades(), [Id::Reinjection]);
    }
}
