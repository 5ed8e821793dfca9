//! The agent contract: what an agent must know of the gates, in the files that agents load by themselves.
//!
//! The contract is a managed block in `AGENTS.md` and `CLAUDE.md` (and in a `GEMINI.md` that is there),
//! beside the user's own text. For Claude Code there are agent definitions on top, see [`definitions`].

pub mod definitions;
mod text;

use std::fs;
use std::path::Path;

use canon::managed::{Damaged, Markers};
use gate::{Exit, Refusal};
use schemars::JsonSchema;
use serde::Serialize;
use store::file;

pub(crate) use text::in_short;

use crate::codes;
use crate::session::{Naming, io};

/// The block, with the markers that every implementation writes (facts 2.12).
const BLOCK: Markers =
    Markers { name: "chalk", note: "managed by `chalk agents` — edits inside are overwritten" };

/// Files that get the block, made where they are missing.
const MADE: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];
/// Files that get the block only where they are.
const FOUND: [&str; 1] = ["GEMINI.md"];

/// What became of the files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Installed {
    /// Every file that was looked at.
    pub files: Vec<FileResult>,
}

impl Installed {
    /// A file that was kept because somebody changed it is a refusal: not all that was asked for is done.
    pub fn exit(&self) -> Exit {
        let kept = self.files.iter().any(|file| file.outcome == Outcome::Kept);
        if kept { Exit::Refused } else { Exit::Done }
    }
}

/// What became of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct FileResult {
    /// Its path, relative to the root.
    pub path: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Why, where it was left alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How a file that was kept differs from what would have been written: lines that begin with `-` are
    /// the file's, those with `+` the program's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub difference: Vec<String>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Made.
    Created,
    /// Brought up to date.
    Updated,
    /// As it should be.
    Unchanged,
    /// A symbolic link to a file that has the contract.
    Linked,
    /// A symbolic link to something else; the contract is not in it.
    LinkedElsewhere,
    /// Somebody changed it, so it was left alone.
    Kept,
}

impl FileResult {
    fn new(path: &str, outcome: Outcome) -> Self {
        Self { path: path.to_owned(), outcome, detail: None, difference: Vec::new() }
    }
}

/// Puts the managed block into `AGENTS.md`, `CLAUDE.md` and an existing `GEMINI.md` of `root`.
///
/// Idempotent to the byte; text outside the block stays as it is. Nothing is written through a symbolic
/// link.
///
/// # Errors
/// `BLOCK_DAMAGED` for markers that aren't one pair, `IO` for a file that can't be read or written. No
/// file is changed unless all of them can be.
pub fn install(root: &Path, naming: Naming) -> Result<Vec<FileResult>, Refusal> {
    let planned = plan(root, naming)?;
    for Planned { result, content } in &planned {
        if let Some(content) = content {
            file::replace(&root.join(&result.path), content).map_err(io)?;
        }
    }
    Ok(planned.into_iter().map(|planned| planned.result).collect())
}

/// What [`install`] would do, without doing it.
///
/// # Errors
/// Those of [`install`].
pub fn check(root: &Path, naming: Naming) -> Result<Vec<FileResult>, Refusal> {
    Ok(plan(root, naming)?.into_iter().map(|planned| planned.result).collect())
}

/// What becomes of a file.
struct Planned {
    result: FileResult,
    /// Its new content, where it changes.
    content: Option<Vec<u8>>,
}

fn plan(root: &Path, naming: Naming) -> Result<Vec<Planned>, Refusal> {
    let found = FOUND.into_iter().filter(|name| fs::symlink_metadata(root.join(name)).is_ok());
    let names: Vec<&str> = MADE.into_iter().chain(found).collect();
    let text = text::contract(naming);
    let mut planned = Vec::new();
    for &name in &names {
        let path = root.join(name);
        if let Ok(target) = fs::read_link(&path) {
            planned.push(Planned { result: linked(root, name, &target, &names), content: None });
            continue;
        }
        let old = file::read(&path).map_err(io)?;
        let bytes = old.as_deref().unwrap_or_default();
        if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
            return Err(Refusal::new(codes::IO, format!("`{name}` is UTF-16 text"))
                .at(path, None, None)
                .hint("save it as UTF-8; no file was changed"));
        }
        let new =
            BLOCK.splice(bytes, &text).map_err(|damaged| refuse_damaged(naming, &path, name, &damaged))?;
        let outcome = match &old {
            None => Outcome::Created,
            Some(old) if *old == new => Outcome::Unchanged,
            Some(_) => Outcome::Updated,
        };
        let content = (outcome != Outcome::Unchanged).then_some(new);
        planned.push(Planned { result: FileResult::new(name, outcome), content });
    }
    Ok(planned)
}

