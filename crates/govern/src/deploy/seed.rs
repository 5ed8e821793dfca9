//! Seeding the vault: the source is read and never written, and copied file by file, without a link.
//!
//! `Index.md` says what the source's project is called, which decides where entries apply: that is not copied, and what
//! the target says already stays.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use canon::{Sha256, Timestamp, front_matter};
use store::file::{self, FileError};

use super::probe::Source;
use crate::knowledge::regen::INDEX;
use crate::knowledge::vault::ITEMS;

/// The field of `Index.md` with what a project is called.
const PROJECT: &str = "project";

/// Where the origin of a seeded vault is noted. Of the source the file of this name is left out.
pub const NOTE: &str = "Research/DEPLOYMENT.md";

/// Why a vault is not copied.
#[derive(Debug)]
pub enum SeedError {
    /// A file can't be read or written.
    File(FileError),
    /// Something in the source is neither a file nor a folder, or has a name that is no text.
    Odd(PathBuf),
    /// A part of the source is missing.
    Missing(String),
    /// The source is not what it was when the plan was made.
    Moved,
    /// Files of the target's vault that are others.
    Conflicts(Vec<String>),
    /// One vault lies in the other.
    Within,
    /// What the source's project is called can't be taken out of its index.
    Index(PathBuf),
}

impl fmt::Display for SeedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Odd(path) => {
                write!(
                    f,
                    "`{}` is a link, or nothing that is copied; a vault holds files and folders",
                    path.display()
                )
            }
            Self::Missing(part) => write!(f, "the source vault has no {part}"),
            Self::Moved => f.write_str("the source vault changed since the plan was made"),
            Self::Conflicts(files) => {
                write!(f, "the target's vault has other files of these names: {}", files.join(", "))
            }
            Self::Within => f.write_str("the source vault and the target lie in each other"),
            Self::Index(path) => write!(
                f,
                "`{}` names its project in a way that can't be taken out; write `{PROJECT}:` on a line of its own",
                path.display()
            ),
        }
    }
}

impl std::error::Error for SeedError {}

impl From<FileError> for SeedError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// A vault that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeded {
    /// How many files it has.
    pub files: usize,
    /// The digest of what was copied, read from the target.
    pub digest: Sha256,
}

/// What of a source vault is there; nothing of it is opened.
pub fn look(vault: &Path) -> Source {
    let readable = fs::read_dir(vault).is_ok() && !is_link(vault);
    let is_there = |item: &str| {
        let metadata = fs::symlink_metadata(vault.join(name(item)));
        metadata.is_ok_and(|metadata| if item == INDEX { metadata.is_file() } else { metadata.is_dir() })
    };
    let missing = ITEMS.iter().filter(|item| !is_there(item)).map(|item| (*item).to_owned()).collect();
    Source { readable, missing }
}

/// The name of an item, which of a folder carries a slash.
fn name(item: &str) -> &str {
    item.trim_end_matches('/')
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// The files of a vault that are copied, sorted, by their paths from its top with `/`.
fn files(vault: &Path) -> Result<Vec<String>, SeedError> {
    let mut found = Vec::new();
    for item in ITEMS {
        let part = name(item);
        let metadata =
            fs::symlink_metadata(vault.join(part)).map_err(|_| SeedError::Missing(item.to_owned()))?;
        collect(vault, part.to_owned(), &metadata, &mut found)?;
    }
    found.retain(|name| name != NOTE);
    found.sort_unstable();
    Ok(found)
}

fn collect(
    vault: &Path,
    name: String,
    metadata: &fs::Metadata,
    found: &mut Vec<String>,
) -> Result<(), SeedError> {
    let path = vault.join(&name);
    if metadata.is_file() {
        found.push(name);
        return Ok(());
    }
    if !metadata.is_dir() {
        return Err(SeedError::Odd(path));
    }
    let fail = |source: io::Error| SeedError::File(FileError { path: path.clone(), doing: "read", source });
    for entry in fs::read_dir(&path).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let Some(below) = entry.file_name().to_str().map(|below| format!("{name}/{below}")) else {
            return Err(SeedError::Odd(entry.path()));
        };
        collect(vault, below, &entry.metadata().map_err(fail)?, found)?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>, SeedError> {
    file::read(path)?.ok_or(SeedError::Moved)
}

/// What of a file of the source the target is given.
fn given(vault: &Path, name: &str) -> Result<Vec<u8>, SeedError> {
    let bytes = read(&vault.join(name))?;
    if name != INDEX {
        return Ok(bytes);
    }
    without_project(bytes).ok_or_else(|| SeedError::Index(vault.join(name)))
}

/// An index that does not say what the project is called. None where it can't be said without it.
fn without_project(bytes: Vec<u8>) -> Option<Vec<u8>> {
    let Ok(document) = front_matter::parse(&bytes) else { return Some(bytes) };
    if !document.data.contains_key(PROJECT) {
        return Some(bytes);
    }
    if document.data.len() == 1 {
        return Some(document.body().as_bytes().to_vec());
    }
    let text = front_matter::remove(document.text(), PROJECT)?;
    let again = front_matter::parse(text.as_bytes()).ok()?;
    (!again.data.contains_key(PROJECT)).then(|| text.clone().into_bytes())
}

/// The digest of what of a vault is copied: names and contents.
///
/// # Errors
/// It can't be read, or holds a link.
pub fn digest(vault: &Path) -> Result<Sha256, SeedError> {
    let mut parts = Vec::new();
    for name in files(vault)? {
        let content = Sha256::of(read(&vault.join(&name))?);
        parts.push((name, content));
    }
    Ok(Sha256::of(canon::json::canonical(&parts).unwrap_or_default()))
}

/// Where a vault came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin<'a> {
    /// The source, as it was named.
    pub path: &'a str,
    /// The commit that was checked out there.
    pub commit: Option<&'a str>,
    /// When the deployment was approved.
    pub at: Timestamp,
    /// The digest of what was copied.
    pub digest: Sha256,
}

impl Origin<'_> {
    fn note(&self) -> String {
        let commit = self.commit.unwrap_or("none: the source is no repository");
        format!(
            "# Deployment\n\nThis vault was seeded by `cairn govern deploy`. Its source was only read.\n\n\
             - source: `{}`\n- commit: {commit}\n- content: sha256 {}\n- date: {}\n",
            canon::text::one_line(self.path),
            self.digest,
            self.at.date()
        )
    }
}

