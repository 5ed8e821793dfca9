//! Handoff documents: `.chalk/handoffs/<display id>-<seq>.md`, for whoever goes on with a task.
//!
//! The facts in it are the program's. Where `handoff.command` is set, it is given them and adds the notes;
//! a command that fails leaves the facts.

use std::fmt::Write as _;
use std::fs;

use canon::{Timestamp, text};
use gate::Refusal;
use gate::run::{Capture, Input, Program};
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::context::changed::changed;
use crate::draft::Draft;
use crate::exec::{self, Logs};
use crate::locks;
use crate::model::task::HandoffRef;
use crate::model::{Config, State, Task};
use crate::session::Session;
use crate::tree;
use crate::withheld::Withheld;

const FOLDER: &str = "handoffs";
/// How many changed files the document names.
const FILES: usize = 50;
/// How much a command may add.
const NOTES: usize = 64 * 1024;

/// A handoff that was written.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Written {
    /// The task's whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The document.
    pub handoff: HandoffRef,
    /// The notes of `handoff.command` are in it.
    pub narrated: bool,
    /// The command that takes the task up again.
    pub next: String,
}

/// Writes a handoff document for a task.
pub fn write(session: &Session<'_>, wanted: &str, reason: &str) -> Result<Written, Refusal> {
    let task = session.task(wanted)?;
    let reason = text::one_line(reason);
    let document = compose(session, &session.config()?, &task, &Occasion::of(&reason))?;
    session.write("handoff", |draft| {
        let index = find_again(draft, &task)?;
        let handoff = store(draft, index, &task, &reason, &document)?;
        Ok(Written {
            next: session.cmd(&format!("context {}", quote(&task.id))),
            narrated: document.narrated,
            id: task.id,
            title: task.title,
            handoff,
        })
    })
}

/// The place of a task that was read before the lock was taken.
pub(crate) fn find_again(draft: &mut Draft<'_, '_>, task: &Task) -> Result<usize, Refusal> {
    match draft.find(&task.id) {
        Ok((index, found)) if found.id == task.id => Ok(index),
        _ => Err(Refusal::new(codes::SPINE_MOVED, format!("the task `{}` was dropped meanwhile", task.id))
            .hint("nothing was changed")),
    }
}

/// Why a document is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Occasion<'o> {
    /// The reason in words.
    pub reason: &'o str,
    /// The task is blocked along with it.
    pub blocks: bool,
    /// What failed, one line each.
    pub failed: &'o [String],
}

impl<'o> Occasion<'o> {
    fn of(reason: &'o str) -> Self {
        Self { reason, blocks: false, failed: &[] }
    }
}

/// A document that is not stored yet.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    text: String,
    narrated: bool,
}

/// Puts the document together, and runs `handoff.command` where it is set: not under the write lock.
pub(crate) fn compose(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    occasion: &Occasion<'_>,
) -> Result<Document, Refusal> {
    let facts = facts(session, config, task, occasion)?;
    let notes = match config.protocol.command(&config.protocol.handoff.command) {
        Some(command) => narrate(session, config, task, &command, &facts),
        None => None,
    };
    let narrated = notes.is_some();
    let notes = notes.unwrap_or_else(|| "(none)".to_owned());
    let id = quote(&task.id);
    let unblock = if occasion.blocks || task.state == State::Blocked {
        format!("`{}` once what it needs is there, then ", session.cmd(&format!("unblock {id}")))
    } else {
        String::new()
    };
    let text = format!(
        "{facts}\n## Notes\n\n{notes}\n\n## Going on\n\nIn a fresh session: {unblock}`{}`, then `{}`.\n",
        session.cmd(&format!("context {id}")),
        session.cmd("next")
    );
    Ok(Document { text, narrated })
}

/// Stores the document under the next number that is free and points the task at it.
pub(crate) fn store(
    draft: &mut Draft<'_, '_>,
    index: usize,
    task: &Task,
    reason: &str,
    document: &Document,
) -> Result<HandoffRef, Refusal> {
    let stem = file_stem(task.display_id());
    let before = task.handoff.as_ref().map_or(0, |handoff| handoff.seq);
    let seq = before.max(highest(draft.session(), &stem)) + 1;
    let name = format!("{FOLDER}/{stem}-{seq}.md");
    draft.file(&name, document.text.clone())?;
    let handoff = HandoffRef {
        path: format!(".chalk/{name}"),
        at: Timestamp::to_string(&draft.now()),
        reason: reason.to_owned(),
        seq,
    };
    draft.set_task(index, &["handoff".into()], &json!(handoff))?;
    let title = format!("Handoff written: {}", task.title);
    draft.event("progress-update", &title, &format!("reason: {reason}"), Some(&task.id));
    Ok(handoff)
}

/// An id as a file name. Ids that people wrote may hold anything.
fn file_stem(id: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let stem: String = id.chars().map(safe).collect();
    if stem.is_empty() { "task".to_owned() } else { stem }
}

/// The highest number of a document with this stem. Two tasks can share a display id, and no document is
/// ever overwritten.
fn highest(session: &Session<'_>, stem: &str) -> u32 {
    let Ok(entries) = fs::read_dir(session.path(FOLDER)) else { return 0 };
    let number = |name: &str| name.strip_prefix(stem)?.strip_prefix('-')?.strip_suffix(".md")?.parse().ok();
    entries.flatten().filter_map(|entry| number(&entry.file_name().to_string_lossy())).max().unwrap_or(0)
}

