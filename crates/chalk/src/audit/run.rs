//! The held-out set's command: run in the audited tree, its output thrown away.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::Sha256;
use gate::Refusal;
use gate::run::{self, Capture, Command, Input, Program};
use gate::template;
use store::file;

use super::Outcome;
use crate::codes;
use crate::exec;
use crate::held_out::{self, FOLDER_VARIABLE, HeldOut, HeldOutFile};
use crate::locks::Integrity;
use crate::model::Config;
use crate::session::{Session, io};

/// Stands for one held-out test in a command that runs them one by one.
const TEST: &str = "{test}";

/// How the set's command came out.
pub(super) struct SetRun {
    /// The run of everything at once; none where the tests run one by one.
    whole: Option<Outcome>,
    /// Locked paths with their outcome, where they run one by one.
    pub each: Vec<(String, Outcome)>,
    /// Why something could not run.
    pub cause: Option<String>,
    /// Files of the audited tree that stand where held-out ones belong and differ from what was locked.
    pub elsewhere: Vec<HeldOutFile>,
}

impl SetRun {
    /// The outcome over everything that ran.
    pub(super) fn outcome(&self) -> Outcome {
        let each = self.each.iter().map(|(_, outcome)| *outcome);
        let mut worst = Outcome::NotRun;
        for outcome in self.whole.into_iter().chain(each) {
            worst = match (worst, outcome) {
                (Outcome::CouldNotRun, _) | (_, Outcome::CouldNotRun) => Outcome::CouldNotRun,
                (Outcome::Fail, _) | (_, Outcome::Fail) => Outcome::Fail,
                (_, outcome) => outcome,
            };
        }
        worst
    }
}

/// Runs `protocol.regression.command`: once, or for each locked file where the command has a `{test}`.
pub(super) fn run(
    session: &Session<'_>,
    config: &Config,
    set: &HeldOut,
    tree: &Path,
) -> Result<SetRun, Refusal> {
    let mut ran = SetRun { whole: None, each: Vec::new(), cause: None, elsewhere: Vec::new() };
    let Some(command) = config.protocol.command(&config.protocol.regression.command) else { return Ok(ran) };
    let lent = Lent::to(session, set, tree)?;
    ran.elsewhere.clone_from(&lent.differing);
    let one = |program: Program| -> Result<(Outcome, String), Refusal> {
        let mut env = exec::environment(session);
        env.push((FOLDER_VARIABLE.into(), lent.folder.clone().into()));
        let ran = run::run(&Command {
            program,
            dir: tree.to_owned(),
            env,
            stdin: Input::Null,
            deadline: Some(config.protocol.timeouts.gate).filter(|s| *s > 0).map(Duration::from_secs),
            capture: Capture::Discard,
        })
        .map_err(|error| Refusal::new(codes::IO, format!("cannot run the held-out set: {error}")))?;
        let outcome = match (ran.success(), ran.could_not_run()) {
            (true, _) => Outcome::Pass,
            (false, true) => Outcome::CouldNotRun,
            (false, false) => Outcome::Fail,
        };
        Ok((outcome, ran.cause()))
    };
    session.progress.begin("held-out set");
    if command.contains(TEST) {
        for lock in &set.locks {
            let path = lock.path.replace('\\', "/");
            let (outcome, cause) = match template::expand(&command, TEST, OsStr::new(&path)) {
                Ok(program) => one(program)?,
                Err(error) => (Outcome::CouldNotRun, error.to_string()),
            };
            if outcome == Outcome::CouldNotRun {
                ran.cause.get_or_insert(cause);
            }
            ran.each.push((lock.path.clone(), outcome));
        }
    } else {
        let (outcome, cause) = one(Program::shell(command.as_str()))?;
        ran.cause = (outcome == Outcome::CouldNotRun).then_some(cause);
        ran.whole = Some(outcome);
    }
    session.progress.end("held-out set", if ran.outcome().is_red() { "fail" } else { "pass" });
    Ok(ran)
}

/// The set as the audited tree sees it.
///
/// A linked work tree has no held-out folder of its own, and tests that lie in the main checkout would
/// import the code that lies there. So the files are laid into the work tree for the time of the run.
struct Lent {
    /// Where the set lies during the run.
    folder: PathBuf,
    /// Files that stand in the work tree already and are not what was locked.
    differing: Vec<HeldOutFile>,
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
}

impl Lent {
    fn to(session: &Session<'_>, set: &HeldOut, tree: &Path) -> Result<Self, Refusal> {
        let root = &session.spine.root;
        let mut lent = Self {
            folder: set.folder.clone(),
            differing: Vec::new(),
            files: Vec::new(),
            folders: Vec::new(),
        };
        if tree == root {
            return Ok(lent);
        }
        if let Ok(within) = set.folder.strip_prefix(root) {
            lent.folder = tree.join(within);
            for name in held_out::test_files(&set.folder)? {
                lent.lay(&set.folder.join(&name), &lent.folder.join(&name), tree)?;
            }
        }
        for lock in set.locks.iter().filter(|lock| !Path::new(&lock.path).is_absolute()) {
            let here = tree.join(&lock.path);
            lent.lay(&set.file(&lock.path), &here, tree)?;
            let found = file::read(&here).map_err(io)?.map(Sha256::of);
            if found.is_some_and(|found| found != lock.sha256) {
                lent.differing.push(HeldOutFile {
                    path: lock.path.clone(),
                    sha256: lock.sha256,
                    state: Integrity::Changed,
                });
            }
        }
        Ok(lent)
    }

    /// Copies a file into the tree, unless something stands there.
    fn lay(&mut self, from: &Path, to: &Path, tree: &Path) -> Result<(), Refusal> {
        let (Some(bytes), None) = (file::read(from).map_err(io)?, file::read(to).map_err(io)?) else {
            return Ok(());
        };
        let missing =
            to.ancestors().skip(1).take_while(|folder| folder.starts_with(tree) && !folder.exists());
        let missing: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        if let Some(folder) = to.parent() {
            file::create_folder(tree, folder).map_err(io)?;
        }
        // The outermost first, so that they go in the reverse order.
        self.folders.extend(missing.into_iter().rev());
        file::replace(to, &bytes).map_err(io)?;
        self.files.push(to.to_owned());
        let permissions = fs::metadata(from).map(|metadata| metadata.permissions());
        permissions
            .and_then(|permissions| fs::set_permissions(to, permissions))
            .map_err(|error| Refusal::new(codes::IO, format!("cannot write `{}`: {error}", to.display())))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
        // Only what is empty again goes.
        for folder in self.folders.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}
