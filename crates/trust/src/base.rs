//! The revision that trust is read at.

use std::fmt;

use store::git::{GitError, Objects, Oid};

/// Where the base comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseFrom {
    /// The caller named it.
    Flag,
    /// The default branch of the remote `origin`, as last fetched.
    OriginHead,
    /// The branch `main`.
    Main,
    /// The branch `master`.
    Master,
}

impl BaseFrom {
    /// As documents write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::OriginHead => "origin/HEAD",
            Self::Main => "main",
            Self::Master => "master",
        }
    }
}

/// The revision that decides who is believed. Never `HEAD`: that is what is judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// The commit.
    pub commit: Oid,
    /// How it was found.
    pub from: BaseFrom,
}

/// Why there is no base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoBase {
    /// What the caller named is no commit that is here.
    Unknown {
        /// The name.
        rev: String,
    },
    /// Nothing was named, and none of the usual branches is there.
    NotFound,
}

impl fmt::Display for NoBase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { rev } => {
                write!(f, "`--base {}` names no commit of this repository", rev.escape_debug())
            }
            Self::NotFound => f.write_str(
                "there is no base revision: no `origin/HEAD`, no branch `main` or `master`; pass `--base <revision>`",
            ),
        }
    }
}

impl Base {
    /// The revision that the caller names, or the first that exists of `origin/HEAD`, `main` and `master`.
    pub fn find(objects: &Objects, flag: Option<&str>) -> Result<Result<Self, NoBase>, GitError> {
        if let Some(rev) = flag {
            let commit = objects.commit(rev)?;
            return Ok(commit
                .map(|commit| Self { commit, from: BaseFrom::Flag })
                .ok_or_else(|| NoBase::Unknown { rev: rev.to_owned() }));
        }
        let names = ["refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master"];
        let from = [BaseFrom::OriginHead, BaseFrom::Main, BaseFrom::Master];
        let found = objects.commits(&names)?.into_iter().zip(from);
        let mut found = found.filter_map(|(commit, from)| Some(Self { commit: commit?, from }));
        Ok(found.next().ok_or(NoBase::NotFound))
    }
}
