//! `work` and `run`: the configured executor works, and the gates judge what it left.
//!
//! The executor's word counts for nothing: its exit code is not even looked at. What counts is that the task
//! verifies, that its levers find nothing, and, for `run`, that it gets through `done`.

use gate::run::{Capture, Input, Program};
use gate::words::quote;
use gate::{Exit, Finding, Level, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::block::{self, Needs};
use crate::change;
use crate::codes;
use crate::context;
use crate::done;
use crate::exec::{self, Logs, RunRecord};
use crate::levers;
use crate::model::{Config, State, Strictness, Task};
use crate::review;
use crate::session::Session;
use crate::start;
use crate::toolchain;
use crate::tree;
use crate::verify;

/// What one turn of the executor came to.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Worked {
    /// The task's whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// It verifies, and no lever found anything.
    pub passed: bool,
    /// What stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
    /// The executor's run; none where none is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executor: Option<RunRecord>,
    /// How often an executor has worked on the task.
    pub attempts: u32,
    /// The verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify: Option<verify::Report>,
    /// The levers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levers: Option<levers::Report>,
    /// What a person should look at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
    /// The command that comes next.
    pub next: String,
}

impl Worked {
    /// The exit code: what stops is 2 here (facts 3.2).
    pub fn exit(&self) -> Exit {
        if self.passed { Exit::Done } else { Exit::Red }
    }
}

/// Lets the executor work on one task and judges the result.
///
/// # Errors
/// What keeps it from beginning: no criteria, a blocked task, another one in progress, a missing approval. These
/// carry exit code 2.
pub fn work(session: &Session<'_>, wanted: &str) -> Result<Worked, Refusal> {
    let red = |refusal: Refusal| refusal.exit(Exit::Red);
    let config = session.config()?;
    let task = session.task(wanted)?;
    refuse_missing_approval(session, &config, &task).map_err(red)?;
    if task.state != State::InProgress {
        start::start(session, &task.id, false).map_err(red)?;
    }
    let task = session.task(&task.id)?;
    let mut worked = Worked {
        id: task.id.clone(),
        title: task.title.clone(),
        passed: false,
        refusal: None,
        executor: None,
        attempts: task.attempts.unwrap_or_default(),
        verify: None,
        levers: None,
        findings: Vec::new(),
        next: session.cmd("next"),
    };
    execute(session, &config, &task, &mut worked)?;
    worked.refusal = judge(session, &config, &mut worked)?;
    worked.passed = worked.refusal.is_none();
    if worked.passed {
        let id = quote(&task.id);
        let verb = if config.protocol.cadence().is_empty() { "done" } else { "review" };
        worked.next = session.cmd(&format!("{verb} {id}"));
        session.write("work", |draft| {
            draft.event("progress-update", &format!("Worked + verified: {}", task.title), "", Some(&task.id));
            Ok(())
        })?;
    } else if let Some(next) = worked.refusal.as_ref().and_then(|refusal| refusal.next.clone()) {
        worked.next = next;
    }
    Ok(worked)
}

fn refuse_missing_approval(session: &Session<'_>, config: &Config, task: &Task) -> Result<(), Refusal> {
    let id = task.display_id();
    if config.protocol.director.required && task.criteria_accepted.is_none() {
        return Err(Refusal::new(codes::PLAN_MISSING, format!("nobody accepted the criteria of `{id}`"))
            .hint("`director.required` asks for `criteriaAccepted` on the task; the program that has `align` writes it"));
    }
    if config.protocol.plan.required && task.plan_approved.is_none() {
        return Err(Refusal::new(codes::PLAN_MISSING, format!("nobody approved a plan for `{id}`"))
            .hint("`plan.required` asks for `planApproved` on the task; the program that has `approve-plan` writes it"));
    }
    if let Some(raise) = task.raised.iter().find(|raise| raise.status == "open") {
        return Err(open_fork(session, &raise.fork));
    }
    Ok(())
}

