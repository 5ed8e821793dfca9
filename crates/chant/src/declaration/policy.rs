//! The parts of a declaration that say who may do what.

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// What the forward coverage check does.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Changes {
    /// What a finding does.
    pub severity: ChangeSeverity,
    /// Globs over files whose changes need no record.
    pub ignore: Vec<String>,
}

impl Default for Changes {
    fn default() -> Self {
        Self { severity: ChangeSeverity::Warn, ignore: Vec::new() }
    }
}

/// What a finding of the forward coverage check does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ChangeSeverity {
    /// It is not looked for.
    Off,
    /// It is told.
    Warn,
    /// It fails the check.
    Fail,
}

/// What one class of principals may write.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ClassScope {
    /// The members whose files it may write.
    #[serde(default)]
    pub members: Reach,
    /// The verbs that it may use on each kind of records; none where every verb on every kind is allowed.
    pub records: Option<BTreeMap<String, Vec<Verb>>>,
    /// What it may not write.
    #[serde(default)]
    pub protected: Vec<Protected>,
}

/// Which paths a class reaches.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reach {
    /// Every path.
    #[default]
    Unrestricted,
    /// The paths of every member, and those in no member.
    Every,
    /// The paths of these members.
    Members(Vec<String>),
}

impl<'de> Deserialize<'de> for Reach {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(_) => Ok(Self::Every),
            names => Vec::deserialize(names).map(Self::Members).map_err(D::Error::custom),
        }
    }
}

/// A way to write a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// A new record.
    New,
    /// A change of one.
    Amend,
    /// A verdict on one.
    Review,
    /// The end of a session.
    Close,
}

/// Files that a class may not write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Protected {
    /// A glob; what it matches is protected, and everything below.
    pub path: String,
    /// Keys of a JSON file, or pointers into it, that may change all the same.
    pub except: Vec<String>,
}

impl<'de> Deserialize<'de> for Protected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Path(String),
            Object {
                path: String,
                #[serde(default)]
                except: Vec<String>,
            },
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Path(path) => Self { path, except: Vec::new() },
            Either::Object { path, except } => Self { path, except },
        })
    }
}

/// An agent session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// The name.
    pub name: String,
    /// The members that it is bound to.
    pub members: Vec<String>,
    /// Who writes in it.
    pub principals: Vec<String>,
    /// Whether the file binds it with `member` rather than `members`.
    pub(super) single: bool,
}

impl<'de> Deserialize<'de> for Agent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Written {
            name: String,
            member: Option<String>,
            #[serde(default)]
            members: Vec<String>,
            #[serde(default)]
            principals: Vec<String>,
        }
        let Written { name, member, mut members, principals } = Written::deserialize(deserializer)?;
        let single = member.is_some();
        members.extend(member);
        Ok(Self { name, members, principals, single })
    }
}

/// Who may be named, and which gates need a signature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Identity {
    /// Whose names may stand on a record.
    pub attribution: Attribution,
    /// The gates that pass only on a signed approval.
    pub gates: BTreeMap<String, SignedGate>,
}

/// Whose names may stand on a record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Attribution {
    /// Any name.
    #[default]
    Any,
    /// A name that is known at base.
    Identified,
}

/// A gate that needs a signature.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SignedGate {
    /// The class that the signer must be in; none for any signer.
    pub class: Option<String>,
}

/// What continuous integration says of commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Ci {
    /// What makes a commit green.
    pub green: Option<Green>,
}

/// What makes a commit green.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Green {
    /// The branch.
    pub branch: String,
    /// How far back to look: a number with m, h or d.
    #[serde(default = "a_day")]
    pub window: String,
    /// The phases by name.
    pub phases: BTreeMap<String, Phase>,
    /// The phases that a green commit passed.
    pub require: Vec<String>,
}

fn a_day() -> String {
    "24h".to_owned()
}

/// Check runs that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Patterns over whole names of check runs; `*` stands for any characters.
    pub runs: Vec<String>,
    /// Whether a skipped run passes.
    pub skipped_passes: bool,
}

impl<'de> Deserialize<'de> for Phase {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Runs(Vec<String>),
            Object { runs: Vec<String>, skipped: Option<String> },
        }
        Ok(match Either::deserialize(deserializer)? {
            Either::Runs(runs) => Self { runs, skipped_passes: false },
            Either::Object { runs, skipped } => {
                Self { runs, skipped_passes: skipped.as_deref() == Some("pass") }
            }
        })
    }
}
