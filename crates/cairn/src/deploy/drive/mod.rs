//! A deployment from phase to phase. Before anything that comes next, what happened has its receipt and the state is on
//! disk, so that a deployment that was broken off anywhere goes on from there.

mod back;
mod planning;

use std::path::PathBuf;

use canon::{Sha256, Timestamp};
use gate::Refusal;
use govern::deploy::contract::Bridge;
use govern::deploy::desk::{self, DeskError};
use govern::deploy::machine::{Event, Phase};
use govern::deploy::notice::Notice;
use govern::deploy::plan::{Bad, Plan, Step};
use govern::deploy::probe::{Report, Verdict};
use govern::deploy::receipt::{Entry, Kind, Outcome, Receipt};
use govern::deploy::snapshot::Scope;
use govern::deploy::state::{Deployment, Failure};
use govern::gates::PlanFault;
use govern::receipts::Note;
use govern::research::Research;
use store::World;
use store::chain::Link;

pub use planning::Planned;

use super::steps::{Work, put_aside, wiring};
use super::{APPROVAL, DONE, Place, agent, illegal, trials, unusable};
use crate::codes;
use crate::hook::installed::Installed;

/// A target under deployment. Whoever has one holds the target's lock.
pub struct Drive<'a> {
    world: &'a World,
    place: &'a Place,
    program: PathBuf,
    state: Deployment,
}

impl<'a> Drive<'a> {
    /// A deployment that begins anew.
    ///
    /// # Errors
    /// One is under way that has changed the target.
    pub fn anew(world: &'a World, place: &'a Place, program: PathBuf) -> Result<Self, Refusal> {
        let before = place.desk.state().map_err(|error| unusable(&error))?;
        if let Some(before) = before.as_ref().filter(|before| before.phase.has_changed()) {
            let message =
                format!("deployment {} is {}, and has changed the target", before.run, before.phase);
            return Err(Refusal::new(codes::DEPLOY_STATE, message).next(before.phase.resume()));
        }
        if before.as_ref().is_some_and(|before| matches!(before.phase, Phase::Done | Phase::Reported)) {
            // It was killed after its end. What else lies there the report of the probe names.
            let _ = Scope { target: place.target(), others: &[] }.forget();
        }
        // A state that was removed does not begin the count anew.
        let last = Self::lines_of(place)?.last().map_or(0, |last| last.run);
        let run = before.map_or(0, |before| before.run).max(last).saturating_add(1);
        Ok(Self { world, place, program, state: Deployment::new(run, world.now()) })
    }

    /// The deployment that is recorded.
    ///
    /// # Errors
    /// There is none.
    pub fn recorded(world: &'a World, place: &'a Place, program: PathBuf) -> Result<Self, Refusal> {
        let state = place.desk.state().map_err(|error| unusable(&error))?.ok_or_else(|| {
            Refusal::new(codes::DEPLOY_STATE, "no deployment of this target was begun")
                .next("cairn govern probe")
        })?;
        Self::lines_of(place)?;
        Ok(Self { world, place, program, state })
    }

    /// Every receipt of the target, each as it was written: nothing goes on behind one that is not.
    fn lines_of(place: &Place) -> Result<Vec<Receipt>, Refusal> {
        place.desk.last().and_then(|_| place.desk.receipts()).map_err(|error| unusable(&error))
    }

    /// Where it stands.
    pub fn state(&self) -> &Deployment {
        &self.state
    }

    fn now(&self) -> Timestamp {
        self.world.now()
    }

    fn keep(&self) -> Result<(), Refusal> {
        self.place.desk.keep(&self.state).map_err(|error| unusable(&error))
    }

    fn record(&mut self, entry: Entry) -> Result<Receipt, Refusal> {
        let now = self.now();
        self.place.desk.record(&mut self.state, now, entry).map_err(|error| unusable(&error))
    }

    fn advance(&mut self, on: Event) -> Result<(), Refusal> {
        let now = self.now();
        self.state.advance(on, now).map_err(|refused| illegal(&refused, self.state.phase.resume()))?;
        self.keep()
    }

    fn found_out(&mut self, step: &str, research: Research) -> Result<(), Refusal> {
        let now = self.now();
        self.place.desk.found_out(&mut self.state, now, step, research).map_err(|error| unusable(&error))
    }

