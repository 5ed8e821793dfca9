//! `task`: tasks are made, changed, dropped and shown.

use canon::json::Step;
use canon::text;
use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::codes;
use crate::draft::Draft;
use crate::model::task::new_task;
use crate::model::{State, Task};
use crate::session::Session;
use crate::tasks::resolve;

/// A task that was added.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Added {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// `todo`.
    pub state: State,
    /// Its milestone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// Full ids of the tasks that come first.
    pub after: Vec<String>,
    /// The command that comes next.
    pub next: String,
}

/// Adds a task in state `todo`.
pub fn add(
    session: &Session<'_>,
    title: &str,
    milestone: Option<&str>,
    after: &[String],
) -> Result<Added, Refusal> {
    session.write("task add", |draft| {
        let title = text::one_line(title);
        let milestone = milestone.map(text::one_line);
        let after = resolve_all(draft, after)?;
        let id = session.world.new_id("task");
        draft.add_task(new_task(&id, &title, milestone.as_deref(), &after, draft.now()))?;
        draft.event("work-item-started", &format!("Task created: {title}"), "", Some(&id));
        let next = session.cmd(&format!("spec {} --criterion \"...\"", quote(&id)));
        Ok(Added { id, title, state: State::Todo, milestone, after, next })
    })
}

fn resolve_all(draft: &Draft<'_, '_>, wanted: &[String]) -> Result<Vec<String>, Refusal> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let heads = draft.tasks()?.heads().map_err(|damage| draft.session().damaged("tasks.json", &damage))?;
    let mut ids: Vec<String> = Vec::new();
    for id in wanted {
        let index = resolve(heads.iter().map(|head| (&*head.id, &*head.title)), id, "task")?;
        let id = heads[index].id.to_string();
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// What to change of a task.
#[derive(Debug, Clone, Default)]
pub struct Change {
    /// The new title.
    pub title: Option<String>,
    /// The new milestone; `Some(None)` takes it off.
    pub milestone: Option<Option<String>>,
    /// More tasks that come first.
    pub after: Vec<String>,
    /// Tasks that needn't come first any more.
    pub not_after: Vec<String>,
    /// The new kind of change; `Some(None)` takes it off.
    pub branch_type: Option<Option<String>>,
    /// More labels.
    pub labels: Vec<String>,
    /// Labels to take off.
    pub not_labels: Vec<String>,
}

/// A task that was changed.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Edited {
    /// Its whole id.
    pub id: String,
    /// Its title now.
    pub title: String,
    /// What changed, in words.
    pub changes: Vec<String>,
}

/// Changes title, milestone, order, kind or labels of a task.
pub fn edit(session: &Session<'_>, wanted: &str, change: &Change) -> Result<Edited, Refusal> {
    session.write("task edit", |draft| {
        let (index, task) = draft.find(wanted)?;
        let mut changes = Vec::new();
        let mut title = task.title.clone();
        if let Some(new) = change.title.as_deref().map(text::one_line).filter(|new| *new != task.title) {
            draft.set_task(index, &["title".into()], &json!(new))?;
            changes.push(format!("title was: {}", task.title));
            title = new;
        }
        match &change.milestone {
            Some(Some(new)) if task.milestone.as_ref() != Some(new) => {
                draft.set_task(index, &["milestone".into()], &json!(text::one_line(new)))?;
                changes.push(format!("milestone: {new}"));
            }
            Some(None) if task.milestone.is_some() => {
                draft.unset_task(index, "milestone")?;
                changes.push("no milestone".to_owned());
            }
            _ => {}
        }
        let more = resolve_all(draft, &change.after)?;
        let less = resolve_all(draft, &change.not_after)?;
        let mut after: Vec<String> = task.after.iter().filter(|id| !less.contains(id)).cloned().collect();
        after.extend(more.into_iter().filter(|id| !task.after.contains(id)));
        if after != task.after {
            refuse_circle(draft, &task, &after)?;
            draft.set_task(index, &["after".into()], &json!(after))?;
            let shown: Vec<&str> = after.iter().map(|id| crate::model::display_id(id)).collect();
            changes.push(if shown.is_empty() {
                "after nothing".to_owned()
            } else {
                format!("after {}", shown.join(", "))
            });
        }
        changes.extend(edit_kind(draft, index, &task, change)?);
        if !changes.is_empty() {
            draft.event(
                "progress-update",
                &format!("Task edited: {title}"),
                &changes.join("; "),
                Some(&task.id),
            );
        }
        Ok(Edited { id: task.id, title, changes })
    })
}

