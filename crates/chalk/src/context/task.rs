//! The task as a context gives it.

use canon::text;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use super::{one_line, plain};
use crate::model::{ReviewFinding, State, Task};
use crate::session::Session;
use crate::withheld::Withheld;

/// How much of a plan is given.
const PLAN: usize = 8000;

/// A task.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct TaskPart {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// Its acceptance criteria that say something, in their order.
    pub criteria: Vec<String>,
    /// A plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Corrections that a person gave and that are not followed yet.
    pub corrections: Vec<Correction>,
    /// Forks that nobody decided yet.
    pub forks: Vec<String>,
    /// What it needs, where it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<String>,
    /// What the last review found, where it blocks.
    pub blocking: Vec<ReviewFinding>,
    /// The last handoff document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Handoff>,
}

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Correction {
    /// What was chosen before; possibly nothing.
    pub choice: String,
    /// What to do instead.
    pub instead: String,
}

/// A handoff document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Handoff {
    /// Its path, relative to the root.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The end was cut off.
    pub cut: bool,
}

/// The task without its handoff.
pub(super) fn part(session: &Session<'_>, task: &Task, withheld: &Withheld) -> TaskPart {
    let line = |text: &str| one_line(&withheld.redact(text));
    let blocking = task.reviews.last().filter(|review| review.verdict.eq_ignore_ascii_case("block"));
    let findings = blocking.iter().flat_map(|review| &review.findings).map(|finding| ReviewFinding {
        severity: line(&finding.severity),
        area: line(&finding.area),
        note: line(&finding.note),
    });
    let mut blocking: Vec<ReviewFinding> = findings.collect();
    let note = task.reviews.last().filter(|review| review.verdict.eq_ignore_ascii_case("block"));
    if let Some(note) = note.and_then(|review| review.note.as_deref()).filter(|_| blocking.is_empty()) {
        blocking.push(ReviewFinding { note: line(note), ..ReviewFinding::default() });
    }
    let block = task.block.as_ref().filter(|_| task.state == State::Blocked);
    let plan = task.plan.as_deref().filter(|plan| !text::is_blank(plan));
    if let Some(handoff) = &task.handoff
        && !is_handoff(&handoff.path)
    {
        session.warn(format!("`{}` is no handoff document, so it is passed over", one_line(&handoff.path)));
    }
    TaskPart {
        id: task.id.clone(),
        title: line(&task.title),
        state: task.state.clone(),
        criteria: task.criteria().map(line).collect(),
        plan: plan.map(|plan| plain(&withheld.redact(text::prefix(plan.trim(), PLAN)))),
        corrections: task
            .directives
            .iter()
            .filter(|directive| !directive.resolved)
            .map(|directive| Correction {
                choice: line(&directive.choice),
                instead: line(&directive.instead),
            })
            .collect(),
        forks: task
            .raised
            .iter()
            .filter(|raise| raise.status == "open")
            .map(|raise| line(&raise.fork))
            .collect(),
        blocked: block.map(|block| line(&format!("needs {}: {}", block.needs, block.reason))),
        blocking,
        handoff: None,
    }
}

/// Whether a path that a task records is one of a handoff document. `tasks.json` is edited by many hands, and
/// what it names goes into the context.
fn is_handoff(path: &str) -> bool {
    let name = path.strip_prefix(".chalk/handoffs/").unwrap_or_default();
    !name.is_empty() && !name.contains(['/', '\\'])
}

/// Sections of a handoff document that the context has itself, and fresher.
const KNOWN: [&str; 7] = [
    "acceptance criteria",
    "open corrections",
    "changed files",
    "locked tests",
    "last review",
    "open questions",
    "going on",
];

/// A handoff document without the sections that the context has itself.
fn news(document: &str) -> String {
    let mut kept = Vec::new();
    let mut known = false;
    for line in document.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            known = KNOWN.contains(&heading.trim().to_lowercase().as_str());
        }
        if !known {
            kept.push(line);
        }
    }
    kept.join("\n").trim().to_owned()
}

/// The last handoff document of a task. One that is missing or can't be read is passed over.
pub(super) fn handoff(session: &Session<'_>, task: &Task, withheld: &Withheld) -> Option<Handoff> {
    let path = task.handoff.as_ref().map(|handoff| handoff.path.as_str()).filter(|path| is_handoff(path))?;
    match file::read(&session.spine.root.join(path)) {
        Ok(Some(bytes)) => {
            let text = plain(&withheld.redact(&String::from_utf8_lossy(&bytes)));
            Some(Handoff { path: path.to_owned(), text: news(&text), cut: false })
        }
        Ok(None) => None,
        Err(error) => {
            session.warn(format!("the last handoff is passed over: {error}"));
            None
        }
    }
}
