//! `govern deploy plan`: from the report of the probe to a plan that waits for a person.

use gate::{Exit, Refusal};
use govern::deploy::machine::Phase;
use govern::deploy::notice::Notice;
use govern::deploy::plan::Plan;
use govern::deploy::report::Missing;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Target, show};
use crate::answer::{Answer, Document};
use crate::commands::hook::program;
use crate::ctx::Ctx;
use crate::deploy::Place;
use crate::deploy::drive::{self, Drive};
use crate::page::Page;

/// What `govern deploy plan` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Planned {
    /// Where the deployment stands.
    pub phase: Phase,
    /// Which deployment of the target.
    pub run: u32,
    /// The plan, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Plan>,
    /// The word that approves it: the beginning of its digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<String>,
    /// What a person is told: the plan that waits, or why there is no report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// What is weaker on this target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weaker: Option<Notice>,
    /// What is missing, where nothing can be deployed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// What comes next.
    pub next: String,
}

impl Document for Planned {
    fn render(&self, page: &mut Page) {
        if let Some(missing) = &self.missing {
            page.bad("nothing can be deployed on this target");
            show::notice(&missing.notice, page);
            for issue in &missing.degraded {
                page.under(format_args!("weaker as well: {}", issue.what));
            }
        }
        if let Some(weaker) = &self.weaker {
            show::notice(weaker, page);
        }
        if let Some(notice) = &self.notice {
            show::notice(notice, page);
        }
        if let Some(plan) = &self.plan {
            page.under(format_args!("writes: {}", plan.writes.join(", ")));
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        if self.plan.is_some() { Exit::Done } else { Exit::Red }
    }
}

/// The word that approves a plan.
pub(super) fn word(plan: &Plan) -> String {
    plan.digest().to_string()[..8].to_owned()
}

/// Runs the command.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let _guard = place.lock()?;
    let (state, planned) = Drive::anew(ctx.world, &place, program(ctx)?)?.plan()?;
    let mut printed = Planned {
        phase: state.phase,
        run: state.run,
        plan: None,
        word: None,
        notice: None,
        weaker: None,
        missing: None,
        next: state.resume,
    };
    match planned {
        drive::Planned::Unprobed(notice) => printed.notice = Some(notice),
        drive::Planned::Blocked(missing) => printed.missing = Some(missing),
        drive::Planned::Ready(plan, notice, weaker) => {
            printed.word = Some(word(&plan));
            printed.plan = Some(*plan);
            printed.notice = Some(notice);
            printed.weaker = weaker;
        }
    }
    Ok(Answer::report(&printed, ctx.json))
}
