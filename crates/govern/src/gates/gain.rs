//! Context gain (G1): whoever changes a file has read it, as it is now, in this session, and has looked for what refers
//! to it.

use std::path::{Path, PathBuf};

use gate::event::{Decision, Event, Tool};

use super::{Act, Found, Known, SEARCHED};
use crate::classify::Place;
use crate::codes;

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    let deleted: Vec<&PathBuf> =
        act.effects.deletes.iter().filter_map(|target| path_of(&target.place)).collect();
    for touched in act.changes {
        for path in &touched.paths {
            // A new file needs no reading (G1-1).
            let Some(content) = (known.file)(path) else { continue };
            if is_own(path, &content, known) {
                continue;
            }
            let is_deleted = deleted.contains(&path);
            let unread = unread(act.event, path, &content, known);
            let unmapped = || (!is_deleted).then(|| unmapped(path, "would change", "G1-5", known)).flatten();
            found.extend(unread.or_else(unmapped));
        }
    }
    for path in deleted.into_iter().filter(|path| (known.file)(path).is_some()) {
        found.extend(unmapped(path, "would go", "G1-6", known));
    }
    found.truncate(1);
    found
}

fn path_of(place: &Place) -> Option<&PathBuf> {
    match place {
        Place::Path(path) => Some(path),
        _ => None,
    }
}

/// Whether the session left the file as it is: it knows what it wrote.
fn is_own(path: &Path, content: &[u8], known: &Known<'_>) -> bool {
    known.session.wrote.get(&known.name(path)).is_some_and(|wrote| *wrote == Some(canon::Sha256::of(content)))
}

/// A file stands alone only where somebody looked for what refers to it: that it does is never assumed.
fn unmapped(path: &Path, what: &str, rule: &str, known: &Known<'_>) -> Option<Found> {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let marks = known.session.marks.keys();
    let mut searched = marks.filter_map(|mark| mark.strip_prefix(SEARCHED));
    if searched.any(|pattern| pattern.contains(&stem)) {
        return None;
    }
    let fact = format!("{} {what}, and nobody looked for what refers to it", known.name(path));
    Some(deny(rule, codes::UNMAPPED, fact, format!("search for `{stem}`, then make the call again")))
}

fn deny(rule: &str, reason: gate::ReasonCode, fact: String, next: String) -> Found {
    Found { decision: Decision::Deny, gate: "G1", rule: rule.to_owned(), reason, fact, next, ticket: false }
}

fn unread(event: &Event, path: &Path, content: &[u8], known: &Known<'_>) -> Option<Found> {
    let name = known.name(path);
    let digest = canon::Sha256::of(content);
    let compactions = known.session.counters.compactions;
    let counts = |read: &&crate::session::Read| {
        known.policy.reads_survive_compaction || read.compactions.is_none_or(|then| then == compactions)
    };
    let reads: Vec<_> = known.session.reads.get(&name).into_iter().flatten().filter(counts).collect();
    let next = format!("read {name}, then make the call again");
    if reads.is_empty() {
        return Some(deny("G1-2", codes::UNREAD_FILE, format!("{name} was not read in this session"), next));
    }
    let fresh: Vec<_> =
        reads.into_iter().filter(|read| read.content.is_none_or(|then| then == digest)).collect();
    if fresh.is_empty() {
        return Some(deny("G1-7", codes::STALE_READ, format!("{name} changed after it was read"), next));
    }
    let (first, last) = region(event, content)?;
    if fresh.iter().any(|read| read.covers(first, Some(last))) {
        return None;
    }
    let fact = format!("lines {first} to {last} of {name} are changed and were not read");
    Some(deny(
        "G1-4",
        codes::UNREAD_REGION,
        fact,
        format!("read lines {first} to {last} of {name}, then make the call again"),
    ))
}

/// The lines that an edit replaces, where that can be told: each of the replaced texts stands in the file.
fn region(event: &Event, content: &[u8]) -> Option<(u64, u64)> {
    let Some(Tool::Edit { replaced, .. }) = event.call.as_ref().map(|call| &call.tool) else { return None };
    let text = std::str::from_utf8(content).ok()?;
    let mut lines: Option<(u64, u64)> = None;
    for part in replaced.iter().filter(|part| !part.is_empty()) {
        let at = text.find(part.as_str())?;
        let first = text[..at].matches('\n').count() as u64 + 1;
        let last = first + part.trim_end_matches('\n').matches('\n').count() as u64;
        lines = Some(lines.map_or((first, last), |(low, high)| (low.min(first), high.max(last))));
    }
    lines
}
