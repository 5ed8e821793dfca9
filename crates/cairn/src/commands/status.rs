//! `status`: where the project stands, bounded at any size.

use canon::text::{clip, one_line};
use chalk::status::{Measured, Status, status};
use gate::Refusal;

use super::backlog;
use crate::answer::{Answer, Document};
use crate::ctx::Ctx;
use crate::page::Page;

/// Phase, task board, open questions, recent updates
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Every task, not only the first of each state.
    #[arg(long)]
    pub all: bool,
}

impl Document for Status {
    fn render(&self, page: &mut Page) {
        page.head(format_args!("{} ({})", one_line(&self.name), one_line(&self.phase)));
        if !self.goal.is_empty() {
            page.under(one_line(&self.goal));
        }
        if self.groups.is_empty() {
            page.line("no tasks yet");
        }
        for listed in &self.groups {
            page.head(format_args!("{} ({})", backlog::heading(listed.group), listed.total));
            for item in &listed.tasks {
                page.under(backlog::line(item));
            }
            more(page, listed.total - listed.tasks.len());
        }
        if self.milestones.total > 0 {
            page.head("Milestones");
            for milestone in &self.milestones.shown {
                let name = clip(&one_line(&milestone.name), 60);
                page.under(format_args!("{name}  {} of {} done", milestone.done, milestone.total));
            }
            more(page, self.milestones.total - self.milestones.shown.len());
        }
        if self.questions.open > 0 {
            page.head(format_args!("Open questions ({})", self.questions.open));
            for question in &self.questions.shown {
                let text = clip(&one_line(&question.question), 100);
                page.under(format_args!("{}  ({})  {text}", question.id, one_line(&question.awaiting_from)));
            }
            more(page, self.questions.open - self.questions.shown.len());
        }
        if !self.events.is_empty() {
            page.head("Recent");
            for event in &self.events {
                page.under(format_args!("{}  {}", minute(&event.at), clip(&one_line(&event.title), 100)));
            }
        }
        measured(page, "verify", self.verify.as_ref());
        match (&self.audit, self.audit_required) {
            (None, true) => page.caution("audit: required, and never ran"),
            (audit, _) => measured(page, "audit", audit.as_ref()),
        }
    }
}

fn more(page: &mut Page, more: usize) {
    if more > 0 {
        page.aside(format_args!("  and {more} more (`--all`)"));
    }
}

/// No check mark: what was green then says nothing of the files of now, which nobody hashes for a status.
fn measured(page: &mut Page, gate: &str, measured: Option<&Measured>) {
    let Some(Measured { at, green, outdated }) = measured else { return };
    let at = minute(at);
    match (green, outdated) {
        (true, Some(why)) => page.caution(format_args!("{gate}: was green at {at}, but {why}")),
        (true, None) => page.line(format_args!("{gate}: was green at {at}, for the files of then")),
        (false, _) => page.bad(format_args!("{gate}: red at {at}")),
    }
}

fn minute(at: &str) -> String {
    at.get(..16).unwrap_or(at).replace('T', " ")
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    ctx.read(|session| status(session, args.all)).map(|status| Answer::of(&status))
}
