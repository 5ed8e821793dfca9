//! The three reports: the analysis, what is missing, and the completion. What they say is taken from the files that the
//! deployment left, and held against its receipts.

use schemars::JsonSchema;
use serde::Serialize;

use super::contract::Bridge;
use super::machine::Phase;
use super::notice::{self, Issue, Notice};
use super::plan::{Plan, Step};
use super::probe::{self, Vector, Verdict, Weight};
use super::receipt::{Kind, Outcome, Receipt};
use super::state::Deployment;
use crate::evidence;
use crate::gates::PlanFault;

/// What the verification tries, by the names of its receipts.
pub const CHECKS: &[&str] = &["denied-call", "allowed-call", "receipts", "negative-control", "idle-pass"];

/// The first report, which costs nothing and needs no approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Analysis {
    /// What is feasible.
    pub verdict: Verdict,
    /// The toolset that would be used.
    pub toolset: Option<String>,
    /// What is recommended, step by step.
    pub path: Vec<String>,
    /// What a person is told of it.
    pub notice: Option<Notice>,
    /// The whole report of the probe.
    pub report: probe::Report,
}

impl Analysis {
    /// The command that comes next.
    pub fn next(&self) -> &str {
        self.path.iter().find(|step| step.starts_with("cairn ")).map_or("cairn govern probe", String::as_str)
    }
}

/// The report where nothing can be deployed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// What is missing, with how it is obtained.
    pub notice: Notice,
    /// What is weaker as well, though it does not block.
    pub degraded: Vec<Issue>,
}

/// The report at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// What was feasible.
    pub verdict: Verdict,
    /// The toolset that is wired.
    pub toolset: String,
    /// What joins it to the engine.
    pub bridge: Bridge,
    /// Every check of the probe.
    pub vectors: Vec<Vector>,
    /// What was done otherwise than the reference does it.
    pub adaptations: Vec<String>,
    /// How the claims of this report stand against the receipts.
    pub evidence: evidence::Verdict,
    /// The receipts of this deployment.
    pub receipts: Vec<Told>,
    /// What is left.
    pub notice: Option<Notice>,
    /// What comes next.
    pub next: String,
}

/// A receipt as a report tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// Its number.
    pub seq: u64,
    /// What it records.
    pub kind: Kind,
    /// What acted.
    pub tool: String,
    /// What became of it.
    pub outcome: Outcome,
    /// The same in words.
    pub fact: String,
}

impl From<&Receipt> for Told {
    fn from(line: &Receipt) -> Self {
        let Receipt { seq, kind, tool, outcome, fact, .. } = line.clone();
        Self { seq, kind, tool, outcome, fact }
    }
}

/// Why there is no completion report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotComplete {
    /// The deployment is not done.
    Phase(Phase),
    /// The receipts do not bear it, for this reason.
    Evidence(evidence::Verdict, String),
    /// The remedy is no plan.
    Gate(PlanFault),
}

/// The analysis of a report.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn analysis(report: probe::Report, evidence: &[String]) -> Result<Analysis, PlanFault> {
    let notice = notice::of_report(&report, evidence)?;
    let path = match (report.verdict, &report.selected) {
        (Verdict::Blocked, _) | (_, None) => {
            let named = if report.asked.vault.is_none() { " --vault <folder>" } else { "" };
            vec!["obtain what is missing".to_owned(), format!("cairn govern probe{named}")]
        }
        (verdict, Some(toolset)) => {
            let bridge = match (verdict, report.toolset().map(|toolset| toolset.bridge)) {
                (_, Some(Bridge::ToBeWritten)) => format!("write the bridge for {toolset}"),
                _ => format!("use {toolset}, whose bridge is shipped; nothing is installed"),
            };
            vec![
                bridge,
                "cairn govern deploy plan".to_owned(),
                "let a person approve the plan: cairn govern deploy approve".to_owned(),
                "cairn govern deploy run".to_owned(),
            ]
        }
    };
    Ok(Analysis { verdict: report.verdict, toolset: report.selected.clone(), path, notice, report })
}

