//! The files of one tree, by names with forward slashes, each read once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use canon::Sha256;
use store::git::RepoPath;

use crate::locks::with_lf;

/// Larger files are hashed as they are and never looked into.
const MAX_TEXT: u64 = 2 * 1024 * 1024;

pub(super) struct Files<'t> {
    tree: &'t Path,
    read: RefCell<HashMap<String, Option<Rc<[u8]>>>>,
}

impl<'t> Files<'t> {
    pub fn of(tree: &'t Path) -> Self {
        Self { tree, read: RefCell::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.tree.join(name)
    }

    /// Whether a regular file has this name, through links.
    pub fn is_file(&self, name: &str) -> bool {
        !name.is_empty() && fs::metadata(self.path(name)).is_ok_and(|found| found.is_file())
    }

    pub fn is_folder(&self, name: &str) -> bool {
        fs::metadata(self.path(name)).is_ok_and(|found| found.is_dir())
    }

    /// The names in a folder, sorted; those that are not UTF-8 are left out.
    pub fn list(&self, folder: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else { return Vec::new() };
        let mut names: Vec<String> =
            entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        names
    }

    fn bytes(&self, name: &str) -> Option<Rc<[u8]>> {
        if let Some(known) = self.read.borrow().get(name) {
            return known.clone();
        }
        let path = self.path(name);
        let small = fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() <= MAX_TEXT);
        let bytes: Option<Rc<[u8]>> = if small { fs::read(path).ok().map(Rc::from) } else { None };
        self.read.borrow_mut().insert(name.to_owned(), bytes.clone());
        bytes
    }

    /// The text of a file that is not too large, with LF as line ends.
    pub fn text(&self, name: &str) -> Option<String> {
        let bytes = self.bytes(name)?;
        Some(String::from_utf8_lossy(&with_lf(&bytes)).into_owned())
    }

    /// The digest of a file. Line ends don't count in a text, since a checkout may change them.
    pub fn digest(&self, name: &str) -> Option<Sha256> {
        if !self.is_file(name) {
            return None;
        }
        match self.bytes(name) {
            Some(bytes) if bytes.contains(&0) => Some(Sha256::of(bytes)),
            Some(bytes) => Some(Sha256::of(with_lf(&bytes))),
            None => Sha256::of_reader(File::open(self.path(name)).ok()?).ok().map(|(digest, _)| digest),
        }
    }
}

/// `path` as seen from `folder`, in one form; none where it leads out of the tree or is no path.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    if path.is_empty() || path.starts_with(['/', '~']) || path.contains(['\n', '\0', '*', '$']) {
        return None;
    }
    let joined = RepoPath::from(format!("{folder}/{path}").trim_start_matches('/'));
    let name = String::from_utf8(joined.as_bytes().to_vec()).ok()?;
    (!name.is_empty() && name != ".." && !name.starts_with("../")).then_some(name)
}

/// The folder of a file; empty at the top.
pub(super) fn folder_of(name: &str) -> &str {
    name.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The part of a name behind the last slash.
pub(super) fn base_of(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, base)| base)
}

/// What stands behind the last dot of a name, in lower case; empty where there is none.
pub(super) fn ending(name: &str) -> String {
    base_of(name).rsplit_once('.').map_or(String::new(), |(_, ending)| ending.to_ascii_lowercase())
}

/// A folder and all above it up to the top of the tree, the innermost first.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| folder_of(folder)))
}

/// A file in a folder.
pub(super) fn within(folder: &str, base: &str) -> String {
    if folder.is_empty() { base.to_owned() } else { format!("{folder}/{base}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_tree() {
        assert_eq!(join("a/b", "../c.sh").as_deref(), Some("a/c.sh"));
        assert_eq!(join("", "./ci/x").as_deref(), Some("ci/x"));
        for path in ["../x", "/etc/passwd", "~/x", "", "a*", "$X/y"] {
            assert_eq!(join("", path), None, "{path}");
        }
    }

    #[test]
    fn folders_from_the_inside_out() {
        assert_eq!(upwards("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(upwards("").collect::<Vec<_>>(), [""]);
    }
}
