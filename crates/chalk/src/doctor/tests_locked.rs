//! Locked tests: there, tracked, decided by what decided them, and in trees that exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gate::words::quote;
use gate::{Level, Refusal};
use store::git::RepoPath;

use super::{Cure as _, Findings, Patient, few, some};
use crate::deciders;
use crate::locks;
use crate::model::{State, Task};
use crate::session;
use crate::tree;

pub(super) fn check(patient: &Patient<'_, '_>, findings: &mut Findings) {
    work_trees(patient, findings);
    let open: Vec<&Task> = patient.tasks.iter().filter(|task| task.state != State::Done).collect();
    for check in [tracking, breaks, moved] {
        if let Err(refusal) = check(patient, &open, findings) {
            findings.refused("locks", Level::Fail, &refusal);
        }
    }
    if let Err(refusal) = done(patient, findings) {
        findings.refused("locks", Level::Fail, &refusal);
    }
    browser_specs(patient, findings);
    if patient.tasks.iter().any(|task| !task.tests.is_empty()) {
        let unfollowed = deciders::unfollowed(&patient.config, &patient.session.spine.tree);
        if !unfollowed.is_empty() {
            let named = few(unfollowed.iter().map(String::as_str));
            findings
                .warn("deciders", format!("can't be followed, so what it runs is not watched: {named}"))
                .cured_by("name the script without a variable, or lock it with the test");
        }
    }
}

fn tree_of(patient: &Patient<'_, '_>, task: &Task) -> PathBuf {
    tree::of(patient.session, task).path
}

fn work_trees(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let root = &patient.session.spine.root;
    let is_gone = |task: &&Task| {
        let folder = task.worktree.as_deref().filter(|folder| !folder.trim().is_empty());
        task.state != State::Done && folder.is_some_and(|folder| !root.join(folder).is_dir())
    };
    let gone: Vec<&str> = patient.tasks.iter().filter(is_gone).map(Task::display_id).collect();
    if !gone.is_empty() {
        findings
            .warn("work trees", format!("the work tree is gone that these tasks record: {}", few(gone)))
            .cured_by("`git worktree prune`; the tasks are judged at the root until they have another one");
    }
}

/// What git doesn't track nobody else gets, so the gate that it is for passes on nothing there.
fn tracking(patient: &Patient<'_, '_>, open: &[&Task], findings: &mut Findings) -> Result<(), Refusal> {
    let mut by_tree: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for task in open {
        let paths =
            task.tests.iter().map(|lock| lock.path.replace('\\', "/")).filter(|path| needs_tracking(path));
        by_tree.entry(tree_of(patient, task)).or_default().extend(paths);
    }
    for (tree, paths) in by_tree {
        let Some(git) = patient.session.git(&tree).filter(|_| !paths.is_empty()) else { continue };
        let asked: Vec<RepoPath> = paths.iter().map(RepoPath::new).collect();
        let tracked = git.is_tracked(&asked).map_err(session::git)?;
        let missing =
            paths.iter().zip(tracked).filter(|(_, tracked)| !tracked).map(|(path, _)| path.as_str());
        let missing: Vec<&str> = missing.collect();
        if !missing.is_empty() {
            let cure = format!("git add {}", some(&missing));
            findings
                .fail("locks", format!("locked tests that git doesn't track: {}", few(missing)))
                .cured_by(cure);
        }
    }
    Ok(())
}

/// Paths of the spine are exempt, but for tests that are kept there.
fn needs_tracking(path: &str) -> bool {
    let path = path.trim_start_matches("./");
    !(path.starts_with("../") || path.starts_with(".chalk/") && !path.starts_with(".chalk/tests/"))
}

fn breaks(patient: &Patient<'_, '_>, open: &[&Task], findings: &mut Findings) -> Result<(), Refusal> {
    for task in open.iter().filter(|task| task.state == State::InProgress) {
        for state in locks::check(patient.session, task, &tree_of(patient, task))? {
            if !state.holds() {
                let amend =
                    format!("amend-spec {} --test {} --why \"...\"", quote(&task.id), quote(&state.path));
                findings
                    .warn("locks", format!("locked test {}", state.sentence()))
                    .cured_by(format!("restore it, or `{}`", patient.session.cmd(&amend)));
            }
        }
    }
    Ok(())
}

fn moved(patient: &Patient<'_, '_>, open: &[&Task], findings: &mut Findings) -> Result<(), Refusal> {
    for task in open.iter().filter(|task| task.state == State::InProgress) {
        for moved in deciders::moved(patient.session, &patient.config, task, &tree_of(patient, task))? {
            findings.warn("deciders", moved.sentence()).cured_by(format!(
                "look at the change; where it is meant, lock the test again with `{}`",
                patient.session.cmd("amend-spec")
            ));
        }
    }
    Ok(())
}

/// Tests of done tasks move on with later work, so a change is worth knowing and no more.
fn done(patient: &Patient<'_, '_>, findings: &mut Findings) -> Result<(), Refusal> {
    let mut changed = Vec::new();
    let tree: &Path = &patient.session.spine.tree;
    for task in patient.tasks.iter().filter(|task| task.state == State::Done) {
        if locks::first_break(patient.session, task, tree)?.is_some() {
            changed.push(task.display_id());
        }
    }
    if !changed.is_empty() {
        findings.info("locks", format!("done tasks whose locked tests changed since: {}", few(changed)));
    }
    Ok(())
}

fn browser_specs(patient: &Patient<'_, '_>, findings: &mut Findings) {
    let e2e = &patient.config.protocol.e2e;
    let locks = patient.tasks.iter().flat_map(|task| &task.tests);
    let specs: Vec<&str> = locks.map(|lock| lock.path.as_str()).filter(|path| e2e.is_spec(path)).collect();
    if !specs.is_empty() && e2e.command.trim().is_empty() {
        findings
            .warn("browser specs", format!("locked, and nothing runs them: {}", few(specs)))
            .cured_by("set `protocol.e2e.command`");
    }
}
