//! `govern deploy approve`: a person decides on the plan.

use std::fmt::Write as _;

use canon::Sha256;
use gate::Refusal;
use govern::deploy::machine::Phase;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Target, plan};
use crate::answer::{Answer, Document};
use crate::commands::hook::program;
use crate::ctx::Ctx;
use crate::deploy::Place;
use crate::deploy::drive::Drive;
use crate::page::Page;

/// What `govern deploy approve` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Decided {
    /// Where the deployment stands.
    pub phase: Phase,
    /// The plan was approved, and not denied.
    pub approved: bool,
    /// The digest of the plan.
    pub plan: Sha256,
    /// What comes next.
    pub next: String,
}

impl Document for Decided {
    fn render(&self, page: &mut Page) {
        if self.approved {
            page.ok(format_args!("the plan {} is approved", self.plan.short()));
        } else {
            page.caution(format_args!(
                "the plan {} is denied; nothing of the target was changed",
                self.plan.short()
            ));
        }
        page.next(&self.next);
    }
}

/// Runs the command.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target, deny: bool) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let _guard = place.lock()?;
    let drive = Drive::recorded(ctx.world, &place, program(ctx)?)?;
    drive.must_wait()?;
    let waiting = drive.waiting()?;
    if !deny {
        let mut text = format!("Deployment on {} with {}:\n", waiting.target, waiting.toolset);
        for step in &waiting.todos {
            let _ = writeln!(text, "  {}", step.content.as_deref().unwrap_or_default());
        }
        let _ = writeln!(text, "It writes {}.", waiting.writes.join(", "));
        ctx.person_types(&plan::word(&waiting), &text)?;
    }
    let plan = waiting.digest();
    let state = drive.decide(&waiting, !deny)?;
    Ok(Answer::of(&Decided { phase: state.phase, approved: !deny, plan, next: state.resume }))
}
