//! `context`: what an agent reads before it works (P3): the task, the tests at risk, the part of the spec that
//! is about it, and what was learned before. Context, not procedure.
//!
//! Nothing of the held-out set is ever in it, see [`withheld`](crate::withheld). The elastic parts are cut to
//! `protocol.contextBudget`, and each cut is named.

mod budget;
pub(crate) mod changed;
mod impact;
mod slice;
mod task;
mod text;
mod words;

use std::fs;

use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;
use store::git::RepoPath;

pub use changed::ChangedFile;
pub use impact::{AtRisk, Coverage, Impact};
pub use slice::{Section, SpecSlice};
pub use task::{Handoff, TaskPart};
pub use text::text;

use crate::contract;
use crate::lesson::{self, Lesson};
use crate::model::{Config, Question, State, Task};
use crate::session::Session;
use crate::skill;
use crate::withheld::Withheld;

/// How many open questions are given.
const QUESTIONS: usize = 20;

/// Everything that an agent is given.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Context {
    /// The project.
    pub project: ProjectPart,
    /// The task; none where no task was named and none is in progress.
    pub task: Option<TaskPart>,
    /// The test-impact map of the task.
    pub impact: Option<Impact>,
    /// The part of the spec that is about the task.
    pub spec: SpecSlice,
    /// How-to texts, in the order of their names.
    pub skills: Vec<SkillPart>,
    /// The newest lessons, oldest first.
    pub lessons: Vec<Lesson>,
    /// Open questions, oldest first.
    pub questions: Vec<Question>,
    /// That there is a held-out set, and how large it is; none where nothing is locked.
    pub held_out: Option<String>,
    /// The contract in short.
    pub contract: Vec<String>,
    /// What was left out.
    pub cuts: Vec<Cut>,
    /// Bytes that the whole may take where the fixed parts leave room (`protocol.contextBudget`).
    pub budget: usize,
}

/// The project.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ProjectPart {
    /// Its name.
    pub name: String,
    /// Its goal in one line.
    pub goal: String,
    /// Its phase.
    pub phase: String,
}

/// A how-to text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SkillPart {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Cut {
    /// The part of the context.
    pub part: &'static str,
    /// What was left out of it, in words.
    pub what: String,
    /// It was left out to fit the budget, and not since there is a bound on such things anyway.
    pub over_budget: bool,
}

impl Cut {
    fn over_budget(part: &'static str, what: impl Into<String>) -> Self {
        Self { part, what: what.into(), over_budget: true }
    }

    fn bounded(part: &'static str, what: impl Into<String>) -> Self {
        Self { part, what: what.into(), over_budget: false }
    }
}

/// The context of the task that `wanted` names, else of the task in progress, else of the project alone.
pub fn context(session: &Session<'_>, wanted: Option<&str>) -> Result<Context, Refusal> {
    let config = session.config()?;
    let task = match wanted {
        Some(wanted) => Some(session.task(wanted)?),
        None => in_progress(session)?,
    };
    assemble(session, &config, task.as_ref())
}

/// The first task in progress.
fn in_progress(session: &Session<'_>) -> Result<Option<Task>, Refusal> {
    let tasks = session.tasks()?;
    let damaged = |damage| session.damaged("tasks.json", &damage);
    let place = tasks.heads().map_err(damaged)?.iter().position(|head| head.state == State::InProgress);
    let Some(place) = place else { return Ok(None) };
    let spans = tasks.spans().map_err(damaged)?;
    tasks.task(&spans[place]).map(Some).map_err(damaged)
}

