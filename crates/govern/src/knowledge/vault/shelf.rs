//! What lies in a vault.

use gate::Refusal;

use crate::knowledge::Terms;
use crate::knowledge::codes;
use crate::knowledge::entry::Entry;
use crate::knowledge::evidence::Evidence;
use crate::knowledge::fields::{Fields, Status};

/// An entry with the text that it was read from.
#[derive(Debug, Clone)]
pub struct Note {
    /// The entry.
    pub entry: Entry,
    pub(super) text: String,
}

/// What lies in a vault.
#[derive(Debug, Clone)]
pub struct Shelf {
    /// The entries, by folder and name.
    pub notes: Vec<Note>,
    /// What can't be read, with file and place.
    pub damaged: Vec<Refusal>,
    /// The evidence that was added.
    pub evidence: Vec<Evidence>,
    /// The number of half a line at the end of the file of evidence.
    pub torn: Option<usize>,
    /// `Index.md`.
    pub index: Option<Vec<u8>>,
    /// `AGENTS.md` of the repository.
    pub agents: Option<Vec<u8>>,
    /// Which of [`ITEMS`] are missing.
    pub missing: Vec<&'static str>,
    /// What decides about entries here.
    pub terms: Terms,
}

impl Shelf {
    /// The entries.
    pub fn entries(&self) -> Vec<Entry> {
        self.notes.iter().map(|note| note.entry.clone()).collect()
    }

    /// Refuses where something can't be read, since a change over it could lose it.
    pub(super) fn undamaged(self) -> Result<Self, Refusal> {
        match self.damaged.first() {
            Some(damaged) => Err(damaged.clone()),
            None => Ok(self),
        }
    }

    /// The one entry with this name, this path in the vault, or a name that begins like this.
    ///
    /// # Errors
    /// `NO_ENTRY`, `AMBIGUOUS`.
    pub fn find(&self, name: &str) -> Result<&Entry, Refusal> {
        let entries = || self.notes.iter().map(|note| &note.entry);
        let bare = name.strip_suffix(".md").unwrap_or(name);
        let exact: Vec<&Entry> = entries()
            .filter(|entry| entry.id == bare || entry.path().strip_suffix(".md") == Some(bare))
            .collect();
        let found = if exact.is_empty() {
            entries().filter(|entry| !bare.is_empty() && entry.id.starts_with(bare)).collect()
        } else {
            exact
        };
        match found[..] {
            [one] => Ok(one),
            [] => Err(Refusal::new(codes::NO_ENTRY, format!("no entry is called `{name}`"))
                .next("cairn govern knowledge list")),
            _ => Err(Refusal::new(codes::AMBIGUOUS, format!("{} entries are called `{name}`", found.len()))
                .facts(found.iter().map(|entry| entry.path()))
                .hint("write the whole path, as in `Lessons/<name>`")),
        }
    }

    /// The entries that are among `entries` no more, without their content.
    pub(super) fn gone(&self, entries: &[Entry]) -> Vec<Entry> {
        let stays = |old: &Entry| entries.iter().any(|new| new.id == old.id && new.folder == old.folder);
        let old = self.notes.iter().map(|note| &note.entry).filter(|old| !stays(old));
        let empty = |old: &Entry| Entry {
            fields: Fields { status: Some(Status::Erased), ..Fields::default() },
            body: String::new(),
            sensitive: Vec::new(),
            ..old.clone()
        };
        old.map(empty).collect()
    }

    /// The evidence without what is about entries that are erased now and about no other; none where all of it stays.
    pub(super) fn without_erased(&self, entries: &[Entry]) -> Option<String> {
        let is_erased = |old: &Entry| {
            let now = entries.iter().find(|entry| entry.id == old.id && entry.folder == old.folder);
            old.status() != Status::Erased && now.is_none_or(|now| now.status() == Status::Erased)
        };
        let is_alive = |signature: &str| {
            entries.iter().any(|entry| entry.status() != Status::Erased && entry.signature() == signature)
        };
        let old = self.notes.iter().map(|note| &note.entry).filter(|entry| is_erased(entry));
        let gone: Vec<String> = old.map(Entry::signature).filter(|signature| !is_alive(signature)).collect();
        let goes = |piece: &&Evidence| gone.iter().any(|signature| piece.is_about(signature));
        let evidence = &self.evidence;
        let left = || evidence.iter().filter(|piece| !goes(piece)).map(Evidence::line).collect();
        evidence.iter().any(|piece| goes(&piece)).then(left)
    }
}
