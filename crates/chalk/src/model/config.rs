//! `chalk.json`: identity, and the `protocol` block that switches the gates.

use canon::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::task::Lock;

/// `chalk.json`. Unknown keys stay in the file; they are not held here.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Config {
    /// The schema's version: `1.0` or `1.1`.
    #[serde(default)]
    pub version: String,
    /// The version of the program that wrote the file last, in schema 1.1.
    #[serde(default)]
    pub writer_version: Option<String>,
    /// What the project is.
    #[serde(default)]
    pub project: Project,
    /// The gates' configuration.
    #[serde(default)]
    pub protocol: Protocol,
}

/// What the project is.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
pub struct Project {
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Its goal in one line.
    #[serde(default)]
    pub description: String,
}

/// What a gate does with a finding that the published protocol only reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strictness {
    /// Shows it.
    #[default]
    Warn,
    /// Stays shut.
    Refuse,
}

impl<'de> Deserialize<'de> for Strictness {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "neither \"warn\" nor \"refuse\"")]
        enum Form {
            Word(String),
            // `tamperEvident: true` of other programs asks for a warning, which is the default here.
            Switch(bool),
        }
        match Form::deserialize(deserializer)? {
            Form::Word(word) if word == "refuse" => Ok(Self::Refuse),
            Form::Word(word) if word == "warn" || word.is_empty() => Ok(Self::Warn),
            Form::Switch(true | false) => Ok(Self::Warn),
            Form::Word(word) => {
                Err(serde::de::Error::custom(format!("`{word}` is neither \"warn\" nor \"refuse\"")))
            }
        }
    }
}

/// The `protocol` block.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Protocol {
    /// `chalk/0`.
    pub version: String,
    /// The project's phase, any word.
    pub phase: String,
    /// Put before each configured command that doesn't begin with it.
    pub runner: String,
    /// P4: gate names and their commands, in the file's order.
    #[serde(deserialize_with = "verify_gates")]
    pub verify: Vec<VerifyGate>,
    /// P5.
    pub review: ReviewConfig,
    /// P7.
    pub regression: Regression,
    /// Whether an approved plan must be there before `work`.
    pub plan: Required,
    /// Whether accepted criteria must be there before `work`.
    pub director: Required,
    /// The agent that `work` and `run` call.
    pub executor: CommandConfig,
    /// Lever 1.
    pub require_test: bool,
    /// Bytes that the elastic parts of `context` may take.
    pub context_budget: usize,
    /// `in-progress`, or `all-locks` to check the locks of done tasks too.
    pub integrity: String,
    /// What a hand edit of the spine does.
    pub tamper_evident: Strictness,
    /// Lever 3a: the command that runs one test, with `{test}`.
    pub break_test: String,
    /// Lever 3b: the command that mutates one file, with `{file}`.
    pub mutation: String,
    /// What a finding of a lever does in `done`.
    pub done_levers: Strictness,
    /// What a moved decider of a locked test does in `verify`.
    pub lock_deciders: Strictness,
    /// What a pass with a high finding, and a pass that the author wrote by hand, does in `done`.
    pub review_findings: Strictness,
    /// The writer of handoff documents.
    pub handoff: HandoffConfig,
    /// Whether several tasks may be in progress.
    pub parallel: Parallel,
    /// The branch that changes are measured against.
    pub github: Github,
    /// Work trees made for a task.
    pub worktree: Worktree,
    /// Browser specs.
    pub e2e: E2e,
    /// Deadlines in seconds.
    pub timeouts: Timeouts,
}

