//! `init`: a new spine, and the agent contract beside it.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Set up `.chalk/` and the agent contract
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The project's name; the folder's where none is given.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub name: Option<String>,
    /// What is being built, in one line.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub goal: Option<String>,
    /// The toolchain; recognised by the files where none is given.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub preset: Option<String>,
    /// No toolchain, and no word about it.
    #[arg(long, conflicts_with = "preset")]
    pub bare: bool,
    /// Put before each configured command.
    #[arg(long, value_name = "COMMAND", value_parser = value::text)]
    pub runner: Option<String>,
    /// The test command.
    #[arg(long, value_name = "COMMAND", value_parser = value::text)]
    pub verify_test: Option<String>,
    /// The agent that works.
    #[arg(long, value_enum)]
    pub executor: Option<Executor>,
    /// No agent contract in AGENTS.md and CLAUDE.md.
    #[arg(long)]
    pub no_agents: bool,
    /// Accepted for scripts; nothing is ever sent.
    #[arg(long, hide = true)]
    pub telemetry: bool,
    /// Accepted for scripts; nothing is ever sent.
    #[arg(long, hide = true)]
    pub no_telemetry: bool,
}

/// The agents that `init` can configure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Executor {
    /// Claude Code, as executor, planner and reviewer.
    Claude,
    /// opencode.
    Opencode,
    /// None.
    None,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
