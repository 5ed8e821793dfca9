//! What a verify run watches: the locks of the judged tasks, what decides them, the locks of done tasks,
//! and the held-out set.

use std::collections::BTreeSet;
use std::path::Path;

use canon::text;
use gate::words::quote;
use gate::{Finding, Level, Refusal};
use store::git::RepoPath;

use super::Judgement;
use crate::codes;
use crate::deciders::{self, Moved};
use crate::held_out::HeldOut;
use crate::locks::{self, LockState, is_same};
use crate::model::{Config, State, Strictness, Task, display_id};
use crate::session::{self, Session};

/// How many names a finding shows.
const SHOWN: usize = 3;

/// The locks and deciders of the judged tasks at one moment.
pub(super) struct Watch {
    /// Every lock, in the order of the tasks.
    pub locks: Vec<LockState>,
    /// Deciders that are not what they were, of tests whose lock holds.
    pub moved: Vec<Moved>,
}

impl Watch {
    pub fn take(session: &Session<'_>, config: &Config, judged: &[Judgement]) -> Result<Self, Refusal> {
        let (mut locks, mut moved) = (Vec::new(), Vec::new());
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
            locks.extend(states);
        }
        Ok(Self { locks, moved })
    }
}

/// The findings about locks, as they stood before the toolchain and after it.
pub(super) fn about_locks(session: &Session<'_>, before: &Watch, after: &Watch) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (then, now) in before.locks.iter().zip(&after.locks) {
        let msg = match (then.holds(), now.holds()) {
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
    all.map(|(moved, when)| {
        let amend = session.cmd(&amendment(&moved.task, &moved.tests));
        Finding::new(codes::DECIDER_MOVED.as_str(), level, format!("{}{when}", moved.sentence()))
            .cure(format!("look at the change; if it is meant, say why: `{amend}`"))
    })
    .collect()
}

fn amendment(task: &str, tests: &[String]) -> String {
    let tests: Vec<String> = tests.iter().map(|test| format!("--test {}", quote(test))).collect();
    format!("amend-spec {} {} --why \"...\"", display_id(task), tests.join(" "))
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
        .map(|lock| format!("`{}` ({})", text::one_line(&lock.path), display_id(&lock.task)))
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
