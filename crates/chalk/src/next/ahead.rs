//! What comes next when no task is in progress.

use canon::text;
use gate::Refusal;
use gate::words::quote;

use super::{Named, Reason, Step, View, current};
use crate::board::{Board, Group};
use crate::codes;
use crate::model::State;
use crate::model::config::Cadence;
use crate::phase;
use crate::review;

/// The first of: a task to rework, one to start, one that needs criteria, what waits for a person, the
/// audit, the end.
pub(super) fn step(view: &View<'_, '_>) -> Result<Step, Refusal> {
    let board = view.board;
    if let Some(place) = board.first(Group::Rework) {
        return rework(view, place);
    }
    if let Some(place) = board.first(Group::Ready) {
        let id = id_word(board, place);
        return Ok(Step {
            about: Some(at(board, place)),
            ..Step::new(Reason::ReadyToStart, "start the task")
        }
        .command(view.cmd(&format!("start {id}")))
        .hint(format!("then read `{}`", view.cmd(&format!("context {id}")))));
    }
    if let Some(place) = board.first(Group::NeedsCriteria) {
        let message = "the task needs acceptance criteria that can be checked";
        return Ok(Step { about: Some(at(board, place)), ..Step::new(Reason::NeedsCriteria, message) }
            .command(view.cmd(&format!("spec {} --criterion \"...\"", id_word(board, place)))));
    }
    if let Some(step) = waiting(view)? {
        return Ok(step);
    }
    if let Some(step) = audit(view)? {
        return Ok(step);
    }
    let done = board.counts().done;
    if done == 0 {
        return Ok(Step::new(Reason::NoTasks, "there are no tasks").command(view.cmd("task add \"...\"")));
    }
    let what =
        if done == 1 { "the one task is done".to_owned() } else { format!("all {done} tasks are done") };
    let step = Step::new(Reason::AllDone, what).command(view.cmd("task add \"...\""));
    let advance = view.config.protocol.regression.required
        || view.config.protocol.cadence().contains(&Cadence::PhaseAdvance);
    Ok(if advance { step.hint(format!("or advance the phase: `{}`", view.cmd("phase PHASE"))) } else { step })
}

fn rework(view: &View<'_, '_>, place: usize) -> Result<Step, Refusal> {
    let tasks = view.whole([place].into_iter())?;
    let Some(task) = tasks.first() else { return Ok(Step::new(Reason::NoTasks, "there are no tasks")) };
    let findings = match review::recorded(task) {
        review::Standing::Blocked { review } => current::findings(&review),
        _ => Vec::new(),
    };
    let reason =
        task.block.as_ref().map(|block| text::one_line(&block.reason)).filter(|reason| !reason.is_empty());
    Ok(Step::new(
        Reason::Rework,
        "the task waits for your own work: mend what the review found, then review again",
    )
    .about(task)
    .facts(reason)
    .facts(findings)
    .command(view.cmd(&format!("review {}", quote(&task.id))))
    .hint(format!("read first: `{}`", view.cmd(&format!("context {}", quote(&task.id))))))
}

/// What is left waits for somebody else, or for each other.
fn waiting(view: &View<'_, '_>) -> Result<Option<Step>, Refusal> {
    const SHOWN: usize = 3;
    let board = view.board;
    let counts = board.counts();
    if let Some(place) = board.first(Group::Blocked) {
        let items = board.of(Group::Blocked).take(SHOWN).map(|place| board.item(place));
        let facts: Vec<String> = items
            .map(|item| {
                format!(
                    "{}  {}: needs {}: {}",
                    item.id,
                    text::clip(&text::one_line(&item.title), 60),
                    item.needs.as_deref().unwrap_or("something"),
                    text::clip(&text::one_line(item.reason.as_deref().unwrap_or_default()), 80)
                )
            })
            .collect();
        let message = match counts.blocked {
            1 => "what is left waits for somebody else".to_owned(),
            many => format!("what is left waits for somebody else: {many} tasks are blocked"),
        };
        let questions = view.session.questions()?;
        let open = questions.iter().filter(|question| question.is_open()).take(SHOWN);
        let step = Step::new(Reason::AwaitsPerson, message).facts(facts).facts(open.map(|question| {
            format!("open question {}: {}", question.id, text::clip(&text::one_line(&question.question), 80))
        }));
        let step = Step { about: Some(at(board, place)), ..step };
        return Ok(Some(
            step.command(view.cmd(&format!("unblock {} --why \"...\"", id_word(board, place))))
                .hint("that is for the one who has what is needed; until then there is nothing to do"),
        ));
    }
    let Some(place) = board.first(Group::Waiting).or_else(|| board.first(Group::Unknown)) else {
        return Ok(None);
    };
    let head = board.head(place);
    let item = board.item(place);
    let (fact, command) = match &head.state {
        State::Other(word) => {
            (format!("its state is `{word}`"), format!("task show {}", id_word(board, place)))
        }
        _ => (
            format!("it comes after {}", item.waits_for.join(", ")),
            format!("task edit {} --not-after ID", id_word(board, place)),
        ),
    };
    let step = Step::new(Reason::Stuck, "no task can go on").fact(fact).command(view.cmd(&command));
    Ok(Some(Step { about: Some(at(board, place)), ..step }.hint(format!("see `{}`", view.cmd("backlog")))))
}

/// The audit that the next phase needs, once there is nothing else to do (P7). Only then the tree is hashed.
fn audit(view: &View<'_, '_>) -> Result<Option<Step>, Refusal> {
    let regression = &view.config.protocol.regression;
    if !regression.required {
        return Ok(None);
    }
    let step = |reason, message: String| Some(Step::new(reason, message).command(view.cmd("audit")));
    match &regression.last_audit {
        None => {
            return Ok(step(Reason::AuditMissing, "the held-out audit is required and never ran".to_owned()));
        }
        Some(last) if !last.green => {
            return Ok(step(Reason::AuditRed, format!("the last held-out audit, of {}, is red", last.at)));
        }
        Some(_) => {}
    }
    let shut = phase::shut_by_audit(view.session, view.config, &view.session.spine.tree)?;
    Ok(shut.into_iter().next().map(|refusal| {
        let small = refusal.code == codes::HELD_OUT_SMALL;
        let reason = if small { Reason::HeldOutSmall } else { Reason::AuditStale };
        let step = Step::new(reason, refusal.message).facts(refusal.facts);
        Step { command: refusal.next, hint: refusal.hint, ..step }
    }))
}

fn at(board: &Board<'_>, place: usize) -> Named {
    let head = board.head(place);
    Named { id: head.id.to_string(), title: head.title.to_string(), state: head.state.clone() }
}

fn id_word(board: &Board<'_>, place: usize) -> String {
    quote(&board.head(place).id)
}
