//! What may not be written or read, and why: the rules about paths that every layer states in one form.
//!
//! A protocol exports its rules as [`Protected`]; the program joins them and keeps them beside the repository, so that
//! a tool call is judged without reading the protocols' own files. Of kept rules only those parts are read that a path
//! asks for ([`Kept`]): ten thousand of them cost no more than ten.

mod glob;
mod kept;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// Whether this system takes names for one that differ in the case of letters, or in how letters with marks are encoded,
/// as its file systems usually do.
pub const FOLDS: bool = cfg!(any(target_os = "macos", windows));

/// A name as such a system compares it: composed (NFC) and in lower case.
pub fn folded(name: &str) -> String {
    name.nfc().flat_map(char::to_lowercase).nfc().collect()
}

fn as_compared(name: &str, fold: bool) -> Cow<'_, str> {
    if fold { Cow::Owned(folded(name)) } else { Cow::Borrowed(name) }
}

pub use kept::{Damaged, Index, Kept, Lines};

/// The name of the rule about git's own folder, which git's own commands may change.
pub const GIT_FOLDER: &str = "cairn:git";

/// Which access a rule shuts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Access {
    /// Writing, and whatever replaces or removes.
    Write,
    /// Reading as well.
    Any,
}

/// Which paths a rule is about, from the top of the repository, with forward slashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// This path.
    Path(String),
    /// This folder and everything below it.
    Below(String),
    /// Whatever a pattern matches, and everything below that.
    Glob(String),
    /// Everything outside of these folders.
    Outside(Vec<String>),
}

/// One rule about paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// Which paths.
    pub scope: Scope,
    /// Which access is shut.
    pub access: Access,
    /// The rule's name, as in `chalk:locked-test`.
    pub rule: String,
    /// Why, as a fact: "it is a locked test of task-1".
    pub fact: String,
    /// The one step that is allowed.
    pub next: String,
    /// Whether a person may let one call pass.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ticket: bool,
}

impl Scope {
    /// Whether this path is meant. `path` is in plain form: no `.`, no `..`, no doubled slash.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Self::Path(own) => own == path,
            Self::Below(folder) => is_below(path, folder),
            Self::Glob(pattern) => {
                let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
                ends.into_iter().any(|end| glob::matches(pattern.as_bytes(), &path.as_bytes()[..end]))
            }
            Self::Outside(folders) => !folders.iter().any(|folder| is_below(path, folder)),
        }
    }

    /// The same with its names as they are compared where that is without regard to case.
    fn folded(&self) -> Self {
        match self {
            Self::Path(path) => Self::Path(folded(path)),
            Self::Below(folder) => Self::Below(folded(folder)),
            Self::Glob(pattern) => Self::Glob(folded(pattern)),
            Self::Outside(folders) => Self::Outside(folders.iter().map(|folder| folded(folder)).collect()),
        }
    }

    /// Whether this is about something below this folder.
    fn is_within(&self, folder: &str) -> bool {
        match self {
            Self::Path(own) | Self::Below(own) => is_below(own, folder),
            Self::Glob(pattern) => glob::reaches_into(pattern.as_bytes(), folder.as_bytes()),
            Self::Outside(_) => false,
        }
    }
}

impl Guard {
    /// Whether the rule is about this path. `path` is in plain form: no `.`, no `..`, no doubled slash.
    pub fn holds(&self, path: &str) -> bool {
        self.scope.holds(path)
    }

    /// Whether the rule is about something below this folder, so that removing or reading the folder as a whole
    /// touches it.
    pub fn is_within(&self, folder: &str) -> bool {
        self.scope.is_within(folder)
    }
}

/// Whether `path` is `folder` or lies below it; the empty folder holds everything.
fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty()
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The rules of one layer, or of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Protected {
    guards: Vec<Guard>,
}

impl Protected {
    /// No rules.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more rule.
    pub fn push(&mut self, guard: Guard) {
        self.guards.push(guard);
    }

    /// The rules of another layer as well.
    pub fn extend(&mut self, other: Self) {
        self.guards.extend(other.guards);
    }

    /// Every rule.
    pub fn guards(&self) -> &[Guard] {
        &self.guards
    }

    /// The rules in the form in which they are kept: what finds them, and the lines of those about a single path.
    /// With `fold`, paths are compared as by [`folded`].
    pub fn keep(&self, fold: bool) -> (Index, Vec<u8>) {
        kept::keep(&self.guards, fold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(scope: Scope) -> Guard {
        Guard {
            scope,
            access: Access::Write,
            rule: "r".into(),
            fact: "f".into(),
            next: "n".into(),
            ticket: false,
        }
    }

    #[test]
    fn outside_is_everything_but_the_folders() {
        let outside = guard(Scope::Outside(vec!["app".into(), "docs".into()]));
        assert!(outside.holds("lib/x") && outside.holds("application/x") && outside.holds(""));
        assert!(!outside.holds("app/x") && !outside.holds("docs"));
    }
}
