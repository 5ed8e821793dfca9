//! From the events of the Markdown parser to the parts of a text.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::slug::Slugs;
use super::structure::{Block, Fence, Heading, Kind, Link, Prose, Structure, Table};

/// Takes a text apart, event by event.
pub(super) struct Reader<'s, 't> {
    structure: &'s mut Structure<'t>,
    slugs: Slugs,
    /// How many parts are open.
    depth: usize,
    prose: Option<Prose>,
    /// The heading's text, with its code.
    title: Option<String>,
    /// The links that are open, by their number, and where their text begins.
    links: Vec<(usize, usize)>,
    /// Where bold text that is open begins.
    bold: Vec<usize>,
    /// The row that is open.
    row: Option<(usize, Vec<String>)>,
    /// Whether code is open.
    in_code: bool,
}

impl<'s, 't> Reader<'s, 't> {
    pub fn new(structure: &'s mut Structure<'t>) -> Self {
        Self {
            structure,
            slugs: Slugs::default(),
            depth: 0,
            prose: None,
            title: None,
            links: Vec::new(),
            bold: Vec::new(),
            row: None,
            in_code: false,
        }
    }

    pub fn run(mut self) {
        let base = self.structure.body;
        let text: &'t str = &self.structure.text[base..];
        for (event, range) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
            self.take(event, range.start + base..range.end + base);
        }
        self.close();
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(tag) => {
                self.start(tag, &range);
                self.depth += 1;
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag, range);
            }
            Event::Text(text) => self.text(&text, &range),
            Event::Code(code) => self.code(&code, &range),
            Event::SoftBreak | Event::HardBreak => self.text(" ", &range),
            Event::Rule if self.depth == 0 => self.structure.blocks.push(Block { kind: Kind::Rule, range }),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: &Range<usize>) {
        match tag {
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                let number = self.structure.links.len();
                self.structure.links.push(Link {
                    target: dest_url.into_string(),
                    text: String::new(),
                    start: range.start,
                });
                let at = self.prose.get_or_insert_default().text.len();
                self.links.push((number, at));
            }
            Tag::Strong => self.bold.push(self.prose.get_or_insert_default().text.len()),
            Tag::Emphasis => {}
            Tag::TableCell => {
                self.text_between_cells(range);
                if let Some((_, cells)) = &mut self.row {
                    cells.push(String::new());
                }
            }
            other => {
                self.close();
                match other {
                    Tag::Heading { .. } => self.title = Some(String::new()),
                    Tag::Table(_) => self.structure.tables.push(Table::default()),
                    Tag::TableHead | Tag::TableRow => self.row = Some((range.start, Vec::new())),
                    Tag::CodeBlock(kind) => self.open_code(kind, range.start),
                    _ => {}
                }
            }
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Link | TagEnd::Image => {
                let Some((number, from)) = self.links.pop() else { return };
                let Some(prose) = &mut self.prose else { return };
                prose.linked.push(from..prose.text.len());
                prose.text[from..].clone_into(&mut self.structure.links[number].text);
            }
            TagEnd::Strong => {
                let Some(from) = self.bold.pop() else { return };
                let Some(prose) = &mut self.prose else { return };
                prose.bold.push(from..prose.text.len());
            }
            TagEnd::Emphasis | TagEnd::TableCell => {}
            other => {
                if let (TagEnd::Heading(_), Some(prose)) = (other, &mut self.prose) {
                    prose.is_heading = true;
                }
                self.close();
                self.end_block(other, range);
            }
        }
    }

    fn end_block(&mut self, tag: TagEnd, range: Range<usize>) {
        let structure = &mut *self.structure;
        if self.depth == 0 {
            let kind = match tag {
                TagEnd::Heading(_) => Kind::Heading,
                TagEnd::Paragraph => Kind::Paragraph,
                TagEnd::BlockQuote(_) => Kind::Quote,
                _ => Kind::Other,
            };
            structure.blocks.push(Block { kind, range: range.clone() });
        }
        match tag {
            TagEnd::Heading(level) => {
                let title = self.title.take().unwrap_or_default();
                let slug = self.slugs.next(&title);
                let level = level as u8;
                let mut above = structure.headings.len().checked_sub(1);
                while let Some(last) = above.filter(|last| structure.headings[*last].level >= level) {
                    above = structure.headings[last].above;
                }
                structure.headings.push(Heading { level, title, slug, range, above });
            }
            TagEnd::CodeBlock => {
                self.in_code = false;
                if let Some(fence) = structure.fences.last_mut().filter(|fence| !fence.is_indented) {
                    let lines = structure.text[range].lines().count();
                    fence.is_closed = lines == fence.code.lines().count() + 2;
                }
            }
            TagEnd::Table => {
                if let Some(table) = structure.tables.last_mut() {
                    table.range = range;
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {
                let (Some(row), Some(table)) = (self.row.take(), structure.tables.last_mut()) else { return };
                if tag == TagEnd::TableHead {
                    table.head = row.1;
                } else {
                    table.rows.push(row);
                }
            }
            _ => {}
        }
    }

    fn open_code(&mut self, kind: CodeBlockKind<'_>, start: usize) {
        let info = match &kind {
            CodeBlockKind::Fenced(info) => info.split_whitespace().next(),
            CodeBlockKind::Indented => None,
        };
        let language = info.map(str::to_owned);
        let is_indented = kind.is_indented();
        let fence = Fence { language, is_indented, is_closed: is_indented, code: String::new(), start };
        self.structure.fences.push(fence);
        self.in_code = true;
    }

    /// Cells of a row are apart, so that no word goes from one into the next.
    fn text_between_cells(&mut self, range: &Range<usize>) {
        if let Some(prose) = &mut self.prose {
            prose.push("\n", range.start);
        }
    }

    fn text(&mut self, text: &str, range: &Range<usize>) {
        if self.in_code {
            if let Some(fence) = self.structure.fences.last_mut() {
                fence.code.push_str(text);
            }
            return;
        }
        self.beside(text);
        self.prose.get_or_insert_default().push(text, range.start);
    }

    fn code(&mut self, code: &str, range: &Range<usize>) {
        self.beside(code);
        self.prose.get_or_insert_default().push("\0", range.start);
    }

    /// Text for the heading or cell that is open.
    fn beside(&mut self, text: &str) {
        if let Some(title) = &mut self.title {
            title.push_str(text);
        }
        if let Some(cell) = self.row.as_mut().and_then(|(_, cells)| cells.last_mut()) {
            cell.push_str(text);
        }
    }

    /// Ends the running text that is open.
    fn close(&mut self) {
        self.bold.clear();
        self.links.clear();
        if let Some(mut prose) = self.prose.take().filter(|prose| !prose.text.is_empty()) {
            prose.bold = apart(prose.bold);
            prose.linked = apart(prose.linked);
            bare_links(&prose, &mut self.structure.links);
            self.structure.prose.push(prose);
        }
    }
}

/// Ranges in their order, without those that stand in another one.
fn apart(mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut end = 0;
    ranges.retain(|range| {
        let is_new = range.end > end;
        end = end.max(range.end);
        is_new
    });
    ranges
}

/// Addresses that stand in the text as they are, which GitHub makes links.
fn bare_links(prose: &Prose, links: &mut Vec<Link>) {
    for scheme in ["https://", "http://"] {
        for (at, _) in prose.text.match_indices(scheme) {
            if prose.is_linked(at) {
                continue;
            }
            let mut rest = prose.text[at..].split(|c: char| c.is_whitespace() || matches!(c, '<' | '\0'));
            let ends = ['.', ',', ';', ':', ')', '!', '?', '\'', '"'];
            let address = rest.next().unwrap_or_default().trim_end_matches(ends);
            if address.len() > scheme.len() {
                links.push(Link { target: address.to_owned(), text: String::new(), start: prose.place(at) });
            }
        }
    }
}
