//! The sections: which, in what order, and how each ends (SFS-003, SFS-010, SFS-016).

use std::collections::HashMap;
use std::ops::Range;

use super::finding::{Check, Findings};
use super::profile::{Profile, Role};
use super::structure::{Block, Kind, Part, Structure};

pub(super) fn check(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    named(structure, profile, found);
    numbered(structure, found);
    for part in &structure.parts {
        filled(structure, part, found);
        sources(structure, part, found);
    }
    extensions(structure, profile, found);
    core(structure, profile, found);
}

/// Every section of the profile at its number.
fn named(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    if structure.parts.is_empty() {
        let message = format!("there are no sections; {} has {}", profile.name, profile.sections.len());
        let cure = format!("begin with `## 1. {}`", profile.sections[0].name);
        found.error(Check::Sections, structure.last_line(), message, cure);
        return;
    }
    for (at, section) in profile.sections.iter().enumerate() {
        let (number, name) = (at + 1, &section.name);
        let by_name = structure.parts.iter().find(|part| section.is_called(&part.title));
        if let Some(part) = by_name {
            if let Some(other) = part.number.filter(|other| *other != number) {
                let message =
                    format!("this section has number {other}; {number} is its place in {}", profile.name);
                let line = structure.line(part.range.start);
                found.error(Check::Sections, line, message, "put it there, without renumbering the others");
            }
            continue;
        }
        if let Some(part) = structure.parts.iter().find(|part| part.number == Some(number)) {
            let message = format!("section {number} is not `{name}`, which {} has there", profile.name);
            let line = structure.line(part.range.start);
            found.error(Check::Sections, line, message, format!("write `## {number}. {name}`"));
            continue;
        }
        let after = structure.parts.iter().find(|part| part.number.is_some_and(|other| other > number));
        let line = after.map_or_else(|| structure.last_line(), |part| structure.line(part.range.start));
        let place = if after.is_some() { "before this line" } else { "at the end" };
        let message = format!("section {number}, `{name}`, is missing {place}");
        let cure = format!(
            "write `## {number}. {name}`; where it does not apply, say `Not applicable to this spec`"
        );
        found.error(Check::Sections, line, message, cure);
    }
}

/// Each section numbered, and the numbers counting up.
fn numbered(structure: &Structure<'_>, found: &mut Findings) {
    let mut last = 0;
    for part in &structure.parts {
        let line = structure.line(part.range.start);
        let Some(number) = part.number else {
            let cure =
                format!("write `## {}. {}`, or make it a heading of the third level", last + 1, part.title);
            found.error(Check::Sections, line, "the heading of this section has no number", cure);
            continue;
        };
        if number <= last {
            let message = format!("section {number} comes behind section {last}");
            found.error(Check::Sections, line, message, "number the sections in their order, each once");
        }
        last = last.max(number);
    }
}

/// A section says something, if only that it does not apply.
fn filled(structure: &Structure<'_>, part: &Part, found: &mut Findings) {
    let blocks = structure.blocks_in(&part.below());
    let says = blocks.iter().any(|block| match block.kind {
        Kind::Heading | Kind::Rule => false,
        Kind::Paragraph => !is_sources(structure, block),
        Kind::Quote | Kind::Other => true,
    });
    if !says && !part.title.to_lowercase().contains("not applicable") {
        let line = structure.line(part.range.start);
        found.error(
            Check::Sections,
            line,
            "the section is empty",
            "write `Not applicable to this spec`, and why",
        );
    }
}

/// Whether a paragraph is that of the sources: it begins with the word in bold.
fn is_sources(structure: &Structure<'_>, block: &Block) -> bool {
    structure.prose_in(&block.range).first().is_some_and(|prose| {
        let is_bold = prose.bold.first().is_some_and(|bold| bold.start == 0 && matches!(bold.end, 7 | 8));
        is_bold && prose.text.starts_with("Sources:")
    })
}

fn sources(structure: &Structure<'_>, part: &Part, found: &mut Findings) {
    let blocks = structure.blocks_in(&part.below());
    let heading = structure.line(part.range.start);
    let cure = "end the section with `**Sources:** [title](link)`, or `**Sources:** none - why`";
    let Some(block) = blocks.iter().rfind(|block| is_sources(structure, block)) else {
        found.error(Check::Sources, heading, "the section has no sources paragraph", cure);
        return;
    };
    let line = structure.line(block.range.start);
    let last = blocks.iter().rfind(|block| block.kind != Kind::Rule);
    if last.is_some_and(|last| last.range.start != block.range.start) {
        let message = "the sources paragraph is not the end of its section";
        found.error(Check::Sources, line, message, "put what follows above it");
        return;
    }
    let text = structure.prose_in(&block.range).first().map(|prose| prose.text.as_str()).unwrap_or_default();
    let said = text.trim_start_matches("Sources:").trim_start().to_lowercase();
    let has_links = |range: &Range<usize>| !structure.links_in(range).is_empty();
    let above = part.heading.end..block.range.start;
    let cited_above = said.starts_with("inline citations above") && has_links(&above);
    let declared = said.strip_prefix("none").is_some_and(|why| why.chars().any(char::is_alphanumeric));
    if !has_links(&block.range) && !declared && !cited_above {
        found.error(Check::Sources, line, "the sources paragraph has no link, and does not say why", cure);
    }
}

/// A section beyond the profile is referred to from elsewhere: the inventory, or whoever needs it.
fn extensions(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    let mut last = profile.sections.len();
    let mut linked: HashMap<&str, (usize, usize)> = HashMap::new();
    for link in &structure.links {
        let Some(target) = link.target.strip_prefix('#') else { continue };
        linked.entry(target).or_insert((link.start, link.start)).1 = link.start;
    }
    for part in &structure.parts {
        let Some(number) = part.number.filter(|number| *number > profile.sections.len()) else { continue };
        let line = structure.line(part.range.start);
        if number > last + 1 {
            let message = format!("extension {number} leaves numbers out: {} comes next", last + 1);
            found.error(Check::Sections, line, message, "number extensions without a gap");
        }
        last = last.max(number);
        let places = linked.get(part.slug.as_str());
        let is_listed = |(first, last): &(usize, usize)| *first < part.range.start || *last >= part.range.end;
        if !places.is_some_and(is_listed) {
            let message = format!("extension {number} is in no inventory: nothing links to it");
            let cure = format!("list it as `[{}](#{})`", part.title, part.slug);
            found.error(Check::Sections, line, message, cure);
        }
    }
}

fn core(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    // A section that is not there is a finding of its own.
    let Some(part) = structure.part(profile, Role::Core) else { return };
    let states = |text: &str| {
        let text = text.to_lowercase();
        text.contains("collapsed core") || text.contains("core is collapsed")
    };
    if !structure.prose_in(&part.below()).iter().any(|prose| states(&prose.text)) {
        let cure = "say which rules are always loaded: `Collapsed core: ...`";
        found.error(Check::Core, structure.line(part.range.start), "the collapsed core is not stated", cure);
    }
}
