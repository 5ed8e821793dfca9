//! `amend-spec`: the one sanctioned change of a locked test (P6).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Lock a changed test again, with a reason
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// The test; repeatable.
    #[arg(long = "test", value_name = "PATH", required = true, value_parser = value::text)]
    pub tests: Vec<String>,
    /// The reason, logged as a decision.
    #[arg(long, visible_alias = "reason", value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
