//! What a run came to.

use std::collections::BTreeMap;

use canon::Sha256;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::Control;
use crate::corpus::Corpus;
use crate::judge::Class;
use crate::vector::{Level, Vector};

/// What was tested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Under {
    /// What the implementation calls itself.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The command line that started it.
    pub command: String,
    /// The files that the command line names, with their digests.
    pub files: BTreeMap<String, Sha256>,
    /// The levels that it claims.
    pub claims: Vec<Level>,
}

/// How one vector came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Tested {
    /// The vector.
    pub id: String,
    /// Its version.
    pub version: u32,
    /// Its file.
    pub family: String,
    /// What it shows.
    pub title: String,
    /// How it came out.
    pub class: Class,
    /// The level that it counts for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// How often it was answered.
    pub runs: u64,
    /// The digest of the answer in canonical form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Sha256>,
    /// Why it did not pass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl Tested {
    /// The vector's name with its version.
    pub fn name(&self) -> String {
        format!("{}@{}", self.id, self.version)
    }
}

/// How many vectors came out how.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Count {
    /// All.
    pub vectors: usize,
    /// PASS.
    pub pass: usize,
    /// FAIL.
    pub fail: usize,
    /// UNSUPPORTED.
    pub unsupported: usize,
    /// SPECIFIED-NOT-IMPLEMENTED.
    pub specified_not_implemented: usize,
    /// ERROR.
    pub error: usize,
}

impl Count {
    /// Counts classes.
    pub fn of(classes: impl IntoIterator<Item = Class>) -> Self {
        let mut count = Self::default();
        for class in classes {
            count.vectors += 1;
            *match class {
                Class::Pass => &mut count.pass,
                Class::Fail => &mut count.fail,
                Class::Unsupported => &mut count.unsupported,
                Class::SpecifiedNotImplemented => &mut count.specified_not_implemented,
                Class::Error => &mut count.error,
            } += 1;
        }
        count
    }
}

/// Whether a level holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct LevelVerdict {
    /// The level.
    pub level: Level,
    /// Every vector of it passed, or is one that may be left out, and the subject was honest.
    pub holds: bool,
    /// The subject claims it.
    pub claimed: bool,
    /// How many vectors it has, with those of the levels below.
    pub vectors: usize,
    /// The vectors that keep it from holding.
    pub missing: Vec<String>,
}

/// Something wrong with the subject as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Problem {
    /// Its words about itself and its answers contradict each other.
    Dishonest,
    /// It claims a level that does not hold.
    ClaimsTooMuch,
    /// It did not end with its input, or said more than it was asked.
    Ending,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct Report {
    /// Nothing failed, and what was asked for holds.
    pub ok: bool,
    /// The digest of the vectors.
    pub corpus: Sha256,
    /// What was tested.
    pub subject: Under,
    /// The level that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The family that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// How often each vector was sent to one process.
    pub repeat: u32,
    /// How many more processes were started, each with another order, time zone, language, mask and home.
    pub fresh: u32,
    /// How many came out how.
    pub count: Count,
    /// The same by family, in the order of the families.
    pub families: BTreeMap<String, Count>,
    /// The levels, where every vector of them ran.
    pub levels: Vec<LevelVerdict>,
    /// What is wrong with the subject as a whole.
    pub problems: Vec<Problem>,
    /// The run with the gates switched off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub control: Option<Control>,
    /// Every vector.
    pub vectors: Vec<Tested>,
}

/// The verdicts of the levels of which every vector was tested.
pub(crate) fn levels(
    corpus: &Corpus,
    tested: &[Tested],
    claims: &[Level],
    is_honest: bool,
) -> Vec<LevelVerdict> {
    let class = |vector: &Vector| tested.iter().find(|one| one.id == vector.id).map(|one| one.class);
    let verdict = |level: Level| {
        let all = corpus.vectors().map(|(_, vector)| vector);
        let of_level = all.filter(|vector| vector.level.level().is_some_and(|own| own <= level));
        let mut missing = Vec::new();
        let mut vectors = 0;
        for vector in of_level {
            vectors += 1;
            if !class(vector)?.holds(vector) {
                missing.push(vector.id.clone());
            }
        }
        let holds = missing.is_empty() && vectors > 0 && is_honest;
        Some(LevelVerdict { level, holds, claimed: claims.contains(&level), vectors, missing })
    };
    Level::ALL.into_iter().filter_map(verdict).collect()
}
