//! `audit`: the held-out set and the whole toolchain, output withheld (P7).
//!
//! The result is bound to the content of the tree and of the set; the gate before the next phase
//! ([`phase`](crate::phase)) asks whether both are still what was audited.

mod by_task;
mod run;

use canon::{Sha256, Timestamp};
use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::digest::{ContentDigest, changed_between};

use crate::code_size::{self, Measured};
use crate::codes;
use crate::content;
use crate::draft::Draft;
use crate::exec::Logs;
use crate::held_out::{HeldOut, HeldOutFile};
use crate::model::{Config, LastAudit};
use crate::session::Session;
use crate::source::language;
use crate::toolchain::{self, GateResult, Scope};
use crate::tree;

pub use by_task::TaskResult;

/// How something that was to be judged came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It couldn't be run, which is no pass.
    CouldNotRun,
    /// There was nothing to run.
    NotRun,
    /// It was run together with others, one of which failed.
    Unknown,
}

impl Outcome {
    /// Whether it keeps an audit from being green.
    pub fn is_red(self) -> bool {
        matches!(self, Self::Fail | Self::CouldNotRun)
    }
}

/// What became of the held-out set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct SetResult {
    /// How many files are locked.
    pub count: usize,
    /// Files that are not as they were locked, before or after the run.
    pub broken: Vec<HeldOutFile>,
    /// How its command came out; its output is withheld.
    pub outcome: Outcome,
    /// Why the command could not run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The digest over the set.
    pub digest: Sha256,
}

/// An audit.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Audit {
    /// When it was recorded, ISO 8601.
    pub at: Timestamp,
    /// Whether all of it holds.
    pub green: bool,
    /// It is green, and no test is held out, so that it says nothing about them.
    pub vacuous: bool,
    /// The tree that was audited.
    pub tree: tree::Judged,
    /// The content digest of that tree.
    pub digest: Sha256,
    /// The toolchain's gates, those that wait for a phase too, without what they wrote.
    pub gates: Vec<GateResult>,
    /// The held-out set.
    pub held_out: SetResult,
    /// What the set says of each task that names held-out files as its own.
    pub tasks: Vec<TaskResult>,
    /// How much code there is, and how many held-out tests it asks for.
    pub size: Measured,
    /// Files of the tree that changed while the audit ran.
    pub moved: Vec<String>,
    /// The command that comes next.
    pub next: String,
}

impl Audit {
    /// Whether there are held-out files that nothing ran. What was not shown never counts as passed.
    pub fn is_unrun(&self) -> bool {
        self.held_out.count > 0 && self.held_out.outcome == Outcome::NotRun
    }

    /// Whether the set is smaller than the code asks for.
    pub fn is_small(&self) -> bool {
        (self.held_out.count as u64) < self.size.floor
    }

    /// Red has a code of its own.
    pub fn exit(&self) -> Exit {
        if self.green { Exit::Done } else { Exit::Red }
    }
}

/// Judges the caller's tree and records the result.
///
/// # Errors
/// `spine-moved` where what is judged was configured anew meanwhile.
pub fn audit(session: &Session<'_>) -> Result<Audit, Refusal> {
    let config = session.config()?;
    let tasks = session.all_tasks()?;
    let set = HeldOut::of(session, &config)?;
    let judged = tree::here(session);
    let before = content::digest(session, &config, &judged.path)?;
    let size = code_size::measure(&config, &judged.path, &before)?;
    let examined = set.examine();
    let logs = Logs::create(session, "audit")?;
    let mut gates = toolchain::run_gates(session, &config, &judged.path, &logs, Scope::Phase)?;
    // A gate may run held-out tests and speak of them.
    for gate in &mut gates {
        gate.tail.clear();
    }
    let ran = run::run(session, &config, &set, &judged.path)?;
    let after = content::digest(session, &config, &judged.path)?;
    let mut broken: Vec<HeldOutFile> = examined.broken().cloned().collect();
    // The runner may have left a report in the folder, which must not make the audit stale at once.
    let examined_after = set.examine();
    for file in examined_after.broken().chain(&ran.elsewhere) {
        if !broken.iter().any(|known| known.path == file.path) {
            broken.push(file.clone());
        }
    }
    let outcome = ran.outcome();
    let tasks = by_task::results(&tasks, &set, &broken, &ran);
    let (digest, moved) = settle(&before, &after);
    let held_out = SetResult {
        count: set.locks.len(),
        outcome,
        cause: ran.cause,
        digest: examined_after.digest,
        broken,
    };
    let unrun = held_out.count > 0 && held_out.outcome == Outcome::NotRun;
    let green = held_out.broken.is_empty()
        && !unrun
        && !held_out.outcome.is_red()
        && !gates.iter().any(|gate| gate.result == toolchain::Outcome::Failed);
    let vacuous = green && held_out.count == 0;
    let mut audit = Audit {
        at: session.now(),
        green,
        vacuous,
        tree: judged,
        digest,
        gates,
        held_out,
        tasks,
        size,
        moved,
        next: next(session, &config, green, unrun),
    };
    session.write("audit", |draft| {
        refuse_moved(draft, &config)?;
        audit.at = draft.now();
        record(draft, &audit)
    })?;
    Ok(audit)
}

