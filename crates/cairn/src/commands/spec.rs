//! `spec`: acceptance criteria and locked tests (P1, P2, P6).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Attach acceptance criteria, and lock acceptance tests
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// An acceptance criterion; repeatable.
    #[arg(long = "criterion", value_name = "TEXT", value_parser = value::text)]
    pub criteria: Vec<String>,
    /// A test to attach and lock; repeatable.
    #[arg(long = "test", value_name = "PATH", value_parser = value::text)]
    pub tests: Vec<String>,
    /// A held-out path that belongs to the task; repeatable.
    #[arg(long, value_name = "PATH", value_parser = value::text)]
    pub held_out: Vec<String>,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
