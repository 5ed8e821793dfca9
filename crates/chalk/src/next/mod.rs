//! `next`: the single next action with the exact command, an integrity break first (facts 4.9, 6 item 13).
//!
//! Asked every turn, so it reads the heads of all tasks and no more than a few tasks whole, and starts no
//! process unless something is broken.

mod ahead;
mod current;
pub(crate) mod measured;
pub(crate) mod refused;

use std::borrow::Cow;
use std::path::Path;

use gate::Refusal;
use gate::words::quote;
use schemars::JsonSchema;
use serde::Serialize;

use crate::board::{Board, Counts, Group, Item};
use crate::model::{Config, State, Task};
use crate::session::Session;
use crate::tasks::Tasks;

/// The next action.
///
/// `task`, `freshSession`, `handoff` and `action` are the published keys and mean what they mean there:
/// the task in progress, else the first that can be started. The other keys are the program's own and say
/// what really comes next.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Next {
    /// The task in progress, else the first that can be started.
    pub task: Option<Named>,
    /// Always true: each task is worked on in a session of its own.
    pub fresh_session: bool,
    /// The path of that task's last handoff document.
    pub handoff: Option<String>,
    /// Whether that task is to be worked on or to be started.
    pub action: Option<Action>,
    /// Why this step comes next.
    pub reason: Reason,
    /// The step in one sentence.
    pub message: String,
    /// The task that the step is about.
    pub about: Option<Named>,
    /// What the step rests on, one line each.
    pub facts: Vec<String>,
    /// The command to run; none where a person has to act.
    pub command: Option<String>,
    /// What to do where the command is not the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How many tasks there are of each group.
    pub counts: Counts,
    /// Every other task that isn't done, where all were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<Item>,
}

/// A task by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Named {
    /// Its whole id.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it stands.
    pub state: State,
}

impl Named {
    pub(crate) fn of(task: &Task) -> Self {
        Self { id: task.id.clone(), title: task.title.clone(), state: task.state.clone() }
    }
}

/// What is to be done with a task, in the published words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Work on it.
    Work,
    /// Start it.
    Start,
}

/// Why a step comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// P6: a locked test of a task in progress is not what was locked.
    LockBroken,
    /// The spine was changed past the program, and every gate refuses until that is accepted.
    SpineTampered,
    /// P1: a task in progress has neither criteria nor a locked test.
    NoCriteria,
    /// A person has to decide something about the task in progress.
    OpenFork,
    /// The task in progress was not verified since it was started.
    VerifyMissing,
    /// The last verify of the task in progress was red.
    VerifyRed,
    /// The task in progress needs a review.
    ReviewMissing,
    /// The last review of the task in progress blocks.
    ReviewBlocked,
    /// The last review of the task in progress no longer counts.
    ReviewStale,
    /// `done` refused the task in progress, and nothing that it judged has changed on record.
    DoneRefused,
    /// The task in progress is verified, and reviewed where that is asked; `done` looks again.
    ReadyToFinish,
    /// A blocked task waits for the agent's own work after a review.
    Rework,
    /// A task can be started.
    ReadyToStart,
    /// A task needs acceptance criteria.
    NeedsCriteria,
    /// What is left waits for somebody else.
    AwaitsPerson,
    /// What is left waits for each other, or is in a state that the protocol doesn't have.
    Stuck,
    /// P7: an audit is required and there is none.
    AuditMissing,
    /// P7: the required audit is red.
    AuditRed,
    /// P7: the code or the held-out set moved after the required audit.
    AuditStale,
    /// P7: the held-out set is too small for the code.
    HeldOutSmall,
    /// Every task is done.
    AllDone,
    /// There are no tasks.
    NoTasks,
}

/// A step before it is joined with what every answer has.
struct Step {
    reason: Reason,
    message: String,
    about: Option<Named>,
    facts: Vec<String>,
    command: Option<String>,
    hint: Option<String>,
}

