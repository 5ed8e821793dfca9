//! What the probe observes of a target. Of what files say nothing comes into the report; programs are run with
//! `--version`, never with anything else.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agents::AgentId;
use gate::run::{Capture, Command, Input, Program, run};
use govern::deploy::contract::{Toolset, select};
use govern::deploy::probe::{Asked, Observed, Report, Start, report, version_in};
use govern::deploy::{FOLDER, VAULT, is_own, seed};
use govern::receipts::document::{self, Filter};
use store::git::Scratch;
use store::{Env, World, file};

use super::Place;
use super::engine::{NoEngine, engine};
use super::rehearsal::Rehearsal;
use super::toolsets::toolset;
use super::trials::SESSION;
use crate::commands::workspace::handover::is_executable;

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// The most of its answer that is read, in bytes.
const MOST: u64 = 4096;

/// The room that a deployment asks for, in bytes.
const ROOM: u64 = 64 * 1024 * 1024;

/// What a deployment may meet at the target, beside the governance folder.
const CONFLICTS: &[&str] = &[".opencode", ".claude", "AGENTS.md"];

/// The report on a target. `program` is the path of this program.
pub fn probe(world: &World, place: &Place, asked: &Asked, program: &Path) -> Report {
    report(&observe(world, place, asked, program))
}

fn observe(world: &World, place: &Place, asked: &Asked, program: &Path) -> Observed {
    let target = place.target();
    let programs = Programs { env: &world.env, target, run: asked.run };
    let toolsets = toolsets(world, place, &programs);
    let engine = engine(&programs, program);
    let agent = select(&toolsets, asked.agent.as_deref()).and_then(|toolset| AgentId::parse(&toolset.name));
    let obstacles = Rehearsal { world, place, program, asked, agent }.obstacles(&engine);
    let vault = asked.vault.as_deref().map(|vault| seed::look(Path::new(vault)));
    let is_known = place.desk.state().is_ok();
    Observed {
        target: target.display().to_string(),
        engine: format!("cairn {}", env!("CARGO_PKG_VERSION")),
        asked: asked.clone(),
        os: std::env::consts::OS.to_owned(),
        arch: std::env::consts::ARCH.to_owned(),
        node: programs.version("node"),
        npm: programs.version("npm"),
        git: programs.version("git"),
        toolsets,
        workspace: target.is_dir() && file::is_writable(target),
        governance: file::can_hold(target, &target.join(FOLDER)),
        vault,
        target_vault: file::can_hold(target, &target.join(VAULT)),
        key: file::can_hold(place.state.keys(), place.state.keys()),
        evidence: file::can_hold(place.state.folder(), place.state.folder()),
        state: is_known && file::has_room(target, ROOM).unwrap_or(true),
        engine_at: match engine {
            Ok(_) => Start::OnPath,
            Err(NoEngine::Nowhere) => Start::Nowhere,
            Err(why) => Start::Unfit(why.to_string()),
        },
        conflicts: conflicts(target),
        obstacles,
    }
}

fn conflicts(target: &Path) -> Vec<String> {
    let is_there = |name: &&&str| fs::symlink_metadata(target.join(name)).is_ok();
    let mut found: Vec<String> = CONFLICTS.iter().filter(is_there).map(|name| (*name).to_owned()).collect();
    let entries = fs::read_dir(target.join(FOLDER)).into_iter().flatten().flatten();
    let foreign = entries.filter(|entry| !entry.file_name().to_str().is_some_and(is_own)).count();
    if foreign > 0 {
        found.push(FOLDER.to_owned());
    }
    found.sort();
    found
}

/// The agents that are there, in a fixed order.
fn toolsets(world: &World, place: &Place, programs: &Programs<'_>) -> Vec<Toolset> {
    let home = world.env.get("HOME").map(PathBuf::from);
    let calls =
        document::list(&place.state, &Filter::default()).map(|list| list.receipts).unwrap_or_default();
    let mut found = Vec::new();
    // Both versions of opencode are one program, and its version tells which.
    for agent in AgentId::ALL.into_iter().filter(|agent| *agent != AgentId::OpenCode2) {
        let mut signs = Vec::new();
        let program = agent.programs().iter().find(|name| programs.find(name).is_some());
        if let Some(name) = program {
            signs.push(format!("`{name}` on the PATH"));
        }
        for folder in agent.folders() {
            if place.target().join(folder).is_dir() {
                signs.push(format!("`{folder}` in the project"));
            }
            if home.as_ref().is_some_and(|home| home != place.target() && home.join(folder).is_dir()) {
                signs.push(format!("`{folder}` in the home folder"));
            }
        }
        if signs.is_empty() {
            continue;
        }
        let version = program.and_then(|name| programs.version(name));
        let agent = agent.of_program(version.as_deref());
        let is_observed = calls.iter().any(|call| {
            let is_trial = call.session.as_deref().is_some_and(|session| session.starts_with(SESSION));
            call.decision.is_some() && call.agent.as_deref() == Some(agent.as_str()) && !is_trial
        });
        found.push(toolset(agent, version, signs, is_observed));
    }
    found
}

/// The programs on a `PATH`, without those that lie in the target or are named from nowhere.
pub(super) struct Programs<'a> {
    pub env: &'a Env,
    pub target: &'a Path,
    pub run: bool,
}

impl Programs<'_> {
    /// The file that a program on the target is started from by its name, wherever it lies.
    pub fn first(&self, name: &str) -> Option<PathBuf> {
        let folders = self.env.get("PATH").unwrap_or_default();
        std::env::split_paths(folders)
            .map(|folder| self.target.join(folder).join(name))
            .find(|file| is_executable(file))
    }

    /// Where a program lies.
    pub fn find(&self, name: &str) -> Option<PathBuf> {
        let folders = self.env.get("PATH").unwrap_or_default();
        std::env::split_paths(folders)
            .filter(|folder| folder.is_absolute() && !folder.starts_with(self.target))
            .map(|folder| folder.join(name))
            .find(|file| is_executable(file))
    }

    /// What a program says of its version, where it may be asked.
    pub fn version(&self, name: &str) -> Option<String> {
        if !self.run {
            return None;
        }
        let program = self.find(name)?;
        let scratch = Scratch::new(self.env).ok()?;
        let out = scratch.path("version");
        let command = Command {
            program: Program::Argv(vec![program.into_os_string(), OsString::from("--version")]),
            dir: out.parent()?.to_owned(),
            env: environment(self.env),
            stdin: Input::Null,
            deadline: Some(PATIENCE),
            capture: Capture::Split { stdout: out.clone(), stderr: scratch.path("error") },
        };
        let ran = run(&command).ok()?;
        let said = file::read_at_most(&out, MOST).ok()??;
        ran.success().then(|| version_in(&String::from_utf8_lossy(&said))).flatten()
    }
}

/// The environment of a program that is started, without git's own variables.
pub(super) fn environment(env: &Env) -> Vec<(OsString, OsString)> {
    let env = env.without_git();
    env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
