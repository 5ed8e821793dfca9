//! `handoff`: a document for whoever goes on with a task.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Write a handoff document for a task
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Why it is handed off.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub reason: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