/// Changes what kind of change a task is, and its labels; what changed, in words.
fn edit_kind(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    change: &Change,
) -> Result<Vec<String>, Refusal> {
    let mut changes = Vec::new();
    match &change.branch_type {
        Some(Some(new)) if task.branch_type.as_ref() != Some(new) => {
            draft.set_task(index, &["branchType".into()], &json!(text::one_line(new)))?;
            changes.push(format!("kind: {new}"));
        }
        Some(None) if task.branch_type.is_some() => {
            draft.unset_task(index, "branchType")?;
            changes.push("no kind".to_owned());
        }
        _ => {}
    }
    let mut labels = task.labels.clone();
    labels.retain(|label| !change.not_labels.contains(label));
    for label in change.labels.iter().map(|label| text::one_line(label)) {
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    if labels != task.labels {
        draft.set_task(index, &["labels".into()], &json!(labels))?;
        changes.push(if labels.is_empty() {
            "no labels".to_owned()
        } else {
            format!("labels: {}", labels.join(", "))
        });
    }
    Ok(changes)
}

/// Refuses an order in which a task would come before itself.
fn refuse_circle(draft: &Draft<'_, '_>, task: &Task, after: &[String]) -> Result<(), Refusal> {
    let tasks = draft.all_tasks()?;
    let mut open: Vec<&str> = after.iter().map(String::as_str).collect();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(id) = open.pop() {
        if id == task.id {
            return Err(Refusal::new(codes::USAGE, "the task would have to come before itself")
                .hint("take one of the tasks between them out of the order with `--not-after`"));
        }
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        if let Some(next) = tasks.iter().find(|task| task.id == id) {
            open.extend(next.after.iter().map(String::as_str));
        }
    }
    Ok(())
}

/// A task that was dropped.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Dropped {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The file that its record moved to, relative to the root.
    pub archive: String,
    /// The reason.
    pub why: String,
}

/// Takes a task out of `tasks.json`; its whole record moves to the archive of the year.
pub fn drop(session: &Session<'_>, wanted: &str, why: &str) -> Result<Dropped, Refusal> {
    session.write("task drop", |draft| {
        let (index, task) = draft.find(wanted)?;
        let needing: Vec<String> = draft
            .all_tasks()?
            .iter()
            .filter(|other| other.state != State::Done && other.after.contains(&task.id))
            .map(|other| format!("{}  {}", other.id, other.title))
            .collect();
        if let Some(first) = needing.first() {
            let first = first.split(' ').next().unwrap_or_default().to_owned();
            return Err(Refusal::new(
                codes::STILL_NEEDED,
                if needing.len() == 1 {
                    "a task comes after this one".to_owned()
                } else {
                    format!("{} tasks come after this one", needing.len())
                },
            )
            .facts(needing)
            .next(session.cmd(&format!(
                "task edit {} --not-after {}",
                quote(&first),
                quote(&task.id)
            ))));
        }
        let raw = draft.remove_task(index)?;
        let mut record: Value = serde_json::from_str(&canon::json::legible(&raw)).unwrap_or_default();
        record["droppedAt"] = json!(draft.now());
        record["droppedWhy"] = json!(why);
        let archive = format!("archive/tasks-{}.json", &draft.now().date()[..4]);
        let old = session.read(&archive)?.unwrap_or_else(|| b"[]\n".to_vec());
        let mut archived = canon::json::Editor::new(String::from_utf8_lossy(&old))
            .map_err(|damage| session.damaged(&archive, &damage))?;
        if !archived.push(&[] as &[Step<'_>], &record) {
            return Err(Refusal::new(
                codes::SPINE_DAMAGED,
                format!("`.chalk/{archive}` is no array of tasks"),
            )
            .at(session.path(&archive), None, None));
        }
        draft.file(&archive, archived.into_text())?;
        draft.decision(&format!("Dropped task \"{}\"", task.title), Some(why), Some(&task.id));
        draft.event("progress-update", &format!("Task dropped: {}", task.title), why, Some(&task.id));
        Ok(Dropped {
            id: task.id,
            title: task.title,
            archive: format!(".chalk/{archive}"),
            why: why.to_owned(),
        })
    })
}

/// One task, whole, as the file has it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Shown {
    /// The task's own keys and values.
    pub task: serde_json::Map<String, Value>,
    /// The tasks that come first and aren't done.
    #[serde(rename = "waitsFor")]
    pub waits_for: Vec<String>,
}

/// Shows one task.
pub fn show(session: &Session<'_>, wanted: &str) -> Result<(Task, Shown), Refusal> {
    let damaged = |damage| session.damaged("tasks.json", &damage);
    let tasks = session.tasks()?;
    let heads = tasks.heads().map_err(damaged)?;
    let index = resolve(heads.iter().map(|head| (&*head.id, &*head.title)), wanted, "task")?;
    let span = tasks.spans().map_err(damaged)?[index].clone();
    let raw = &tasks.as_str()[span.clone()];
    let value: Value = serde_json::from_str(&canon::json::legible(raw)).unwrap_or_default();
    let task = tasks.task(&span).map_err(damaged)?;
    let waits_for = task
        .after
        .iter()
        .filter(|id| heads.iter().any(|head| head.id == **id && head.state != State::Done))
        .cloned()
        .collect();
    let Value::Object(map) = value else {
        return Err(Refusal::new(codes::SPINE_DAMAGED, "the task is no object"));
    };
    Ok((task, Shown { task: map, waits_for }))
}
