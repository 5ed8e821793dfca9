//! Lever 3a: a locked test goes red without the change.
//!
//! Each locked test runs in a copy of the tree, first over the whole change, which must pass, then over the change
//! taken back: changed files as they were, new ones emptied of behaviour. Passing there, the test says nothing about
//! the change.
//!
//! A test that fails there because it can't be loaded has not failed for its assertions: it may hold none. So it
//! runs once more over the change with every body emptied, where all that it imports is still there.

use std::fs;
use std::path::{Path, PathBuf};

use gate::run::{Program, Ran, tail};
use gate::{Refusal, template};
use store::git::Change;

use super::copy::Copy;
use super::files::{TESTS_ALONE, implementation};
use super::parts::{Over, Part, Parts};
use super::{Outcome, Subject, TestRun};
use crate::change::shown;
use crate::codes;
use crate::exec::{Logs, RunRecord};
use crate::source::language::Language;

/// No language takes this for a program, so a runner that passes it has not looked.
const BROKEN: &str = "<?php }])\n";

/// How many files are named in a finding.
const NAMED: usize = 5;

/// What a failed load looks like, in the output of common languages.
const LOAD_FAILURES: &[&str] = &[
    // JavaScript, TypeScript
    "does not provide an export named",
    "cannot find module",
    "cannot find package",
    "err_module_not_found",
    "failed to resolve import",
    "has no exported member",
    "is not exported",
    "is not a function",
    "is not a constructor",
    // Python
    "modulenotfounderror",
    "importerror",
    "attributeerror",
    "nameerror",
    // Rust
    "unresolved import",
    "cannot find ",
    "could not compile",
    // Go
    "undefined: ",
    "[build failed]",
    "no required module provides",
    // others
    "cannot load such file",
    "nomethoderror",
    "call to undefined",
    "failed opening required",
    "cannot find symbol",
    "does not exist",
    "isn't defined",
    "no such file or directory",
    ": not found",
];

/// How much of the end of a log is searched for them.
const SEARCHED: (usize, u64) = (2000, 512 * 1024);

pub(super) fn ask(subject: &Subject<'_, '_>, runs: &mut Vec<TestRun>) -> Result<Outcome, Refusal> {
    let Some(command) = subject.config.protocol.command(&subject.config.protocol.break_test) else {
        return Ok(Outcome::off("`protocol.breakTest` is not set"));
    };
    let tests = subject.task.tests.iter().map(|lock| lock.path.as_str());
    let is_program = |path: &&str| Language::of(path).is_some_and(Language::holds_tests);
    let mut tests: Vec<&str> = tests.filter(is_program).collect();
    if subject.task.tests.is_empty() {
        return Ok(Outcome::excused("the task has no locked test"));
    }
    if tests.is_empty() {
        return Ok(no_program(subject));
    }
    if !command.contains(PLACE) {
        // It runs all of them at once.
        tests.truncate(1);
    }
    let set = match subject.change()? {
        Ok(set) => set,
        Err(outcome) => return Ok(outcome),
    };
    let changes = implementation(subject, set);
    if changes.is_empty() {
        return Ok(subject.idle(TESTS_ALONE));
    }
    let logs = Logs::create(subject.session, "break-it")?;
    let copy = Copy::make(subject.session, subject.config, subject.tree)?;
    if let Some(why) = copy.set_up(subject.config, &logs.file("setup.log"))? {
        return Ok(Outcome::unclear(why));
    }
    let parts = match Parts::take(set, &copy, &changes)? {
        Ok(parts) => parts,
        Err(why) => return Ok(Outcome::unclear(why)),
    };
    let mut bench = Bench { subject, command: &command, copy: &copy, parts, logs, runs };
    let mut told = Vec::new();
    for test in tests {
        told.push((test, bench.judge(test)?));
    }
    Ok(sum_up(told, &changes))
}

/// What is said of locked tests that the template can't run.
fn no_program(subject: &Subject<'_, '_>) -> Outcome {
    let why = "no locked test is a program";
    // Those have a runner of their own.
    let is_browser_spec = |path: &str| subject.config.protocol.e2e.is_spec(path);
    if subject.task.tests.iter().any(|lock| is_browser_spec(&lock.path)) {
        return Outcome::excused(why);
    }
    subject.idle(why)
}

/// Where the template takes the test.
const PLACE: &str = "{test}";

fn sum_up(told: Vec<(&str, Told)>, changes: &[&Change]) -> Outcome {
    let mut vacuous = Vec::new();
    let mut unclear = Vec::new();
    for (test, told) in told {
        match told {
            Told::Real => {}
            Told::Vacuous(over) => vacuous.push(format!("`{test}` passes over the {} code", over.word())),
            Told::Unclear(why) => unclear.push(format!("`{test}`: {why}")),
        }
    }
    if vacuous.is_empty() {
        return if unclear.is_empty() { Outcome::Held } else { Outcome::Inconclusive { why: unclear } };
    }
    let count = vacuous.len();
    let message = if count == 1 {
        "a locked test passes without the change".to_owned()
    } else {
        format!("{count} locked tests pass without the change")
    };
    let mut facts = vacuous;
    let names = changes.iter().take(NAMED).map(|change| format!("`{}`", shown(&change.path)));
    let more = changes.len().saturating_sub(NAMED);
    let more = if more == 0 { String::new() } else { format!(" and {more} more files") };
    facts.push(format!("taken back: {}{more}", names.collect::<Vec<_>>().join(", ")));
    facts.extend(unclear);
    Outcome::Finding { code: codes::VACUOUS_TEST, message, facts }
}

/// What a test says.
enum Told {
    /// It fails without the change.
    Real,
    Vacuous(Over),
    Unclear(String),
}

