//! The documents that the record writes print.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{Before, Draft, Judged, Seal, SessionDraft};
use crate::codes;
use crate::codes::lists::{self, Document};
use crate::declaration;
use crate::document::{CONTRACT, Problem};
use crate::journal::LastWrite;
use crate::kind::Kind;

/// The schema of the document that `records <verb>` prints.
macro_rules! schema {
    ($verb:literal) => {
        concat!(
            "https://intentius.io/chant/schemas/workspace/records-",
            $verb,
            "/v1/records-",
            $verb,
            ".schema.json"
        )
    };
}

/// Which write a document is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// `records new`.
    New,
    /// `records amend`.
    Amend,
    /// `records review`.
    Review,
    /// `records close`.
    Close,
}

impl Verb {
    /// The schema of its document.
    pub fn schema(self) -> &'static str {
        match self {
            Self::New => schema!("new"),
            Self::Amend => schema!("amend"),
            Self::Review => schema!("review"),
            Self::Close => schema!("close"),
        }
    }

    /// As locks and journals name it.
    pub fn command(self) -> &'static str {
        match self {
            Self::New => "records new",
            Self::Amend => "records amend",
            Self::Review => "records review",
            Self::Close => "records close",
        }
    }

    /// As a write scope names it.
    pub fn in_scope(self) -> declaration::Verb {
        match self {
            Self::New => declaration::Verb::New,
            Self::Amend => declaration::Verb::Amend,
            Self::Review => declaration::Verb::Review,
            Self::Close => declaration::Verb::Close,
        }
    }

    /// The codes that its document may carry.
    pub fn document(self) -> &'static Document {
        match self {
            Self::New => &lists::RECORDS_NEW,
            Self::Amend => &lists::RECORDS_AMEND,
            Self::Review => &lists::RECORDS_REVIEW,
            Self::Close => &lists::RECORDS_CLOSE,
        }
    }
}

/// A kind, as documents name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct KindName {
    /// Its name.
    pub name: String,
    /// The `$id` of its schema.
    pub schema: String,
    /// Its file, from the top of the repository.
    pub file: String,
}

impl From<&Kind> for KindName {
    fn from(kind: &Kind) -> Self {
        Self { name: kind.name.clone(), schema: kind.schema.id.clone(), file: kind.file.to_string() }
    }
}

/// What every document of a write begins with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Head {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: String,
    /// The version of the contract.
    pub contract: u32,
    /// The record's kind.
    pub kind: KindName,
    /// The record's file, from the top of the repository.
    pub path: String,
    /// The record's id.
    pub id: String,
}

impl Head {
    fn new(verb: Verb, kind: &Kind, draft: &Draft) -> Self {
        Self {
            schema: verb.schema().to_owned(),
            contract: CONTRACT,
            kind: kind.into(),
            path: draft.path.to_string(),
            id: draft.id.clone(),
        }
    }
}

/// What every document of a write ends with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tail {
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What the written record is warned of.
    pub warnings: Vec<Problem>,
    /// With `--dry-run`: the text that the file would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The record's digest after the write.
    pub digest: String,
}

impl Tail {
    /// The end of a write's document; warnings that the document may not carry are left out.
    pub fn new(verb: Verb, draft: &Draft, warnings: Vec<Problem>, dry_run: bool) -> Self {
        let listed = |warning: &Problem| verb.document().parts().any(|code| code == warning.code);
        Self {
            dry_run,
            warnings: warnings.into_iter().filter(listed).collect(),
            text: dry_run.then(|| draft.text.clone()),
            digest: draft.digest.to_string(),
        }
    }
}

/// What `records new` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Created {
    #[serde(flatten)]
    head: Head,
    /// The author's seal that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<Seal>,
    #[serde(flatten)]
    tail: Tail,
}

impl Created {
    /// The document of a new record.
    pub fn new(kind: &Kind, draft: &Draft, tail: Tail) -> Self {
        Self { head: Head::new(Verb::New, kind, draft), seal: draft.seal.clone(), tail }
    }
}

/// What `records amend` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Amended {
    #[serde(flatten)]
    head: Head,
    /// The fields whose values differ from before.
    changed: Vec<String>,
    /// The author's seal that was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    seal: Option<Seal>,
    /// That the author's seal went, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    seal_dropped: Option<String>,
    #[serde(flatten)]
    tail: Tail,
}

