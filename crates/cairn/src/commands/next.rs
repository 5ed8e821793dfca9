//! `next`: the single next action with the exact command, an integrity break first.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// The single next action, or the gate that stays shut
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Every task that could be next, too.
    #[arg(long)]
    pub all: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
