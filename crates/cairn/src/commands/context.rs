//! `context`: what an agent needs to read before it works (P3).

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// What to read before working: criteria, tests at risk, spec, lessons
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task; without one, the task in progress.
    pub id: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
