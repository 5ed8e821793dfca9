//! The configured commands and the gates that they are: verify, review, executor, levers.

use std::fs;
use std::path::{Path, PathBuf};

use gate::family::{self, Same};
use gate::{Level, Refusal};

use super::{Cure as _, Findings, Patient, Profile, few};
use crate::board::{Board, Group};
use crate::contract::{self, Outcome};
use crate::model::{Cadence, Strictness, Task};
use crate::session::{self, Naming};

/// How much of a wrapper script is read.
const SCRIPT: u64 = 64 * 1024;

pub(super) fn check(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let runnable = runnable(patient);
    toolchain(patient, &runnable, findings);
    without_test(patient, &runnable, findings);
    review(patient, findings);
    families(patient, findings);
    if patient.profile == Profile::Unattended {
        alone(patient, findings);
    }
    levers(patient, findings);
    telemetry(patient, findings);
}

/// Tasks that are being worked on or can be started.
fn runnable<'p>(patient: &'p Patient<'_, '_>) -> Vec<&'p Task> {
    let Ok(tasks) = patient.session.tasks() else { return Vec::new() };
    let Ok(heads) = tasks.heads() else { return Vec::new() };
    let board = Board::new(&heads);
    let places = board.of(Group::InProgress).chain(board.of(Group::Ready));
    places.filter_map(|place| patient.tasks.get(place)).collect()
}

/// Without a reviewer, what is not tested is not judged at all.
fn unjudged(patient: &Patient<'_, '_>) -> Level {
    if patient.config.protocol.cadence().is_empty() { Level::Fail } else { Level::Warn }
}

fn toolchain(patient: &Patient<'_, '_>, runnable: &[&Task], findings: &mut Findings) {
    let protocol = &patient.config.protocol;
    let gates: Vec<&str> =
        protocol.verify.iter().filter(|gate| !gate.cmd.is_empty()).map(|gate| gate.name.as_str()).collect();
    if !gates.is_empty() {
        return findings.ok("verify", format!("gates: {}", gates.join(", ")));
    }
    let level = if runnable.is_empty() { Level::Info } else { unjudged(patient) };
    findings
        .add("verify", level, "no gate has a command, so every verify is green and vacuous")
        .cured_by("set `protocol.verify.test` in `.chalk/chalk.json`");
}

fn without_test(patient: &Patient<'_, '_>, runnable: &[&Task], findings: &mut Findings) {
    let bare: Vec<&str> =
        runnable.iter().filter(|task| task.tests.is_empty()).map(|task| task.display_id()).collect();
    let Some(first) = bare.first() else { return };
    let cure = patient.session.cmd(&format!("spec {first} --test PATH"));
    let msg = format!("tasks that can be worked on and have no locked test: {}", few(bare.clone()));
    findings.add("tests", unjudged(patient), msg).cured_by(cure);
}

fn review(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let protocol = &patient.config.protocol;
    let unknown: Vec<&str> = protocol
        .review
        .required_at
        .iter()
        .map(String::as_str)
        .filter(|word| Cadence::parse(word).is_none())
        .collect();
    if !unknown.is_empty() {
        findings
            .warn(
                "review",
                format!("`protocol.review.requiredAt` has words that say nothing: {}", few(unknown)),
            )
            .cured_by("the words are per-task, milestone-boundary and phase-advance");
    }
    let command = protocol.review.command.trim();
    if !protocol.cadence().is_empty() && command.is_empty() {
        let level = patient.unattended(Level::Warn);
        findings
            .add(
                "review",
                level,
                "a review is required, and no reviewer is set: only reviews by hand can meet it",
            )
            .cured_by("set `protocol.review.command`, best to another model than the executor");
    } else if !command.is_empty() {
        findings.ok("review", "a reviewer is set");
    }
}

/// A reviewer of the executor's own family shares its blind spots (P5).
fn families(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let protocol = &patient.config.protocol;
    let (Some(executor), Some(reviewer)) =
        (protocol.command(&protocol.executor.command), protocol.command(&protocol.review.command))
    else {
        return;
    };
    let read = |path: &Path| script(patient, path);
    match family::compare(&executor, &reviewer, &read) {
        Same::No => findings.ok("family", "executor and reviewer are of different model families"),
        Same::Yes => findings
            .warn("family", "executor and reviewer are of the same model family")
            .cured_by("let another model review"),
        Same::CannotTell => {
            findings.info(
                "family",
                "the commands don't tell whether executor and reviewer are of one model family",
            );
        }
    }
}

/// The text of a script that a command names: relative to the tree, or on the `PATH`.
fn script(patient: &Patient<'_, '_>, path: &Path) -> Option<String> {
    let world = patient.session.world;
    let bare = path.components().count() == 1 && !path.is_absolute();
    let found = if bare {
        let folders = world.env.get("PATH").map(|path| std::env::split_paths(path).collect::<Vec<PathBuf>>());
        folders.unwrap_or_default().into_iter().map(|folder| folder.join(path)).find(|file| file.is_file())
    } else {
        Some(patient.session.spine.tree.join(path)).filter(|file| file.is_file())
    }?;
    if fs::metadata(&found).ok()?.len() > SCRIPT {
        return None;
    }
    String::from_utf8(fs::read(found).ok()?).ok()
}

