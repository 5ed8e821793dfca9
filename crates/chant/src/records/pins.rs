//! Files that a record pins by the hash of their bytes.

use std::collections::HashMap;

use canon::Sha256;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::git::RepoPath;

use super::links::Index;
use super::record::Record;
use super::times::Times;
use crate::kind::{Kind, Link};
use crate::{Problem, codes};

/// A pinned file, checked against the tree that is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Asset {
    /// The file, from the workspace root.
    pub path: String,
    /// The hash that the record pins.
    pub sha256: String,
    /// The hash of the file's bytes; null where there is no file.
    pub actual: Option<String>,
    /// How the two compare.
    pub state: PinState,
}

/// How a pin and its file compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PinState {
    /// The file is as it was pinned.
    Pinned,
    /// The file changed.
    Drifted,
    /// There is no file.
    Missing,
    /// The file is as a superseded record pinned it: the decision changed and the file did not follow.
    Stale,
}

/// Whether a path can stand in a pin: relative, without empty, `.` or `..` parts, backslashes or control characters.
pub fn is_workspace_path(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && !path.chars().any(|letter| letter == '\\' || letter < '\u{20}')
}

/// The pins of a record that are well formed, in order.
fn pins<'r>(record: &'r Record, field: &str) -> impl Iterator<Item = (&'r str, &'r str)> {
    record.list(field).iter().filter_map(|entry| {
        let (path, sha256) = (entry.get("path")?.as_str()?, entry.get("sha256")?.as_str()?);
        let is_hash = sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_workspace_path(path) && is_hash).then_some((path, sha256))
    })
}

/// The hashes of pinned files by their paths from the workspace root; of a missing file none.
pub(super) type Hashes = HashMap<String, Option<Sha256>>;

/// The files that records pin.
pub(super) fn paths(kind: &Kind, records: &[Record]) -> Vec<String> {
    let Some(field) = &kind.pins else { return Vec::new() };
    records.iter().flat_map(|record| pins(record, field)).map(|(path, _)| path.to_owned()).collect()
}

/// Checks a record's pins.
pub(super) fn check(kind: &Kind, record: &mut Record, hashes: &Hashes) {
    let Some(field) = &kind.pins else { return };
    if record.field(field).is_some_and(|list| list.as_array().is_some_and(Vec::is_empty))
        && kind.work.is_none()
    {
        let message = format!("its {field} is empty: it cites nothing and pins no file");
        record.warnings.push(Problem::new(codes::RECORD_NO_EVIDENCE, message));
    }
    let found: Vec<(String, String)> =
        pins(record, field).map(|(path, sha256)| (path.to_owned(), sha256.to_owned())).collect();
    for (path, sha256) in found {
        let actual = hashes.get(&path).copied().flatten().map(|hash| hash.to_string());
        let state = match &actual {
            None => PinState::Missing,
            Some(actual) if actual.eq_ignore_ascii_case(&sha256) => PinState::Pinned,
            Some(_) => PinState::Drifted,
        };
        match (state, &actual) {
            (PinState::Missing, _) => {
                let message = format!("{path} is pinned at {} and does not exist", short(&sha256));
                record.warnings.push(Problem::new(codes::ASSET_MISSING, message));
            }
            (PinState::Drifted, Some(actual)) => {
                let message = format!("{path} is pinned at {} and is now {}", short(&sha256), short(actual));
                record.warnings.push(Problem::new(codes::ASSET_DRIFT, message));
            }
            _ => {}
        }
        record.assets.push(Asset { path, sha256, actual, state });
    }
}

/// Marks pins that a superseded record has too while the file has not changed since this record came.
pub(super) fn stale(
    kind: &Kind,
    records: &mut [Record],
    index: &Index,
    workspace: &RepoPath,
    times: &mut dyn Times,
) {
    let (Some(field), Some(link)) = (&kind.pins, &kind.supersedes) else { return };
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for (n, record) in records.iter().enumerate() {
        let (Some(data), Some(id)) = (&record.data, &record.id) else { continue };
        let replaced: Vec<(&str, &str, &str)> = replaced(link, data, index)
            .map(|at| &records[at])
            .filter(|old| old.superseded_by.as_ref() == Some(id))
            .flat_map(|old| {
                pins(old, field).map(|(path, sha256)| (old.id.as_deref().unwrap_or_default(), path, sha256))
            })
            .collect();
        for (pin, asset) in
            record.assets.iter().enumerate().filter(|(_, asset)| asset.state == PinState::Pinned)
        {
            let same = |(_, path, sha256): &&(&str, &str, &str)| {
                *path == asset.path && sha256.eq_ignore_ascii_case(&asset.sha256)
            };
            if let Some((old, ..)) = replaced.iter().find(same) {
                found.push((n, pin, (*old).to_owned()));
            }
        }
    }
    for (n, pin, old) in found {
        let path = records[n].assets[pin].path.clone();
        let changed = times.last_change(&workspace.join(&path));
        let recorded = times.added(&records[n].path);
        if matches!((changed, recorded), (Some(changed), Some(recorded)) if changed > recorded) {
            continue;
        }
        records[n].assets[pin].state = PinState::Stale;
        let message = format!("{path} is still as {old} pinned it, which this record supersedes");
        records[n].warnings.push(Problem::new(codes::ASSET_STALE, message));
    }
}

fn replaced<'d>(
    link: &'d Link,
    data: &'d serde_json::Map<String, Value>,
    index: &'d Index,
) -> impl Iterator<Item = usize> + 'd {
    link.ids(data).into_iter().filter_map(|id| index.get(id).copied())
}

pub(super) fn short(sha256: &str) -> &str {
    sha256.get(..12).unwrap_or(sha256)
}
