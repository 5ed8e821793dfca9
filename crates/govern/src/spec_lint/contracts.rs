//! Schemas and state machines (SFS-013).

use std::collections::HashSet;
use std::ops::Range;

use super::finding::{Check, Findings};
use super::profile::{Profile, Role};
use super::structure::{Part, Structure};

pub(super) fn check(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    let Some(part) = structure.part(profile, Role::Contracts) else { return };
    if structure.is_not_applicable(part, profile) {
        return;
    }
    let below = part.below();
    schemas_are_json(structure, &below, found);
    let entries = entries(structure, part);
    let is_named = |words: &[&str]| entries.iter().any(|entry| entry.is_called(words));
    let line = structure.line(part.range.start);
    if !is_named(&SCHEMA) {
        let cure = "write `### NAME schema` with a `json` fence below it";
        found.error(Check::Contracts, line, "the section has no schema", cure);
    }
    if !is_named(&MACHINE) {
        let cure =
            "write `### NAME state machine` with a `stateDiagram-v2` and a list of transitions below it";
        found.error(Check::Contracts, line, "the section has no state machine", cure);
    }
    let linked: HashSet<&str> =
        structure.links.iter().filter_map(|link| link.target.strip_prefix('#')).collect();
    for entry in &entries {
        let line = structure.line(entry.range.start);
        if entry.is_called(&SCHEMA) && !has_fence(structure, &entry.range, "json") {
            let message = "the schema has no `json` fence";
            found.error(
                Check::Contracts,
                line,
                message,
                "write name, type and whether it is required of each field",
            );
        }
        if entry.is_called(&MACHINE) {
            machine(structure, entry, line, found);
        }
        if (entry.is_called(&SCHEMA) || entry.is_called(&MACHINE)) && !linked.contains(entry.slug) {
            let message = "no contract refers to it";
            let cure = format!("link to `#{}` where it is used", entry.slug);
            found.error(Check::Contracts, line, message, cure);
        }
    }
}

const SCHEMA: [&str; 2] = ["schema", "schemas"];
const MACHINE: [&str; 2] = ["state machine", "state machines"];

/// A heading below the section's, with what stands below it.
struct Entry<'s> {
    title: String,
    slug: &'s str,
    range: Range<usize>,
}

impl Entry<'_> {
    fn is_called(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.title.contains(&format!(" {word} ")))
    }
}

fn entries<'s>(structure: &'s Structure<'_>, part: &Part) -> Vec<Entry<'s>> {
    let headings = structure.headings_in(&part.below());
    let level = headings.iter().map(|heading| heading.level).min().unwrap_or(3);
    let tops: Vec<_> = headings.iter().filter(|heading| heading.level == level).collect();
    let ends = tops.iter().skip(1).map(|heading| heading.range.start).chain(std::iter::once(part.range.end));
    let entry = |(heading, end): (&&'s super::structure::Heading, usize)| Entry {
        title: format!(" {} ", super::structure::words(&heading.title).join(" ")),
        slug: &heading.slug,
        range: heading.range.start..end,
    };
    tops.iter().zip(ends).map(entry).collect()
}

fn has_fence(structure: &Structure<'_>, range: &Range<usize>, language: &str) -> bool {
    structure.fences_in(range).iter().any(|fence| fence.language.as_deref() == Some(language))
}

fn machine(structure: &Structure<'_>, entry: &Entry<'_>, line: usize, found: &mut Findings) {
    let is_diagram = |code: &str| code.lines().any(|line| line.trim().starts_with("stateDiagram"));
    let mut fences = structure.fences_in(&entry.range).iter();
    if !fences.any(|fence| fence.language.as_deref() == Some("mermaid") && is_diagram(&fence.code)) {
        let message = "the state machine has no diagram";
        found.error(Check::Contracts, line, message, "draw it as `stateDiagram-v2` in a `mermaid` fence");
    }
    if !structure.prose_in(&entry.range).iter().any(|prose| prose.text.contains("->")) {
        let message = "the state machine has no list of transitions in words";
        found.error(Check::Contracts, line, message, "write `from -> to, on trigger` for each");
    }
}

fn schemas_are_json(structure: &Structure<'_>, range: &Range<usize>, found: &mut Findings) {
    for fence in structure.fences_in(range).iter().filter(|fence| fence.language.as_deref() == Some("json")) {
        if let Err(damage) = canon::json::read::<serde_json::Value>(fence.code.as_bytes()) {
            let line = structure.line(fence.start) + damage.line;
            let message = format!("the schema is not valid JSON: {}", damage.message);
            found.error(Check::Contracts, line, message, "mend it at this line");
        }
    }
}
