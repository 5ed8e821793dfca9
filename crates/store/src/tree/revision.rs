//! What a commit holds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::{Entry, EntryKind, Tree, TreeError};
use crate::git::{ObjectKind, Objects, Oid, RepoPath, TreeItem};

type Items = Arc<Vec<TreeItem>>;

/// The files of one commit, read from the repository's objects.
pub struct Revision {
    objects: Arc<Objects>,
    commit: Oid,
    root: Oid,
    folders: Mutex<HashMap<Oid, Items>>,
}

impl Revision {
    /// The tree of the commit that `rev` names; none where it names no commit that is here.
    pub fn open(objects: Arc<Objects>, rev: &str) -> Result<Option<Self>, TreeError> {
        let Some((commit, root)) = objects.commit_and_tree(rev)? else { return Ok(None) };
        Ok(Some(Self { objects, commit, root, folders: Mutex::default() }))
    }

    /// The commit.
    pub fn oid(&self) -> &Oid {
        &self.commit
    }

    fn items(&self, folder: &Oid) -> Result<Items, TreeError> {
        if let Some(items) = self.folders.lock().ok().and_then(|folders| folders.get(folder).cloned()) {
            return Ok(items);
        }
        let items = Arc::new(self.objects.tree(folder)?);
        if let Ok(mut folders) = self.folders.lock() {
            folders.insert(folder.clone(), Arc::clone(&items));
        }
        Ok(items)
    }

    /// The object that `path` names, and its kind.
    pub fn object(&self, path: &RepoPath) -> Result<Option<(EntryKind, Oid)>, TreeError> {
        let mut at = (EntryKind::Folder, self.root.clone());
        for part in path.parts() {
            if at.0 != EntryKind::Folder {
                return Ok(None);
            }
            let items = self.items(&at.1)?;
            match items.iter().find(|item| item.name == part) {
                Some(item) => at = (item.kind, item.oid.clone()),
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// The entries of a folder with their objects, sorted by name.
    pub fn folder(&self, folder: &RepoPath) -> Result<Option<Items>, TreeError> {
        match self.object(folder)? {
            Some((EntryKind::Folder, oid)) => self.items(&oid).map(Some),
            _ => Ok(None),
        }
    }
}

impl Tree for Revision {
    fn commit(&self) -> Option<&Oid> {
        Some(&self.commit)
    }

    fn kind(&self, path: &RepoPath) -> Result<Option<EntryKind>, TreeError> {
        Ok(self.object(path)?.map(|(kind, _)| kind))
    }

    fn list(&self, folder: &RepoPath) -> Result<Option<Vec<Entry>>, TreeError> {
        let entry = |item: &TreeItem| Entry { name: item.name.clone(), kind: item.kind };
        Ok(self.folder(folder)?.map(|items| items.iter().map(entry).collect()))
    }

    fn read(&self, path: &RepoPath) -> Result<Option<Vec<u8>>, TreeError> {
        Ok(self.read_many(std::slice::from_ref(path))?.pop().flatten())
    }

    fn read_many(&self, paths: &[RepoPath]) -> Result<Vec<Option<Vec<u8>>>, TreeError> {
        // One look-up per folder, whatever the number of files in it.
        let mut folders: HashMap<RepoPath, HashMap<Vec<u8>, Oid>> = HashMap::new();
        let mut oids = Vec::with_capacity(paths.len());
        for path in paths {
            let folder = path.parent();
            if !folders.contains_key(&folder) {
                let items = self.folder(&folder)?.unwrap_or_default();
                let files = items.iter().filter(|item| item.kind == EntryKind::File);
                let named = files.map(|item| (item.name.clone(), item.oid.clone())).collect();
                folders.insert(folder.clone(), named);
            }
            oids.push(folders.get(&folder).and_then(|files| files.get(path.last())).cloned());
        }
        let wanted: Vec<Oid> = oids.iter().flatten().cloned().collect();
        let mut found = self.objects.read_many(&wanted)?.into_iter();
        Ok(oids
            .into_iter()
            .map(|oid| oid.and_then(|_| found.next().flatten()))
            .map(|object| {
                object.filter(|object| object.kind == ObjectKind::Blob).map(|object| object.content)
            })
            .collect())
    }
}
