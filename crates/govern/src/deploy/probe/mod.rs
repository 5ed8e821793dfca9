//! The probe: from what was observed of a target to a report that decides.
//!
//! [`report`] is a pure function and knows no clock, so that two runs on one unchanged target give the same bytes. What
//! it says is paths, versions and yes or no; nothing of what a file holds.

mod checks;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SPEC;
use super::contract::{Bridge, Id, Toolset, select};

pub use checks::{CHECKS, Check};

/// What is feasible on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// A required check fails: nothing is deployed.
    Blocked,
    /// It can be deployed, with adaptations.
    Partial,
    /// It can be deployed as it is.
    Implementable,
}

/// How a check weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Weight {
    /// Its failure blocks.
    Required,
    /// Its failure is an adaptation.
    Optional,
    /// It is told and decides nothing.
    Informational,
}

/// The checks whose failure blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum CheckId {
    /// A suitable toolset.
    #[serde(rename = "DP-004")]
    Toolset,
    /// The target's workspace.
    #[serde(rename = "DP-005")]
    Workspace,
    /// The governance folder.
    #[serde(rename = "DP-006")]
    Governance,
    /// The source vault.
    #[serde(rename = "DP-007")]
    Source,
    /// The target's vault.
    #[serde(rename = "DP-008")]
    TargetVault,
    /// What the vault holds.
    #[serde(rename = "DP-013")]
    Content,
}

impl CheckId {
    /// Its number.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Toolset => "DP-004",
            Self::Workspace => "DP-005",
            Self::Governance => "DP-006",
            Self::Source => "DP-007",
            Self::TargetVault => "DP-008",
            Self::Content => "DP-013",
        }
    }
}

/// Something that a step of the deployment would refuse.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Obstacle {
    /// The check that fails by it.
    pub check: CheckId,
    /// What was found: paths, lines, sizes.
    pub what: String,
    /// What mends it.
    pub how: String,
}

/// What the caller asked for, which a second run must ask for as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The folder that was named as the target, where it is not the target: one below the repository's top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub folder: Option<String>,
    /// The source vault.
    pub vault: Option<String>,
    /// The toolset to use.
    pub agent: Option<String>,
    /// Programs were asked for their versions.
    pub run: bool,
    /// The model that will work on the target, as the caller names it.
    pub model: Option<String>,
}

/// The source vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// It can be read.
    pub readable: bool,
    /// What of its five parts is missing.
    pub missing: Vec<String>,
}

/// What was observed of a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// The target.
    pub target: String,
    /// The engine and its version.
    pub engine: String,
    /// What was asked for.
    pub asked: Asked,
    /// The operating system, as in `linux`.
    pub os: String,
    /// The processor, as in `x86_64`.
    pub arch: String,
    /// The version of Node.
    pub node: Option<String>,
    /// The version of npm.
    pub npm: Option<String>,
    /// The version of git.
    pub git: Option<String>,
    /// The toolsets that are there, in a fixed order.
    pub toolsets: Vec<Toolset>,
    /// The target is a folder that can be written.
    pub workspace: bool,
    /// The governance folder can be made or written.
    pub governance: bool,
    /// The source vault, where one is named.
    pub vault: Option<Source>,
    /// The vault of the target can be made or written.
    pub target_vault: bool,
    /// The key that signs receipts is there, or can be made.
    pub key: bool,
    /// The place that the sessions' evidence is read from is there, or can be made.
    pub evidence: bool,
    /// The state of an earlier deployment can be read, or there is none, and the disk has room.
    pub state: bool,
    /// How the hooks find the engine, which has all its modules in itself.
    pub engine_at: Start,
    /// What lies at the target that a deployment may meet.
    pub conflicts: Vec<String>,
    /// What the steps would refuse.
    pub obstacles: Vec<Obstacle>,
}

/// How the hooks find the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Start {
    /// By its name on the `PATH`.
    OnPath,
    /// It is on the `PATH`, and can't be used there, for this reason.
    Unfit(String),
    /// It is not on the `PATH`.
    Nowhere,
}

/// One check of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Vector {
    /// Its number, as in `DP-001`.
    pub id: String,
    /// What it is about.
    pub name: String,
    /// How it weighs.
    pub weight: Weight,
    /// It holds.
    pub pass: bool,
    /// What was found.
    pub actual: String,
    /// What the steps would refuse, one by one, where that is why it fails.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<Obstacle>,
}

impl Vector {
    fn of(check: &Check, observed: &Observed, selected: Option<&Toolset>) -> Self {
        let (pass, actual) = (check.judge)(observed, selected);
        let is_of = |obstacle: &&Obstacle| obstacle.check.as_str() == check.id;
        let mut obstacles: Vec<Obstacle> = observed.obstacles.iter().filter(is_of).cloned().collect();
        let (id, name) = (check.id.to_owned(), check.name.to_owned());
        let Some(of) = obstacles.first().map(|obstacle| obstacle.check) else {
            return Self { id, name, weight: check.weight, pass, actual, obstacles };
        };
        if !pass {
            obstacles.insert(0, Obstacle { check: of, what: actual, how: check.how.to_owned() });
        }
        let actual = obstacles.iter().map(|obstacle| obstacle.what.as_str()).collect::<Vec<_>>().join("; ");
        Self { id, name, weight: check.weight, pass: false, actual, obstacles }
    }

    /// That it fails where it says that something is in the way.
    fn is_consistent(&self) -> bool {
        let is_own = |obstacle: &Obstacle| obstacle.check.as_str() == self.id;
        self.obstacles.is_empty() || !self.pass && self.obstacles.iter().all(is_own)
    }
}