/// What is missing; none where nothing is blocked.
///
/// # Errors
/// The plan gate does not accept the remedy.
pub fn missing(report: &probe::Report, evidence: &[String]) -> Result<Option<Missing>, PlanFault> {
    if report.verdict != Verdict::Blocked {
        return Ok(None);
    }
    let degraded = report.failed(Weight::Optional).flat_map(Issue::of).collect();
    Ok(notice::of_report(report, evidence)?.map(|notice| Missing { notice, degraded }))
}

/// The completion report, whose every claim is on receipt.
///
/// # Errors
/// The deployment is not done, or its receipts do not bear it.
pub fn completion(
    report: &probe::Report,
    plan: &Plan,
    state: &Deployment,
    lines: &[Receipt],
) -> Result<Completion, NotComplete> {
    if state.phase != Phase::Done {
        return Err(NotComplete::Phase(state.phase));
    }
    let own: Vec<&Receipt> = lines.iter().filter(|line| line.run == state.run).collect();
    match borne(report, plan, state, &own) {
        (evidence::Verdict::Verified, _) => {}
        (verdict, why) => return Err(NotComplete::Evidence(verdict, why)),
    }
    let notice = notice::residue(&report.adaptations, &state.research).map_err(NotComplete::Gate)?;
    Ok(Completion {
        verdict: report.verdict,
        toolset: plan.toolset.clone(),
        bridge: plan.bridge,
        vectors: report.vectors.clone(),
        adaptations: report.adaptations.clone(),
        evidence: evidence::Verdict::Verified,
        receipts: own.into_iter().map(Told::from).collect(),
        notice,
        next: "a person reviews this report and commits what was deployed".to_owned(),
    })
}

/// How what the report claims stands against the receipts.
fn borne(
    report: &probe::Report,
    plan: &Plan,
    state: &Deployment,
    own: &[&Receipt],
) -> (evidence::Verdict, String) {
    use evidence::Verdict::{Invalid, Unverifiable, Verified};
    let last = |kind, tool: &str| own.iter().rev().find(|line| line.kind == kind && line.tool == tool);
    let digests = [
        ("the report of the probe", Kind::Feasibility, "probe", canon::Sha256::of(report.text())),
        ("the plan", Kind::Plan, "plan", plan.digest()),
        ("the approval", Kind::Decision, "approve", plan.digest()),
    ];
    for (what, kind, tool, digest) in digests {
        match last(kind, tool) {
            None => return (Unverifiable, format!("{what} has no receipt")),
            Some(line) if line.result_hash != Some(digest) => {
                return (Invalid, format!("{what} is not the one of receipt {}", line.seq));
            }
            Some(_) => {}
        }
    }
    if state.plan.as_ref().map(|plan| plan.sha256) != Some(plan.digest()) {
        return (Invalid, "the plan is not the one that the state names".to_owned());
    }
    let steps =
        Step::ALL.iter().filter(|step| **step != Step::Verify).map(|step| (Kind::Step, step.as_str()));
    let checks = CHECKS.iter().map(|check| (Kind::Check, *check));
    for (kind, tool) in steps.chain(checks) {
        match last(kind, tool) {
            None => return (Unverifiable, format!("`{tool}` has no receipt")),
            Some(line) if line.outcome == Outcome::Failed => {
                return (Invalid, format!("receipt {} says that `{tool}` failed", line.seq));
            }
            Some(_) => {}
        }
    }
    (Verified, String::new())
}

#[cfg(test)]
mod tests {
    use canon::{Sha256, Timestamp};
    use store::chain::Head;

    use super::*;
    use crate::deploy::probe::Observed;
    use crate::deploy::probe::tests::complete;
    use crate::deploy::receipt::Entry;
    use crate::deploy::state::PlanRef;