impl Step {
    fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), about: None, facts: Vec::new(), command: None, hint: None }
    }

    fn about(mut self, task: &Task) -> Self {
        self.about = Some(Named::of(task));
        self
    }

    fn fact(mut self, fact: impl Into<String>) -> Self {
        self.facts.push(fact.into());
        self
    }

    fn facts(mut self, facts: impl IntoIterator<Item = String>) -> Self {
        self.facts.extend(facts);
        self
    }

    fn command(mut self, command: impl Into<String>) -> Self {
        self.command = Some(command.into());
        self
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// What a step is chosen from.
struct View<'v, 'w> {
    session: &'v Session<'w>,
    config: &'v Config,
    tasks: &'v Tasks,
    board: &'v Board<'v>,
}

impl View<'_, '_> {
    /// The tasks at these places, whole.
    fn whole(&self, places: impl Iterator<Item = usize>) -> Result<Vec<Task>, Refusal> {
        let damaged = |damage| self.session.damaged("tasks.json", &damage);
        let mut spans = None;
        let mut tasks = Vec::new();
        for place in places {
            if let Some(task) = self.near(place) {
                tasks.push(task);
                continue;
            }
            let spans = match &spans {
                Some(spans) => spans,
                None => spans.insert(self.tasks.spans().map_err(damaged)?),
            };
            tasks.push(self.tasks.task(&spans[place]).map_err(damaged)?);
        }
        Ok(tasks)
    }

    /// The task at a place, found by where its id lies in the text: that spares a search through the whole
    /// file. None where the id isn't the task's first key, as it is in every file that a program wrote.
    fn near(&self, place: usize) -> Option<Task> {
        let Cow::Borrowed(id) = &self.board.head(place).id else { return None };
        let text = self.tasks.as_str();
        let at = id.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
        let before = text.get(..at)?.strip_suffix('"')?.trim_end().strip_suffix(':')?;
        let start = before.trim_end().strip_suffix("\"id\"")?.trim_end().strip_suffix('{')?.len();
        serde_json::Deserializer::from_str(&text[start..]).into_iter().next()?.ok()
    }

    fn cmd(&self, rest: &str) -> String {
        self.session.cmd(rest)
    }
}

/// Says what comes next. With `all`, every other open task is listed, too.
pub fn next(session: &Session<'_>, all: bool) -> Result<Next, Refusal> {
    let config = session.config()?;
    let tasks = session.tasks()?;
    let heads = tasks.heads().map_err(|damage| session.damaged("tasks.json", &damage))?;
    let board = Board::new(&heads);
    let view = View { session, config: &config, tasks: &tasks, board: &board };
    let current = view.whole(board.of(Group::InProgress))?;
    let step = choose(&view, &current)?;
    let (task, action) = match (current.first(), board.first(Group::Ready)) {
        (Some(task), _) => (Some(task.clone()), Some(Action::Work)),
        (None, Some(place)) => (view.whole([place].into_iter())?.pop(), Some(Action::Start)),
        (None, None) => (None, None),
    };
    let open = [
        Group::InProgress,
        Group::Rework,
        Group::Ready,
        Group::NeedsCriteria,
        Group::Waiting,
        Group::Blocked,
        Group::Unknown,
    ];
    let about = step.about.as_ref().map(|task| task.id.as_str());
    let others = if all {
        let others = open.into_iter().flat_map(|group| board.of(group)).map(|place| board.item(place));
        others.filter(|item| Some(item.id.as_str()) != about).collect()
    } else {
        Vec::new()
    };
    Ok(Next {
        fresh_session: true,
        handoff: task.as_ref().and_then(|task| task.handoff.as_ref()).map(|handoff| handoff.path.clone()),
        task: task.as_ref().map(Named::of),
        action,
        counts: board.counts(),
        others,
        reason: step.reason,
        message: step.message,
        about: step.about,
        facts: step.facts,
        command: step.command,
        hint: step.hint,
    })
}

/// The beginning of a git command that works in `tree`.
pub(crate) fn git_in(session: &Session<'_>, tree: &Path) -> String {
    if session.world.cwd == tree {
        "git".to_owned()
    } else {
        format!("git -C {}", quote(&tree.display().to_string()))
    }
}

fn choose(view: &View<'_, '_>, current: &[Task]) -> Result<Step, Refusal> {
    if let Some(step) = current::broken_lock(view, current)? {
        return Ok(step);
    }
    if let Some(step) = current::broken_lock_of_done(view, current)? {
        return Ok(step);
    }
    if let Some(refusal) = view.session.standing()?.refusal(view.session) {
        let step = Step::new(Reason::SpineTampered, refusal.message);
        return Ok(Step { hint: refusal.hint, command: refusal.next, ..step });
    }
    if let Some(task) = current.iter().find(|task| current::open_fork(task).is_none()).or(current.first()) {
        return current::step(view, task);
    }
    ahead::step(view)
}
