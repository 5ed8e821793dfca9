//! `guard`: the held-out regression set (P7).

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Author and lock the held-out regression set (P7)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `guard` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Lock a held-out file
    Add {
        /// The file; repeatable.
        #[arg(required = true, value_parser = value::text)]
        paths: Vec<String>,
        /// The reason, needed where a locked file changed.
        #[arg(long, value_name = "REASON", value_parser = value::text)]
        why: Option<String>,
    },
    /// Let the configured author write tests from the spec alone, and lock them
    Gen,
    /// The locked files and whether they are intact
    List,
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
