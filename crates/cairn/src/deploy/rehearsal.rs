//! What the steps of a deployment would refuse, found before anyone approves them: each step's own functions, asked
//! without writing.

use std::collections::BTreeMap;
use std::path::Path;

use agents::AgentId;
use gate::Refusal;
use govern::deploy::desk::{DeskError, HEALTH};
use govern::deploy::machine::Phase;
use govern::deploy::probe::{Asked, CheckId, Obstacle};
use govern::deploy::seed::{self, SeedError};
use govern::deploy::snapshot::Scope;
use govern::deploy::{FOLDER, VAULT};
use govern::knowledge::codes as knowledge_codes;
use govern::knowledge::regen::AGENTS;
use govern::knowledge::vault::Blocks;
use store::{World, file};

use super::engine::NoEngine;
use super::steps::{knowledge, put_aside, wiring};
use super::{Place, mending, trials};
use crate::codes;
use crate::hook::installed::Installed;

/// The steps as they would be taken.
pub(super) struct Rehearsal<'a> {
    pub world: &'a World,
    pub place: &'a Place,
    /// The path of this program.
    pub program: &'a Path,
    pub asked: &'a Asked,
    /// The agent that would be wired.
    pub agent: Option<AgentId>,
}

fn obstacle(check: CheckId, what: impl Into<String>, how: impl Into<String>) -> Obstacle {
    Obstacle { check, what: unquoted(&what.into()), how: how.into() }
}

/// A message without what it quotes, which may be of a file.
fn unquoted(message: &str) -> String {
    let parts = message.split('"').enumerate();
    parts.map(|(n, part)| if n % 2 == 0 { part } else { "\"…\"" }).collect()
}

/// A file that a parser does not take: of what the parser says the place alone is told, since it names what it found.
fn damaged(check: CheckId, path: &str, said: &str, how: impl Into<String>) -> Obstacle {
    let place = said.find("line ").map(|at| {
        let rest = &said[at + "line ".len()..];
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let line = &rest[..digits(rest)];
        let column = rest[line.len()..].strip_prefix(", column ").map(|text| &text[..digits(text)]);
        column.map_or_else(|| format!(": line {line}"), |column| format!(": line {line}, column {column}"))
    });
    obstacle(check, format!("`{path}` can't be read{}", place.unwrap_or_default()), how)
}

/// A refusal of a step as the probe tells it: without its facts, which may hold what a file says.
fn of(check: CheckId, refusal: &Refusal) -> Obstacle {
    let how = refusal.hint.as_deref().or(refusal.next.as_deref()).unwrap_or("mend it");
    obstacle(check, refusal.message.clone(), how)
}

