//! `done`: the gate at the end of a task (P4, P5, P6).

use chalk::done::{Outcome, Request, done};
use chalk::levers::{Outcome as Lever, Report};
use chalk::tree::Kind;
use gate::{Exit, Refusal};

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Finish a task; refused unless verified and intact, and reviewed where the project asks for it
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The task: its id or the beginning of it.
    pub id: String,
    /// Finish although the review is missing, stale or blocking; needs `--why`.
    #[arg(long)]
    pub force_review: bool,
    /// The reason, logged as a decision.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

impl Document for Outcome {
    fn render(&self, page: &mut Page) {
        let id = chalk::model::display_id(&self.id);
        if let Some(refusal) = &self.refusal {
            page.refusal(refusal);
            return;
        }
        page.ok(format_args!("done: {id}  {}", self.title));
        if self.verify.tree.kind != Kind::Root {
            page.under(format_args!("judged: {}", self.verify.tree));
        }
        if self.verify.vacuous {
            page.caution("verified, but VACUOUS: no gate has a command");
        } else {
            page.under("verify: GREEN");
        }
        if let Some(review) = &self.review {
            page.under(format_args!("review: {review}"));
        }
        if let Some(report) = &self.levers {
            levers(page, report, self.review_off.as_deref());
        }
        for finding in &self.findings {
            page.finding(finding);
        }
        if let Some(milestone) = &self.milestone {
            page.ok(format_args!("milestone done: {milestone}"));
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        if self.done { Exit::Done } else { Exit::Refused }
    }
}

/// What each lever said, and in one line which of them, and whether the review, weren't asked.
fn levers(page: &mut Page, report: &Report, review_off: Option<&str>) {
    let mut off: Vec<String> = review_off.iter().map(|why| format!("review ({why})")).collect();
    for (name, outcome) in report.levers() {
        match outcome {
            Lever::Off { why } => off.push(format!("{name} ({why})")),
            // A finding says the rest.
            Lever::Idle { code: Some(_), .. } => page.under(format_args!("{name}: nothing to judge")),
            Lever::Idle { why, .. } => page.under(format_args!("{name}: nothing to judge: {why}")),
            Lever::Held => page.under(format_args!("{name}: held")),
            Lever::Finding { code, .. } => page.under(format_args!("{name}: {code}")),
            Lever::Inconclusive { .. } => page.under(format_args!("{name}: inconclusive")),
        }
    }
    if !off.is_empty() {
        page.aside(format_args!("  not asked: {}", off.join(", ")));
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let request = Request { force_review: args.force_review, why: args.why };
    ctx.act(|session| done(session, &args.id, &request)).map(|outcome| Answer::of(&outcome))
}