/// What must be there when nobody is.
fn alone(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let protocol = &patient.config.protocol;
    if protocol.executor.command.trim().is_empty() {
        findings.fail("executor", "no executor is set").cured_by("set `protocol.executor.command`");
    } else {
        findings.ok("executor", "an executor is set");
    }
    if protocol.cadence().is_empty() {
        findings
            .fail("review", "no review is required, so nobody but the executor judges the change")
            .cured_by("set `protocol.review.requiredAt` to [\"per-task\"]");
    }
    let timeouts = &protocol.timeouts;
    let endless = [("gate", timeouts.gate), ("review", timeouts.review), ("executor", timeouts.executor)];
    let endless: Vec<&str> =
        endless.iter().filter(|(_, seconds)| *seconds == 0).map(|(name, _)| *name).collect();
    if !endless.is_empty() {
        findings
            .warn("timeouts", format!("commands that may hang for ever: {}", few(endless)))
            .cured_by("give `protocol.timeouts` a number of seconds");
    }
    if let Err(refusal) = remote(patient, findings) {
        findings.refused("remote", Level::Fail, &refusal);
    }
}

fn remote(patient: &Patient<'_, '_>, findings: &mut Findings) -> Result<(), Refusal> {
    let Some(git) = patient.session.git(&patient.session.spine.root) else {
        findings.fail("remote", "there is no git repository to keep the work in").cured_by("git init");
        return Ok(());
    };
    if git.config("remote.origin.url").map_err(session::git)?.is_none() {
        findings
            .fail("remote", "there is no remote `origin`: the work exists on this machine alone")
            .cured_by("git remote add origin URL");
        return Ok(());
    }
    let base = &patient.config.protocol.github.base;
    let found = git.resolve(&format!("refs/remotes/origin/{base}")).map_err(session::git)?;
    if found.is_none() {
        findings
            .warn("remote", format!("`origin` has no branch `{base}`, as far as is known here"))
            .cured_by(format!(
                "git fetch origin, or set `protocol.github.base` to another branch than `{base}`"
            ));
    } else {
        findings.ok("remote", format!("changes are measured against `origin/{base}`"));
    }
    Ok(())
}

/// The gates that are off, by choice.
fn levers(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let protocol = &patient.config.protocol;
    let off = [
        ("review", protocol.cadence().is_empty()),
        ("requireTest", !protocol.require_test),
        ("breakTest", protocol.break_test.trim().is_empty()),
        ("mutation", protocol.mutation.trim().is_empty()),
        ("regression.required", !protocol.regression.required),
        ("integrity all-locks", !protocol.all_locks()),
        ("tamperEvident refuse", protocol.tamper_evident == Strictness::Warn),
    ];
    let off: Vec<&str> = off.iter().filter(|(_, off)| *off).map(|(name, _)| *name).collect();
    if !off.is_empty() {
        findings.info("levers", format!("off: {}", off.join(", ")));
    }
    if !matches!(protocol.integrity.as_str(), "in-progress" | "all-locks") {
        findings
            .warn(
                "levers",
                format!("`protocol.integrity` is `{}`, which counts as in-progress", protocol.integrity),
            )
            .cured_by("the words are in-progress and all-locks");
    }
}

/// Other programs send data where this is on; this one never does.
fn telemetry(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let text = patient.session.read_text("chalk.json").unwrap_or_default();
    let config: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    if config.pointer("/protocol/telemetry/enabled") == Some(&serde_json::Value::Bool(true)) {
        findings.info("telemetry", "it is on in `.chalk/chalk.json`; nothing is ever sent from here");
    }
}

/// The contract that agents read: there, whole, and the text of this program.
pub(super) fn contract(patient: &Patient<'_, '_>, naming: Naming, findings: &mut Findings) {
    let install = patient.session.cmd("agents");
    let files = match contract::check(&patient.session.spine.root, naming) {
        Ok(files) => files,
        Err(refusal) => return findings.refused("contract", Level::Fail, &refusal),
    };
    let of = |outcome: Outcome| -> Vec<&str> {
        files.iter().filter(|file| file.outcome == outcome).map(|file| file.path.as_str()).collect()
    };
    let (missing, stale) = (of(Outcome::Created), of(Outcome::Updated));
    if !missing.is_empty() {
        findings
            .info("contract", format!("agents find no contract in {}", few(missing)))
            .cured_by(install.clone());
    }
    if !stale.is_empty() {
        findings
            .info("contract", format!("the contract is missing or another one in {}", few(stale)))
            .cured_by(install);
    }
    if files.iter().all(|file| matches!(file.outcome, Outcome::Unchanged | Outcome::Linked)) {
        findings.ok("contract", "agents find the contract");
    }
}
