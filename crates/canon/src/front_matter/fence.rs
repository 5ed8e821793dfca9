//! Where front matter begins and ends.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use crate::json::Damage;

/// `text` with every CRLF and lone CR turned into LF.
pub fn to_lf(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('\r') else { return Cow::Borrowed(text) };
    let mut lf = String::with_capacity(text.len());
    lf.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(at) = rest.find('\r') {
        lf.push_str(&rest[..at]);
        lf.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    lf.push_str(rest);
    Cow::Owned(lf)
}

/// One line: its text from `start` to `end`, its line end up to `next`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub start: usize,
    pub end: usize,
    pub next: usize,
}

/// The lines of `text` from `start` on, whatever their line ends.
pub(super) fn lines(text: &str, start: usize) -> impl Iterator<Item = Line> {
    let bytes = text.as_bytes();
    let mut at = start;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let start = at;
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line_end = if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
        at = (start + length + line_end).min(bytes.len());
        Some(Line { start, end: start + length, next: at })
    })
}

/// The place of the front matter in a text.
#[derive(Debug, Clone)]
pub(super) struct Fence {
    /// The YAML, with the line end of its last line.
    pub yaml: Range<usize>,
    /// Where the text below begins.
    pub body: usize,
}

/// Why a text has no front matter.
pub(super) enum Missing {
    Open,
    Close,
}

impl Fence {
    /// The front matter of `text`: from a first line of exactly `---` to the next such line. There is at least one
    /// line between the two.
    pub fn find(text: &str) -> Result<Self, Missing> {
        let mut lines = lines(text, 0);
        let is_fence = |line: Line| line.end - line.start == 3 && text[line.start..].starts_with("---");
        let open = lines.next().filter(|&line| is_fence(line)).ok_or(Missing::Open)?;
        let close = lines.skip(1).find(|&line| is_fence(line)).ok_or(Missing::Close)?;
        Ok(Self { yaml: open.next..close.start, body: close.next })
    }

    /// The YAML of a text with LF line ends as its readers see it: the line end before the closing line is part of
    /// that line, which matters to a block scalar that keeps its last empty lines.
    pub fn content<'a>(&self, text: &'a str) -> &'a str {
        let yaml = &text[self.yaml.clone()];
        if yaml.ends_with("\n\n") { &yaml[..yaml.len() - 1] } else { yaml }
    }
}

impl Missing {
    pub fn damage(&self, text: &str) -> Damage {
        let message = match self {
            Self::Open if text.starts_with('\u{feff}') => {
                "a byte order mark stands before the front matter; save the file without one"
            }
            Self::Open => "no front matter: the first line is not `---`",
            Self::Close => "no front matter: no line `---` closes it",
        };
        Damage::at(text.as_bytes(), 0, message)
    }
}
