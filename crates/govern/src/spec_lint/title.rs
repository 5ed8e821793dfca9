//! The title, and the status notice below it (SFS-002).

use super::finding::{Check, Findings};
use super::front::{Front, Status};
use super::structure::{Kind, Structure};

const NOTICE: &str =
    "write `> **CANONICAL (current).** ...` or `> **SUPERSEDED** by v1.1 ...` right below the title";

pub(super) fn check(structure: &Structure<'_>, front: &Front, found: &mut Findings) {
    let mut titles = structure.headings.iter().filter(|heading| heading.level == 1);
    let Some(title) = titles.next() else {
        let line = structure.line(structure.body.min(structure.text.len().saturating_sub(1)));
        found.error(Check::Title, line, "there is no title", "write `# TITLE v1.0` below the front matter");
        return;
    };
    for other in titles {
        let line = structure.line(other.range.start);
        found.error(Check::Title, line, "this is a second title", "make it a section: `## N. Title`");
    }
    let line = structure.line(title.range.start);
    let before = structure.blocks.first().map(|block| block.range.start);
    if let Some(before) = before.filter(|start| *start < title.range.start) {
        let message = "something stands above the title";
        found.error(Check::Title, structure.line(before), message, "put it below the status notice");
    }
    if let Some(version) = front.version
        && let Some(other) = versions(&title.title).find(|other| *other != version.to_string())
    {
        let message = format!("the title says {other}, and the front matter {version}");
        found.error(Check::Title, line, message, "mend the one that is wrong");
    }
    notice(structure, title.range.end, line, front, found);
}

fn notice(structure: &Structure<'_>, behind: usize, title: usize, front: &Front, found: &mut Findings) {
    let first = structure.blocks_in(&(behind..structure.text.len())).first();
    let Some(first) = first else {
        found.error(Check::Title, title, "no status notice follows the title", NOTICE);
        return;
    };
    let line = structure.line(first.range.start);
    if first.kind != Kind::Quote {
        found.error(Check::Title, line, "what follows the title is not the status notice", NOTICE);
        return;
    }
    let prose = structure.prose_in(&first.range);
    let bold = prose.iter().find_map(|one| Some(&one.text[one.bold.first()?.clone()]));
    let status = match bold.and_then(|bold| bold.split(|c: char| !c.is_ascii_alphabetic()).next()) {
        Some("CANONICAL") => Status::Canonical,
        Some("SUPERSEDED") => Status::Superseded,
        _ => {
            let message = "the quote below the title says neither CANONICAL nor SUPERSEDED in bold";
            found.error(Check::Title, line, message, NOTICE);
            return;
        }
    };
    if front.status.is_some_and(|said| said != status) {
        let message = "the status notice says otherwise than the front matter";
        found.error(Check::Title, line, message, "mend the one that is wrong");
    } else if let (Status::Superseded, Some(next)) = (status, front.superseded_by) {
        let next = next.to_string();
        if !prose.iter().any(|one| versions(&one.text).any(|said| said == next)) {
            let message = format!("the status notice does not name {next}, which replaced this version");
            found.error(Check::Title, line, message, format!("write `**SUPERSEDED** by v{next}`"));
        }
    }
}

/// The versions that a text names: `v` and two numbers.
fn versions(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
    words.filter_map(|word| {
        let number = word.trim_end_matches('.').strip_prefix(['v', 'V'])?;
        super::version::Version::read(number).map(|_| number)
    })
}
