//! The vault on disk: a folder of Markdown files, read without following links and written under a lock, all of a change
//! or nothing.

mod shelf;
mod write;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::{Sha256, front_matter};
use gate::Refusal;
use store::file::{self, FileError};
use store::lock::{Guard, LockError};
use store::transaction;

use super::entry::{Entry, Folder};
use super::evidence::{read_lines, torn_line};
use super::regen::{self, AGENTS, INDEX};
use super::{Settings, Terms, codes};
use crate::State;
use crate::written::Written;

pub use shelf::{Note, Shelf};
pub use write::{Blocks, Planned, Writing};

/// What a vault has (DP-013), folders with a slash.
pub const ITEMS: [&str; 5] = ["Rules/", "Lessons/", "Research/", "Templates/", INDEX];

/// The file of evidence in the vault.
pub const EVIDENCE: &str = "evidence.jsonl";

/// The largest entry that is read, in bytes.
const LARGEST: u64 = 1024 * 1024;

/// What to do about half a line of evidence.
pub(super) const TORN: &str = "complete the line or take it out by hand";

/// What to do about conflict markers.
const MERGE: &str = "finish the merge: keep what is right and take the marker lines out; nothing was changed";

/// How long one writer waits for another.
const WAIT: Duration = Duration::from_secs(10);

/// What tells the temporary files of this writer, who is alone under its lock.
const MARK: &str = "knowledge";

/// Where a repository's vault lies.
#[derive(Debug, Clone)]
pub struct Vault {
    root: PathBuf,
    /// From the top of the repository, with forward slashes.
    name: String,
    settings: Settings,
    /// The state of the gates, outside of the work tree.
    state: PathBuf,
}

fn io(error: FileError) -> Refusal {
    Refusal::new(codes::NOT_WRITTEN, error.to_string()).hint("nothing was changed")
}

fn place(message: String) -> Refusal {
    Refusal::new(codes::VAULT_PLACE, message)
        .hint("`knowledge.vault` in `.governance/policy.json` names a folder below the top of the repository")
}

impl Vault {
    /// The vault that the settings name. Nothing is opened.
    ///
    /// # Errors
    /// `VAULT_PLACE`: the name leads out of the repository, or into what git or this program keeps.
    pub fn new(state: &State, settings: &Settings) -> Result<Self, Refusal> {
        let name = settings.folder();
        let parts: Vec<&str> = name.split('/').collect();
        let is_plain = |part: &&str| {
            !part.is_empty()
                && *part != "."
                && *part != ".."
                && !part.contains(['\\', ':', '\0', '(', ')', '\n'])
        };
        let first = parts.first().copied().unwrap_or_default().to_lowercase();
        if !parts.iter().all(is_plain) || matches!(first.as_str(), ".git" | ".chalk" | ".chant") {
            return Err(place(format!("`{name}` is no folder for a vault")));
        }
        Ok(Self {
            root: state.root().to_owned(),
            name: name.to_owned(),
            settings: settings.clone(),
            state: state.folder().to_owned(),
        })
    }

