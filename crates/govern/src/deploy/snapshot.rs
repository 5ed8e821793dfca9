//! What a failure brings back: the governance folder and a list of other files, put aside in `.governance.bak` before
//! the first step and restored to the byte. The deployment's own files are no part of it.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use canon::Sha256;
use serde::{Deserialize, Serialize};
use store::file::{self, FileError};

use super::probe::{CheckId, Obstacle};
use super::{FOLDER, is_own};

const NAME: &str = ".governance.bak";
const LIST: &str = "list.json";

/// Why nothing is put aside, or nothing brought back.
#[derive(Debug)]
pub enum SnapshotError {
    /// A file can't be read or written.
    File(FileError),
    /// Something is neither a file nor a folder, or has a name that is no text.
    Odd(PathBuf),
    /// What lies in the place of the snapshot was not put there by a deployment.
    InTheWay(PathBuf),
    /// What was put aside is not as it was left.
    Damaged(String),
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Odd(path) => write!(f, "`{}` is a link, or nothing that can be put aside", path.display()),
            Self::InTheWay(path) => {
                write!(f, "`{}` is in the way, and no deployment put it there", path.display())
            }
            Self::Damaged(why) => write!(f, "what was put aside in `{NAME}` is not as it was left: {why}"),
        }
    }
}

impl std::error::Error for SnapshotError {}

impl SnapshotError {
    /// What the probe says of it.
    pub fn obstacle(&self, target: &Path) -> Obstacle {
        let place = target.join(FOLDER);
        let check = |path: &Path| {
            if path.starts_with(&place) { CheckId::Governance } else { CheckId::Workspace }
        };
        let (check, how) = match self {
            Self::File(error) => (check(&error.path), "make it one that you can read"),
            Self::Odd(path) => (check(path), "put a plain file or folder in its place"),
            Self::InTheWay(_) => (CheckId::Workspace, "move it out of the target, or give it another name"),
            Self::Damaged(_) => (CheckId::Governance, "take it away after a look at it"),
        };
        Obstacle { check, what: self.to_string(), how: how.to_owned() }
    }
}

impl From<FileError> for SnapshotError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    schema: u32,
    saved: Vec<Saved>,
    /// Folders on the way to the other files that were not there.
    absent: Vec<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    path: PathBuf,
    was: Was,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Was {
    Absent,
    Folder,
    File { sha256: Sha256, mode: Option<u32>, copy: String },
}

/// The content of what was put aside; none of a folder, and of what was not there.
type Content = Option<Vec<u8>>;

/// What is put aside: the governance folder of a target, and other files by their absolute paths.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    /// The target.
    pub target: &'a Path,
    /// The other files; one may not be there yet.
    pub others: &'a [PathBuf],
}

