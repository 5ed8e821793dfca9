//! When files came and changed, as far as history says.

use std::collections::HashMap;

use store::git::{Git, RepoPath, Version};

/// When files came and changed, in seconds since 1970.
pub trait Times {
    /// The commit time of the last commit that changed a file.
    fn last_change(&mut self, path: &RepoPath) -> Option<i64>;

    /// The commit time of the commit that added a file.
    fn added(&mut self, path: &RepoPath) -> Option<i64>;
}

/// Outside a repository no time is known.
pub struct NoTimes;

impl Times for NoTimes {
    fn last_change(&mut self, _: &RepoPath) -> Option<i64> {
        None
    }

    fn added(&mut self, _: &RepoPath) -> Option<i64> {
        None
    }
}

/// The times in the history of a revision, asked for one file at a time and remembered.
pub struct GitTimes<'a> {
    git: &'a Git,
    rev: String,
    known: HashMap<RepoPath, Vec<Version>>,
}

impl<'a> GitTimes<'a> {
    /// The history reachable from `rev`.
    pub fn new(git: &'a Git, rev: impl Into<String>) -> Self {
        Self { git, rev: rev.into(), known: HashMap::new() }
    }

    fn versions(&mut self, path: &RepoPath) -> &[Version] {
        self.known.entry(path.clone()).or_insert_with(|| {
            let found = self.git.versions(&self.rev, std::slice::from_ref(path));
            // A history that can't be read says nothing of times.
            found.ok().and_then(|mut found| found.remove(path)).unwrap_or_default()
        })
    }
}

impl Times for GitTimes<'_> {
    fn last_change(&mut self, path: &RepoPath) -> Option<i64> {
        self.versions(path).first().map(|version| version.stamp.time)
    }

    fn added(&mut self, path: &RepoPath) -> Option<i64> {
        self.versions(path).iter().find(|version| version.is_addition).map(|version| version.stamp.time)
    }
}
