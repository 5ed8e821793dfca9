//! `tasks.json`: the work units, their life cycle and their locks.

use std::borrow::Cow;
use std::fmt;

use canon::{Sha256, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// Where a task stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum State {
    /// Named, without criteria.
    #[default]
    Todo,
    /// With criteria or a locked test.
    Specd,
    /// Being worked on.
    InProgress,
    /// Through all gates.
    Done,
    /// Waiting for something outside the task.
    Blocked,
    /// A word that the protocol doesn't have; kept, and never taken for one of the others.
    Other(String),
}

impl State {
    /// The word in the file.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Todo => "todo",
            Self::Specd => "specd",
            Self::InProgress => "in-progress",
            Self::Done => "done",
            Self::Blocked => "blocked",
            Self::Other(word) => word,
        }
    }
}

impl From<&str> for State {
    fn from(word: &str) -> Self {
        match word {
            "todo" => Self::Todo,
            "specd" => Self::Specd,
            "in-progress" => Self::InProgress,
            "done" => Self::Done,
            "blocked" => Self::Blocked,
            other => Self::Other(other.to_owned()),
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Word;
        impl serde::de::Visitor<'_> for Word {
            type Value = State;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a state")
            }

            fn visit_str<E>(self, word: &str) -> Result<State, E> {
                Ok(State::from(word))
            }
        }
        deserializer.deserialize_str(Word)
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl JsonSchema for State {
    fn schema_name() -> Cow<'static, str> {
        "State".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "examples": ["todo", "specd", "in-progress", "done", "blocked"] })
    }
}

/// An acceptance criterion: `{"text": ...}`, or the bare text as people write it by hand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Criterion {
    /// What must hold.
    pub text: String,
}

impl<'de> Deserialize<'de> for Criterion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Bare(String),
            Object {
                #[serde(default)]
                text: String,
            },
        }
        Ok(match Form::deserialize(deserializer)? {
            Form::Bare(text) | Form::Object { text } => Self { text },
        })
    }
}

/// A file and the content it was locked with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lock {
    /// Relative to the root of the spine, with forward slashes.
    pub path: String,
    /// SHA-256 of the file's bytes.
    pub sha256: Sha256,
}

/// An entry of a task's `reviews`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Review {
    /// When, ISO 8601.
    #[serde(default)]
    pub at: String,
    /// `adversary`, a name, or `amend-spec`.
    #[serde(default)]
    pub by: String,
    /// `pass`, `block` or `stale`.
    #[serde(default)]
    pub verdict: String,
    /// What the reviewer found.
    #[serde(default)]
    pub findings: Vec<ReviewFinding>,
    /// Judgement calls that the reviewer lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Value>,
    /// The text of a review by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// The content digest of the tree that was judged. Reviews of other programs have none: unbound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Sha256>,
    /// The commit from which the reviewed change was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The digest of the criteria and locks that the change was judged by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Sha256>,
}

impl Review {
    /// Whether the verdict is a pass.
    pub fn passes(&self) -> bool {
        self.verdict == "pass"
    }

    /// Whether a finding weighs high.
    pub fn has_high(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity.eq_ignore_ascii_case("high"))
    }
}

/// One thing that a reviewer found.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ReviewFinding {
    /// `high`, `med` or `low`.
    #[serde(default)]
    pub severity: String,
    /// `correctness`, `test-adequacy`, `design-intent` or `regression`.
    #[serde(default)]
    pub area: String,
    /// What it is.
    #[serde(default)]
    pub note: String,
}

/// Why a task is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Block {
    /// `creds`, `decision`, `human-input`, `upstream` or `review`.
    #[serde(default)]
    pub needs: String,
    /// The reason in words.
    #[serde(default)]
    pub reason: String,
    /// When, ISO 8601.
    #[serde(default)]
    pub at: String,
}

/// The last handoff document of a task.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct HandoffRef {
    /// Relative to the root of the spine.
    #[serde(default)]
    pub path: String,
    /// When, ISO 8601.
    #[serde(default)]
    pub at: String,
    /// Why it was written.
    #[serde(default)]
    pub reason: String,
    /// Which one it is, from 1.
    #[serde(default)]
    pub seq: u32,
}

/// A correction that a person gave.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Directive {
    /// What was chosen before.
    #[serde(default)]
    pub choice: String,
    /// What to do instead.
    #[serde(default)]
    pub instead: String,
    /// Whether it has been followed.
    #[serde(default)]
    pub resolved: bool,
}

/// A fork that the agent raised for a person to decide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Raise {
    /// Its id.
    #[serde(default)]
    pub id: String,
    /// The question.
    #[serde(default)]
    pub fork: String,
    /// `open` or `answered`.
    #[serde(default)]
    pub status: String,
}

/// What cairn keeps with a task, under the key `cairn`, which other programs pass over.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Own {
    /// The commit at which the task was started: where its change begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// What decided the locked tests when they were locked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deciders: Vec<Decider>,
}

/// One thing that decides what a locked test says, and its content when the test was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decider {
    /// The locked test that it decides.
    pub test: String,
    /// What it is: `verify.test`, or a file's path, with `#` and the section where only a part counts.
    pub what: String,
    /// SHA-256 of its content.
    pub sha256: Sha256,
}

