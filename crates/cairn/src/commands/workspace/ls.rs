//! `workspace ls`: what a workspace holds.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Not there yet.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Runs the command.
pub fn run(_: &Ctx<'_>, _: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chant::codes::WRITE_USAGE_INVALID, "in the making"))
}
