//! The conformance vectors (SFS-014).

use std::collections::HashSet;

use super::finding::{Check, Findings};
use super::profile::{Profile, Role};
use super::structure::{Structure, words};

const HEAD: [&str; 4] = ["id", "contract", "test", "expected"];

pub(super) fn check(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    let Some(part) = structure.part(profile, Role::Conformance) else { return };
    if structure.is_not_applicable(part, profile) {
        return;
    }
    let below = part.below();
    let line = structure.line(part.range.start);
    let mut ids = HashSet::new();
    let mut has_table = false;
    for table in structure.tables_in(&below) {
        let head: Vec<String> = table.head.iter().map(|cell| words(cell).join(" ")).collect();
        if head != HEAD {
            continue;
        }
        has_table = true;
        if table.rows.is_empty() {
            let line = structure.line(table.range.start);
            found.error(Check::Conformance, line, "the table has no vector", "write one row a vector");
        }
        for (start, cells) in &table.rows {
            let id = cells.first().map(|cell| cell.trim()).unwrap_or_default();
            let line = structure.line(*start);
            if id.is_empty() {
                found.error(Check::Conformance, line, "the vector has no id", "give it one, as in `WS-001`");
            } else if !ids.insert(id) {
                let message = format!("the id `{}` stands twice", canon::text::one_line(id));
                found.error(Check::Conformance, line, message, "give each vector an id of its own");
            }
            if cells.iter().skip(1).any(|cell| cell.trim().is_empty()) {
                let message = "the vector has an empty cell";
                found.error(Check::Conformance, line, message, "say contract, test and expected outcome");
            }
        }
    }
    if !has_table {
        let cure = "write a table with the heads ID, Contract, Test and Expected";
        found.error(Check::Conformance, line, "the section has no table of vectors", cure);
    }
    let text: Vec<String> =
        structure.prose_in(&below).iter().map(|prose| prose.text.to_lowercase()).collect();
    for (word, message, cure) in [
        ("level", "the section names no conformance level", "say which vectors each level asks for"),
        ("harness", "the section has no harness contract", "say how a harness drives an implementation"),
    ] {
        if !text.iter().any(|text| text.contains(word)) {
            found.error(Check::Conformance, line, message, cure);
        }
    }
}
