//! Which set of signers judges a commit.
//!
//! A date proves nothing, since whoever makes a commit sets it. So a commit that is part of base is judged by the set
//! that was in effect just before it came in: before the first commit of base's first-parent line that has it in its
//! history. A key that was taken out later still stands behind what came in while it was listed, and behind nothing
//! else. A commit that is not part of base is judged by the newest set.

use std::collections::HashMap;

use store::git::{Git, GitError, Oid};

use crate::History;
use crate::rotation::Version;

/// Where commits came into base's first-parent line, counted from the commit of the first set.
#[derive(Debug)]
pub(crate) struct Positions {
    came_in: HashMap<Oid, usize>,
    /// Where each version of the history begins.
    begins: Vec<usize>,
}

impl Positions {
    pub(crate) fn read(git: &Git, base: &Oid, history: &History) -> Result<Self, GitError> {
        let first = history.versions.first().and_then(|version| version.commit.clone());
        let Some(first) = first else { return Ok(Self { came_in: HashMap::new(), begins: Vec::new() }) };
        let lineage = git.lineage(std::slice::from_ref(base), std::slice::from_ref(&first))?;
        let parents: HashMap<&Oid, &[Oid]> =
            lineage.iter().map(|line| (&line.commit, line.parents.as_slice())).collect();
        let mut line = vec![base];
        while let Some(parent) = line.last().and_then(|last| parents.get(*last)?.first()) {
            line.push(parent);
        }
        let mut came_in = HashMap::from([(first, 0)]);
        // The first set's own commit ends the line and stands at 0.
        for (position, commit) in line.into_iter().rev().enumerate().skip(1) {
            let mut waiting = vec![commit];
            while let Some(commit) = waiting.pop() {
                if let (Some(above), false) = (parents.get(commit), came_in.contains_key(commit)) {
                    came_in.insert(commit.clone(), position);
                    waiting.extend(above.iter());
                }
            }
        }
        let begin = |version: &Version| {
            version.commit.as_ref().and_then(|commit| came_in.get(commit)).copied().unwrap_or(usize::MAX)
        };
        let begins = history.versions.iter().map(begin).collect();
        Ok(Self { came_in, begins })
    }

    /// Whether the commit came in with or after the first set.
    pub(crate) fn knows(&self, commit: &Oid) -> bool {
        self.came_in.contains_key(commit)
    }

    /// The set that judges a commit of base: the newest that began before the commit came in.
    pub(crate) fn version<'a>(&self, history: &'a History, commit: &Oid) -> Option<&'a Version> {
        let position = *self.came_in.get(commit)?;
        let before = self.begins.iter().take_while(|&&begins| begins < position).count();
        history.versions.get(before.checked_sub(1)?).filter(|version| version.version > 0)
    }
}
