//! How much of `AGENTS.md` agents can be made to read every time: the whole file, whoever wrote it.

use std::ops::Range;

use schemars::JsonSchema;
use serde::Serialize;

/// The most bytes: 25 KB, in the smaller reading of the unit.
pub const BYTES: usize = 25_000;
/// The most lines.
pub const LINES: usize = 200;

/// How large a text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Size {
    /// Its bytes.
    pub bytes: usize,
    /// Its lines; a last one without line end counts.
    pub lines: usize,
}

impl Size {
    /// The size of a text.
    pub fn of(text: &[u8]) -> Self {
        let ended = text.iter().filter(|&&byte| byte == b'\n').count();
        let is_open = text.last().is_some_and(|&byte| byte != b'\n');
        Self { bytes: text.len(), lines: ended + usize::from(is_open) }
    }

    /// Whether agents can be made to read this much.
    pub fn fits(self) -> bool {
        self.bytes <= BYTES && self.lines <= LINES
    }

    /// The figures beside the most that there may be.
    pub fn figures(self) -> String {
        format!("{} bytes of {BYTES} and {} lines of {LINES}", self.bytes, self.lines)
    }
}

/// A part of a file under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading, or what else the part is.
    pub name: String,
    /// The line with which it begins, from 1.
    pub line: usize,
    /// How large it is.
    pub size: Size,
}

/// The parts of a file, largest first: what is managed (`ours`) as one, the rest by its headings of the first and second
/// level.
pub fn sections(file: &[u8], ours: Option<Range<usize>>) -> Vec<Section> {
    let mut sections: Vec<(Section, Range<usize>)> = Vec::new();
    let mut start = 0;
    let mut in_fence = false;
    for (index, line) in file.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let here = start..start + line.len();
        let is_ours = |at: usize| ours.as_ref().is_some_and(|ours| ours.contains(&at));
        let text = String::from_utf8_lossy(line);
        in_fence ^= text.starts_with("```") || text.starts_with("~~~");
        let heading = text.strip_prefix("# ").or_else(|| text.strip_prefix("## ")).filter(|_| !in_fence);
        let was_ours = start > 0 && is_ours(start - 1);
        let name = match heading {
            _ if is_ours(start) => (!was_ours || start == 0).then(|| "the lessons in force".to_owned()),
            Some(heading) => Some(canon::text::clip(heading.trim(), 60)),
            None => (was_ours || index == 0).then(|| "text without a heading".to_owned()),
        };
        match name {
            Some(name) => {
                sections.push((Section { name, line: index + 1, size: Size::default() }, here.clone()));
            }
            None => {
                if let Some((_, range)) = sections.last_mut() {
                    range.end = here.end;
                }
            }
        }
        start = here.end;
    }
    let sized =
        sections.into_iter().map(|(section, range)| Section { size: Size::of(&file[range]), ..section });
    let mut sections: Vec<Section> = sized.collect();
    sections.sort_by(|a, b| (b.size.bytes, b.size.lines, a.line).cmp(&(a.size.bytes, a.size.lines, b.line)));
    sections
}