fn open_fork(session: &Session<'_>, fork: &str) -> Refusal {
    Refusal::new(codes::OPEN_FORK, "a question that the agent raised waits for an answer")
        .fact(fork)
        .next(session.cmd("question list"))
}

/// Runs the executor in the task's tree with the context on stdin; without one, nothing runs.
fn execute(session: &Session<'_>, config: &Config, task: &Task, worked: &mut Worked) -> Result<(), Refusal> {
    let Some(command) = config.protocol.command(&config.protocol.executor.command) else {
        worked.findings.push(Finding::new(
            "executor",
            Level::Info,
            "no executor is set: what is there is judged",
        ));
        return Ok(());
    };
    let context = context::context(session, Some(&task.id))?;
    let prompt = context::text(&context, session);
    let attempts = session.write("work", |draft| {
        let (index, task) = draft.find(&task.id)?;
        let attempts = task.attempts.unwrap_or_default() + 1;
        draft.set_task(index, &["attempts".into()], &json!(attempts))?;
        Ok(attempts)
    })?;
    worked.attempts = attempts;
    let logs = Logs::create(session, "work")?;
    let log = logs.file("executor.log");
    let tree = tree::of(session, task).path;
    session.progress.begin(&format!("executor: {}", task.title));
    let ran = exec::run_agent(
        session,
        Program::shell(&command),
        &tree,
        Input::Bytes(prompt.into_bytes()),
        config.protocol.timeouts.executor,
        Capture::Combined(log.clone()),
    )?;
    session.progress.end("executor", &ran.cause());
    worked.executor = Some(RunRecord::new(&command, &ran, Some(&log)));
    Ok(())
}

/// What stops the task, in the published order: open forks, verification, levers.
fn judge(session: &Session<'_>, config: &Config, worked: &mut Worked) -> Result<Option<Refusal>, Refusal> {
    let task = session.task(&worked.id)?;
    if let Some(raise) = task.raised.iter().find(|raise| raise.status == "open") {
        return Ok(Some(open_fork(session, &raise.fork)));
    }
    let report = verify::run(session, verify::Request { task: Some(&task) })?;
    let tree = report.tree.path.clone();
    // `stats` counts by these words.
    let red = (!report.green).then(|| {
        Refusal::new(codes::VERIFY_RED, "verify RED")
            .facts(report.red.iter().cloned())
            .next(session.cmd("verify"))
    });
    worked.verify = Some(report);
    if red.is_some() {
        return Ok(red);
    }
    let report = levers::run(session, config, &task, &tree)?;
    worked
        .findings
        .extend(report.unclear().into_iter().map(|line| Finding::new("levers", Level::Warn, line)));
    let (refusal, unjudged) = (report.refusal(), report.unjudged());
    worked.levers = Some(report);
    let Some(unjudged) = unjudged.filter(|_| refusal.is_none()) else { return Ok(refusal) };
    let unjudged = done::advised(session, &task, unjudged);
    if config.protocol.done_levers == Strictness::Refuse {
        return Ok(Some(unjudged));
    }
    worked.findings.push(done::warning(unjudged));
    Ok(None)
}

/// How `run` was asked for.
#[derive(Debug, Clone, Copy)]
pub struct LoopRequest {
    /// Stop at the first task that gets blocked.
    pub until_blocked: bool,
    /// At most so many tasks.
    pub max: u32,
    /// Only say what would run.
    pub dry_run: bool,
}

/// One task that `run` took.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Taken {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// `done`, `blocked`, or `would run`.
    pub outcome: String,
    /// What stopped it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// What `run` did.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Loop {
    /// The tasks in order.
    pub tasks: Vec<Taken>,
    /// Why it stopped, in words.
    pub stopped: String,
    /// It stopped at a task that is blocked.
    pub at_blocked: bool,
    /// It took tasks, and every one of them got blocked.
    pub all_blocked: bool,
    /// The command that comes next.
    pub next: String,
}

