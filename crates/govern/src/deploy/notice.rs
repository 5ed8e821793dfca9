//! What a person is told (N-1 to N-7).
//!
//! An issue comes with what is needed, why, what it blocks and how it is obtained, and with a plan that mends it and
//! that the plan gate accepts: a [`Notice`] of an issue can't be made without one. N-4 asks for an approval and is no
//! issue.

use gate::event::Todo;
use schemars::JsonSchema;
use serde::Serialize;

use super::plan::{Plan, todo, todo_or};
use super::probe::{CHECKS, Check, Report, Vector, Verdict, Weight};
use crate::gates::{PlanFault, judge_plan};

/// Which notification.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub enum Id {
    /// The probe gave no report.
    #[serde(rename = "N-1")]
    ProbeFailed,
    /// A check of the analysis failed.
    #[serde(rename = "N-2")]
    Analysis,
    /// Nothing can be deployed.
    #[serde(rename = "N-3")]
    Blocked,
    /// The plan waits for approval.
    #[serde(rename = "N-4")]
    PlanReady,
    /// A step failed.
    #[serde(rename = "N-5")]
    StepFailed,
    /// The verification failed.
    #[serde(rename = "N-6")]
    VerifyFailed,
    /// It is done, with something left.
    #[serde(rename = "N-7")]
    Residue,
}

/// The notifications that are of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trigger {
    /// N-1.
    ProbeFailed,
    /// N-2, with whether the verdict is blocked.
    Analysis(Verdict),
    /// N-3.
    Blocked,
    /// N-5.
    StepFailed,
    /// N-6.
    VerifyFailed,
    /// N-7.
    Residue,
}

impl Trigger {
    const fn id(self) -> Id {
        match self {
            Self::ProbeFailed => Id::ProbeFailed,
            Self::Analysis(_) => Id::Analysis,
            Self::Blocked => Id::Blocked,
            Self::StepFailed => Id::StepFailed,
            Self::VerifyFailed => Id::VerifyFailed,
            Self::Residue => Id::Residue,
        }
    }

    /// Whether work rests until a person acts.
    const fn pauses(self) -> bool {
        match self {
            Self::Analysis(verdict) => matches!(verdict, Verdict::Blocked),
            Self::Residue => false,
            _ => true,
        }
    }
}

/// An issue, in the order in which it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Issue {
    /// What is needed.
    pub what: String,
    /// Why.
    pub why: String,
    /// What it blocks.
    pub blocks: String,
    /// How it is obtained.
    pub how: String,
}

impl Issue {
    /// The issues behind a check that fails: one for each thing that is in the way.
    pub fn of(vector: &Vector) -> Vec<Self> {
        let check = CHECKS.iter().find(|check| check.id == vector.id);
        let text = |part: fn(&Check) -> &'static str| check.map(part).unwrap_or_default().to_owned();
        let issue = |found: &str, how: String| Self {
            what: format!("{} {}: {found}", vector.id, vector.name),
            why: text(|check| check.why),
            blocks: text(|check| check.blocks),
            how,
        };
        if vector.obstacles.is_empty() {
            return vec![issue(&vector.actual, text(|check| check.how))];
        }
        vector.obstacles.iter().map(|obstacle| issue(&obstacle.what, obstacle.how.clone())).collect()
    }
}

/// A plan that mends an issue; the plan gate accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Remedy(Vec<Todo>);

impl Remedy {
    /// Takes the steps, if they are a plan.
    ///
    /// # Errors
    /// What the plan gate finds wrong with them.
    pub fn new(steps: Vec<Todo>) -> Result<Self, PlanFault> {
        match judge_plan(&steps) {
            None => Ok(Self(steps)),
            Some(fault) => Err(fault),
        }
    }

    /// The steps.
    pub fn steps(&self) -> &[Todo] {
        &self.0
    }
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Notice {
    /// Which.
    id: Id,
    /// Work rests until a person acts.
    pauses: bool,
    /// The issues; none where an approval is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    issues: Vec<Issue>,
    /// What is proposed: the plan that mends the issues, or the plan that waits.
    plan: Remedy,
    /// What it rests on.
    evidence: Vec<String>,
    /// The approval that is asked for, as a command or a step.
    approval: String,
}

impl Notice {
    /// The notification of an issue, with the plan that mends it.
    pub fn issue(
        trigger: Trigger,
        first: Issue,
        others: Vec<Issue>,
        plan: Remedy,
        evidence: Vec<String>,
        approval: impl Into<String>,
    ) -> Self {
        let issues = std::iter::once(first).chain(others).collect();
        Self { id: trigger.id(), pauses: trigger.pauses(), issues, plan, evidence, approval: approval.into() }
    }

    /// N-4: the plan waits for a person. It is no issue.
    ///
    /// # Errors
    /// The plan gate does not accept the plan.
    pub fn approval(plan: &Plan, evidence: Vec<String>) -> Result<Self, PlanFault> {
        Ok(Self {
            id: Id::PlanReady,
            pauses: true,
            issues: Vec::new(),
            plan: Remedy::new(plan.todos.clone())?,
            evidence,
            approval: "cairn govern deploy approve".to_owned(),
        })
    }

    /// Which.
    pub fn id(&self) -> Id {
        self.id
    }