/// The state of the task once the document is stored.
fn state(task: &Task, occasion: &Occasion<'_>) -> String {
    match (&task.state, &task.blocked_from) {
        (State::Blocked, Some(from)) => format!("blocked, was {from}"),
        (State::Blocked, None) => "blocked".to_owned(),
        (state, _) if occasion.blocks => format!("blocked, was {state}"),
        (state, _) => state.to_string(),
    }
}

fn facts(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    occasion: &Occasion<'_>,
) -> Result<String, Refusal> {
    let withheld = Withheld::of(session, config, &task.held_out);
    let line = |line: &str| withheld.redact(&text::one_line(line)).into_owned();
    let mut out = String::new();
    let _ = writeln!(out, "# Handoff: {}\n", line(&task.title));
    let _ = writeln!(out, "- task: `{}` ({})", task.id, state(task, occasion));
    let _ = writeln!(out, "- written: {}", session.now());
    let _ = writeln!(out, "- reason: {}", line(occasion.reason));
    if let Some(attempts) = task.attempts {
        let _ = writeln!(out, "- executor runs: {attempts}");
    }
    section(&mut out, "What failed", occasion.failed.iter().map(|failed| format!("- {}", line(failed))));
    section(
        &mut out,
        "Acceptance criteria",
        task.criteria().enumerate().map(|(number, criterion)| format!("{}. {}", number + 1, line(criterion))),
    );
    let open = task.directives.iter().filter(|directive| !directive.resolved);
    section(&mut out, "Open corrections", open.map(|directive| format!("- {}", line(&directive.instead))));
    let tree = tree::of(session, task).path;
    let changed = changed(session, config, task, &tree, &withheld);
    if let Some(why) = &changed.unknown {
        section(&mut out, "Changed files", [format!("not known: {why}")]);
    } else {
        let more = changed.files.len().saturating_sub(FILES);
        let files =
            changed.files.iter().take(FILES).map(|file| format!("- `{}` ({})", line(&file.path), file.how));
        let rest = (more > 0).then(|| format!("- and {more} more"));
        section(&mut out, "Changed files", files.chain(rest));
    }
    let states = locks::check(session, task, &tree)?;
    let states = states.iter().filter(|state| !withheld.hides(state.path.as_bytes()));
    section(
        &mut out,
        "Locked tests",
        states.map(|state| {
            let mark = if state.holds() { "" } else { "**broken** " };
            format!("- {mark}{}", line(&state.sentence()))
        }),
    );
    if let Some(review) = task.reviews.last() {
        let head = format!("{} by {}, {}", line(&review.verdict), line(&review.by), review.at);
        let findings = review
            .findings
            .iter()
            .map(|finding| format!("- {} {}: {}", finding.severity, finding.area, line(&finding.note)));
        section(&mut out, "Last review", [head].into_iter().chain(findings));
    }
    let questions = session.questions()?;
    let questions = questions
        .iter()
        .filter(|question| question.is_open() && question.task_id.as_ref().is_none_or(|id| *id == task.id));
    section(
        &mut out,
        "Open questions",
        questions.map(|question| {
            format!("- `{}` ({}) {}", question.id, line(&question.awaiting_from), line(&question.question))
        }),
    );
    Ok(out)
}

/// A section, unless it is empty.
fn section(out: &mut String, heading: &str, lines: impl IntoIterator<Item = String>) {
    let lines: Vec<String> = lines.into_iter().collect();
    if !lines.is_empty() {
        let _ = write!(out, "\n## {heading}\n\n{}\n", lines.join("\n"));
    }
}

/// The notes of the configured command; none, with a warning, where it fails.
fn narrate(
    session: &Session<'_>,
    config: &Config,
    task: &Task,
    command: &str,
    facts: &str,
) -> Option<String> {
    let prompt = format!(
        "Write notes for whoever takes up this task next, in Markdown, below 60 lines: what is done, what is\n\
         not, what was tried and why it failed, and the very next step. The facts below are in the document\n\
         already; don't repeat them. Print the notes and nothing else. Change no file.\n\n{facts}"
    );
    let failed = |why: String| {
        session.warn(format!("`handoff.command` gave no notes ({why}); the document has the facts alone"));
        None
    };
    let logs = match Logs::create(session, "handoff") {
        Ok(logs) => logs,
        Err(refusal) => return failed(refusal.message),
    };
    let stdout = logs.file("handoff.md");
    session.progress.begin("handoff");
    let ran = exec::run(
        session,
        Program::shell(command),
        &tree::of(session, task).path,
        Input::Bytes(prompt.into_bytes()),
        config.protocol.timeouts.author,
        Capture::Split { stdout: stdout.clone(), stderr: logs.file("handoff.log") },
    );
    session.progress.end("handoff", "");
    match ran {
        Err(refusal) => failed(refusal.message),
        Ok(ran) if !ran.success() => failed(ran.cause()),
        Ok(_) => match fs::read(&stdout) {
            Err(error) => failed(error.to_string()),
            Ok(bytes) => {
                let notes = String::from_utf8_lossy(&bytes);
                let notes = Withheld::of(session, config, &task.held_out).redact(notes.trim()).into_owned();
                if text::is_blank(&notes) {
                    return failed("it printed nothing".to_owned());
                }
                let kept = text::prefix(&notes, NOTES);
                Some(if kept.len() < notes.len() { format!("{kept}\n\n(cut here)") } else { notes })
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_a_person_wrote_stays_in_the_folder() {
        assert_eq!(file_stem("../../etc"), "______etc");
        assert_eq!(file_stem("task-1ce3dd6"), "task-1ce3dd6");
        assert_eq!(file_stem(""), "task");
    }
}
