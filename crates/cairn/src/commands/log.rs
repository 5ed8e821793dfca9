//! `log`: the timeline, newest first.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// The recent timeline
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many events.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = clap::value_parser!(u32).range(1..))]
    pub n: u32,
    /// Only events of this kind.
    #[arg(long = "type", value_name = "TYPE", value_parser = clap::builder::PossibleValuesParser::new(chalk::model::log::EVENT_TYPES))]
    pub kind: Option<String>,
    /// Only events whose title or description holds this text, in any case.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub grep: Option<String>,
    /// Oldest first.
    #[arg(long)]
    pub reverse: bool,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