impl Loop {
    /// The exit code: stopping at a blocked task is 2 (facts 3.2), and so is a run that got nothing done.
    pub fn exit(&self) -> Exit {
        if self.at_blocked || self.all_blocked { Exit::Red } else { Exit::Done }
    }
}

/// Takes the first runnable task again and again, through executor, levers, review and `done`; what fails is
/// blocked.
pub fn run(session: &Session<'_>, request: LoopRequest) -> Result<Loop, Refusal> {
    let config = session.config()?;
    let mut done = Loop {
        tasks: Vec::new(),
        stopped: String::new(),
        at_blocked: false,
        all_blocked: false,
        next: session.cmd("next"),
    };
    if config.protocol.executor.command.trim().is_empty() && !request.dry_run {
        return Err(Refusal::new(codes::NOT_CONFIGURED, "no executor is set")
            .hint("set `protocol.executor.command` in `.chalk/chalk.json`")
            .next(session.cmd("next")));
    }
    while done.tasks.len() < request.max as usize {
        let seen: Vec<&str> = done.tasks.iter().map(|taken| taken.id.as_str()).collect();
        let Some(task) = runnable(&session.all_tasks()?, &seen) else {
            "nothing is runnable".clone_into(&mut done.stopped);
            return Ok(done);
        };
        let mut taken = Taken {
            id: task.id.clone(),
            title: task.title.clone(),
            outcome: "done".to_owned(),
            refusal: None,
        };
        if request.dry_run {
            "would run".clone_into(&mut taken.outcome);
            done.tasks.push(taken);
            continue;
        }
        if let Some(Stopped { needs, refusal, failed }) = through(session, &config, &task)? {
            let reason =
                std::iter::once(refusal.message.clone()).chain(refusal.facts.iter().take(3).cloned());
            let reason = reason.collect::<Vec<_>>().join("; ");
            block::block_after(session, &task.id, needs, &reason, &failed)?;
            "blocked".clone_into(&mut taken.outcome);
            taken.refusal = Some(refusal);
        }
        let blocked = taken.outcome == "blocked";
        done.all_blocked = blocked && (done.tasks.is_empty() || done.all_blocked);
        done.tasks.push(taken);
        if blocked && request.until_blocked {
            "a task is blocked".clone_into(&mut done.stopped);
            done.at_blocked = true;
            return Ok(done);
        }
    }
    done.stopped = match request.max {
        1 => "1 task was taken (`--max 1`)".to_owned(),
        max => format!("{max} tasks were taken (`--max {max}`)"),
    };
    Ok(done)
}

/// The first task that an executor may take: one in progress, or one with criteria whose order allows it.
fn runnable(all: &[Task], seen: &[&str]) -> Option<Task> {
    let open = |id: &String| all.iter().any(|task| task.id == *id && task.state != State::Done);
    let fresh = all.iter().filter(|task| !seen.contains(&task.id.as_str()));
    let ready = |task: &&Task| task.state == State::Specd && !task.after.iter().any(open);
    let in_progress = fresh.clone().find(|task| task.state == State::InProgress);
    in_progress.or_else(|| fresh.clone().find(ready)).cloned()
}

/// Why a task did not get to its end.
struct Stopped {
    needs: Needs,
    refusal: Refusal,
    /// What failed, one line each, for whoever goes on.
    failed: Vec<String>,
}

impl Stopped {
    fn new(needs: Needs, refusal: Refusal) -> Self {
        Self { needs, refusal, failed: Vec::new() }
    }
}

