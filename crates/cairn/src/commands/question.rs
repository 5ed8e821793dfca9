//! `question`: what a person has to answer.

use gate::Refusal;

use crate::answer::Answer;
use crate::cli::value;
use crate::ctx::Ctx;

/// Ask, answer and list open questions
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What to do; without it the open questions are listed.
    #[command(subcommand)]
    pub action: Option<Action>,
}

/// What `question` does.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    /// Ask a question
    Add {
        /// The question.
        #[arg(value_parser = value::text)]
        question: String,
        /// Who should answer.
        #[arg(long = "for", value_name = "WHO", default_value = "us", value_parser = ["us", "client", "human"])]
        awaiting: String,
        /// The task it belongs to.
        #[arg(long, value_name = "ID", value_parser = value::text)]
        task: Option<String>,
    },
    /// Answer a question
    Resolve {
        /// The question: its id or the beginning of it.
        id: String,
        /// The answer.
        #[arg(value_parser = value::text)]
        answer: String,
    },
    /// List the open questions
    List {
        /// The answered ones, too.
        #[arg(long)]
        all: bool,
    },
}

/// Runs the command.
pub fn run(_ctx: &Ctx<'_>, _args: Args) -> Result<Answer, Refusal> {
    Err(Refusal::new(chalk::codes::NOT_OFFERED, "under construction"))
}
