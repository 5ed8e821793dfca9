//! The external toolchain: the gates of `protocol.verify` and browser specs, each a shell command whose
//! exit code is the verdict (P4).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use canon::{Sha256, text};
use gate::Refusal;
use gate::run::{self, Capture, Input, Leftovers, Program};
use gate::template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::exec::{self, Logs, RunRecord};
use crate::model::Config;
use crate::model::config::VerifyGate;
use crate::session::Session;

/// The gates that the protocol names, in the order in which they run. Others follow in the file's order.
const NAMED: [&str; 4] = ["typecheck", "lint", "test", "build"];

/// How much of a failed gate's output is shown.
const SHOWN_LINES: usize = 12;

/// When gates run that are put off to the phase (`when: "phase"`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// They don't: `verify` and `done`.
    Task,
    /// They do: `audit`.
    Phase,
}

/// What became of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// Its command ended with exit code 0.
    Passed,
    /// It ended in any other way.
    Failed,
    /// It has no command.
    Skipped,
    /// It is put off to the phase.
    Deferred,
}

/// One gate and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct GateResult {
    /// Its name; `e2e` for a browser spec.
    pub name: String,
    /// The browser spec that it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// What became of it.
    pub result: Outcome,
    /// The command with its end, duration and log; none where nothing ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunRecord>,
    /// Where it failed, the last lines of its output, or those from the last failure on that it reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tail: Vec<String>,
    /// What it left running, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leftovers: Option<String>,
}

impl GateResult {
    fn without_run(name: &str, result: Outcome) -> Self {
        Self { name: name.to_owned(), spec: None, result, run: None, tail: Vec::new(), leftovers: None }
    }

    /// Whether its command ran.
    pub fn has_run(&self) -> bool {
        self.run.is_some()
    }

    /// Its name, with the spec that it ran, on one line.
    pub fn label(&self) -> String {
        match &self.spec {
            Some(spec) => text::one_line(&format!("{} {spec}", self.name)),
            None => text::one_line(&self.name),
        }
    }
}

/// Every gate in the order in which they run: the four named ones, missing or not, then the others.
pub fn gates(config: &Config) -> Vec<VerifyGate> {
    let configured = &config.protocol.verify;
    let find = |name: &str| configured.iter().find(|gate| gate.name == name).cloned();
    let missing = |name: &str| VerifyGate { name: name.to_owned(), cmd: String::new(), at_phase: false };
    let named = NAMED.iter().map(|name| find(name).unwrap_or_else(|| missing(name)));
    let others = configured.iter().filter(|gate| !NAMED.contains(&gate.name.as_str())).cloned();
    named.chain(others).collect()
}

/// The digest of the commands that [`run_gates`] and [`run_spec`] would run, so that a result says which
/// toolchain it came from.
pub fn commands_digest(config: &Config) -> Sha256 {
    let protocol = &config.protocol;
    let gates: Vec<_> = gates(config)
        .iter()
        .map(|gate| (gate.name.clone(), protocol.command(&gate.cmd), gate.at_phase))
        .collect();
    let e2e = (protocol.command(&protocol.e2e.command), &protocol.e2e.spec_pattern);
    Sha256::of(canon::json::canonical(&(gates, e2e)).unwrap_or_default())
}

/// Runs every gate in `tree`, also those after one that failed.
///
/// # Errors
/// The runner itself fails: a log can't be made, or the system can't wait.
pub fn run_gates(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
    logs: &Logs,
    scope: Scope,
) -> Result<Vec<GateResult>, Refusal> {
    let mut results = Vec::new();
    for gate in gates(config) {
        let Some(command) = config.protocol.command(&gate.cmd) else {
            results.push(GateResult::without_run(&gate.name, Outcome::Skipped));
            continue;
        };
        if gate.at_phase && scope == Scope::Task {
            results.push(GateResult::without_run(&gate.name, Outcome::Deferred));
            continue;
        }
        // Numbered, since two names may come to one file name.
        let log = logs.file(&format!("{}-{}.log", results.len() + 1, gate.name));
        let program = Program::shell(command.as_str());
        results.push(run_one(session, config, tree, &gate.name, &command, program, log)?);
    }
    Ok(results)
}

