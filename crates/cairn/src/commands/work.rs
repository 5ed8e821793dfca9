//! `work`: one task through the executor and every lever.

use chalk::work::{Worked, work};
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Let the executor work on one task, then judge it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
}

impl Document for Worked {
    fn render(&self, page: &mut Page) {
        let id = chalk::model::display_id(&self.id);
        if let Some(run) = &self.executor {
            page.under(format_args!("executor: {}, attempt {}", run.cause, self.attempts));
        }
        for finding in &self.findings {
            page.finding(finding);
        }
        if let Some(refusal) = &self.refusal {
            page.refusal(refusal);
        } else {
            page.ok(format_args!("worked and verified: {id}  {}", self.title));
            page.next(&self.next);
        }
    }

    fn exit(&self) -> Exit {
        self.exit()
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.act(|session| work(session, &args.id)).map(|worked| Answer::of(&worked))
}
