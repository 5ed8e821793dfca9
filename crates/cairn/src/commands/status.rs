//! `status`: where the project stands, bounded at any size.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Phase, task board, open questions, recent updates
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Every task, not only the first of each state.
    #[arg(long)]
    pub all: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
