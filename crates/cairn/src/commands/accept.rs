//! `accept`: a change of the spine that came past the program is accepted, with a reason.

use chalk::accept::{Accepted, accept};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Accept a change of `.chalk/` that came past the program
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The reason, logged as a decision.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: String,
}

impl Document for Accepted {
    fn render(&self, page: &mut Page) {
        if self.new_record {
            page.ok("accepted the spine as it is, under a new record of writes");
        } else if self.files.is_empty() {
            page.ok("nothing to accept: the spine is as the last write left it");
        } else {
            let files: Vec<String> = self.files.iter().map(|file| format!("`.chalk/{file}`")).collect();
            page.ok(format_args!("accepted {} as changed, and recorded the decision", files.join(" and ")));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.with(|session| accept(session, &args.why)).map(|accepted| Answer::of(&accepted))
}
