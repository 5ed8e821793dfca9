//! Looking at a directory to tell what it holds.

use serde_json::Value;
use store::git::RepoPath;
use store::tree::{EntryKind, Tree, TreeError};

use super::kinds::{Kind, Probe};
use crate::declaration::CHANT;

/// The configuration of a chant project.
pub(super) const CONFIGS: [&str; 2] = ["chant.config.ts", "chant.config.json"];

/// How many folders below a directory its project may have its configuration.
const DEPTH: usize = 4;

/// Whether `folder`, which is there, is what the kind reads.
pub fn probe(tree: &dyn Tree, kind: &Kind, folder: &RepoPath) -> Result<bool, TreeError> {
    let Probe::Files { any, blocks } = &kind.probe else { return Ok(true) };
    for name in any.iter().filter(|name| !name.contains('*')) {
        if tree.is_file(&folder.join(name))? {
            return Ok(true);
        }
    }
    let has_pattern = any.iter().any(|name| name.contains('*'));
    if !has_pattern && blocks.is_none() {
        return Ok(false);
    }
    let files =
        tree.list(folder)?.unwrap_or_default().into_iter().filter(|entry| entry.kind == EntryKind::File);
    let files: Vec<Vec<u8>> = files.map(|entry| entry.name).collect();
    let matches =
        |patterns: &[String], file: &[u8]| patterns.iter().any(|pattern| is_like(pattern.as_bytes(), file));
    if has_pattern && files.iter().any(|file| matches(any, file)) {
        return Ok(true);
    }
    let Some((names, openers)) = blocks else { return Ok(false) };
    for file in files.iter().filter(|file| matches(names, file)) {
        let bytes = tree.read(&folder.join(file))?.unwrap_or_default();
        if bytes.split(|&byte| byte == b'\n').any(|line| opens(line, openers)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a line opens a block of one of these names: the name, then `{`.
fn opens(line: &[u8], names: &[String]) -> bool {
    let line = line.trim_ascii_start();
    names.iter().any(|name| {
        let rest = line.strip_prefix(name.as_bytes());
        rest.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"{"))
    })
}

/// Whether a name is what a pattern says, where `*` stands for any characters.
fn is_like(pattern: &[u8], name: &[u8]) -> bool {
    // Where the last `*` stands, and how much of the name it took so far.
    let (mut at, mut in_name, mut star) = (0, 0, None);
    while in_name < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, in_name));
                at += 1;
            }
            Some(byte) if *byte == name[in_name] => {
                at += 1;
                in_name += 1;
            }
            _ => {
                let Some((star_at, taken)) = star else { return false };
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                in_name = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Whether a directory holds a chant project: a configuration in it or up to four folders below, or a package.json
/// that needs chant or one of its lexicons.
pub fn holds_project(tree: &dyn Tree, folder: &RepoPath) -> Result<bool, TreeError> {
    Ok(needs_chant(tree, folder)? || has_config(tree, folder, DEPTH)?)
}

/// Whether the package.json of a directory needs chant or one of its lexicons.
pub(crate) fn needs_chant(tree: &dyn Tree, folder: &RepoPath) -> Result<bool, TreeError> {
    let Some(bytes) = tree.read(&folder.join("package.json"))? else { return Ok(false) };
    let Ok(package) = canon::json::read::<Value>(&bytes) else { return Ok(false) };
    Ok(["dependencies", "devDependencies", "peerDependencies"].iter().any(|field| {
        let names = package.get(field).and_then(Value::as_object).map(|names| names.keys());
        names.into_iter().flatten().any(|name| name == CHANT || name.starts_with("@intentius/chant-lexicon-"))
    }))
}

fn has_config(tree: &dyn Tree, folder: &RepoPath, depth: usize) -> Result<bool, TreeError> {
    let entries = tree.list(folder)?.unwrap_or_default();
    let is_config = |name: &[u8]| CONFIGS.iter().any(|config| config.as_bytes() == name);
    if entries.iter().any(|entry| entry.kind == EntryKind::File && is_config(&entry.name)) {
        return Ok(true);
    }
    if depth == 0 {
        return Ok(false);
    }
    for entry in entries.iter().filter(|entry| entry.kind == EntryKind::Folder && !is_skipped(&entry.name)) {
        if has_config(tree, &folder.join(&entry.name), depth - 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A folder that no search enters by itself.
pub(crate) fn is_skipped(name: &[u8]) -> bool {
    name.starts_with(b".") || name == b"node_modules"
}
