//! What a task in progress needs next.

use std::path::Path;

use canon::{Sha256, text};
use gate::words::quote;
use gate::{ReasonCode, Refusal};
use store::git::RepoPath;

use super::{Reason, Step, View, git_in, measured, refused};
use crate::board::Group;
use crate::codes;
use crate::deciders;
use crate::done;
use crate::levers;
use crate::locks::{self, Integrity, LockState};
use crate::model::config::Cadence;
use crate::model::{Review, State, Strictness, Task};
use crate::review;
use crate::tree;
use crate::verify;

/// How many criteria or findings a step names.
const NAMED: usize = 8;

/// The first broken lock of the tasks in progress, each hashed in the task's own tree (P6).
pub(super) fn broken_lock(view: &View<'_, '_>, tasks: &[Task]) -> Result<Option<Step>, Refusal> {
    for (task, judged) in tasks.iter().zip(tree::of_each(view.session, tasks)) {
        if let Some(broken) = locks::first_break(view.session, task, &judged.path)? {
            return Ok(Some(mend(view, task, &judged.path, &broken)));
        }
    }
    Ok(None)
}

/// The first broken lock of a done task, where policy lets every lock count.
///
/// A path that another task locked anew is judged by that lock.
pub(super) fn broken_lock_of_done(view: &View<'_, '_>, current: &[Task]) -> Result<Option<Step>, Refusal> {
    if !view.config.protocol.all_locks() {
        return Ok(None);
    }
    let tree = tree::of_each(view.session, current).into_iter().next();
    let tree = tree.unwrap_or_else(|| tree::here(view.session)).path;
    let mut held: Vec<String> =
        current.iter().flat_map(|task| &task.tests).map(|lock| lock.path.clone()).collect();
    let mut broken = Vec::new();
    for task in view.whole(view.board.of(Group::Done))? {
        for lock in locks::check(view.session, &task, &tree)? {
            if lock.holds() {
                held.push(lock.path);
            } else {
                broken.push((task.clone(), lock));
            }
        }
    }
    let first = broken.iter().find(|(_, lock)| !held.iter().any(|path| locks::is_same(path, &lock.path)));
    Ok(first.map(|(task, lock)| mend(view, task, &tree, lock)))
}

/// Restoring the file comes first: an implementer doesn't change a locked test. Where neither the last commit
/// nor the one that the task began at has what was locked, only a lock with a reason is left.
fn mend(view: &View<'_, '_>, task: &Task, tree: &Path, broken: &LockState) -> Step {
    let path = broken.path.replace('\\', "/");
    let amend = format!("amend-spec {} --test {} --why \"...\"", quote(&task.id), quote(&path));
    let amend = view.cmd(&amend);
    let step = Step::new(Reason::LockBroken, "a locked test is not what was locked")
        .about(task)
        .fact(broken.sentence());
    let git = view.session.git(tree);
    let restores = |rev: &&str| {
        let kept = git.as_ref().and_then(|git| git.blob(rev, &RepoPath::from(path.as_str())).ok()?);
        // git puts line ends of its own into what it writes.
        kept.is_some_and(|bytes| {
            let crlf = String::from_utf8_lossy(&bytes).replace('\n', "\r\n");
            [Sha256::of(&bytes), Sha256::of(crlf)].contains(&broken.locked)
        })
    };
    if let Some(rev) = ["HEAD"].into_iter().chain(task.base()).find(restores) {
        let git = git_in(view.session, tree);
        return step
            .command(format!("{git} restore --source={rev} -- {}", quote(&path)))
            .hint(format!("only where the test itself is wrong: `{amend}`"));
    }
    let step = step.fact(match git {
        Some(_) => "the last commit doesn't have what was locked",
        None => "there is no git to bring back what was locked",
    });
    if broken.state == Integrity::Missing {
        return step.hint(format!(
            "bring `{path}` back as it was; where it is meant to go, say so with `{}`",
            view.cmd("question add \"...\"")
        ));
    }
    step.command(amend).hint(format!("better: bring `{path}` back as it was"))
}

/// The first fork that nobody decided.
pub(super) fn open_fork(task: &Task) -> Option<&str> {
    task.raised.iter().find(|raise| raise.status == "open").map(|raise| raise.fork.as_str())
}

