//! The files of the spine: readable, whole, and without doubles.

use std::collections::{BTreeMap, BTreeSet};

use canon::{json, text};
use gate::Level;

use super::{Cure as _, Findings, few};
use crate::finished;
use crate::model::{Event, State, Task};
use crate::session::Session;

/// Files that are no JSON, in which a merge may have left its markers.
const TEXTS: [&str; 3] = ["spec.md", "decisions.md", "lessons.md"];

/// Checks every file. The tasks, where they can be read.
pub(super) fn check(session: &Session<'_>, findings: &mut Findings, unreadable: bool) -> Option<Vec<Task>> {
    if !unreadable {
        match session.config() {
            Ok(config) => {
                let writer = match &config.writer_version {
                    Some(writer) => format!(", written by version {writer}"),
                    None => String::new(),
                };
                match config.version.as_str() {
                    "1.0" | "1.1" => findings.ok("spine", format!("schema {}{writer}", config.version)),
                    "" => findings
                        .warn("spine", "`.chalk/chalk.json` names no schema")
                        .cured_by(session.cmd("migrate")),
                    other => {
                        findings.warn("spine", format!("schema {other} is older than any known one"));
                    }
                }
            }
            Err(refusal) => findings.refused("spine", Level::Fail, &refusal),
        }
    }
    let tasks = match session.all_tasks() {
        Ok(tasks) => {
            task_list(&tasks, findings);
            Some(tasks)
        }
        Err(refusal) => {
            findings.refused("tasks", Level::Fail, &refusal);
            None
        }
    };
    match session.questions() {
        Ok(questions) => {
            let doubled = doubles(questions.iter().map(|question| question.id.as_str()));
            if !doubled.is_empty() {
                findings
                    .warn("questions", format!("several questions have the same id: {}", few(doubled)))
                    .cured_by("keep one of each in `.chalk/questions.json`");
            }
        }
        Err(refusal) => findings.refused("questions", Level::Fail, &refusal),
    }
    log(session, findings);
    for name in TEXTS {
        let Ok(text) = session.read_text(name) else { continue };
        let marker =
            text.lines().position(|line| line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> "));
        if let Some(line) = marker {
            findings
                .fail("files", format!("`.chalk/{name}` line {}: a marker of an unfinished merge", line + 1))
                .cured_by(format!("finish the merge of `.chalk/{name}`"));
        }
    }
    tasks
}

fn task_list(tasks: &[Task], findings: &mut Findings) {
    let doubled = doubles(tasks.iter().map(|task| task.id.as_str()));
    if !doubled.is_empty() {
        findings
            .fail("tasks", format!("several tasks have the same id: {}", few(doubled)))
            .cured_by("a merge doubled them; keep one of each in `.chalk/tasks.json`");
    }
    let ids: BTreeSet<&str> = tasks.iter().map(|task| task.id.as_str()).collect();
    let dangling = tasks.iter().filter(|task| task.state != State::Done);
    let dangling = dangling.filter(|task| task.after.iter().any(|id| !ids.contains(id.as_str())));
    let dangling: Vec<&str> = dangling.map(Task::display_id).collect();
    if !dangling.is_empty() {
        findings
            .warn("tasks", format!("tasks that wait for one that is not there: {}", few(dangling)))
            .cured_by("`task edit ID --not-after ID` lets them go on");
    }
    let unknown = tasks.iter().filter(|task| matches!(task.state, State::Other(_))).map(Task::display_id);
    let unknown: Vec<&str> = unknown.collect();
    if !unknown.is_empty() {
        findings.warn("tasks", format!("tasks in a state that the protocol doesn't have: {}", few(unknown)));
    }
    let both = tasks.iter().filter(|task| task.state == State::InProgress && task.block.is_some());
    let both: Vec<&str> = both.map(Task::display_id).collect();
    if !both.is_empty() {
        findings
            .warn("tasks", format!("tasks that are in progress and blocked at once: {}", few(both)))
            .cured_by("take `block` and `blockedFrom` out of them, or block them anew");
    }
    if findings.0.iter().all(|finding| finding.area != "tasks") {
        findings.ok("tasks", text::counted(tasks.len(), "task"));
    }
}

/// Tasks that somebody marked done past every gate.
pub(super) fn finished(session: &Session<'_>, tasks: &[Task], findings: &mut Findings) {
    let unrecorded = finished::unrecorded(session, tasks);
    if !unrecorded.is_empty() {
        let ids = few(unrecorded.iter().map(|task| task.display_id()));
        findings
            .warn("done", format!("tasks that are done, but by no gate that is on record: {ids}"))
            .cured_by(
                "`git log -p .chalk/tasks.json` shows who marked them, `task show` what was asked of them",
            );
    }
}

/// The event log: a damaged line is passed over by every command, so it must be named somewhere.
fn log(session: &Session<'_>, findings: &mut Findings) {
    let bytes = match session.read("updates.jsonl") {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(refusal) => return findings.refused("log", Level::Fail, &refusal),
    };
    let mut damaged = Vec::new();
    let mut conflict = None;
    let mut ids: BTreeMap<String, usize> = BTreeMap::new();
    let mut events = 0;
    for (line, number) in bytes.split(|&byte| byte == b'\n').zip(1_usize..) {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match json::read::<Event>(json::legible(&String::from_utf8_lossy(line)).as_bytes()) {
            Ok(event) => {
                events += 1;
                if !event.id.is_empty() {
                    *ids.entry(event.id).or_default() += 1;
                }
            }
            Err(damage) if damage.conflict => conflict = conflict.or(Some(number)),
            Err(_) => damaged.push(number.to_string()),
        }
    }
    if let Some(line) = conflict {
        findings
            .fail("log", format!("`.chalk/updates.jsonl` line {line}: a marker of an unfinished merge"))
            .cured_by("keep the lines of both sides and take the markers out");
    }
    if !damaged.is_empty() {
        let lines = few(damaged.iter().map(String::as_str));
        findings
            .warn("log", format!("lines of `.chalk/updates.jsonl` that can't be read: {lines}"))
            .cured_by("mend them by hand; until then they are passed over");
    }
    let doubled: Vec<&str> = ids.iter().filter(|(_, count)| **count > 1).map(|(id, _)| id.as_str()).collect();
    if !doubled.is_empty() {
        findings
            .warn("log", format!("{} there more than once: {}", are(doubled.len()), few(doubled)))
            .cured_by("a merge doubled them; keep one line of each in `.chalk/updates.jsonl`");
    }
    if conflict.is_none() && damaged.is_empty() {
        findings.ok("log", text::counted(events, "event"));
    }
}

fn are(events: usize) -> String {
    if events == 1 { "1 event is".to_owned() } else { format!("{events} events are") }
}

/// The ids that occur more than once, each once.
fn doubles<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = BTreeSet::new();
    let doubled: BTreeSet<&str> = ids.filter(|id| !seen.insert(*id)).collect();
    doubled.into_iter().collect()
}