impl Scope<'_> {
    fn place(self) -> PathBuf {
        self.target.join(NAME)
    }

    fn building(self) -> PathBuf {
        self.place().with_extension("bak.tmp")
    }

    /// Everything that is put aside, read from the first byte to the last, and copied where a place is given.
    fn walk(self, place: Option<&Path>) -> Result<List, SnapshotError> {
        let mut list = List { schema: 1, saved: Vec::new(), absent: Vec::new() };
        let governance = self.target.join(FOLDER);
        save(&governance, &governance, place, &mut list.saved)?;
        for path in self.others {
            save(path, &governance, place, &mut list.saved)?;
            let missing = path.ancestors().skip(1).take_while(|folder| !folder.exists());
            list.absent.extend(missing.map(Path::to_owned));
        }
        list.absent.sort();
        list.absent.dedup();
        Ok(list)
    }

    /// Whether [`Scope::take`] would put everything aside. Nothing is written.
    ///
    /// # Errors
    /// What keeps it from that.
    pub fn check(self) -> Result<(), SnapshotError> {
        self.is_there()?;
        let building = self.building();
        if fs::symlink_metadata(&building).is_ok_and(|metadata| !metadata.is_dir()) {
            return Err(SnapshotError::InTheWay(building));
        }
        self.walk(None).map(|_| ())
    }

    /// Puts everything aside. Gives the digest of the list, with which it is brought back.
    ///
    /// # Errors
    /// Something can't be put aside. Nothing of the target is changed.
    pub fn take(self) -> Result<Sha256, SnapshotError> {
        self.check()?;
        self.forget()?;
        let (place, building) = (self.place(), self.building());
        clear(&building)?;
        fs::create_dir(&building).map_err(|source| failed("create", &building, source))?;
        let list = self.walk(Some(&building))?;
        let text = serde_json::to_vec_pretty(&list).unwrap_or_default();
        file::replace(&building.join(LIST), &text)?;
        fs::rename(&building, &place).map_err(|source| failed("rename", &building, source))?;
        Ok(Sha256::of(text))
    }

    /// Brings everything back as it was. Doing it twice is doing it once.
    ///
    /// # Errors
    /// What was put aside is not as it was left, and nothing is changed; or a file can't be written.
    pub fn restore(self, expected: Sha256) -> Result<(), SnapshotError> {
        let (list, contents) = self.load(expected)?;
        let governance = self.target.join(FOLDER);
        let is_kept =
            |path: &Path| list.saved.iter().any(|saved| saved.path == path && saved.was != Was::Absent);
        remove_others(&governance, &governance, &is_kept)?;
        for (saved, content) in list.saved.iter().zip(contents) {
            let path = &saved.path;
            match (&saved.was, content) {
                (Was::Absent, _) => remove(path, &governance)?,
                (Was::Folder, _) => file::create_folder(&above(path), path)?,
                (Was::File { mode, .. }, content) => {
                    if file::read(path)?.as_deref() != content.as_deref() {
                        let folder = path.parent().unwrap_or(path);
                        file::create_folder(&above(folder), folder)?;
                        file::replace(path, content.as_deref().unwrap_or_default())?;
                    }
                    set_mode(path, *mode)?;
                }
            }
        }
        // The deepest first; one that someone else uses by now is not empty, and stays.
        for folder in list.absent.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
        Ok(())
    }

    /// Removes what was put aside, if a deployment put it there.
    ///
    /// # Errors
    /// Something else lies there.
    pub fn forget(self) -> Result<(), SnapshotError> {
        if self.is_there()? { clear(&self.place()) } else { Ok(()) }
    }

    /// Whether something that a deployment put aside is there.
    ///
    /// # Errors
    /// Something else lies in its place.
    pub fn is_there(self) -> Result<bool, SnapshotError> {
        let place = self.place();
        match fs::symlink_metadata(&place) {
            Err(_) => Ok(false),
            Ok(metadata) if metadata.is_dir() && place.join(LIST).is_file() => Ok(true),
            Ok(_) => Err(SnapshotError::InTheWay(place)),
        }
    }

    /// The list and the contents, each checked.
    fn load(self, expected: Sha256) -> Result<(List, Vec<Content>), SnapshotError> {
        let damaged = |why: &str| SnapshotError::Damaged(why.to_owned());
        let place = self.place();
        if fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(damaged("it is a link"));
        }
        let text = file::read(&place.join(LIST))?.ok_or_else(|| damaged("it is gone"))?;
        if Sha256::of(&text) != expected {
            return Err(damaged("its list is another one"));
        }
        let list: List =
            canon::json::read(&text).map_err(|error| SnapshotError::Damaged(error.to_string()))?;
        let governance = self.target.join(FOLDER);
        let mut contents = Vec::new();
        for saved in &list.saved {
            if !saved.path.starts_with(&governance) && !self.others.contains(&saved.path) {
                return Err(SnapshotError::Damaged(format!("`{}` is no part of it", saved.path.display())));
            }
            let Was::File { sha256, copy, .. } = &saved.was else {
                contents.push(None);
                continue;
            };
            let content = file::read(&place.join(copy))?.filter(|content| Sha256::of(content) == *sha256);
            let content = content.ok_or_else(|| {
                SnapshotError::Damaged(format!("the copy of `{}` is another one", saved.path.display()))
            })?;
            contents.push(Some(content));
        }
        Ok((list, contents))
    }
}

