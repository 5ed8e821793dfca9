//! `skill`: how-to text, given to every context.

use std::path::PathBuf;

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Keep how-to text for every context
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do; without it the skills are listed.
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What `skill` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Add a skill
    Add {
        /// Its name.
        #[arg(value_parser = value::text)]
        name: String,
        /// Its text.
        #[arg(value_parser = value::text, required_unless_present = "from")]
        text: Option<String>,
        /// A file with its text.
        #[arg(long, value_name = "FILE", conflicts_with = "text")]
        from: Option<PathBuf>,
    },
    /// List the skills
    List,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
