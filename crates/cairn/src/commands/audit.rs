//! `audit`: the held-out set and the whole toolchain, output withheld (P7).

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Run the held-out set, output withheld (P7)
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
