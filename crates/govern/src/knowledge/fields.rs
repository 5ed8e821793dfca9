//! What the front matter of an entry says: what it is, where it comes from, how far it is trusted, and its life so far.

use std::fmt;
use std::str::FromStr;

use canon::{Timestamp, text};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// What kind of knowledge an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// It is established.
    Fact,
    /// It was concluded from something.
    Inferred,
    /// It says what is to be done.
    Rule,
    /// A person decided that it holds, whatever the evidence.
    ValidatedOverride,
}

/// Where an entry stands in its life.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It waits for evidence.
    #[default]
    Candidate,
    /// It is in force.
    #[serde(alias = "permanent")]
    Promoted,
    /// It was in force, or may have been, and is kept.
    Archived,
    /// Its content is gone; the name stays.
    Erased,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Candidate => "candidate",
            Self::Promoted => "promoted",
            Self::Archived => "archived",
            Self::Erased => "erased",
        })
    }
}

/// Where an entry may be applied: `project:<name>`, or `shared`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// In the project of this name.
    Project(String),
    /// In every project; needs an elevation.
    Shared,
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Project(name) => write!(f, "project:{name}"),
            Self::Shared => f.write_str("shared"),
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix("project:") {
            Some(name) if !text::is_blank(name) => Ok(Self::Project(name.trim().to_owned())),
            _ if text == "shared" => Ok(Self::Shared),
            _ => Err(format!("the scope `{text}` is none; write `project:<name>` or `shared`")),
        }
    }
}

impl Serialize for Scope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Scope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Scope {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Scope".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^(shared|project:.+)$" })
    }
}

/// Where an entry comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Provenance {
    /// Who wrote it, as in `agent:claude`.
    pub writer: String,
    /// What shows it, as in `receipt:12` or an address.
    pub evidence: String,
    /// How it follows from that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derivation: Option<String>,
    /// From when on it holds in the world.
    #[serde(deserialize_with = "instant")]
    pub valid_time: Timestamp,
    /// When it was written down.
    #[serde(deserialize_with = "instant")]
    pub transaction_time: Timestamp,
}

/// How far an entry is trusted, on three axes from 0 to 100 of which none follows from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Trust {
    /// How much it matters to the work here.
    pub relevance: u8,
    /// How sure it is.
    pub reliability: u8,
    /// How much of it may be out of date.
    pub staleness: u8,
}

impl Default for Trust {
    fn default() -> Self {
        Self { relevance: 50, reliability: 50, staleness: 0 }
    }
}

/// What a promotion rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Promotion {
    /// The window with the evidence: how many windows of `days` days since 1970 lie before it.
    pub window: i64,
    /// How many days a window had.
    pub days: u32,
    /// When it was promoted.
    pub at: Timestamp,
    /// The evidence.
    pub evidence: Vec<String>,
    /// What the windows behind it said.
    pub held_out: HeldOut,
}

/// What the windows after a promotion say, which it never saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldOut {
    /// The first window that counts.
    pub from: i64,
    /// What was found.
    pub verdict: Judgement,
    /// The window that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<i64>,
    /// The evidence that decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// What the held-out windows show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// Nothing so far.
    Open,
    /// It holds there as well.
    Confirmed,
    /// It does not hold there.
    Contradicted,
}

/// A person's word that an entry holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Override {
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
}

/// A person's word that an entry may leave its project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Elevation {
    /// The project into which it was taken, or `*` for every one.
    pub into: String,
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
}

/// Why an entry is kept out of use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantine {
    /// Who.
    pub by: String,
    /// When.
    pub at: Timestamp,
    /// Why.
    pub why: String,
}

/// What the front matter of an entry says. An entry from before a field existed has none of it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct Fields {
    /// What it says, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What kind of knowledge it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<Label>,
    /// Where it stands in its life.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// What recurs when it matters: a word of its own, or `reason:`, `rule:` or `claim:` and what receipts call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
    /// Where it may be applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
    /// Where it comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// How far it is trusted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<Trust>,
    /// What its promotion rests on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promotion: Option<Promotion>,
    /// A person's word that it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validated: Option<Override>,
    /// A person's word that it may leave its project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elevated: Option<Elevation>,
    /// When it was archived last. Evidence up to then neither revives nor promotes it.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "maybe_instant")]
    pub archived_at: Option<Timestamp>,
    /// Why it was archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_why: Option<String>,
    /// When it was taken out of the archive.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "maybe_instant")]
    pub revived_at: Option<Timestamp>,
    /// Why it is kept out of use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// Of an erased entry: who took its content away, when and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erased: Option<Quarantine>,
}

/// An instant, or a day, which then ends at midnight: what happened on it counts as before.
fn instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    let parsed = text.parse().or_else(|error| format!("{text}T23:59:59.999Z").parse().map_err(|_| error));
    parsed.map_err(|_| serde::de::Error::custom(format!("`{text}` is neither an instant nor a day")))
}

fn maybe_instant<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Timestamp>, D::Error> {
    #[derive(Deserialize)]
    struct Instant(#[serde(deserialize_with = "instant")] Timestamp);
    Ok(Option::<Instant>::deserialize(deserializer)?.map(|instant| instant.0))
}

impl Fields {
    /// As front matter has them.
    pub(super) fn map(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }
}
