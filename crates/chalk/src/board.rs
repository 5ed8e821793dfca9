//! The tasks by what can be done with them: what `next`, `status` and `backlog` are made of.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{State, TaskHead};

/// What can be done with a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// It is being worked on.
    InProgress,
    /// It can be started.
    Ready,
    /// It has criteria, and tasks that come first are not done.
    Waiting,
    /// It needs acceptance criteria.
    NeedsCriteria,
    /// It is blocked on work that is the agent's own.
    Rework,
    /// It is blocked on somebody else.
    Blocked,
    /// It is done.
    Done,
    /// Its state is a word that the protocol doesn't have.
    Unknown,
}

/// How many tasks there are of each group.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Counts {
    /// Being worked on.
    pub in_progress: usize,
    /// Can be started.
    pub ready: usize,
    /// Specified, after tasks that are not done.
    pub waiting: usize,
    /// Without acceptance criteria.
    pub needs_criteria: usize,
    /// Blocked on the agent's own work after a review.
    pub rework: usize,
    /// Blocked on somebody else.
    pub blocked: usize,
    /// Done.
    pub done: usize,
    /// In a state that the protocol doesn't have.
    pub unknown: usize,
}

/// One task in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Item {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// What can be done with it.
    pub group: Group,
    /// Its milestone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub milestone: Option<String>,
    /// The first of the tasks that come first and aren't done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits_for: Vec<String>,
    /// What it needs, where it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<String>,
    /// Why it is blocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// How many open dependencies an item names.
const WAITS_FOR: usize = 3;

/// Every task with its group, in the file's order.
#[derive(Debug)]
pub struct Board<'a> {
    heads: &'a [TaskHead<'a>],
    groups: Vec<Group>,
    /// Where the tasks that aren't done stand, where any task waits for another.
    places: HashMap<&'a str, usize>,
}

impl<'a> Board<'a> {
    /// Groups `heads`.
    pub fn new(heads: &'a [TaskHead<'a>]) -> Self {
        // A done task holds nobody up, and in a spine of any age most tasks are done.
        let is_open = |head: &&TaskHead<'_>| head.state != State::Done;
        let places = if heads.iter().filter(is_open).all(|head| head.after.is_empty()) {
            HashMap::new()
        } else {
            let open = heads.iter().enumerate().filter(|(_, head)| is_open(head));
            open.map(|(index, head)| (&*head.id, index)).collect()
        };
        let mut board = Self { heads, groups: Vec::with_capacity(heads.len()), places };
        board.groups = heads.iter().map(|head| board.group_of(head)).collect();
        board
    }

    fn group_of(&self, head: &TaskHead<'_>) -> Group {
        match &head.state {
            State::InProgress => Group::InProgress,
            State::Done => Group::Done,
            State::Todo => Group::NeedsCriteria,
            State::Specd if head.criteria.0 == 0 && head.tests.0 == 0 => Group::NeedsCriteria,
            State::Specd if self.open_before(head).next().is_some() => Group::Waiting,
            State::Specd => Group::Ready,
            State::Blocked if head.block.as_ref().is_some_and(|block| block.needs == "review") => {
                Group::Rework
            }
            State::Blocked => Group::Blocked,
            State::Other(_) => Group::Unknown,
        }
    }

    /// The tasks that come before `head` and aren't done. One that isn't in the file any more was archived
    /// or dropped, and holds nobody up.
    fn open_before<'b>(&'b self, head: &'b TaskHead<'_>) -> impl Iterator<Item = &'a TaskHead<'a>> + 'b {
        head.after.iter().filter_map(|id| self.places.get(&**id)).map(|&index| &self.heads[index])
    }

    /// The places in the file of the tasks of a group.
    pub fn of(&self, group: Group) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().enumerate().filter(move |(_, found)| **found == group).map(|(index, _)| index)
    }

    /// The place of the first task of a group.
    pub fn first(&self, group: Group) -> Option<usize> {
        self.of(group).next()
    }

    /// The head at a place.
    pub fn head(&self, index: usize) -> &'a TaskHead<'a> {
        &self.heads[index]
    }

    /// The task at a place, for a list.
    pub fn item(&self, index: usize) -> Item {
        let head = self.head(index);
        let group = self.groups[index];
        let waits_for = match group {
            Group::Waiting => {
                self.open_before(head).take(WAITS_FOR).map(|task| task.id.to_string()).collect()
            }
            _ => Vec::new(),
        };
        let block = head.block.as_ref().filter(|_| head.state == State::Blocked);
        Item {
            id: head.id.to_string(),
            title: head.title.to_string(),
            state: head.state.clone(),
            group,
            milestone: head.milestone.as_ref().map(ToString::to_string),
            waits_for,
            needs: block.map(|block| block.needs.clone()),
            reason: block.map(|block| block.reason.clone()),
        }
    }

    /// How many tasks there are of each group.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for group in &self.groups {
            *counts.of(*group) += 1;
        }
        counts
    }
}

impl Counts {
    pub(crate) fn of(&mut self, group: Group) -> &mut usize {
        match group {
            Group::InProgress => &mut self.in_progress,
            Group::Ready => &mut self.ready,
            Group::Waiting => &mut self.waiting,
            Group::NeedsCriteria => &mut self.needs_criteria,
            Group::Rework => &mut self.rework,
            Group::Blocked => &mut self.blocked,
            Group::Done => &mut self.done,
            Group::Unknown => &mut self.unknown,
        }
    }

    /// The counts that aren't zero, with their words.
    pub fn named(&self) -> Vec<(usize, &'static str)> {
        let all = [
            (self.in_progress, "in progress"),
            (self.ready, "ready"),
            (self.waiting, "waiting"),
            (self.needs_criteria, "without criteria"),
            (self.rework, "to rework"),
            (self.blocked, "blocked"),
            (self.done, "done"),
            (self.unknown, "in an unknown state"),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Tasks;

    #[test]
    fn every_task_is_in_one_group() {
        let text = r#"[
            {"id":"a","state":"done"},
            {"id":"b","state":"specd","acceptanceCriteria":[{"text":"x"}],"after":["a","gone"]},
            {"id":"c","state":"specd","tests":[{}],"after":["b"]},
            {"id":"d","state":"specd"},
            {"id":"e"},
            {"id":"f","state":"blocked","block":{"needs":"review"}},
            {"id":"g","state":"blocked","block":{"needs":"creds","reason":"a key"}},
            {"id":"h","state":"in-progress"},
            {"id":"i","state":"paused"}
        ]"#;
        let tasks = Tasks::new(text.as_bytes().to_vec()).unwrap();
        let heads = tasks.heads().unwrap();
        let board = Board::new(&heads);
        let of = |group| board.of(group).map(|index| board.head(index).id.to_string()).collect::<String>();
        assert_eq!(of(Group::Done), "a");
        assert_eq!(of(Group::Ready), "b");
        assert_eq!(of(Group::Waiting), "c");
        assert_eq!(of(Group::NeedsCriteria), "de");
        assert_eq!(of(Group::Rework), "f");
        assert_eq!(of(Group::Blocked), "g");
        assert_eq!(of(Group::InProgress), "h");
        assert_eq!(of(Group::Unknown), "i");
        assert_eq!(board.item(2).waits_for, ["b"]);
        assert_eq!(board.item(6).reason.as_deref(), Some("a key"));
        assert_eq!(board.counts().named().iter().map(|(count, _)| count).sum::<usize>(), 9);
    }
}
