//! `govern deploy report`: the report that suits where the deployment stands, from the files that it left.

use gate::{Exit, Refusal};
use govern::deploy::desk;
use govern::deploy::machine::Phase;
use govern::deploy::notice::{self, Notice, Trigger};
use govern::deploy::plan::Plan;
use govern::deploy::probe::Report;
use govern::deploy::receipt::Kind;
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
        page.next(&self.next);
    }

    fn exit(&self) -> Exit {
        let is_red = self.phase == Phase::Blocked
            || matches!(&self.notice, Some(notice) if !notice.issues().is_empty());
        if is_red { Exit::Red } else { Exit::Done }
    }
}

/// Runs the command.
pub(super) fn run(ctx: &Ctx<'_>, target: &Target) -> Result<Answer, Refusal> {
    let place = Place::find(ctx.world, target.target.as_deref())?;
    let unusable = |error| unusable(&error);
    let state = place.desk.state().map_err(unusable)?;
    let state = state.unwrap_or_else(|| Deployment::new(0, ctx.world.now()));
    let report = Report::read(place.desk.read(desk::REPORT).map_err(unusable)?.as_deref());
    let lines = place.desk.receipts().map_err(unusable)?;
    let own = lines.iter().filter(|line| line.run == state.run).map(Told::from).collect();
    let mut printed = Reported {
        phase: state.phase,
        run: state.run,
        analysis: None,
        missing: None,
        completion: None,
        notice: None,
        receipts: own,
        next: state.resume.clone(),
    };
    let report = match report {
        Ok(report) => report,
        Err(failure) => {
            printed.notice = Some(notice::probe_failed(&failure.0).map_err(|fault| gate(&fault))?);
            return Ok(Answer::report(&printed, ctx.json));
        }
    };
    let plan = || -> Result<Plan, Refusal> {
        let bytes = place.desk.read(desk::PLAN).map_err(unusable)?.unwrap_or_default();
        let gone =
            |_| Refusal::new(codes::DEPLOY_PLAN, "the plan can't be read").next("cairn govern deploy plan");
        Plan::read(&bytes).map_err(gone)
    };
    let refs = &state.research;
    match state.phase {
        Phase::Blocked => {
            printed.missing = missing(&report, refs).map_err(|fault| gate(&fault))?;
            if printed.missing.is_none() {
                // The report is there by now; the deployment was begun before it was.
                printed.analysis = Some(analysis(report, refs).map_err(|fault| gate(&fault))?);
            }
        }
        Phase::Unprobed | Phase::Analyzed => {
            printed.analysis = Some(analysis(report, refs).map_err(|fault| gate(&fault))?);
        }
        Phase::Planned => {
            printed.notice = Some(Notice::approval(&plan()?, refs.clone()).map_err(|fault| gate(&fault))?);
        }
        Phase::Done => {
            // The receipts of the deployment are a chain that anyone can make; its end is on the signed one.
            let end = lines.iter().rev().find(|line| line.run == state.run && line.kind == Kind::End);
            if !end.map_or(Ok(false), |end| place.is_done(end.hash()))? {
                let why = "the signed receipts do not hold its end".to_owned();
                return Err(no(&NotComplete::Evidence(Verdict::Unverifiable, why)));
            }
            printed.completion =
                Some(completion(&report, &plan()?, &state, &lines).map_err(|error| no(&error))?);
        }
        Phase::Reported => printed.notice = failed(&state)?,
        Phase::Approved | Phase::Bridging | Phase::Deploying | Phase::Verifying => {}
    }
    Ok(Answer::report(&printed, ctx.json))
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