fn failed(doing: &'static str, path: &Path, source: io::Error) -> SnapshotError {
    SnapshotError::File(FileError { path: path.to_owned(), doing, source })
}

/// The nearest folder above that is there.
fn above(path: &Path) -> PathBuf {
    path.ancestors().find(|above| above.is_dir()).unwrap_or(path).to_owned()
}

fn clear(folder: &Path) -> Result<(), SnapshotError> {
    match fs::remove_dir_all(folder) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(failed("remove", folder, source)),
        _ => Ok(()),
    }
}

/// Whether a path is one of the deployment's own files in the governance folder.
fn is_own_file(path: &Path, governance: &Path) -> bool {
    path.parent() == Some(governance) && path.file_name().and_then(|name| name.to_str()).is_some_and(is_own)
}

fn save(
    path: &Path,
    governance: &Path,
    place: Option<&Path>,
    saved: &mut Vec<Saved>,
) -> Result<(), SnapshotError> {
    let Ok(metadata) = fs::symlink_metadata(path) else {
        saved.push(Saved { path: path.to_owned(), was: Was::Absent });
        return Ok(());
    };
    if path.to_str().is_none() || !(metadata.is_dir() || metadata.is_file()) {
        return Err(SnapshotError::Odd(path.to_owned()));
    }
    if metadata.is_file() {
        let content = file::read(path)?.unwrap_or_default();
        let copy = format!("{}", saved.len());
        if let Some(place) = place {
            file::replace(&place.join(&copy), &content)?;
        }
        let was = Was::File { sha256: Sha256::of(&content), mode: mode(&metadata), copy };
        saved.push(Saved { path: path.to_owned(), was });
        return Ok(());
    }
    saved.push(Saved { path: path.to_owned(), was: Was::Folder });
    for entry in entries(path)? {
        if !is_own_file(&entry, governance) {
            save(&entry, governance, place, saved)?;
        }
    }
    Ok(())
}

/// What a folder holds, sorted.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, SnapshotError> {
    let fail = |source| failed("read", folder, source);
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        found.push(entry.map_err(fail)?.path());
    }
    found.sort();
    Ok(found)
}

/// Removes from the governance folder what was not there.
fn remove_others(
    folder: &Path,
    governance: &Path,
    is_kept: &dyn Fn(&Path) -> bool,
) -> Result<(), SnapshotError> {
    if !fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
        return Ok(());
    }
    for path in entries(folder)? {
        if is_own_file(&path, governance) {
            continue;
        }
        let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        if is_folder {
            remove_others(&path, governance, is_kept)?;
        }
        if !is_kept(&path) {
            remove(&path, governance)?;
        }
    }
    Ok(())
}

fn remove(path: &Path, governance: &Path) -> Result<(), SnapshotError> {
    let Ok(metadata) = fs::symlink_metadata(path) else { return Ok(()) };
    // The governance folder itself holds what tells what happened.
    if path == governance {
        return Ok(());
    }
    let removed = if metadata.is_dir() { fs::remove_dir(path) } else { fs::remove_file(path) };
    removed.map_err(|source| failed("remove", path, source))
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems have no mode")]
fn mode(metadata: &fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(metadata.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
fn mode(_: &fs::Metadata) -> Option<u32> {
    None
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: Option<u32>) -> Result<(), SnapshotError> {
    use std::os::unix::fs::PermissionsExt;
    let Some(mode) = mode else { return Ok(()) };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .map_err(|source| failed("set the mode of", path, source))
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: Option<u32>) -> Result<(), SnapshotError> {
    Ok(())
}

#[cfg(test)]
mod tests;
