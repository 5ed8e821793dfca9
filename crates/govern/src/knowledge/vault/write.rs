//! Changing the vault: checked in memory, then written whole or not at all.

use std::path::{Path, PathBuf};

use canon::Sha256;
use gate::Refusal;
use store::file::{self, Staged};
use store::lock::Guard;
use store::transaction::Transaction;

use super::{EVIDENCE, MARK, Note, Shelf, TORN, Vault, io, remove};
use crate::knowledge::admit::keepable;
use crate::knowledge::codes;
use crate::knowledge::regen::{self, AGENTS, Before, INDEX, Regenerated};
use crate::knowledge::{Entry, Evidence, Fields, Status};
use crate::written::Written;

/// What a vault is given to begin with.
const TEMPLATE: &str = include_str!("template.md");

/// Which of the managed blocks a change makes anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// The list in `Index.md` alone: nothing comes into force, and nothing leaves it.
    Index,
    /// That of `AGENTS.md` too.
    Both,
}

/// The vault under its lock.
#[derive(Debug)]
pub struct Writing<'v> {
    pub(super) vault: &'v Vault,
    /// What lies in it.
    pub shelf: Shelf,
    pub(super) _guard: Guard,
}

/// A change that is checked and not yet made.
#[derive(Debug)]
pub struct Planned {
    /// The files that change, from the top of the repository, with their new content.
    pub files: Vec<(String, Vec<u8>)>,
    /// Entries whose file goes, by their path in the vault.
    gone: Vec<String>,
    /// The lines that evidence gets.
    lines: String,
    /// The blocks, where both were made anew.
    pub regenerated: Option<Regenerated>,
}

impl Planned {
    /// The names of the files that change.
    pub fn names(&self) -> Vec<String> {
        self.files.iter().map(|(name, _)| name.clone()).collect()
    }
}

impl Vault {
    /// Checks what becomes of the files when the entries are `entries` and `evidence` is added. The file of an entry that
    /// is among them no more goes. Nothing is written.
    ///
    /// # Errors
    /// `HOLDS_SECRET`, and whatever [`regen::regenerate`] refuses.
    pub fn plan(
        &self,
        known: &Shelf,
        entries: &[Entry],
        evidence: &[Evidence],
        blocks: Blocks,
    ) -> Result<Planned, Refusal> {
        let vault = self;
        let in_vault = |name: &str| format!("{}/{name}", vault.name);
        let mut files = Vec::new();
        for entry in entries {
            let note = known
                .notes
                .iter()
                .find(|note| note.entry.id == entry.id && note.entry.folder == entry.folder);
            let text = match note {
                Some(note) if note.entry == *entry => continue,
                Some(note) => rewritten(note, entry)?,
                None => {
                    let text = entry.file();
                    keepable(&entry.path(), &text)?;
                    text
                }
            };
            files.push((in_vault(&entry.path()), text.into_bytes()));
        }
        let lines: String = evidence.iter().map(Evidence::line).collect();
        keepable("the evidence", &lines)?;
        let left = known.without_erased(entries);
        if let Some(line) = known.torn.filter(|_| !lines.is_empty() || left.is_some()) {
            let evidence = in_vault(EVIDENCE);
            return Err(Refusal::new(codes::ENTRY_DAMAGED, format!("`{evidence}` ends in half a line"))
                .at(evidence, Some(line), None)
                .hint(format!("{TORN}; nothing was changed")));
        }
        if let Some(left) = left {
            files.push((in_vault(EVIDENCE), left.into_bytes()));
        }
        for item in &known.missing {
            if *item == "Templates/" {
                files.push((in_vault("Templates/Lesson.md"), TEMPLATE.as_bytes().to_vec()));
            } else if let Some(folder) = item.strip_suffix('/') {
                // git keeps no empty folder.
                let is_filled = entries.iter().any(|entry| entry.folder.name() == folder);
                if !is_filled {
                    files.push((in_vault(&format!("{folder}/.gitkeep")), Vec::new()));
                }
            }
        }
        let before = Before {
            agents: known.agents.as_deref(),
            index: known.index.as_deref(),
            vault: &vault.name,
            project: &known.terms.project,
        };
        let gone = known.gone(entries);
        for entry in &gone {
            // First without content, then removed: who is stopped in between leaves an empty name behind.
            files.push((in_vault(&entry.path()), entry.file().into_bytes()));
        }
        let index = regen::index(entries, before)?;
        let regenerated = match blocks {
            Blocks::Index => None,
            Blocks::Both => {
                // A line of AGENTS.md about what goes is not a lesson that is lost.
                let known = [entries, gone.as_slice()].concat();
                Some(Regenerated { index: index.clone(), ..regen::regenerate(&known, before)? })
            }
        };
        if known.index.as_ref() != Some(&index) {
            files.push((in_vault(INDEX), index));
        }
        if let Some(agents) = regenerated.as_ref().and_then(|regenerated| regenerated.agents.as_ref())
            && known.agents.as_ref() != Some(agents)
        {
            files.push((AGENTS.to_owned(), agents.clone()));
        }
        let gone = gone.iter().map(Entry::path).collect();
        Ok(Planned { files, gone, lines, regenerated })
    }

