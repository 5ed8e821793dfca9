//! The blocks of `AGENTS.md` and `Index.md` made anew (G14): first in memory, held against the budget and against what
//! must not be lost, and only then given to whoever writes.

use std::ops::Range;

use canon::managed::{Damaged, Markers};
use gate::Refusal;

use super::admit::keepable;
use super::budget::{self, BYTES, LINES, Size};
use super::codes;
use super::entry::Entry;
use super::fields::Status;
use super::render;

/// The name of the file that agents read.
pub const AGENTS: &str = "AGENTS.md";
/// The name of the list of the vault.
pub const INDEX: &str = "Index.md";

/// What both files hold before.
#[derive(Debug, Clone, Copy)]
pub struct Before<'b> {
    /// `AGENTS.md`; none where there is none.
    pub agents: Option<&'b [u8]>,
    /// `Index.md` of the vault.
    pub index: Option<&'b [u8]>,
    /// The vault's path from the top of the repository.
    pub vault: &'b str,
    /// What this project is called.
    pub project: &'b str,
}

/// What both files hold afterwards.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regenerated {
    /// `AGENTS.md`; none where it stays away: nothing is in force, and nothing was.
    pub agents: Option<Vec<u8>>,
    /// `Index.md`.
    pub index: Vec<u8>,
    /// The size of the whole of `AGENTS.md`.
    pub size: Size,
    /// The size of what is managed of it.
    pub block: Size,
}

/// Makes both blocks anew for `entries`.
///
/// # Errors
/// `BLOCK_DAMAGED`, `HOLDS_SECRET`, `LESSON_LOST`; `OVER_BUDGET` where `AGENTS.md` would grow beyond the budget, or stay
/// beyond it by growing.
pub fn regenerate(entries: &[Entry], before: Before<'_>) -> Result<Regenerated, Refusal> {
    let text = render::agents(entries, before.project, before.vault);
    keepable("what would stand in AGENTS.md", &text)?;
    let old = before.agents.unwrap_or_default();
    let found = find(render::AGENTS, AGENTS, old)?;
    refuse_utf16(AGENTS, old)?;
    if let Some(found) = &found {
        nothing_unknown(entries, &old[found.clone()])?;
    }
    let is_empty = !entries.iter().any(|entry| entry.is_in_force(before.project));
    let agents = if found.is_none() && is_empty {
        before.agents.map(<[u8]>::to_vec)
    } else {
        Some(render::AGENTS.splice(old, &text).map_err(|damaged| damaged_block(AGENTS, &damaged))?)
    };

    let index = index(entries, before)?;
    let (bytes, was) = (agents.as_deref().unwrap_or_default(), Size::of(old));
    let range = find(render::AGENTS, AGENTS, bytes)?;
    let size = Size::of(bytes);
    let grows = size.bytes > was.bytes || size.lines > was.lines;
    if !size.fits() && grows {
        return Err(over_budget(bytes, range));
    }
    let block = range.map_or(Size::default(), |range| Size::of(&bytes[range]));
    let regenerated = Regenerated { agents, index, size, block };
    verify(entries, before, &regenerated)?;
    Ok(regenerated)
}

/// Makes the block of `Index.md` anew, and leaves `AGENTS.md` alone.
///
/// # Errors
/// `BLOCK_DAMAGED`, `HOLDS_SECRET`.
pub fn index(entries: &[Entry], before: Before<'_>) -> Result<Vec<u8>, Refusal> {
    let list = render::index(entries, before.project);
    keepable("what would stand in Index.md", &list)?;
    let fresh = fresh_index(before.project);
    let index = before.index.unwrap_or(fresh.as_bytes());
    refuse_utf16(INDEX, index)?;
    render::INDEX.splice(index, &list).map_err(|damaged| damaged_block(INDEX, &damaged))
}

/// An `Index.md` that lists nothing yet.
fn fresh_index(project: &str) -> String {
    let mut data = serde_json::Map::new();
    data.insert("project".to_owned(), project.into());
    canon::front_matter::file(&data, "# Knowledge\n")
}

/// The range of a block.
///
/// # Errors
/// `BLOCK_DAMAGED`.
pub fn agents_block(file: &[u8]) -> Result<Option<Range<usize>>, Refusal> {
    find(render::AGENTS, AGENTS, file)
}

fn find(markers: Markers, name: &str, file: &[u8]) -> Result<Option<Range<usize>>, Refusal> {
    markers.find(file).map_err(|damaged| damaged_block(name, &damaged))
}

