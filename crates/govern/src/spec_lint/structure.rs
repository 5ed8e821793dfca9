//! What a Markdown text is made of, with the place of each part in it.

use std::ops::Range;

use super::profile::{Profile, Role};
use super::reader::Reader;

/// A text taken apart.
#[derive(Debug)]
pub(super) struct Structure<'t> {
    /// The text, with its front matter.
    pub text: &'t str,
    /// Where each line begins.
    lines: Vec<usize>,
    /// Where the front matter ends.
    pub body: usize,
    /// The headings of every level.
    pub headings: Vec<Heading>,
    /// The parts that stand in no other part.
    pub blocks: Vec<Block>,
    /// Blocks of code.
    pub fences: Vec<Fence>,
    /// Links and images.
    pub links: Vec<Link>,
    /// Running text: one paragraph, item or row each.
    pub prose: Vec<Prose>,
    /// Tables.
    pub tables: Vec<Table>,
    /// The sections: each heading of the second level with what stands below it.
    pub parts: Vec<Part>,
}

/// A section as it stands in the text.
#[derive(Debug)]
pub(super) struct Part {
    /// Its number, where its heading has one.
    pub number: Option<usize>,
    /// The heading behind the number.
    pub title: String,
    /// The anchor of the heading.
    pub slug: String,
    /// The place of the heading.
    pub heading: Range<usize>,
    /// Its place, with the heading.
    pub range: Range<usize>,
}

impl Part {
    /// What stands below the heading.
    pub fn below(&self) -> Range<usize> {
        self.heading.end.min(self.range.end)..self.range.end
    }
}

/// A heading.
#[derive(Debug)]
pub(super) struct Heading {
    /// From 1 to 6.
    pub level: u8,
    /// Its text.
    pub title: String,
    /// Its anchor.
    pub slug: String,
    /// Its place.
    pub range: Range<usize>,
    /// The heading under which it stands, by its number among the headings.
    pub above: Option<usize>,
}

/// What kind of part stands at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Heading,
    Paragraph,
    Quote,
    Rule,
    Other,
}

/// A part that stands in no other part.
#[derive(Debug)]
pub(super) struct Block {
    pub kind: Kind,
    pub range: Range<usize>,
}

/// A block of code.
#[derive(Debug)]
pub(super) struct Fence {
    /// The first word behind the fence; none for indented code.
    pub language: Option<String>,
    /// Whether it is indented instead of fenced.
    pub is_indented: bool,
    /// Whether a line closes it.
    pub is_closed: bool,
    /// The code, without what stands in front of it in a list or quote.
    pub code: String,
    /// Where it begins.
    pub start: usize,
}

/// A link or an image.
#[derive(Debug)]
pub(super) struct Link {
    /// Where it leads.
    pub target: String,
    /// Its text.
    pub text: String,
    /// Where it begins.
    pub start: usize,
}

/// Running text, in which inline code is left out.
#[derive(Debug, Default)]
pub(super) struct Prose {
    /// The text; a NUL stands for code.
    pub text: String,
    /// Where pieces of the text come from: its place here, and its place in the whole text.
    pieces: Vec<(usize, usize)>,
    /// What is bold.
    pub bold: Vec<Range<usize>>,
    /// What is a link's text.
    pub linked: Vec<Range<usize>>,
    /// Whether it is a heading's.
    pub is_heading: bool,
}

/// A table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The heads.
    pub head: Vec<String>,
    /// The rows, each with its place and the text of its cells.
    pub rows: Vec<(usize, Vec<String>)>,
    /// Its place.
    pub range: Range<usize>,
}

impl Prose {
    /// The place in the whole text of a place in this one.
    pub fn place(&self, at: usize) -> usize {
        let behind = self.pieces.partition_point(|(here, _)| *here <= at);
        self.pieces.get(behind.saturating_sub(1)).map_or(0, |(here, there)| there + (at - here))
    }

    /// Whether a place is in the text of a link.
    pub fn is_linked(&self, at: usize) -> bool {
        holds(&self.linked, at)
    }

    /// Whether a place is in bold text.
    pub fn is_bold(&self, at: usize) -> bool {
        holds(&self.bold, at)
    }

    /// Where it begins in the whole text.
    pub fn start(&self) -> usize {
        self.pieces.first().map_or(0, |(_, there)| *there)
    }

    pub(super) fn push(&mut self, text: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(text);
    }
}

