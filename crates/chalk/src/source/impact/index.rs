//! The files of the repository, and what its manifests say of them.

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

use super::Repository;
use super::resolve::{go, javascript, rust};
use crate::source::language::file_name;
use crate::source::syntax::MAX_TEXT;

/// A file as a number: its place in [`Index::paths`].
pub(super) type FileId = usize;

pub(super) struct Index<'a> {
    paths: Vec<&'a str>,
    ids: HashMap<&'a str, FileId>,
    folders: HashSet<&'a str>,
    by_name: HashMap<&'a str, Vec<FileId>>,
    in_folder: HashMap<&'a str, Vec<FileId>>,
    changed: Vec<FileId>,
    read: &'a dyn Fn(&str) -> Option<String>,
    go: OnceCell<go::Modules>,
    packages: OnceCell<javascript::Packages>,
    crates: OnceCell<rust::Crates>,
}

impl<'a> Index<'a> {
    /// Knows the repository's files and the changed ones, which may have been deleted.
    pub(super) fn new(changed: &[&'a str], repository: Repository<'a>) -> Self {
        let mut paths: Vec<&str> = repository.files.iter().chain(changed).copied().collect();
        paths.sort_unstable();
        paths.dedup();
        let mut index = Self {
            ids: paths.iter().enumerate().map(|(id, path)| (*path, id)).collect(),
            paths,
            folders: HashSet::new(),
            by_name: HashMap::new(),
            in_folder: HashMap::new(),
            changed: Vec::new(),
            read: repository.read,
            go: OnceCell::new(),
            packages: OnceCell::new(),
            crates: OnceCell::new(),
        };
        for (id, path) in index.paths.iter().enumerate() {
            index.by_name.entry(file_name(path)).or_default().push(id);
            index.in_folder.entry(parent(path)).or_default().push(id);
            // Once a folder is known, all folders around it are.
            let mut folder = parent(path);
            while index.folders.insert(folder) && !folder.is_empty() {
                folder = parent(folder);
            }
        }
        index.changed = changed.iter().filter_map(|path| index.id(path)).collect();
        index.changed.sort_unstable();
        index.changed.dedup();
        index
    }

    pub(super) fn path(&self, id: FileId) -> &'a str {
        self.paths.get(id).copied().unwrap_or_default()
    }

    pub(super) fn id(&self, path: &str) -> Option<FileId> {
        self.ids.get(path).copied()
    }

    pub(super) fn is_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    /// The changed files, in order of their paths.
    pub(super) fn changed(&self) -> &[FileId] {
        &self.changed
    }

    /// The files of that name, in order of their paths.
    pub(super) fn named(&self, name: &str) -> &[FileId] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The files right in a folder, in order of their paths.
    pub(super) fn in_folder(&self, folder: &str) -> &[FileId] {
        self.in_folder.get(folder).map_or(&[], Vec::as_slice)
    }

    /// The text of a file, or the length of what is too long to look into.
    pub(super) fn text(&self, path: &str) -> Result<Option<String>, TooLarge> {
        match (self.read)(path) {
            Some(text) if text.len() > MAX_TEXT => Err(TooLarge),
            text => Ok(text),
        }
    }

    /// The manifests of that name: the folder of each, and its text.
    pub(super) fn manifests(&self, name: &str) -> impl Iterator<Item = (&'a str, String)> {
        self.named(name).iter().filter_map(|id| {
            let path = self.path(*id);
            self.text(path).ok().flatten().map(|text| (parent(path), text))
        })
    }

    pub(super) fn go(&self) -> &go::Modules {
        self.go.get_or_init(|| go::Modules::read(self))
    }

    pub(super) fn packages(&self) -> &javascript::Packages {
        self.packages.get_or_init(|| javascript::Packages::read(self))
    }

    pub(super) fn crates(&self) -> &rust::Crates {
        self.crates.get_or_init(|| rust::Crates::read(self))
    }
}

/// The text of a file is longer than is looked into.
pub(super) struct TooLarge;

/// The folder of a path, empty for the top.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folders from `folder` up to the top.
pub(super) fn upwards(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent(folder)))
}

/// `path` seen from `folder`, without `.` and `..`; `None` when it leads out of the repository.
pub(super) fn join(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
