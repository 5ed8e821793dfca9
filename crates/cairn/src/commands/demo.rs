//! `demo`: the whole life of a task in a temporary repository, with cheats that are refused.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Show the gates at work in a temporary repository
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Leave the repository where it is.
    #[arg(long)]
    pub keep: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
