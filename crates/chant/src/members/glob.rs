//! Globs over directories.

use std::collections::BTreeSet;

use globset::{GlobBuilder, GlobMatcher};
use store::git::RepoPath;
use store::tree::{EntryKind, Tree, TreeError};

use super::probe::is_skipped;

enum Part {
    /// One folder of this name.
    Named(String),
    /// One folder whose name matches.
    Like(GlobMatcher),
    /// Any number of folders.
    Any,
}

/// The directories within `top` that a glob matches, sorted: `*`, `?` and `[...]` within one name, `**` across folders.
/// What a wildcard enters is never `node_modules` and never begins with a dot.
pub fn expand(tree: &dyn Tree, top: &RepoPath, glob: &str) -> Result<Vec<RepoPath>, TreeError> {
    let parts: Vec<Part> = glob.split('/').map(part).collect();
    let mut walk = Walk { tree, found: BTreeSet::new(), seen: BTreeSet::new() };
    walk.enter(top, &parts)?;
    walk.found.remove(top);
    Ok(walk.found.into_iter().collect())
}

fn part(text: &str) -> Part {
    if text == "**" {
        return Part::Any;
    }
    if !text.contains(['*', '?', '[']) {
        return Part::Named(text.to_owned());
    }
    // Braces stand for themselves.
    let literal = text.replace('{', "[{]").replace('}', "[}]");
    match GlobBuilder::new(&literal).literal_separator(true).backslash_escape(false).build() {
        Ok(glob) => Part::Like(glob.compile_matcher()),
        Err(_) => Part::Named(text.to_owned()),
    }
}

struct Walk<'a> {
    tree: &'a dyn Tree,
    found: BTreeSet<RepoPath>,
    /// Folders that were entered with so many parts left: several `**` would enter them again and again.
    seen: BTreeSet<(RepoPath, usize)>,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &RepoPath, parts: &[Part]) -> Result<(), TreeError> {
        if !self.seen.insert((folder.clone(), parts.len())) {
            return Ok(());
        }
        let Some((part, rest)) = parts.split_first() else {
            self.found.insert(folder.clone());
            return Ok(());
        };
        match part {
            Part::Named(name) => {
                let inner = folder.join(name);
                if self.tree.is_folder(&inner)? { self.enter(&inner, rest) } else { Ok(()) }
            }
            Part::Like(glob) => {
                for name in self.folders(folder)? {
                    let matches = std::str::from_utf8(&name).is_ok_and(|name| glob.is_match(name));
                    if matches {
                        self.enter(&folder.join(&name), rest)?;
                    }
                }
                Ok(())
            }
            Part::Any => {
                self.enter(folder, rest)?;
                for name in self.folders(folder)? {
                    self.enter(&folder.join(&name), parts)?;
                }
                Ok(())
            }
        }
    }

    fn folders(&self, folder: &RepoPath) -> Result<Vec<Vec<u8>>, TreeError> {
        let entries = self.tree.list(folder)?.unwrap_or_default().into_iter();
        let folders = entries.filter(|entry| entry.kind == EntryKind::Folder && !is_skipped(&entry.name));
        Ok(folders.map(|entry| entry.name).collect())
    }
}
