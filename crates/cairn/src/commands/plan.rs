//! `plan`: what is about to be done, for agents without a plan tool of their own. A plan is judged when it is set.

use std::io::Read as _;

use gate::event::Todo;
use gate::{Exit, Refusal};
use govern::gates;
use govern::session::Plan;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

use crate::answer::{Answer, Document};
use crate::codes;
use crate::ctx::Ctx;
use crate::hook::plan;
use crate::page::{Page, Row};

/// The largest plan that is read, in bytes.
const MOST: u64 = 1024 * 1024;

/// Say what is about to be done, where the plan gate asks for it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `plan` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Set the plan: a JSON list of steps with content, status and priority
    Set {
        /// The file; `-` is standard input.
        #[arg(long, value_name = "FILE")]
        from: String,
    },
    /// Show the plan that was set last
    Show,
}

/// What `plan` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Printed {
    /// The steps.
    pub todos: Vec<Todo>,
    /// When it was set.
    pub at: canon::Timestamp,
    /// What is wrong with it as it stands: the rule and the fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

impl Document for Printed {
    fn render(&self, page: &mut Page) {
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let row = |todo: &Todo| Row::new([&text(&todo.status), &text(&todo.priority), &text(&todo.content)]);
        page.table(["STATUS", "PRIORITY", "STEP"], &self.todos.iter().map(row).collect::<Vec<_>>());
        match &self.fault {
            Some(fault) => page.caution(fault),
            None => page.ok(format_args!("the plan is valid, set at {}", self.at)),
        }
    }

    fn exit(&self) -> Exit {
        if self.fault.is_some() { Exit::Refused } else { Exit::Done }
    }
}

impl Printed {
    fn of(plan: Plan) -> Self {
        let fault = gates::judge_plan(&plan.todos).map(|fault| format!("{}: {}", fault.rule, fault.fact));
        Self { todos: plan.todos, at: plan.at, fault }
    }
}

const FORM: &str = r#"a plan is a JSON list such as [{"content": "Add the parser", "status": "pending", "priority": "high"}]"#;

fn unreadable(message: String) -> Refusal {
    Refusal::new(codes::PLAN_UNREADABLE, message).hint(FORM)
}

fn take(ctx: &Ctx<'_>, from: &str) -> Result<Vec<u8>, Refusal> {
    let name = if from == "-" { "standard input".to_owned() } else { format!("`{from}`") };
    let too_large = || unreadable(format!("{name} is larger than a plan: {MOST} bytes are the most"));
    if from == "-" {
        let mut bytes = Vec::new();
        let read = std::io::stdin().take(MOST + 1).read_to_end(&mut bytes);
        read.map_err(|error| unreadable(format!("standard input can't be read: {error}")))?;
        return if bytes.len() as u64 > MOST { Err(too_large()) } else { Ok(bytes) };
    }
    let path = ctx.world.cwd.join(from);
    if !path.exists() {
        return Err(unreadable(format!("there is no file `{from}`")));
    }
    let bytes = file::read_at_most(&path, MOST).map_err(|error| unreadable(error.to_string()))?;
    bytes.ok_or_else(too_large)
}

/// The steps of a plan that stands in a file, or on standard input where it is called `-`.
///
/// # Errors
/// There is no such file, or it is no such list.
pub fn steps(ctx: &Ctx<'_>, from: &str) -> Result<Vec<Todo>, Refusal> {
    let bytes = take(ctx, from)?;
    let name = if from == "-" { "standard input" } else { from };
    canon::json::read(&bytes)
        .map_err(|damage| unreadable(damage.to_string()).at(name, Some(damage.line), Some(damage.column)))
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let state = crate::hook::state(ctx.world)?;
    let Action::Set { from } = args.action else {
        let plan = plan::read(&state).ok_or_else(|| {
            Refusal::new(codes::NO_PLAN, "no plan was set here").next("cairn plan set --from <file>")
        })?;
        return Ok(Answer::of(&Printed::of(plan)));
    };
    let todos = steps(ctx, &from)?;
    if let Some(fault) = gates::judge_plan(&todos) {
        return Err(Refusal::new(fault.reason, format!("{}: {}", fault.rule, fault.fact))
            .hint(FORM)
            .next("cairn plan set --from <file>"));
    }
    let plan = Plan { todos, text: None, at: ctx.world.now() };
    plan::keep(&state, &plan).map_err(|error| Refusal::new(codes::NOT_WRITTEN, error))?;
    Ok(Answer::of(&Printed::of(plan)))
}
