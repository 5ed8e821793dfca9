//! `workspace patch`: the hunks of a diff under the workspace root, for a reader that runs no git.

mod budget;
mod document;
mod range;
mod text;

use std::num::NonZeroU64;

use gate::Refusal;
use store::git::{FilePatch, Git, GitError, RepoPath, Span};

pub use document::{Change, Document, Failure, File, Form, Hunk, Limits, Range, Summary, Workspace};
pub use range::Asked;
pub use text::text;

use crate::codes;
use crate::place::Place;
use crate::records::{declared, is_workspace_path};
use budget::Budget;

/// The bytes of hunk text that a file gets where `--max-bytes` doesn't say.
pub const FILE_BYTES: NonZeroU64 = NonZeroU64::new(65_536).unwrap();

/// How many times a file's bytes all files get together.
const FILES: u64 = 16;

/// What `patch` was asked for.
#[derive(Debug, Clone)]
pub struct Request<'a> {
    /// The range of commits, or the working tree.
    pub asked: Asked<'a>,
    /// The `--path` filters as given, from the workspace root.
    pub paths: &'a [String],
    /// The bytes of hunk text that one file gets.
    pub file_bytes: NonZeroU64,
}

/// Reads the diff within the workspace around the folder that the command stands in. In a repository without a working
/// tree it is the workspace that `HEAD` declares.
///
/// # Errors
/// Every code that the document of `patch` lists.
pub fn at(place: &Place<'_>, request: &Request<'_>) -> Result<Document, Refusal> {
    place.repository()?;
    let at = if place.layout().is_none() { Some("HEAD") } else { None };
    let workspace = declared(place, at)?;
    read(place.git(), (&workspace.declaration.name, &workspace.root), request)
}

/// Reads the diff. `git` stands at the top of the repository, bare or not; `workspace` is the workspace's name and its
/// root below that top.
///
/// # Errors
/// `patch-path-invalid`, `revision-unknown`, or `not-a-git-repository` where git can't answer.
pub fn read(git: &Git, workspace: (&str, &RepoPath), request: &Request<'_>) -> Result<Document, Refusal> {
    let (name, root) = workspace;
    let paths: Vec<&str> = request.paths.iter().map(|path| filter(path)).collect::<Result<_, _>>()?;
    let resolved = range::resolve(git, request.asked)?;
    let inside: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(*path)).collect();
    let span = Span { base: &resolved.base, head: resolved.head.as_ref(), folder: root, paths: &inside };
    let patches = git.patches(&span).map_err(refuse)?;

    let limits = Limits {
        file_bytes: request.file_bytes.get(),
        total_bytes: request.file_bytes.get().saturating_mul(FILES),
    };
    let mut budget = Budget::new(&limits);
    let files: Vec<File> = patches.iter().map(|patch| file(patch, &mut budget)).collect();
    let summary = Summary {
        files: files.len(),
        additions: files.iter().filter_map(|file| file.additions).sum(),
        deletions: files.iter().filter_map(|file| file.deletions).sum(),
        truncated: files.iter().any(|file| file.truncated),
    };
    Ok(Document {
        schema: document::SCHEMA,
        contract: crate::CONTRACT,
        chant: crate::LEVEL,
        cairn: crate::Cairn::THIS,
        workspace: Workspace {
            name: name.to_owned(),
            root: if root.is_empty() { ".".to_owned() } else { root.legible().into_owned() },
        },
        range: Range {
            spec: resolved.spec,
            form: resolved.form,
            base: resolved.base.to_string(),
            head: resolved.head.map(|head| head.to_string()),
        },
        paths: paths.into_iter().map(str::to_owned).collect(),
        limits,
        files,
        summary,
    })
}

/// A `--path` without the slashes at its end.
fn filter(path: &str) -> Result<&str, Refusal> {
    let plain = path.trim_end_matches('/');
    if plain == "." || is_workspace_path(plain) {
        return Ok(plain);
    }
    let message = format!("`--path {}` is no path inside the workspace", path.escape_debug());
    Err(Refusal::new(codes::PATCH_PATH_INVALID, message)
        .hint("give a file or a folder from the workspace root, with `/` between names and without `..`"))
}

fn file(patch: &FilePatch, budget: &mut Budget) -> File {
    let cut = budget.cut(&patch.hunks);
    File {
        path: patch.path.legible().into_owned(),
        change: patch.edit.into(),
        from: patch.from.as_ref().map(|from| from.legible().into_owned()),
        binary: patch.lines.is_none(),
        additions: patch.lines.map(|(added, _)| added),
        deletions: patch.lines.map(|(_, deleted)| deleted),
        hunk_count: patch.hunks.len(),
        bytes: cut.bytes,
        hunks: cut.hunks,
        truncated: cut.truncated,
    }
}

fn refuse(error: GitError) -> Refusal {
    let code = match error {
        GitError::Revision { .. } => codes::REVISION_UNKNOWN,
        _ => codes::NOT_A_GIT_REPOSITORY,
    };
    Refusal::new(code, error.to_string())
}

#[cfg(test)]
mod tests;
