//! `phase`: the gate between phases (P7, P5).

use chalk::phase::{Advanced, Request, phase};
use gate::Refusal;

use crate::answer::{Answer, Document};
use crate::cli::value;
use crate::ctx::Ctx;
use crate::page::Page;

/// Advance the phase; refused unless the audit is green and fresh
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The new phase.
    #[arg(value_parser = value::text)]
    pub phase: String,
    /// Advance although the audit is missing, red or stale; needs `--why`.
    #[arg(long)]
    pub force_audit: bool,
    /// Advance although reviews are missing; needs `--why`.
    #[arg(long)]
    pub force_review: bool,
    /// The reason, logged as a decision.
    #[arg(long, value_name = "REASON", value_parser = value::text)]
    pub why: Option<String>,
}

impl Document for Advanced {
    fn render(&self, page: &mut Page) {
        if !self.changed {
            page.ok(format_args!("the phase is {} already", self.to));
            return;
        }
        page.ok(format_args!("phase {} → {}", self.from, self.to));
        for code in &self.overridden {
            page.caution(format_args!("past a shut gate ({code}); the reason is logged as a decision"));
        }
    }
}

/// Runs the command.
pub fn run(ctx: &Ctx<'_>, args: Args) -> Result<Answer, Refusal> {
    let Args { phase: to, force_audit, force_review, why } = args;
    let request = Request { phase: to, force_audit, force_review, why };
    ctx.act(|session| phase(session, &request)).map(|advanced| Answer::of(&advanced))
}
