//! `migrate`: an older schema brought to the newest known.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Bring an older spine to schema 1.1, with a backup
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only say what would change.
    #[arg(long)]
    pub dry_run: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
