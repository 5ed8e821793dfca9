//! `govern deploy run`, `resume` and `rollback`: the approved plan step by step, and back where something fails.

use gate::{Exit, Refusal};
use govern::deploy::machine::Phase;
use govern::deploy::notice::Notice;
use govern::deploy::report::Told;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Target, show};
use crate::answer::{Answer, Document};
use crate::commands::hook::program;
use crate::ctx::Ctx;
use crate::deploy::drive::Drive;
use crate::deploy::{Place, unusable};
use crate::page::Page;

/// What `govern deploy run`, `resume` and `rollback` print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Went {
    /// Where the deployment stands.
    pub phase: Phase,
    /// Which deployment of the target.
    pub run: u32,
    /// The receipts of what was done now.
    pub receipts: Vec<Told>,
    /// What a person is told, where something failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// What comes next.
    pub next: String,
    #[serde(skip)]
    asked: bool,
}

impl Document for Went {
    fn render(&self, page: &mut Page) {
        show::receipts(&self.receipts, page);
        match &self.notice {
            Some(notice) => show::notice(notice, page),
            None => page.ok(format_args!("the deployment is {}", self.phase)),
        }
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        if self.notice.is_none() || self.asked { Exit::Done } else { Exit::Red }
    }
}

/// Runs `govern deploy run` and `resume`.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target, begin: bool) -> Result<Answer, Refusal> {
    with(ctx, target, false, |drive| drive.go(begin))
}

/// Runs `govern deploy rollback`.
pub(super) fn rollback(ctx: &Ctx<'_>, target: &Target) -> Result<Answer, Refusal> {
    with(ctx, target, true, |drive| {
        drive.must_have_changed()?;
        let state = drive.state();
        let text = format!("Deployment {} is {}; what it changed is taken back.\n", state.run, state.phase);
        ctx.person_types("rollback", &text)?;
        drive.roll_back().map(Some)
    })
}

fn with(
    ctx: &Ctx<'_>,
    target: &Target,
    asked: bool,
    go: impl FnOnce(&mut Drive<'_>) -> Result<Option<Notice>, Refusal>,
) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let _guard = place.lock()?;
    let mut drive = Drive::recorded(ctx.world, &place, program(ctx)?)?;
    let before = drive.state().receipt_seq;
    let notice = go(&mut drive)?;
    let state = drive.state();
    let lines = place.desk.receipts().map_err(|error| unusable(&error))?;
    let receipts = lines.iter().filter(|line| line.seq > before).map(Told::from).collect();
    let went =
        Went { phase: state.phase, run: state.run, receipts, notice, next: state.resume.clone(), asked };
    Ok(Answer::report(&went, ctx.json))
}
