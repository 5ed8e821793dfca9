//! The sets of signers that a branch has had.

use std::sync::Arc;

use store::git::{Git, Objects, Oid, RepoPath};
use store::tree::{Revision, Tree, TreeError};

use super::{Break, Broken, Version, next, path};

/// The sets along the first-parent line of a commit, oldest first, as far as each follows from the one before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    /// The sets; a removal of the signers file is one with version 0, and what comes after it begins anew.
    pub versions: Vec<Version>,
    /// Where the line breaks off. Nothing counts then.
    pub broken: Option<Broken>,
}

impl History {
    /// Reads the sets up to `base`.
    pub fn read(
        git: &Git,
        objects: &Arc<Objects>,
        base: &Oid,
        signers: &RepoPath,
    ) -> Result<Self, TreeError> {
        let paths = [signers.clone(), path(signers)];
        let mut history = Self::default();
        for commit in git.first_parent_changes(base, &paths)? {
            let Some(tree) = Revision::open(Arc::clone(objects), commit.as_str())? else { continue };
            let mut files = tree.read_many(&paths)?.into_iter();
            let (signers, rotation) = (files.next().flatten(), files.next().flatten());
            let last = history.newest();
            let Some(signers) = signers else {
                if last.is_some() {
                    history.versions.push(removal(commit));
                }
                continue;
            };
            match next(last, &signers, rotation.as_deref()) {
                Ok(None) => {}
                Ok(Some(version)) => history.versions.push(Version { commit: Some(commit), ..version }),
                Err(mut broken) => {
                    if broken.kind == Break::FirstVersion && git.is_shallow()? {
                        broken.message.push_str(
                            "; the clone is shallow, so what it follows may be cut off: `git fetch --unshallow`",
                        );
                    }
                    history.broken = Some(Broken { commit: Some(commit), ..broken });
                    return Ok(history);
                }
            }
        }
        if let Some(Version { version: 0, commit, .. }) = history.versions.last() {
            let message = format!("the signers file `{signers}` was removed");
            history.broken = Some(Broken { commit: commit.clone(), kind: Break::SignersRemoved, message });
        }
        Ok(history)
    }

    /// The set in effect at the end of the line.
    pub fn newest(&self) -> Option<&Version> {
        self.versions.last().filter(|version| version.version > 0)
    }
}

fn removal(commit: Oid) -> Version {
    Version { version: 0, commit: Some(commit), threshold: 0, signers: None, signed_by: Vec::new() }
}
