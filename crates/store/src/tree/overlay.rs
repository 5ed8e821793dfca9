//! A tree with some files as they would be after a write.

use std::collections::BTreeMap;

use super::{Entry, EntryKind, Tree, TreeError};
use crate::git::{Oid, RepoPath};

/// Another tree with some contents in place of its own.
pub struct Overlay<'a> {
    below: &'a dyn Tree,
    files: BTreeMap<RepoPath, Vec<u8>>,
}

impl<'a> Overlay<'a> {
    /// `below` as it is.
    pub fn new(below: &'a dyn Tree) -> Self {
        Self { below, files: BTreeMap::new() }
    }

    /// With this content at `path`, whose folder exists.
    pub fn with(mut self, path: RepoPath, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path, content.into());
        self
    }
}

impl Tree for Overlay<'_> {
    fn commit(&self) -> Option<&Oid> {
        self.below.commit()
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<EntryKind>, TreeError> {
        if self.files.contains_key(path) { Ok(Some(EntryKind::File)) } else { self.below.kind(path) }
    }

    fn list(&self, folder: &RepoPath) -> Result<Option<Vec<Entry>>, TreeError> {
        let Some(mut entries) = self.below.list(folder)? else { return Ok(None) };
        for path in self.files.keys().filter(|path| path.parent() == *folder) {
            let entry = Entry { name: path.last().to_vec(), kind: EntryKind::File };
            match entries.binary_search_by(|known| known.name.cmp(&entry.name)) {
                Ok(at) => entries[at] = entry,
                Err(at) => entries.insert(at, entry),
            }
        }
        Ok(Some(entries))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError> {
        match self.files.get(path) {
            Some(content) => Ok(Some(content.clone())),
            None => self.below.read(path),
        }
    }

    fn read_many(&self, paths: &[RepoPath]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        let mut contents = self.below.read_many(paths)?;
        for (path, content) in paths.iter().zip(&mut contents) {
            if let Some(overlaid) = self.files.get(path) {
                *content = Some(overlaid.clone());
            }
        }
        Ok(contents)
    }
}
