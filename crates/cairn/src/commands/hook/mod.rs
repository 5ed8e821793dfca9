//! `hook`: the gates at an agent's tool calls, for the person who answers for them. What an agent calls itself,
//! `cairn hook <agent> <event>`, never comes here.

mod install;
mod pause;
pub(super) mod status;

use agents::AgentId;
use agents::install::Scope;
use gate::Refusal;

pub use install::Changed;
pub use pause::{Paused, Resumed};
pub use status::Statuses;

use crate::answer::Answer;
use crate::cli::value;
use crate::codes;
use crate::ctx::Ctx;
use crate::hook::{Own, noting};

/// Install the gates into a coding agent, look after them, pause them
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `hook` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Let an agent ask cairn before each tool call; the change of its settings is shown first
    Install {
        /// The agent, as in `claude`.
        #[arg(value_parser = agent)]
        agent: AgentId,
        /// The project's settings, which are committed, instead of your own.
        #[arg(long)]
        shared: bool,
        /// Write without asking.
        #[arg(long)]
        yes: bool,
    },
    /// Take the entries out again; needs a person at a terminal
    Uninstall {
        /// The agent.
        #[arg(value_parser = agent)]
        agent: AgentId,
        /// The project's settings instead of your own.
        #[arg(long)]
        shared: bool,
    },
    /// What is installed, and whether the gate lives
    Status {
        /// The agent; without it every one.
        #[arg(value_parser = agent)]
        agent: Option<AgentId>,
    },
    /// Let pass for a while what the gates would deny; needs a person at a terminal
    Pause {
        /// How long, as in `10m`; a day at most.
        #[arg(long = "for", value_name = "DURATION")]
        length: String,
        /// The reason, which is put on record.
        #[arg(long, value_name = "TEXT", value_parser = value::text)]
        why: String,
    },
    /// End a pause before its time
    Resume,
}

pub(super) fn agent(word: &str) -> Result<AgentId, String> {
    AgentId::parse(word).ok_or_else(|| {
        let names: Vec<&str> = AgentId::ALL.iter().map(|agent| agent.as_str()).collect();
        format!("the agents are {}", names.join(", "))
    })
}

fn scope(shared: bool) -> Scope {
    if shared { Scope::Shared } else { Scope::Private }
}

/// The path of this program.
pub(super) fn program(ctx: &Ctx<'_>) -> Result<std::path::PathBuf, Refusal> {
    ctx.terminal.program.and_then(|find| find()).ok_or_else(|| {
        Refusal::new(codes::PROGRAM_UNKNOWN, "where this program lies can't be told")
            .hint("start it by its whole path")
    })
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Action::Install { agent, shared, yes } => {
            noting(ctx, None, Own::Settings, || install::install(ctx, agent, scope(shared), yes))
        }
        Action::Uninstall { agent, shared } => {
            noting(ctx, None, Own::Settings, || install::uninstall(ctx, agent, scope(shared)))
        }
        Action::Status { agent } => status::run(ctx, agent),
        Action::Pause { length, why } => pause::pause(ctx, &length, why),
        Action::Resume => pause::resume(ctx),
    }
}
