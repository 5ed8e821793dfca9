//! Taking back what a deployment changed.

use gate::Refusal;
use govern::deploy::machine::{Event, Phase};
use govern::deploy::notice::{self, Notice, Trigger};
use govern::deploy::plan::Step;
use govern::deploy::receipt::{Entry, Kind, Outcome};
use govern::deploy::snapshot::Scope;
use govern::deploy::state::Failure;
use govern::knowledge::vault::Vault;
use govern::receipts::Note;

use super::{Drive, failure, gate_refuses};
use crate::codes;

impl Drive<'_> {
    pub(super) fn forget(&self) -> Result<(), Refusal> {
        let others = self.others()?;
        let scope = Scope { target: self.place.target(), others: &others };
        scope.forget().map_err(|error| Refusal::new(codes::NOT_WRITTEN, error.to_string()))
    }

    /// Puts a failure on record before anything is taken back.
    pub(super) fn fail(&mut self, failure: Failure) -> Result<Notice, Refusal> {
        let kind = if self.state.phase == Phase::Verifying { Kind::Check } else { Kind::Step };
        self.record(Entry::new(kind, failure.at.clone(), failure.fact.clone()).outcome(Outcome::Failed))?;
        self.state.failure = Some(failure.clone());
        self.keep()?;
        self.take_back(failure)
    }

    /// Brings the target back to what it was, and ends the deployment.
    pub(super) fn take_back(&mut self, failure: Failure) -> Result<Notice, Refusal> {
        let others = self.others()?;
        let scope = Scope { target: self.place.target(), others: &others };
        if let Some(snapshot) = self.state.snapshot {
            // What a killed writer of the vault began must not be finished over what is brought back.
            let vault = Vault::new(&self.place.state, &govern::knowledge::Settings::default());
            vault.and_then(|vault| vault.settle())?;
            scope.restore(snapshot).map_err(|error| {
                Refusal::new(codes::NOT_WRITTEN, error.to_string())
                    .fact(format!("{} failed: {}", failure.at, failure.fact))
                    .hint("the target is not yet as it was; mend this, and what was changed is taken back")
                    .next("cairn govern deploy resume")
            })?;
            self.record(Entry::new(Kind::Restore, "restore", "everything is as it was").args(snapshot))?;
        }
        let is_verify = self.state.phase == Phase::Verifying;
        let (on, trigger) = if is_verify {
            (Event::VerifyFailed, Trigger::VerifyFailed)
        } else {
            (Event::StepFailed, Trigger::StepFailed)
        };
        let notice = notice::failed(trigger, &failure.at, &failure.fact, &self.state.research);
        let notice = notice.map_err(|fault| gate_refuses(&fault))?;
        crate::hook::record(
            &self.place.state,
            self.world,
            &Note { marker: "deploy-rollback", ..Note::default() },
        )?;
        self.state.failure = Some(Failure { restored: true, ..failure });
        self.advance(on)?;
        self.forget()?;
        Ok(notice)
    }

    /// A person takes back what was done so far.
    ///
    /// # Errors
    /// Nothing of the target was changed, or something can't be written.
    pub fn roll_back(&mut self) -> Result<Notice, Refusal> {
        if let Some(failure) = self.state.failure.clone() {
            return self.take_back(failure);
        }
        let at = self.state.step.map_or("verify", Step::as_str);
        self.fail(failure(at, "a person took the deployment back".to_owned()))
    }

    /// Refuses where there is nothing to take back.
    ///
    /// # Errors
    /// The deployment has changed nothing of the target.
    pub fn must_have_changed(&self) -> Result<(), Refusal> {
        let phase = self.state.phase;
        if phase.has_changed() {
            return Ok(());
        }
        let message = format!("a deployment that is {phase} has nothing to take back");
        Err(Refusal::new(codes::DEPLOY_STATE, message).next(phase.resume()))
    }
}
