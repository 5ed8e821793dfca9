//! `phase`: the gate between phases (P7).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Advance the phase; refused unless the audit is green and fresh
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The new phase.
    #[arg(value_parser = value::text)]
    pub phase: String,
    /// Past a missing, red or stale audit; needs `--why`.
    #[arg(long)]
    pub force_audit: bool,
    /// Past missing reviews; needs `--why`.
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
