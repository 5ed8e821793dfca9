//! The plan of a deployment: the steps, what each changes, and what was looked at when it was made.

use canon::Sha256;
use gate::event::Todo;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::contract::Bridge;
use super::probe::{Report, Verdict};
use super::{FOLDER, SPEC, VAULT};
use crate::gates::{PlanFault, judge_plan};

/// A step of a deployment, in the order of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// The contracts are realised for what the target can run.
    RealizeEngine,
    /// The modules of the reference engine; not applicable to this engine.
    NpmInstall,
    /// The vault is copied.
    SeedVault,
    /// The bridge is registered in the settings of the toolset.
    WireBridge,
    /// The agents' instructions are made anew, without writing them.
    DryRunMigrate,
    /// They are written.
    ApplyMigrate,
    /// What was deployed is tried on the target.
    Verify,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 7] = [
        Self::RealizeEngine,
        Self::NpmInstall,
        Self::SeedVault,
        Self::WireBridge,
        Self::DryRunMigrate,
        Self::ApplyMigrate,
        Self::Verify,
    ];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::RealizeEngine => "realize-engine",
            Self::NpmInstall => "npm-install",
            Self::SeedVault => "seed-vault",
            Self::WireBridge => "wire-bridge",
            Self::DryRunMigrate => "dry-run-migrate",
            Self::ApplyMigrate => "apply-migrate",
            Self::Verify => "verify",
        }
    }

    /// The step after it.
    pub fn next(self) -> Option<Self> {
        let at = Self::ALL.iter().position(|step| *step == self)?;
        Self::ALL.get(at + 1).copied()
    }

    fn todo(self, toolset: &str) -> Todo {
        let (content, priority) = match self {
            Self::RealizeEngine => (
                "Realize the engine: cairn itself, started by its name; nothing is copied".to_owned(),
                "high",
            ),
            Self::NpmInstall => {
                ("Record that the modules of the reference engine are not needed".to_owned(), "low")
            }
            Self::SeedVault => (format!("Seed {VAULT} from the source vault, which is only read"), "high"),
            Self::WireBridge => (format!("Wire the hooks into the project's settings of {toolset}"), "high"),
            Self::DryRunMigrate => {
                ("Make the instructions in AGENTS.md anew without writing them".to_owned(), "medium")
            }
            Self::ApplyMigrate => {
                ("Write the instructions into AGENTS.md, beside the user's own text".to_owned(), "high")
            }
            Self::Verify => (
                "Verify on the target: a denied call, an allowed call, the receipts, an idle pass".to_owned(),
                "high",
            ),
        };
        todo(format!("{}: {content}", self.as_str()), priority)
    }
}

/// A step that is still to do.
pub fn todo(content: impl Into<String>, priority: &str) -> Todo {
    Todo {
        content: Some(content.into()),
        status: Some("pending".to_owned()),
        priority: Some(priority.to_owned()),
    }
}

/// The same, in `plain` words where the plan gate takes what is named in `content` for a stand-in.
pub fn todo_or(content: String, plain: impl Into<String>, priority: &str) -> Todo {
    let detailed = todo(content, priority);
    if judge_plan(std::slice::from_ref(&detailed)).is_none() { detailed } else { todo(plain, priority) }
}

/// The vault that a plan copies, as it was when the plan was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vault {
    /// Where it lies.
    pub path: String,
    /// The digest of what is copied.
    pub digest: Sha256,
    /// The commit that is checked out there, where it is a repository.
    pub commit: Option<String>,
}

/// The plan of a deployment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// The form of the plan; 1.
    pub schema: u32,
    /// The version of the text that is followed.
    pub spec: String,
    /// The target.
    pub target: String,
    /// The verdict that it rests on.
    pub verdict: Verdict,
    /// The toolset that is wired.
    pub toolset: String,
    /// What joins it to the engine.
    pub bridge: Bridge,
    /// The vault that is copied.
    pub vault: Vault,
    /// The digest of the report that it rests on.
    pub report: Sha256,
    /// The steps, as a plan that the plan gate accepts.
    pub todos: Vec<Todo>,
    /// What is written at the target, from its top.
    pub writes: Vec<String>,
}