/// What comes after the audit: the phase that it opens, or the audit again once the set can run.
fn next(session: &Session<'_>, config: &Config, green: bool, unrun: bool) -> String {
    if unrun {
        session.cmd("audit")
    } else if green && config.protocol.regression.required {
        session.cmd("phase <phase>")
    } else {
        session.cmd("next")
    }
}

/// The digest that the result is bound to, and what moved while it was made.
///
/// Gates write reports. Those don't make the audit stale at once; code that moved under it does.
fn settle(before: &ContentDigest, after: &ContentDigest) -> (Sha256, Vec<String>) {
    let moved = changed_between(before, after);
    let is_code = |path: &store::git::RepoPath| {
        let name = String::from_utf8_lossy(path.as_bytes());
        language::is_code(name.rsplit('/').next().unwrap_or_default())
    };
    let digest = if moved.iter().any(is_code) { before.digest } else { after.digest };
    (digest, moved.iter().map(|path| String::from_utf8_lossy(path.as_bytes()).into_owned()).collect())
}

fn refuse_moved(draft: &Draft<'_, '_>, before: &Config) -> Result<(), Refusal> {
    let set = |config: &Config| {
        let regression = &config.protocol.regression;
        (regression.tests.clone(), regression.command.clone(), regression.dir.clone())
    };
    let commands = toolchain::commands_digest;
    if commands(draft.config()) == commands(before) && set(draft.config()) == set(before) {
        return Ok(());
    }
    Err(Refusal::new(
        codes::SPINE_MOVED,
        "the gates or the held-out set were configured anew while the audit ran",
    )
    .next(draft.session().cmd("audit")))
}

/// Puts the result into `chalk.json`, the event log and the chain of results.
fn record(draft: &mut Draft<'_, '_>, audit: &Audit) -> Result<(), Refusal> {
    let last = LastAudit {
        at: audit.at.to_string(),
        green: audit.green,
        size: audit.size.published,
        count: audit.held_out.count,
        digest: Some(audit.digest),
        held_out_digest: Some(audit.held_out.digest),
    };
    let value = serde_json::to_value(&last).unwrap_or_default();
    if draft.config().protocol.regression.last_audit.is_none() {
        draft.set_config(&["protocol".into(), "regression".into(), "lastAudit".into()], &value)?;
    } else {
        // Key by key: another program may keep more in it.
        for (key, value) in value.as_object().into_iter().flatten() {
            let path = ["protocol".into(), "regression".into(), "lastAudit".into(), key.as_str().into()];
            draft.set_config(&path, value)?;
        }
    }
    let title = match (audit.green, audit.vacuous) {
        (true, true) => "Audit green (vacuous)",
        (true, false) => "Audit green (held-out regression)",
        (false, _) => "Audit red (held-out regression)",
    };
    let description =
        format!("{} held out, {}", super::guard::files(audit.held_out.count), audit.size.in_words());
    draft.event("progress-update", title, &description, None);
    let body = json!(audit);
    let chain = draft.session().results()?;
    chain.append(draft.now(), "audit", body).map_err(|error| Refusal::new(codes::IO, error.to_string()))?;
    Ok(())
}
