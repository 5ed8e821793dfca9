//! `start`: gate P1, no work without criteria.

use chalk::model::display_id;
use chalk::start::{Started, start};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Begin a task; refused without criteria (P1)
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Start it although another task is in progress.
    #[arg(long)]
    pub parallel: bool,
}

impl Document for Started {
    fn render(&self, page: &mut Page) {
        let already = if self.already { "in progress already" } else { "started" };
        page.ok(format_args!("{already}: {}  {}", display_id(&self.id), self.title));
        page.under(format_args!("judged in {}", self.tree));
        if let Some(base) = &self.base {
            page.under(format_args!("its change counts from commit {}", canon::text::prefix(base, 12)));
        }
        for finding in &self.findings {
            page.finding(finding);
        }
        page.next(&self.next);
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    Ok(Answer::of(&ctx.act(|session| start(session, &args.id, args.parallel))?))
}
