//! `verify`: the external toolchain and the integrity of locked tests (P4, P6).
//!
//! Locks and what decides them are looked at before the toolchain and after it, since a test command can
//! change what it is judged by. One that swaps a file and puts it back within its run leaves other times
//! on it, which can't be put back.
//! The result is bound to the content digest of the tree and kept outside the work tree.

mod integrity;
mod report;
mod stored;

use std::path::Path;

use canon::Sha256;
use gate::words::quote;
use gate::{Finding, Level, Refusal};
use store::digest::changed_between;

use self::integrity::Watch;
pub use self::report::{JudgedTask, LockCount, Report};
pub use self::stored::{KIND, Last, Standing, Stored, StoredGate, StoredLock, last};
use crate::codes;
use crate::content;
use crate::deciders::Moved;
use crate::done;
use crate::exec::Logs;
use crate::model::{Config, State, Task};
use crate::review;
use crate::session::Session;
use crate::toolchain::{self, GateResult, Outcome, Scope};
use crate::tree::{self, Judged};

/// How many changed files are named.
const SHOWN_FILES: usize = 20;

/// What to verify.
#[derive(Debug, Clone, Copy, Default)]
pub struct Request<'t> {
    /// The task on whose behalf the toolchain runs, in its tree; none for whatever is in progress.
    pub task: Option<&'t Task>,
}

/// A task and the tree that its locks are judged in.
pub(crate) struct Judgement {
    pub task: Task,
    pub tree: Judged,
}

/// Runs the toolchain and checks the locks of every task in progress, each in its own tree.
///
/// # Errors
/// The spine, git or the log of results can't be read; a command can't be given a log; the locks or the
/// commands changed while the toolchain ran, so that nothing can be said.
pub fn run(session: &Session<'_>, request: Request<'_>) -> Result<Report, Refusal> {
    let config = session.config()?;
    let all = session.all_tasks()?;
    let judged = judged(session, request, &all);
    let tree = match request.task {
        Some(task) => tree::of(session, task),
        None if session.spine.is_linked() => tree::here(session),
        None => judged.first().map_or_else(|| tree::here(session), |judgement| judgement.tree.clone()),
    };
    let content = content::digest(session, &config, &tree.path)?;
    let before = Watch::take(session, &config, &judged)?;
    let ids: Vec<String> = judged.iter().map(|judgement| judgement.task.id.clone()).collect();
    stored::begin(session, content.digest, &ids)?;

    let logs = Logs::create(session, "verify")?;
    let mut gates = toolchain::run_gates(session, &config, &tree.path, &logs, Scope::Task)?;
    for Judgement { task, tree } in &judged {
        for lock in task.tests.iter().filter(|lock| toolchain::is_spec(&config, &lock.path)) {
            gates.push(toolchain::run_spec(session, &config, &tree.path, &logs, &lock.path)?);
        }
    }

    refuse_moved_spine(session, &config, &judged)?;
    let after = Watch::take(session, &config, &judged)?;
    let left = content::digest(session, &config, &tree.path)?;
    let changed: Vec<String> = changed_between(&content, &left).iter().map(ToString::to_string).collect();

    let mut findings = integrity::about_locks(session, &before, &after);
    findings.extend(integrity::about_deciders(session, &config, &before, &after));
    findings.extend(integrity::about_done(session, &config, &all, &judged, &tree.path)?);
    findings.extend(integrity::about_held_out(session, &config));
    findings.extend(integrity::about_spine(session)?);
    findings.extend(gates.iter().filter_map(about_leftovers));

    let red = red(&gates, &findings);
    let ran = gates.iter().any(GateResult::has_run);
    let green = red.is_empty();
    let locks: Vec<StoredLock> = before
        .locks
        .iter()
        .zip(&after.locks)
        .zip(before.rewritten(&after))
        .map(|((then, now), rewritten)| StoredLock {
            task: now.task.clone(),
            path: now.path.clone(),
            sha256: now.locked,
            held: then.holds() && now.holds() && !rewritten,
        })
        .collect();
    let report = Report {
        green,
        vacuous: green && !ran,
        next: next(session, &config, &judged, after.moved.first(), &red, (&tree.path, content.digest)),
        tasks: judged
            .iter()
            .map(|Judgement { task, tree }| JudgedTask {
                id: task.id.clone(),
                title: task.title.clone(),
                tree: tree.path.clone(),
            })
            .collect(),
        digest: content.digest,
        locks: LockCount { checked: locks.len(), held: locks.iter().filter(|lock| lock.held).count() },
        changed: changed.iter().take(SHOWN_FILES).cloned().collect(),
        changed_more: changed.len().saturating_sub(SHOWN_FILES),
        tree,
        red,
        gates,
        findings,
    };
    let stored = Stored {
        tasks: ids,
        tree: report.tree.path.clone(),
        kind: report.tree.kind,
        digest: content.digest,
        digest_after: Some(left.digest).filter(|digest| *digest != content.digest),
        commands: toolchain::commands_digest(&config),
        gates: report.gates.iter().map(StoredGate::new).collect(),
        locks,
        green,
        vacuous: report.vacuous,
        changed: report.changed.clone(),
        red: report.red.clone(),
    };
    stored::keep(session, &report, &stored)?;
    Ok(report)
}

