//! A vector: what an implementation is given, and what it must answer.

use std::collections::BTreeMap;

use canon::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How sure it is that the governance text says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// The text gives the rule and its outcome.
    Stated,
    /// The text gives part of it.
    StatedInPart,
    /// The row of the text is lost; it is rebuilt with high confidence.
    ReconstructedHigh,
    /// The same with medium confidence.
    ReconstructedMedium,
    /// The same with low confidence.
    ReconstructedLow,
}

/// The levels, each of which holds those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// WS-001 to WS-006: gates, receipts, fail-closed.
    Core,
    /// With the store, its lifecycle and the directive monitor.
    Extended,
    /// With compaction, self-verification and completion evidence.
    Full,
}

impl Level {
    /// From the lowest to the highest.
    pub const ALL: [Self; 3] = [Self::Core, Self::Extended, Self::Full];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Extended => "extended",
            Self::Full => "full",
        }
    }

    /// The level that a word names.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.as_str() == word)
    }
}

/// The level of a vector: `none` belongs to no level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Belongs {
    /// To [`Level::Core`].
    Core,
    /// To [`Level::Extended`].
    Extended,
    /// To [`Level::Full`].
    Full,
    /// To none.
    None,
}

impl Belongs {
    /// The level, where there is one.
    pub const fn level(self) -> Option<Level> {
        match self {
            Self::Core => Some(Level::Core),
            Self::Extended => Some(Level::Extended),
            Self::Full => Some(Level::Full),
            Self::None => None,
        }
    }
}

/// What a level lets pass in the place of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Allowed {
    /// The implementation has no such thing.
    Unsupported,
    /// It is specified, and the implementation does not have it yet.
    SpecifiedNotImplemented,
}

/// One vector, as it is published.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Vector {
    /// Its name, as in `PL-003`.
    pub id: String,
    /// From 1. What is published under an id and a version never changes.
    pub version: u32,
    /// The contract that it is about, as in `plan-gate`.
    pub contract: String,
    /// What it shows, in one line.
    pub title: String,
    /// How sure it is.
    pub mark: Mark,
    /// The level that it counts for.
    pub level: Belongs,
    /// What an implementation must be able to do to answer it: capability tags.
    pub requires: Vec<String>,
    /// It expects something to be refused, so that it must fail where the gates are switched off.
    #[serde(default)]
    pub denies: bool,
    /// What its level lets pass in the place of an answer.
    #[serde(default)]
    pub allow: Vec<Allowed>,
    /// What is there before the first step.
    #[serde(default)]
    pub setup: Setup,
    /// What happens.
    pub steps: Vec<Step>,
    /// What must be answered. An implementation never sees it.
    pub expect: Expect,
}

/// What is there before the first step. Nothing else may flow into an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Setup {
    /// The files of the workspace with their content. Nothing else lies in it.
    pub files: BTreeMap<String, String>,
    /// The session of every step that names none.
    pub session: String,
    /// The time of the first step; each later step is one minute after the one before.
    pub clock: Timestamp,
    /// 32 bytes in hex, of which every key and every chance is made.
    pub seed: String,
    /// What is asked of the gates.
    pub policy: Map<String, Value>,
    /// The agent can ask a person itself.
    pub asks: bool,
    /// A part that is out of order: `gate`, `receipts`.
    pub broken: Vec<String>,
    /// The artifacts that are asked for beside the outputs: `calls`, `receipts`, `tree`.
    pub artifacts: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            files: BTreeMap::new(),
            session: "s1".to_owned(),
            // 2026-12-01T00:00:00.000Z
            clock: Timestamp::from_millis(1_796_083_200_000),
            seed: "00".repeat(32),
            policy: Map::new(),
            asks: true,
            broken: Vec::new(),
            artifacts: Vec::new(),
        }
    }
}

/// One step: an object with `event`, a neutral event, or with `op`, an operation of a contract that is no tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Step(pub Map<String, Value>);

impl Step {
    /// Whether it has one of the two names, and not both.
    pub fn is_one(&self) -> bool {
        let named = |key| self.0.get(key).is_some_and(Value::is_string);
        named("event") != named("op")
    }
}

/// What must be answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Expect {
    /// One for each step.
    pub outputs: Vec<Value>,
    /// Those that the setup asks for, by name.
    #[serde(default)]
    pub artifacts: Map<String, Value>,
}

impl Vector {
    /// Its name with its version, as in `PL-003@1`.
    pub fn name(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }

    /// What is wrong with it as a vector.
    pub fn fault(&self) -> Option<String> {
        if self.id.is_empty() || self.version == 0 {
            return Some("it has no id, or no version".to_owned());
        }
        if self.requires.is_empty() {
            return Some("it requires no capability".to_owned());
        }
        if self.steps.is_empty() || !self.steps.iter().all(Step::is_one) {
            return Some("each step has either `event` or `op`".to_owned());
        }
        if self.steps.len() != self.expect.outputs.len() {
            return Some(format!(
                "it has {} and expects {}",
                canon::text::counted(self.steps.len(), "step"),
                canon::text::counted(self.expect.outputs.len(), "output")
            ));
        }
        let is_shut = |output: &Value| {
            output.get("decision").and_then(Value::as_str).is_some_and(|word| matches!(word, "deny" | "ask"))
        };
        if !self.denies && self.expect.outputs.iter().any(is_shut) {
            return Some("it expects a denial and does not say `denies`".to_owned());
        }
        let mut asked: Vec<&String> = self.setup.artifacts.iter().collect();
        let mut given: Vec<&String> = self.expect.artifacts.keys().collect();
        asked.sort();
        given.sort();
        (asked != given).then(|| "the artifacts that it asks for are not those that it expects".to_owned())
    }
}
