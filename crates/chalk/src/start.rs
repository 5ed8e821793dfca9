//! `start`: gate P1, no work without criteria.

use gate::words::quote;
use gate::{Finding, Level, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::draft::Draft;
use crate::model::{State, Task, TaskHead, display_id};
use crate::session::{self, Session};
use crate::tree::{self, Judged};
use crate::width::{self, Width};

/// A task in progress.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Started {
    /// The whole id of the task.
    pub id: String,
    /// Its title.
    pub title: String,
    /// It was in progress already, and nothing changed.
    pub already: bool,
    /// The commit at which it was started: its change is measured from there. None outside git and
    /// before the first commit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The tree that it will be judged in.
    pub tree: Judged,
    /// How much it takes in.
    pub width: Width,
    /// What should be known before work begins.
    pub findings: Vec<Finding>,
    /// The command that comes next.
    pub next: String,
}

/// Starts a task. Starting one that is in progress changes nothing.
///
/// # Errors
/// - `no-criteria` without a criterion that says something and without a locked test (P1);
/// - `wrong-state` for a done task;
/// - `task-blocked` for a blocked one;
/// - `other-in-progress` beside another task, unless `parallel` or `parallel.enabled` allows it.
pub fn start(session: &Session<'_>, wanted: &str, parallel: bool) -> Result<Started, Refusal> {
    // Asked before the write lock is taken: no command runs under it.
    let base = head(session)?;
    session.write("start", |draft| {
        let (index, task) = draft.find(wanted)?;
        let id = quote(&task.id);
        let already = task.state == State::InProgress;
        let mut findings = Vec::new();
        let width = width::measure(&task);
        if !already {
            refuse_state(session, &task)?;
            refuse_without_contract(session, &task)?;
            let heads = heads(draft)?;
            refuse_beside_others(session, draft, &heads, &task, parallel)?;
            findings.extend(order(&heads, &task));
            findings.extend(wide(session, &width));
        }
        let judged =
            if already { tree::of(session, &task) } else { begin(draft, index, &task, base.as_deref())? };
        let base = if already { task.base().map(str::to_owned) } else { base };
        let title = task.title.clone();
        let next = session.cmd(&format!("context {id}"));
        Ok(Started { id: task.id, title, already, base, tree: judged, width, findings, next })
    })
}

/// The commit that the caller's tree stands on.
fn head(session: &Session<'_>) -> Result<Option<String>, Refusal> {
    let Some(git) = session.git(&session.spine.tree) else { return Ok(None) };
    let head = git.head().map_err(session::git)?;
    Ok(head.oid().map(ToString::to_string))
}

fn heads<'d>(draft: &'d Draft<'_, '_>) -> Result<Vec<TaskHead<'d>>, Refusal> {
    draft.tasks()?.heads().map_err(|damage| draft.session().damaged("tasks.json", &damage))
}

fn refuse_state(session: &Session<'_>, task: &Task) -> Result<(), Refusal> {
    let id = task.display_id();
    match &task.state {
        State::Done => Err(Refusal::new(codes::WRONG_STATE, format!("{id} is done"))
            .hint("new work is a new task; a changed test of this one reopens it")
            .next(session.cmd(&format!("amend-spec {} --test <path> --why \"...\"", quote(&task.id))))),
        State::Blocked => {
            let mut refusal = Refusal::new(codes::TASK_BLOCKED, format!("{id} is blocked"));
            if let Some(block) = &task.block {
                refusal =
                    refusal.fact(format!("needs {}: {}", block.needs, canon::text::one_line(&block.reason)));
            }
            Err(refusal.next(session.cmd(&format!("unblock {}", quote(&task.id)))))
        }
        State::Other(word) => Err(Refusal::new(
            codes::WRONG_STATE,
            format!("{id} has the state `{word}`, which Chalk doesn't know"),
        )
        .hint("set `state` in `.chalk/tasks.json` to `specd`")),
        State::Todo | State::Specd | State::InProgress => Ok(()),
    }
}

fn refuse_without_contract(session: &Session<'_>, task: &Task) -> Result<(), Refusal> {
    if task.criteria().next().is_some() || !task.tests.is_empty() {
        return Ok(());
    }
    let id = task.display_id();
    let refusal =
        Refusal::new(codes::NO_CRITERIA, format!("{id} has no acceptance criterion and no locked test"));
    let refusal = match task.acceptance_criteria.len() {
        0 => refusal,
        n => refusal
            .fact(format!("{n} blank {} not count", if n == 1 { "criterion does" } else { "criteria do" })),
    };
    Err(refusal
        .hint("say what must hold before the work begins, best as a test that fails now")
        .next(session.cmd(&format!("spec {} --criterion \"...\" --test <path>", quote(&task.id)))))
}

fn refuse_beside_others(
    session: &Session<'_>,
    draft: &Draft<'_, '_>,
    heads: &[TaskHead<'_>],
    task: &Task,
    parallel: bool,
) -> Result<(), Refusal> {
    if parallel || draft.config().protocol.parallel.enabled {
        return Ok(());
    }
    let others: Vec<&TaskHead<'_>> =
        heads.iter().filter(|head| head.state == State::InProgress && head.id != task.id).collect();
    if others.is_empty() {
        return Ok(());
    }
    let shown = others.iter().take(5).map(|head| format!("{}  {}", display_id(&head.id), head.title));
    let mut refusal = Refusal::new(codes::OTHER_IN_PROGRESS, "another task is in progress").facts(shown);
    if others.len() > 5 {
        refusal = refusal.fact(format!("and {} more", others.len() - 5));
    }
    Err(refusal
        .hint("finish or block it first, or start this one beside it with `--parallel`")
        .next(session.cmd("next")))
}

/// The tasks that come first and are not done, and the ones that nobody knows.
fn order(heads: &[TaskHead<'_>], task: &Task) -> Vec<Finding> {
    let mut findings = Vec::new();
    for before in &task.after {
        let msg = match heads.iter().find(|head| head.id == before.as_str()) {
            Some(head) if head.state == State::Done => continue,
            Some(head) => format!("{} comes first and is {}: {}", display_id(before), head.state, head.title),
            None => format!("it comes after `{before}`, which is no task here"),
        };
        findings.push(Finding::new("order", Level::Warn, msg));
    }
    findings
}

fn wide(session: &Session<'_>, width: &Width) -> Option<Finding> {
    (!width.wide.is_empty()).then(|| {
        Finding::new(
            "size",
            Level::Warn,
            format!("it looks like several features: {}", width.wide.join("; ")),
        )
        .cure(format!(
            "a task of one feature is judged best; split it with `{}`",
            session.cmd("task add \"...\"")
        ))
    })
}

fn begin(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    base: Option<&str>,
) -> Result<Judged, Refusal> {
    let session = draft.session();
    draft.set_task(index, &["state".into()], &json!(State::InProgress))?;
    draft.set_task(index, &["startedAt".into()], &json!(draft.now()))?;
    if let Some(base) = base {
        draft.set_task(index, &["cairn".into(), "base".into()], &json!(base))?;
    }
    let mut task = task.clone();
    let records_none = task.worktree.as_deref().is_none_or(|folder| folder.trim().is_empty());
    if session.spine.is_linked()
        && records_none
        && let Some(folder) = session.spine.tree.to_str()
    {
        draft.set_task(index, &["worktree".into()], &json!(folder))?;
        task.worktree = Some(folder.to_owned());
    }
    draft.event("work-item-started", &format!("Started: {}", task.title), "", Some(&task.id));
    Ok(tree::of(session, &task))
}
