//! The part of `spec.md` that a task needs: its beginning always, and the sections that share words with the
//! task. Never the whole of a long one (P3).

use std::collections::BTreeSet;

use canon::text;
use schemars::JsonSchema;
use serde::Serialize;

use super::words;

/// A spec of so many bytes is given whole.
const SHORT: usize = 4096;
/// So much of the beginning is always given.
const BEGINNING: usize = 2048;
/// A section that is cut keeps at least so much.
const LEAST: usize = 400;

/// What is given of the spec.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
pub struct SpecSlice {
    /// The sections, in the file's order. The first is the beginning.
    pub sections: Vec<Section>,
    /// The headings of the sections that were left out.
    pub left_out: Vec<String>,
}

/// A section of the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Section {
    /// Its heading with those above it, as in `Parsing > Numbers`; empty for the beginning.
    pub heading: String,
    /// Its text, without what lies below further headings.
    pub text: String,
    /// The end was cut off.
    pub cut: bool,
}

impl Section {
    /// How many bytes it takes.
    pub(super) fn size(&self) -> usize {
        self.heading.len() + self.text.len() + 8
    }
}

/// The slice for a task of these words, within about `room` bytes beside the beginning.
pub(super) fn slice(spec: &str, wanted: &BTreeSet<String>, room: usize) -> SpecSlice {
    let spec = spec.strip_prefix('\u{feff}').unwrap_or(spec).replace("\r\n", "\n");
    let mut parts = split(&spec);
    if spec.len() <= SHORT.min(room.max(BEGINNING)) {
        return SpecSlice { sections: parts, left_out: Vec::new() };
    }
    let mut given: Vec<(usize, Section)> = vec![(0, shorten(parts.remove(0), BEGINNING))];
    let mut room = room;
    for place in ranked(&parts, wanted) {
        let part = &parts[place];
        if part.size() <= room {
            room -= part.size();
            given.push((place + 1, part.clone()));
        } else if room >= LEAST + part.heading.len() {
            let part = shorten(part.clone(), room - part.heading.len());
            room = room.saturating_sub(part.size());
            given.push((place + 1, part));
        }
    }
    given.sort_by_key(|(place, _)| *place);
    let is_given = |place: usize| given.iter().any(|(given, _)| *given == place + 1);
    let left_out =
        (0..parts.len()).filter(|place| !is_given(*place)).map(|place| parts[place].heading.clone());
    SpecSlice { left_out: left_out.collect(), sections: given.into_iter().map(|(_, part)| part).collect() }
}

/// The places of the sections that have something to do with the words, the closest first. A word weighs
/// more the fewer sections have it, and three times in a heading.
fn ranked(parts: &[Section], wanted: &BTreeSet<String>) -> Vec<usize> {
    let words: Vec<(BTreeSet<String>, BTreeSet<String>)> =
        parts.iter().map(|part| (words::of(&part.heading), words::of(&part.text))).collect();
    let mut scores = vec![0_u32; parts.len()];
    for word in wanted {
        let having =
            words.iter().filter(|(heading, text)| heading.contains(word) || text.contains(word)).count();
        if having == 0 || (having == parts.len() && having > 2) {
            continue;
        }
        let weight = match parts.len() / having {
            0 | 1 => 1,
            2..=4 => 2,
            _ => 3,
        };
        for (score, (heading, text)) in scores.iter_mut().zip(&words) {
            *score += weight * (3 * u32::from(heading.contains(word)) + u32::from(text.contains(word)));
        }
    }
    let mut places: Vec<usize> = (0..parts.len()).filter(|place| scores[*place] > 0).collect();
    places.sort_by_key(|place| (std::cmp::Reverse(scores[*place]), *place));
    places
}

/// The section within `room` bytes, cut at the end of a line.
fn shorten(section: Section, room: usize) -> Section {
    if section.text.len() <= room {
        return section;
    }
    let kept = text::prefix(&section.text, room);
    let kept = kept.rfind('\n').map_or(kept, |end| &kept[..end]);
    Section { text: kept.trim_end().to_owned(), cut: true, ..section }
}

