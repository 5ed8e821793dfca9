//! Trying what was deployed on the target: the hook that the agent's settings name is run with a call that must be denied
//! and one that must not, and the receipts must hold both.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use agents::install::{Scope, installed_call, targets};
use agents::{AgentId, Trial, denies};
use canon::Sha256;
use gate::event::{Decision, Moment};
use gate::run::{Capture, Command, End, Input, Program, run};
use govern::deploy::desk::{Desk, HEALTH};
use govern::deploy::receipt::{Entry, Kind, Outcome};
use govern::evidence::Count;
use govern::knowledge::regen::AGENTS;
use govern::receipts::{Kind as Line, Receipt, document, key, verify};
use serde_json::{Map, Value, json};
use store::file;
use store::git::Scratch;

use super::agent;
use super::gather::environment;
use super::steps::Work;
use crate::hook::installed::Installed;

/// With what the session of a trial begins.
pub(super) const SESSION: &str = "deploy-trial-";

/// What a denied call would write.
const CANARY: &str = ".git/cairn-canary";

/// How long the hook may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a hook is asked that has no time to judge on a busy machine. One that does not judge never does.
const ATTEMPTS: u32 = 3;

/// The most of an answer that is read, in bytes.
const MOST: u64 = 64 * 1024;

/// Tries one thing.
type Check = fn(&Trials<'_>) -> Result<Entry, String>;

/// What was tried and what came of it; a check that fails ends the row.
pub(super) fn tried(work: &Work<'_>, deployment: u32) -> Vec<Entry> {
    let trials = match Trials::new(work, deployment) {
        Ok(trials) => trials,
        Err(fact) => return vec![failed("denied-call", fact)],
    };
    let checks: [(&str, Check); 5] = [
        ("denied-call", |trials| trials.denied()),
        ("allowed-call", |trials| trials.allowed()),
        ("receipts", |trials| trials.receipts()),
        ("negative-control", |trials| trials.control()),
        ("idle-pass", |trials| trials.idle()),
    ];
    let mut entries = Vec::new();
    for (name, check) in checks {
        match check(&trials) {
            Ok(entry) => entries.push(entry),
            Err(fact) => {
                entries.push(failed(name, fact));
                break;
            }
        }
    }
    entries
}

fn entry(name: &str, fact: impl Into<String>) -> Entry {
    Entry::new(Kind::Check, name, fact)
}

fn failed(name: &str, fact: String) -> Entry {
    entry(name, fact).outcome(Outcome::Failed)
}

/// Whether a receipt is of the denial that is looked for: by its own rule, with what proves that nothing happened.
fn is_denied(line: &Receipt) -> bool {
    line.kind == Line::Judged
        && line.decision == Some(Decision::Deny)
        && line.rule.as_deref() == Some("cairn:git")
        && line.non_execution.is_some()
        && line.args_hash.is_some()
}

/// The counters that are there.
///
/// # Errors
/// They are damaged.
pub(super) fn health(desk: &Desk) -> Result<Map<String, Value>, String> {
    let Some(bytes) = desk.read(HEALTH).map_err(|error| error.to_string())? else { return Ok(Map::new()) };
    canon::json::read(&bytes).map_err(|damage| format!("{HEALTH} is damaged: {damage}"))
}

struct Trials<'a> {
    work: &'a Work<'a>,
    agent: AgentId,
    deployment: u32,
    session: String,
    /// The files that the installation writes, with their targets.
    settings: Vec<(agents::install::Target, PathBuf)>,
}

struct Said {
    exit: i32,
    stdout: String,
}

impl<'a> Trials<'a> {
    fn new(work: &'a Work<'a>, deployment: u32) -> Result<Self, String> {
        let said = |refusal: gate::Refusal| refusal.message;
        let agent = agent(&work.plan.toolset).map_err(said)?;
        let installed = Installed::new(&work.place.state, work.world, work.program);
        let mut settings = Vec::new();
        for target in targets(agent, Scope::Shared).map_err(said)? {
            let path = installed.path(&target).map_err(said)?;
            settings.push((target, path));
        }
        // Of its own for each time, since a trial that was broken off left receipts too.
        let session = work.world.new_id(&format!("{SESSION}{deployment}"));
        Ok(Self { work, agent, deployment, session, settings })
    }

