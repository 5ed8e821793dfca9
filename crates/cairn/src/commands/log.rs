//! `log`: the timeline, newest first.

use chalk::timeline::{Events, Query, read};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// The recent timeline
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How many events.
    #[arg(long, value_name = "N", default_value_t = 15, value_parser = value::count)]
    pub n: u32,
    /// Only events of this kind.
    #[arg(long = "type", value_name = "TYPE", value_parser = clap::builder::PossibleValuesParser::new(chalk::model::log::EVENT_TYPES))]
    pub kind: Option<String>,
    /// Only events whose title or description holds this text, in any case.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub grep: Option<String>,
    /// Oldest first.
    #[arg(long)]
    pub reverse: bool,
}

impl Document for Events {
    fn render(&self, page: &mut Page) {
        if self.events.is_empty() {
            page.line("no events");
        }
        for event in &self.events {
            let at = event.at.get(..16).unwrap_or(&event.at).replace('T', " ");
            page.line(format_args!("{at}  {:<20}  {}", event.kind, event.title));
            if let Some(first) = event.description.lines().find(|line| !line.trim().is_empty()) {
                page.aside(format_args!("{:<40}{}", "", canon::text::clip(first, 100)));
            }
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let query = Query { n: args.n as usize, kind: args.kind, grep: args.grep, reverse: args.reverse };
    ctx.read(|session| read(session, &query)).map(|events| Answer::of(&events))
}
