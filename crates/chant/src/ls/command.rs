//! The command: which trees it reads, and the declaration at base.

use std::sync::Arc;

use gate::Refusal;
use store::git::RepoPath;
use store::tree::{Revision, Tree};
use trust::{Base, Trust};

use super::{Acceptance, Listing, Query, list};
use crate::declaration::{self, Reader, Workspace};
use crate::kind;
use crate::members::Installed;
use crate::place::{Place, git_failed, tree_failed};
use crate::records::{self, NoTimes, Reading};

/// Lists the workspace around the folder that the command stands in, at a revision or in the working tree.
///
/// # Errors
/// Every code that the document of `ls` lists.
pub fn read(place: &Place<'_>, at: Option<&str>) -> Result<Listing, Refusal> {
    // Git starts while the declaration is read.
    place.objects()?;
    let tree = place.tree(at)?;
    let loaded = place.kinds(at)?;
    let found = place.declared(&*tree)?;
    let workspace = declaration::read(&*tree, &found, Reader::Root)?;
    let base = if at.is_none() { at_base(place, &workspace.root)? } else { None };
    let installed = Installed::of(place, &workspace.root, at);
    let root = place.named_root(&workspace.root);
    list(&Query {
        tree: &*tree,
        loaded: &*loaded,
        workspace: &workspace,
        base: base.as_ref().map(|base| &base.declaration),
        installed: installed.as_ref(),
        root,
        acceptance: &|file| acceptance(place, &*tree, &*loaded, &workspace, file),
    })
}

/// The declaration at base; none where there is no base, or none there that can be read.
fn at_base(place: &Place<'_>, root: &RepoPath) -> Result<Option<Workspace>, Refusal> {
    let Some(objects) = place.layout().and(place.objects()?) else { return Ok(None) };
    let Ok(base) = Base::find(objects, None).map_err(git_failed)? else { return Ok(None) };
    let tree = Revision::open(Arc::clone(objects), base.commit.as_str()).map_err(tree_failed)?;
    Ok(tree.and_then(|tree| {
        let found = declaration::at_root(&tree, root).ok()?;
        declaration::read(&tree, &found, Reader::Any).ok()
    }))
}

/// How far the current work items of a kind are; none where the kind or its records can't be read.
fn acceptance(
    place: &Place<'_>,
    tree: &dyn Tree,
    loaded: &dyn Tree,
    workspace: &Workspace,
    file: &RepoPath,
) -> Option<Vec<Acceptance>> {
    let kind = kind::load(loaded, file).ok()?;
    let reading = Reading {
        tree,
        kinds: loaded,
        workspace: &workspace.root,
        need: records::Need::declared(workspace.declaration.quorum),
        // Criteria are met by evidence, whoever vouches for the record.
        judge: &Trust::empty(),
        env: &place.world.env,
    };
    let read = records::read(&reading, &kind, &mut NoTimes).ok()?;
    let current = read.records.into_iter().filter(|record| record.superseded_by.is_none());
    let items = current.filter_map(|record| {
        let view = record.acceptance?.0.filter(|view| view.total > 0)?;
        Some(Acceptance { item: record.id?, state: record.state, met: view.met, total: view.total })
    });
    Some(items.collect())
}