    /// Whether a change could be written.
    ///
    /// # Errors
    /// `NOT_WRITTEN`.
    pub fn check(&self, planned: &Planned) -> Result<(), Refusal> {
        for (name, _) in &planned.files {
            file::check_replace(&self.root, &self.root.join(name)).map_err(io)?;
        }
        Ok(())
    }
}

impl Writing<'_> {
    /// What [`Vault::plan`] says of what lies there.
    ///
    /// # Errors
    /// As it says.
    pub fn plan(&self, entries: &[Entry], evidence: &[Evidence], blocks: Blocks) -> Result<Planned, Refusal> {
        self.vault.plan(&self.shelf, entries, evidence, blocks)
    }

    /// Makes the change: all of it, or nothing. `AGENTS.md` is kept as it was until the new one is read again.
    ///
    /// # Errors
    /// `NOT_WRITTEN`.
    pub fn commit(self, planned: &Planned) -> Result<(), Refusal> {
        let vault = self.vault;
        if planned.files.is_empty() && planned.lines.is_empty() {
            return Ok(());
        }
        vault.check(planned)?;
        let folder_of = |name: &str| vault.root.join(name).parent().map(Path::to_owned);
        let evidence = format!("{}/{EVIDENCE}", vault.name);
        for folder in
            planned.files.iter().map(|(name, _)| name).chain([&evidence]).filter_map(|name| folder_of(name))
        {
            file::create_folder(&vault.root, &folder).map_err(io)?;
        }
        let mut change = Transaction::new().marked(MARK);
        for (name, bytes) in &planned.files {
            change.replace(vault.root.join(name), bytes.clone());
        }
        if !planned.lines.is_empty() {
            change.append(vault.root.join(&evidence), planned.lines.clone());
        }
        let agents = planned.files.iter().find(|(name, _)| name == AGENTS).map(|(_, bytes)| bytes);
        if let (Some(_), Some(old)) = (agents, &self.shelf.agents) {
            Staged::write_as(&vault.legacy(), MARK, old).and_then(|mut copy| copy.commit()).map_err(io)?;
        }
        self.announce(planned, &evidence)?;
        change.commit(&vault.journal()).map_err(io)?;
        for path in &planned.gone {
            remove(vault.path(path))?;
        }
        let Some(agents) = agents else { return Ok(()) };
        if file::read(&vault.root.join(AGENTS)).map_err(io)?.as_ref() != Some(agents) {
            return Err(Refusal::new(
                codes::NOT_WRITTEN,
                "AGENTS.md is not what was written: somebody wrote it as well",
            )
            .hint(format!("AGENTS.md as it was before is kept as `{}`", vault.legacy().display())));
        }
        vault.forget_legacy()
    }

    /// Notes what is about to be written, so that it is told from a change past the commands.
    fn announce(&self, planned: &Planned, evidence: &str) -> Result<(), Refusal> {
        let vault = self.vault;
        let mut files: Vec<(PathBuf, Option<Sha256>)> = planned
            .files
            .iter()
            .map(|(name, bytes)| (vault.root.join(name), Some(Sha256::of(bytes))))
            .collect();
        if !planned.lines.is_empty() {
            let path = vault.root.join(evidence);
            let replaced = planned.files.iter().find(|(name, _)| name == evidence);
            let before = match replaced {
                Some((_, bytes)) => Some(bytes.clone()),
                None => file::read(&path).map_err(io)?,
            };
            let after = [before.as_deref().unwrap_or_default(), planned.lines.as_bytes()].concat();
            files.push((path, Some(Sha256::of(after))));
        }
        Written::at(&vault.state).note(files).map_err(|error| {
            Refusal::new(codes::NOT_WRITTEN, error.to_string()).hint("nothing was changed; try again")
        })
    }
}

/// The text of a note whose entry changed. A credential that was in it before is no reason to keep it from the archive.
fn rewritten(note: &Note, entry: &Entry) -> Result<String, Refusal> {
    if entry.status() == Status::Erased {
        return Ok(entry.file());
    }
    let text = entry.rewrite(&note.entry.fields, &note.text).ok_or_else(|| {
        Refusal::new(
            codes::ENTRY_DAMAGED,
            format!("the front matter of `{}` can't be edited in place", entry.path()),
        )
        .hint("write its fields one a line, as in `Templates/Lesson.md`; nothing was changed")
    })?;
    if !note.entry.holds_secret() {
        keepable(&entry.path(), &text)?;
    } else if let Some(why) = reasons(&entry.fields) {
        keepable("the reason", &why)?;
    }
    Ok(text)
}

/// The words that a change of an entry brings in.
fn reasons(fields: &Fields) -> Option<String> {
    let quarantine = fields.quarantine.as_ref().map(|quarantine| quarantine.why.clone());
    let reasons: Vec<String> = quarantine.into_iter().chain(fields.archived_why.clone()).collect();
    (!reasons.is_empty()).then(|| reasons.join("\n"))
}
