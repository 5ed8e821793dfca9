//! The phases of a deployment, and the one table that says which may follow which (SM-1 to SM-16).

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::notice::Id as NoticeId;

/// Where a deployment stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Nothing was observed yet.
    Unprobed,
    /// There is a report that is one.
    Analyzed,
    /// It can't go on until someone obtains what is missing.
    Blocked,
    /// There is a plan that waits for a person.
    Planned,
    /// A person approved the plan.
    Approved,
    /// The bridge is made ready.
    Bridging,
    /// The steps run.
    Deploying,
    /// What was deployed is tried on the target.
    Verifying,
    /// It works.
    Done,
    /// It ended otherwise, and the target is as it was.
    Reported,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Self; 10] = [
        Self::Unprobed,
        Self::Analyzed,
        Self::Blocked,
        Self::Planned,
        Self::Approved,
        Self::Bridging,
        Self::Deploying,
        Self::Verifying,
        Self::Done,
        Self::Reported,
    ];

    /// The word for it in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unprobed => "unprobed",
            Self::Analyzed => "analyzed",
            Self::Blocked => "blocked",
            Self::Planned => "planned",
            Self::Approved => "approved",
            Self::Bridging => "bridging",
            Self::Deploying => "deploying",
            Self::Verifying => "verifying",
            Self::Done => "done",
            Self::Reported => "reported",
        }
    }

    /// What brings a deployment on from here (SM-16), as a command.
    pub const fn resume(self) -> &'static str {
        match self {
            Self::Unprobed | Self::Blocked | Self::Reported => "cairn govern probe",
            Self::Analyzed => "cairn govern deploy plan",
            Self::Planned => "cairn govern deploy approve",
            Self::Approved => "cairn govern deploy run",
            Self::Bridging | Self::Deploying | Self::Verifying => "cairn govern deploy resume",
            Self::Done => "cairn govern deploy report",
        }
    }

    /// Whether steps run, from the first that nobody must be asked for.
    pub const fn is_under_way(self) -> bool {
        matches!(self, Self::Bridging | Self::Deploying | Self::Verifying)
    }

    /// Whether something of the target was changed that a failure must take back.
    pub const fn has_changed(self) -> bool {
        matches!(self, Self::Deploying | Self::Verifying)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happens to a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// The probe gave a report.
    Probed,
    /// The probe gave none.
    ProbeFailed,
    /// The report's verdict is that nothing can be deployed.
    FoundBlocked,
    /// The person goes on from the analysis, and a plan was made.
    PlanMade,
    /// The plan is valid, and a person approved it.
    Approved,
    /// A person denied the plan.
    Denied,
    /// Work begins under the verdict partial.
    BeginPartial,
    /// Work begins under the verdict implementable.
    BeginWhole,
    /// The bridge of the detected toolset is ready.
    BridgeReady,
    /// Every step has its receipt.
    StepsReceipted,
    /// A step failed, and what was changed is restored.
    StepFailed,
    /// What was tried works, and the idle pass ran.
    Passed,
    /// Something that was tried does not work, and what was changed is restored.
    VerifyFailed,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 13] = [
        Self::Probed,
        Self::ProbeFailed,
        Self::FoundBlocked,
        Self::PlanMade,
        Self::Approved,
        Self::Denied,
        Self::BeginPartial,
        Self::BeginWhole,
        Self::BridgeReady,
        Self::StepsReceipted,
        Self::StepFailed,
        Self::Passed,
        Self::VerifyFailed,
    ];

    /// What happens, in words.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Probed => "take a report",
            Self::ProbeFailed => "take a failed probe",
            Self::FoundBlocked => "be found blocked",
            Self::PlanMade => "take a plan",
            Self::Approved => "be approved",
            Self::Denied => "be denied",
            Self::BeginPartial | Self::BeginWhole => "begin",
            Self::BridgeReady => "take the bridge",
            Self::StepsReceipted => "be verified",
            Self::StepFailed => "roll back a step",
            Self::Passed => "be done",
            Self::VerifyFailed => "roll back what was verified",
        }
    }
}

/// A row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Transition {
    /// Its number, as in `SM-1`.
    pub id: &'static str,
    /// From where.
    pub from: Phase,
    /// On what.
    pub on: Event,
    /// To where.
    pub to: Phase,
    /// What a person is told then.
    pub notice: Option<NoticeId>,
}

const fn row(id: &'static str, from: Phase, on: Event, to: Phase, notice: Option<NoticeId>) -> Transition {
    Transition { id, from, on, to, notice }
}

/// Every transition that there is.
pub const TABLE: &[Transition] = &[
    row("SM-1", Phase::Unprobed, Event::Probed, Phase::Analyzed, None),
    row("SM-2", Phase::Unprobed, Event::ProbeFailed, Phase::Blocked, Some(NoticeId::ProbeFailed)),
    row("SM-3", Phase::Analyzed, Event::FoundBlocked, Phase::Blocked, Some(NoticeId::Blocked)),
    row("SM-4", Phase::Analyzed, Event::PlanMade, Phase::Planned, Some(NoticeId::PlanReady)),
    row("SM-5", Phase::Planned, Event::Approved, Phase::Approved, None),
    row("SM-6", Phase::Planned, Event::Denied, Phase::Reported, None),
    row("SM-7", Phase::Approved, Event::BeginPartial, Phase::Bridging, None),
    row("SM-8", Phase::Approved, Event::BeginWhole, Phase::Deploying, None),
    row("SM-9", Phase::Bridging, Event::BridgeReady, Phase::Deploying, None),
    row("SM-10", Phase::Deploying, Event::StepsReceipted, Phase::Verifying, None),
    row("SM-11", Phase::Deploying, Event::StepFailed, Phase::Reported, Some(NoticeId::StepFailed)),
    row("SM-12", Phase::Verifying, Event::Passed, Phase::Done, None),
    row("SM-13", Phase::Verifying, Event::VerifyFailed, Phase::Reported, Some(NoticeId::VerifyFailed)),
];

