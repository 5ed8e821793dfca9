//! How the records of a working tree compare with what `HEAD` holds.

use std::collections::HashSet;

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::{Git, MergeBase, Oid, RepoPath};
use store::tree::Revision;
use trust::{Base, Trust};

use super::record::{Record, Worktree};
use crate::journal::Journal;
use crate::kind::Kind;
use crate::place::{Place, git_failed, tree_failed};
use crate::records::Nullable;

/// The branch, head and base that a working tree is on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Checkout {
    /// The branch; null when detached.
    pub branch: Option<String>,
    /// The commit that each record is compared with; null before the first.
    pub head: Option<String>,
    /// The merge base of `head` and the target branch.
    pub base: Option<String>,
    /// Where the target branch was found.
    pub base_from: Option<String>,
    /// The kind's record files that `head` holds and the working tree doesn't.
    pub deleted: Vec<String>,
}

/// Fills in each record's state and says where the working tree stands; none outside a repository. `changed` are the
/// kind's files that differ from `HEAD`.
pub(super) fn compare(
    place: &Place,
    kind: &Kind,
    records: &mut [Record],
    trust: &Trust,
    changed: &HashSet<RepoPath>,
) -> Result<Option<Checkout>, Refusal> {
    let Some(layout) = place.layout() else { return Ok(None) };
    let git = place.git();
    let position = place.repository()?.head(layout).map_err(git_failed)?;
    let head = position.oid();
    let committed = match head {
        Some(head) => held(place, kind, head)?,
        None => HashSet::new(),
    };
    let journal = Journal::read(layout);
    let tree = place.work_tree();
    for record in records.iter_mut() {
        record.worktree = Some(match (committed.contains(&record.path), changed.contains(&record.path)) {
            (false, _) => Worktree::New,
            (true, true) => Worktree::Modified,
            (true, false) => Worktree::Committed,
        });
        let content = || {
            canon::Sha256::of(store::tree::Tree::read(&tree, &record.path).ok().flatten().unwrap_or_default())
        };
        record.last_write = Some(Nullable(journal.last_write(&record.path, content)));
    }
    let present: HashSet<&RepoPath> = records.iter().map(|record| &record.path).collect();
    let mut deleted: Vec<String> =
        committed.iter().filter(|path| !present.contains(path)).map(ToString::to_string).collect();
    deleted.sort_unstable();
    let target = trust.base();
    Ok(Some(Checkout {
        branch: position.branch().map(str::to_owned),
        head: head.map(ToString::to_string),
        base: forked(git, head, target)?,
        base_from: target.map(|base| base.from.as_str().to_owned()),
        deleted,
    }))
}

/// The kind's record files that `head` holds.
fn held(place: &Place, kind: &Kind, head: &Oid) -> Result<HashSet<RepoPath>, Refusal> {
    let tree: Revision = place.revision(head.as_str())?;
    match super::read::located(&tree, kind) {
        Ok(files) => Ok(files.into_iter().map(|(path, _)| path).collect()),
        // A folder that head does not have holds nothing.
        Err(_) => Ok(HashSet::new()),
    }
}

/// The files below a folder that differ from `HEAD`, staged or not.
pub(super) fn changed(git: &Git, folder: &RepoPath) -> Result<HashSet<RepoPath>, Refusal> {
    Ok(git.changed_from_head(folder).map_err(git_failed)?.into_iter().collect())
}

fn forked(git: &Git, head: Option<&Oid>, target: Option<&Base>) -> Result<Option<String>, Refusal> {
    let (Some(head), Some(target)) = (head, target) else { return Ok(None) };
    if *head == target.commit {
        return Ok(Some(head.to_string()));
    }
    match git.merge_base(head.as_str(), target.commit.as_str()).map_err(git_failed)? {
        MergeBase::Found(oid) => Ok(Some(oid.to_string())),
        MergeBase::None | MergeBase::CutOff => Ok(None),
    }
}

/// The provenance of each record's file.
pub(super) fn provenance(trust: &Trust, rev: &str, records: &mut [Record]) -> Result<(), Refusal> {
    let paths: Vec<RepoPath> = records.iter().map(|record| record.path.clone()).collect();
    let dirty: HashSet<RepoPath> = records
        .iter()
        .filter(|record| matches!(record.worktree, Some(Worktree::Modified | Worktree::New)))
        .map(|record| record.path.clone())
        .collect();
    let is_dirty = |path: &RepoPath| dirty.contains(path);
    let found = trust.files(rev, &paths, &is_dirty).map_err(tree_failed)?;
    for (record, provenance) in records.iter_mut().zip(found) {
        record.provenance = Some(provenance.into());
    }
    Ok(())
}
