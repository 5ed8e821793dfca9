//! `accept`: a change of the spine that came past the program is accepted, with a reason.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Accept a change of `.chalk/` that came past the program
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The reason, logged as a decision.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: String,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
