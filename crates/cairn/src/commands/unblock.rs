//! `unblock`: a blocked task goes on where it was.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Let a blocked task go on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// What changed.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub why: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
