//! `update`: one event in the log.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Add an event to the log
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What happened, one line.
    #[arg(value_parser = value::text)]
    pub title: String,
    /// The kind of event.
    #[arg(long = "type", value_name = "TYPE", default_value = "progress-update", value_parser = clap::builder::PossibleValuesParser::new(chalk::model::log::EVENT_TYPES))]
    pub kind: String,
    /// More about it.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub desc: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
