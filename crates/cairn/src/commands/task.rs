//! `task`: tasks are made, changed and dropped.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Add, edit, drop and show tasks
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub action: Action,
}

/// What `task` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Add a task in state `todo`
    Add {
        /// What it is about, one line.
        #[arg(value_parser = value::text)]
        title: String,
        /// The milestone it belongs to.
        #[arg(long, value_name = "NAME", value_parser = value::text)]
        milestone: Option<String>,
        /// A task that comes first; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        after: Vec<String>,
    },
    /// Change title, milestone or order of a task
    Edit {
        /// The task.
        id: String,
        /// The new title.
        #[arg(long, value_name = "TEXT", value_parser = value::text)]
        title: Option<String>,
        /// The new milestone.
        #[arg(long, value_name = "NAME", value_parser = value::text)]
        milestone: Option<String>,
        /// No milestone any more.
        #[arg(long, conflicts_with = "milestone")]
        no_milestone: bool,
        /// One more task that comes first; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        after: Vec<String>,
        /// A task that needn't come first any more; repeatable.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        not_after: Vec<String>,
    },
    /// Take a task out; its record moves to the archive
    Drop {
        /// The task.
        id: String,
        /// The reason, logged as a decision.
        #[arg(long, value_name = "REASON", value_parser = value::text)]
        why: String,
    },
    /// Show one task
    Show {
        /// The task.
        id: String,
    },
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
