//! Context gain (G1): whoever changes a file has read it, as it is now, in this session.

use std::path::Path;

use gate::event::{Decision, Event, Tool};

use super::{Act, Found, Known, SEARCHED};
use crate::codes;

pub(super) fn judge(act: &Act<'_>, known: &Known<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for touched in act.changes {
        for path in &touched.paths {
            // A new file needs no reading (G1-1).
            let Some(content) = (known.file)(path) else { continue };
            found.extend(unread(act.event, path, &content, known));
        }
    }
    for target in &act.effects.deletes {
        let crate::classify::Place::Path(path) = &target.place else { continue };
        if (known.file)(path).is_none() {
            continue;
        }
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let is_searched = known
            .session
            .marks
            .keys()
            .any(|mark| mark.strip_prefix(SEARCHED).is_some_and(|pattern| pattern.contains(&stem)));
        if !is_searched {
            let fact = format!("{} would go, and nobody looked for what refers to it", known.name(path));
            let next = format!("search for `{stem}`, then make the call again");
            found.push(deny("G1-6", codes::UNMAPPED, fact, next));
        }
    }
    found.truncate(1);
    found
}

fn deny(rule: &str, reason: gate::ReasonCode, fact: String, next: String) -> Found {
    Found { decision: Decision::Deny, gate: "G1", rule: rule.to_owned(), reason, fact, next, ticket: false }
}

fn unread(event: &Event, path: &Path, content: &[u8], known: &Known<'_>) -> Option<Found> {
    let name = known.name(path);
    let digest = canon::Sha256::of(content);
    // What the session itself left there it knows.
    if known.session.wrote.get(&name).is_some_and(|wrote| *wrote == Some(digest)) {
        return None;
    }
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