fn refuse_damaged(naming: Naming, path: &Path, name: &str, damaged: &Damaged) -> Refusal {
    let message = format!(
        "the markers of the managed block are damaged: `{name}` line {}: {}",
        damaged.line, damaged.what
    );
    Refusal::new(codes::BLOCK_DAMAGED, message)
        .at(path, Some(damaged.line), None)
        .hint("take the stray marker line out by hand, then run the command again; no file was changed")
        .next(naming("agents"))
}

/// The result for a symbolic link, which is never written through.
fn linked(root: &Path, name: &str, target: &Path, managed: &[&str]) -> FileResult {
    let shown = target.display();
    let link = root.join(name);
    let real = fs::canonicalize(&link).unwrap_or_else(|_| file::plain(&root.join(target)));
    let root = fs::canonicalize(root).unwrap_or_else(|_| root.to_owned());
    let other = managed.iter().any(|other| *other != name && real == root.join(other));
    let (outcome, detail) = if other {
        (Outcome::Linked, format!("a symbolic link to `{shown}`, which has the contract"))
    } else {
        (
            Outcome::LinkedElsewhere,
            format!("a symbolic link to `{shown}`, left alone; the contract is not in it"),
        )
    };
    FileResult { detail: Some(detail), ..FileResult::new(name, outcome) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming(rest: &str) -> String {
        format!("chalk {rest}")
    }

    fn outcomes(root: &Path) -> Vec<(String, Outcome)> {
        install(root, naming).unwrap().into_iter().map(|file| (file.path, file.outcome)).collect()
    }

    fn named(files: &[(&str, Outcome)]) -> Vec<(String, Outcome)> {
        files.iter().map(|(name, outcome)| ((*name).to_owned(), *outcome)).collect()
    }

    #[test]
    fn a_second_run_changes_no_byte() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("CLAUDE.md"), "# Mine\n").unwrap();
        fs::write(root.join("GEMINI.md"), "").unwrap();
        let first = outcomes(root);
        assert_eq!(
            first,
            named(&[
                ("AGENTS.md", Outcome::Created),
                ("CLAUDE.md", Outcome::Updated),
                ("GEMINI.md", Outcome::Updated)
            ])
        );
        let bytes = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].map(|name| fs::read(root.join(name)).unwrap());
        assert!(bytes[1].starts_with(b"# Mine\n\n<!-- chalk:begin"));
        assert!(outcomes(root).iter().all(|(_, outcome)| *outcome == Outcome::Unchanged));
        assert_eq!(
            bytes,
            ["AGENTS.md", "CLAUDE.md", "GEMINI.md"].map(|name| fs::read(root.join(name)).unwrap())
        );
    }

    #[test]
    fn no_gemini_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        outcomes(folder.path());
        assert!(!folder.path().join("GEMINI.md").exists());
    }

    #[test]
    fn one_damaged_file_keeps_all_of_them_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("CLAUDE.md"), format!("mine\n{}\nmine too\n", BLOCK.begin())).unwrap();
        let refusal = install(root, naming).unwrap_err();
        assert_eq!(refusal.code, codes::BLOCK_DAMAGED);
        assert_eq!(refusal.at.unwrap().line, Some(2));
        assert!(!root.join("AGENTS.md").exists());
        assert_eq!(
            fs::read_to_string(root.join("CLAUDE.md")).unwrap(),
            format!("mine\n{}\nmine too\n", BLOCK.begin())
        );
    }

    #[test]
    fn utf16_text_is_not_mixed_with_utf8() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("AGENTS.md"), b"\xff\xfea\0").unwrap();
        assert_eq!(install(folder.path(), naming).unwrap_err().code, codes::IO);
    }

    #[test]
    #[cfg(unix)]
    fn nothing_is_written_through_a_link() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        symlink("./AGENTS.md", root.join("CLAUDE.md")).unwrap();
        fs::create_dir(root.join("docs")).unwrap();
        fs::write(root.join("docs/gemini.md"), "kept").unwrap();
        symlink("docs/gemini.md", root.join("GEMINI.md")).unwrap();
        let expected = |agents| {
            named(&[
                ("AGENTS.md", agents),
                ("CLAUDE.md", Outcome::Linked),
                ("GEMINI.md", Outcome::LinkedElsewhere),
            ])
        };
        assert_eq!(outcomes(root), expected(Outcome::Created));
        assert_eq!(outcomes(root), expected(Outcome::Unchanged));
        assert_eq!(fs::read_to_string(root.join("docs/gemini.md")).unwrap(), "kept");
        assert!(fs::symlink_metadata(root.join("CLAUDE.md")).unwrap().is_symlink());
    }
}
