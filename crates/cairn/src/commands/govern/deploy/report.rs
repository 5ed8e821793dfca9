//! `govern deploy report`: the report that suits where the deployment stands, from the files that it left.

use canon::Sha256;
use gate::{Exit, Refusal};
use govern::deploy::desk::{self, Finished};
use govern::deploy::machine::Phase;
use govern::deploy::notice::{self, Notice, Trigger};
use govern::deploy::plan::Plan;
use govern::deploy::probe::Report;
use govern::deploy::receipt::{Kind, Receipt};
use govern::deploy::report::{
    Analysis, Completion, Missing, NotComplete, Told, analysis, completion, missing,
};
use govern::deploy::state::Deployment;
use govern::evidence::Verdict;
use govern::gates::PlanFault;
use schemars::JsonSchema;
use serde::Serialize;
use store::chain::Link as _;

use super::{Target, show};
use crate::answer::{Answer, Document};
use crate::codes;
use crate::commands::govern::probe;
use crate::ctx::Ctx;
use crate::deploy::{Place, unusable};
use crate::page::Page;

/// What `govern deploy report` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Reported {
    /// Where the deployment stands.
    pub phase: Phase,
    /// Which deployment of the target; zero before the first.
    pub run: u32,
    /// The analysis, while nothing is deployed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// What is missing, where nothing can be deployed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
    /// The completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completion: Option<Completion>,
    /// What a person is told: a probe that failed, the plan that waits, what failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    /// The receipts of this deployment.
    pub receipts: Vec<Told>,
    /// What stands beside a deployment that is done: a newer analysis, or a deployment whose steps were not begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newer: Option<Box<Reported>>,
    /// What comes next.
    pub next: String,
}

impl Document for Reported {
    fn render(&self, page: &mut Page) {
        page.head(format_args!("deployment {}: {}", self.run, self.phase));
        if let Some(analysis) = &self.analysis {
            probe::render(analysis, page);
        }
        if let Some(missing) = &self.missing {
            show::notice(&missing.notice, page);
            for issue in &missing.degraded {
                page.under(format_args!("weaker as well: {}", issue.what));
            }
        }
        show::receipts(&self.receipts, page);
        if let Some(completion) = &self.completion {
            page.ok(format_args!("{} is wired; each claim has its receipt", completion.toolset));
            for adaptation in &completion.adaptations {
                page.under(format_args!("adapted: {adaptation}"));
            }
            if let Some(notice) = &completion.notice {
                show::notice(notice, page);
            }
        }
        if let Some(notice) = &self.notice {
            show::notice(notice, page);
        }
        if let Some(newer) = &self.newer {
            newer.render_beside(page);
        } else if self.analysis.is_none() {
            page.next(&self.next);
        }
    }

    fn exit(&self) -> Exit {
        let is_red = self.phase == Phase::Blocked
            || matches!(&self.notice, Some(notice) if !notice.issues().is_empty());
        if is_red { Exit::Red } else { Exit::Done }
    }
}

impl Reported {
    fn of(state: &Deployment, lines: &[Receipt]) -> Self {
        Self {
            phase: state.phase,
            run: state.run,
            analysis: None,
            missing: None,
            completion: None,
            notice: None,
            receipts: lines.iter().filter(|line| line.run == state.run).map(Told::from).collect(),
            newer: None,
            next: state.resume.clone(),
        }
    }

    /// The same in short, beside what is done.
    fn render_beside(&self, page: &mut Page) {
        match &self.analysis {
            Some(analysis) if self.phase == Phase::Unprobed => page.caution(format_args!(
                "beside it lies a newer analysis: {}",
                probe::verdict(analysis.verdict)
            )),
            _ => page
                .caution(format_args!("beside it stands deployment {}, not begun: {}", self.run, self.phase)),
        }
        if let Some(notice) = self.missing.as_ref().map(|missing| &missing.notice).or(self.notice.as_ref()) {
            show::notice(notice, page);
        }
        page.next(&self.next);
    }
}

/// Runs the command.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let unusable = |error| unusable(&error);
    let recorded = place.desk.state().map_err(unusable)?;
    let lines = place.desk.receipts().map_err(unusable)?;
    let report = place.desk.read(desk::REPORT).map_err(unusable)?;
    let state = recorded.unwrap_or_else(|| Deployment::new(0, ctx.world.now()));
    // The last one that is done goes on to be reported until the steps of a newer one begin.
    let done = lines.iter().rev().find(|line| line.kind == Kind::End).map(|line| line.run);
    let done = match state.phase {
        Phase::Done => Some(state.run),
        _ => done.filter(|run| state.run != *run && !state.has_begun()),
    };
    let Some(run) = done else {
        let printed = standing(&place, &state, report.as_deref(), &lines)?;
        return Ok(Answer::report(&printed, ctx.json));
    };
    let finished = match place.desk.finished(run).map_err(unusable)? {
        Some(finished) => finished,
        None => Finished {
            state: state.clone(),
            report: report.clone().unwrap_or_default(),
            plan: place.desk.read(desk::PLAN).map_err(unusable)?.unwrap_or_default(),
        },
    };
    let mut printed = completed(&place, &finished, &lines)?;
    printed.newer = if state.run != run {
        Some(Box::new(standing(&place, &state, report.as_deref(), &lines)?))
    } else if report.as_ref() != Some(&finished.report) {
        let unprobed = Deployment::new(0, ctx.world.now());
        Some(Box::new(standing(&place, &unprobed, report.as_deref(), &lines)?))
    } else {
        None
    };
    Ok(Answer::report(&printed, ctx.json))
}