impl Amended {
    /// The document of an amendment.
    pub fn new(kind: &Kind, draft: &Draft, tail: Tail) -> Self {
        let dropped =
            "the author's seal covered the text as it was, so it was removed; --sign seals the record again";
        Self {
            head: Head::new(Verb::Amend, kind, draft),
            changed: draft.changed.clone(),
            seal: draft.seal.clone(),
            seal_dropped: draft.seal_dropped.then(|| dropped.to_owned()),
            tail,
        }
    }
}

/// What `records review` prints.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reviewed {
    #[serde(flatten)]
    head: Head,
    /// The entry added to the record's verdicts.
    review: Map<String, Value>,
    #[serde(flatten)]
    tail: Tail,
    /// The session that took the verdict as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<SessionEntry>,
}

/// A verdict in a session.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SessionEntry {
    /// The session's id.
    pub id: String,
    /// The session's file, from the top of the repository.
    pub path: String,
    /// The entry added to its verdicts.
    pub verdict: Map<String, Value>,
    /// With `--dry-run`: the text that the file would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

impl Reviewed {
    /// The document of a verdict.
    pub fn new(kind: &Kind, judged: &Judged, tail: Tail) -> Self {
        let session = judged.session.as_ref().map(|session: &SessionDraft| SessionEntry {
            id: session.id.clone(),
            path: session.path.to_string(),
            verdict: session.verdict.clone(),
            text: tail.dry_run.then(|| session.text.clone()),
        });
        Self {
            head: Head::new(Verb::Review, kind, &judged.draft),
            review: judged.entry.clone(),
            tail,
            session,
        }
    }
}

/// What `records close` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Closed {
    #[serde(flatten)]
    head: Head,
    /// The fields whose values differ from before.
    changed: Vec<String>,
    /// The seal over the whole session.
    seal: WholeSeal,
    /// The commit that was checked out.
    #[serde(rename = "closedRev")]
    commit: Option<String>,
    #[serde(flatten)]
    tail: Tail,
}

/// A whole-file seal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct WholeSeal {
    /// The field that holds it.
    pub field: String,
    /// The seal.
    pub digest: String,
}

impl Closed {
    /// The document of a session's end.
    pub fn new(kind: &Kind, closing: &super::Closing, head: Option<&str>, tail: Tail) -> Self {
        Self {
            head: Head::new(Verb::Close, kind, &closing.draft),
            changed: closing.draft.changed.clone(),
            seal: WholeSeal { field: closing.seal_field.clone(), digest: closing.seal.clone() },
            commit: head.map(str::to_owned),
            tail,
        }
    }
}

/// What a write prints that was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Failed {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: String,
    /// The version of the contract.
    pub contract: u32,
    /// Why.
    pub error: Problem,
    /// Of a conflict: the record as it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflict: Option<Conflict>,
}

impl Failed {
    /// The document of a refused write.
    ///
    /// What stands before the write, a declaration or a repository that can't be read, has no code of its own there.
    pub fn new(verb: Verb, refusal: &Refusal, conflict: Option<Conflict>) -> Self {
        let mut error = Problem::from(refusal);
        if !verb.document().may_fail_with(error.code) {
            error.code = codes::WRITE_USAGE_INVALID;
        }
        Self { schema: verb.schema().to_owned(), contract: CONTRACT, error, conflict }
    }
}

/// A record that moved since the caller read it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Conflict {
    /// The record's id.
    pub id: String,
    /// Its file, from the top of the repository.
    pub path: String,
    /// The digest that `--expect` named.
    pub expected: String,
    /// The digest now.
    pub digest: String,
    /// The write that left the file as it is.
    pub last_write: Option<LastWrite>,
}

impl Conflict {
    /// The conflict of a record with what the caller expected.
    pub fn new(kind: &Kind, before: &Before, expected: &str, last_write: Option<LastWrite>) -> Self {
        Self {
            id: before.id(kind).to_owned(),
            path: before.path.to_string(),
            expected: expected.to_owned(),
            digest: before.digest.to_string(),
            last_write,
        }
    }
}
