//! `stats`: what the gates caught.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// What the gates caught
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only events since this day or instant.
    #[arg(long, value_name = "DATE", value_parser = value::instant)]
    pub since: Option<canon::Timestamp>,
    /// Without anything that names a task.
    #[arg(long)]
    pub public: bool,
    /// One line for a badge.
    #[arg(long, conflicts_with = "public")]
    pub badge: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