/// Whether a locked path is a browser spec that [`run_spec`] runs.
pub fn is_spec(config: &Config, path: &str) -> bool {
    let e2e = &config.protocol.e2e;
    config.protocol.command(&e2e.command).is_some() && e2e.is_spec(path)
}

/// Runs one browser spec in `tree`: `e2e.command` with the path behind it, or in the place of `{test}`.
pub fn run_spec(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
    logs: &Logs,
    path: &str,
) -> Result<GateResult, Refusal> {
    let command = config.protocol.command(&config.protocol.e2e.command).unwrap_or_default();
    // The path is an argument and never program text: a name may hold `$(...)`.
    let template = if command.contains("{test}") { command.clone() } else { format!("{command} {{test}}") };
    let program = match template::expand(&template, "{test}", OsString::from(path).as_os_str()) {
        Ok(program) => program,
        Err(reparsed) => {
            let mut result = GateResult::without_run("e2e", Outcome::Failed);
            result.spec = Some(path.to_owned());
            result.tail = vec![format!("not run: {reparsed}")];
            return Ok(result);
        }
    };
    let log = logs.file(&format!("e2e-{path}.log"));
    let mut result = run_one(session, config, tree, "e2e", &command, program, log)?;
    result.spec = Some(path.to_owned());
    Ok(result)
}

fn run_one(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
    name: &str,
    command: &str,
    program: Program,
    log: PathBuf,
) -> Result<GateResult, Refusal> {
    let step = format!("{name}: {}", text::one_line(command));
    session.progress.begin(&step);
    let capture = Capture::Combined(log.clone());
    let ran = exec::run(session, program, tree, Input::Null, config.protocol.timeouts.gate, capture)?;
    session.progress.end(&step, &ran.cause());
    let passed = ran.success();
    let tail = if passed { Vec::new() } else { run::failure(&log, SHOWN_LINES).unwrap_or_default() };
    let leftovers = match ran.leftovers {
        Leftovers::None => None,
        Leftovers::Killed => Some("left processes behind, which were stopped"),
        Leftovers::Alive => Some("left processes behind that can't be stopped and may still change files"),
    };
    Ok(GateResult {
        name: name.to_owned(),
        spec: None,
        result: if passed { Outcome::Passed } else { Outcome::Failed },
        run: Some(RunRecord::new(command, &ran, Some(&log))),
        tail,
        leftovers: leftovers.map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_four_named_gates_come_first_and_the_others_are_not_ignored() {
        let config = config(
            r#"{"protocol": {"verify": {"security": "s", "build": {"cmd": "b", "when": "phase"}, "lint": "l", "docs": ""}}}"#,
        );
        let gates = gates(&config);
        let names: Vec<&str> = gates.iter().map(|gate| gate.name.as_str()).collect();
        assert_eq!(names, ["typecheck", "lint", "test", "build", "security", "docs"]);
        assert!(gates[3].at_phase && gates[0].cmd.is_empty());
    }

    #[test]
    fn another_command_is_another_toolchain() {
        let digest = |text: &str| commands_digest(&config(text));
        let plain = digest(r#"{"protocol": {"verify": {"test": "a"}}}"#);
        assert_eq!(plain, digest(r#"{"protocol": {"verify": {"test": " a ", "lint": ""}}}"#));
        for other in [
            r#"{"protocol": {"verify": {"test": "b"}}}"#,
            r#"{"protocol": {"runner": "r", "verify": {"test": "a"}}}"#,
            r#"{"protocol": {"verify": {"test": {"cmd": "a", "when": "phase"}}}}"#,
            r#"{"protocol": {"verify": {"test": "a"}, "e2e": {"command": "x"}}}"#,
        ] {
            assert_ne!(plain, digest(other), "{other}");
        }
    }
}