/// The copy with the tests that run in it.
struct Bench<'a, 'w, 'r> {
    subject: &'a Subject<'a, 'w>,
    command: &'a str,
    copy: &'a Copy,
    parts: Parts,
    logs: Logs,
    runs: &'r mut Vec<TestRun>,
}

impl Bench<'_, '_, '_> {
    fn judge(&mut self, test: &str) -> Result<Told, Refusal> {
        let program = match template::expand(self.command, PLACE, test.as_ref()) {
            Ok(program) => program,
            Err(reparsed) => return Ok(Told::Unclear(reparsed.to_string())),
        };
        let whole = self.run(test, &program, Over::Whole)?;
        if let Some(why) = cannot_tell(&whole.0) {
            return Ok(Told::Unclear(why));
        }
        if !whole.0.success() {
            return Ok(Told::Unclear(format!(
                "it doesn't pass in a copy of the tree either ({}); `protocol.worktree.setup` makes a fresh copy \
                 ready; see `{}`",
                whole.0.cause(),
                whole.1.display()
            )));
        }
        let (reverted, log) = self.run(test, &program, Over::Reverted)?;
        if let Some(why) = cannot_tell(&reverted) {
            return Ok(Told::Unclear(why));
        }
        if reverted.success() {
            return self.passed_over_reverted(test, &program);
        }
        if !failed_to_load(&log) {
            return Ok(Told::Real);
        }
        self.does_not_load(test, &program)
    }

    fn passed_over_reverted(&mut self, test: &str, program: &Program) -> Result<Told, Refusal> {
        if !self.parts.any(|part| part.is_new() && part.is_emptied_but_for_constants()) {
            return self.vacuous(test, program, Over::Reverted);
        }
        let (removed, _) = self.run(test, program, Over::Removed)?;
        if removed.success() {
            return self.vacuous(test, program, Over::Removed);
        }
        Ok(Told::Unclear(
            "it passes where the new files have no function bodies: it tests constants or types, or asserts nothing"
                .to_owned(),
        ))
    }

    fn does_not_load(&mut self, test: &str, program: &Program) -> Result<Told, Refusal> {
        if !self.parts.any(|part| !part.is_new() && part.can_be_emptied()) {
            let unclear = self.parts.any(Part::can_be_emptied);
            return Ok(if unclear { Told::Unclear(DOES_NOT_LOAD.to_owned()) } else { Told::Real });
        }
        let (ran, log) = self.run(test, program, Over::Emptied)?;
        if let Some(why) = cannot_tell(&ran) {
            return Ok(Told::Unclear(why));
        }
        if !ran.success() {
            return Ok(if failed_to_load(&log) {
                Told::Unclear(DOES_NOT_LOAD.to_owned())
            } else {
                Told::Real
            });
        }
        if self.parts.any(Part::is_emptied_but_for_constants) {
            return Ok(Told::Unclear(
                "it passes where the change has no function bodies: it tests constants or types, or asserts nothing"
                    .to_owned(),
            ));
        }
        self.vacuous(test, program, Over::Emptied)
    }

    /// A pass without the change, unless the command passes whatever the test file holds: then it ran something
    /// else, such as the tree in a container.
    fn vacuous(&mut self, test: &str, program: &Program, over: Over) -> Result<Told, Refusal> {
        let file = self.copy.tree.join(test);
        let is_link = fs::symlink_metadata(&file).is_ok_and(|metadata| metadata.is_symlink());
        let content = fs::read(&file).ok().filter(|_| !is_link && self.copy.holds(&file));
        let Some(content) = content else {
            return Ok(Told::Unclear("the test lies behind a link, or outside of the work tree".to_owned()));
        };
        let io = |error| Refusal::new(codes::IO, format!("cannot write `{}`: {error}", file.display()));
        fs::write(&file, BROKEN).map_err(io)?;
        let ran = self.start(test, program, "broken test");
        fs::write(&file, content).map_err(io)?;
        if ran?.0.success() {
            return Ok(Told::Unclear(
                "the command passes over a broken test file too: it doesn't run the test that it is given"
                    .to_owned(),
            ));
        }
        Ok(Told::Vacuous(over))
    }

    fn run(&mut self, test: &str, program: &Program, over: Over) -> Result<(Ran, PathBuf), Refusal> {
        self.parts.lay_out(self.copy, over)?;
        self.start(test, program, over.word())
    }

    fn start(&mut self, test: &str, program: &Program, over: &str) -> Result<(Ran, PathBuf), Refusal> {
        let log = self.logs.file(&format!("{}-{test}-{over}.log", self.runs.len() + 1));
        let step = format!("break-it: {test} over {over}");
        self.subject.session.progress.begin(&step);
        let ran = self.copy.run(program.clone(), self.subject.config.protocol.timeouts.lever, &log);
        self.subject.session.progress.end(&step, &ran.as_ref().map(Ran::cause).unwrap_or_default());
        let ran = ran?;
        let run = RunRecord::new(self.command, &ran, Some(&log));
        self.runs.push(TestRun { test: test.to_owned(), over: over.to_owned(), run });
        Ok((ran, log))
    }
}

const DOES_NOT_LOAD: &str =
    "it can't be loaded without the change, so whether it asserts anything does not show";

fn cannot_tell(ran: &Ran) -> Option<String> {
    ran.could_not_run().then(|| ran.cause())
}

fn failed_to_load(log: &Path) -> bool {
    let lines = tail(log, SEARCHED.0, SEARCHED.1).unwrap_or_default();
    lines.iter().any(|line| {
        let line = line.to_lowercase();
        LOAD_FAILURES.iter().any(|mark| line.contains(mark))
    })
}
