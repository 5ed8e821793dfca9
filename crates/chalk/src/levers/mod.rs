//! The non-vacuity levers: whether a green verify says anything about the change.
//!
//! - 1, `requireTest`: the change adds or changes a test ([`require_test`]);
//! - 3a, break-it: a locked test goes red without the change ([`break_it`]);
//! - 3b, mutation: the tests notice faults seeded into the change ([`mutation`]).
//!
//! The second of the four is the reviewer. What runs a command runs it in a throwaway [`copy`]: the user's files,
//! index, stash and refs are never touched.

mod break_it;
mod copy;
mod files;
mod mutation;
mod parts;
mod require_test;
mod score;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::path::Path;

use canon::Sha256;
use gate::{ReasonCode, Refusal};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::change::{self, Change, ChangeSet, Origin};
use crate::codes;
use crate::exec::RunRecord;
use crate::model::{Config, Task};
use crate::session::Session;

pub use score::Score;

/// What a lever says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It was not asked.
    Off {
        /// Why not.
        why: String,
    },
    /// It is on, and the change gives it nothing to judge: no pass, and under strict policy a refusal.
    Idle {
        /// Why not.
        why: String,
        /// The code under which strict policy refuses; none where that would ask for what can't be had.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<ReasonCode>,
    },
    /// The change stands.
    Held,
    /// It does not.
    Finding {
        /// Why not, in one word.
        code: ReasonCode,
        /// One sentence.
        message: String,
        /// What it rests on, one line each.
        facts: Vec<String>,
    },
    /// The lever could not tell: a warning, and no pass.
    Inconclusive {
        /// Why not, one line each.
        why: Vec<String>,
    },
}

impl Outcome {
    fn off(why: impl Into<String>) -> Self {
        Self::Off { why: why.into() }
    }

    /// Nothing to judge, which strict policy refuses under `code`.
    fn idle(why: impl Into<String>, code: ReasonCode) -> Self {
        Self::Idle { why: why.into(), code: Some(code) }
    }

    /// Nothing to judge, and no fault of the change.
    fn excused(why: impl Into<String>) -> Self {
        Self::Idle { why: why.into(), code: None }
    }

    fn unclear(why: impl Into<String>) -> Self {
        Self::Inconclusive { why: vec![why.into()] }
    }

    /// Whether the lever found something.
    pub fn is_finding(&self) -> bool {
        matches!(self, Self::Finding { .. })
    }

    /// The finding as a refusal.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Finding { code, message, facts } => {
                Some(Refusal::new(*code, message.clone()).facts(facts.iter().cloned()))
            }
            _ => None,
        }
    }
}

/// One run of a locked test under break-it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct TestRun {
    /// The test.
    pub test: String,
    /// What it ran over: `whole`, `reverted`, `emptied`, `removed`, or `broken test`.
    pub over: String,
    /// The run.
    pub run: RunRecord,
}

/// The mutation run of one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Mutated {
    /// The file, relative to the tree.
    pub file: String,
    /// The run.
    pub run: RunRecord,
    /// What the tool's output says, where that is understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The result is that of an earlier run over the same content.
    #[serde(default)]
    pub cached: bool,
}

/// What all levers say of a change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Report {
    /// The content digest of the tree; none where no lever needed to look at it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Sha256>,
    /// The commit where the change begins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// Lever 1.
    pub require_test: Outcome,
    /// Lever 3a.
    pub break_it: Outcome,
    /// Lever 3b.
    pub mutation: Outcome,
    /// The runs of break-it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<TestRun>,
    /// The runs of mutation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mutants: Vec<Mutated>,
}

