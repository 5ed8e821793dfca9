//! `backlog`: what can be worked on, in order, and what waits.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// What is ready, what waits and for what
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this milestone.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub milestone: Option<String>,
    /// Every task, not only the first of each group.
    #[arg(long)]
    pub all: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
