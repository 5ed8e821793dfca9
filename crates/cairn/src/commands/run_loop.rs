//! `run`: the executor loop.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Let the executor work through the runnable tasks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// When to stop.
    #[arg(long, value_enum, default_value = "empty")]
    pub until: Until,
    /// At most so many tasks.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub max: u32,
    /// Only say what would run.
    #[arg(long)]
    pub dry_run: bool,
}

/// When `run` stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Until {
    /// When nothing is runnable.
    Empty,
    /// At the first task that is blocked.
    Blocked,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
