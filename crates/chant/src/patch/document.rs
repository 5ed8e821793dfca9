//! The document that `patch` prints.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::git::Edit;

use crate::document::{CONTRACT, Cairn, LEVEL, Problem};

pub(super) const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/patch/v1/patch.schema.json";

/// A diff, file by file, cut to a size.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Document {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The workspace.
    pub workspace: Workspace,
    /// What was compared.
    pub range: Range,
    /// The `--path` filters, from the workspace root.
    pub paths: Vec<String>,
    /// How much text there may be.
    pub limits: Limits,
    /// The files that differ, in git's order.
    pub files: Vec<File>,
    /// The sums.
    pub summary: Summary,
}

/// Why nothing was read.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The reason.
    pub error: Problem,
}

impl From<&Refusal> for Failure {
    fn from(refusal: &Refusal) -> Self {
        Self { schema: SCHEMA, contract: CONTRACT, chant: LEVEL, cairn: Cairn::THIS, error: refusal.into() }
    }
}

/// The workspace that a document is about.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Workspace {
    /// Its name.
    pub name: String,
    /// Its root below the top of the repository, `.` for the top.
    pub root: String,
}

/// What was compared.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Range {
    /// The range as given.
    pub spec: String,
    /// How it was read.
    pub form: Form,
    /// The commit, or the empty tree, that the diff starts from.
    pub base: String,
    /// The commit that it ends at; null for the working tree.
    pub head: Option<String>,
}

/// How a range is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// `<base>..<head>`.
    Range,
    /// `<base>...<head>`: from where the two parted.
    MergeBase,
    /// One commit, against its first parent.
    Commit,
    /// The working tree, against one commit.
    Worktree,
}

impl Form {
    /// The form as documents carry it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::MergeBase => "merge-base",
            Self::Commit => "commit",
            Self::Worktree => "worktree",
        }
    }
}

/// How much hunk text a document holds.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Bytes for one file.
    pub file_bytes: u64,
    /// Bytes for all files together.
    pub total_bytes: u64,
}

/// One file that differs.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// Its name from the workspace root; where that is not UTF-8, as git quotes it.
    pub path: String,
    /// What happened to it.
    pub change: Change,
    /// The name that a renamed or copied file came from.
    pub from: Option<String>,
    /// Whether git takes it for binary.
    pub binary: bool,
    /// Lines added; null for a binary file.
    pub additions: Option<u64>,
    /// Lines deleted; null for a binary file.
    pub deletions: Option<u64>,
    /// How many hunks git wrote.
    pub hunk_count: usize,
    /// How many bytes of text they have, with their headers.
    pub bytes: u64,
    /// The hunks that fit.
    pub hunks: Vec<Hunk>,
    /// Whether that is less than git wrote.
    pub truncated: bool,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// It is new.
    Added,
    /// It has other content, or another mode.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It was made from another file.
    Copied,
}

impl Change {
    /// The change as documents carry it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Modified => "modified",
            Self::Deleted => "deleted",
            Self::Renamed => "renamed",
            Self::Copied => "copied",
        }
    }
}

impl From<Edit> for Change {
    fn from(edit: Edit) -> Self {
        match edit {
            Edit::Added => Self::Added,
            Edit::Modified => Self::Modified,
            Edit::Deleted => Self::Deleted,
            Edit::Renamed => Self::Renamed,
            Edit::Copied => Self::Copied,
        }
    }
}

/// Lines that changed together, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    /// The `@@` line.
    pub header: String,
    /// The first line before the change.
    pub old_start: u64,
    /// The number of lines before the change.
    pub old_lines: u64,
    /// The first line after the change.
    pub new_start: u64,
    /// The number of lines after the change.
    pub new_lines: u64,
    /// Each line with its space, `+`, `-` or backslash; bytes that are not UTF-8 as U+FFFD.
    pub lines: Vec<String>,
}

/// The sums of a diff.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Summary {
    /// How many files differ.
    pub files: usize,
    /// Lines added in files that are not binary.
    pub additions: u64,
    /// Lines deleted in files that are not binary.
    pub deletions: u64,
    /// Whether some file's text was cut.
    pub truncated: bool,
}
