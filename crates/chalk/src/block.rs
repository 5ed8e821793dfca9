//! `block` and `unblock`: a task waits for something outside of it, and goes on where it was (facts 3.4).

use canon::text;
use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use crate::codes;
use crate::handoff::{self, Occasion};
use crate::model::task::{Block, HandoffRef};
use crate::model::{State, Task};
use crate::session::Session;

/// What a blocked task needs. A `review` block is the agent's own work; the others wait for somebody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Needs {
    /// Credentials.
    Creds,
    /// A decision.
    Decision,
    /// Something that a person does.
    HumanInput,
    /// Another project.
    Upstream,
    /// Work after a review.
    Review,
}

impl Needs {
    /// The word in the file.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Creds => "creds",
            Self::Decision => "decision",
            Self::HumanInput => "human-input",
            Self::Upstream => "upstream",
            Self::Review => "review",
        }
    }
}

/// A task that was blocked.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Blocked {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The state that it goes back to.
    pub blocked_from: State,
    /// What it needs, and why.
    pub block: Block,
    /// The document for whoever goes on with it.
    pub handoff: HandoffRef,
    /// The command that lets it go on.
    pub next: String,
}

/// Blocks a task and writes a handoff document for it. A task that is blocked already gets the new reason.
pub fn block(session: &Session<'_>, wanted: &str, needs: Needs, reason: &str) -> Result<Blocked, Refusal> {
    block_after(session, wanted, needs, reason, &[])
}

/// Blocks a task because of what `failed`, which the handoff document lists.
pub(crate) fn block_after(
    session: &Session<'_>,
    wanted: &str,
    needs: Needs,
    reason: &str,
    failed: &[String],
) -> Result<Blocked, Refusal> {
    let task = session.task(wanted)?;
    refuse_done(&task)?;
    let block = Block {
        needs: needs.as_str().to_owned(),
        reason: text::one_line(reason),
        at: session.now().to_string(),
    };
    let told = format!("{}: {}", block.needs, block.reason);
    let occasion = Occasion { reason: &told, blocks: true, failed };
    let document = handoff::compose(session, &session.config()?, &task, &occasion)?;
    session.write("block", |draft| {
        let index = handoff::find_again(draft, &task)?;
        let (_, task) = draft.find(&task.id)?;
        refuse_done(&task)?;
        let block = Block { at: draft.now().to_string(), ..block };
        let blocked_from = match (&task.state, &task.blocked_from) {
            (State::Blocked, Some(from)) => from.clone(),
            (State::Blocked, None) => State::Specd,
            (state, _) => state.clone(),
        };
        draft.set_task(index, &["state".into()], &json!(State::Blocked))?;
        draft.set_task(index, &["blockedFrom".into()], &json!(blocked_from))?;
        draft.set_task(index, &["block".into()], &json!(block))?;
        let title = format!("Blocked: {} (needs {})", task.title, block.needs);
        draft.event("progress-update", &title, &block.reason, Some(&task.id));
        let handoff = handoff::store(draft, index, &task, &block.needs, &document)?;
        Ok(Blocked {
            next: session.cmd(&format!("unblock {}", quote(&task.id))),
            id: task.id,
            title: task.title,
            blocked_from,
            block,
            handoff,
        })
    })
}

fn refuse_done(task: &Task) -> Result<(), Refusal> {
    if task.state != State::Done {
        return Ok(());
    }
    Err(Refusal::new(codes::WRONG_STATE, format!("`{}` is done, and a done task waits for nothing", task.id))
        .hint("add a task for what is left"))
}

/// A task that goes on.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Unblocked {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Its state now.
    pub state: State,
    /// What it needed.
    pub needs: String,
    /// The command that comes next.
    pub next: String,
}

/// Lets a blocked task go on in the state that the block interrupted, or as `specd` where that isn't known.
pub fn unblock(session: &Session<'_>, wanted: &str, why: Option<&str>) -> Result<Unblocked, Refusal> {
    session.write("unblock", |draft| {
        let (index, task) = draft.find(wanted)?;
        let id = quote(&task.id);
        if task.state != State::Blocked {
            return Err(Refusal::new(codes::WRONG_STATE, format!("`{id}` is {}, not blocked", task.state))
                .next(session.cmd("next")));
        }
        let state = match task.blocked_from.clone() {
            Some(state @ (State::Todo | State::Specd | State::InProgress)) => state,
            _ => State::Specd,
        };
        let others = draft.tasks()?.heads().map_err(|damage| session.damaged("tasks.json", &damage))?;
        let others = others.iter().filter(|head| head.state == State::InProgress).count();
        if state == State::InProgress && others > 0 && !draft.config().protocol.parallel.enabled {
            session.warn(format!("{} tasks are in progress now", others + 1));
        }
        draft.set_task(index, &["state".into()], &json!(state))?;
        draft.unset_task(index, "blockedFrom")?;
        draft.unset_task(index, "block")?;
        draft.event(
            "progress-update",
            &format!("Unblocked: {}", task.title),
            &why.map(text::one_line).unwrap_or_default(),
            Some(&task.id),
        );
        let next = match state {
            State::Todo => format!("spec {id} --criterion \"...\""),
            State::InProgress => format!("context {id}"),
            _ => format!("start {id}"),
        };
        let needs = task.block.map(|block| block.needs).unwrap_or_default();
        Ok(Unblocked { next: session.cmd(&next), id: task.id, title: task.title, state, needs })
    })
}
