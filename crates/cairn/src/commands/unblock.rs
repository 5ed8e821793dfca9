//! `unblock`: a blocked task goes on where it was.

use chalk::block::{Unblocked, unblock};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Let a blocked task go on
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// What changed.
    #[arg(long, value_name = "TEXT", value_parser = value::text)]
    pub why: Option<String>,
}

impl Document for Unblocked {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("{}  {} is {} again", self.id, self.title, self.state));
        page.next(&self.next);
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.act(|session| unblock(session, &args.id, args.why.as_deref())).map(|unblocked| Answer::of(&unblocked))
}