/// The tasks in progress, and the one on whose behalf this runs, with their trees.
fn judged(session: &Session<'_>, request: Request<'_>, all: &[Task]) -> Vec<Judgement> {
    let wanted = request.task.map(|task| task.id.as_str());
    let tasks: Vec<Task> = all
        .iter()
        .filter(|task| task.state == State::InProgress || wanted == Some(task.id.as_str()))
        .cloned()
        .collect();
    let trees = tree::of_each(session, &tasks);
    tasks
        .into_iter()
        .zip(trees)
        .map(|(task, own)| {
            let tree = if wanted == Some(task.id.as_str()) { tree::of(session, &task) } else { own };
            Judgement { task, tree }
        })
        .collect()
}

/// Refuses when somebody changed the locks or the commands meanwhile: the run judged something else.
fn refuse_moved_spine(session: &Session<'_>, config: &Config, judged: &[Judgement]) -> Result<(), Refusal> {
    let now = session.all_tasks()?;
    let moved = judged.iter().find(|Judgement { task, .. }| {
        !now.iter().any(|it| it.id == task.id && it.tests == task.tests && it.cairn == task.cairn)
    });
    let what = match moved {
        Some(judgement) => format!("the locks of {}", judgement.task.display_id()),
        None if toolchain::commands_digest(&session.config()?) != toolchain::commands_digest(config) => {
            "the gates' commands".to_owned()
        }
        None => return Ok(()),
    };
    Err(Refusal::new(codes::SPINE_MOVED, format!("{what} changed while the toolchain ran"))
        .hint("what was judged is no longer what counts")
        .next(session.cmd("verify")))
}

fn about_leftovers(gate: &GateResult) -> Option<Finding> {
    let leftovers = gate.leftovers.as_ref()?;
    Some(
        Finding::new(gate.label(), Level::Warn, leftovers.as_str())
            .cure("let the command wait for what it starts"),
    )
}

/// What makes the run red, in short.
fn red(gates: &[GateResult], findings: &[Finding]) -> Vec<String> {
    let failed = gates.iter().filter(|gate| gate.result == Outcome::Failed);
    let mut red: Vec<String> = failed.map(|gate| format!("{} failed", gate.label())).collect();
    for (code, what) in [(codes::LOCK_BROKEN, "broken lock"), (codes::DECIDER_MOVED, "moved decider")] {
        let is_one = |finding: &&Finding| finding.level == Level::Fail && finding.area == code.as_str();
        match findings.iter().filter(is_one).count() {
            0 => {}
            1 => red.push(format!("a {what}")),
            n => red.push(format!("{n} {what}s")),
        }
    }
    red
}

/// Whether a moved decider is all that made a run red.
pub(crate) fn is_red_by_deciders_alone(red: &[String]) -> bool {
    matches!(red, [only] if only.ends_with("moved decider") || only.ends_with("moved deciders"))
}

/// The command for a moved decider that is meant.
pub(crate) fn amendment(session: &Session<'_>, moved: &Moved) -> String {
    let tests: Vec<String> = moved.tests.iter().map(|test| format!("--test {}", quote(test))).collect();
    session.cmd(&format!("amend-spec {} {} --why \"...\"", quote(&moved.task), tests.join(" ")))
}

/// What comes after a run: what `done` would refuse for want of a review is not sent there.
fn next(
    session: &Session<'_>,
    config: &Config,
    judged: &[Judgement],
    moved: Option<&Moved>,
    red: &[String],
    (tree, digest): (&Path, Sha256),
) -> String {
    if !red.is_empty() {
        let moved = moved.filter(|_| is_red_by_deciders_alone(red));
        return moved.map_or_else(|| session.cmd("verify"), |moved| amendment(session, moved));
    }
    let [Judgement { task, tree: own }, ..] = judged else { return session.cmd("next") };
    let finish = session.cmd(&format!("done {}", quote(&task.id)));
    if own.path != tree || !done::asks_for_review(session, config, task).unwrap_or(false) {
        return finish;
    }
    // The result of the run is not lost over advice that can't be had.
    match review::standing_at(session, config, task, tree, digest) {
        Ok(review::Standing::Pass { .. }) | Err(_) => finish,
        // The same content would be blocked again; `next` names what was found.
        Ok(review::Standing::Blocked { review }) if review.digest == Some(digest) => session.cmd("next"),
        Ok(_) => done::ask(session, config, task),
    }
}

#[cfg(test)]
mod tests;
