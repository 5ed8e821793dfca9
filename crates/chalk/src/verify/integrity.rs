//! What a verify run watches: the locks of the judged tasks, what decides them, the locks of done tasks,
//! and the held-out set.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use canon::text;
use gate::words::quote;
use gate::{Finding, Level, Refusal};
use store::file::Identity;
use store::git::RepoPath;

use super::Judgement;
use crate::codes;
use crate::deciders::{self, Moved};
use crate::held_out::HeldOut;
use crate::locks::{self, LockState, is_same};
use crate::model::{Config, State, Strictness, Task};
use crate::session::{self, Session};

/// How many names a finding shows.
const SHOWN: usize = 3;

/// The locks and deciders of the judged tasks at one moment.
pub(super) struct Watch {
    /// Every lock, in the order of the tasks.
    pub locks: Vec<LockState>,
    /// Deciders that are not what they were, of tests whose lock holds.
    pub moved: Vec<Moved>,
    /// What tells an untouched file, for each of the locks; none where the system doesn't tell.
    identities: Vec<Option<Identity>>,
    /// The same for the files that decide the tests.
    deciding: Vec<Deciding>,
}

/// A file that decides locked tests.
struct Deciding {
    file: String,
    tests: Vec<String>,
    identity: Option<Identity>,
}

impl Watch {
    pub fn take(session: &Session<'_>, config: &Config, judged: &[Judgement]) -> Result<Self, Refusal> {
        let (mut locks, mut moved) = (Vec::new(), Vec::new());
        let (mut identities, mut deciding) = (Vec::new(), Vec::new());
        for Judgement { task, tree } in judged {
            let states = locks::check(session, task, &tree.path)?;
            for mut decider in deciders::moved(session, config, task, &tree.path)? {
                // A test that is broken itself may name other files now.
                let holds =
                    |test: &String| states.iter().all(|lock| lock.holds() || !is_same(&lock.path, test));
                decider.tests.retain(holds);
                if !decider.tests.is_empty() {
                    moved.push(decider);
                }
            }
            identities.extend(states.iter().map(|lock| identity(&tree.path, &lock.path)));
            deciding.extend(deciding_files(task, &tree.path));
            locks.extend(states);
        }
        Ok(Self { locks, moved, identities, deciding })
    }

    /// For each lock, whether its file was written between this moment and `after`, whatever is in it now:
    /// a test that was swapped for the run and put back has its old content, but not its old identity.
    pub fn rewritten(&self, after: &Self) -> Vec<bool> {
        self.identities.iter().zip(&after.identities).map(|(then, now)| then != now).collect()
    }
}

/// The identity of what a test runner would read there, through links.
fn identity(tree: &Path, path: &str) -> Option<Identity> {
    Identity::of(&fs::canonicalize(locks::on_disk(tree, path)).ok()?)
}

/// The files among the recorded deciders of `task`; those that are locked themselves are watched as locks.
fn deciding_files(task: &Task, tree: &Path) -> Vec<Deciding> {
    let mut files: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for decider in task.cairn.iter().flat_map(|own| &own.deciders) {
        if let Some(file) = decider.file()
            && !task.tests.iter().any(|lock| is_same(&lock.path, file))
        {
            let tests = files.entry(file).or_default();
            if !tests.contains(&decider.test) {
                tests.push(decider.test.clone());
            }
        }
    }
    let watched = |(file, tests): (&str, Vec<String>)| Deciding {
        file: file.to_owned(),
        tests,
        identity: identity(tree, file),
    };
    files.into_iter().map(watched).collect()
}

/// The findings about locks, as they stood before the toolchain and after it.
pub(super) fn about_locks(session: &Session<'_>, before: &Watch, after: &Watch) -> Vec<Finding> {
    let mut findings = Vec::new();
    let rewritten = before.rewritten(after);
    for ((then, now), rewritten) in before.locks.iter().zip(&after.locks).zip(rewritten) {
        let msg = match (then.holds(), now.holds()) {
            (true, true) if rewritten => {
                let path = text::one_line(&now.path);
                findings.push(
                    Finding::new(
                        codes::LOCK_BROKEN.as_str(),
                        Level::Fail,
                        format!(
                            "`{path}` was rewritten while the toolchain ran, and is as it was locked again"
                        ),
                    )
                    .cure(
                        "let no command write locked tests, a formatter or git with the same bytes neither: \
                         nobody can tell what ran",
                    ),
                );
                continue;
            }
            (true, true) => continue,
            (_, false) if then.holds() => format!("{}, while the toolchain ran", now.sentence()),
            (_, false) => now.sentence(),
            (_, true) => format!("{}, and was put back while the toolchain ran", then.sentence()),
        };
        let amend = session.cmd(&amendment(&now.task, std::slice::from_ref(&now.path)));
        findings.push(
            Finding::new(codes::LOCK_BROKEN.as_str(), Level::Fail, msg).cure(format!(
                "put it back as it was locked, or change the contract with a reason: `{amend}`"
            )),
        );
    }
    findings
}

