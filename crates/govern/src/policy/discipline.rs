//! What a policy says of the discipline of sessions: pinned constraints, and when they are said again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The priority of a pinned constraint that says none: above every prompt.
const OUTRANKING: u32 = 100;

/// A constraint that stays before the agent's eyes: said when a session begins, after each compaction, and before
/// the session forgets it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(extend("oneOf" = [{ "required": ["text"] }, { "required": ["file"] }]))]
pub struct Pin {
    /// The constraint in words. Either this or `file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A file with constraints, from the top of the repository. Lines that `HEAD` has stay in force until they are
    /// committed away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its priority, 0 to 100. A prompt of a lower one that goes against it is put on record.
    #[serde(default = "outranking")]
    #[schemars(range(max = 100))]
    pub priority: u32,
    /// What goes against it: words that stand in one sentence together, a string for each such set. Without any they are
    /// taken from what the constraint forbids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub against: Vec<String>,
    /// It forbids something, and is said again as the session grows. Without a value its words tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forbids: Option<bool>,
}

fn outranking() -> u32 {
    OUTRANKING
}

/// The discipline of sessions. What is left out has its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Discipline {
    /// The safe turn depth: how many turns of the model prohibitions are kept without being said again; 2 or more, 40 by
    /// default. They are said again at half of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2))]
    pub safe_turn_depth: Option<u64>,
    /// The safe token budget: from how many tokens on, estimated from what passes through the hook, a session is marked;
    /// 120000 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub safe_token_budget: Option<u64>,
    /// After how many denied calls the agent is told to plan first; 3 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub plan_first_after: Option<u64>,
    /// The priority of what a person says at a prompt, 0 to 100; 50 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 100))]
    pub prompt_priority: Option<u32>,
    /// What the review of a final message finds is given back to the agent, where it takes that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub review_stop: Option<bool>,
    /// Folders with lessons, from the top of the repository.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// How many proposals wait for a person at most; 20 by default. What comes beyond is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 500))]
    pub queue_cap: Option<usize>,
}

impl Discipline {
    /// The safe turn depth.
    pub fn depth(&self) -> u64 {
        self.safe_turn_depth.unwrap_or(40)
    }

    /// After how many turns prohibitions are said again: below the safe turn depth, with as much room to spare.
    pub fn interval(&self) -> u64 {
        self.depth().div_ceil(2)
    }

    /// The safe token budget.
    pub fn budget(&self) -> u64 {
        self.safe_token_budget.unwrap_or(120_000)
    }

    /// After how many denials the agent is told to plan first.
    pub fn plan_first(&self) -> u64 {
        self.plan_first_after.unwrap_or(3)
    }

    /// The priority of a prompt.
    pub fn prompt(&self) -> u32 {
        self.prompt_priority.unwrap_or(50)
    }

    /// Whether what the review of a final message finds is given back.
    pub fn reviews(&self) -> bool {
        self.review_stop.unwrap_or(false)
    }

    /// How many proposals wait at most.
    pub fn cap(&self) -> usize {
        self.queue_cap.unwrap_or(20)
    }

    /// The same with every number said.
    pub(super) fn settled(self) -> Self {
        Self {
            safe_turn_depth: Some(self.depth()),
            safe_token_budget: Some(self.budget()),
            plan_first_after: Some(self.plan_first()),
            prompt_priority: Some(self.prompt()),
            review_stop: Some(self.reviews()),
            queue_cap: Some(self.cap()),
            lessons: self.lessons,
        }
    }

    /// The stricter of two in every point: said again sooner, marked sooner, outranked by more, seen by a person more.
    pub(super) fn stricter(&self, other: &Self) -> Self {
        let mut lessons = self.lessons.clone();
        lessons.extend(other.lessons.iter().filter(|folder| !self.lessons.contains(folder)).cloned());
        Self {
            safe_turn_depth: lower(self.safe_turn_depth, other.safe_turn_depth),
            safe_token_budget: lower(self.safe_token_budget, other.safe_token_budget),
            plan_first_after: lower(self.plan_first_after, other.plan_first_after),
            prompt_priority: lower(self.prompt_priority, other.prompt_priority),
            review_stop: self.review_stop.max(other.review_stop),
            lessons,
            queue_cap: self.queue_cap.max(other.queue_cap),
        }
    }

    pub(super) fn fault(&self) -> Option<String> {
        let wrong = |what: &str| Some(format!("`discipline.{what}"));
        if self.safe_turn_depth.is_some_and(|depth| depth < 2) {
            return wrong(
                "safeTurnDepth` is below 2: prohibitions are said again after fewer turns than that",
            );
        }
        if self.safe_token_budget == Some(0) {
            return wrong("safeTokenBudget` is 0: 1 is the least");
        }
        if self.plan_first_after == Some(0) {
            return wrong("planFirstAfter` is 0: 1 is the least");
        }
        if self.prompt_priority.is_some_and(|priority| priority > 100) {
            return wrong("promptPriority` is above 100");
        }
        if self.queue_cap.is_some_and(|cap| !(1..=500).contains(&cap)) {
            return wrong("queueCap` is not between 1 and 500");
        }
        let outside = self.lessons.iter().find(|folder| !is_within(folder))?;
        Some(format!(
            "`discipline.lessons` names `{outside}`, which does not lie below the top of the repository"
        ))
    }
}

impl Pin {
    pub(super) fn fault(&self) -> Option<String> {
        let name = self.text.as_ref().or(self.file.as_ref()).map_or("", String::as_str);
        match (&self.text, &self.file) {
            (Some(_), Some(_)) => {
                return Some(format!("the pin `{name}` has a text and a file: one of them is meant"));
            }
            (None, None) => return Some("a pin has neither `text` nor `file`".to_owned()),
            (Some(text), None) if canon::text::is_blank(text) => {
                return Some("the `text` of a pin is empty".to_owned());
            }
            (None, Some(file)) if !is_within(file) => {
                return Some(format!("the pin `{file}` does not lie below the top of the repository"));
            }
            _ => {}
        }
        if self.priority > 100 {
            return Some(format!("the pin `{name}` has a priority above 100"));
        }
        let blank = self.against.iter().any(|words| canon::text::is_blank(words));
        blank.then(|| format!("the pin `{name}` has an empty string in `against`"))
    }
}

fn lower<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// Whether a path is spelled as one below the top.
fn is_within(path: &str) -> bool {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    !path.is_empty() && !path.contains(':') && parts.iter().all(|part| !matches!(*part, "" | "." | ".."))
}
