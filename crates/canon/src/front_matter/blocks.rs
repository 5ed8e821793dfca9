//! The lines of one top-level field: found, replaced, taken out, put in.
//!
//! A block is the line on which the key stands at the left edge, and each line below it that is empty or begins with
//! a space, a tab, `#` or `-`, up to the line that closes the front matter. Where a file is edited, the empty lines
//! and the comments at the left edge behind the value are not part of it: they belong to what follows.

use std::borrow::Cow;
use std::ops::Range;

use super::fence::{Fence, lines};

/// The bytes of the block of `key`, with the line end of its last line. `None` where the text has no front matter or
/// its front matter no such block.
pub fn block(text: &str, key: &str) -> Option<Range<usize>> {
    let fence = Fence::find(text).ok()?;
    find(text, fence.yaml, key).map(|block| block.value)
}

/// `text` with the block of `key` replaced by `yaml`, the lines of a field without a line end behind the last. The
/// new lines end as the old block's did.
pub fn replace(text: &str, key: &str, yaml: &str) -> Option<String> {
    let range = block(text, key)?;
    let end = line_end(&text[range.clone()]);
    Some(splice(text, range, yaml, end))
}

/// `text` without the block of `key`.
pub fn remove(text: &str, key: &str) -> Option<String> {
    let range = block(text, key)?;
    Some([&text[..range.start], &text[range.end..]].concat())
}

/// `text` with the lines of a field put right before the line that closes the front matter. `None` where there is no
/// front matter.
pub fn insert(text: &str, yaml: &str) -> Option<String> {
    let fence = Fence::find(text).ok()?;
    let at = fence.yaml.end;
    Some(splice(text, at..at, yaml, line_end(text)))
}

/// `text` with `yaml`, a whole mapping without a line end behind its last line, as its front matter. The text below
/// stays, and the lines end as the first one does. `None` where there is no front matter.
pub fn replace_all(text: &str, yaml: &str) -> Option<String> {
    let fence = Fence::find(text).ok()?;
    Some(splice(text, fence.yaml, yaml, line_end(text)))
}

/// `text`, which has LF line ends, without the blocks of `keys`; the empty lines and comments behind each go with
/// it. A text without front matter stays as it is.
pub fn without_blocks<'a>(text: &'a str, keys: &[&str]) -> Cow<'a, str> {
    let Ok(fence) = Fence::find(text) else { return Cow::Borrowed(text) };
    let cuts: Vec<Range<usize>> = all(text, fence.yaml, keys).map(|block| block.whole).collect();
    if cuts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        kept.push_str(&text[at..cut.start.max(at)]);
        at = cut.end.max(at);
    }
    kept.push_str(&text[at..]);
    Cow::Owned(kept)
}

struct Block {
    /// The key's line and the lines of its value.
    value: Range<usize>,
    /// The same, with the empty lines and comments behind it.
    whole: Range<usize>,
}

fn find(text: &str, yaml: Range<usize>, key: &str) -> Option<Block> {
    all(text, yaml, &[key]).next()
}

/// Every block of one of `keys`, from the top; a valid mapping has one of each at most.
fn all<'a>(text: &'a str, yaml: Range<usize>, keys: &'a [&str]) -> impl Iterator<Item = Block> + 'a {
    let end = yaml.end;
    let mut lines = lines(&text[..end], yaml.start).peekable();
    std::iter::from_fn(move || {
        let first = lines.find(|line| {
            let line = &text[line.start..line.end];
            !line.starts_with(' ') && keys.iter().any(|key| is_key_line(line, key))
        })?;
        let (mut value, mut whole) = (first.next, first.next);
        while let Some(line) = lines.next_if(|line| {
            matches!(text.as_bytes()[line.start..line.end], [] | [b' ' | b'\t' | b'#' | b'-', ..])
        }) {
            whole = line.next;
            let content = &text[line.start..line.end];
            if !content.trim_ascii().is_empty() && !content.starts_with('#') {
                value = line.next;
            }
        }
        Some(Block { value: first.start..value, whole: first.start..whole })
    })
}

/// Whether `line` begins the field `key`: the key bare or quoted, blanks, a colon, and a blank or nothing.
fn is_key_line(line: &str, key: &str) -> bool {
    let behind = match line.as_bytes().first() {
        Some(b'"') => {
            let quoted = crate::json::compact(&serde_json::Value::from(key));
            line.strip_prefix(quoted.as_str())
        }
        Some(b'\'') => line
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_prefix(key.replace('\'', "''").as_str()))
            .and_then(|rest| rest.strip_prefix('\'')),
        _ => line.strip_prefix(key),
    };
    behind
        .map(|rest| rest.trim_start_matches([' ', '\t']))
        .and_then(|rest| rest.strip_prefix(':'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

/// The first line end in `text`.
fn line_end(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// `text` with the lines of `yaml` in place of `range`, each ended by `end`.
fn splice(text: &str, range: Range<usize>, yaml: &str, end: &str) -> String {
    let mut out = String::with_capacity(text.len() + yaml.len() + 16);
    out.push_str(&text[..range.start]);
    for line in yaml.split('\n') {
        out.push_str(line);
        out.push_str(end);
    }
    out.push_str(&text[range.end..]);
    out
}