    /// Its path from the top of the repository.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(&self.name).join(name)
    }

    /// Reads all of it.
    ///
    /// # Errors
    /// A part of its path is a link or no folder. An entry that can't be read is among the damaged ones.
    pub fn read(&self) -> Result<Shelf, Refusal> {
        self.read_with(&BTreeMap::new())
    }

    /// Reads all of it as it will be with these files, by their paths in the vault: what [`Vault::write`] will find then.
    ///
    /// # Errors
    /// As [`Vault::write`], but that nobody is waited for.
    pub fn read_beforehand(&self, added: &BTreeMap<String, Vec<u8>>) -> Result<Shelf, Refusal> {
        self.read_with(added)?.undamaged()
    }

    fn read_with(&self, added: &BTreeMap<String, Vec<u8>>) -> Result<Shelf, Refusal> {
        self.no_links()?;
        let read = |name: &str| match added.get(name) {
            Some(bytes) => Ok(Some(bytes.clone())),
            None => file::read(&self.path(name)).map_err(io),
        };
        let index = read(INDEX)?;
        let mut damaged = Vec::new();
        let mut notes = Vec::new();
        for folder in Folder::ALL {
            for name in self.names(folder, added)? {
                match self.note(folder, &name, added) {
                    Ok(note) => notes.push(note),
                    Err(refusal) => damaged.push(refusal),
                }
            }
        }
        let evidence = read(EVIDENCE)?.unwrap_or_default();
        let torn = torn_line(&evidence);
        let evidence = read_lines(&evidence).unwrap_or_else(|(line, what)| {
            damaged.push(self.refuse(EVIDENCE, what, line, None));
            Vec::new()
        });
        let is_missing = |item: &&str| {
            let is_added = added.keys().any(|name| name.starts_with(*item));
            !is_added && fs::symlink_metadata(self.path(item.trim_end_matches('/'))).is_err()
        };
        let project = self.project(index.as_deref());
        Ok(Shelf {
            notes,
            damaged,
            evidence,
            torn,
            index,
            agents: file::read(&self.root.join(AGENTS)).map_err(io)?,
            missing: ITEMS.into_iter().filter(is_missing).collect(),
            terms: Terms::new(&self.settings, project),
        })
    }

    fn refuse(&self, name: &str, what: String, line: usize, column: Option<usize>) -> Refusal {
        let path = format!("{}/{name}", self.name);
        Refusal::new(codes::ENTRY_DAMAGED, format!("`{path}` can't be read: {what}"))
            .at(path, Some(line), column)
            .hint("mend the file, or move it out of the vault; nothing was changed")
    }

    /// The entries of a folder, sorted.
    fn names(&self, folder: Folder, added: &BTreeMap<String, Vec<u8>>) -> Result<Vec<String>, Refusal> {
        let mut found = names(&self.path(folder.name()))?;
        let below = added.keys().filter_map(|name| name.strip_prefix(folder.name())?.strip_prefix('/'));
        found.extend(below.filter(|name| !name.contains('/') && is_entry(name)).map(str::to_owned));
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn note(&self, folder: Folder, name: &str, added: &BTreeMap<String, Vec<u8>>) -> Result<Note, Refusal> {
        let path = format!("{}/{name}", folder.name());
        if name.contains(char::is_control) {
            return Err(self.refuse(
                &path.escape_debug().to_string(),
                "its name is more than a line".to_owned(),
                1,
                None,
            ));
        }
        let bytes = match added.get(&path) {
            Some(bytes) => Some(bytes.clone()).filter(|bytes| bytes.len() as u64 <= LARGEST),
            None => file::read_at_most(&self.path(&path), LARGEST).map_err(io)?,
        };
        let Some(bytes) = bytes else {
            let what = format!("it has more than {LARGEST} bytes");
            return Err(self.refuse(&path, what, 1, None));
        };
        let id = name.strip_suffix(".md").unwrap_or(name);
        let entry = Entry::read(id, folder, &bytes).map_err(|damage| {
            let refusal = self.refuse(&path, damage.message.clone(), damage.line, Some(damage.column));
            if damage.conflict { refusal.hint(MERGE) } else { refusal }
        })?;
        Ok(Note { entry, text: String::from_utf8_lossy(&bytes).into_owned() })
    }

    /// What this project is called; of the vault its index alone is read.
    pub fn project_here(&self) -> String {
        self.project(file::read(&self.path(INDEX)).ok().flatten().as_deref())
    }

    fn project(&self, index: Option<&[u8]>) -> String {
        let listed = || {
            let document = front_matter::parse(index?).ok()?;
            document.data.get("project")?.as_str().map(str::to_owned)
        };
        let folder = || self.root.file_name().map(|name| name.to_string_lossy().into_owned());
        let named = self.settings.project.clone().or_else(listed).or_else(folder);
        named
            .map(|name| canon::text::one_line(&name))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "project".to_owned())
    }

    /// Refuses a vault that is reached through a link.
    fn no_links(&self) -> Result<(), Refusal> {
        let folders = Folder::ALL.map(Folder::name).into_iter().chain(["Templates"]);
        let folders = folders.map(|folder| format!("{}/{folder}", self.name)).chain([self.name.clone()]);
        for folder in folders {
            let mut at = self.root.clone();
            for part in folder.split('/') {
                at.push(part);
                match fs::symlink_metadata(&at) {
                    Ok(found) if found.is_symlink() => {
                        return Err(place(format!(
                            "`{}` is a symbolic link, which is not followed",
                            at.display()
                        )));
                    }
                    Ok(found) if !found.is_dir() => {
                        return Err(place(format!("`{}` is no folder", at.display())));
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Takes the lock and finishes what a killed writer began.
    fn lock(&self) -> Result<Guard, Refusal> {
        let guard = alone(&self.state).map_err(|error| match error {
            LockError::File(error) => io(error),
            held => Refusal::new(codes::BUSY, held.to_string()).hint("try again"),
        })?;
        transaction::recover(&self.journal()).map_err(|error| {
            Refusal::new(codes::NOT_WRITTEN, error.to_string()).hint("nothing was changed")
        })?;
        Ok(guard)
    }

    /// Finishes what a killed writer began, so that no later one does, and forgets what it kept. The entries are not
    /// looked at, and neither is what leads to them.
    ///
    /// # Errors
    /// `BUSY`, `NOT_WRITTEN`.
    pub fn settle(&self) -> Result<(), Refusal> {
        let _guard = self.lock()?;
        self.sweep_files()?;
        self.forget_legacy()
    }

    /// Takes the lock, finishes what a killed writer began, and reads all of it.
    ///
    /// # Errors
    /// `BUSY`; `ENTRY_DAMAGED`, since a change over what can't be read could lose it; what [`Vault::read`] refuses.
    pub fn write(&self) -> Result<Writing<'_>, Refusal> {
        self.no_links()?;
        let guard = self.lock()?;
        self.sweep_files()?;
        self.sweep()?;
        let found = self.read()?.undamaged()?;
        // A writer that was killed before it looked at what it wrote leaves the copy behind.
        if regen::agents_block(found.agents.as_deref().unwrap_or_default()).is_ok() {
            self.forget_legacy()?;
        }
        Ok(Writing { vault: self, shelf: found, _guard: guard })
    }

    fn journal(&self) -> PathBuf {
        self.state.join("knowledge.journal")
    }

    /// Where `AGENTS.md` is kept as it was until the new one is verified.
    pub fn legacy(&self) -> PathBuf {
        let name = Sha256::of(self.root.as_os_str().as_encoded_bytes()).short();
        self.state.join(format!("AGENTS.md.{name}"))
    }

    fn forget_legacy(&self) -> Result<(), Refusal> {
        remove(self.legacy())
    }

    /// Takes away what a killed writer had not yet put in its place in the vault. The caller holds the lock, and finished
    /// what was journaled.
    fn sweep(&self) -> Result<(), Refusal> {
        let end = format!(".{MARK}.tmp");
        let swept = Written::at(&self.state).sweep();
        swept.map_err(|error| {
            Refusal::new(codes::NOT_WRITTEN, error.to_string()).hint("nothing was changed")
        })?;
        for folder in ["", "Rules", "Lessons", "Research", "Templates"] {
            for entry in fs::read_dir(self.path(folder)).into_iter().flatten().flatten() {
                if entry.file_name().to_string_lossy().ends_with(&end) {
                    remove(entry.path())?;
                }
            }
        }
        Ok(())
    }

    /// The same of `AGENTS.md` and its copy.
    fn sweep_files(&self) -> Result<(), Refusal> {
        for path in [self.root.join(AGENTS), self.legacy()] {
            let mut name = path.into_os_string();
            name.push(format!(".{MARK}.tmp"));
            remove(PathBuf::from(name))?;
        }
        Ok(())
    }
}

/// Keeps out whoever else writes the vault or `AGENTS.md`, for as long as the guard is held. `state` is the folder of the
/// gates' state.
///
/// # Errors
/// Another process holds it for too long, or it can't be written.
pub fn alone(state: &Path) -> Result<Guard, LockError> {
    Guard::acquire(&state.join("knowledge.lock"), WAIT)
}

/// Removes a file that may not be there.
fn remove(path: PathBuf) -> Result<(), Refusal> {
    match fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(io(FileError { path, doing: "remove", source: error }))
        }
        _ => Ok(()),
    }
}

/// The Markdown files of a folder.
fn names(folder: &Path) -> Result<Vec<String>, Refusal> {
    let fail = |source| io(FileError { path: folder.to_owned(), doing: "list", source });
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(fail(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let name = entry.file_name();
        let is_folder = entry.file_type().map_err(fail)?.is_dir();
        if let Some(name) = name.to_str().filter(|name| is_entry(name) && !is_folder) {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// Whether a file of this name is an entry.
fn is_entry(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "md") && !name.starts_with('.')
}