/// The report of a deployment that is done, from what was kept of it.
fn completed(place: &Place, finished: &Finished, lines: &[Receipt]) -> Result<Reported, Refusal> {
    let state = &finished.state;
    let unborne = |why: &str| no(&NotComplete::Evidence(Verdict::Unverifiable, why.to_owned()));
    // The receipts of the deployment are a chain that anyone can make; its end is on the signed one.
    let end = lines.iter().rev().find(|line| line.run == state.run && line.kind == Kind::End);
    if !end.map_or(Ok(false), |end| place.is_done(end.hash()))? {
        return Err(unborne("the signed receipts do not hold its end"));
    }
    let report = Report::read(Some(&finished.report)).map_err(|failure| unborne(&failure.0))?;
    let plan = Plan::read(&finished.plan).map_err(|_| unborne("its plan can't be read"))?;
    let completion = completion(&report, &plan, state, lines).map_err(|error| no(&error))?;
    let mut printed = Reported::of(state, lines);
    printed.next.clone_from(&completion.next);
    printed.completion = Some(completion);
    Ok(printed)
}

/// The report of a deployment that is not done.
fn standing(
    place: &Place,
    state: &Deployment,
    report: Option<&[u8]>,
    lines: &[Receipt],
) -> Result<Reported, Refusal> {
    let mut printed = Reported::of(state, lines);
    let report = match Report::read(report) {
        Ok(report) => report,
        Err(failure) => {
            printed.notice = Some(notice::probe_failed(&failure.0).map_err(|fault| gate(&fault))?);
            return Ok(printed);
        }
    };
    let analysed = |report: Report| analysis(report, &state.research).map_err(|fault| gate(&fault));
    match state.phase {
        Phase::Blocked => {
            printed.missing = missing(&report, &state.research).map_err(|fault| gate(&fault))?;
            if printed.missing.is_none() {
                // The report is there by now; the deployment was begun before it was.
                printed.analysis = Some(analysed(report)?);
            }
        }
        Phase::Unprobed | Phase::Analyzed => printed.analysis = Some(analysed(report)?),
        Phase::Planned => {
            let bytes = place.desk.read(desk::PLAN).map_err(|error| unusable(&error))?.unwrap_or_default();
            let plan = Plan::read(&bytes).map_err(|_| {
                Refusal::new(codes::DEPLOY_PLAN, "the plan can't be read").next("cairn govern deploy plan")
            })?;
            if plan.report == Sha256::of(report.text()) {
                let waits = Notice::approval(&plan, state.research.clone());
                printed.notice = Some(waits.map_err(|fault| gate(&fault))?);
            } else {
                // The report is newer than the plan, which nobody can approve any more.
                printed.analysis = Some(analysed(report)?);
            }
        }
        Phase::Reported => printed.notice = failed(state)?,
        Phase::Done | Phase::Approved | Phase::Bridging | Phase::Deploying | Phase::Verifying => {}
    }
    if let Some(analysis) = &printed.analysis {
        analysis.next().clone_into(&mut printed.next);
    }
    Ok(printed)
}

/// What is told of a failure; none where the plan was denied.
fn failed(state: &Deployment) -> Result<Option<Notice>, Refusal> {
    let Some(failure) = &state.failure else { return Ok(None) };
    let is_step = govern::deploy::report::CHECKS.iter().all(|check| *check != failure.at);
    let trigger = if is_step { Trigger::StepFailed } else { Trigger::VerifyFailed };
    let notice = notice::failed(trigger, &failure.at, &failure.fact, &state.research);
    notice.map(Some).map_err(|fault| gate(&fault))
}

fn gate(fault: &PlanFault) -> Refusal {
    Refusal::new(fault.reason, format!("{}: {}", fault.rule, fault.fact))
}

fn no(error: &NotComplete) -> Refusal {
    match error {
        NotComplete::Phase(phase) => {
            Refusal::new(codes::DEPLOY_STATE, format!("the deployment is {phase}")).next(phase.resume())
        }
        NotComplete::Evidence(verdict, why) => {
            Refusal::new(codes::NOT_COMPLETE, format!("there is no completion report: {why}"))
                .fact(format!("the evidence is {}", serde_json::to_value(verdict).unwrap_or_default()))
                .hint("what is claimed must be on receipt; deploy anew")
                .next("cairn govern probe")
        }
        NotComplete::Gate(fault) => gate(fault),
    }
}