/// Why no plan is made, or a plan is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bad {
    /// Nothing can be deployed.
    Blocked,
    /// The plan gate does not accept it.
    Gate(PlanFault),
    /// It is damaged, or of another form.
    Damaged(String),
}

impl Plan {
    /// The plan that follows from a report. `settings` are the files that the bridge writes, from the target's top.
    ///
    /// # Errors
    /// Nothing can be deployed.
    pub fn of(report: &Report, vault: Vault, settings: &[String]) -> Result<Self, Bad> {
        let toolset = report.toolset().filter(|_| report.verdict != Verdict::Blocked).ok_or(Bad::Blocked)?;
        let mut writes =
            vec![format!("{FOLDER}/"), format!("{FOLDER}.bak/ (until it is done)"), "AGENTS.md".to_owned()];
        writes.extend_from_slice(settings);
        let plan = Self {
            schema: 1,
            spec: SPEC.to_owned(),
            target: report.target.clone(),
            verdict: report.verdict,
            toolset: toolset.name.clone(),
            bridge: toolset.bridge,
            vault,
            report: Sha256::of(report.text()),
            todos: Step::ALL.into_iter().map(|step| step.todo(&toolset.name)).collect(),
            writes,
        };
        plan.judged()
    }

    /// Reads a plan, and judges it as the plan gate does.
    ///
    /// # Errors
    /// It is none.
    pub fn read(bytes: &[u8]) -> Result<Self, Bad> {
        let plan: Self = canon::json::read(bytes).map_err(|damage| Bad::Damaged(damage.to_string()))?;
        if plan.schema != 1 || plan.spec != SPEC {
            return Err(Bad::Damaged(format!("it is of another form: {}", plan.spec)));
        }
        plan.judged()
    }

    fn judged(self) -> Result<Self, Bad> {
        match judge_plan(&self.todos) {
            Some(fault) => Err(Bad::Gate(fault)),
            None => Ok(self),
        }
    }

    /// The plan as it is written.
    pub fn text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The digest of the plan as it is written, which an approval names.
    pub fn digest(&self) -> Sha256 {
        Sha256::of(self.text())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::deploy::probe::tests::complete;
    use crate::deploy::probe::{Observed, report};

    pub(crate) fn vault() -> Vault {
        Vault { path: "/w/vault".to_owned(), digest: Sha256::of("vault"), commit: None }
    }

    pub(crate) fn plan() -> Plan {
        Plan::of(&report(&complete()), vault(), &[".claude/settings.json".to_owned()]).unwrap()
    }

    #[test]
    fn a_plan_has_every_step_and_passes_the_gate() {
        let plan = plan();
        assert_eq!(judge_plan(&plan.todos), None);
        for (step, todo) in Step::ALL.iter().zip(&plan.todos) {
            assert!(todo.content.as_deref().unwrap().starts_with(step.as_str()));
        }
        assert_eq!(Plan::read(plan.text().as_bytes()).unwrap(), plan);
        assert!(plan.writes.contains(&".claude/settings.json".to_owned()));
    }

    #[test]
    fn nothing_is_planned_where_it_is_blocked() {
        let report = report(&Observed { workspace: false, ..complete() });
        assert_eq!(Plan::of(&report, vault(), &[]), Err(Bad::Blocked));
    }

    #[test]
    fn a_plan_that_was_spoiled_is_none() {
        let text = plan().text();
        let done = text.replace("\"pending\"", "\"completed\"");
        assert!(matches!(Plan::read(done.as_bytes()), Err(Bad::Gate(fault)) if fault.rule == "PL-004"));
        assert!(matches!(
            Plan::read(text.replace("\"schema\": 1", "\"schema\": 9").as_bytes()),
            Err(Bad::Damaged(_))
        ));
        assert!(matches!(Plan::read(b"[]"), Err(Bad::Damaged(_))));
    }

    #[test]
    fn steps_follow_one_another_to_the_end() {
        let mut at = Some(Step::ALL[0]);
        for step in Step::ALL {
            assert_eq!(at, Some(step));
            assert_eq!(serde_json::to_value(step).unwrap(), step.as_str());
            at = step.next();
        }
        assert_eq!(at, None);
    }
}