    /// The plan that waits, if it is the one that was made.
    ///
    /// # Errors
    /// It is another one, or none.
    pub fn waiting(&self) -> Result<Plan, Refusal> {
        let bytes = self.place.desk.read(desk::PLAN).map_err(|error| unusable(&error))?;
        let made = self.state.plan.as_ref().map(|plan| plan.sha256);
        let changed = || {
            Refusal::new(codes::DEPLOY_PLAN, "the plan is not the one that was made")
                .hint("nothing was changed; make a new plan")
                .next("cairn govern deploy plan")
        };
        let bytes = bytes.filter(|bytes| made == Some(Sha256::of(bytes))).ok_or_else(changed)?;
        let plan = Plan::read(&bytes).map_err(|bad| bad_plan(&bad))?;
        let report = self.place.desk.read(desk::REPORT).map_err(|error| unusable(&error))?;
        if report.map(Sha256::of) != Some(plan.report) {
            return Err(Refusal::new(
                codes::DEPLOY_PLAN,
                "the report of the probe is not the one that the plan rests on",
            )
            .hint("nothing was changed; make a new plan")
            .next("cairn govern deploy plan"));
        }
        Ok(plan)
    }

    /// Refuses where a plan does not wait for a decision.
    ///
    /// # Errors
    /// The deployment stands elsewhere.
    pub fn must_wait(&self) -> Result<(), Refusal> {
        let mut trial = self.state.clone();
        let advanced = trial.advance(Event::Approved, self.now());
        advanced.map(|_| ()).map_err(|refused| illegal(&refused, self.state.phase.resume()))
    }

    /// A person decided on the plan.
    ///
    /// # Errors
    /// The decision can't be put on record.
    pub fn decide(mut self, plan: &Plan, approved: bool) -> Result<Deployment, Refusal> {
        let digest = plan.digest();
        if approved {
            let figures = [("run", i64::from(self.state.run))];
            let digests = [("plan", digest), ("receipt", self.planned()?)];
            let note = Note { marker: APPROVAL, figures: &figures, digests: &digests, ..Note::default() };
            crate::hook::record(&self.place.state, self.world, &note)?;
        }
        let (tool, fact) = if approved {
            ("approve", "a person approved the plan")
        } else {
            ("deny", "the plan was denied")
        };
        self.record(Entry::new(Kind::Decision, tool, fact).result(digest))?;
        self.advance(if approved { Event::Approved } else { Event::Denied })?;
        Ok(self.state)
    }

    /// The receipt of the plan of this deployment.
    fn planned(&self) -> Result<Sha256, Refusal> {
        let lines = self.lines()?;
        let planned = lines.iter().rev().find(|line| line.kind == Kind::Plan);
        planned.map(Link::hash).ok_or_else(|| {
            let next = if self.state.phase.has_changed() { "rollback" } else { "plan" };
            Refusal::new(codes::DEPLOY_PLAN, "the plan has no receipt")
                .next(format!("cairn govern deploy {next}"))
        })
    }

    /// Goes on from where it stands to the end; what a failure leaves is taken back. `begin` asks for a deployment that
    /// was approved and not yet begun.
    ///
    /// # Errors
    /// It was not approved, or a file can't be written. What was done stays done, and is gone on from.
    pub fn go(&mut self, begin: bool) -> Result<Option<Notice>, Refusal> {
        let phase = self.state.phase;
        let is_to_begin = phase == Phase::Approved;
        if !(is_to_begin || phase.is_under_way() && !begin) {
            let message =
                format!("a deployment that is {phase} can't {}", if begin { "begin" } else { "go on" });
            return Err(Refusal::new(codes::DEPLOY_STATE, message).next(phase.resume()));
        }
        if let Some(failure) = self.state.failure.clone() {
            return self.take_back(failure).map(Some);
        }
        let plan = self.waiting()?;
        if !self.place.is_approved(plan.digest(), self.planned()?)? {
            return Err(Refusal::new(
                codes::DEPLOY_UNAPPROVED,
                "no person approved this plan for this deployment",
            )
            .hint("nothing was changed; make the plan anew and let a person approve it")
            .next("cairn govern deploy plan"));
        }
        if is_to_begin {
            let is_whole = plan.verdict == Verdict::Implementable;
            self.advance(if is_whole { Event::BeginWhole } else { Event::BeginPartial })?;
        }
        if self.state.phase == Phase::Bridging {
            self.bridge(&plan)?;
            self.advance(Event::BridgeReady)?;
        }
        if self.state.phase == Phase::Deploying
            && let Some(failure) = self.deploy(&plan)?
        {
            return self.fail(failure).map(Some);
        }
        match self.verify(&plan)? {
            Some(failure) => self.fail(failure).map(Some),
            None => Ok(None),
        }
    }

    /// Whether there is a bridge for the toolset.
    fn bridge(&self, plan: &Plan) -> Result<(), Refusal> {
        let agent = agent(&plan.toolset)?;
        if plan.bridge == Bridge::ToBeWritten {
            return Err(Refusal::new(codes::BRIDGE_MISSING, format!("cairn has no bridge for `{agent}`"))
                .hint(format!(
                    "nothing was changed; let the settings of `{agent}` call `cairn hook {agent} <event>` at each event, or plan \
                     anew with another agent"
                ))
                .next("cairn govern probe --agent <name>"));
        }
        let installed = Installed::new(&self.place.state, self.world, &self.program);
        wiring(&installed, agent).map(|_| ())
    }