    fn done() -> (probe::Report, Plan, Deployment, Vec<Receipt>) {
        let report = probe::report(&Observed { node: None, ..complete() });
        let plan = Plan::of(&report, super::super::plan::tests::vault(), &[]).unwrap();
        let mut state = Deployment::new(2, Timestamp::from_millis(0));
        state.phase = Phase::Done;
        state.plan = Some(PlanRef { path: "p".to_owned(), sha256: plan.digest() });
        let mut entries = vec![
            Entry::new(Kind::Feasibility, "probe", "partial").result(Sha256::of(report.text())),
            Entry::new(Kind::Plan, "plan", "made").result(plan.digest()),
            Entry::new(Kind::Decision, "approve", "approved").result(plan.digest()),
        ];
        entries.extend(Step::ALL.iter().map(|step| Entry::new(Kind::Step, step.as_str(), "done")));
        entries.extend(CHECKS.iter().map(|check| Entry::new(Kind::Check, *check, "holds")));
        let lines = entries.into_iter().map(|entry| Receipt::after(Head::empty(), state.since, 2, entry));
        let lines = lines.collect();
        (report, plan, state, lines)
    }

    #[test]
    fn the_analysis_recommends_a_path() {
        let analysis = |observed| analysis(probe::report(&observed), &[]).unwrap();
        let whole = analysis(complete());
        assert_eq!((whole.notice, whole.path.len()), (None, 4));
        let blocked = analysis(Observed { workspace: false, ..complete() });
        assert_eq!(blocked.path.last().unwrap(), "cairn govern probe");
        assert_eq!(blocked.notice.unwrap().id(), notice::Id::Blocked);
    }

    #[test]
    fn what_is_missing_is_told_where_it_blocks() {
        assert_eq!(missing(&probe::report(&complete()), &[]).unwrap(), None);
        let report = probe::report(&Observed { vault: None, git: None, ..complete() });
        let missing = missing(&report, &[]).unwrap().unwrap();
        assert_eq!(missing.notice.issues().len(), 2);
        assert!(missing.degraded[0].what.starts_with("DP-014"));
    }

    #[test]
    fn a_completion_has_a_receipt_for_each_claim() {
        let (report, plan, state, lines) = done();
        let completion = completion(&report, &plan, &state, &lines).unwrap();
        assert_eq!(completion.evidence, evidence::Verdict::Verified);
        assert_eq!(completion.notice.unwrap().id(), notice::Id::Residue);
        assert_eq!(completion.receipts.len(), lines.len());
    }

    #[test]
    fn without_evidence_there_is_no_completion() {
        use evidence::Verdict::{Invalid, Unverifiable};
        let (report, plan, state, lines) = done();
        let verdict =
            |report: &_, plan: &_, state: &_, lines: &[Receipt]| match completion(report, plan, state, lines)
            {
                Err(NotComplete::Evidence(verdict, _)) => Some(verdict),
                _ => None,
            };
        for missing in 0..lines.len() {
            let is_verify = lines[missing].tool == "verify";
            let others: Vec<Receipt> = lines
                .iter()
                .enumerate()
                .filter(|(n, _)| *n != missing)
                .map(|(_, line)| line.clone())
                .collect();
            let expected = (!is_verify).then_some(Unverifiable);
            assert_eq!(verdict(&report, &plan, &state, &others), expected, "{}", lines[missing].tool);
        }
        let mut failed = lines.clone();
        failed.last_mut().unwrap().outcome = Outcome::Failed;
        assert_eq!(verdict(&report, &plan, &state, &failed), Some(Invalid));
        let other = Plan { writes: Vec::new(), ..plan.clone() };
        assert_eq!(verdict(&report, &other, &state, &lines), Some(Invalid));
        let earlier: Vec<Receipt> = lines.iter().map(|line| Receipt { run: 1, ..line.clone() }).collect();
        assert_eq!(verdict(&report, &plan, &state, &earlier), Some(Unverifiable), "of another deployment");
        let going = Deployment { phase: Phase::Verifying, ..state };
        let refused = completion(&report, &plan, &going, &lines);
        assert_eq!(refused, Err(NotComplete::Phase(Phase::Verifying)));
    }
}
