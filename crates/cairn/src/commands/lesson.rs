//! `lesson`: what was learned, given to every later context.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Keep a lesson for every later context
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do; without it the lessons are listed.
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What `lesson` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Add a lesson
    Add {
        /// The lesson, one line.
        #[arg(value_parser = value::text)]
        text: String,
        /// Who learned it.
        #[arg(long, value_name = "NAME", value_parser = value::text)]
        by: Option<String>,
    },
    /// List the lessons
    List {
        /// All, not only the newest.
        #[arg(long)]
        all: bool,
    },
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
