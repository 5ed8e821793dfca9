//! `work`: one task through the executor and every lever.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Let the executor work on one task, then judge it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