impl Report {
    /// The levers by name, in the order in which they ran.
    pub fn levers(&self) -> [(&'static str, &Outcome); 3] {
        [("requireTest", &self.require_test), ("break-it", &self.break_it), ("mutation", &self.mutation)]
    }

    /// The first finding as a refusal; none where no lever found anything.
    pub fn refusal(&self) -> Option<Refusal> {
        self.levers().into_iter().find_map(|(_, outcome)| outcome.refusal())
    }

    /// The first lever that had nothing to judge, as the refusal of strict policy or a warning; none where each
    /// had, or has an excuse.
    pub fn unjudged(&self) -> Option<Refusal> {
        self.levers().into_iter().find_map(|(name, outcome)| match outcome {
            Outcome::Idle { why, code: Some(code) } => {
                Some(Refusal::new(*code, format!("{name} had nothing to judge: {why}")))
            }
            _ => None,
        })
    }

    /// What could not be told, one line each, for a warning.
    pub fn unclear(&self) -> Vec<String> {
        let lines = |(name, outcome): (&str, &Outcome)| match outcome {
            Outcome::Inconclusive { why } => why.iter().map(|why| format!("{name}: {why}")).collect(),
            _ => Vec::new(),
        };
        self.levers().into_iter().flat_map(lines).collect()
    }

    fn is_off(&self) -> bool {
        self.levers().iter().all(|(_, outcome)| matches!(outcome, Outcome::Off { .. }))
    }
}

/// Asks every lever that is on about the change of `task` in `tree`, and keeps the result.
///
/// Mutation, the slow one, is not asked where another lever found something.
///
/// # Errors
/// A file, git or a folder that fails. What a lever can't tell is no error.
pub fn run(session: &Session<'_>, config: &Config, task: &Task, tree: &Path) -> Result<Report, Refusal> {
    let subject = Subject { session, config, task, tree, change: OnceCell::new() };
    let mut report = Report {
        digest: None,
        base: None,
        require_test: require_test::ask(&subject)?,
        break_it: Outcome::Held,
        mutation: Outcome::Held,
        tests: Vec::new(),
        mutants: Vec::new(),
    };
    report.break_it = break_it::ask(&subject, &mut report.tests)?;
    report.mutation = if report.refusal().is_some() && mutation::is_on(config) {
        Outcome::off("another lever found something first")
    } else {
        mutation::ask(&subject, &mut report.mutants)?
    };
    if let Some(Ok(change)) = subject.change.get() {
        report.digest = Some(change.digest());
        report.base = change.base().map(str::to_owned);
    }
    if !report.is_off() {
        keep(session, "levers", &json!({ "task": task.id, "report": report }))?;
    }
    Ok(report)
}

/// Whether a task says of itself, by its kind or a label, that it needs no test.
pub(crate) fn is_excused(task: &Task) -> bool {
    require_test::exemption(task).is_some()
}

/// Adds a record to the chain of results.
fn keep(session: &Session<'_>, kind: &str, body: &serde_json::Value) -> Result<(), Refusal> {
    // The lock of the spine keeps two processes from mixing their lines.
    session.write(kind, |draft| {
        let appended = session.results()?.append(draft.now(), kind, body.clone());
        appended.map(drop).map_err(|error| Refusal::new(codes::IO, error.to_string()))
    })
}

/// What the levers are asked about.
struct Subject<'a, 'w> {
    session: &'a Session<'w>,
    config: &'a Config,
    task: &'a Task,
    tree: &'a Path,
    change: OnceCell<Result<Change, Refusal>>,
}

impl Subject<'_, '_> {
    /// The change that is judged, found when a lever asks for it first; or what a lever says without one.
    fn change(&self) -> Result<Result<&ChangeSet, Outcome>, Refusal> {
        let change = self.change.get_or_init(|| change::of(self.session, self.config, self.task, self.tree));
        match change {
            Ok(Change::Unknown(_)) => Ok(Err(Outcome::excused("outside git nothing tells old from new"))),
            // With a start that is not on this line of history the reviewer is shown the last commit; but these
            // tests were not written for it.
            Ok(Change::Known(set))
                if set.base.origin == Origin::LastCommit && self.task.base().is_some()
                    || set.base.origin == Origin::Start && set.is_empty() =>
            {
                Ok(Err(self.idle("nothing changed since the task was started")))
            }
            Ok(Change::Known(set)) if set.is_empty() => Ok(Err(self.idle("there is no change"))),
            Ok(Change::Known(set)) => Ok(Ok(set)),
            Err(refusal) if refusal.code == codes::HISTORY_CUT => {
                Ok(Err(Outcome::unclear(refusal.message.clone())))
            }
            Err(refusal) => Err(refusal.clone()),
        }
    }

    /// Nothing to judge, which a task that needs no test may leave so.
    fn idle(&self, why: &str) -> Outcome {
        match require_test::exemption(self.task) {
            Some(exempt) => Outcome::excused(format!("{why}, and {exempt}")),
            None => Outcome::idle(why, codes::LEVER_INCONCLUSIVE),
        }
    }

    /// Whether a path is a locked test of the task.
    fn is_locked(&self, path: &str) -> bool {
        self.task.tests.iter().any(|lock| lock.path == path)
    }
}