/// A transition that is not in the table (SM-14, SM-15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Illegal {
    /// Where the deployment stands.
    pub from: Phase,
    /// What was to happen.
    pub on: Event,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a deployment that is {} can't {}", self.from, self.on.as_str())
    }
}

impl std::error::Error for Illegal {}

/// What follows on an event.
///
/// # Errors
/// The table has no such transition.
pub fn next(from: Phase, on: Event) -> Result<&'static Transition, Illegal> {
    TABLE.iter().find(|row| row.from == from && row.on == on).ok_or(Illegal { from, on })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the text, by their own words.
    const STATED: &[(&str, Phase, Event, Phase)] = &[
        ("SM-1", Phase::Unprobed, Event::Probed, Phase::Analyzed),
        ("SM-2", Phase::Unprobed, Event::ProbeFailed, Phase::Blocked),
        ("SM-3", Phase::Analyzed, Event::FoundBlocked, Phase::Blocked),
        ("SM-4", Phase::Analyzed, Event::PlanMade, Phase::Planned),
        ("SM-5", Phase::Planned, Event::Approved, Phase::Approved),
        ("SM-6", Phase::Planned, Event::Denied, Phase::Reported),
        ("SM-7", Phase::Approved, Event::BeginPartial, Phase::Bridging),
        ("SM-8", Phase::Approved, Event::BeginWhole, Phase::Deploying),
        ("SM-9", Phase::Bridging, Event::BridgeReady, Phase::Deploying),
        ("SM-10", Phase::Deploying, Event::StepsReceipted, Phase::Verifying),
        ("SM-11", Phase::Deploying, Event::StepFailed, Phase::Reported),
        ("SM-12", Phase::Verifying, Event::Passed, Phase::Done),
        ("SM-13", Phase::Verifying, Event::VerifyFailed, Phase::Reported),
    ];

    #[test]
    fn sm_1_to_sm_13_are_the_table() {
        assert_eq!(TABLE.len(), STATED.len());
        for (id, from, on, to) in STATED {
            let row = next(*from, *on).unwrap();
            assert_eq!((row.id, row.to), (*id, *to));
        }
    }

    #[test]
    fn the_notices_of_the_table() {
        let of = |from, on| next(from, on).unwrap().notice;
        assert_eq!(of(Phase::Unprobed, Event::ProbeFailed), Some(NoticeId::ProbeFailed));
        assert_eq!(of(Phase::Analyzed, Event::FoundBlocked), Some(NoticeId::Blocked));
        assert_eq!(of(Phase::Analyzed, Event::PlanMade), Some(NoticeId::PlanReady));
        assert_eq!(of(Phase::Deploying, Event::StepFailed), Some(NoticeId::StepFailed));
        assert_eq!(of(Phase::Verifying, Event::VerifyFailed), Some(NoticeId::VerifyFailed));
    }

    #[test]
    fn sm_14_what_is_only_analyzed_is_not_deployed() {
        for on in [Event::Approved, Event::BeginPartial, Event::BeginWhole, Event::StepsReceipted] {
            let illegal = next(Phase::Analyzed, on).unwrap_err();
            assert!(illegal.to_string().contains("analyzed"), "{illegal}");
        }
    }

    #[test]
    fn sm_15_every_other_transition_is_refused() {
        let mut legal = 0;
        for from in Phase::ALL {
            for on in Event::ALL {
                match next(from, on) {
                    Ok(_) => legal += 1,
                    Err(illegal) => assert_eq!(illegal, Illegal { from, on }),
                }
            }
        }
        assert_eq!(legal, 13);
        // Nothing leads out of an end; what begins anew is another deployment.
        for end in [Phase::Blocked, Phase::Done, Phase::Reported] {
            assert!(TABLE.iter().all(|row| row.from != end));
        }
    }

    #[test]
    fn sm_16_each_phase_says_what_brings_it_on() {
        for phase in Phase::ALL {
            assert!(phase.resume().starts_with("cairn govern "), "{phase}");
            let name = serde_json::to_value(phase).unwrap();
            assert_eq!(name, phase.as_str());
        }
        assert_eq!(Phase::Deploying.resume(), "cairn govern deploy resume");
    }

    /// Nothing but an approval leads to a phase in which the target is changed.
    #[test]
    fn no_way_past_the_approval() {
        let mut reached = vec![Phase::Unprobed];
        for _ in Phase::ALL {
            for row in TABLE.iter().filter(|row| row.on != Event::Approved) {
                if reached.contains(&row.from) && !reached.contains(&row.to) {
                    reached.push(row.to);
                }
            }
        }
        assert!(reached.iter().all(|phase| !phase.has_changed()), "{reached:?}");
    }
}
