//! `question`: what a person has to answer.

use chalk::model::Question;
use chalk::question::{List, One, add, list, resolve_with};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

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
        /// Who should answer: us, client, human, or a name.
        #[arg(long = "for", value_name = "WHO", default_value = "us", value_parser = value::text)]
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

fn line(question: &Question) -> String {
    let answer = question.answer.as_ref().map(|answer| format!("  answer: {answer}")).unwrap_or_default();
    format!("{}  ({})  {}{answer}", question.id, question.awaiting_from, question.question)
}

impl Document for One {
    fn render(&self, page: &mut Page) {
        page.ok(line(&self.question));
    }
}

impl Document for List {
    fn render(&self, page: &mut Page) {
        if self.questions.is_empty() {
            page.line("no open questions");
        }
        for question in &self.questions {
            if question.is_open() {
                page.caution(line(question));
            } else {
                page.ok(line(question));
            }
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Some(Action::Add { question, awaiting, task }) => {
            ctx.act(|session| add(session, &question, &awaiting, task.as_deref())).map(|one| Answer::of(&one))
        }
        Some(Action::Resolve { id, answer }) => {
            ctx.act(|session| resolve_with(session, &id, &answer)).map(|one| Answer::of(&one))
        }
        Some(Action::List { all }) => ctx.read(|session| list(session, all)).map(|list| Answer::of(&list)),
        None => ctx.read(|session| list(session, false)).map(|list| Answer::of(&list)),
    }
}