/// The report: the receipt of what is feasible.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// The form of the report; 1.
    pub schema: u32,
    /// The version of the text that is followed.
    pub spec: String,
    /// The engine and its version.
    pub engine: String,
    /// The target.
    pub target: String,
    /// What was asked for.
    pub asked: Asked,
    /// What is feasible.
    pub verdict: Verdict,
    /// The toolset that would be used.
    pub selected: Option<String>,
    /// The toolsets that are there.
    pub toolsets: Vec<Toolset>,
    /// Every check, in order.
    pub vectors: Vec<Vector>,
    /// What will be done otherwise than the reference does it.
    pub adaptations: Vec<String>,
}

/// Why a report is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

/// The report on what was observed.
pub fn report(observed: &Observed) -> Report {
    let selected = select(&observed.toolsets, observed.asked.agent.as_deref());
    let vectors: Vec<Vector> = CHECKS.iter().map(|check| Vector::of(check, observed, selected)).collect();
    Report {
        schema: 1,
        spec: SPEC.to_owned(),
        engine: observed.engine.clone(),
        target: observed.target.clone(),
        asked: observed.asked.clone(),
        verdict: verdict(&vectors, selected),
        selected: selected.map(|toolset| toolset.name.clone()),
        toolsets: observed.toolsets.clone(),
        adaptations: adaptations(&vectors, selected, &observed.engine),
        vectors,
    }
}

/// Blocked where a required check fails; partial where the bridge must be written, an optional check fails or an
/// optional contract degrades.
fn verdict(vectors: &[Vector], selected: Option<&Toolset>) -> Verdict {
    let fails = |weight| vectors.iter().any(|vector| vector.weight == weight && !vector.pass);
    let is_whole = |toolset: &Toolset| toolset.bridge == Bridge::Shipped && toolset.degrades().is_empty();
    match selected {
        None => Verdict::Blocked,
        Some(_) if fails(Weight::Required) => Verdict::Blocked,
        Some(toolset) if is_whole(toolset) && !fails(Weight::Optional) => Verdict::Implementable,
        Some(_) => Verdict::Partial,
    }
}

fn adaptations(vectors: &[Vector], selected: Option<&Toolset>, engine: &str) -> Vec<String> {
    let mut found =
        vec![format!("the engine is {engine}, which realises the contracts in place of the reference")];
    if let Some(toolset) = selected {
        if toolset.bridge == Bridge::ToBeWritten {
            found.push(format!("a bridge for {} must be written", toolset.name));
        }
        for id in toolset.degrades() {
            let without = id.degrades_to().unwrap_or_default();
            found.push(format!("{} has no full {}: {without}", toolset.name, id));
        }
    }
    let fails = |vector: &&Vector| vector.weight == Weight::Optional && !vector.pass;
    found.extend(
        vectors
            .iter()
            .filter(fails)
            .map(|vector| format!("{} {}: {}", vector.id, vector.name, vector.actual)),
    );
    found
}

impl Report {
    /// Reads a report, and checks that it is one: every check is there, and the verdict follows from them.
    ///
    /// # Errors
    /// It is missing, damaged, or contradicts itself: nothing is deployed then.
    pub fn read(bytes: Option<&[u8]>) -> Result<Self, Failure> {
        let bytes = bytes.ok_or_else(|| Failure("there is no report of a probe".to_owned()))?;
        let report: Self = canon::json::read(bytes)
            .map_err(|damage| Failure(format!("the report of the probe is damaged: {damage}")))?;
        if report.schema != 1 || report.spec != SPEC {
            return Err(Failure(format!("the report of the probe is of another form: {}", report.spec)));
        }
        let stated = report.vectors.iter().map(|vector| (vector.id.as_str(), vector.weight));
        if !stated.eq(CHECKS.iter().map(|check| (check.id, check.weight))) {
            return Err(Failure("the report of the probe does not hold every check".to_owned()));
        }
        let selected = select(&report.toolsets, report.asked.agent.as_deref());
        let follows = verdict(&report.vectors, selected);
        if report.selected.as_deref() != selected.map(|toolset| toolset.name.as_str())
            || report.verdict != follows
            || !report.vectors.iter().all(Vector::is_consistent)
        {
            return Err(Failure("the verdict of the report does not follow from its checks".to_owned()));
        }
        Ok(report)
    }

    /// The report as it is written.
    pub fn text(&self) -> String {
        format!("{}\n", serde_json::to_string_pretty(self).unwrap_or_default())
    }

    /// The checks of this weight that fail.
    pub fn failed(&self, weight: Weight) -> impl Iterator<Item = &Vector> {
        self.vectors.iter().filter(move |vector| vector.weight == weight && !vector.pass)
    }

    /// The toolset that would be used.
    pub fn toolset(&self) -> Option<&Toolset> {
        let name = self.selected.as_deref()?;
        self.toolsets.iter().find(|toolset| toolset.name == name)
    }
}

/// The version in what a program says of itself: the first word that begins with numbers joined by dots, as far as they
/// go. Nothing else of it is kept.
pub fn version_in(said: &str) -> Option<String> {
    let numbers = |word: &str| {
        let word = word.strip_prefix('v').unwrap_or(word);
        let end = word.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(word.len());
        let version = word[..end].trim_end_matches('.');
        let parts: Vec<&str> = version.split('.').collect();
        let is_version =
            (2..=5).contains(&parts.len()) && parts.iter().all(|part| !part.is_empty() && part.len() <= 10);
        is_version.then(|| version.to_owned())
    };
    said.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '/')).find_map(numbers)
}

/// Whether a version is at least `major.minor`.
fn is_at_least(version: &str, major: u32, minor: u32) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next().unwrap_or(0), parts.next().unwrap_or(0)) >= (major, minor)
}

fn contracts(ids: &[Id]) -> String {
    ids.iter().map(|id| id.id()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
pub(crate) mod tests;
