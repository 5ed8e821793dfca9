//! `status`: where the project stands, bounded at any size.

use std::collections::HashMap;

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::backlog::Listed;
use crate::board::{Board, Counts, Group};
use crate::model::{Event, Question, State, TaskHead};
use crate::next::measured;
use crate::session::Session;
use crate::verify::Standing;

/// How many tasks of each group are listed unless all are asked for.
const FIRST: usize = 5;
/// How many milestones are listed unless all are asked for.
const MILESTONES: usize = 10;
/// How many questions are listed (the published five).
const QUESTIONS: usize = 5;
/// How many events are listed (the published three).
const EVENTS: usize = 3;
/// How much of the log's end is looked at for them.
const TAIL: u64 = 64 * 1024;

/// Where a project stands.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Status {
    /// Its name.
    pub name: String,
    /// Its goal in one line.
    pub goal: String,
    /// Its phase.
    pub phase: String,
    /// How many tasks there are of each group.
    pub counts: Counts,
    /// The groups that have tasks.
    pub groups: Vec<Listed>,
    /// Milestones in the order of their first task.
    pub milestones: Milestones,
    /// Open questions.
    pub questions: Questions,
    /// The last events, newest first.
    pub events: Vec<Event>,
    /// The last verify, as far as it is on record.
    pub verify: Option<Measured>,
    /// The last audit.
    pub audit: Option<Measured>,
    /// A phase needs a green and fresh audit.
    #[serde(rename = "auditRequired")]
    pub audit_required: bool,
}

/// Milestones.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Milestones {
    /// How many there are.
    pub total: usize,
    /// The first of them, those that aren't reached before those that are.
    pub shown: Vec<Milestone>,
}

/// A milestone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Milestone {
    /// Its name.
    pub name: String,
    /// How many of its tasks are done.
    pub done: usize,
    /// How many tasks it has.
    pub total: usize,
}

/// Open questions.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Questions {
    /// How many are open.
    pub open: usize,
    /// The first of them.
    pub shown: Vec<Question>,
}

/// What a gate measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Measured {
    /// When, ISO 8601.
    pub at: String,
    /// Whether it was green.
    pub green: bool,
    /// Why it no longer counts, as far as that shows without a look at the files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outdated: Option<String>,
}

/// Says where the project stands.
pub fn status(session: &Session<'_>, all: bool) -> Result<Status, Refusal> {
    let config = session.config()?;
    let tasks = session.tasks()?;
    let heads = tasks.heads().map_err(|damage| session.damaged("tasks.json", &damage))?;
    let board = Board::new(&heads);
    let mut questions = session.questions()?;
    questions.retain(Question::is_open);
    let open = questions.len();
    questions.truncate(if all { open } else { QUESTIONS });
    let mut events = session.events(Some(TAIL))?;
    events.reverse();
    events.truncate(EVENTS);
    let verify = measured::last(session);
    let protocol = config.protocol;
    Ok(Status {
        name: config.project.name,
        goal: config.project.description,
        phase: protocol.phase,
        counts: board.counts(),
        groups: groups(&board, all),
        milestones: milestones(&heads, all),
        questions: Questions { open, shown: questions },
        events,
        verify: verify.map(|last| Measured {
            at: last.at.to_string(),
            green: last.stored.green,
            outdated: outdated(last.standing).map(str::to_owned),
        }),
        audit: protocol.regression.last_audit.map(|audit| Measured {
            at: audit.at,
            green: audit.green,
            outdated: None,
        }),
        audit_required: protocol.regression.required,
    })
}

fn outdated(standing: Standing) -> Option<&'static str> {
    match standing {
        Standing::CommandsChanged => Some("the gates' commands changed since"),
        Standing::Interrupted => Some("a later run never ended"),
        // The files were not compared.
        Standing::Fresh | Standing::ContentMoved => None,
    }
}

fn groups(board: &Board<'_>, all: bool) -> Vec<Listed> {
    let order = [
        Group::InProgress,
        Group::Rework,
        Group::Blocked,
        Group::Ready,
        Group::Waiting,
        Group::NeedsCriteria,
        Group::Unknown,
        Group::Done,
    ];
    let listed = order.into_iter().filter_map(|group| {
        let places: Vec<usize> = board.of(group).collect();
        let total = places.len();
        let shown = if all { total } else { FIRST.min(total) };
        // Of what is done the latest says the most.
        let from = if group == Group::Done { total - shown } else { 0 };
        let tasks = places[from..from + shown].iter().map(|place| board.item(*place)).collect();
        (total > 0).then_some(Listed { group, total, tasks })
    });
    listed.collect()
}

fn milestones(heads: &[TaskHead<'_>], all: bool) -> Milestones {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Milestone> = Vec::new();
    for head in heads {
        let Some(name) = head.milestone.as_deref().filter(|name| !name.is_empty()) else { continue };
        let place = *places.entry(name).or_insert_with(|| {
            found.push(Milestone { name: name.to_owned(), done: 0, total: 0 });
            found.len() - 1
        });
        found[place].total += 1;
        found[place].done += usize::from(head.state == State::Done);
    }
    let total = found.len();
    found.sort_by_key(|milestone| milestone.done == milestone.total);
    found.truncate(if all { total } else { MILESTONES });
    Milestones { total, shown: found }
}
