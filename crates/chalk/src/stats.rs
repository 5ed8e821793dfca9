//! `stats`: what the gates caught, counted from the event log.
//!
//! Events are told apart by the beginnings of their titles, which all programs that write the log
//! share.

use std::collections::{BTreeMap, BTreeSet};

use canon::{Timestamp, text};
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::Event;
use crate::session::Session;

/// What the gates caught.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Stats {
    /// Only events from this instant on count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Everything that a gate stopped: red verifies, blocking reviews, red audits.
    pub caught: usize,
    /// Red runs of `verify`, and tasks that were blocked because they didn't verify, of which other programs
    /// log no run.
    pub verify_red: usize,
    /// Reviews that blocked.
    pub review_block: usize,
    /// Reviews that passed.
    pub review_pass: usize,
    /// Audits that were red.
    pub audit_red: usize,
    /// Audits that were green.
    pub audit_green: usize,
    /// Times that somebody went past a shut gate with a reason.
    pub overridden: usize,
    /// Times that a task was blocked.
    pub blocked: usize,
    /// Handoff documents.
    pub handoffs: usize,
    /// Tasks that went through all gates.
    pub done: usize,
    /// The tasks in which something was caught, most first. Not there for the public.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<TaskStats>>,
}

/// What was caught in one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TaskStats {
    /// The task.
    pub id: String,
    /// Its title; empty where the task is gone.
    pub title: String,
    /// How often a gate stopped it.
    pub caught: usize,
}

/// What an event counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    VerifyRed,
    Blocked,
    ReviewBlock,
    ReviewPass,
    AuditRed,
    AuditGreen,
    Overridden,
    Handoff,
    Done,
}

const BLOCKED: &str = "Blocked:";

/// The beginnings of titles.
const TITLES: &[(&str, Kind)] = &[
    ("Verify RED", Kind::VerifyRed),
    (BLOCKED, Kind::Blocked),
    ("Review (block):", Kind::ReviewBlock),
    ("Review (pass):", Kind::ReviewPass),
    ("Audit red", Kind::AuditRed),
    ("Audit green", Kind::AuditGreen),
    ("Decision: Overrode ", Kind::Overridden),
    ("Handoff written", Kind::Handoff),
    ("Done:", Kind::Done),
];

/// What a block's reason says where the task didn't verify.
const NOT_VERIFIED: [&str; 2] = ["verify RED", "without a green verify"];

fn kind(event: &Event) -> Option<Kind> {
    let (_, kind) = TITLES.iter().find(|(beginning, _)| event.title.starts_with(beginning))?;
    let by_verify = NOT_VERIFIED.iter().any(|words| event.description.contains(words));
    Some(if *kind == Kind::Blocked && by_verify { Kind::VerifyRed } else { *kind })
}

/// Counts; `public` leaves out what names a task.
pub fn stats(session: &Session<'_>, since: Option<Timestamp>, public: bool) -> Result<Stats, Refusal> {
    let mut stats = Stats { since, ..Stats::default() };
    let mut caught: BTreeMap<String, usize> = BTreeMap::new();
    let mut seen_red: BTreeSet<String> = BTreeSet::new();
    for event in session.events(None)? {
        // An event without a readable time is as old as the log.
        if since.is_some_and(|since| event.at.parse::<Timestamp>().map_or(true, |at| at < since)) {
            continue;
        }
        let Some(mut kind) = kind(&event) else { continue };
        if kind == Kind::VerifyRed {
            let task = event.task_id.clone().unwrap_or_default();
            // A red run that is in the log is not counted again when the task is blocked for it.
            if event.title.starts_with(BLOCKED) && seen_red.contains(&task) {
                kind = Kind::Blocked;
            } else {
                seen_red.insert(task);
            }
        }
        stats.count(kind);
        if let (true, Some(task)) = (kind.is_catch(), event.task_id) {
            *caught.entry(task).or_default() += 1;
        }
    }
    stats.caught = stats.verify_red + stats.review_block + stats.audit_red;
    if !public {
        stats.tasks = Some(by_task(session, caught)?);
    }
    Ok(stats)
}

impl Kind {
    /// Whether a gate stopped something.
    fn is_catch(self) -> bool {
        matches!(self, Self::VerifyRed | Self::ReviewBlock | Self::AuditRed)
    }
}

impl Stats {
    fn count(&mut self, kind: Kind) {
        let counted = match kind {
            Kind::VerifyRed => &mut self.verify_red,
            Kind::Blocked => &mut self.blocked,
            Kind::ReviewBlock => &mut self.review_block,
            Kind::ReviewPass => &mut self.review_pass,
            Kind::AuditRed => &mut self.audit_red,
            Kind::AuditGreen => &mut self.audit_green,
            Kind::Overridden => &mut self.overridden,
            Kind::Handoff => &mut self.handoffs,
            Kind::Done => &mut self.done,
        };
        *counted += 1;
    }
}

/// The tasks with their titles, most caught first.
fn by_task(session: &Session<'_>, caught: BTreeMap<String, usize>) -> Result<Vec<TaskStats>, Refusal> {
    let tasks = session.tasks()?;
    let heads = tasks.heads().map_err(|damage| session.damaged("tasks.json", &damage))?;
    let titles: BTreeMap<&str, &str> = heads
        .iter()
        .filter(|head| caught.contains_key(&*head.id))
        .map(|head| (&*head.id, &*head.title))
        .collect();
    let title = |id: &str| titles.get(id).map(|title| text::one_line(title)).unwrap_or_default();
    let mut tasks: Vec<TaskStats> = caught
        .iter()
        .map(|(id, caught)| TaskStats { title: title(id), id: id.clone(), caught: *caught })
        .collect();
    tasks.sort_by_key(|task| std::cmp::Reverse(task.caught));
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(title: &str, description: &str) -> Option<Kind> {
        kind(&Event {
            id: String::new(),
            at: String::new(),
            kind: String::new(),
            title: title.to_owned(),
            description: description.to_owned(),
            phase: String::new(),
            actor_role: String::new(),
            task_id: None,
        })
    }

    #[test]
    fn events_count_by_the_beginnings_of_their_titles() {
        assert_eq!(of("Blocked: x (needs decision)", "which one"), Some(Kind::Blocked));
        assert_eq!(
            of("Blocked: x (needs human-input)", "verify RED after 3 attempts"),
            Some(Kind::VerifyRed)
        );
        assert_eq!(of("Blocked: x", "ended without a green verify"), Some(Kind::VerifyRed));
        assert_eq!(of("Audit green (held-out regression)", ""), Some(Kind::AuditGreen));
        assert_eq!(of("Audit red", ""), Some(Kind::AuditRed));
        assert_eq!(of("Decision: Overrode review gate for x", ""), Some(Kind::Overridden));
        assert_eq!(of("Review (block): x", "verify RED"), Some(Kind::ReviewBlock));
        assert_eq!(of("Unblocked: x", ""), None);
        assert_eq!(of("the Audit red", ""), None);
    }
}
