//! `review`: the adversarial reviewer (P5).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Run the reviewer over the whole change, or record a review by hand
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// No second try after an answer without a verdict.
    #[arg(long, conflicts_with = "note")]
    pub no_retry: bool,
    /// A review by hand: what was found.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub note: Option<String>,
    /// Who reviewed by hand.
    #[arg(long, value_name = "NAME", requires = "note", value_parser = value::text)]
    pub by: Option<String>,
    /// The review by hand blocks.
    #[arg(long, requires = "note")]
    pub block: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
