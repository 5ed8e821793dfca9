//! Rules that go beyond the shape: what names each other must be there, and what must be unique is.

use std::collections::HashMap;

use super::boxes::{BoxBlock, Factory, Service};
use super::model::{Declaration, Member};

/// A rule that the declaration breaks, and the value that breaks it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub pointer: String,
    pub message: String,
}

impl Broken {
    pub fn new(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), message: message.into() }
    }
}

type Judged = Result<(), Broken>;

/// No two entries have one name.
pub(super) fn names(declaration: &Declaration) -> Judged {
    let names = declaration.entries.iter().enumerate();
    unique(names.map(|(index, entry)| (entry.name(), format!("/members/{index}/name"))), |name, first| {
        format!("the name {name:?} is already used by the entry at {}", parent(first))
    })
}

/// Everything else.
pub(super) fn rest(declaration: &Declaration) -> Judged {
    kinds(declaration)?;
    for (index, member, block) in declaration.boxes() {
        let at = format!("/members/{index}/box");
        capabilities(member, block, &at)?;
        services(member, &block.services, &at)?;
    }
    factory(declaration)?;
    replicate(declaration)?;
    let diagrams = declaration.all_diagrams();
    let names = diagrams.iter().map(|found| (found.diagram.name.as_str(), format!("{}/name", found.pointer)));
    unique(names, |name, first| {
        format!("the diagram name {name:?} is already used by the diagram at {}", parent(first))
    })?;
    hosts(declaration)?;
    write_scope(declaration)?;
    agents(declaration)?;
    tier_sessions(declaration)?;
    green(declaration)
}

fn kinds(declaration: &Declaration) -> Judged {
    let kinds = declaration.kinds();
    unique(
        kinds.iter().map(|kind| (kind.path.as_str(), format!("{}/kind", kind.pointer))),
        |path, first| format!("the record kind {path} is already declared at {}", parent(first)),
    )?;
    let named = kinds.iter().filter_map(|kind| Some((kind.name?, format!("{}/name", kind.pointer))));
    unique(named, |name, first| {
        format!("the record kind name {name:?} is already given at {}", parent(first))
    })
}

fn capabilities(member: &Member, block: &BoxBlock, at: &str) -> Judged {
    let names = block.capabilities.iter().enumerate();
    unique(
        names
            .map(|(index, capability)| (capability.name.as_str(), format!("{at}/capabilities/{index}/name"))),
        |name, first| {
            format!(
                "the box of {} lists the capability {name} twice, first at {}",
                member.name,
                parent(first)
            )
        },
    )
}

fn services(member: &Member, services: &[Service], at: &str) -> Judged {
    let names = services.iter().enumerate();
    unique(
        names.map(|(index, service)| (service.name.as_str(), format!("{at}/services/{index}/name"))),
        |name, first| {
            format!("the box of {} has the service {name} twice, first at {}", member.name, parent(first))
        },
    )?;
    let mut routed = services.iter().enumerate().filter(|(_, service)| service.http_port.is_some());
    if let (Some((_, first)), Some((index, second))) = (routed.next(), routed.next()) {
        return Err(Broken::new(
            format!("{at}/services/{index}/httpPort"),
            format!("the services {} and {} both set httpPort; a box has one", first.name, second.name),
        ));
    }
    for (index, service) in services.iter().enumerate() {
        let known = |name: &String| services.iter().any(|other| other.name == *name);
        if let Some(missing) = service.needs.iter().position(|name| !known(name)) {
            return Err(Broken::new(
                format!("{at}/services/{index}/needs/{missing}"),
                format!(
                    "the service {} needs {:?}, which its box does not declare; declared services: {}",
                    service.name,
                    service.needs[missing],
                    listed(services.iter().map(|service| service.name.as_str()))
                ),
            ));
        }
    }
    match cycle(services) {
        Some((index, names)) => Err(Broken::new(
            format!("{at}/services/{index}/needs"),
            format!("services need each other in a circle: {}", names.join(" -> ")),
        )),
        None => Ok(()),
    }
}

