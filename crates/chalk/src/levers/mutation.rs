//! Lever 3b: the tests notice faults that a mutation tool seeds into the change.

use gate::run::{Ran, tail};
use gate::{Refusal, template};
use serde_json::json;

use super::copy::Copy;
use super::files::{TESTS_ALONE, implementation, sources, text};
use super::{Mutated, Outcome, Subject, keep, score};
use crate::change::shown;
use crate::codes;
use crate::exec::{Logs, RunRecord};
use crate::model::Config;

/// Where the template takes the file.
const PLACE: &str = "{file}";
/// The kind of the record of one file's run.
const KIND: &str = "mutation";
/// How many last lines of a report are shown.
const LINES: usize = 6;

/// Whether the lever is set.
pub(super) fn is_on(config: &Config) -> bool {
    config.protocol.command(&config.protocol.mutation).is_some()
}

pub(super) fn ask(subject: &Subject<'_, '_>, mutants: &mut Vec<Mutated>) -> Result<Outcome, Refusal> {
    let config = subject.config;
    let Some(command) = config.protocol.command(&config.protocol.mutation) else {
        return Ok(Outcome::off("`protocol.mutation` is not set"));
    };
    let set = match subject.change()? {
        Ok(set) => set,
        Err(outcome) => return Ok(outcome),
    };
    let mut files: Vec<_> = sources(subject, set).iter().map(|change| change.path.clone()).collect();
    if files.is_empty() {
        return Ok(if implementation(subject, set).is_empty() {
            subject.idle(TESTS_ALONE)
        } else {
            Outcome::excused("the change has no program to mutate")
        });
    }
    if !command.contains(PLACE) {
        files.truncate(1);
    }
    let kept = Kept::read(subject, &command, set.content.digest.to_string());
    let mut bench = Bench { subject, command: &command, copy: None, logs: None };
    let (mut facts, mut unclear) = (Vec::new(), Vec::new());
    for path in files {
        let name = text(&path);
        if let Some(mutated) = kept.find(&name) {
            if !mutated.run.success {
                facts.push(fact(mutated));
            }
            mutants.push(Mutated { cached: true, ..mutated.clone() });
            continue;
        }
        let program = match template::expand(&command, PLACE, path.to_path().as_os_str()) {
            Ok(program) => program,
            Err(reparsed) => {
                unclear.push(format!("`{}`: {reparsed}", shown(&path)));
                continue;
            }
        };
        match bench.run(&name, program)? {
            Err(why) => return Ok(Outcome::unclear(why)),
            Ok((ran, mutated)) => {
                if cannot_tell(&command, &ran) {
                    unclear.push(format!("`{name}`: {}", ran.cause()));
                } else {
                    keep(subject.session, KIND, &kept.record(&mutated))?;
                    if !ran.success() {
                        facts.push(fact(&mutated));
                        facts.extend(last_lines(&mutated));
                    }
                }
                mutants.push(mutated);
            }
        }
    }
    if !facts.is_empty() {
        facts.extend(unclear);
        let message = "faults seeded into the change were not noticed by the tests".to_owned();
        return Ok(Outcome::Finding { code: codes::MUTANTS_SURVIVE, message, facts });
    }
    Ok(if unclear.is_empty() { Outcome::Held } else { Outcome::Inconclusive { why: unclear } })
}

fn fact(mutated: &Mutated) -> String {
    match mutated.score {
        Some(score) => format!("`{}`: {}", mutated.file, score.words()),
        None => format!("`{}`: the mutation run ended with {}", mutated.file, mutated.run.cause),
    }
}

fn last_lines(mutated: &Mutated) -> Vec<String> {
    let Some(log) = &mutated.run.log else { return Vec::new() };
    let lines = tail(log, LINES, 4096).unwrap_or_default();
    let lines = lines.into_iter().filter(|line| !line.trim().is_empty()).map(|line| format!("  {line}"));
    lines.chain([format!("  the report: `{}`", log.display())]).collect()
}

/// Whether a run says nothing of the tests.
fn cannot_tell(command: &str, ran: &Ran) -> bool {
    // It documents 1 for wrong usage, 4 for tests that fail without any mutant and 70 for a fault of its own.
    let is_cargo_mutants = command.contains("cargo mutants") || command.contains("cargo-mutants");
    ran.could_not_run() || is_cargo_mutants && matches!(ran.end, gate::run::End::Exited(1 | 4 | 70))
}

struct Bench<'a, 'w> {
    subject: &'a Subject<'a, 'w>,
    command: &'a str,
    copy: Option<Copy>,
    logs: Option<Logs>,
}

impl Bench<'_, '_> {
    /// Runs the tool over one file; or says why the copy is not fit for it.
    fn run(
        &mut self,
        name: &str,
        program: gate::run::Program,
    ) -> Result<Result<(Ran, Mutated), String>, Refusal> {
        let Subject { session, config, tree, .. } = *self.subject;
        let logs = match &self.logs {
            Some(logs) => logs.clone(),
            None => self.logs.insert(Logs::create(session, "mutation")?).clone(),
        };
        if self.copy.is_none() {
            let copy = Copy::make(session, config, tree)?;
            if let Some(why) = copy.set_up(config, &logs.file("setup.log"))? {
                return Ok(Err(why));
            }
            self.copy = Some(copy);
        }
        let Some(copy) = &self.copy else { return Ok(Err("there is no copy".to_owned())) };
        let log = logs.file(&format!("{name}.log"));
        let step = format!("mutation: {name}");
        session.progress.begin(&step);
        let ran = copy.run(program, config.protocol.timeouts.mutation, &log);
        session.progress.end(&step, &ran.as_ref().map(Ran::cause).unwrap_or_default());
        let ran = ran?;
        if ran.could_not_run() {
            // A tool that was stopped leaves its last fault in the file.
            self.copy = None;
        }
        let run = RunRecord::new(self.command, &ran, Some(&log));
        let mutated = Mutated { file: name.to_owned(), run, score: score::read(&log), cached: false };
        Ok(Ok((ran, mutated)))
    }
}

/// Results of earlier runs over the same content.
struct Kept {
    digest: String,
    command: String,
    setup: String,
    found: Vec<Mutated>,
}

impl Kept {
    fn read(subject: &Subject<'_, '_>, command: &str, digest: String) -> Self {
        let setup = subject.config.protocol.worktree.setup.trim().to_owned();
        let mut kept = Self { digest, command: command.to_owned(), setup, found: Vec::new() };
        // A chain that is broken or gone makes the run longer and not wrong.
        let records =
            subject.session.results().ok().and_then(|chain| chain.records().ok()).unwrap_or_default();
        for record in records.into_iter().rev().filter(|record| record.kind == KIND) {
            let is = |key: &str, value: &str| record.body[key] == value;
            if is("digest", &kept.digest) && is("command", &kept.command) && is("setup", &kept.setup) {
                kept.found.extend(serde_json::from_value::<Mutated>(record.body["mutated"].clone()));
            }
        }
        kept
    }

    fn find(&self, file: &str) -> Option<&Mutated> {
        self.found.iter().find(|mutated| mutated.file == file)
    }

    fn record(&self, mutated: &Mutated) -> serde_json::Value {
        json!({ "digest": self.digest, "command": self.command, "setup": self.setup, "mutated": mutated })
    }
}
