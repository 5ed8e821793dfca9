//! References: to headings, to other files, and beyond (SFS-008, SFS-009, SFS-015, SFS-X2).

use std::collections::{HashMap, HashSet};

use canon::text::counted;

use super::Given;
use super::finding::{Check, Findings};
use super::link_cache::LinkCache;
use super::structure::{Link, Prose, Structure, words};
use super::version::Version;

/// The anchor of each section, by its number.
type Numbers<'s> = HashMap<usize, &'s str>;

/// What a link may lead to.
struct Anchors<'s> {
    slugs: HashSet<&'s str>,
    numbers: Numbers<'s>,
}

pub(super) fn check(structure: &Structure<'_>, given: Given<'_>, found: &mut Findings) {
    let numbers = structure.parts.iter().rev();
    let numbers = numbers.filter_map(|part| Some((part.number?, part.slug.as_str()))).collect();
    for prose in structure.prose.iter().filter(|prose| !prose.is_heading) {
        bare(structure, prose, &numbers, found);
    }
    let slugs = structure.headings.iter().map(|heading| heading.slug.as_str()).collect();
    let anchors = Anchors { slugs, numbers };
    let mut external = Vec::new();
    for link in &structure.links {
        let target = link.target.as_str();
        if is_external(target) {
            external.push(link);
        } else if let Some(anchor) = target.strip_prefix('#') {
            heading(structure, link, anchor, &anchors, found);
        } else {
            file(structure, link, given, &anchors, found);
        }
    }
    match given.links {
        Some(cache) => external.iter().for_each(|link| answered(structure, link, cache, found)),
        None => unchecked(structure, &external, found),
    }
}

fn is_external(target: &str) -> bool {
    let lower = target.to_ascii_lowercase();
    lower.starts_with("http://") || lower.starts_with("https://")
}

