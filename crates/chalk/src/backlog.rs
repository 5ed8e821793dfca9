//! `backlog`: what can be worked on, in order, and what waits for what.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::board::{Board, Counts, Group, Item};
use crate::session::Session;

/// How many tasks of each group are listed unless all are asked for.
pub const FIRST: usize = 10;

/// The tasks that aren't done, by group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Backlog {
    /// The milestone that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// How many tasks there are of each group.
    pub counts: Counts,
    /// The groups, in the order in which they are worked on; empty ones are left out.
    pub groups: Vec<Listed>,
}

/// The tasks of one group.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Listed {
    /// Which one.
    pub group: Group,
    /// How many there are.
    pub total: usize,
    /// The first of them, or all.
    pub tasks: Vec<Item>,
}

/// The groups in the order in which they are worked on.
const ORDER: [Group; 7] = [
    Group::InProgress,
    Group::Rework,
    Group::Ready,
    Group::NeedsCriteria,
    Group::Waiting,
    Group::Blocked,
    Group::Unknown,
];

/// Lists what is open, of one milestone or of all.
pub fn list(session: &Session<'_>, milestone: Option<&str>, all: bool) -> Result<Backlog, Refusal> {
    let tasks = session.tasks()?;
    let heads = tasks.heads().map_err(|damage| session.damaged("tasks.json", &damage))?;
    let board = Board::new(&heads);
    let wanted =
        |index: &usize| milestone.is_none_or(|name| board.head(*index).milestone.as_deref() == Some(name));
    let mut counts = Counts::default();
    let mut groups = Vec::new();
    for group in ORDER.into_iter().chain([Group::Done]) {
        let places: Vec<usize> = board.of(group).filter(wanted).collect();
        *counts.of(group) = places.len();
        if group != Group::Done && !places.is_empty() {
            let shown = if all { places.len() } else { FIRST };
            let tasks = places.iter().take(shown).map(|index| board.item(*index)).collect();
            groups.push(Listed { group, total: places.len(), tasks });
        }
    }
    Ok(Backlog { milestone: milestone.map(str::to_owned), counts, groups })
}
