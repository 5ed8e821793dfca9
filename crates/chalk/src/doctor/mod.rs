//! `doctor`: whether the set-up holds what it promises. Looks, and changes nothing.

mod commands;
mod files;
mod held_out;
mod record;
mod repository;
mod tests_locked;

use canon::Timestamp;
use gate::words::quote;
use gate::{Exit, Finding, Level, Refusal};
use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{Config, Task};
use crate::session::{Naming, Session};

/// For whom the set-up is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// A person is there, and starts the agents by hand.
    Manual,
    /// `run` works alone: executor, reviewer and remote must be there.
    Unattended,
}

/// What was found. The first four keys are those that other programs print, too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Report {
    /// When, ISO 8601.
    pub at: Timestamp,
    /// The program and its version, under the key that other programs give their runtime's version.
    pub node: String,
    /// `linux`, `darwin`, `win32`, or the system's own name.
    pub platform: String,
    /// Every finding, in the order of the checks.
    pub results: Vec<Finding>,
    /// For whom the set-up was judged.
    pub profile: Profile,
}

impl Report {
    /// How many findings weigh so much.
    pub fn count(&self, level: Level) -> usize {
        self.results.iter().filter(|finding| finding.level == level).count()
    }

    /// A finding that stops is a red.
    pub fn exit(&self) -> Exit {
        if self.count(Level::Fail) > 0 { Exit::Red } else { Exit::Done }
    }
}

/// The findings so far.
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, area: &str, level: Level, msg: impl Into<String>) -> &mut Finding {
        self.0.push(Finding::new(area, level, msg));
        let last = self.0.len() - 1;
        &mut self.0[last]
    }

    fn ok(&mut self, area: &str, msg: impl Into<String>) {
        self.add(area, Level::Ok, msg);
    }

    fn info(&mut self, area: &str, msg: impl Into<String>) -> &mut Finding {
        self.add(area, Level::Info, msg)
    }

    fn warn(&mut self, area: &str, msg: impl Into<String>) -> &mut Finding {
        self.add(area, Level::Warn, msg)
    }

    fn fail(&mut self, area: &str, msg: impl Into<String>) -> &mut Finding {
        self.add(area, Level::Fail, msg)
    }

    /// A refusal that a check met, as a finding.
    fn refused(&mut self, area: &str, level: Level, refusal: &Refusal) {
        let mut msg = refusal.message.clone();
        for fact in &refusal.facts {
            msg.push_str("; ");
            msg.push_str(fact);
        }
        let finding = self.add(area, level, msg);
        finding.cure = refusal.next.clone().or_else(|| refusal.hint.clone());
    }
}

/// Sets what mends a finding.
trait Cure {
    fn cured_by(&mut self, cure: impl Into<String>);
}

impl Cure for Finding {
    fn cured_by(&mut self, cure: impl Into<String>) {
        self.cure = Some(cure.into());
    }
}

/// What the checks look at.
struct Patient<'s, 'w> {
    pub session: &'s Session<'w>,
    pub config: Config,
    pub tasks: Vec<Task>,
    pub profile: Profile,
}

impl Patient<'_, '_> {
    /// The level of what a run without a person needs.
    fn unattended(&self, manual: Level) -> Level {
        if self.profile == Profile::Unattended { Level::Fail } else { manual }
    }
}

/// Examines the set-up. `program` names this program with its version, `naming` its commands.
///
/// `unreadable` is the refusal of a spine that can't be opened: only its files are examined then.
pub fn doctor(
    session: &Session<'_>,
    program: &str,
    naming: Naming,
    profile: Profile,
    unreadable: Option<&Refusal>,
) -> Report {
    let mut findings = Findings(Vec::new());
    if let Some(refusal) = unreadable {
        findings.refused("spine", Level::Fail, refusal);
    }
    let tasks = files::check(session, &mut findings, unreadable.is_some());
    if let Some(tasks) = &tasks {
        files::finished(session, tasks, &mut findings);
    }
    record::check(session, &mut findings);
    repository::check(session, &mut findings);
    if let (None, Some(tasks), Ok(config)) = (unreadable, tasks, session.config()) {
        let patient = Patient { session, config, tasks, profile };
        held_out::check(&patient, &mut findings);
        tests_locked::check(&patient, &mut findings);
        commands::check(&patient, &mut findings);
        commands::contract(&patient, naming, &mut findings);
    }
    Report {
        at: session.now(),
        node: program.to_owned(),
        platform: platform().to_owned(),
        results: findings.0,
        profile,
    }
}

/// The system's name as other programs print it.
fn platform() -> &'static str {
    match std::env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    }
}

/// How many names a finding has.
const NAMED: usize = 5;

/// The first names as arguments of a command.
fn some(names: &[impl AsRef<str>]) -> String {
    let first: Vec<String> = names.iter().take(NAMED).map(|name| quote(name.as_ref())).collect();
    let more = if names.len() > NAMED { " ..." } else { "" };
    format!("{}{more}", first.join(" "))
}

/// A few names, and how many more there are.
fn few<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
