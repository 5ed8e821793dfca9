//! What running text says: measurements and terms. A program can only guess here, so that everything is a warning
//! (SFS-011, SFS-012).

use std::collections::HashSet;
use std::ops::Range;

use super::finding::{Check, Findings};
use super::profile::{Profile, Role};
use super::structure::{Prose, Structure, words};

pub(super) fn check(structure: &Structure<'_>, profile: &Profile, found: &mut Findings) {
    let running =
        structure.prose.iter().filter(|prose| !prose.is_heading && !prose.text.starts_with("Sources:"));
    for prose in running.clone() {
        measured(structure, prose, found);
    }
    // Without a glossary the missing section is the finding.
    let Some(glossary) = structure.part(profile, Role::Glossary) else { return };
    let defined = Defined::of(structure, &glossary.below());
    let mut told = HashSet::new();
    for prose in running.filter(|prose| !glossary.range.contains(&prose.start())) {
        for term in terms(prose) {
            let text = &prose.text[term.clone()];
            if !defined.has(text) && told.insert(text.to_lowercase()) {
                let message = format!("the glossary does not define `{}`", canon::text::one_line(text));
                let place = structure.place(prose.place(term.start));
                found.warning_at(Check::Glossary, place, message, "define it there, or write plain words");
            }
        }
    }
}

/// A measurement without what it holds for.
fn measured(structure: &Structure<'_>, prose: &Prose, found: &mut Findings) {
    if prose.text.to_lowercase().contains("(scoped:") {
        return;
    }
    if let Some(claim) = claim(&prose.text) {
        let message = format!(
            "`{}` looks like a measurement, and nothing says what it holds for",
            &prose.text[claim.clone()]
        );
        let cure = "add the domain, model and caveat: `(scoped: ...)`";
        found.warning_at(Check::Benchmarks, structure.place(prose.place(claim.start)), message, cure);
    }
}

/// The first of `45%`, `3.5x`, `p < 0.05` and `N=20` in a text.
fn claim(text: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |at: usize| bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
    let blanks = |at: usize| at + bytes[at.min(bytes.len())..].iter().take_while(|b| **b == b' ').count();
    let number = |at: usize| {
        let rest = &bytes[at.min(bytes.len())..];
        let length = rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
        let length = rest[..length].iter().rposition(u8::is_ascii_digit)? + 1;
        Some(at + length)
    };
    (0..bytes.len()).find_map(|at| {
        if at > 0 && (is_word(at - 1) || bytes[at - 1] == b'.') {
            return None;
        }
        if bytes[at].is_ascii_digit() {
            let end = number(at)?;
            let sign = blanks(end);
            return match bytes.get(end) {
                Some(b'x') if !is_word(end + 1) => Some(at..end + 1),
                _ if bytes.get(sign) == Some(&b'%') => Some(at..sign + 1),
                _ => None,
            };
        }
        let relation = match bytes[at] {
            b'p' | b'P' => [b'<', b'=', b'>'].as_slice(),
            b'n' | b'N' => [b'='].as_slice(),
            _ => return None,
        };
        let sign = blanks(at + 1);
        bytes.get(sign).filter(|b| relation.contains(b))?;
        Some(at..number(blanks(sign + 1))?)
    })
}

/// Words in capitals that need no glossary: those of the specification format, of requirements, and of every programmer.
const PLAIN: [&str; 43] = [
    "AND",
    "API",
    "ASCII",
    "BOM",
    "CANONICAL",
    "CI",
    "CLI",
    "CPU",
    "CR",
    "DENY",
    "FAIL",
    "GIT",
    "HTML",
    "HTTP",
    "HTTPS",
    "ID",
    "IDS",
    "JSON",
    "LF",
    "MAY",
    "MUST",
    "NOT",
    "NUL",
    "OK",
    "OR",
    "OS",
    "PASS",
    "PDF",
    "RFC",
    "SHALL",
    "SHOULD",
    "SQL",
    "SSH",
    "SUPERSEDED",
    "TODO",
    "UI",
    "URL",
    "URLS",
    "UTF",
    "XML",
    "YAML",
    "NO",
    "ALLOW",
];

/// The terms of a text: what is bold, and abbreviations.
fn terms(prose: &Prose) -> Vec<Range<usize>> {
    let is_term = |range: &&Range<usize>| {
        let text = prose.text[(*range).clone()].trim();
        let is_label = text.ends_with([':', '.', '!', '?']);
        let count = words(text).len();
        !is_label && (1..=4).contains(&count) && !text.contains('\0') && !is_plain(text)
    };
    let mut terms: Vec<Range<usize>> = prose.bold.iter().filter(is_term).cloned().collect();
    let mut at = 0;
    for word in prose.text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-') {
        let place = at..at + word.len();
        at = place.end + prose.text[place.end..].chars().next().map_or(0, char::len_utf8);
        let word = word.trim_matches('-');
        let is_short = (2..=6).contains(&word.len()) && word.chars().all(|c| c.is_ascii_uppercase());
        if is_short && !prose.is_bold(place.start) && !is_plain(word) {
            terms.push(place.start..place.start + word.len());
        }
    }
    terms
}

fn is_plain(text: &str) -> bool {
    let mut words =
        text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(|word| PLAIN.contains(&word))
}

/// What the glossary defines.
struct Defined {
    terms: HashSet<String>,
}

impl Defined {
    /// The words before the colon, dash or bracket of each entry, and what is bold in it.
    fn of(structure: &Structure<'_>, range: &Range<usize>) -> Self {
        let mut terms = HashSet::new();
        let mut define = |text: &str| {
            for one in text.split(['(', ')', '/', ',']) {
                terms.insert(words(one).join(" "));
            }
            terms.insert(words(text).join(" "));
        };
        for prose in structure.prose_in(range) {
            let text = &prose.text;
            let ends = [text.find(": "), text.find(" - "), text.find('\n'), text.find(":\n")];
            let end = ends.into_iter().flatten().min().unwrap_or(0);
            define(&text[..end]);
            prose.bold.iter().for_each(|bold| define(&text[bold.clone()]));
        }
        Self { terms }
    }

    fn has(&self, term: &str) -> bool {
        let term = words(term).join(" ");
        let one = term.strip_suffix('s').unwrap_or(&term);
        [term.as_str(), one].iter().any(|term| self.terms.contains(*term))
            || self.terms.contains(&format!("{term}s"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_are_told_from_other_numbers() {
        for (text, claim_is) in [
            ("up by 45% overall", "45%"),
            ("1.5x as fast", "1.5x"),
            ("p < 0.05 it is", "p < 0.05"),
            ("with N=20", "N=20"),
            ("n = 12 runs", "n = 12"),
            ("12 % of it", "12 %"),
        ] {
            assert_eq!(&text[claim(text).unwrap()], claim_is);
        }
        for text in
            ["v1.5", "0x10 is hex", "p is 5", "map = 5", "1.x", "2x4 wood", "step=1", "", "%", "n=", "p<"]
        {
            assert_eq!(claim(text), None, "{text}");
        }
    }
}
