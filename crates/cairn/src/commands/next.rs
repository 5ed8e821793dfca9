//! `next`: the single next action with the exact command, an integrity break first.

use chalk::next::{Next, Reason, next};
use gate::Refusal;

use super::backlog;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// The single next action, or the gate that stays shut
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Every task that could be next, too.
    #[arg(long)]
    pub all: bool,
}

impl Document for Next {
    fn render(&self, page: &mut Page) {
        match self.reason {
            Reason::LockBroken
            | Reason::SpineTampered
            | Reason::VerifyRed
            | Reason::ReviewBlocked
            | Reason::DoneRefused => {
                page.bad(&self.message);
            }
            Reason::AllDone => page.ok(&self.message),
            Reason::AwaitsPerson | Reason::OpenFork | Reason::Stuck => page.caution(&self.message),
            _ => page.head(&self.message),
        }
        // Blocked tasks are facts of the step already.
        let about = self.about.as_ref().filter(|_| self.reason != Reason::AwaitsPerson);
        if let Some(task) = about {
            let title = canon::text::clip(&canon::text::one_line(&task.title), 100);
            page.under(format_args!("{}  {title}  ({})", task.id, task.state));
        }
        for fact in &self.facts {
            page.under(fact);
        }
        if let Some(command) = &self.command {
            page.next(command);
        }
        if let Some(hint) = &self.hint {
            page.hint(hint);
        }
        let counts: Vec<String> =
            self.counts.named().into_iter().map(|(count, word)| format!("{count} {word}")).collect();
        if !counts.is_empty() {
            page.aside(format_args!("  {}", counts.join(", ")));
        }
        for item in &self.others {
            page.under(format_args!("{:<16} {}", backlog::heading(item.group), backlog::line(item)));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.read(|session| next(session, args.all)).map(|next| Answer::of(&next))
}
