//! `block`: a task waits for something outside of it.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Block a task on something outside of it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// What it needs.
    #[arg(long, value_enum)]
    pub needs: Needs,
    /// The reason.
    #[arg(long, visible_alias = "why", value_name = "TEXT", value_parser = value::text)]
    pub reason: String,
}

/// What a blocked task needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Needs {
    /// Credentials.
    Creds,
    /// A decision.
    Decision,
    /// Something that a person does.
    HumanInput,
    /// Another project.
    Upstream,
    /// Work after a review.
    Review,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
