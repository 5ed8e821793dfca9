//! How much code a tree holds, and how many held-out tests that asks for (P7).

use std::path::Path;

use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::digest::ContentDigest;
use store::git::RepoPath;

use crate::codes;
use crate::held_out;
use crate::model::Config;
use crate::model::config::CodeSize;
use crate::source::size::{self, Size};

/// The code of a tree by both counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Measured {
    /// By the published formula: every file that is there, ignored ones too, in twenty languages.
    pub published: CodeSize,
    /// Only what git would commit, in every language that is known here.
    pub own: CodeSize,
    /// How many held-out tests the larger of the two asks for.
    pub floor: u64,
}

/// Measures `tree`, whose files `content` lists.
pub fn measure(config: &Config, tree: &Path, content: &ContentDigest) -> Result<Measured, Refusal> {
    let published = size::published(tree)
        .map_err(|error| Refusal::new(codes::IO, format!("cannot list `{}`: {error}", tree.display())))?;
    let files = content.entries.iter().map(|entry| &entry.path);
    let code: Vec<_> =
        files.filter(|path| !path.as_bytes().starts_with(b".chalk/")).map(RepoPath::to_path).collect();
    let own = size::own(tree, &code);
    let floor = held_out::floor(published.loc.max(own.loc), config.protocol.regression.loc_per_test);
    Ok(Measured { published: published.into(), own: own.into(), floor })
}

impl Measured {
    /// What the floor comes from and what it is, in words.
    pub fn in_words(&self) -> String {
        let Self { published, own, floor } = self;
        let asked = if *floor == 0 { "none".to_owned() } else { floor.to_string() };
        if own.loc > published.loc {
            format!("{} lines of code ({} by the published formula) ask for {asked}", own.loc, published.loc)
        } else {
            format!("{} lines of code ask for {asked}", published.loc)
        }
    }
}

impl From<Size> for CodeSize {
    fn from(size: Size) -> Self {
        Self { loc: size.loc, files: size.files }
    }
}