/// A circle of services that need each other: the place of its first one, and the names up to that one again.
fn cycle(services: &[Service]) -> Option<(usize, Vec<String>)> {
    let place: HashMap<&str, usize> =
        services.iter().enumerate().map(|(index, service)| (service.name.as_str(), index)).collect();
    let mut done = vec![false; services.len()];
    for start in 0..services.len() {
        // The way from `start`, each service with the next of its needs to look at.
        let mut way = vec![(start, 0)];
        while let Some((at, next)) = way.last_mut() {
            let at = *at;
            let need = services[at].needs.get(*next).and_then(|name| place.get(name.as_str()));
            *next += 1;
            match need {
                None if services[at].needs.len() < *next => {
                    done[at] = true;
                    way.pop();
                }
                Some(&need) if !done[need] => {
                    if let Some(begin) = way.iter().position(|&(on_way, _)| on_way == need) {
                        let circle = way[begin..].iter().map(|&(index, _)| index).chain([need]);
                        return Some((need, circle.map(|index| services[index].name.clone()).collect()));
                    }
                    way.push((need, 0));
                }
                _ => {}
            }
        }
    }
    None
}

fn factory(declaration: &Declaration) -> Judged {
    let mut factories = declaration
        .boxes()
        .filter_map(|(index, member, block)| Some((index, member, block.factory.as_ref()?)));
    let Some((index, first, factory)) = factories.next() else { return Ok(()) };
    if let Some((index, second, _)) = factories.next() {
        return Err(Broken::new(
            format!("/members/{index}/box/factory"),
            format!("{} and {} both have a factory; a workspace has one", first.name, second.name),
        ));
    }
    let at = format!("/members/{index}/box/factory");
    for (index, name) in factory.builds.iter().enumerate() {
        known_member(declaration, name, "the factory builds", || format!("{at}/builds/{index}"))?;
    }
    if let Some(name) = &factory.builders {
        known_member(declaration, name, "the builders of the factory are", || format!("{at}/builders"))?;
    }
    tiers(factory, &at)
}

fn tiers(factory: &Factory, at: &str) -> Judged {
    if !factory.tiers.is_empty() && factory.builders.is_none() {
        return Err(Broken::new(
            format!("{at}/tiers"),
            "a factory with tiers needs builders, the member that declares the agents they name",
        ));
    }
    let mut answered: HashMap<(&str, Option<&str>), usize> = HashMap::new();
    for (index, tier) in factory.tiers.iter().enumerate() {
        let kinds: Vec<Option<&str>> = match &tier.kinds {
            Some(kinds) => kinds.iter().map(|kind| Some(kind.as_str())).collect(),
            None => vec![None],
        };
        for kind in kinds {
            if let Some(first) = answered.insert((&tier.tier, kind), index) {
                let which = kind.map_or_else(|| "every other kind".to_owned(), |kind| format!("kind {kind}"));
                return Err(Broken::new(
                    format!("{at}/tiers/{index}"),
                    format!("tiers/{first} already names the agent of tier {} for {which}", tier.tier),
                ));
            }
        }
    }
    Ok(())
}

fn tier_sessions(declaration: &Declaration) -> Judged {
    for (index, _, block) in declaration.boxes() {
        for (tier, entry) in block.factory.iter().flat_map(|factory| factory.tiers.iter().enumerate()) {
            let Some(session) = &entry.session else { continue };
            if !declaration.agents.iter().any(|agent| agent.name == *session) {
                return Err(Broken::new(
                    format!("/members/{index}/box/factory/tiers/{tier}/session"),
                    format!(
                        "{session:?} is no declared agent session; declared sessions: {}",
                        listed(declaration.agents.iter().map(|agent| agent.name.as_str()))
                    ),
                ));
            }
        }
    }
    Ok(())
}

fn replicate(declaration: &Declaration) -> Judged {
    let mut policies = declaration.boxes().filter(|(_, _, block)| block.replicate.is_some());
    if let (Some((_, first, _)), Some((index, second, _))) = (policies.next(), policies.next()) {
        return Err(Broken::new(
            format!("/members/{index}/box/replicate"),
            format!(
                "{} and {} both say where work in progress goes; a workspace has one remote for it",
                first.name, second.name
            ),
        ));
    }
    Ok(())
}

fn hosts(declaration: &Declaration) -> Judged {
    let names = declaration.hosts.iter().enumerate();
    unique(
        names.map(|(index, host)| (host.name.as_str(), format!("/hosts/{index}/name"))),
        |name, first| format!("the host name {name:?} is already used by the host at {}", parent(first)),
    )?;
    for (index, host) in declaration.hosts.iter().enumerate() {
        if host.ports.from > host.ports.to {
            return Err(Broken::new(
                format!("/hosts/{index}/ports"),
                format!(
                    "the ports of host {} begin at {}, behind their end {}",
                    host.name, host.ports.from, host.ports.to
                ),
            ));
        }
    }
    for (index, _, block) in declaration.boxes() {
        slot(declaration, block, &format!("/members/{index}/box"))?;
    }
    Ok(())
}

