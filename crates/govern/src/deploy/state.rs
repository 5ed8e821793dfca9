//! The state of a deployment, in `deploy-state.json`: rewritten whole at each transition, before what comes next.

use canon::{Sha256, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::machine::{self, Event, Illegal, Phase, Transition};
use super::plan::Step;
use super::probe::Verdict;

/// The plan that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRef {
    /// Where it lies, from the target's top.
    pub path: String,
    /// Its digest, which the approval names.
    pub sha256: Sha256,
}

/// What failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    /// The step, or what was tried.
    pub at: String,
    /// The fact.
    pub fact: String,
    /// What was put aside is back in its place, where something was.
    pub restored: bool,
}

/// The state of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deployment {
    /// The form of the file; 1.
    pub schema: u32,
    /// Which deployment of this target, from 1.
    pub run: u32,
    /// Where it stands.
    pub phase: Phase,
    /// Since when.
    pub since: Timestamp,
    /// The step that comes next, while steps run.
    pub step: Option<Step>,
    /// The plan.
    pub plan: Option<PlanRef>,
    /// The number of the latest receipt.
    pub receipt_seq: u64,
    /// Where the research lies, from the target's top.
    pub research: Vec<String>,
    /// What is feasible.
    pub verdict: Option<Verdict>,
    /// The toolset that is wired.
    pub toolset: Option<String>,
    /// The digest of the list of what was put aside.
    pub snapshot: Option<Sha256>,
    /// What failed.
    pub failure: Option<Failure>,
    /// What brings it on from here.
    pub resume: String,
}

/// Why a deployment can't go on as it was asked to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The table has no such transition.
    Illegal(Illegal),
    /// The transition is there, and what it asks for is not.
    Unmet(&'static str),
}

impl Deployment {
    /// A deployment of which nothing is known yet.
    pub fn new(run: u32, since: Timestamp) -> Self {
        Self {
            schema: 1,
            run,
            phase: Phase::Unprobed,
            since,
            step: None,
            plan: None,
            receipt_seq: 0,
            research: Vec::new(),
            verdict: None,
            toolset: None,
            snapshot: None,
            failure: None,
            resume: Phase::Unprobed.resume().to_owned(),
        }
    }