/// The step for a task in progress whose locks hold.
pub(super) fn step(view: &View<'_, '_>, task: &Task) -> Result<Step, Refusal> {
    let id = quote(&task.id);
    if task.criteria().next().is_none() && task.tests.is_empty() {
        return Ok(Step::new(Reason::NoCriteria, "the task in progress has no acceptance criteria")
            .about(task)
            .command(view.cmd(&format!("spec {id} --criterion \"...\""))));
    }
    if let Some(fork) = open_fork(task) {
        let reason = text::clip(&text::one_line(fork), 80).replace(['"', '`', '$', '\\'], "'");
        return Ok(Step::new(
            Reason::OpenFork,
            "a person has to decide something about the task in progress",
        )
        .about(task)
        .fact(text::one_line(fork))
        .command(view.cmd(&format!("block {id} --needs decision --reason \"{reason}\"")))
        .hint("the answer is given with the program that raised it"));
    }
    let tree = tree::of_each(view.session, std::slice::from_ref(task)).pop();
    let tree = tree.map_or_else(|| view.session.spine.tree.clone(), |judged| judged.path);
    let mut step = judged(view, task, &tree)?;
    let open = task.directives.iter().filter(|directive| !directive.resolved);
    step.facts.extend(open.map(|directive| format!("correction: {}", text::one_line(&directive.instead))));
    let questions = view.session.questions()?;
    let questions = questions.iter().filter(|q| q.is_open() && q.task_id.as_deref() == Some(&task.id));
    step.facts.extend(
        questions
            .take(NAMED)
            .map(|question| format!("open question {}: {}", question.id, text::one_line(&question.question))),
    );
    Ok(step)
}

/// Verify, then review, then done.
fn judged(view: &View<'_, '_>, task: &Task, tree: &Path) -> Result<Step, Refusal> {
    let (session, config) = (view.session, view.config);
    let verify = || view.cmd("verify");
    let read_first = format!("read first: `{}`", view.cmd(&format!("context {}", quote(&task.id))));
    let last = measured::verify(session, task);
    let strict = config.protocol.review_findings == Strictness::Refuse;
    let review = review::recorded(task);
    let needed = review_is_needed(view, task);
    let blocking = match &review {
        review::Standing::Blocked { review } => Some((review, "the reviewer blocks")),
        review::Standing::Pass { high: true, review, .. } if strict => {
            Some((review, "the review passes with a finding that weighs high, which is not taken"))
        }
        _ => None,
    };
    if let Some((review, why)) = blocking.filter(|_| needed)
        && !last.as_ref().is_some_and(|last| is_mended(task, review, last))
    {
        let message = format!("{why}: mend what was found, then verify");
        let step = Step::new(Reason::ReviewBlocked, message).about(task).facts(findings(review));
        return Ok(step.command(verify()).hint(read_first));
    }
    let Some(last) = last else {
        let message = "work on the task in progress, then verify";
        let step = Step::new(Reason::VerifyMissing, message).about(task).facts(criteria(task));
        return Ok(step.command(verify()).hint(read_first));
    };
    if !last.stored.green {
        if let Some(step) = moved_decider(view, task, tree, &last)? {
            return Ok(step);
        }
        let message = "the last verify was red: mend it and verify again";
        let step = Step::new(Reason::VerifyRed, message).about(task).facts(last.stored.red);
        return Ok(step.command(verify()).hint(read_first));
    }
    let kept = refused::last(session, task);
    if kept.as_ref().is_some_and(|kept| kept.code == codes::TEST_UNTRACKED.as_str())
        && let Some(refusal) = done::untracked(session, task)?
    {
        let step = Step::new(Reason::DoneRefused, refusal.message).about(task).facts(refusal.facts);
        return Ok(Step { command: refusal.next, hint: refusal.hint, ..step });
    }
    let ask = |reason, message: &str| {
        Step::new(reason, message).about(task).command(done::ask(session, config, task))
    };
    Ok(match &review {
        review::Standing::Missing if needed => {
            ask(Reason::ReviewMissing, "the task is verified and needs a review")
        }
        _ if needed && blocking.is_some() => ask(
            Reason::ReviewBlocked,
            "the files changed since the reviewer's findings: ask for the review again",
        ),
        review::Standing::Stale { why, .. } if needed => {
            ask(Reason::ReviewStale, &format!("the last review passed, but {}", why.words()))
        }
        review::Standing::Pass { review, .. } if needed && is_of_older_files(review, &last) => {
            let why = review::Staleness::ContentMoved.words();
            ask(Reason::ReviewStale, &format!("the last review passed, but {why}"))
        }
        review::Standing::Pass { by_hand: true, review, .. } if needed && strict => {
            let message = format!("the review was made by hand, by {}, which is not taken", review.by);
            if done::has_reviewer(config) {
                ask(Reason::ReviewMissing, &message)
            } else {
                let hint = "a person sets `protocol.review.command`; until then `done` refuses";
                Step::new(Reason::ReviewMissing, message).about(task).hint(hint)
            }
        }
        _ => match kept.filter(|kept| still_refused(view, task, needed, kept, &last)) {
            Some(kept) => {
                let message = format!("`done` refused the task: {}", kept.message);
                let step = Step::new(Reason::DoneRefused, message).about(task).facts(kept.facts);
                Step { command: kept.next, hint: kept.hint, ..step }
            }
            None => finish(view, task, &last),
        },
    })
}

/// The end of the work, as far as the record goes: whether the files moved since is for `done` to find out.
fn finish(view: &View<'_, '_>, task: &Task, last: &verify::Last) -> Step {
    let at = last.at.to_string();
    let minute = at.get(..16).unwrap_or(&at).replace('T', " ");
    let message = format!("verified at {minute}; `done` checks again and finishes it");
    Step::new(Reason::ReadyToFinish, message)
        .about(task)
        .command(view.cmd(&format!("done {}", quote(&task.id))))
}