/// The findings about what decides locked tests.
pub(super) fn about_deciders(
    session: &Session<'_>,
    config: &Config,
    before: &Watch,
    after: &Watch,
) -> Vec<Finding> {
    let level = match config.protocol.lock_deciders {
        Strictness::Warn => Level::Warn,
        Strictness::Refuse => Level::Fail,
    };
    let later = after.moved.iter().filter(|moved| !before.moved.contains(moved));
    let all =
        before.moved.iter().map(|moved| (moved, "")).chain(later.map(|it| (it, ", while the toolchain ran")));
    let mut findings: Vec<Finding> = all
        .map(|(moved, when)| {
            let amend = session.cmd(&amendment(&moved.task, &moved.tests));
            Finding::new(codes::DECIDER_MOVED.as_str(), level, format!("{}{when}", moved.sentence()))
                .cure(format!("look at the change; if it is meant, say why: `{amend}`"))
        })
        .collect();
    findings.extend(about_rewritten_deciders(before, after));
    findings
}

/// The warnings about files that decide locked tests and were written while the toolchain ran, though what
/// counts of them is the same.
fn about_rewritten_deciders(before: &Watch, after: &Watch) -> Vec<Finding> {
    let is_named = |deciding: &Deciding| {
        let names = |moved: &Moved| is_same(moved.what.split('#').next().unwrap_or_default(), &deciding.file);
        before.moved.iter().chain(&after.moved).any(names)
    };
    let pairs = before.deciding.iter().zip(&after.deciding);
    let rewritten = pairs.filter(|(then, now)| then.identity != now.identity && !is_named(then));
    rewritten
        .map(|(deciding, _)| {
            let (file, tests) =
                (text::one_line(&deciding.file), text::one_line(&deciding.tests.join("`, `")));
            let msg = format!("`{file}`, which decides `{tests}`, was rewritten while the toolchain ran");
            Finding::new(codes::DECIDER_MOVED.as_str(), Level::Warn, msg)
                .cure("find the command that writes it: what it held during the run is not known")
        })
        .collect()
}

fn amendment(task: &str, tests: &[String]) -> String {
    let tests: Vec<String> = tests.iter().map(|test| format!("--test {}", quote(test))).collect();
    format!("amend-spec {} {} --why \"...\"", quote(task), tests.join(" "))
}

/// The finding about locks of done tasks, judged in `tree`: a warning, and with `all-locks` a failure.
///
/// A path that another task locked anew is judged by that lock.
pub(super) fn about_done(
    session: &Session<'_>,
    config: &Config,
    tasks: &[Task],
    judged: &[Judgement],
    tree: &Path,
) -> Result<Option<Finding>, Refusal> {
    let mut broken: Vec<LockState> = Vec::new();
    let mut held: BTreeSet<String> = BTreeSet::new();
    for task in tasks.iter().filter(|task| task.state == State::Done) {
        if judged.iter().any(|judgement| judgement.task.id == task.id) {
            continue;
        }
        for lock in locks::check(session, task, tree)? {
            if lock.holds() {
                held.insert(lock.path);
            } else {
                broken.push(lock);
            }
        }
    }
    let others = judged.iter().flat_map(|judgement| &judgement.task.tests).map(|lock| lock.path.clone());
    held.extend(others);
    broken.retain(|lock| !held.iter().any(|path| is_same(path, &lock.path)));
    let Some(first) = broken.first() else { return Ok(None) };
    let shown: Vec<String> = broken
        .iter()
        .take(SHOWN)
        .map(|lock| format!("`{}` ({})", text::one_line(&lock.path), lock.task))
        .collect();
    let more = broken.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let level = if config.protocol.all_locks() { Level::Fail } else { Level::Warn };
    let msg = format!(
        "locked tests of done tasks are not as they were locked, judged in `{}`: {}{more}",
        tree.display(),
        shown.join(", ")
    );
    let amend = session.cmd(&amendment(&first.task, std::slice::from_ref(&first.path)));
    let cure = format!("put them back, or change the contract with a reason: `{amend}`");
    Ok(Some(Finding::new(codes::LOCK_BROKEN.as_str(), level, msg).cure(cure)))
}

/// The finding about the held-out set. Which of its files moved stays with `guard list`: a name may say
/// what is asserted.
pub(super) fn about_held_out(session: &Session<'_>, config: &Config) -> Option<Finding> {
    let total = config.protocol.regression.tests.len();
    let msg = match HeldOut::of(session, config) {
        Err(refusal) => refusal.message,
        Ok(set) => match set.examine().broken().count() {
            0 => return None,
            1 => format!("1 held-out file of {total} is not as it was locked"),
            n => format!("{n} held-out files of {total} are not as they were locked"),
        },
    };
    let cure = format!("a person looks at `{}`", session.cmd("guard list"));
    Some(Finding::new(codes::HELD_OUT_MOVED.as_str(), Level::Warn, msg).cure(cure))
}

/// The finding that git ignores the spine, so that a clean-up takes every criterion and lock away
/// without a trace.
pub(super) fn about_spine(session: &Session<'_>) -> Result<Option<Finding>, Refusal> {
    let Some(git) = session.git(&session.spine.root) else { return Ok(None) };
    let paths = [RepoPath::from(".chalk/tasks.json"), RepoPath::from(".chalk/chalk.json")];
    let ignored = git.ignored(&paths).map_err(session::git)?;
    Ok(ignored.contains(&true).then(|| {
        Finding::new("spine", Level::Warn, "git ignores `.chalk/`, so that it can vanish without a trace")
            .cure("take it out of `.gitignore` and commit it")
    }))
}
