//! `updates.jsonl`, `decisions.md` and `questions.json`.

use std::fmt::Write as _;

use canon::{Timestamp, json, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of event that the portal's vocabulary has.
pub const EVENT_TYPES: &[&str] = &[
    "progress-update",
    "milestone-hit",
    "decision-logged",
    "lesson-learned",
    "planning-generated",
    "work-item-started",
    "work-item-submitted",
    "work-item-accepted",
    "question-answered",
];

/// One line of `updates.jsonl`, keys in the published order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// `evt-` and eight hex digits.
    #[serde(default)]
    pub id: String,
    /// When, ISO 8601.
    #[serde(default)]
    pub at: String,
    /// One of [`EVENT_TYPES`].
    #[serde(default, rename = "type")]
    pub kind: String,
    /// One line.
    #[serde(default)]
    pub title: String,
    /// More, possibly nothing.
    #[serde(default)]
    pub description: String,
    /// The phase at that time.
    #[serde(default)]
    pub phase: String,
    /// `agent`.
    #[serde(default)]
    pub actor_role: String,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl Event {
    /// The event as a line of the log, with its line end.
    pub fn line(&self) -> String {
        let value = serde_json::to_value(self).unwrap_or_default();
        format!("{}\n", json::compact(&value))
    }
}

/// An entry of `decisions.md` in the published form. Titles and reasons stay on one line each, so that
/// none can forge a heading.
pub fn decision_entry(title: &str, why: Option<&str>, at: Timestamp) -> String {
    let why =
        why.map(text::one_line).filter(|why| !why.is_empty()).unwrap_or_else(|| "(not given)".to_owned());
    let mut entry = String::new();
    let _ = write!(entry, "\n## {}\n\n- _when:_ {at}\n- _why:_ {why}\n", text::one_line(title));
    entry
}

/// The first line of `decisions.md`.
pub const DECISIONS_HEADING: &str = "# Decisions (ADR-lite)\n";

/// An entry of `questions.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// `q-` and eight hex digits.
    pub id: String,
    /// What is asked.
    #[serde(default)]
    pub question: String,
    /// Who should answer: `us`, `client`, `human`.
    #[serde(default)]
    pub awaiting_from: String,
    /// `open` or `resolved`.
    #[serde(default)]
    pub status: String,
    /// When it was asked, ISO 8601.
    #[serde(default)]
    pub at: String,
    /// The answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The task it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

impl Question {
    /// Whether it waits for an answer.
    pub fn is_open(&self) -> bool {
        self.status == "open"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_the_published_keys_in_order() {
        let event = Event {
            id: "evt-1".into(),
            at: "t".into(),
            kind: "progress-update".into(),
            title: "Größe \"x\"".into(),
            description: String::new(),
            phase: "build".into(),
            actor_role: "agent".into(),
            task_id: None,
        };
        assert_eq!(
            event.line(),
            "{\"id\":\"evt-1\",\"at\":\"t\",\"type\":\"progress-update\",\"title\":\"Größe \\\"x\\\"\",\
             \"description\":\"\",\"phase\":\"build\",\"actorRole\":\"agent\"}\n"
        );
    }

    #[test]
    fn a_title_cannot_forge_a_heading() {
        let entry = decision_entry("a\n\n## Released v9", Some(" "), Timestamp::from_millis(0));
        assert_eq!(entry.lines().filter(|line| line.starts_with("## ")).count(), 1);
        assert!(entry.ends_with("- _why:_ (not given)\n"));
    }
}
