//! Which commit decided a record.

use std::collections::HashMap;

use gate::Refusal;
use serde_json::Value;
use store::git::{Git, Objects, Oid, Version};

use super::read::content;
use super::record::{DecidedIn, Nullable, Record, Worktree};
use crate::codes;
use crate::kind::Kind;

/// Fills in the commit that last moved each record into an approved state and kept it there, for a kind with ranks
/// that is no work kind.
///
/// The records are those at `rev`, or of a working tree on it whose [`Worktree`] state is known.
pub(super) fn fill(
    kind: &Kind,
    records: &mut [Record],
    git: &Git,
    objects: &Objects,
    rev: &str,
) -> Result<(), Refusal> {
    if kind.approval.is_none() || kind.work.is_some() {
        return Ok(());
    }
    let failed = |error: store::git::GitError| Refusal::new(codes::REVISION_UNKNOWN, error.to_string());
    let history = git.versions(rev, std::slice::from_ref(&kind.folder)).map_err(failed)?;
    // Where each record's walk stands: the number of versions that are approved, from the newest.
    let mut walks: Vec<(usize, &[Version], usize)> = Vec::new();
    for (n, record) in records.iter_mut().enumerate() {
        record.decided_in = Some(Nullable(None));
        let Some(versions) = history.get(&record.path) else { continue };
        let is_as_committed = !matches!(record.worktree, Some(Worktree::Modified | Worktree::New));
        if !is_as_committed {
            walks.push((n, versions, 0));
        } else if kind.is_approved(record.state.as_deref()) {
            walks.push((n, versions, 1));
        }
    }
    let mut approved: HashMap<Oid, bool> = HashMap::new();
    loop {
        let next = |(_, versions, count): &(usize, &[Version], usize)| versions.get(*count)?.oid.clone();
        let mut wanted: Vec<Oid> =
            walks.iter().filter_map(next).filter(|oid| !approved.contains_key(oid)).collect();
        wanted.sort_unstable();
        wanted.dedup();
        for (oid, object) in wanted.iter().zip(objects.read_many(&wanted).map_err(failed)?) {
            let state = object.and_then(|object| state(kind, &object.content));
            approved.insert(oid.clone(), kind.is_approved(state.as_deref()));
        }
        let mut moved = false;
        for walk in &mut walks {
            while next(walk).and_then(|oid| approved.get(&oid).copied()) == Some(true) {
                walk.2 += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    for (n, versions, count) in walks {
        let stamp = count.checked_sub(1).and_then(|last| versions.get(last)).map(|version| &version.stamp);
        records[n].decided_in = Some(Nullable(stamp.map(|stamp| DecidedIn {
            sha: stamp.commit.to_string(),
            date: stamp.date.clone(),
            subject: stamp.subject.clone(),
        })));
    }
    Ok(())
}

/// Before the first commit nothing is decided.
pub(super) fn none(kind: &Kind, records: &mut [Record]) {
    if kind.approval.is_some() && kind.work.is_none() {
        for record in records {
            record.decided_in = Some(Nullable(None));
        }
    }
}

fn state(kind: &Kind, bytes: &[u8]) -> Option<String> {
    let (data, _) = content(kind, bytes).ok()?;
    data.get(&kind.states.as_ref()?.field).and_then(Value::as_str).map(str::to_owned)
}
