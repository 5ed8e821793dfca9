//! `start`: gate P1, no work without criteria.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Begin a task; refused without criteria (P1)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Beside another task in progress.
    #[arg(long)]
    pub parallel: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