impl<'t> Structure<'t> {
    /// Takes a text with LF line ends apart.
    pub fn read(text: &'t str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        let body = canon::front_matter::body_start(text).unwrap_or(0);
        let mut structure = Self {
            text,
            lines: std::iter::once(0).chain(starts).collect(),
            body,
            headings: Vec::new(),
            blocks: Vec::new(),
            fences: Vec::new(),
            links: Vec::new(),
            prose: Vec::new(),
            tables: Vec::new(),
            parts: Vec::new(),
        };
        Reader::new(&mut structure).run();
        structure.links.sort_by_key(|link| link.start);
        structure.parts = parts(&structure.headings, text.len());
        structure
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at).max(1)
    }

    /// The line and column of a byte, from 1.
    pub fn place(&self, at: usize) -> (usize, usize) {
        let line = self.line(at);
        (line, at - self.lines[line - 1] + 1)
    }

    /// The last line that holds something.
    pub fn last_line(&self) -> usize {
        self.line(self.text.trim_end().len().saturating_sub(1))
    }

    /// The parts at the top that stand in a range.
    pub fn blocks_in(&self, range: &Range<usize>) -> &[Block] {
        within(&self.blocks, range, |block| block.range.start)
    }

    /// The running text in a range.
    pub fn prose_in(&self, range: &Range<usize>) -> &[Prose] {
        within(&self.prose, range, Prose::start)
    }

    /// The links in a range.
    pub fn links_in(&self, range: &Range<usize>) -> &[Link] {
        within(&self.links, range, |link| link.start)
    }

    /// The code in a range.
    pub fn fences_in(&self, range: &Range<usize>) -> &[Fence] {
        within(&self.fences, range, |fence| fence.start)
    }

    /// The tables in a range.
    pub fn tables_in(&self, range: &Range<usize>) -> &[Table] {
        within(&self.tables, range, |table| table.range.start)
    }

    /// The headings in a range.
    pub fn headings_in(&self, range: &Range<usize>) -> &[Heading] {
        within(&self.headings, range, |heading| heading.range.start)
    }

    /// The section with this role.
    pub fn part(&self, profile: &Profile, role: Role) -> Option<&Part> {
        let section = profile.place(role)?;
        self.parts.iter().find(|part| section.is_called(&part.title))
    }

    /// Whether a section says that it does not apply.
    pub fn is_not_applicable(&self, part: &Part, profile: &Profile) -> bool {
        let says = |text: &str| {
            let text = text.to_lowercase();
            let other = profile.not_applicable.iter().any(|phrase| text.contains(&phrase.to_lowercase()));
            other || text.contains("not applicable")
        };
        says(&part.title) || self.prose_in(&part.below()).iter().any(|prose| says(&prose.text))
    }
}

/// Whether one of some ranges, in their order and apart from each other, holds a place.
fn holds(ranges: &[Range<usize>], at: usize) -> bool {
    let behind = ranges.partition_point(|range| range.start <= at);
    behind.checked_sub(1).is_some_and(|last| ranges[last].contains(&at))
}

/// Those of some things in the order of their places that begin in a range.
fn within<'a, T>(things: &'a [T], range: &Range<usize>, start: impl Fn(&T) -> usize) -> &'a [T] {
    let from = things.partition_point(|thing| start(thing) < range.start);
    let to = things.partition_point(|thing| start(thing) < range.end);
    things.get(from..to).unwrap_or_default()
}

fn parts(headings: &[Heading], end: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open = false;
    for heading in headings.iter().filter(|heading| heading.level <= 2) {
        if let Some(last) = parts.last_mut().filter(|_| open) {
            last.range.end = heading.range.start;
        }
        open = heading.level == 2;
        if open {
            let (number, title) = numbered(&heading.title);
            parts.push(Part {
                number,
                title: title.to_owned(),
                slug: heading.slug.clone(),
                heading: heading.range.clone(),
                range: heading.range.start..end,
            });
        }
    }
    parts
}

/// The number of a heading such as `5. Intent routing`, and what stands behind it.
fn numbered(title: &str) -> (Option<usize>, &str) {
    let read = || {
        let (number, rest) = title.split_once(". ")?;
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        Some((number.parse().ok().filter(|_| is_number)?, rest.trim()))
    };
    read().map_or((None, title), |(number, rest)| (Some(number), rest))
}

/// The words of a name, so that `Prose->spec` and `Prose-to-spec`, `&` and `and` are the same.
pub(super) fn words(name: &str) -> Vec<String> {
    let plain = name.to_lowercase().replace("->", " to ").replace('&', " and ");
    plain.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