    /// Reads a state.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let state: Self = canon::json::read(bytes).map_err(|damage| damage.to_string())?;
        match state.schema {
            1 => Ok(state),
            other => Err(format!("schema {other} is not known here; 1 is")),
        }
    }

    /// The state as it is written.
    pub fn text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// Whether its steps were begun, and not only prepared.
    pub fn has_begun(&self) -> bool {
        self.phase.is_under_way() || self.phase == Phase::Done || self.failure.is_some()
    }

    /// Goes on to what follows on an event.
    ///
    /// # Errors
    /// The table has no such transition, or what it asks for is not there. Nothing is changed.
    pub fn advance(&mut self, on: Event, now: Timestamp) -> Result<&'static Transition, Refused> {
        let row = machine::next(self.phase, on).map_err(Refused::Illegal)?;
        if let Some(what) = self.unmet(on) {
            return Err(Refused::Unmet(what));
        }
        self.phase = row.to;
        self.since = now;
        self.step = match on {
            Event::BeginWhole | Event::BridgeReady => Some(Step::RealizeEngine),
            Event::StepsReceipted => Some(Step::Verify),
            Event::Passed | Event::StepFailed | Event::VerifyFailed => None,
            _ => self.step,
        };
        row.to.resume().clone_into(&mut self.resume);
        Ok(row)
    }

    fn unmet(&self, on: Event) -> Option<&'static str> {
        let is = |verdict| self.verdict == Some(verdict);
        let is_restored = || self.failure.as_ref().is_some_and(|failure| failure.restored);
        let (holds, what) = match on {
            Event::Probed => (self.verdict.is_some(), "there is no verdict"),
            Event::FoundBlocked => (is(Verdict::Blocked), "the verdict is not blocked"),
            Event::PlanMade => {
                (self.plan.is_some() && !is(Verdict::Blocked), "there is no plan, or nothing can be deployed")
            }
            Event::Approved => (self.plan.is_some(), "there is no plan"),
            Event::BeginPartial => (is(Verdict::Partial), "the verdict is not partial"),
            Event::BeginWhole => (is(Verdict::Implementable), "the verdict is not implementable"),
            Event::StepsReceipted => (self.step == Some(Step::Verify), "steps are left"),
            Event::Passed => (self.failure.is_none(), "something failed"),
            Event::StepFailed | Event::VerifyFailed => {
                (is_restored(), "what was changed is not yet restored")
            }
            Event::ProbeFailed | Event::Denied | Event::BridgeReady => (true, ""),
        };
        (!holds).then_some(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(7);

    fn planned(verdict: Verdict) -> Deployment {
        let mut state = Deployment::new(1, Timestamp::from_millis(0));
        state.verdict = Some(verdict);
        state.advance(Event::Probed, NOW).unwrap();
        state.plan = Some(PlanRef { path: "deploy-plan.json".to_owned(), sha256: Sha256::of("plan") });
        state.advance(Event::PlanMade, NOW).unwrap();
        state
    }

    #[test]
    fn a_whole_life_each_way() {
        for (verdict, way) in [
            (Verdict::Implementable, &[Event::Approved, Event::BeginWhole][..]),
            (Verdict::Partial, &[Event::Approved, Event::BeginPartial, Event::BridgeReady]),
        ] {
            let mut state = planned(verdict);
            for on in way {
                state.advance(*on, NOW).unwrap();
                assert_eq!(Deployment::read(state.text().as_bytes()).unwrap(), state);
            }
            assert_eq!((state.phase, state.step), (Phase::Deploying, Some(Step::RealizeEngine)));
            let before = state.clone();
            assert_eq!(state.advance(Event::StepsReceipted, NOW), Err(Refused::Unmet("steps are left")));
            assert_eq!(state, before, "a refusal changes nothing");
            state.step = Some(Step::Verify);
            state.advance(Event::StepsReceipted, NOW).unwrap();
            state.advance(Event::Passed, NOW).unwrap();
            assert_eq!((state.phase, state.since, state.step), (Phase::Done, NOW, None));
            assert_eq!(state.resume, "cairn govern deploy report");
        }
    }

    #[test]
    fn the_verdict_decides_which_way() {
        let mut state = planned(Verdict::Partial);
        state.advance(Event::Approved, NOW).unwrap();
        assert!(matches!(state.advance(Event::BeginWhole, NOW), Err(Refused::Unmet(_))));
        let mut state = Deployment::new(1, NOW);
        state.verdict = Some(Verdict::Blocked);
        state.advance(Event::Probed, NOW).unwrap();
        assert!(matches!(state.advance(Event::PlanMade, NOW), Err(Refused::Unmet(_))));
        state.advance(Event::FoundBlocked, NOW).unwrap();
        assert_eq!(state.phase, Phase::Blocked);
    }

    #[test]
    fn a_failure_ends_only_when_the_target_is_as_it_was() {
        let mut state = planned(Verdict::Implementable);
        state.advance(Event::Approved, NOW).unwrap();
        state.advance(Event::BeginWhole, NOW).unwrap();
        state.failure = Some(Failure { at: "seed-vault".to_owned(), fact: "x".to_owned(), restored: false });
        assert!(matches!(state.advance(Event::StepFailed, NOW), Err(Refused::Unmet(_))));
        state.failure.as_mut().unwrap().restored = true;
        let row = state.advance(Event::StepFailed, NOW).unwrap();
        assert_eq!((row.id, state.phase), ("SM-11", Phase::Reported));
    }

    #[test]
    fn what_is_no_state_says_why() {
        assert!(Deployment::read(b"{").unwrap_err().contains("line 1"));
        let other = Deployment::new(1, NOW).text().replace("\"schema\": 1", "\"schema\": 2");
        assert!(Deployment::read(other.as_bytes()).unwrap_err().contains("schema 2"));
    }
}