    /// Runs the hook that is installed for an event.
    fn ask(&self, event: &str, moment: Moment, call: &str, command: &str) -> Result<Said, String> {
        let mut words = None;
        for (target, path) in &self.settings {
            let bytes = file::read(path).map_err(|error| error.to_string())?.unwrap_or_default();
            words = words.or_else(|| installed_call(target, &bytes, event));
        }
        let words =
            words.ok_or_else(|| format!("the settings of `{}` call nothing at {event}", self.agent))?;
        let cwd = self.work.place.target();
        let shown = cwd.to_string_lossy();
        let trial = Trial { session: &self.session, call, command, cwd: &shown };
        let payload = self.agent.trial(moment, &trial);
        let payload = payload.ok_or_else(|| format!("`{}` tells nothing at {event}", self.agent))?;
        let scratch = Scratch::new(&self.work.world.env).map_err(|error| error.to_string())?;
        let out = scratch.path("out");
        let shown = words.join(" ");
        let command = Command {
            program: Program::Argv(words.into_iter().map(OsString::from).collect()),
            dir: cwd.to_owned(),
            env: environment(&self.work.world.env),
            stdin: Input::Bytes(payload.to_string().into_bytes()),
            deadline: Some(PATIENCE),
            capture: Capture::Split { stdout: out.clone(), stderr: scratch.path("err") },
        };
        let ran = run(&command).map_err(|error| error.to_string())?;
        let End::Exited(exit) = ran.end else {
            return Err(format!("`{shown}` did not end: {}", ran.cause()));
        };
        let stdout = file::read_at_most(&out, MOST).map_err(|error| error.to_string())?.unwrap_or_default();
        Ok(Said { exit, stdout: String::from_utf8_lossy(&stdout).into_owned() })
    }

    fn denied(&self) -> Result<Entry, String> {
        for attempt in 0..ATTEMPTS {
            let command = format!("echo canary > {CANARY}");
            let said = self.ask("pre-tool", Moment::PreTool, &format!("denied-{attempt}"), &command)?;
            if !denies(said.exit, &said.stdout) {
                return Err(format!("a write to {CANARY} was not denied"));
            }
            if self.work.place.target().join(CANARY).exists() {
                return Err(format!("{CANARY} is there, though the write was denied"));
            }
            if self.has(is_denied)? {
                let fact = format!("a write to {CANARY} is denied");
                return Ok(entry("denied-call", fact).result(Sha256::of(said.stdout)));
            }
        }
        Err(format!("a write to {CANARY} was denied, and by no rule that keeps it"))
    }

    fn allowed(&self) -> Result<Entry, String> {
        let command = format!("cat {AGENTS}");
        let mut last = String::new();
        for attempt in 0..ATTEMPTS {
            let call = format!("allowed-{attempt}");
            let said = self.ask("pre-tool", Moment::PreTool, &call, &command)?;
            if said.exit != 0 || denies(said.exit, &said.stdout) {
                last = said.stdout;
                continue;
            }
            let after = self.ask("post-tool", Moment::PostTool, &call, &command)?;
            if after.exit != 0 {
                return Err(format!("the result of `{command}` was not taken: exit code {}", after.exit));
            }
            if self.has(|line| line.kind == Line::Seen)? {
                let fact = format!("`{command}` is allowed");
                return Ok(entry("allowed-call", fact).result(Sha256::of(said.stdout)));
            }
        }
        Err(format!(
            "`{command}` was not allowed, or left no receipt: {}",
            canon::text::clip(last.trim(), 200)
        ))
    }

    /// Whether the trial left such a receipt.
    fn has(&self, is_it: impl Fn(&Receipt) -> bool) -> Result<bool, String> {
        let (lines, _) = self.log()?;
        Ok(self.own(&lines).into_iter().any(is_it))
    }

    /// The log's lines and what a check of it finds.
    fn log(&self) -> Result<(Vec<Receipt>, verify::Verification), String> {
        let state = &self.work.place.state;
        let keys = key::known(state.keys()).map_err(|error| error.to_string())?;
        let found = verify::verify(state, &keys).map_err(|error| error.to_string())?;
        let log = document::export(state, &keys).map_err(|error| error.to_string())?;
        Ok((log.receipts, found))
    }