fn damaged_block(name: &str, damaged: &Damaged) -> Refusal {
    let message = format!(
        "the markers of the managed block are damaged: `{name}` line {}: {}",
        damaged.line, damaged.what
    );
    Refusal::new(codes::BLOCK_DAMAGED, message)
        .at(name, Some(damaged.line), None)
        .hint("take the stray marker line out by hand, then run the command again; no file was changed")
}

fn refuse_utf16(name: &str, bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        return Err(Refusal::new(codes::NOT_WRITTEN, format!("`{name}` is UTF-16 text"))
            .at(name, None, None)
            .hint("save it as UTF-8; no file was changed"));
    }
    Ok(())
}

/// Refuses to take away a line that no entry stands behind: its lesson would be nowhere.
fn nothing_unknown(entries: &[Entry], block: &[u8]) -> Result<(), Refusal> {
    let block = String::from_utf8_lossy(block);
    let lines = block.lines().map(str::trim_end).filter(|line| line.starts_with("- "));
    let lost = lines.filter(|line| match render::id_of(line) {
        Some(id) => !entries.iter().any(|entry| entry.id == id),
        None => true,
    });
    let facts: Vec<String> = lost.map(|line| canon::text::clip(line, 200)).collect();
    if facts.is_empty() {
        return Ok(());
    }
    let lines = canon::text::counted(facts.len(), "line");
    Err(Refusal::new(codes::LESSON_LOST, format!("{lines} of AGENTS.md have no entry in the vault, and would be lost"))
        .facts(facts)
        .hint("put the entry back, add what the line says with `cairn govern knowledge add`, or take the line out by hand"))
}

/// Whether every entry is where it must be, judged by the content of what would be written: each that is in force once
/// in `AGENTS.md`, each archived one once in the archive of `Index.md`.
///
/// # Errors
/// `LESSON_LOST`.
pub fn verify(entries: &[Entry], before: Before<'_>, after: &Regenerated) -> Result<(), Refusal> {
    let agents = block_of(render::AGENTS, after.agents.as_deref().unwrap_or_default());
    let index = block_of(render::INDEX, &after.index);
    let archive = index.split_once(&format!("\n{}\n", render::ARCHIVE)).map_or("", |(_, archive)| archive);
    let archive = archive.split_once("\n### ").map_or(archive, |(archive, _)| archive);
    let count = |text: &str, line: &str| text.lines().filter(|one| *one == line).count();
    let mut lost = Vec::new();
    for entry in entries {
        let (line, times, place) = if entry.is_in_force(before.project) {
            let line = render::agents_line(entry, before.vault);
            (line.clone(), count(&agents, &line), AGENTS)
        } else if entry.status() == Status::Archived {
            let line = render::index_line(entry);
            (line.clone(), count(archive, &line), INDEX)
        } else {
            continue;
        };
        if times != 1 {
            lost.push(format!("{place} would have this {times} times: {}", canon::text::clip(&line, 200)));
        }
    }
    if lost.is_empty() {
        return Ok(());
    }
    Err(Refusal::new(codes::LESSON_LOST, "not every lesson would be where it belongs, once")
        .facts(lost)
        .hint("two entries of one name can't both be listed: rename one of the files; no file was changed"))
}

/// The text of a block with LF line ends.
fn block_of(markers: Markers, file: &[u8]) -> String {
    let range = markers.find(file).ok().flatten();
    let text = range.map(|range| String::from_utf8_lossy(&file[range]).into_owned()).unwrap_or_default();
    canon::front_matter::to_lf(&text).into_owned()
}

/// The refusal with the figures and what to move.
fn over_budget(bytes: &[u8], ours: Option<Range<usize>>) -> Refusal {
    let size = Size::of(bytes);
    let mut refusal = Refusal::new(
        codes::OVER_BUDGET,
        format!(
            "AGENTS.md would have {} bytes and {} lines; {BYTES} bytes and {LINES} lines are the most, whoever wrote them",
            size.bytes, size.lines
        ),
    );
    for section in budget::sections(bytes, ours).into_iter().take(3) {
        let Size { bytes, lines } = section.size;
        refusal = refusal
            .fact(format!("from line {}: {}, {bytes} bytes, {lines} lines", section.line, section.name));
    }
    refusal
        .hint(
            "move long sections into notes that are read on demand, or archive lessons; no file was changed",
        )
        .next("cairn govern knowledge archive <id> --why <text>")
}
