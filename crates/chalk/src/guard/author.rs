//! `guard gen`: the configured author writes tests from the specification alone.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::{Sha256, text};
use gate::Refusal;
use gate::run::{self, Capture, Command, Input, Program};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use super::workshop::Workshop;
use super::{files, lock_all};
use crate::codes;
use crate::content;
use crate::exec::{Logs, RunRecord};
use crate::held_out::{self, HeldOut};
use crate::locks;
use crate::model::{Config, Lock, Task};
use crate::session::{Session, io};

/// What the author brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Authored {
    /// Files that are new in the set.
    pub locked: Vec<String>,
    /// Files that were there already with the same content.
    pub already: Vec<String>,
    /// How many files the set has now.
    pub count: usize,
    /// The author's run.
    pub run: RunRecord,
}

/// Lets the author write tests, in a folder without the code, and locks what it wrote.
///
/// # Errors
/// `not-configured` without an author, `author-failed` where it fails or writes no test, `test-locked` where
/// it writes over files that are there. The set is then as it was.
pub fn author(session: &Session<'_>) -> Result<Authored, Refusal> {
    let config = session.config()?;
    let Some(command) = config.protocol.command(&config.protocol.regression.author_command) else {
        return Err(Refusal::new(codes::NOT_CONFIGURED, "`protocol.regression.authorCommand` is not set")
            .hint("set it to a command that reads the specification and writes test files"));
    };
    let set = HeldOut::of(session, &config)?;
    let before = contents(&set.folder)?;
    let mut workshop = Workshop::new(session, content::held_out_folder(&config).map(PathBuf::from))?;
    workshop.lay_tools(&command, &session.spine.root)?;
    let prompt = prompt(session, &config, &session.all_tasks()?)?;
    let log = Logs::create(session, "guard-gen")?.file("author.log");
    session.progress.begin("the author writes held-out tests");
    let ran = run::run(&Command {
        program: Program::shell(command.as_str()),
        dir: workshop.path().to_owned(),
        env: workshop.environment(session),
        stdin: Input::Bytes(prompt.into_bytes()),
        deadline: Some(config.protocol.timeouts.author).filter(|s| *s > 0).map(Duration::from_secs),
        capture: Capture::Combined(log.clone()),
    })
    .map_err(|error| Refusal::new(codes::IO, format!("cannot run the author: {error}")))?;
    session.progress.end("the author writes held-out tests", &ran.cause());
    let record = RunRecord::new(&command, &ran, Some(&log));
    let mut written = workshop.harvest()?;
    // An author that knows the set by its absolute path writes there.
    for (file, sha256) in contents(&set.folder)? {
        if before.get(&file) != Some(&sha256) {
            written.entry(file.clone()).or_insert_with(|| set.folder.join(file));
        }
    }
    if !record.success || written.is_empty() {
        return Err(failed(session, &set, &record, &written));
    }
    let mut made = Vec::new();
    let outcome = keep(session, &config, &written, &mut made);
    if outcome.is_err() {
        for file in &made {
            let _ = fs::remove_file(file);
        }
    }
    let (locked, already, count) = outcome?;
    Ok(Authored { locked, already, count, run: record })
}

/// The files of the set with their digests.
fn contents(folder: &Path) -> Result<BTreeMap<PathBuf, Sha256>, Refusal> {
    let mut contents = BTreeMap::new();
    for name in held_out::test_files(folder)? {
        if let Some(bytes) = file::read(&folder.join(&name)).map_err(io)? {
            contents.insert(name, Sha256::of(bytes));
        }
    }
    Ok(contents)
}

fn failed(
    session: &Session<'_>,
    set: &HeldOut,
    record: &RunRecord,
    written: &BTreeMap<PathBuf, PathBuf>,
) -> Refusal {
    let message = if record.success {
        "the author wrote no test".to_owned()
    } else {
        format!("the author failed: {}", record.cause)
    };
    let mut refusal = Refusal::new(codes::AUTHOR_FAILED, message);
    if let Some(log) = &record.log {
        refusal = refusal.fact(format!("its output is in `{}`", log.display()));
    }
    let left = written.values().filter(|from| from.starts_with(&set.folder)).count();
    if left > 0 {
        let folder = session.shown(&set.folder);
        refusal = refusal.fact(format!("{} that it left in `{folder}` stay unlocked", files(left)));
    }
    refusal.hint(
        "it works in an empty folder: tests go into that folder, and programs of its own are named by an \
         absolute path",
    )
}