    fn own<'l>(&self, lines: &'l [Receipt]) -> Vec<&'l Receipt> {
        lines.iter().filter(|line| line.session.as_deref() == Some(&self.session)).collect()
    }

    fn receipts(&self) -> Result<Entry, String> {
        let (lines, found) = self.log()?;
        if let Some(fault) = &found.fault {
            return Err(format!("the receipts are broken at {fault}"));
        }
        let own = self.own(&lines);
        let denied =
            own.iter().find(|line| is_denied(line)).ok_or("the denied call has no receipt of its rule")?;
        let judged =
            own.iter().find(|line| line.kind == Line::Judged && line.decision != Some(Decision::Deny));
        let judged = judged.ok_or("the allowed call has no receipt")?;
        let seen = own.iter().find(|line| line.kind == Line::Seen && line.parent_seq == Some(judged.seq));
        let seen = seen
            .filter(|line| line.result_hash.is_some())
            .ok_or("the allowed call's result has no receipt")?;
        let fact = format!(
            "receipts {}, {} and {} are signed and in one whole chain of {}",
            denied.seq, judged.seq, seen.seq, found.lines
        );
        Ok(entry("receipts", fact).result(found.head))
    }

    /// What must fail where the gate is not: a changed receipt is found, and an entry that is switched off denies nothing.
    fn control(&self) -> Result<Entry, String> {
        let state = &self.work.place.state;
        let keys = key::known(state.keys()).map_err(|error| error.to_string())?;
        let mut bytes = file::read(&state.receipts()).map_err(|error| error.to_string())?.unwrap_or_default();
        let beside = verify::Beside::default();
        if !verify::bytes_of(&bytes, &beside, &keys).sound {
            return Err("the receipts are not whole without their head".to_owned());
        }
        let middle = bytes.len() / 2;
        if let Some(byte) = bytes.get_mut(middle) {
            *byte ^= 1;
        }
        if verify::bytes_of(&bytes, &beside, &keys).sound {
            return Err("a changed receipt was not found".to_owned());
        }
        let (target, path) = self.settings.first().ok_or("nothing is installed")?;
        let live = file::read(path).map_err(|error| error.to_string())?;
        let installed = Installed::new(state, self.work.world, self.work.program);
        let without =
            installed.plan_uninstall(self.agent, Scope::Shared).map_err(|refusal| refusal.message)?;
        let off = without.first().and_then(|step| step.edit.after.clone()).unwrap_or_default();
        if installed_call(target, &off, "pre-tool").is_some() {
            return Err("settings without the hook still call it".to_owned());
        }
        let fact = "one changed byte of a receipt is found; without the installed entry nothing is called";
        Ok(entry("negative-control", fact).args(Sha256::of(live.unwrap_or_default())).result(Sha256::of(off)))
    }

    fn idle(&self) -> Result<Entry, String> {
        self.baseline()?;
        for _ in 0..ATTEMPTS {
            let said = self.ask("stop", Moment::Stop, "idle", "")?;
            if said.exit != 0 {
                return Err(format!("the end of a turn was refused: exit code {}", said.exit));
            }
            if self.has(|line| line.kind == Line::Checkpoint)? {
                break;
            }
        }
        let (lines, found) = self.log()?;
        if let Some(fault) = &found.fault {
            return Err(format!("after the idle pass the receipts are broken at {fault}"));
        }
        let own = self.own(&lines);
        let checkpoint = own.iter().find(|line| line.kind == Line::Checkpoint);
        let checkpoint = checkpoint.ok_or("the idle pass left no checkpoint")?;
        let fact = format!("the idle pass attests the chain at receipt {}", checkpoint.seq);
        Ok(entry("idle-pass", fact).result(found.head))
    }

    /// The counters before the first idle pass. Those of a trial that was broken off stay.
    fn baseline(&self) -> Result<(), String> {
        let desk = &self.work.place.desk;
        let mut health = health(desk)?;
        let run = Value::from(self.deployment);
        if health.get("baseline").is_some_and(|baseline| baseline["run"] == run) {
            return Ok(());
        }
        let (lines, found) = self.log()?;
        let claims = |count| {
            let of =
                |line: &Receipt| line.evidence.as_ref().and_then(|found| found.counts.get(&count).copied());
            lines.iter().filter_map(of).sum::<u64>()
        };
        let denied = lines.iter().filter(|line| line.decision == Some(Decision::Deny)).count();
        health.entry("schema").or_insert_with(|| 1.into());
        let baseline = json!({
            "run": run,
            "at": self.work.world.now(),
            "receipts": found.lines,
            "denied": denied,
            "checkpoints": found.checkpoints,
            "claims_verified": claims(Count::ClaimsVerified),
            "claims_total": claims(Count::ClaimsTotal),
        });
        health.insert("baseline".to_owned(), baseline);
        let text = format!("{}\n", canon::json::pretty(&Value::Object(health)));
        desk.write(HEALTH, &text).map_err(|error| error.to_string())
    }
}