/// Copies the vault `from` to `to`, which lies below `target`. What is there already and the same stays; what is there
/// and another is a conflict, and then nothing is written. An index that is there is the target's own. Doing it twice is
/// doing it once.
///
/// # Errors
/// The source is not what the plan says, holds a link, or meets other files.
pub fn seed(from: &Path, target: &Path, to: &Path, origin: &Origin<'_>) -> Result<Seeded, SeedError> {
    let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if real(to).starts_with(real(from)) || real(from).starts_with(real(to)) {
        return Err(SeedError::Within);
    }
    if digest(from)? != origin.digest {
        return Err(SeedError::Moved);
    }
    let names = files(from)?;
    let mut conflicts = Vec::new();
    let mut missing = Vec::new();
    for name in &names {
        match file::read(&to.join(name))? {
            None => missing.push((name, given(from, name)?)),
            Some(there) if name != INDEX && there != given(from, name)? => conflicts.push(name.clone()),
            Some(_) => {}
        }
    }
    if !conflicts.is_empty() {
        return Err(SeedError::Conflicts(conflicts));
    }
    for folder in ITEMS.iter().filter(|item| **item != INDEX) {
        file::create_folder(target, &to.join(name(folder)))?;
    }
    for (name, content) in &missing {
        let path = to.join(name);
        file::create_folder(target, path.parent().unwrap_or(to))?;
        file::replace(&path, content)?;
    }
    file::replace(&to.join(NOTE), origin.note().as_bytes())?;
    // What the target had beside it is no part of what was copied.
    let mut parts = Vec::new();
    for name in &names {
        let there = read(&to.join(name))?;
        let is_due = name != INDEX || missing.iter().any(|(missing, _)| *missing == name);
        if is_due && there != given(from, name)? {
            return Err(SeedError::Moved);
        }
        parts.push((name, Sha256::of(there)));
    }
    if digest(from)? != origin.digest {
        return Err(SeedError::Moved);
    }
    let digest = Sha256::of(canon::json::canonical(&parts).unwrap_or_default());
    Ok(Seeded { files: names.len(), digest })
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Two {
        _folder: tempfile::TempDir,
        from: PathBuf,
        target: PathBuf,
        to: PathBuf,
    }

    fn two() -> Two {
        let folder = tempfile::tempdir().unwrap();
        let (from, target) = (folder.path().join("vault"), folder.path().join("project"));
        for name in
            ["Rules/a.md", "Rules/deep/b.md", "Lessons/l.md", "Research/r.md", "Templates/t.md", "Index.md"]
        {
            let path = from.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("# {name}\n")).unwrap();
        }
        fs::write(from.join(NOTE), "an older deployment\n").unwrap();
        fs::write(from.join("private.md"), "not part of it\n").unwrap();
        fs::create_dir(&target).unwrap();
        let to = target.join(super::super::VAULT);
        Two { _folder: folder, from, target, to }
    }

    fn go(two: &Two) -> Result<Seeded, SeedError> {
        let digest = digest(&two.from)?;
        let at = Timestamp::from_millis(1_796_083_200_000);
        let origin = Origin { path: "/w/vault", commit: Some("abc"), at, digest };
        seed(&two.from, &two.target, &two.to, &origin)
    }

    fn tree(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
        let mut found = Vec::new();
        let mut open = vec![folder.to_owned()];
        while let Some(at) = open.pop() {
            for entry in fs::read_dir(at).into_iter().flatten().flatten() {
                let path = entry.path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.push((path.clone(), fs::read(&path).unwrap()));
                }
            }
        }
        found.sort();
        found
    }

    /// CV-6: the five parts are there, the source is as it was, and the origin is noted.
    #[test]
    fn a_vault_is_copied_and_its_source_stays() {
        let two = two();
        let before = tree(&two.from);
        let seeded = go(&two).unwrap();
        assert_eq!(tree(&two.from), before);
        assert_eq!(seeded, Seeded { files: 6, digest: digest(&two.from).unwrap() });
        assert_eq!(look(&two.to), Source { readable: true, missing: Vec::new() });
        let note = fs::read_to_string(two.to.join(NOTE)).unwrap();
        assert!(
            note.contains("source: `/w/vault`")
                && note.contains("commit: abc")
                && note.contains("2026-12-01")
        );
        assert!(!two.to.join("private.md").exists());
        let after = tree(&two.to);
        assert_eq!(go(&two).unwrap(), seeded, "twice is once");
        assert_eq!(tree(&two.to), after);
    }

    #[test]
    fn what_is_missing_is_named() {
        let two = two();
        fs::remove_dir_all(two.from.join("Lessons")).unwrap();
        fs::remove_file(two.from.join("Index.md")).unwrap();
        assert_eq!(look(&two.from).missing, ["Lessons/", "Index.md"]);
        assert!(matches!(go(&two), Err(SeedError::Missing(part)) if part == "Lessons/"));
        assert!(!look(&two.from.join("nothing")).readable);
    }

    /// WS-008: what the source's project is called would make the target apply what is that project's alone.
    #[test]
    fn the_target_is_not_called_as_the_source_is() {
        for (index, becomes) in [
            ("---\nproject: source\n---\n# Knowledge\n", "# Knowledge\n"),
            ("---\nproject: source\nowner: us\n---\n# Knowledge\n", "---\nowner: us\n---\n# Knowledge\n"),
            ("---\r\nowner: us\r\nproject: source\r\n---\r\n# K\r\n", "---\nowner: us\n---\n# K\n"),
            ("---\nowner: us\n---\n# Knowledge\n", "---\nowner: us\n---\n# Knowledge\n"),
            ("---\nproject: [\n---\n", "---\nproject: [\n---\n"),
        ] {
            let two = two();
            fs::write(two.from.join("Index.md"), index).unwrap();
            go(&two).unwrap();
            assert_eq!(fs::read_to_string(two.to.join("Index.md")).unwrap(), becomes);
            fs::write(two.to.join("Index.md"), "---\nproject: target\n---\n# Mine\n").unwrap();
            go(&two).unwrap();
            let kept = fs::read_to_string(two.to.join("Index.md")).unwrap();
            assert!(kept.contains("project: target"), "an index that is there is the target's own");
        }
    }

    #[test]
    fn other_files_of_the_target_are_kept_and_named() {
        let two = two();
        fs::create_dir_all(two.to.join("Rules")).unwrap();
        fs::write(two.to.join("Rules/a.md"), "mine\n").unwrap();
        let before = tree(&two.target);
        assert!(matches!(go(&two), Err(SeedError::Conflicts(files)) if files == ["Rules/a.md"]));
        assert_eq!(tree(&two.target), before, "nothing is written");
        fs::rename(two.to.join("Rules/a.md"), two.to.join("Rules/mine.md")).unwrap();
        go(&two).unwrap();
        assert_eq!(fs::read(two.to.join("Rules/mine.md")).unwrap(), b"mine\n");
    }

    #[test]
    fn a_source_that_moved_is_not_copied() {
        let two = two();
        let origin =
            Origin { path: "x", commit: None, at: Timestamp::from_millis(0), digest: Sha256::of("before") };
        assert!(matches!(seed(&two.from, &two.target, &two.to, &origin), Err(SeedError::Moved)));
        assert!(!two.to.exists());
    }

    #[test]
    fn a_vault_is_not_copied_into_itself() {
        let two = two();
        let digest = digest(&two.from).unwrap();
        let origin = Origin { path: "x", commit: None, at: Timestamp::from_millis(0), digest };
        let inside = two.from.join(super::super::VAULT);
        assert!(matches!(seed(&two.from, &two.from, &inside, &origin), Err(SeedError::Within)));
    }

    #[test]
    #[cfg(unix)]
    fn links_are_refused_on_both_sides() {
        let link =
            |two: &Two, at: &Path| std::os::unix::fs::symlink(two.from.join("private.md"), at).unwrap();
        let source = two();
        link(&source, &source.from.join("Rules/link.md"));
        assert!(matches!(go(&source), Err(SeedError::Odd(path)) if path.ends_with("Rules/link.md")));
        assert!(!source.to.exists());
        let target = two();
        fs::create_dir_all(target.to.join("Rules")).unwrap();
        link(&target, &target.to.join("Rules/a.md"));
        assert!(matches!(go(&target), Err(SeedError::File(_))));
        assert_eq!(fs::read(target.from.join("private.md")).unwrap(), b"not part of it\n");
    }
}
