//! `lesson`: what was learned, given to every later context.

use chalk::lesson::{Added, Lesson, List, add, list};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

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
        #[arg(long, value_name = "NAME", default_value = "agent", value_parser = value::text)]
        by: String,
    },
    /// List the lessons
    List {
        /// All, not only the newest.
        #[arg(long)]
        all: bool,
    },
}

fn line(lesson: &Lesson) -> String {
    let text = canon::text::one_line(&lesson.text);
    match (&lesson.by, &lesson.on) {
        (Some(by), Some(on)) => format!("{text}  ({by}, {on})"),
        _ => text,
    }
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        if self.known {
            page.ok(format_args!("known already: {}", line(&self.lesson)));
        } else {
            page.ok(format_args!("kept: {}", line(&self.lesson)));
        }
    }
}

impl Document for List {
    fn render(&self, page: &mut Page) {
        if self.lessons.is_empty() {
            page.line("no lessons yet");
        }
        for lesson in &self.lessons {
            page.line(format_args!("- {}", line(lesson)));
        }
        let more = self.total - self.lessons.len();
        if more > 0 {
            page.aside(format_args!("and {more} older ones (`--all`)"));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    match args.action {
        Some(Action::Add { text, by }) => {
            ctx.act(|session| add(session, &text, &by)).map(|added| Answer::of(&added))
        }
        Some(Action::List { all }) => ctx.read(|session| list(session, all)).map(|list| Answer::of(&list)),
        None => ctx.read(|session| list(session, false)).map(|list| Answer::of(&list)),
    }
}
