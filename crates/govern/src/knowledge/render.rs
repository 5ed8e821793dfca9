//! What stands between the markers of `AGENTS.md` and `Index.md`: a function of the entries alone, one line an entry.

use std::fmt::Write as _;

use canon::managed::Markers;

use super::entry::{Entry, Folder};
use super::fields::{Label, Scope, Status};

/// The block in `AGENTS.md`.
pub(super) const AGENTS: Markers = Markers {
    name: "cairn-knowledge",
    note: "managed by `cairn govern knowledge regen`; edits inside are overwritten",
};

/// The block in `Index.md`.
pub(super) const INDEX: Markers = Markers {
    name: "cairn-index",
    note: "managed by `cairn govern knowledge`; edits inside are overwritten",
};

/// The line of an entry that is in force, in `AGENTS.md`. `vault` is the vault's path from the top.
pub(super) fn agents_line(entry: &Entry, vault: &str) -> String {
    format!("- {} ([{}]({vault}/{}))", entry.title(), entry.id, entry.path())
}

/// The entry that a line of `AGENTS.md` is about.
pub(super) fn id_of(line: &str) -> Option<&str> {
    let path = line.strip_suffix("))")?.rsplit_once("](")?.1;
    path.rsplit('/').next()?.strip_suffix(".md")
}

/// The text between the markers of `AGENTS.md`.
pub(super) fn agents(entries: &[Entry], project: &str, vault: &str) -> String {
    let in_force = |is: Choice<'_>| {
        let lines = sorted(entries).into_iter().filter(|entry| entry.is_in_force(project) && is(entry));
        lines.map(|entry| agents_line(entry, vault)).collect::<Vec<_>>()
    };
    let rules = in_force(&is_rule);
    let lessons = in_force(&|entry| !is_rule(entry));
    let mut text = "## What was learned here\n\n".to_owned();
    if rules.is_empty() && lessons.is_empty() {
        text.push_str("Nothing is in force.\n");
    } else {
        text.push_str("Read the note behind a line before you work on what it is about.\n");
    }
    for (name, lines) in [("Rules", rules), ("Lessons", lessons)] {
        if !lines.is_empty() {
            let _ = write!(text, "\n### {name}\n\n{}\n", lines.join("\n"));
        }
    }
    let _ = write!(text, "\nThe archive is in [Index.md]({vault}/Index.md).\n");
    text
}

fn is_rule(entry: &Entry) -> bool {
    entry.folder == Folder::Rules || entry.fields.label == Some(Label::Rule)
}

fn sorted(entries: &[Entry]) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| (&a.id, a.folder).cmp(&(&b.id, b.folder)));
    sorted
}

/// The heading of the archive in `Index.md`.
pub(super) const ARCHIVE: &str = "### Archive";

/// The line of an entry in `Index.md`. What holds a credential is named alone.
pub(super) fn index_line(entry: &Entry) -> String {
    let title = if entry.holds_secret() { entry.id.clone() } else { entry.title() };
    let mut line = format!("- [{}]({})", link_text(&title), entry.path());
    match entry.status() {
        Status::Archived => match entry.fields.archived_at {
            Some(at) => write!(line, ", archived {at}").unwrap_or_default(),
            None => line.push_str(", archived"),
        },
        Status::Erased => line.push_str(", erased"),
        Status::Candidate | Status::Promoted => {}
    }
    if let Some(Scope::Project(name)) = &entry.fields.scope {
        let _ = write!(line, " ({name})");
    }
    line
}

/// Text that ends no link.
fn link_text(text: &str) -> String {
    text.replace(['[', ']'], "")
}

/// Which entries a section lists.
type Choice<'c> = &'c dyn Fn(&Entry) -> bool;

/// The text between the markers of `Index.md`.
pub(super) fn index(entries: &[Entry], project: &str) -> String {
    let mut text = "## Entries\n".to_owned();
    let sections: [(&str, Choice<'_>); 6] = [
        ("### In force", &|entry| entry.is_in_force(project)),
        ("### Candidates", &|entry| entry.status() == Status::Candidate && is_usable(entry, project)),
        (ARCHIVE, &|entry| entry.status() == Status::Archived),
        ("### Kept out", &|entry| is_live(entry) && !is_usable(entry, project) && entry.applies_in(project)),
        ("### Of other projects", &|entry| is_live(entry) && !entry.applies_in(project)),
        ("### Erased", &|entry| entry.status() == Status::Erased),
    ];
    for (name, is) in sections {
        let lines: Vec<String> =
            sorted(entries).into_iter().filter(|entry| is(entry)).map(index_line).collect();
        if !lines.is_empty() {
            let _ = write!(text, "\n{name}\n\n{}\n", lines.join("\n"));
        }
    }
    text
}

fn is_live(entry: &Entry) -> bool {
    matches!(entry.status(), Status::Candidate | Status::Promoted)
}

fn is_usable(entry: &Entry, project: &str) -> bool {
    entry.fields.quarantine.is_none()
        && entry.applies_in(project)
        && !entry.holds_secret()
        && !entry.claims_force()
}
