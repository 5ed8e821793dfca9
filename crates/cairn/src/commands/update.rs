//! `update`: one event in the log.

use chalk::timeline::{Added, add};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Add an event to the log
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What happened, one line.
    #[arg(value_parser = value::text)]
    pub title: String,
    /// The kind of event.
    #[arg(long = "type", value_name = "TYPE", default_value = "progress-update", value_parser = clap::builder::PossibleValuesParser::new(chalk::model::log::EVENT_TYPES))]
    pub kind: String,
    /// More about it.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub desc: Option<String>,
}

impl Document for Added {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}: {}", self.kind, self.title));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let description = args.desc.unwrap_or_default();
    ctx.act(|session| add(session, &args.title, &args.kind, &description)).map(|added| Answer::of(&added))
}
