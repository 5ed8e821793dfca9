//! Projects that are examples or fixtures, and the globs that name them.

use std::collections::{BTreeMap, BTreeSet};

use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use super::names::plain;
use super::projects::Found;
use crate::declaration::is_inside;
use crate::members::{expand, holds_project, is_skipped};

/// What the directories of a folder of this name are; none for other folders.
fn kind_of(folder: &str) -> Option<&'static str> {
    match folder {
        "examples" | "example" | "samples" => Some("examples"),
        "test" | "tests" | "fixtures" => Some("fixtures"),
        _ => None,
    }
}

/// The example that holds `dir`: the directory right below the innermost folder of examples on its way.
pub(super) fn of(dir: &str) -> Option<String> {
    let parts: Vec<&str> = dir.split('/').collect();
    let at = parts.iter().take(parts.len() - 1).rposition(|part| kind_of(part).is_some())?;
    Some(parts[..at + 2].join("/"))
}

/// The groups of a repository's examples by name, each with its globs.
pub(super) fn groups(
    tree: &dyn Tree,
    files: &[RepoPath],
    found: &Found,
) -> Result<BTreeMap<String, Vec<String>>, TreeError> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for glob in globs(tree, files, found)? {
        groups.entry(name(&glob)).or_default().push(glob);
    }
    Ok(groups)
}

/// Globs that match the examples and no other project: `folder/*` where a folder mostly holds examples, one glob for
/// folders that differ in one name, and else the examples themselves.
fn globs(tree: &dyn Tree, files: &[RepoPath], found: &Found) -> Result<Vec<String>, TreeError> {
    let parent = |dir: &str| dir.rsplit_once('/').map_or(String::new(), |(parent, _)| parent.to_owned());
    let mut by_parent: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for example in &found.examples {
        by_parent.entry(parent(example)).or_default().push(example);
    }
    let (mut wide, mut globs) = (BTreeSet::new(), Vec::new());
    for (folder, examples) in by_parent {
        let mostly = examples.len() * 2 >= folders_in(&folder, files);
        if mostly && is_safe(tree, &format!("{folder}/*"), found)? {
            wide.insert(folder);
        } else {
            globs.extend(examples.into_iter().cloned());
        }
    }
    let mut merged: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for folder in &wide {
        let parts: Vec<&str> = folder.split('/').collect();
        for at in 0..parts.len() - 1 {
            let mut pattern = parts.clone();
            pattern[at] = "*";
            merged.entry(pattern.join("/")).or_default().push(folder);
        }
    }
    let mut merged: Vec<_> = merged.into_iter().collect();
    merged.sort_by_key(|(_, folders)| std::cmp::Reverse(folders.len()));
    let mut left = wide.clone();
    for (pattern, folders) in merged {
        let open: Vec<&&String> = folders.iter().filter(|folder| left.contains(**folder)).collect();
        let glob = format!("{pattern}/*");
        if open.len() > 1 && is_safe(tree, &glob, found)? {
            for folder in open {
                left.remove(*folder);
            }
            globs.push(glob);
        }
    }
    globs.extend(left.into_iter().map(|folder| format!("{folder}/*")));
    globs.sort();
    Ok(globs)
}

/// Whether a glob matches no project but the examples, and nothing that holds a member or lies in a nested workspace.
fn is_safe(tree: &dyn Tree, glob: &str, found: &Found) -> Result<bool, TreeError> {
    for folder in expand(tree, &RepoPath::from(""), glob)? {
        let Some(dir) = folder.as_str() else { continue };
        if found.examples.contains(dir) {
            continue;
        }
        let members = found.members.iter().filter(|member| !member.dir.is_empty());
        let mut members = members.filter(|member| {
            is_inside(&member.dir, dir) || member.kind == "workspace" && is_inside(dir, &member.dir)
        });
        if members.next().is_some() || holds_project(tree, &folder)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// How many folders a folder holds.
fn folders_in(folder: &str, files: &[RepoPath]) -> usize {
    let inner = files
        .iter()
        .filter_map(|file| file.as_str()?.strip_prefix(folder)?.strip_prefix('/')?.split_once('/'));
    inner.map(|(name, _)| name).filter(|name| !is_skipped(name.as_bytes())).collect::<BTreeSet<_>>().len()
}

/// The name of a glob's group: what its projects are, behind the names of the folders around them.
fn name(glob: &str) -> String {
    let parts: Vec<&str> = glob.split('/').collect();
    let at = parts.iter().rposition(|part| kind_of(part).is_some()).unwrap_or(0);
    let kind = kind_of(parts[at]).unwrap_or("examples");
    let mut words: Vec<&str> = Vec::new();
    for (index, part) in parts[..at].iter().enumerate() {
        if *part != "*" && kind_of(part).is_none() {
            let each = parts[index + 1] == "*";
            words.push(if each { part.strip_suffix('s').unwrap_or(part) } else { part });
        }
    }
    words.push(kind);
    plain(&words.join("-")).unwrap_or_else(|| kind.to_owned())
}
