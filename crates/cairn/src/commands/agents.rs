//! `agents`: the agent contract in AGENTS.md, CLAUDE.md and GEMINI.md.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Install or refresh the agent contract in AGENTS.md and CLAUDE.md
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Agent definitions for Claude Code, too.
    #[arg(long)]
    pub claude: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
