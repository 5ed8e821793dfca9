//! The lineage lock: where a project's files came from, and what an update left to be merged by hand.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use super::document::LockFinding;
use crate::codes;
use crate::records::is_workspace_path;

/// The lock, from the folder that the command stands in.
pub const LOCK: &str = ".chant/workspace.lock.json";

/// Whether there is a lock, and what is wrong with it.
pub(super) fn check(tree: &dyn Tree, folder: &RepoPath) -> Result<(bool, Vec<LockFinding>), TreeError> {
    let Some(bytes) = tree.read(&folder.join(LOCK))? else { return Ok((false, Vec::new())) };
    let lock = match read(&bytes) {
        Ok(lock) => lock,
        Err(message) => {
            let message = format!("the lineage lock can't be read: {message}");
            let path = Some(LOCK.to_owned());
            return Ok((true, vec![LockFinding { code: codes::LOCK_INVALID, scope: None, path, message }]));
        }
    };
    let mut found = Vec::new();
    for (scope, lineage) in lock.scopes {
        for step in lineage.manual_steps {
            let path = if scope == "." { step.path.0 } else { format!("{scope}/{}", step.path.0) };
            let message = format!(
                "a manual step is open ({}): merge the file by hand, then run `chant workspace lineage resolve {path}`",
                step.reason.as_str()
            );
            let (scope, path) = (Some(scope.clone()), Some(path));
            found.push(LockFinding { code: codes::MANUAL_STEP_OPEN, scope, path, message });
        }
    }
    Ok((true, found))
}

fn read(bytes: &[u8]) -> Result<Lock, String> {
    let value: Value = canon::json::read(bytes).map_err(|damage| damage.to_string())?;
    if let Some(version) = value.get("lockVersion").and_then(Value::as_u64).filter(|version| *version > 1) {
        return Err(format!("it has the version {version}, and this program reads version 1"));
    }
    let lock: Lock = canon::json::read(bytes).map_err(|damage| damage.to_string())?;
    match lock.scopes.keys().find(|scope| *scope != "." && !is_workspace_path(scope)) {
        Some(scope) => Err(format!("the scope {scope:?} is no path within the project")),
        None => Ok(lock),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
struct Lock {
    lock_version: One,
    scopes: BTreeMap<String, Lineage>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
struct Lineage {
    kind: Origin,
    #[serde(default)]
    name: Option<Filled>,
    template: Filled,
    source: Source,
    #[serde(default, rename = "ref")]
    reference: Option<String>,
    address: Option<Address>,
    parameters: Map<String, Value>,
    migrations: Vec<String>,
    files: BTreeMap<String, File>,
    manual_steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Origin {
    Template,
    Vendor,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
enum Source {
    Git {
        repo: Filled,
        url: Filled,
        #[serde(default)]
        path: Option<String>,
    },
    Lexicon {
        lexicon: Filled,
        template: Filled,
    },
    Local {
        path: Filled,
    },
    Archive {
        url: Filled,
        #[serde(default)]
        subpath: Option<String>,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
struct Address {
    digest: Hash,
    #[serde(default)]
    commit: Option<ObjectName>,
    #[serde(default)]
    tree: Option<ObjectName>,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    chant: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
struct File {
    class: Class,
    sha256: Hash,
    #[serde(default)]
    command: Option<Filled>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Class {
    Owned,
    Generated,
    Seed,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "a lock is valid or not as a whole, so every field is read")]
struct Step {
    path: Filled,
    reason: Reason,
    upstream: Option<Hash>,
}

/// Why an update left a file alone.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum Reason {
    ChangedLocally,
    DeletedLocally,
    ExistsLocally,
    RemovedUpstream,
}

impl Reason {
    fn as_str(self) -> &'static str {
        match self {
            Self::ChangedLocally => "changed-locally",
            Self::DeletedLocally => "deleted-locally",
            Self::ExistsLocally => "exists-locally",
            Self::RemovedUpstream => "removed-upstream",
        }
    }
}

struct One;
struct Filled(String);
struct Hash;
struct ObjectName;

impl<'de> Deserialize<'de> for One {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            1 => Ok(Self),
            _ => Err(de::Error::custom("the version must be 1")),
        }
    }
}

fn text<'de, D: Deserializer<'de>>(
    deserializer: D,
    what: &str,
    holds: fn(&str) -> bool,
) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if holds(&text) { Ok(text) } else { Err(de::Error::custom(format!("{what} is expected"))) }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text(deserializer, "a text that is not empty", |text| !text.is_empty()).map(Self)
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let holds =
            |text: &str| text.strip_prefix("sha256:").is_some_and(|hex| hex.len() == 64 && is_hex(hex));
        text(deserializer, "sha256: and 64 hex digits", holds).map(|_| Self)
    }
}

impl<'de> Deserialize<'de> for ObjectName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let holds = |text: &str| (40..=64).contains(&text.len()) && is_hex(text);
        text(deserializer, "a commit or tree in hex", holds).map(|_| Self)
    }
}