/// `sec 5` in running text, where a link belongs.
fn bare(structure: &Structure<'_>, prose: &Prose, numbers: &Numbers<'_>, found: &mut Findings) {
    let lower = prose.text.to_ascii_lowercase();
    for (at, _) in lower.match_indices("sec") {
        let is_word = !lower[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let rest = &lower[at + 3..];
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let number = rest.strip_prefix('.').unwrap_or(rest).trim_start_matches(' ');
        if !is_word || !number.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        if prose.is_linked(at) {
            continue;
        }
        let digits = number.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        let message = format!(
            "`{}` is no link",
            canon::text::one_line(&lower[at..lower.len() - number.len() + digits.len()])
        );
        let slug = digits.parse().ok().and_then(|number: usize| numbers.get(&number));
        let slug = slug.map_or_else(|| format!("{digits}-..."), |slug| (*slug).to_owned());
        let cure = format!("write `[sec {digits}](#{slug})`");
        found.error_at(Check::References, structure.place(prose.place(at)), message, cure);
    }
}

/// The text of an anchor, without the escapes of addresses.
fn decoded(anchor: &str) -> String {
    let bytes = anchor.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let hex = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
        match (bytes[at], hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            (byte, ..) => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn heading(
    structure: &Structure<'_>,
    link: &Link,
    anchor: &str,
    anchors: &Anchors<'_>,
    found: &mut Findings,
) {
    let anchor = decoded(anchor);
    let lower = anchor.to_lowercase();
    let at = structure.place(link.start);
    if around(structure, link.start).any(|slug| slug == lower) {
        let message = format!("the section links to itself: `#{}`", canon::text::one_line(&anchor));
        found.error_at(
            Check::SelfLinks,
            at,
            message,
            "link to where the reader should go, or write the words alone",
        );
    } else if !anchors.slugs.contains(anchor.as_str()) {
        let message = format!("no heading has the anchor `#{}`", canon::text::one_line(&anchor));
        let cure = if anchors.slugs.contains(lower.as_str()) {
            format!("anchors are in lower case: `#{lower}`")
        } else {
            nearest(anchors, &lower)
        };
        found.error_at(Check::References, at, message, cure);
    }
}

/// The anchors of the headings under which a place stands: its section, and the headings in it.
fn around<'s>(structure: &'s Structure<'_>, at: usize) -> impl Iterator<Item = &'s str> {
    let last = structure.headings.partition_point(|heading| heading.range.start <= at).checked_sub(1);
    let chain = std::iter::successors(last, |number| structure.headings[*number].above);
    let headings = chain.map(|number| &structure.headings[number]);
    headings.filter(|heading| heading.level > 1).map(|heading| heading.slug.as_str())
}

fn nearest(anchors: &Anchors<'_>, anchor: &str) -> String {
    let number = anchor.split('-').next().unwrap_or_default();
    let same = number.parse().ok().and_then(|number: usize| anchors.numbers.get(&number));
    same.map_or_else(
        || "link to a heading that is there".to_owned(),
        |slug| format!("section {number} is `#{slug}`"),
    )
}

/// A link to another file, or to this one by its name.
fn file(
    structure: &Structure<'_>,
    link: &Link,
    given: Given<'_>,
    anchors: &Anchors<'_>,
    found: &mut Findings,
) {
    let target = link.target.as_str();
    let at = structure.place(link.start);
    let lower = target.to_ascii_lowercase();
    let has_drive = lower.as_bytes().get(1) == Some(&b':');
    if target.starts_with(['/', '\\']) || lower.starts_with("file:") || has_drive {
        let message = format!("`{}` leads to a place of one machine", canon::text::one_line(target));
        found.error_at(Check::RelativeLinks, at, message, "write the path from this file's folder");
        return;
    }
    let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
    let path = path.strip_prefix("./").unwrap_or(path);
    if path == given.name {
        if let Some(anchor) = anchor {
            heading(structure, link, anchor, anchors, found);
        } else {
            let message = "the spec links to itself";
            found.error_at(
                Check::SelfLinks,
                at,
                message,
                "link to a section, or to the version that is meant",
            );
        }
        return;
    }
    let (Some((document, _)), Some(siblings)) = (Version::of_file(given.name), given.siblings) else {
        return;
    };
    let is_version = Version::of_file(path).is_some_and(|(other, _)| other == document);
    if is_version && !siblings.iter().any(|sibling| sibling.name() == path) {
        let message = format!("the version `{}` is not there", canon::text::one_line(path));
        found.error_at(Check::SelfLinks, at, message, "link to a file that is there");
    }
}

fn answered(structure: &Structure<'_>, link: &Link, cache: &LinkCache, found: &mut Findings) {
    let at = structure.place(link.start);
    let address = canon::text::one_line(&link.target);
    let bare = link.target.split('#').next().unwrap_or_default();
    let Some(answer) = cache.links.get(&link.target).or_else(|| cache.links.get(bare)) else {
        let message = format!("nobody looked whether `{address}` answers");
        found.not_checked(Check::ExternalLinks, at.0, message, "add its answer to the file of answers");
        return;
    };
    if !(200..300).contains(&answer.status) {
        let what = match answer.status {
            0 => "did not answer".to_owned(),
            status => format!("answered {status}"),
        };
        let message = format!("`{address}` {what} at {}", cache.at);
        found.error_at(
            Check::ExternalLinks,
            at,
            message,
            "link to a stable address, or cite the title alone",
        );
        return;
    }
    let Some(title) = &answer.title else { return };
    let (said, is) = (words(&link.text), words(title));
    let matches = said.is_empty() || is_external(&link.text) || said.iter().any(|word| is.contains(word));
    if !matches {
        let message = format!("the page `{address}` has the title `{}`", canon::text::one_line(title));
        found.warning_at(Check::ExternalLinks, at, message, "see whether it is the page that is meant");
    }
}

fn unchecked(structure: &Structure<'_>, external: &[&Link], found: &mut Findings) {
    let Some(first) = external.first() else { return };
    let number = counted(external.len(), "external link");
    let message = format!("{number} not checked, the first here: nothing was asked of the network");
    let cure = "look them up, and give the answers with `--links FILE`";
    found.not_checked(Check::ExternalLinks, structure.line(first.start), message, cure);
}