/// A box's block of ports lies in its host's range, and its ports lie in the block.
fn slot(declaration: &Declaration, block: &BoxBlock, at: &str) -> Judged {
    let (Some(name), Some(slot)) = (&block.host, block.slot) else { return Ok(()) };
    let Some(host) = declaration.hosts.iter().find(|host| host.name == *name) else {
        return Err(Broken::new(
            format!("{at}/host"),
            format!(
                "{name:?} is no declared host; declared hosts: {}",
                listed(declaration.hosts.iter().map(|host| host.name.as_str()))
            ),
        ));
    };
    let ports = host.ports;
    let slots = (ports.to - ports.from + 1) / ports.per_box;
    if slot >= slots {
        return Err(Broken::new(
            format!("{at}/slot"),
            format!("slot {slot} lies behind the ports of host {name}, which has {slots} slots (from 0)"),
        ));
    }
    for (port, offset) in &block.ports {
        if offset.as_u64().is_some_and(|offset| offset >= ports.per_box) {
            return Err(Broken::new(
                format!("{at}/ports/{port}"),
                format!(
                    "offset {offset} of port {port} lies outside its block; host {name} gives a box {} ports",
                    ports.per_box
                ),
            ));
        }
    }
    Ok(())
}

fn write_scope(declaration: &Declaration) -> Judged {
    for class in declaration.write_scope.iter().flat_map(|scope| scope.keys()) {
        let Some(super::policy::Reach::Members(members)) =
            declaration.scope_of(class).map(|scope| scope.members)
        else {
            continue;
        };
        for (index, name) in members.iter().enumerate() {
            known_member(declaration, name, &format!("writeScope.{class} names"), || {
                format!("/writeScope/{class}/members/{index}")
            })?;
        }
    }
    Ok(())
}

fn agents(declaration: &Declaration) -> Judged {
    let agents = || declaration.agents.iter().enumerate();
    unique(
        agents().map(|(index, agent)| (agent.name.as_str(), format!("/agents/{index}/name"))),
        |name, first| format!("the agent name {name:?} is already used by the agent at {}", parent(first)),
    )?;
    for (index, agent) in agents() {
        for (member, name) in agent.members.iter().enumerate() {
            known_member(declaration, name, &format!("agent {} is bound to", agent.name), || {
                if agent.single {
                    format!("/agents/{index}/member")
                } else {
                    format!("/agents/{index}/members/{member}")
                }
            })?;
        }
    }
    let principals = agents().flat_map(|(index, agent)| {
        let principals = agent.principals.iter().enumerate();
        principals
            .map(move |(at, principal)| (principal.as_str(), format!("/agents/{index}/principals/{at}")))
    });
    unique(principals, |principal, first| format!("the principal {principal:?} is already listed at {first}"))
}

fn green(declaration: &Declaration) -> Judged {
    let Some(green) = &declaration.ci.green else { return Ok(()) };
    match green.require.iter().position(|name| !green.phases.contains_key(name)) {
        Some(index) => Err(Broken::new(
            format!("/ci/green/require/{index}"),
            format!(
                "{:?} is no declared phase; declared phases: {}",
                green.require[index],
                listed(green.phases.keys().map(String::as_str))
            ),
        )),
        None => Ok(()),
    }
}

fn known_member(declaration: &Declaration, name: &str, who: &str, at: impl FnOnce() -> String) -> Judged {
    if declaration.member(name).is_some() {
        return Ok(());
    }
    let members = listed(declaration.members().map(|(_, member)| member.name.as_str()));
    Err(Broken::new(
        at(),
        format!("{who} {name:?}, which is no declared member; declared members: {members}"),
    ))
}

/// The first text that stands twice, told with the place where it stood first.
fn unique<'a>(
    texts: impl Iterator<Item = (&'a str, String)>,
    message: impl FnOnce(&str, &str) -> String,
) -> Judged {
    let mut seen: HashMap<&str, String> = HashMap::new();
    for (text, pointer) in texts {
        if let Some(first) = seen.get(text) {
            return Err(Broken::new(pointer, message(text, first)));
        }
        seen.insert(text, pointer);
    }
    Ok(())
}

fn parent(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or(pointer, |(parent, _)| parent)
}

fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
