//! `handoff`: a document for whoever goes on with a task.

use chalk::handoff::{Written, write};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Write a handoff document for a task
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Why it is handed off.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub reason: Option<String>,
}

impl Document for Written {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}  {}", self.handoff.path, self.title));
        if self.narrated {
            page.under("with notes by `handoff.command`");
        }
        page.line(format_args!("  to take {} up again: {}", self.id, self.next));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let reason = args.reason.as_deref().unwrap_or("manual");
    ctx.act(|session| write(session, &args.id, reason)).map(|written| Answer::of(&written))
}