impl Rehearsal<'_> {
    /// What is in the way, in the order of the steps.
    pub fn obstacles(&self, engine: &Result<std::path::PathBuf, NoEngine>) -> Vec<Obstacle> {
        let mut found = self.records();
        found.extend(self.snapshot());
        if let (Some(agent), Err(why)) = (self.agent, engine)
            && why.is_certain()
        {
            found.push(obstacle(CheckId::Toolset, format!("{agent} can't be wired: {why}"), why.cure()));
        }
        // What can't be put aside can't be made anew either: it is said once.
        let agents = self.place.target().join(AGENTS).display().to_string();
        let is_told = found.iter().any(|obstacle| obstacle.what.contains(&agents));
        found.extend(self.vault().into_iter().filter(|other| !is_told || !other.what.contains(&agents)));
        found.extend(self.wired());
        found
    }

    /// What the deployment and the gates have on record, and where they go on with it.
    fn records(&self) -> Vec<Obstacle> {
        let (desk, state) = (&self.place.desk, &self.place.state);
        let mut found = Vec::new();
        if let Err(error) = desk.state() {
            let how = mending(&error);
            found.push(match &error {
                DeskError::Damaged { path, why } => {
                    damaged(CheckId::Governance, &path.display().to_string(), why, how)
                }
                other => obstacle(CheckId::Governance, other.to_string(), how),
            });
        }
        if let Err(error) = desk.receipts() {
            found.push(obstacle(CheckId::Governance, error.to_string(), mending(&error)));
        }
        // Where the folder itself can't be written, the check says so.
        let is_writable = file::can_hold(self.place.target(), desk.folder());
        if let Err(error) = desk.check()
            && is_writable
            && found.is_empty()
        {
            found.push(obstacle(CheckId::Governance, error.to_string(), mending(&error)));
        }
        if let Err(damage) = trials::health(desk) {
            let path = format!("{FOLDER}/{HEALTH}");
            found.push(damaged(CheckId::Governance, &path, &damage, "mend the file, or take it away"));
        }
        if !file::can_hold(state.keys(), state.keys()) {
            let how = "set `XDG_STATE_HOME` or `HOME` to a folder of your own that can be written";
            found.push(obstacle(
                CheckId::Governance,
                "there is no place for the key that signs receipts",
                how,
            ));
        } else if !file::can_hold(state.folder(), state.folder()) {
            let what = format!(
                "the signed receipts have no place: `{}` can't be made or written",
                state.folder().display()
            );
            found.push(obstacle(CheckId::Governance, what, "make the folder one that can be written"));
        } else if let Err(refusal) = self.place.signed() {
            found.push(of(CheckId::Governance, &refusal));
        }
        found
    }

    fn snapshot(&self) -> Option<Obstacle> {
        let installed = Installed::new(&self.place.state, self.world, self.program);
        let others = match put_aside(self.place, &installed, self.agent) {
            Ok(others) => others,
            Err(refusal) => return Some(of(CheckId::Toolset, &refusal)),
        };
        let target = self.place.target();
        let scope = Scope { target, others: &others };
        if let Err(error) = scope.check() {
            return Some(error.obstacle(target));
        }
        // What a deployment leaves that ended in between is removed by the next one.
        let is_known = |phase: Phase| phase.has_changed() || matches!(phase, Phase::Done | Phase::Reported);
        let is_known = matches!(self.place.desk.state(), Ok(Some(state)) if is_known(state.phase));
        let is_left = scope.is_there().unwrap_or(false) && !is_known;
        is_left.then(|| {
            let what = format!("`{FOLDER}.bak` holds what a deployment put aside, and no state tells of it");
            let how = "bring back the state; or bring back what you need of it, as its `list.json` says what was where, and \
                       remove the folder";
            obstacle(CheckId::Workspace, what, how)
        })
    }

    fn wired(&self) -> Option<Obstacle> {
        let installed = Installed::new(&self.place.state, self.world, self.program);
        let agent = self.agent?;
        wiring(&installed, agent).err().map(|refusal| {
            let at = refusal.at.as_ref().map(|at| format!(" (`{}`)", at.path.display())).unwrap_or_default();
            let Obstacle { check, what, how } = of(CheckId::Toolset, &refusal);
            obstacle(check, format!("{agent} can't be wired: {what}{at}"), how)
        })
    }

    /// What keeps the vault from being seeded, or the instructions from being made anew from it.
    fn vault(&self) -> Vec<Obstacle> {
        let Some(source) = self.asked.vault.as_deref().map(Path::new) else { return Vec::new() };
        let target = self.place.target();
        let added = match seed::survey(source, target, &target.join(VAULT)) {
            Ok(survey) => survey.missing,
            Err(errors) => {
                // What of the source is not there the checks themselves tell.
                let is_told = |error: &&SeedError| !matches!(error, SeedError::Missing(_));
                return errors.iter().filter(is_told).map(|error| error.obstacle(source)).collect();
            }
        };
        match self.instructions(&added) {
            Ok(()) => Vec::new(),
            Err(refusals) => refusals.iter().map(|refusal| told(refusal, source, &added)).collect(),
        }
    }

    fn instructions(&self, added: &BTreeMap<String, Vec<u8>>) -> Result<(), Vec<Refusal>> {
        let one = |refusal| vec![refusal];
        let vault = knowledge(self.world, self.place).map_err(one)?;
        let future = vault.read_beforehand(added).map_err(one)?;
        if !future.damaged.is_empty() {
            return Err(future.damaged);
        }
        let planned = vault.plan(&future, &future.entries(), &[], Blocks::Both).map_err(one)?;
        vault.check(&planned).map_err(one)
    }
}

/// A refusal of the vault or the instructions; what is not copied yet is named by where it lies now.
fn told(refusal: &Refusal, source: &Path, added: &BTreeMap<String, Vec<u8>>) -> Obstacle {
    let at = refusal.at.as_ref().map(|at| at.path.to_string_lossy().into_owned()).unwrap_or_default();
    let name = at.strip_prefix(VAULT).map(|name| name.trim_start_matches('/'));
    let line =
        refusal.at.as_ref().and_then(|at| at.line).map(|line| format!("line {line}")).unwrap_or_default();
    if let Some(name) = name.filter(|name| added.contains_key(*name)) {
        let path = source.join(name).display().to_string();
        return damaged(
            CheckId::Content,
            &path,
            &line,
            "mend the file in the source vault, or move it out of it",
        );
    }
    let is = |code| refusal.code == code;
    if is(knowledge_codes::ENTRY_DAMAGED) {
        let how = "mend the file, as `cairn govern knowledge check` says what is wrong with it, or move it out of the vault";
        return damaged(CheckId::TargetVault, &at, &line, how);
    }
    if is(codes::POLICY_UNREADABLE) {
        let how = "mend the policy; until then every call is denied, and says why";
        return damaged(CheckId::TargetVault, govern::policy::PATH, &refusal.message, how);
    }
    if is(knowledge_codes::OVER_BUDGET) || is(knowledge_codes::HOLDS_SECRET) {
        return of(CheckId::Content, refusal);
    }
    let is_unwritten = is(knowledge_codes::NOT_WRITTEN);
    let is_agents = at == AGENTS || at.is_empty() && is_unwritten && refusal.message.contains(AGENTS);
    let is_in_workspace = is_agents || is(knowledge_codes::LESSON_LOST);
    let check = if is_in_workspace { CheckId::Workspace } else { CheckId::TargetVault };
    if is_unwritten && at.is_empty() {
        let how = "put a plain file that can be read and written in its place";
        return obstacle(check, refusal.message.clone(), how);
    }
    of(check, refusal)
}