impl Default for Protocol {
    fn default() -> Self {
        Self {
            version: "chalk/0".to_owned(),
            phase: "discovery".to_owned(),
            runner: String::new(),
            verify: Vec::new(),
            review: ReviewConfig::default(),
            regression: Regression::default(),
            plan: Required::default(),
            director: Required::default(),
            executor: CommandConfig::default(),
            require_test: true,
            context_budget: 65_536,
            integrity: "in-progress".to_owned(),
            tamper_evident: Strictness::Warn,
            break_test: String::new(),
            mutation: String::new(),
            done_levers: Strictness::Warn,
            lock_deciders: Strictness::Warn,
            review_findings: Strictness::Warn,
            handoff: HandoffConfig::default(),
            parallel: Parallel::default(),
            github: Github::default(),
            worktree: Worktree::default(),
            e2e: E2e::default(),
            timeouts: Timeouts::default(),
        }
    }
}

impl Protocol {
    /// A configured command with the runner before it (facts 2.2); none where it is empty.
    pub fn command(&self, command: &str) -> Option<String> {
        let command = command.trim();
        if command.is_empty() {
            return None;
        }
        let runner = self.runner.trim();
        if runner.is_empty() || command == runner || command.starts_with(&format!("{runner} ")) {
            return Some(command.to_owned());
        }
        Some(format!("{runner} {command}"))
    }

    /// When a review is needed. `requiredAt` wins where it names a cadence; `required` alone means each task.
    pub fn cadence(&self) -> Vec<Cadence> {
        let named: Vec<Cadence> =
            self.review.required_at.iter().filter_map(|word| Cadence::parse(word)).collect();
        if named.is_empty() && self.review.required { vec![Cadence::PerTask] } else { named }
    }

    /// Whether locks of done tasks count too.
    pub fn all_locks(&self) -> bool {
        self.integrity == "all-locks"
    }
}

/// When a review is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Cadence {
    /// Before each task is done.
    PerTask,
    /// Before the last task of a milestone is done.
    MilestoneBoundary,
    /// Before the phase advances.
    PhaseAdvance,
}

impl Cadence {
    /// The cadence of this name; other words are dropped (facts 2.2).
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "per-task" => Some(Self::PerTask),
            "milestone-boundary" => Some(Self::MilestoneBoundary),
            "phase-advance" => Some(Self::PhaseAdvance),
            _ => None,
        }
    }
}

/// One gate of `protocol.verify`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyGate {
    /// Its name.
    pub name: String,
    /// Its shell command; empty means that the gate is skipped.
    pub cmd: String,
    /// It runs at `audit`, not at `verify`.
    pub at_phase: bool,
}

fn verify_gates<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<VerifyGate>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "a gate is a command, or an object with `cmd` and `when`")]
    enum Form {
        Command(String),
        When {
            cmd: String,
            #[serde(default)]
            when: String,
        },
        Nothing,
    }
    struct Gates;
    impl<'de> serde::de::Visitor<'de> for Gates {
        type Value = Vec<VerifyGate>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object of gate names and commands")
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Vec::new())
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut gates: Vec<VerifyGate> = Vec::new();
            while let Some((name, form)) = map.next_entry::<String, Form>()? {
                let (cmd, when) = match form {
                    Form::Command(cmd) => (cmd, String::new()),
                    Form::When { cmd, when } => (cmd, when),
                    Form::Nothing => (String::new(), String::new()),
                };
                gates.retain(|gate| gate.name != name);
                gates.push(VerifyGate { name, cmd: cmd.trim().to_owned(), at_phase: when == "phase" });
            }
            Ok(gates)
        }
    }
    deserializer.deserialize_any(Gates)
}

/// P5's configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ReviewConfig {
    /// The reviewer: prompt on stdin, verdict as JSON on stdout.
    pub command: String,
    /// The form of the protocol text.
    pub required: bool,
    /// Cadences by name.
    #[serde(deserialize_with = "one_or_many")]
    pub required_at: Vec<String>,
    /// How many bytes of the diff the reviewer is given, cairn's own key.
    pub diff_limit: usize,
}

impl Default for ReviewConfig {
    fn default() -> Self {
        Self { command: String::new(), required: false, required_at: Vec::new(), diff_limit: 200_000 }
    }
}