/// Takes one task to its end: none where it is done, otherwise what it needs and why.
fn through(session: &Session<'_>, config: &Config, task: &Task) -> Result<Option<Stopped>, Refusal> {
    let tries = config.protocol.handoff.max_attempts.max(1);
    let mut last = None;
    for _ in 0..tries {
        let worked = match work(session, &task.id) {
            Ok(worked) => worked,
            Err(refusal) if refusal.exit == Exit::Red => {
                return Ok(Some(Stopped::new(needs(&refusal), refusal)));
            }
            Err(refusal) => return Err(refusal),
        };
        if let Some(refusal) = worked.refusal {
            if refusal.code == codes::OPEN_FORK {
                return Ok(Some(Stopped::new(Needs::Decision, refusal)));
            }
            let failed = worked.verify.as_ref().map_or_else(Vec::new, |report| failed(session, report));
            last = Some(Stopped { needs: Needs::HumanInput, refusal, failed });
            continue;
        }
        if let Some(refusal) = unchanged(session, config, task)? {
            last = Some(Stopped::new(Needs::HumanInput, refusal));
            continue;
        }
        if let Some(refusal) = reviewed(session, config, task)? {
            last = Some(Stopped::new(Needs::Review, refusal));
            continue;
        }
        let outcome = done::done(session, &task.id, &done::Request::default())?;
        match outcome.refusal {
            None => return Ok(None),
            Some(refusal) => last = Some(Stopped::new(needs(&refusal), refusal)),
        }
    }
    Ok(last)
}

/// The gates that failed, each with the place of its whole output.
fn failed(session: &Session<'_>, report: &verify::Report) -> Vec<String> {
    let failed = report.gates.iter().filter(|gate| gate.result == toolchain::Outcome::Failed);
    failed
        .map(|gate| {
            let label = gate.label();
            let Some(run) = &gate.run else { return label };
            let log = run.log.as_ref().map_or_else(String::new, |log| {
                // Whoever reads the document may have the project elsewhere.
                let log = log.strip_prefix(&session.spine.root).unwrap_or(log);
                format!("; its output: `{}`", log.display())
            });
            format!("{label}: `{}` failed: {}{log}", run.command, run.cause)
        })
        .collect()
}

/// The refusal of a task that nobody worked on: a toolchain that is green over no change shows nothing.
fn unchanged(session: &Session<'_>, config: &Config, task: &Task) -> Result<Option<Refusal>, Refusal> {
    let task = session.task(&task.id)?;
    match change::of(session, config, &task, &tree::of(session, &task).path) {
        Ok(change) if change.is_empty() => {
            Ok(Some(Refusal::new(codes::REVIEW_EMPTY, "nothing changed since the start")))
        }
        Ok(_) => Ok(None),
        Err(refusal) if refusal.code == codes::HISTORY_CUT => Ok(None),
        Err(refusal) => Err(refusal),
    }
}

/// Has the task reviewed where the cadence or a set reviewer asks for it; what the reviewer refuses.
fn reviewed(session: &Session<'_>, config: &Config, task: &Task) -> Result<Option<Refusal>, Refusal> {
    if config.protocol.cadence().is_empty() || config.protocol.review.command.trim().is_empty() {
        return Ok(None);
    }
    let reviewed = match review::run(session, &task.id, &review::Request::Reviewer { retry: true }) {
        Ok(reviewed) => reviewed,
        Err(refusal) if refusal.code == codes::REVIEW_UNREADABLE || refusal.code == codes::REVIEW_EMPTY => {
            return Ok(Some(refusal));
        }
        Err(refusal) => return Err(refusal),
    };
    if reviewed.verdict == "pass" {
        return Ok(None);
    }
    let facts = reviewed.findings.iter().map(review::line);
    Ok(Some(Refusal::new(codes::REVIEW_BLOCKED, "the reviewer blocks the change").facts(facts)))
}

fn needs(refusal: &Refusal) -> Needs {
    match refusal.code {
        code if code == codes::REVIEW_BLOCKED || code == codes::REVIEW_STALE => Needs::Review,
        code if code == codes::OPEN_FORK || code == codes::PLAN_MISSING => Needs::Decision,
        _ => Needs::HumanInput,
    }
}