/// Puts the parts together.
fn assemble(session: &Session<'_>, config: &Config, task: Option<&Task>) -> Result<Context, Refusal> {
    let locks = impact::locks_of_all(session)?;
    let mut withheld = Withheld::of(session, config, locks.iter().flat_map(|task| &task.held_out));
    let impact = match task {
        Some(task) => Some(impact::map(session, config, task, &locks, &mut withheld)?),
        None => None,
    };
    let redact = |text: &str| plain(&withheld.redact(text));
    let questions = session.questions()?;
    let open: Vec<&Question> = questions.iter().filter(|question| question.is_open()).collect();
    let mut cuts = Vec::new();
    if open.len() > QUESTIONS {
        cuts.push(Cut::bounded("questions", format!("{} newer ones", open.len() - QUESTIONS)));
    }
    let questions = open
        .iter()
        .take(QUESTIONS)
        .map(|question| Question { question: one_line(&redact(&question.question)), ..(*question).clone() });
    let count = withheld.count;
    let id = task.map_or_else(|| "ID".to_owned(), |task| quote(&task.id));
    let mut context = Context {
        project: ProjectPart {
            name: one_line(&redact(&config.project.name)),
            goal: one_line(&redact(&config.project.description)),
            phase: one_line(&redact(&config.protocol.phase)),
        },
        task: task.map(|task| task::part(session, task, &withheld)),
        impact,
        spec: SpecSlice::default(),
        skills: Vec::new(),
        lessons: Vec::new(),
        questions: questions.collect(),
        held_out: match count {
            0 => None,
            1 => Some(
                "1 held-out test is locked: an audit runs it, and it is not for you to look for".to_owned(),
            ),
            _ => Some(format!(
                "{count} held-out tests are locked: an audit runs them, and they are not for you to look for"
            )),
        },
        contract: contract::in_short(session, &id),
        cuts,
        budget: config.protocol.context_budget,
    };
    let elastic = budget::Elastic {
        handoff: task.and_then(|task| task::handoff(session, task, &withheld)),
        spec: redact(&spec(session, &withheld)),
        wanted: wanted(task, context.impact.as_ref()),
        skills: skill::all(session)?
            .into_iter()
            .map(|(skill, text)| SkillPart {
                name: one_line(&redact(&skill.name)),
                text: redact(text.trim()),
            })
            .collect(),
        lessons: lessons(session)
            .into_iter()
            .map(|lesson| Lesson { text: one_line(&redact(&lesson.text)), ..lesson })
            .collect(),
    };
    budget::fill(session, &mut context, elastic);
    Ok(context)
}

/// The text of the spec. Many keep it elsewhere in the repository and link to it; a link to anywhere else, or
/// to what is withheld, is passed over.
fn spec(session: &Session<'_>, withheld: &Withheld) -> String {
    let path = session.path("spec.md");
    let read = || -> Result<Option<Vec<u8>>, String> {
        if !fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return file::read(&path).map_err(|error| error.to_string());
        }
        let real = fs::canonicalize(&path).map_err(|error| format!("`.chalk/spec.md`: {error}"))?;
        match real.strip_prefix(&session.spine.root) {
            Ok(within) if !withheld.hides(RepoPath::from_path(within).as_bytes()) => {
                file::read(&real).map_err(|error| error.to_string())
            }
            _ => Err("`.chalk/spec.md` is a symbolic link out of the repository".to_owned()),
        }
    };
    match read() {
        Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
        Err(why) => {
            session.warn(format!("the spec is passed over: {why}"));
            String::new()
        }
    }
}

/// The lessons; a file that can't be read doesn't take the rest of the context away.
fn lessons(session: &Session<'_>) -> Vec<Lesson> {
    lesson::all(session).unwrap_or_else(|refusal| {
        session.warn(format!("the lessons are passed over: {}", refusal.message));
        Vec::new()
    })
}

/// The words that say what a task is about: its title, its criteria, and the names of its files.
fn wanted(task: Option<&Task>, impact: Option<&Impact>) -> std::collections::BTreeSet<String> {
    let Some(task) = task else { return std::collections::BTreeSet::new() };
    let mut text = task.title.clone();
    for criterion in task.criteria() {
        text.push('\n');
        text.push_str(criterion);
    }
    if let Some(impact) = impact {
        let changed = impact.changed.iter().map(|file| file.path.as_str());
        for path in changed.chain(impact.locks.iter().map(|lock| lock.path.as_str())) {
            text.push('\n');
            text.push_str(path);
        }
    }
    words::of(&text)
}

/// Text without control characters but line feeds and tabs, so that no file of the repository steers the
/// terminal of whoever reads it.
fn plain(text: &str) -> String {
    text.replace("\r\n", "\n").chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

fn one_line(text: &str) -> String {
    canon::text::one_line(text)
}
