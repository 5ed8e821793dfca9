//! Tasks that are done: whether a gate closed them.
//!
//! `done` leaves an event of the kind `work-item-accepted` with the task's id, here and in other programs. A task
//! that somebody marked by hand has none, whether or not the edit was committed.

use std::collections::HashMap;
use std::fs;

use canon::json;
use store::file;

use crate::model::{Event, State, Task};
use crate::session::Session;

/// The tasks that are done, but by no gate that is on record.
pub(crate) fn unrecorded<'t>(session: &Session<'_>, tasks: &'t [Task]) -> Vec<&'t Task> {
    let done: Vec<&Task> = tasks.iter().filter(|task| task.state == State::Done).collect();
    if done.is_empty() {
        return done;
    }
    let accepted = accepted(session);
    let is_unrecorded = |task: &&Task| match (accepted.get(&task.id), &task.started_at) {
        (None, _) => true,
        // One from before the task was taken up again is no record of this end.
        (Some(at), Some(started)) => at < started,
        (Some(_), None) => false,
    };
    done.into_iter().filter(is_unrecorded).collect()
}

/// When each task was closed last, from the log and its archives. Lines that can't be read are named elsewhere.
fn accepted(session: &Session<'_>) -> HashMap<String, String> {
    let mut logs = vec![session.path("updates.jsonl")];
    let archive = fs::read_dir(session.path("archive")).into_iter().flatten().flatten();
    logs.extend(archive.map(|entry| entry.path()).filter(|path| {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("updates-") && path.extension().is_some_and(|extension| extension == "jsonl")
    }));
    let mut accepted: HashMap<String, String> = HashMap::new();
    for log in logs {
        let Ok(Some(bytes)) = file::read(&log) else { continue };
        for line in bytes.split(|&byte| byte == b'\n') {
            let text = String::from_utf8_lossy(line.trim_ascii());
            let Ok(event) = json::read::<Event>(json::legible(&text).as_bytes()) else { continue };
            if event.kind == "work-item-accepted"
                && let Some(task) = event.task_id
            {
                let last = accepted.entry(task).or_default();
                *last = event.at.max(std::mem::take(last));
            }
        }
    }
    accepted
}
