//! Gates that are silently dead (WS-018): what shows that calls are made and nobody judges them.

use std::path::Path;

use agents::AgentId;
use agents::install::{self, Scope, State as Standing, Status};
use govern::State;
use store::World;

use super::canary;
use super::installed::Installed;

/// What shows at the beginning of a session, one sentence each.
pub(super) fn signs(state: &State, world: &World, agent: AgentId) -> Vec<String> {
    let mut signs = Vec::new();
    let canary = canary::ask(world);
    if !canary.alive {
        signs.push(format!("the gate does not judge: {}", canary.message));
    }
    signs.extend(settings(state, world, agent));
    signs
}

/// How the installations of the agent stand, in each of its files.
pub(super) fn installed(state: &State, world: &World, agent: AgentId) -> Vec<Status> {
    // Which program is called is of no weight here; that one is called and can be started is.
    let installed = Installed::new(state, world, Path::new(install::SHARED_PROGRAM));
    let targets =
        [Scope::Private, Scope::Shared].map(|scope| install::targets(agent, scope).unwrap_or_default());
    targets.iter().flatten().filter_map(|target| installed.status_of(target).ok()).collect()
}

/// Settings of the agent that are meant to call cairn before a call, and don't.
fn settings(state: &State, world: &World, agent: AgentId) -> Vec<String> {
    let found = installed(state, world, agent);
    let lives = found
        .iter()
        .any(|status| matches!(status.state, Standing::Installed | Standing::Stale) && !status.is_silent());
    let dead =
        found.into_iter().filter(|status| status.state == Standing::Off || status.is_silent() && !lives);
    dead.map(|status| {
        let problems = status.problems.join(", ");
        format!("`{}` does not let cairn judge calls: {problems}", status.path)
    })
    .collect()
}

/// The line that the agent, and through it the person, is told.
pub(super) fn critical(sign: &str, agent: AgentId) -> String {
    format!("CRITICAL: {sign}. Tell the person now; `cairn hook status {agent}` shows the cause and the cure")
}