/// Brings the written files into the set and locks them, all or none. `made` hears of each new file.
fn keep(
    session: &Session<'_>,
    before: &Config,
    written: &BTreeMap<PathBuf, PathBuf>,
    made: &mut Vec<PathBuf>,
) -> Result<(Vec<String>, Vec<String>, usize), Refusal> {
    session.write("guard gen", |draft| {
        if draft.config().protocol.regression.dir != before.protocol.regression.dir {
            return Err(Refusal::new(
                codes::SPINE_MOVED,
                "`protocol.regression.dir` changed while the author wrote",
            )
            .next(session.cmd("guard gen")));
        }
        let set = HeldOut::of(session, draft.config())?;
        let mut bring = Vec::new();
        let mut conflicts = Vec::new();
        let mut wanted = Vec::new();
        for (name, from) in written {
            let to = set.folder.join(name);
            let Some(path) = set.name(&to) else {
                let message = format!("`{}` has a name that is not UTF-8", name.display());
                return Err(Refusal::new(codes::AUTHOR_FAILED, message));
            };
            let bytes = file::read(from).map_err(io)?.unwrap_or_default();
            let sha256 = Sha256::of(&bytes);
            let there = file::read(&to).map_err(io)?.map(Sha256::of);
            let lock = set.locks.iter().find(|lock| locks::is_same(&lock.path, &path));
            if there.is_some_and(|there| there != sha256) || lock.is_some_and(|lock| lock.sha256 != sha256) {
                conflicts.push(path);
                continue;
            }
            if there.is_none() {
                bring.push((from, to, bytes));
            }
            wanted.push(Lock { path, sha256 });
        }
        if !conflicts.is_empty() {
            return Err(Refusal::new(
                codes::TEST_LOCKED,
                format!("the author wrote over {} of the set", files(conflicts.len())),
            )
            .facts(conflicts.iter().map(|path| format!("`{path}`")))
            .hint("nothing was taken over; move these files away to have them written anew"));
        }
        for (from, to, bytes) in bring {
            put(&set.folder, from, &to, &bytes)?;
            made.push(to);
        }
        let added = lock_all(draft, &set, wanted, None)?;
        Ok((added.locked, added.already, added.count))
    })
}

/// Writes a file of the set, with the permissions that its author gave it.
fn put(folder: &Path, from: &Path, to: &Path, bytes: &[u8]) -> Result<(), Refusal> {
    let fail =
        |error: std::io::Error| Refusal::new(codes::IO, format!("cannot write `{}`: {error}", to.display()));
    fs::create_dir_all(folder).map_err(fail)?;
    if let Some(parent) = to.parent() {
        file::create_folder(folder, parent).map_err(io)?;
    }
    file::replace(to, bytes).map_err(io)?;
    let permissions = fs::metadata(from).map_err(fail)?.permissions();
    fs::set_permissions(to, permissions).map_err(fail)
}

/// What the author reads: the specification and the criteria of every task, and nothing of the code.
fn prompt(session: &Session<'_>, config: &Config, tasks: &[Task]) -> Result<String, Refusal> {
    let regression = &config.protocol.regression;
    let mut prompt = String::from(
        "Write regression tests for the project that is specified below. You see what it must do, and not the\n\
         code: the tests are held out from whoever writes that code, and the code is held out from you. Test\n\
         only behaviour that the specification or a criterion states.\n\n\
         Write the test files into the folder you stand in. Print nothing that gives a test away.\n",
    );
    let place = match content::held_out_folder(config) {
        Some(folder) => format!("in `{folder}` below it"),
        None => format!("in the folder that `{}` names", held_out::FOLDER_VARIABLE),
    };
    let _ = writeln!(prompt, "They will run from the project's root, and lie {place}.");
    if !regression.command.trim().is_empty() {
        let _ = writeln!(prompt, "They will be run with: {}", regression.command.trim());
    }
    let _ = write!(prompt, "\n# Specification\n\n{}\n", session.read_text("spec.md")?.trim());
    prompt.push_str("\n# Acceptance criteria\n");
    for task in tasks {
        let mut criteria = task.criteria().peekable();
        if criteria.peek().is_none() {
            continue;
        }
        let _ = write!(prompt, "\n## {}\n\n", text::one_line(&task.title));
        for criterion in criteria {
            let _ = writeln!(prompt, "- {}", text::one_line(criterion));
        }
    }
    Ok(prompt)
}
