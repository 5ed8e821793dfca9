//! `block`: a task waits for something outside of it.

use chalk::block::{Blocked, block};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Block a task on something outside of it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// What it needs.
    #[arg(long, value_enum)]
    pub needs: Needs,
    /// The reason.
    #[arg(long, visible_alias = "why", value_name = "TEXT", value_parser = value::text)]
    pub reason: String,
}

/// What a blocked task needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Needs {
    /// Credentials.
    Creds,
    /// A decision.
    Decision,
    /// Something that a person does.
    HumanInput,
    /// A change in another project.
    Upstream,
    /// Rework of what a review found; the agent's own.
    Review,
}

impl From<Needs> for chalk::block::Needs {
    fn from(needs: Needs) -> Self {
        match needs {
            Needs::Creds => Self::Creds,
            Needs::Decision => Self::Decision,
            Needs::HumanInput => Self::HumanInput,
            Needs::Upstream => Self::Upstream,
            Needs::Review => Self::Review,
        }
    }
}

impl Document for Blocked {
    fn render(&self, page: &mut Page) {
        page.ok(format_args!("blocked {}  {}", self.id, self.title));
        page.under(format_args!("needs {}: {}", self.block.needs, self.block.reason));
        page.under(format_args!("handoff: {}", self.handoff.path));
        page.line(format_args!("  when it can go on: {}", self.next));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.act(|session| block(session, &args.id, args.needs.into(), &args.reason))
        .map(|blocked| Answer::of(&blocked))
}