    /// Whether work rests until a person acts.
    pub fn pauses(&self) -> bool {
        self.pauses
    }

    /// The issues.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// The steps that are proposed.
    pub fn steps(&self) -> &[Todo] {
        self.plan.steps()
    }

    /// What it rests on.
    pub fn evidence(&self) -> &[String] {
        &self.evidence
    }

    /// The approval that is asked for.
    pub fn asks(&self) -> &str {
        &self.approval
    }
}

/// N-1: the probe gave no report.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn probe_failed(fact: &str) -> Result<Notice, PlanFault> {
    let issue = Issue {
        what: "a report of the probe".to_owned(),
        why: format!("{fact}; what is feasible is decided from the report alone"),
        blocks: "the whole deployment".to_owned(),
        how: "run `cairn govern probe` again and let it end".to_owned(),
    };
    let plan = Remedy::new(vec![
        todo_or(
            format!("Find out why there is no report that can be used: {fact}"),
            "Find out why there is no report that can be used",
            "high",
        ),
        todo("Run `cairn govern probe` with the same target and vault", "high"),
        todo("Plan the deployment from the new report", "medium"),
    ])?;
    let evidence = vec![REPORT.to_owned()];
    Ok(Notice::issue(Trigger::ProbeFailed, issue, Vec::new(), plan, evidence, "cairn govern probe"))
}

const REPORT: &str = ".governance/portability-report.json";

/// N-2: checks that fail though nothing is blocked; none where all pass. N-3 where it is blocked: what is missing.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn of_report(report: &Report, evidence: &[String]) -> Result<Option<Notice>, PlanFault> {
    let is_blocked = report.verdict == Verdict::Blocked;
    let (weight, trigger) = if is_blocked {
        (Weight::Required, Trigger::Blocked)
    } else {
        (Weight::Optional, Trigger::Analysis(report.verdict))
    };
    let failed: Vec<&Vector> = report.failed(weight).collect();
    let mut issues: Vec<Issue> = failed.iter().flat_map(|vector| Issue::of(vector)).collect();
    if issues.is_empty() {
        return Ok(None);
    }
    let priority = if is_blocked { "high" } else { "low" };
    let mut steps: Vec<Todo> = failed.iter().flat_map(|vector| mending(vector, priority)).collect();
    steps.push(todo("Run `cairn govern probe` again with the same target and vault", "high"));
    let mut refs = vec![REPORT.to_owned()];
    refs.extend_from_slice(evidence);
    let approval = if is_blocked { "cairn govern probe" } else { "cairn govern deploy plan" };
    let first = issues.remove(0);
    Ok(Some(Notice::issue(trigger, first, issues, Remedy::new(steps)?, refs, approval)))
}

/// The steps that mend a check that fails.
fn mending(vector: &Vector, priority: &str) -> Vec<Todo> {
    let check = format!("{} {}", vector.id, vector.name);
    let step = |issue: Issue| {
        let what = if vector.obstacles.is_empty() { &check } else { &issue.what };
        todo_or(format!("{what}: {}", issue.how), format!("{check}: mend what the issue names"), priority)
    };
    Issue::of(vector).into_iter().map(step).collect()
}

/// N-5 or N-6: something failed, and the target is as it was before.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn failed(trigger: Trigger, at: &str, fact: &str, evidence: &[String]) -> Result<Notice, PlanFault> {
    let is_step = trigger == Trigger::StepFailed;
    let issue = Issue {
        what: format!("{} that works: {at}", if is_step { "a step" } else { "a verification" }),
        why: fact.to_owned(),
        blocks: "the deployment, which was taken back: governance folder, AGENTS.md and agent settings are as they were"
            .to_owned(),
        how: "mend what the fact names, then deploy anew".to_owned(),
    };
    let plan = Remedy::new(vec![
        todo_or(format!("Mend what made `{at}` fail: {fact}"), format!("Mend what made `{at}` fail"), "high"),
        todo("Run `cairn govern probe` again, since the target may have changed", "high"),
        todo("Make a new plan, let a person approve it, and run it", "high"),
    ])?;
    let mut refs = vec![".governance/deploy-receipts.jsonl".to_owned()];
    refs.extend_from_slice(evidence);
    Ok(Notice::issue(trigger, issue, Vec::new(), plan, refs, "cairn govern probe"))
}

/// N-7: it is done, and these adaptations are left; none where there is none.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn residue(adaptations: &[String], evidence: &[String]) -> Result<Option<Notice>, PlanFault> {
    let Some((first, others)) = adaptations.split_first() else { return Ok(None) };
    let issue = |what: &String| Issue {
        what: what.clone(),
        why: "the deployment differs here from the reference".to_owned(),
        blocks: "nothing that was verified".to_owned(),
        how: "decide whether it stays so".to_owned(),
    };
    let decide = |what: &String| {
        let plain = "Decide whether it stays so, as the issue names it";
        todo_or(format!("Decide whether this stays so: {what}"), plain, "low")
    };
    let steps = adaptations.iter().map(decide);
    let plan = Remedy::new(steps.collect())?;
    let others = others.iter().map(issue).collect();
    let approval = "say which of these steps are wanted";
    Ok(Some(Notice::issue(Trigger::Residue, issue(first), others, plan, evidence.to_vec(), approval)))
}

#[cfg(test)]
mod tests;
