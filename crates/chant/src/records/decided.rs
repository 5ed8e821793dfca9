//! Which commit decided a record.

use std::collections::HashMap;

use gate::Refusal;
use serde_json::Value;
use store::git::{Git, Objects, Oid, RepoPath, Version, is_one_line};
use store::tree::Revision;

use super::read::content;
use super::record::{DecidedIn, Nullable, Record, Worktree};
use crate::kind::Kind;
use crate::place::{git_failed as failed, tree_failed};

/// Fills in the commit that last moved each record into an approved state and kept it there, for a kind with ranks
/// that is no work kind. Where a shallow clone cut the history off before that shows, no commit is named.
///
/// The records are those of `tree`, or of a working tree on it whose [`Worktree`] state is known. `history` is what
/// [`folder`] found.
pub(super) fn fill(
    kind: &Kind,
    records: &mut [Record],
    git: &Git,
    objects: &Objects,
    tree: &Revision,
    history: History,
) -> Result<(), Refusal> {
    if !applies(kind) {
        return Ok(());
    }
    let history = whole(kind, records, git, tree, history)?;
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
    let cut_off = git.cut_off().map_err(failed)?;
    for (n, versions, count) in walks {
        let oldest = count.checked_sub(1).and_then(|last| versions.get(last)).map(|version| &version.stamp);
        let stamp = match oldest {
            // What was cut off there may have been approved already.
            Some(stamp) if cut_off.contains(&stamp.commit) => {
                let is_first = objects.first_parent(&stamp.commit).map_err(failed)?.is_none();
                oldest.filter(|_| is_first)
            }
            oldest => oldest,
        };
        records[n].decided_in = Some(Nullable(stamp.map(|stamp| DecidedIn {
            sha: stamp.commit.to_string(),
            date: stamp.date.clone(),
            subject: stamp.subject.clone(),
        })));
    }
    Ok(())
}

fn applies(kind: &Kind) -> bool {
    kind.approval.is_some() && kind.work.is_none()
}

/// The versions of each file.
pub(super) type History = HashMap<RepoPath, Vec<Version>>;

/// The versions of the kind's files that led to a commit, in one walk; nothing where no record is decided.
pub(super) fn folder(kind: &Kind, git: &Git, rev: Option<&Oid>) -> Result<History, Refusal> {
    match rev.filter(|_| applies(kind)) {
        Some(rev) => git.versions(rev.as_str(), std::slice::from_ref(&kind.folder)).map_err(failed),
        None => Ok(HashMap::new()),
    }
}

/// The same, read once more of each file that a merge may have dropped a side of.
fn whole(
    kind: &Kind,
    records: &[Record],
    git: &Git,
    tree: &Revision,
    mut history: History,
) -> Result<History, Refusal> {
    let rev = tree.oid().as_str();
    let items = tree.folder(&kind.folder).map_err(tree_failed)?.unwrap_or_default();
    let now: HashMap<&[u8], &Oid> = items.iter().map(|item| (&*item.name, &item.oid)).collect();
    for record in records {
        let (Some(versions), Some(now)) = (history.get_mut(&record.path), now.get(record.path.last())) else {
            continue;
        };
        if !is_one_line(versions, now) {
            let path = std::slice::from_ref(&record.path);
            *versions = git.versions(rev, path).map_err(failed)?.remove(&record.path).unwrap_or_default();
        }
    }
    Ok(history)
}

/// Before the first commit nothing is decided.
pub(super) fn none(kind: &Kind, records: &mut [Record]) {
    if applies(kind) {
        for record in records {
            record.decided_in = Some(Nullable(None));
        }
    }
}

fn state(kind: &Kind, bytes: &[u8]) -> Option<String> {
    let (data, _) = content(kind, bytes).ok()?;
    data.get(&kind.states.as_ref()?.field).and_then(Value::as_str).map(str::to_owned)
}
