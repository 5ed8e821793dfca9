//! The manifest: the digest of every vector that was ever published.

use std::collections::BTreeMap;

use canon::{Sha256, json};
use serde::{Deserialize, Serialize};

/// The digests, as `conformance/manifest.json` has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Manifest {
    /// The digest of the whole: of the RFC 8785 form of `vectors`.
    pub corpus: Option<Sha256>,
    /// The digest of each vector's RFC 8785 form, by id and version.
    pub vectors: BTreeMap<String, Sha256>,
}

/// What is not as it was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A vector is another one under the same id and version.
    Changed(String),
    /// A vector is gone.
    Gone(String),
    /// A vector is not in the manifest yet.
    New(String),
    /// The digest of the whole does not belong to the digests below it.
    Whole,
}

impl Manifest {
    /// The manifest of these digests.
    pub fn of(vectors: BTreeMap<String, Sha256>) -> Self {
        let corpus = json::canonical(&vectors).ok().map(Sha256::of);
        Self { corpus, vectors }
    }

    /// What is not as `published` has it.
    pub fn changes_since(&self, published: &Self) -> Vec<Change> {
        let mut changes = Vec::new();
        for (name, digest) in &published.vectors {
            match self.vectors.get(name) {
                Some(now) if now == digest => {}
                Some(_) => changes.push(Change::Changed(name.clone())),
                None => changes.push(Change::Gone(name.clone())),
            }
        }
        let is_new = |name: &&String| !published.vectors.contains_key(*name);
        changes.extend(self.vectors.keys().filter(is_new).cloned().map(Change::New));
        if published.corpus != Self::of(published.vectors.clone()).corpus {
            changes.push(Change::Whole);
        }
        changes
    }
}