/// Whether a verify run judged this content, or left it behind.
fn judged_content(last: &verify::Last, digest: Sha256) -> bool {
    last.stored.digest == digest || last.stored.digest_after == Some(digest)
}

/// Whether work went on after a review, and a verify says something of it. A review of another program
/// doesn't say what it judged; there a newer verify has to do.
fn is_mended(task: &Task, review: &Review, last: &verify::Last) -> bool {
    last.at.to_string() > review.at
        && (review.asked.is_some_and(|asked| asked != review::asked(task))
            || review.digest.is_none_or(|digest| !judged_content(last, digest)))
}

/// Whether a later verify judged other files than the review did.
fn is_of_older_files(review: &Review, last: &verify::Last) -> bool {
    last.at.to_string() > review.at && review.digest.is_some_and(|digest| !judged_content(last, digest))
}

/// Whether nothing on record has changed since `done` refused. A lever that only warns now refuses no more.
fn still_refused(
    view: &View<'_, '_>,
    task: &Task,
    review_is_needed: bool,
    kept: &refused::Kept,
    last: &verify::Last,
) -> bool {
    let by = |codes: &[ReasonCode]| codes.iter().any(|code| code.as_str() == kept.code);
    // A person may have let the task go without a test since.
    let unexcused = !by(&[codes::NO_TEST_CHANGE, codes::LEVER_INCONCLUSIVE]) || !levers::is_excused(task);
    let levers = view.config.protocol.done_levers == Strictness::Refuse
        && by(&[
            codes::VACUOUS_TEST,
            codes::NO_TEST_CHANGE,
            codes::MUTANTS_SURVIVE,
            codes::LEVER_INCONCLUSIVE,
        ])
        && unexcused;
    let review = review_is_needed && by(&[codes::REVIEW_STALE]) && kept.is_newer_than_reviews(task);
    (levers || review) && kept.asks_the_same(task) && judged_content(last, kept.digest)
}

/// The step where a moved decider is all that keeps the task from being green.
fn moved_decider(
    view: &View<'_, '_>,
    task: &Task,
    tree: &Path,
    last: &verify::Last,
) -> Result<Option<Step>, Refusal> {
    if view.config.protocol.lock_deciders != Strictness::Refuse
        || !verify::is_red_by_deciders_alone(&last.stored.red)
    {
        return Ok(None);
    }
    let moved = deciders::moved(view.session, view.config, task, tree)?;
    let Some(first) = moved.first() else { return Ok(None) };
    let step = Step::new(Reason::VerifyRed, "what decides a locked test is not what it was")
        .about(task)
        .facts(moved.iter().take(NAMED).map(deciders::Moved::sentence))
        .command(verify::amendment(view.session, first))
        .hint("that is for a change that is meant; else put it back and verify again");
    Ok(Some(step))
}

/// The criteria by number, the first few of many.
fn criteria(task: &Task) -> Vec<String> {
    let all: Vec<&str> = task.criteria().collect();
    let shown = all.iter().take(NAMED).enumerate();
    let mut lines: Vec<String> =
        shown.map(|(n, text)| format!("{}. {}", n + 1, text::one_line(text))).collect();
    if all.len() > NAMED {
        lines.push(format!("and {} more criteria", all.len() - NAMED));
    }
    lines
}

/// What a review found, the first few of many.
pub(super) fn findings(review: &Review) -> Vec<String> {
    let mut lines: Vec<String> = review
        .findings
        .iter()
        .take(NAMED)
        .map(|finding| format!("{} {}: {}", finding.severity, finding.area, text::one_line(&finding.note)))
        .collect();
    if review.findings.len() > NAMED {
        lines.push(format!("and {} more findings", review.findings.len() - NAMED));
    }
    if let Some(note) = review.note.as_deref().filter(|_| lines.is_empty()) {
        lines.push(text::one_line(note));
    }
    lines
}

/// Whether `done` will ask for a review of this task.
fn review_is_needed(view: &View<'_, '_>, task: &Task) -> bool {
    let closes_milestone = || {
        let Some(milestone) = task.milestone.as_deref() else { return false };
        let groups = [
            Group::InProgress,
            Group::Ready,
            Group::Waiting,
            Group::NeedsCriteria,
            Group::Rework,
            Group::Blocked,
            Group::Unknown,
        ];
        let mut open =
            groups.into_iter().flat_map(|group| view.board.of(group)).map(|place| view.board.head(place));
        !open.any(|head| {
            head.id != task.id && head.state != State::Done && head.milestone.as_deref() == Some(milestone)
        })
    };
    view.config.protocol.cadence().iter().any(|cadence| match cadence {
        Cadence::PerTask => true,
        Cadence::MilestoneBoundary => closes_milestone(),
        Cadence::PhaseAdvance => false,
    })
}
