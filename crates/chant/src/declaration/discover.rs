//! Finding the declaration.

use gate::Refusal;
use store::git::RepoPath;
use store::tree::{EntryKind, Tree, TreeError};

use crate::codes;

/// The two names of a declaration; the second may hold comments.
pub const FILES: [&str; 2] = ["chant.workspace.json", "chant.workspace.jsonc"];

/// Where a declaration lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The workspace root, from the top of the tree.
    pub root: RepoPath,
    /// The file's name.
    pub file: &'static str,
}

impl Found {
    /// The file, from the top of the tree.
    pub fn path(&self) -> RepoPath {
        self.root.join(self.file)
    }
}

/// Finds the nearest folder, from `start` up to the top of the tree, that holds a declaration.
///
/// # Errors
/// `declaration-missing` where there is none, `declaration-ambiguous` where one folder holds both files.
pub fn discover(tree: &dyn Tree, start: &RepoPath) -> Result<Found, Refusal> {
    let mut folder = start.clone();
    loop {
        if let Some(found) = look(tree, &folder)? {
            return Ok(found);
        }
        if folder.is_empty() {
            return Err(missing(start));
        }
        folder = folder.parent();
    }
}

/// The declaration in one folder.
///
/// # Errors
/// As for [`discover`].
pub fn at_root(tree: &dyn Tree, root: &RepoPath) -> Result<Found, Refusal> {
    look(tree, root)?.ok_or_else(|| missing(root))
}

fn missing(start: &RepoPath) -> Refusal {
    let place = if start.is_empty() { "the top".to_owned() } else { format!("`{start}`") };
    Refusal::new(codes::DECLARATION_MISSING, format!("no {} or {} from {place} up", FILES[0], FILES[1]))
        .hint("`chant workspace init` proposes one")
}

fn look(tree: &dyn Tree, folder: &RepoPath) -> Result<Option<Found>, Refusal> {
    let mut present = Vec::new();
    for file in FILES {
        let path = folder.join(file);
        match tree.kind(&path).map_err(|error| unreadable(&path, &error))? {
            Some(EntryKind::File) => present.push(file),
            Some(EntryKind::Link) => {
                let message = format!("`{path}` is a symbolic link, and nothing is read through one");
                return Err(Refusal::new(codes::DECLARATION_UNPARSEABLE, message)
                    .at(path.to_path(), Some(1), Some(1))
                    .hint("put the file itself there"));
            }
            _ => {}
        }
    }
    if let [first, second] = present[..] {
        let message = format!("both {first} and {second} exist");
        return Err(Refusal::new(codes::DECLARATION_AMBIGUOUS, message)
            .at(folder.join(second).to_path(), Some(1), Some(1))
            .hint("keep one of them"));
    }
    Ok(present.first().map(|&file| Found { root: folder.clone(), file }))
}

/// A declaration whose file can't be read.
pub(super) fn unreadable(path: &RepoPath, error: &TreeError) -> Refusal {
    Refusal::new(codes::DECLARATION_UNPARSEABLE, error.to_string()).at(path.to_path(), Some(1), Some(1))
}
