//! The projects of a repository, by the names of its files.

use std::collections::BTreeSet;

use serde_json::Value;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use super::examples;
use super::names::package;
use crate::declaration::{FILES, is_inside};
use crate::members::{expand, is_skipped, needs_chant};

/// A project that makes a member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Project {
    /// The directory; empty for the top.
    pub dir: String,
    pub kind: &'static str,
    pub because: Option<&'static str>,
}

/// What lies in a repository.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The root first, then the others by directory.
    pub members: Vec<Project>,
    /// Directories with a project that are examples.
    pub examples: BTreeSet<String>,
}

/// Finds the projects among `files`.
pub(super) fn find(tree: &dyn Tree, files: &[RepoPath]) -> Result<Found, TreeError> {
    let (mut configs, mut declarations, mut packages) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for file in files {
        let Some(path) = file.as_str() else { continue };
        if path.split('/').any(|part| is_skipped(part.as_bytes())) || !tree.is_file(file)? {
            continue;
        }
        let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
        match name {
            "chant.config.ts" | "chant.config.json" => configs.insert(dir.to_owned()),
            "package.json" => packages.insert(dir.to_owned()),
            _ if FILES.contains(&name) && !dir.is_empty() => declarations.insert(dir.to_owned()),
            _ => false,
        };
    }
    let nested = outermost(declarations.into_iter());
    let outside = |dir: &String| !nested.iter().any(|outer| is_inside(dir, outer));

    let mut found = Found::default();
    let mut chant = BTreeSet::new();
    let own = configs.iter().filter(|dir| outside(dir) && !is_fixture(dir));
    for dir in own {
        match examples::of(dir) {
            Some(example) => {
                found.examples.insert(example);
            }
            None => {
                chant.insert(dir.clone());
            }
        }
    }
    for dir in packages.iter().filter(|dir| outside(dir) && !is_fixture(dir)) {
        let is_example = examples::of(dir).is_some_and(|example| example == *dir);
        if is_example && needs_chant(tree, &RepoPath::from(dir.as_str()))? {
            found.examples.insert(dir.clone());
        }
    }
    let root = chant.remove("");
    let chant = outermost(chant.into_iter());

    let workspaces = npm_workspaces(tree)?;
    let apart = |dir: &String| {
        let others = || chant.iter().chain(&nested).chain(&found.examples);
        !dir.is_empty() && !others().any(|other| is_inside(dir, other) || is_inside(other, dir))
    };
    let plain =
        packages.iter().filter(|dir| apart(dir) && !is_fixture(dir) && examples::of(dir).is_none()).cloned();
    let plain = outermost(plain);

    let mut members: Vec<Project> = Vec::new();
    members.extend(chant.into_iter().map(|dir| Project { dir, kind: "chant", because: None }));
    members.extend(nested.iter().map(|dir| Project { dir: dir.clone(), kind: "workspace", because: None }));
    members.extend(plain.into_iter().map(|dir| {
        let because = if workspaces.contains(&dir) {
            "an npm workspace package with no chant project"
        } else {
            "an npm package with no chant project"
        };
        Project { dir, kind: "other", because: Some(because) }
    }));
    members.sort_by(|a, b| a.dir.cmp(&b.dir));
    if root {
        members.insert(0, Project { dir: String::new(), kind: "chant", because: None });
    }
    found.members = members;
    Ok(found)
}

/// The directories that no other one of them holds.
fn outermost(dirs: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut dirs: Vec<String> = dirs.collect();
    dirs.sort_by_key(String::len);
    for dir in dirs {
        if !kept.iter().any(|outer| is_inside(&dir, outer)) {
            kept.push(dir);
        }
    }
    kept.sort();
    kept
}

/// Whether a directory lies in one such as `__fixtures__`, and so belongs to the package around it.
fn is_fixture(dir: &str) -> bool {
    dir.split('/').any(|part| part.len() > 4 && part.starts_with("__") && part.ends_with("__"))
}

/// The directories of the root package's npm workspaces.
fn npm_workspaces(tree: &dyn Tree) -> Result<BTreeSet<String>, TreeError> {
    let Some(package) = package(tree, "")? else { return Ok(BTreeSet::new()) };
    let globs = package.get("workspaces").map(|globs| globs.get("packages").unwrap_or(globs));
    let mut dirs = BTreeSet::new();
    for glob in globs.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        let glob = glob.trim_start_matches("./").trim_end_matches('/');
        if glob.is_empty() || glob.split('/').any(|part| part == "..") {
            continue;
        }
        let found = expand(tree, &RepoPath::from(""), glob)?;
        dirs.extend(found.iter().filter_map(RepoPath::as_str).map(str::to_owned));
    }
    Ok(dirs)
}
