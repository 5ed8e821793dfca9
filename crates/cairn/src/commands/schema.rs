//! `schema`: the published JSON Schemas.

use gate::Refusal;

use crate::answer::Answer;
use crate::ctx::Ctx;

/// Print a published JSON Schema, or list them
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The document, as in `chalk/next`.
    pub name: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
