//! The source vault: what of it is there, what of it is copied, and the digest of that.

use std::fs;
use std::io;
use std::path::Path;

use canon::{Sha256, front_matter};
use store::file::{self, FileError};

use super::{NOTE, SeedError};
use crate::deploy::probe::Source;
use crate::knowledge::regen::INDEX;
use crate::knowledge::vault::ITEMS;

/// The field of `Index.md` with what a project is called.
pub(super) const PROJECT: &str = "project";

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

/// The digest of what of a vault is copied: names and contents.
///
/// # Errors
/// It can't be read, or holds a link.
pub fn digest(vault: &Path) -> Result<Sha256, SeedError> {
    let (names, mut errors) = files(vault);
    if !errors.is_empty() {
        return Err(errors.remove(0));
    }
    let mut parts = Vec::new();
    for name in names {
        let content = Sha256::of(read(&vault.join(&name))?);
        parts.push((name, content));
    }
    Ok(Sha256::of(canon::json::canonical(&parts).unwrap_or_default()))
}

/// The name of an item, which of a folder carries a slash.
pub(super) fn name(item: &str) -> &str {
    item.trim_end_matches('/')
}

fn is_link(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
}

/// The files of a vault that are copied, sorted, by their paths from its top with `/`; and whatever can't be.
pub(super) fn files(vault: &Path) -> (Vec<String>, Vec<SeedError>) {
    let (mut found, mut errors) = (Vec::new(), Vec::new());
    for item in ITEMS {
        let part = name(item);
        match fs::symlink_metadata(vault.join(part)) {
            Ok(metadata) => collect(vault, part.to_owned(), &metadata, &mut found, &mut errors),
            Err(_) => errors.push(SeedError::Missing(item.to_owned())),
        }
    }
    found.retain(|name| name != NOTE);
    found.sort_unstable();
    (found, errors)
}

fn collect(
    vault: &Path,
    name: String,
    metadata: &fs::Metadata,
    found: &mut Vec<String>,
    errors: &mut Vec<SeedError>,
) {
    let path = vault.join(&name);
    if metadata.is_file() {
        return found.push(name);
    }
    if !metadata.is_dir() {
        return errors.push(SeedError::Odd(path));
    }
    let fail = |source: io::Error| SeedError::File(FileError { path: path.clone(), doing: "read", source });
    let entries = match fs::read_dir(&path) {
        Ok(entries) => entries,
        Err(error) => return errors.push(fail(error)),
    };
    // Sorted, so that two looks at the same vault say the same.
    let mut entries: Vec<_> = entries.collect();
    entries.sort_by_key(|entry| entry.as_ref().map(fs::DirEntry::file_name).ok());
    for entry in entries {
        let below = entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?)));
        match below {
            Ok((below, metadata)) => match below.to_str() {
                Some(below) => collect(vault, format!("{name}/{below}"), &metadata, found, errors),
                None => errors.push(SeedError::Odd(path.join(below))),
            },
            Err(error) => errors.push(fail(error)),
        }
    }
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, SeedError> {
    file::read(path)?.ok_or(SeedError::Moved)
}

/// What of a file of the source the target is given.
pub(super) fn given(vault: &Path, name: &str) -> Result<Vec<u8>, SeedError> {
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
