//! `doctor`: whether the set-up holds what it promises.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Check the set-up: gates that are off, leaks, tampering
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Judge for runs without a person: executor, reviewer and remote must be there.
    #[arg(long)]
    pub unattended: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