fn one_or_many<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "`requiredAt` is a cadence or a list of them")]
    enum Form {
        One(String),
        Many(Vec<String>),
        Nothing,
    }
    Ok(match Form::deserialize(deserializer)? {
        Form::One(word) => vec![word],
        Form::Many(words) => words,
        Form::Nothing => Vec::new(),
    })
}

/// P7's configuration.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Regression {
    /// Runs the held-out set; output withheld.
    pub command: String,
    /// Writes held-out tests: the spec on stdin.
    pub author_command: String,
    /// Where the set lies: relative to the root, absolute, or below `~`.
    pub dir: String,
    /// Whether a phase needs a green, fresh audit.
    pub required: bool,
    /// The locked files of the set.
    pub tests: Vec<Lock>,
    /// Lines of code for each held-out test.
    pub loc_per_test: f64,
    /// The last audit.
    pub last_audit: Option<LastAudit>,
}

impl Default for Regression {
    fn default() -> Self {
        Self {
            command: String::new(),
            author_command: String::new(),
            dir: ".chalk/held-out".to_owned(),
            required: false,
            tests: Vec::new(),
            loc_per_test: 2000.0,
            last_audit: None,
        }
    }
}

/// The record of the last audit. `digest` is cairn's own; records of other programs have none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LastAudit {
    /// When, ISO 8601.
    #[serde(default)]
    pub at: String,
    /// Whether it was green.
    #[serde(default)]
    pub green: bool,
    /// The code size by the published formula.
    #[serde(default)]
    pub size: CodeSize,
    /// How many held-out tests there were.
    #[serde(default)]
    pub count: usize,
    /// The content digest of the tree that was audited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<Sha256>,
    /// The digest over the held-out set.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "heldOutDigest")]
    pub held_out_digest: Option<Sha256>,
}

/// Code size by the published formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CodeSize {
    /// Lines.
    #[serde(default)]
    pub loc: u64,
    /// Files.
    #[serde(default)]
    pub files: u64,
}

/// A switch.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Required {
    /// On or off.
    pub required: bool,
}

/// A command.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct CommandConfig {
    /// The shell command; empty means off.
    pub command: String,
}

/// Handoff documents.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HandoffConfig {
    /// Writes the document; without it the program does.
    pub command: String,
    /// Executor runs after which `run` blocks a task.
    pub max_attempts: u32,
}

impl Default for HandoffConfig {
    fn default() -> Self {
        Self { command: String::new(), max_attempts: 3 }
    }
}

/// Several tasks at once.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Parallel {
    /// On or off.
    pub enabled: bool,
}

/// What is read of the block for pull requests.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct Github {
    /// The branch that changes go to.
    pub base: String,
}

impl Default for Github {
    fn default() -> Self {
        Self { base: "main".to_owned() }
    }
}

/// Work trees.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Worktree {
    /// A shell command that makes a fresh copy of the tree ready to run tests.
    pub setup: String,
}

/// Browser specs.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct E2e {
    /// The shell command; empty means off.
    pub command: String,
    /// The end of a path that makes it a browser spec.
    pub spec_pattern: String,
}

impl E2e {
    /// Whether a locked path is a browser spec by its end.
    pub fn is_spec(&self, path: &str) -> bool {
        !self.spec_pattern.is_empty() && path.ends_with(&self.spec_pattern)
    }
}

impl Default for E2e {
    fn default() -> Self {
        Self { command: String::new(), spec_pattern: ".test.yaml".to_owned() }
    }
}

/// Deadlines in seconds, cairn's own key.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
pub struct Timeouts {
    /// One verify gate, and the held-out runner.
    pub gate: u64,
    /// The reviewer.
    pub review: u64,
    /// The executor.
    pub executor: u64,
    /// The author of held-out tests and of handoffs.
    pub author: u64,
    /// One run of one test under a lever.
    pub lever: u64,
    /// One mutation run.
    pub mutation: u64,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { gate: 600, review: 600, executor: 7200, author: 600, lever: 600, mutation: 1200 }
    }
}
