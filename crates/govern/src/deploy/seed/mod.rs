//! Seeding the vault: the source is read and never written, and copied file by file, without a link.
//!
//! [`survey`] says beforehand what [`seed`] will write, or all that keeps it from that.
//!
//! `Index.md` says what the source's project is called, which decides where entries apply: that is not copied, and what
//! the target says already stays.

mod source;

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use canon::{Sha256, Timestamp};
use gate::Refusal;
use store::file::{self, FileError};

use super::probe::{CheckId, Obstacle};
use crate::knowledge::admit::keepable;
use crate::knowledge::regen::INDEX;
use crate::knowledge::vault::ITEMS;
use source::{PROJECT, files, given, name, read};

pub use source::{digest, look};

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
    /// A file that would be copied holds a credential.
    Secret(Box<Refusal>),
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
            Self::Secret(refusal) => {
                f.write_str(&refusal.message)?;
                let place = refusal.facts.first().and_then(|fact| fact.split_once(':'));
                place.map_or(Ok(()), |(place, _)| write!(f, " ({place})"))
            }
        }
    }
}

impl std::error::Error for SeedError {}

impl From<FileError> for SeedError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl SeedError {
    /// What the probe says of it, where `source` is the vault that is copied.
    pub fn obstacle(&self, source: &Path) -> Obstacle {
        let (check, how) = match self {
            Self::File(error) if error.path.starts_with(source) => {
                (CheckId::Source, "make the file one that you can read")
            }
            Self::File(_) => (CheckId::TargetVault, "make the place one that can be written, and no link"),
            Self::Odd(_) => {
                (CheckId::Source, "put the file itself in its place, or take it out of the vault")
            }
            Self::Missing(_) => (CheckId::Content, "complete the source vault"),
            Self::Moved => (CheckId::Source, "let nobody write the source vault meanwhile"),
            Self::Conflicts(_) => (
                CheckId::TargetVault,
                "give the target's files other names, or take over what they say into the source vault",
            ),
            Self::Within => (CheckId::Source, "name a vault with `--vault` that lies outside of the target"),
            Self::Index(_) => (CheckId::Content, "write the field on a line of its own"),
            Self::Secret(_) => (
                CheckId::Content,
                "write something like `<password>` in its place; if it was real, change it where it is used",
            ),
        };
        Obstacle { check, what: self.to_string(), how: how.to_owned() }
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

/// What will be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The files of the source, by their paths from its top.
    names: Vec<String>,
    /// What the target's vault does not have yet, with its content.
    pub missing: BTreeMap<String, Vec<u8>>,
}

/// What copying the vault `from` to `to` will write. Nothing is written.
///
/// # Errors
/// Everything that keeps it from being copied; at least one.
pub fn survey(from: &Path, target: &Path, to: &Path) -> Result<Survey, Vec<SeedError>> {
    if is_within(from, to) {
        return Err(vec![SeedError::Within]);
    }
    let (names, mut errors) = files(from);
    let (mut conflicts, mut missing) = (Vec::new(), BTreeMap::new());
    for name in &names {
        match meet(from, to, name) {
            Ok(Met::Missing(content)) => drop(missing.insert(name.clone(), content)),
            Ok(Met::Conflict) => conflicts.push(name.clone()),
            Ok(Met::Same) => {}
            Err(error) => errors.push(error),
        }
    }
    if !conflicts.is_empty() {
        errors.push(SeedError::Conflicts(conflicts));
    }
    let folders = ITEMS.iter().filter(|item| **item != INDEX).map(|item| to.join(name(item)));
    let folders = folders.map(|folder| file::check_folder(target, &folder));
    let written = missing.keys().map(String::as_str).chain([NOTE]);
    let written = written.map(|name| file::check_replace(target, &to.join(name)));
    for error in folders.chain(written).filter_map(Result::err) {
        let is_known = |known: &SeedError| matches!(known, SeedError::File(file) if file.path == error.path);
        if !errors.iter().any(is_known) {
            errors.push(error.into());
        }
    }
    if errors.is_empty() { Ok(Survey { names, missing }) } else { Err(errors) }
}

/// How a file of the source meets the target's vault.
enum Met {
    /// Nothing is there; it will have this content.
    Missing(Vec<u8>),
    /// It is there already.
    Same,
    /// Another file has its name.
    Conflict,
}

fn meet(from: &Path, to: &Path, name: &str) -> Result<Met, SeedError> {
    let content = given(from, name)?;
    match file::read(&to.join(name))? {
        None => {
            let what = format!("`{}`", from.join(name).display());
            keepable(&what, &String::from_utf8_lossy(&content))
                .map_err(|refusal| SeedError::Secret(Box::new(refusal)))?;
            Ok(Met::Missing(content))
        }
        Some(there) if name == INDEX || there == content => Ok(Met::Same),
        Some(_) => Ok(Met::Conflict),
    }
}

/// Whether one vault lies in the other.
fn is_within(from: &Path, to: &Path) -> bool {
    let real = |path: &Path| {
        // What is not there yet lies where the nearest folder above it really lies.
        let there = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
        let below = there.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?)));
        below.unwrap_or_else(|| path.to_owned())
    };
    real(to).starts_with(real(from)) || real(from).starts_with(real(to))
}

/// Copies the vault `from` to `to`, which lies below `target`. What is there already and the same stays; what is there
/// and another is a conflict, and then nothing is written. An index that is there is the target's own. Doing it twice is
/// doing it once.
///
/// # Errors
/// The source is not what the plan says, or what [`survey`] finds first.
pub fn seed(from: &Path, target: &Path, to: &Path, origin: &Origin<'_>) -> Result<Seeded, SeedError> {
    if is_within(from, to) {
        return Err(SeedError::Within);
    }
    if digest(from)? != origin.digest {
        return Err(SeedError::Moved);
    }
    let Survey { names, missing } = survey(from, target, to).map_err(|mut errors| errors.remove(0))?;
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
        let is_due = name != INDEX || missing.contains_key(name);
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
mod tests;
