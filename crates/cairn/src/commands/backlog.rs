//! `backlog`: what can be worked on, in order, and what waits.

use std::fmt::Write as _;

use chalk::backlog::{Backlog, list};
use chalk::board::{Group, Item};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// What is ready, what waits and for what
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only this milestone.
    #[arg(long, value_name = "NAME", value_parser = value::text)]
    pub milestone: Option<String>,
    /// Every task, not only the first of each group.
    #[arg(long)]
    pub all: bool,
}

impl Document for Backlog {
    fn render(&self, page: &mut Page) {
        if self.groups.is_empty() {
            page.line(match &self.milestone {
                Some(milestone) => format!("nothing is open in `{milestone}`"),
                None => "nothing is open".to_owned(),
            });
        }
        for listed in &self.groups {
            page.head(format_args!("{} ({})", heading(listed.group), listed.total));
            for item in &listed.tasks {
                page.under(line(item));
            }
            let more = listed.total - listed.tasks.len();
            if more > 0 {
                page.aside(format_args!("  and {more} more (`--all`)"));
            }
        }
        if self.counts.done > 0 {
            page.aside(format_args!("{} done", self.counts.done));
        }
    }
}

/// The words for a group.
pub(super) fn heading(group: Group) -> &'static str {
    match group {
        Group::InProgress => "In progress",
        Group::Ready => "Ready to start",
        Group::Waiting => "After other tasks",
        Group::NeedsCriteria => "Without criteria",
        Group::Rework => "To rework after a review",
        Group::Blocked => "Blocked",
        Group::Done => "Done",
        Group::Unknown => "In a state that the protocol doesn't have",
    }
}

/// One task of a list on one line.
pub(super) fn line(item: &Item) -> String {
    let mut line = format!("{}  {}", item.id, plain(&item.title));
    if let Some(milestone) = &item.milestone {
        let _ = write!(line, "  [{}]", plain(milestone));
    }
    if !item.waits_for.is_empty() {
        let ids: Vec<&str> = item.waits_for.iter().map(String::as_str).collect();
        let _ = write!(line, "  after {}", ids.join(", "));
    }
    if let Some(needs) = &item.needs {
        let _ = write!(line, "  needs {}", plain(needs));
    }
    if let Some(reason) = item.reason.as_deref().filter(|reason| !reason.is_empty()) {
        let _ = write!(line, ": {}", plain(reason));
    }
    if item.group == Group::Unknown {
        let _ = write!(line, "  ({})", item.state);
    }
    line
}

fn plain(text: &str) -> String {
    canon::text::clip(&canon::text::one_line(text), 100)
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.read(|session| list(session, args.milestone.as_deref(), args.all)).map(|backlog| Answer::of(&backlog))
}
