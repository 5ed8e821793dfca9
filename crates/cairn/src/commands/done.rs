//! `done`: the gate at the end of a task (P4, P5, P6).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Finish a task; refused unless verified, intact and reviewed
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Past a review that is missing, stale or blocking; needs `--why`.
    #[arg(long)]
    pub force_review: bool,
    /// The reason, logged as a decision.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
