//! Record kinds: what a kind file says of its records.
//!
//! A kind file is a JavaScript module that exports data, `recordKind`. It is read without running anything; a value
//! that would have to be computed makes the kind unreadable. The shape is closed: a key that is not known makes it
//! invalid.

mod load;
mod schema;
pub(crate) mod shape;

use std::collections::BTreeMap;

use fancy_regex::Regex;
use gate::Refusal;
use store::git::RepoPath;

use crate::codes;

pub use load::{Outline, load, outline};
pub use schema::Schema;

/// How the files of a kind hold their records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown with front matter, which is the record's data.
    FrontMatter,
    /// One JSON object.
    Json,
}

impl Format {
    /// As documents name it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FrontMatter => "markdown-front-matter",
            Self::Json => "json",
        }
    }
}

/// Where a record's id comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IdRule {
    /// The string in this field.
    Field(String),
    /// The SHA-256 of the file's bytes.
    Sha256,
}

/// The states that a record can be in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct States {
    /// The field that holds the state.
    pub field: String,
    /// All states; a record opens in the first.
    pub all: Vec<String>,
    /// Those in which nothing in the record changes any more.
    pub closed: Vec<String>,
}

/// A field that names other records: an id, a list of ids, or with a key a list of objects whose key holds the id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The field.
    pub field: String,
    /// The key within each object.
    pub key: Option<String>,
}

/// Verdicts on a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reviews {
    /// The field with the list of verdicts.
    pub field: String,
    /// The field that names who decides, and who is the record's author where it is sealed.
    pub decider: String,
    /// The state that needs a met quorum.
    pub ratified: Option<String>,
}

/// What makes a kind the kind of review sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// The field with the verdicts that the session produced.
    pub verdicts: String,
    /// The field with the whole-file seal.
    pub seal: String,
    /// The kind files of the records that its verdicts judge.
    pub subjects: Vec<RepoPath>,
    /// The field with the time it closed.
    pub closed_on: Option<String>,
    /// The field with the commit it opened at.
    pub opened_rev: Option<String>,
    /// The field with the commit it closed at.
    pub closed_rev: Option<String>,
}

/// What makes a kind a work kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Work {
    /// The field with the ids of the items that must be done first.
    pub needs: String,
    /// The field with the ids of the decisions that the item carries out.
    pub implements: String,
    /// The kind file of those decisions.
    pub decisions: RepoPath,
    /// The state in which an item can be taken up.
    pub open: String,
    /// The state of a finished item.
    pub done: String,
    /// The field with the day it was closed.
    pub closed_on: Option<String>,
    /// Its acceptance criteria.
    pub acceptance: Option<Acceptance>,
    /// Who builds it.
    pub tier: Option<Tier>,
    /// How often it may be tried.
    pub attempts: Option<Attempts>,
    /// The kind file of answers that speak of items.
    pub answers: Option<RepoPath>,
    /// The contract that an item builds.
    pub contract: Option<Contract>,
    /// The field that says where an item comes from.
    pub source: Option<String>,
}

/// Acceptance criteria of a work item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The field with the list of criteria.
    pub field: String,
    /// The field that names who implements the item, whose own manual verdict does not count.
    pub implementer: Option<String>,
}

/// The builder tiers of a work kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tier {
    /// The field.
    pub field: String,
    /// The tiers that are known.
    pub tiers: Vec<String>,
}

/// The limit of attempts at a work item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempts {
    /// The field with an item's own limit.
    pub field: Option<String>,
    /// The limit of an item without one.
    pub max: Option<u64>,
}

/// The contract that a work item builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The field with its id.
    pub field: String,
    /// The kind file of contracts.
    pub kind: RepoPath,
}

/// A record kind, as its file declares it.
#[derive(Debug)]
pub struct Kind {
    /// The kind file.
    pub file: RepoPath,
    /// The kind's own name.
    pub name: String,
    /// The folder that holds the records.
    pub folder: RepoPath,
    /// Which file names in it are records.
    pub matches: Regex,
    /// How a file holds its record.
    pub format: Format,
    /// What a record's data must look like.
    pub schema: Schema,
    /// Where the id comes from.
    pub id: IdRule,
    /// The states, where the kind has any.
    pub states: Option<States>,
    /// Which records a record replaces.
    pub supersedes: Option<Link>,
    /// Which closed records a record mends without replacing them.
    pub remediates: Option<Link>,
    /// The rank of each state; a state that is not named ranks 0.
    pub approval: Option<BTreeMap<String, u64>>,
    /// The field with the files that a record pins by hash.
    pub pins: Option<String>,
    /// The field with what a record governs.
    pub constrains: Option<String>,
    /// The field with what a change for the record must not touch.
    pub out_of_scope: Option<String>,
    /// The field that names who proposed the record.
    pub proposed_by: Option<String>,
    /// The field that says where the record comes from.
    pub source: Option<String>,
    /// Verdicts on its records.
    pub reviews: Option<Reviews>,
    /// The field with the whole-file seal of a closed record.
    pub seal: Option<String>,
    /// Whether the current records are the workspace's specification.
    pub is_spec: bool,
    /// Set for the kind of review sessions.
    pub session: Option<Session>,
    /// Set for a work kind.
    pub work: Option<Work>,
    /// The points file that the records answer.
    pub answers: Option<RepoPath>,
}

impl Kind {
    /// The rank of a state under the approval rule; none where the kind has no such rule.
    pub fn rank(&self, state: Option<&str>) -> Option<u64> {
        let approval = self.approval.as_ref()?;
        Some(state.and_then(|state| approval.get(state)).copied().unwrap_or_default())
    }

    /// Whether a record in this state changes no more.
    pub fn is_closed(&self, state: Option<&str>) -> bool {
        let closed = self.states.as_ref().map_or(&[][..], |states| &states.closed);
        state.is_some_and(|state| closed.iter().any(|closed| closed == state))
    }

    /// Whether a record in this state is approved: it ranks above 0, or without ranks is closed.
    pub fn is_approved(&self, state: Option<&str>) -> bool {
        self.rank(state).map_or_else(|| self.is_closed(state), |rank| rank > 0)
    }

    /// The field with the seal over a whole file, which a session declares in its own block.
    pub fn whole_seal(&self) -> Option<&str> {
        self.seal.as_deref().or_else(|| self.session.as_ref().map(|session| session.seal.as_str()))
    }

    /// Whether a file of this name is a record; a name that is not UTF-8 is none.
    ///
    /// # Errors
    /// `kind-invalid` where the pattern can't decide within its bounds.
    pub fn decide(&self, name: &[u8]) -> Result<bool, Refusal> {
        let Ok(name) = std::str::from_utf8(name) else { return Ok(false) };
        self.matches.is_match(name).map_err(|_| {
            let message = format!(
                "kind file {}: location.match can't be decided for the file name {name:?} within bounds",
                self.file
            );
            Refusal::new(codes::KIND_INVALID, message)
                .hint("write a pattern without repetitions in repetitions")
        })
    }

    /// Whether a file of this name is a record, as far as the pattern can decide.
    pub fn holds(&self, name: &[u8]) -> bool {
        self.decide(name).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