/// The spec by its headings. The first part is the beginning: what stands before the first heading, and the
/// first heading with its own text where nothing stands before it.
fn split(spec: &str) -> Vec<Section> {
    let lines: Vec<&str> = spec.split('\n').collect();
    let mut parts = vec![Section { heading: String::new(), text: String::new(), cut: false }];
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut skip = false;
    for (at, line) in lines.iter().enumerate() {
        if std::mem::take(&mut skip) {
            continue;
        }
        let mark = fence_of(line);
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open.0 == mark.0 && mark.1 >= open.1 => fence = None,
            _ => {}
        }
        let heading = if fence.is_some() || mark.is_some() { None } else { heading(line, lines.get(at + 1)) };
        let Some((level, title, underlined)) = heading else {
            if let Some(part) = parts.last_mut() {
                part.text.push_str(line);
                part.text.push('\n');
            }
            continue;
        };
        skip = underlined;
        above.retain(|(other, _)| *other < level);
        above.push((level, title));
        let first = parts.len() == 1 && text::is_blank(&parts[0].text);
        let words: Vec<&str> = above.iter().map(|(_, title)| title.as_str()).collect();
        if first {
            parts[0].text = format!("{line}\n");
            continue;
        }
        // The title of the whole document says nothing of a section.
        let from = usize::from(above.len() > 1 && above[0].0 == 1);
        parts.push(Section { heading: words[from..].join(" > "), text: String::new(), cut: false });
    }
    for part in &mut parts {
        part.text = part.text.trim_matches('\n').to_owned();
    }
    parts
}

/// Level and title of the heading that begins with `line`, and whether the next line underlines it.
fn heading(line: &str, next: Option<&&str>) -> Option<(usize, String, bool)> {
    let indent = line.len() - line.trim_start_matches(' ').len();
    if indent > 3 {
        return None;
    }
    let line = line.trim();
    let level = line.chars().take_while(|c| *c == '#').count();
    let rest = &line[level..];
    if (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t'])) {
        let title = rest.trim().trim_end_matches('#').trim_end();
        return Some((level, text::one_line(title), false));
    }
    let under = next?.trim_end();
    let is_text = !line.is_empty() && !line.starts_with(['-', '*', '+', '>', '|', '#', '`']);
    let of = |mark: char| under.len() >= 3 && under.chars().all(|c| c == mark);
    match (is_text, of('='), of('-')) {
        (true, true, _) => Some((1, text::one_line(line), true)),
        (true, _, true) => Some((2, text::one_line(line), true)),
        _ => None,
    }
}

/// The mark and length of a code fence.
fn fence_of(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    (length >= 3).then_some((mark, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(word: &str) -> String {
        format!("{word} ").repeat(400)
    }

    fn spec(newline: &str) -> String {
        let lines = [
            "# Shelf — spec",
            "",
            "> a small library",
            "",
            "## Parsing",
            &long("token"),
            "### Numbers",
            &long("rounding half even"),
            "```md",
            "## no heading",
            "```",
            "## Deployment",
            &long("server"),
            "Storage",
            "-------",
            &long("disk"),
        ];
        lines.join(newline)
    }

    fn headings(slice: &SpecSlice) -> Vec<&str> {
        slice.sections.iter().map(|section| section.heading.as_str()).collect()
    }

    #[test]
    fn a_short_spec_is_given_whole() {
        let slice = slice("# A\n\ntext\n\n## B\nmore\n", &BTreeSet::new(), 10_000);
        assert_eq!(headings(&slice), ["", "B"]);
        assert_eq!(slice.sections[0].text, "# A\n\ntext");
    }

    #[test]
    fn a_long_spec_gives_its_beginning_and_what_the_task_is_about() {
        let slice = slice(&spec("\n"), &words::of("Round numbers half to even"), 20_000);
        assert_eq!(headings(&slice), ["", "Parsing > Numbers"]);
        assert_eq!(slice.sections[0].text, "# Shelf — spec\n\n> a small library");
        assert!(slice.sections[1].text.contains("## no heading"));
        assert_eq!(slice.left_out, ["Parsing", "Deployment", "Storage"]);
    }

    #[test]
    fn headings_are_found_in_a_crlf_file() {
        assert_eq!(
            slice(&spec("\r\n"), &words::of("rounding"), 20_000),
            slice(&spec("\n"), &words::of("rounding"), 20_000)
        );
    }

    #[test]
    fn a_task_that_shares_no_word_gets_the_beginning_alone() {
        let slice = slice(&spec("\n"), &words::of("unrelated"), 20_000);
        assert_eq!(headings(&slice), [""]);
        assert_eq!(slice.left_out.len(), 4);
    }

    #[test]
    fn what_does_not_fit_is_cut_at_a_line_and_says_so() {
        let spec = format!("# A\n\n## Numbers\n{}", "rounding half even\n".repeat(1000));
        let slice = slice(&spec, &words::of("rounding"), 1000);
        assert_eq!(headings(&slice), ["", "Numbers"]);
        assert!(slice.sections[1].cut);
        assert!(slice.sections[1].text.ends_with("rounding half even"));
        assert!(slice.sections[1].text.len() <= 1000);
    }

    #[test]
    fn a_long_spec_without_headings_is_cut() {
        let slice = slice(&"one line of many\n".repeat(1000), &words::of("line"), 20_000);
        assert_eq!(slice.sections.len(), 1);
        assert!(slice.sections[0].cut && slice.sections[0].text.len() <= BEGINNING);
    }
}