    /// What a failure brings back: the governance folder, the instructions, the settings and what undoes them.
    fn others(&self) -> Result<Vec<PathBuf>, Refusal> {
        let installed = Installed::new(&self.place.state, self.world, &self.program);
        put_aside(self.place, &installed, Some(agent(self.state.toolset.as_deref().unwrap_or_default())?))
    }

    /// Runs the steps that are left; what failed, where one did.
    fn deploy(&mut self, plan: &Plan) -> Result<Option<Failure>, Refusal> {
        if self.state.snapshot.is_none() {
            let others = self.others()?;
            let scope = Scope { target: self.place.target(), others: &others };
            let digest = match scope.take() {
                Ok(digest) => digest,
                Err(error) => return Ok(Some(failure("snapshot", error.to_string()))),
            };
            let fact = "governance folder, instructions and settings are put aside";
            self.record(Entry::new(Kind::Snapshot, "snapshot", fact).result(digest))?;
            self.state.snapshot = Some(digest);
            self.keep()?;
        }
        while let Some(step) = self.state.step.filter(|step| *step != Step::Verify) {
            if let Some(failure) = self.step(plan, step)? {
                return Ok(Some(failure));
            }
        }
        self.advance(Event::StepsReceipted)?;
        Ok(None)
    }

    fn step(&mut self, plan: &Plan, step: Step) -> Result<Option<Failure>, Refusal> {
        let lines = self.lines()?;
        // A step whose receipt was written before the state is done already.
        let is_done = lines.last().is_some_and(|line| {
            line.kind == Kind::Step && line.tool == step.as_str() && line.outcome != Outcome::Failed
        });
        if !is_done {
            let work = Work { world: self.world, place: self.place, plan, program: &self.program };
            match work.step(step, &self.state, &lines) {
                Ok(entry) => drop(self.record(entry)?),
                Err(fact) => return Ok(Some(failure(step.as_str(), fact))),
            }
        }
        self.state.step = step.next();
        self.keep()?;
        Ok(None)
    }

    /// The receipts of this deployment.
    fn lines(&self) -> Result<Vec<Receipt>, Refusal> {
        Ok(Self::lines_of(self.place)?.into_iter().filter(|line| line.run == self.state.run).collect())
    }

    /// Tries what was deployed; what failed, where something did. What has its receipt already is not tried again.
    fn verify(&mut self, plan: &Plan) -> Result<Option<Failure>, Refusal> {
        let last = self.lines()?.pop();
        let ended = last.clone().filter(|last| last.kind == Kind::End);
        let is_verified =
            last.is_some_and(|last| last.kind == Kind::Step && last.tool == Step::Verify.as_str());
        if ended.is_none() && !is_verified {
            let program = self.program.clone();
            let (world, place) = (self.world, self.place);
            let work = Work { world, place, plan, program: &program };
            for entry in trials::tried(&work, self.state.run) {
                if entry.outcome == Outcome::Failed {
                    return Ok(Some(failure(&entry.tool, entry.fact)));
                }
                self.record(entry)?;
            }
            self.record(Entry::new(
                Kind::Step,
                Step::Verify.as_str(),
                "what was deployed works on the target",
            ))?;
        }
        let end = match ended {
            Some(end) => end,
            None => self.record(Entry::new(Kind::End, "done", "the deployment is done"))?,
        };
        let digests = [("receipts", end.hash())];
        let note = Note { marker: DONE, digests: &digests, ..Note::default() };
        crate::hook::record(&self.place.state, self.world, &note)?;
        let mut done = self.state.clone();
        let passed = done.advance(Event::Passed, self.now());
        passed.map_err(|refused| illegal(&refused, self.state.phase.resume()))?;
        self.place.desk.finish(&done).map_err(|error| unusable(&error))?;
        self.state = done;
        self.keep()?;
        self.forget()?;
        Ok(None)
    }
}

fn failure(at: &str, fact: String) -> Failure {
    Failure { at: at.to_owned(), fact, restored: false }
}

fn gate_refuses(fault: &PlanFault) -> Refusal {
    Refusal::new(fault.reason, format!("{}: {}", fault.rule, fault.fact))
}

fn bad_plan(bad: &Bad) -> Refusal {
    let refusal = match bad {
        Bad::Gate(fault) => gate_refuses(fault),
        Bad::Blocked => Refusal::new(codes::DEPLOY_PLAN, "nothing can be deployed on this target"),
        Bad::Damaged(why) => Refusal::new(codes::DEPLOY_PLAN, format!("the plan is damaged: {why}")),
    };
    refusal.hint("nothing was changed; make a new plan").next("cairn govern deploy plan")
}

/// Where the report of a probe is written.
///
/// # Errors
/// It can't be written.
pub fn write_report(place: &Place, report: &Report) -> Result<(), DeskError> {
    place.desk.write(desk::REPORT, &report.text())
}