impl Decider {
    /// The path of the file that it is or is a part of; none for a gate's command.
    pub fn file(&self) -> Option<&str> {
        if self.what.starts_with("verify.") {
            return None;
        }
        let what = self.what.strip_prefix("ignored:").unwrap_or(&self.what);
        what.split('#').next()
    }
}

/// A whole task.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// `task-` and eight hex digits, or what a person wrote.
    pub id: String,
    /// What it is about.
    #[serde(default)]
    pub title: String,
    /// Where it stands.
    #[serde(default)]
    pub state: State,
    /// P1.
    #[serde(default)]
    pub acceptance_criteria: Vec<Criterion>,
    /// P2 and P6.
    #[serde(default)]
    pub tests: Vec<Lock>,
    /// Paths that belong to the held-out set.
    #[serde(default)]
    pub held_out: Vec<String>,
    /// The milestone it belongs to.
    #[serde(default)]
    pub milestone: Option<String>,
    /// Full ids of the tasks that come first.
    #[serde(default)]
    pub after: Vec<String>,
    /// P5, oldest first.
    #[serde(default)]
    pub reviews: Vec<Review>,
    /// ISO 8601.
    #[serde(default)]
    pub created_at: Option<String>,
    /// ISO 8601.
    #[serde(default)]
    pub started_at: Option<String>,
    /// ISO 8601.
    #[serde(default)]
    pub done_at: Option<String>,
    /// The state that a block interrupted.
    #[serde(default)]
    pub blocked_from: Option<State>,
    /// Why it is blocked.
    #[serde(default)]
    pub block: Option<Block>,
    /// The last handoff document.
    #[serde(default)]
    pub handoff: Option<HandoffRef>,
    /// How often an executor ran.
    #[serde(default)]
    pub attempts: Option<u32>,
    /// A plan, as text.
    #[serde(default)]
    pub plan: Option<String>,
    /// Who approved the plan.
    #[serde(default)]
    pub plan_approved: Option<Value>,
    /// Who accepted the criteria.
    #[serde(default)]
    pub criteria_accepted: Option<Value>,
    /// Corrections.
    #[serde(default)]
    pub directives: Vec<Directive>,
    /// Forks.
    #[serde(default)]
    pub raised: Vec<Raise>,
    /// The kind of change, as in a branch name.
    #[serde(default)]
    pub branch_type: Option<String>,
    /// Labels of the issue it came from.
    #[serde(default)]
    pub labels: Vec<String>,
    /// The branch of its work tree.
    #[serde(default)]
    pub branch: Option<String>,
    /// The folder of its work tree.
    #[serde(default)]
    pub worktree: Option<String>,
    /// What cairn keeps with it.
    #[serde(default)]
    pub cairn: Option<Own>,
}

impl Task {
    /// The criteria that say something: blank ones don't count (P1).
    pub fn criteria(&self) -> impl Iterator<Item = &str> {
        self.acceptance_criteria.iter().map(|c| c.text.as_str()).filter(|text| !canon::text::is_blank(text))
    }

    /// The id as people see it.
    pub fn display_id(&self) -> &str {
        display_id(&self.id)
    }

    /// The commit at which the task was started.
    pub fn base(&self) -> Option<&str> {
        self.cairn.as_ref()?.base.as_deref()
    }
}

/// The first twelve characters of an id, which is what programs print (facts: display id).
pub fn display_id(id: &str) -> &str {
    canon::text::prefix(id, 12)
}

/// What lists need of a task, borrowed from the file's text.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskHead<'a> {
    /// Its id.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// Its title.
    #[serde(borrow, default)]
    pub title: Cow<'a, str>,
    /// Where it stands.
    #[serde(default)]
    pub state: State,
    /// Its milestone.
    #[serde(borrow, default)]
    pub milestone: Option<Cow<'a, str>>,
    /// Full ids of the tasks that come first.
    #[serde(borrow, default)]
    pub after: Vec<Cow<'a, str>>,
    /// Why it is blocked.
    #[serde(default)]
    pub block: Option<Box<Block>>,
    /// How many criteria and locks there are.
    #[serde(default, rename = "acceptanceCriteria")]
    pub criteria: Count,
    /// How many locked tests there are.
    #[serde(default)]
    pub tests: Count,
}

/// The length of an array whose elements nobody needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count(pub usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Elements;
        impl<'de> serde::de::Visitor<'de> for Elements {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array")
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Count, A::Error> {
                let mut count = 0;
                while seq.next_element::<serde::de::IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Count(count))
            }
        }
        deserializer.deserialize_seq(Elements)
    }
}

/// A new task as it goes into the file, keys in the published order.
pub fn new_task(id: &str, title: &str, milestone: Option<&str>, after: &[String], at: Timestamp) -> Value {
    let mut task = serde_json::json!({
        "id": id, "title": title, "state": "todo", "acceptanceCriteria": [], "tests": [], "heldOut": [],
    });
    if let Some(map) = task.as_object_mut() {
        if let Some(milestone) = milestone {
            map.insert("milestone".to_owned(), milestone.into());
        }
        map.insert("after".to_owned(), after.into());
        map.insert("createdAt".to_owned(), at.to_string().into());
        map.insert("reviews".to_owned(), Value::Array(Vec::new()));
    }
    task
}
