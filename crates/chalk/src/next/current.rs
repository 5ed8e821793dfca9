//! What a task in progress needs next.

use canon::{Sha256, text};
use gate::Refusal;
use gate::words::quote;
use store::git::RepoPath;

use super::{Reason, Step, View, measured};
use crate::board::Group;
use crate::locks::{self, Integrity, LockState};
use crate::model::config::Cadence;
use crate::model::{Review, State, Task};
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

/// Restoring the file comes first: an implementer doesn't change a locked test. Where git has not got what
/// was locked, only a lock with a reason is left.
fn mend(view: &View<'_, '_>, task: &Task, tree: &std::path::Path, broken: &LockState) -> Step {
    let path = broken.path.replace('\\', "/");
    let amend = format!("amend-spec {} --test {} --why \"...\"", quote(&task.id), quote(&path));
    let amend = view.cmd(&amend);
    let step = Step::new(Reason::LockBroken, "a locked test is not what was locked")
        .about(task)
        .fact(broken.sentence());
    let kept =
        view.session.git(tree).and_then(|git| git.blob("HEAD", &RepoPath::from(path.as_str())).ok()?);
    // git puts line ends of its own into what it writes.
    let restores = kept.is_some_and(|bytes| {
        let crlf = String::from_utf8_lossy(&bytes).replace('\n', "\r\n");
        [Sha256::of(&bytes), Sha256::of(crlf)].contains(&broken.locked)
    });
    if restores {
        let folder = if view.session.world.cwd == tree {
            String::new()
        } else {
            format!("-C {} ", quote(&tree.display().to_string()))
        };
        return step
            .command(format!("git {folder}restore --source=HEAD -- {}", quote(&path)))
            .hint(format!("only where the test itself is wrong: `{amend}`"));
    }
    if broken.state == Integrity::Missing {
        return step.fact("git has not got what was locked").hint(format!(
            "bring `{path}` back as it was; where it is meant to go, say so with `{}`",
            view.cmd("question add \"...\"")
        ));
    }
    step.fact("git has not got what was locked")
        .command(amend)
        .hint(format!("better: bring `{path}` back as it was"))
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
    let mut step = judged(view, task);
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
fn judged(view: &View<'_, '_>, task: &Task) -> Step {
    let id = quote(&task.id);
    let verify = || view.cmd("verify");
    let read_first = format!("read first: `{}`", view.cmd(&format!("context {id}")));
    let last = measured::verify(view.session, task);
    let review = review::recorded(task);
    let needed = review_is_needed(view, task);
    if let (true, review::Standing::Blocked { review }) = (needed, &review) {
        // Work goes on after a review: what was found counts as mended once a verify says something newer.
        let said_since = |last: &verify::Last| last.at.to_string() > review.at;
        if !last.as_ref().is_some_and(said_since) {
            let message = "the reviewer blocks: mend what was found, then verify";
            let step = Step::new(Reason::ReviewBlocked, message).about(task).facts(findings(review));
            return step.command(verify()).hint(read_first);
        }
    }
    let Some(last) = last else {
        let message = "work on the task in progress, then verify";
        let step = Step::new(Reason::VerifyMissing, message).about(task).facts(criteria(task));
        return step.command(verify()).hint(read_first);
    };
    if !last.stored.green {
        let message = "the last verify was red: mend it and verify again";
        let step = Step::new(Reason::VerifyRed, message).about(task).facts(last.stored.red);
        return step.command(verify()).hint(read_first);
    }
    let by_hand = if view.config.protocol.review.command.trim().is_empty() { " --note \"...\"" } else { "" };
    let ask = |reason, message: &str| {
        let ask = view.cmd(&format!("review {id}{by_hand}"));
        Step::new(reason, message).about(task).command(ask)
    };
    match &review {
        review::Standing::Missing if needed => {
            ask(Reason::ReviewMissing, "the task is verified and needs a review")
        }
        review::Standing::Blocked { .. } if needed => {
            ask(Reason::ReviewBlocked, "what the reviewer found is mended: ask for the review again")
        }
        review::Standing::Stale { why, .. } if needed => {
            ask(Reason::ReviewStale, &format!("the last review passed, but {}", why.words()))
        }
        _ => Step::new(Reason::ReadyToFinish, "nothing is missing: finish the task in progress")
            .about(task)
            .command(view.cmd(&format!("done {id}"))),
    }
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
