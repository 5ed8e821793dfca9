//! What is installed.

use canon::jsonc::Document;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::ours::{self, Ours};
use super::place::{Kind, Scope};
use super::settings::{self, is_exact, wanted};
use super::{Target, bridge, called, install_command};
use crate::AgentId;

/// How an installation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Nothing calls cairn.
    Absent,
    /// Everything is as an installation of this version writes it.
    Installed,
    /// It calls cairn, in another way than an installation of this version would.
    Stale,
    /// The program that it calls can't be started.
    Broken,
    /// The agent's settings switch hooks off.
    Off,
    /// The file can't be read.
    Damaged,
}

/// What is installed in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Status {
    /// The agent.
    pub agent: AgentId,
    /// Whose settings.
    pub scope: Scope,
    /// The file: from the top of the work tree, or with `~/` from the person's home.
    pub path: String,
    /// How it stands.
    pub state: State,
    /// The program that is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What is wrong, one line each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// The command or the step that puts it right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cure: Option<String>,
}

impl Status {
    /// Whether cairn is meant to be called here and yet judges no call before it is made: a silently dead gate.
    pub fn is_silent(&self) -> bool {
        let before = self.agent.point("pre-tool").map_or("", |point| point.name);
        match self.state {
            State::Off | State::Broken | State::Damaged => true,
            State::Stale => self.problems.iter().any(|problem| *problem == missing(before)),
            State::Absent | State::Installed => false,
        }
    }
}

fn missing(event: &str) -> String {
    format!("`{event}` is missing")
}

/// What is installed in the file of `target`. `program` is what an installation would call, and `runs` tells whether
/// a program can be started.
pub fn status(
    target: &Target,
    existing: Option<&[u8]>,
    program: &str,
    runs: &dyn Fn(&str) -> bool,
) -> Status {
    let program = called(target, program);
    let mut status = Status {
        agent: target.agent,
        scope: target.scope,
        path: target.shown(),
        state: State::Absent,
        program: None,
        problems: Vec::new(),
        cure: Some(install_command(target.agent, target.scope)),
    };
    let Some(bytes) = existing else { return status };
    if let Kind::Bridge { version } = target.kind {
        of_bridge(&mut status, bytes, &bridge::text(version, program), program, runs);
        return status;
    }
    let text = match settings::utf8(target, bytes) {
        Ok(text) if settings::says_nothing(text) => return status,
        Ok(text) => text,
        Err(refusal) => return damaged(status, refusal.message),
    };
    let editor = match settings::open(target, text) {
        Ok(editor) => editor,
        Err(refusal) => {
            let line = refusal.at.and_then(|at| at.line).unwrap_or(1);
            return damaged(status, format!("line {line}: {}", refusal.message));
        }
    };
    of_settings(&mut status, target, editor.document(), program, runs);
    status
}

fn damaged(status: Status, problem: String) -> Status {
    let cure =
        format!("repair `{}`, then run `{}`", status.path, install_command(status.agent, status.scope));
    Status { state: State::Damaged, problems: vec![problem], cure: Some(cure), ..status }
}

fn of_bridge(status: &mut Status, bytes: &[u8], wanted: &str, program: &str, runs: &dyn Fn(&str) -> bool) {
    if !bridge::is_ours(bytes) {
        status.problems.push("a file that is not cairn's stands where the bridge belongs".to_owned());
        status.cure = Some(format!(
            "move `{}` away, then run `{}`",
            status.path,
            install_command(status.agent, status.scope)
        ));
        return;
    }
    let named = bridge::program(bytes);
    let started = named.clone().unwrap_or_else(|| program.to_owned());
    status.program = named;
    if !runs(&started) {
        broken(status, &started);
    } else if bytes == wanted.as_bytes() {
        status.state = State::Installed;
        status.cure = None;
    } else {
        status.state = State::Stale;
        status.problems.push("the bridge is not the one that this version writes".to_owned());
    }
}

fn of_settings(
    status: &mut Status,
    target: &Target,
    document: &Document,
    program: &str,
    runs: &dyn Fn(&str) -> bool,
) {
    let ours = ours::find(target, document);
    let wrapped = ours::wrapped(target, document);
    let is_doubled = !wrapped.is_empty();
    for line in wrapped {
        status
            .problems
            .push(format!("another entry calls cairn too, so that each call is judged twice: `{line}`"));
    }
    let Some(first) = ours.first() else {
        if is_doubled {
            status.cure = Some(format!(
                "remove that entry, then run `{}`",
                install_command(status.agent, status.scope)
            ));
        }
        return;
    };
    if let Kind::Hooks(_) = target.kind {
        status.program = Some(first.program.clone());
        if let Some(gone) = ours.iter().find(|entry| !runs(&entry.program)) {
            broken(status, &gone.program);
            return;
        }
    }
    if is_off(target, document) {
        status.state = State::Off;
        status.problems.push(format!("`{}` switches hooks off", target.shown()));
        status.cure = Some(format!("remove `disableAllHooks` or `enabled` from `{}`", target.shown()));
        return;
    }
    let wanted = wanted(target, program);
    if is_exact(document, &wanted, &ours) {
        status.state = State::Installed;
        status.cure = is_doubled.then(|| format!("remove the other entry from `{}`", target.shown()));
        return;
    }
    status.state = State::Stale;
    for (keys, _) in &wanted.elements {
        let list = format!("/{}", keys.join("/"));
        let event = keys.last().copied().unwrap_or_default();
        match ours.iter().filter(|entry| entry.list == list).count() {
            0 => status.problems.push(missing(event)),
            1 => {}
            count => status.problems.push(format!("`{event}` calls cairn {count} times")),
        }
    }
    let others: Vec<&Ours> = ours.iter().filter(|entry| entry.program != program).collect();
    if let Some(other) = others.first().filter(|_| matches!(target.kind, Kind::Hooks(_))) {
        status.problems.push(format!("it calls `{}`, not `{program}`", other.program));
    }
    if status.problems.is_empty() {
        status.problems.push("its entries are not those that this version writes".to_owned());
    }
}

fn broken(status: &mut Status, program: &str) {
    status.state = State::Broken;
    status.problems.push(format!("`{program}` can't be started"));
    if program == super::SHARED_PROGRAM {
        status.cure = Some("put `cairn` on the PATH of the agent".to_owned());
    }
}

fn is_off(target: &Target, document: &Document) -> bool {
    let says = |pointer: &str, value: bool| {
        document.find(pointer).is_some_and(|node| node.to_value() == Value::Bool(value))
    };
    match target.agent {
        AgentId::Antigravity => says("/cairn/enabled", false),
        _ => says("/disableAllHooks", true),
    }
}
