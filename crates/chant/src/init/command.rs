//! The command: what it reads in a repository, and the write.

use std::path::PathBuf;

use gate::Refusal;
use serde_json::Value;
use store::git::RepoPath;
use store::tree::WorkTree;

use super::{Document, Names, Proposal, propose, write};
use crate::declaration::FILES;
use crate::lock::{WriteLock, Writer};
use crate::place::{Place, git_failed};
use crate::{CONTRACT, Cairn, LEVEL, codes};

/// A proposal for a folder of the repository.
pub struct Plan<'p, 'w> {
    place: &'p Place<'w>,
    root: RepoPath,
    folder: PathBuf,
    /// The proposal.
    pub proposal: Proposal,
}

impl<'p, 'w> Plan<'p, 'w> {
    /// Proposes a declaration for the folder `root`, which is named from the top of the repository.
    ///
    /// # Errors
    /// `not-a-git-repository`, and those of [`propose`].
    pub fn new(place: &'p Place<'w>, root: &RepoPath, name: Option<&str>) -> Result<Self, Refusal> {
        if place.layout().is_none() {
            let message = format!("{} lies in no git repository with a working tree", place.root().display());
            return Err(Refusal::new(codes::NOT_A_GIT_REPOSITORY, message)
                .hint("the proposal is made from the files that git knows; run `git init` first"));
        }
        let folder = place.root().join(root.to_path());
        let files: Vec<RepoPath> = place.git().files().map_err(git_failed)?;
        let files: Vec<RepoPath> = files.iter().filter_map(|file| below(file, root)).collect();
        let origin = place.git().config("remote.origin.url").map_err(git_failed)?;
        let own = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = Names { given: name, origin: origin.as_deref(), folder: &own };
        let proposal = propose(&WorkTree::new(&folder), &files, &names)?;
        Ok(Self { place, root: root.clone(), folder, proposal })
    }

    /// Writes the declaration.
    ///
    /// # Errors
    /// A declaration that came meanwhile, a file that can't be written, and the codes of the write lock.
    pub fn write(&self) -> Result<(), Refusal> {
        let lock = WriteLock::new(self.place.root(), self.place.layout(), self.place.world);
        let _lock = lock.acquire(Writer { verb: "init", by: None })?;
        write(&WorkTree::new(&self.folder), &self.folder, &self.proposal)
    }

    /// The document.
    pub fn document(&self, written: bool) -> Document {
        let Proposal { text, leaving, stacks, .. } = &self.proposal;
        Document {
            contract: CONTRACT,
            chant: LEVEL,
            cairn: Cairn::THIS,
            file: self.root.join(FILES[0]).legible().into_owned(),
            written,
            declaration: canon::json::read(text.as_bytes()).unwrap_or(Value::Null),
            leaving: leaving.clone(),
            stacks: stacks.clone(),
        }
    }
}

/// A file as it is named from a folder that holds it.
fn below(file: &RepoPath, folder: &RepoPath) -> Option<RepoPath> {
    if folder.is_empty() {
        return Some(file.clone());
    }
    let name = file.as_bytes().strip_prefix(folder.as_bytes())?.strip_prefix(b"/")?;
    Some(RepoPath::new(name))
}
