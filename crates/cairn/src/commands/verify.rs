//! `verify`: the toolchain and the integrity of locked tests (P4, P6).

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Run the toolchain and check the locks (P4, P6)
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
