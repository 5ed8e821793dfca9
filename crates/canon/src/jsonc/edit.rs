//! Adding to and taking out of a text with comments, while every other byte stays as it was.

use std::ops::Range;

use serde_json::Value;

use super::{Content, Dialect, Document, Node};
use crate::json::{Damage, compact};
use crate::layout::Layout;

/// A JSON text that may hold comments, under change.
///
/// What is added stands behind the other parts of its container, in the layout found there; taking it out again
/// gives the bytes from before, also where parts were added behind it in the meantime.
#[derive(Debug, Clone)]
pub struct Editor {
    text: String,
    document: Document,
}

impl Editor {
    /// Takes a text that must be one JSON document with or without comments.
    pub fn new(text: impl Into<String>) -> Result<Self, Damage> {
        let text = text.into();
        let document = Document::parse(text.as_bytes(), Dialect::Comments)?;
        Ok(Self { text, document })
    }

    /// The values of the text.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// The text as it stands, given up.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Adds a member to the object that a JSON pointer names; false where there is no object, or it has the key.
    pub fn insert(&mut self, object: &str, key: &str, value: &Value) -> bool {
        match self.document.find(object) {
            Some(node) if matches!(node.content, Content::Object(_)) && node.get(key).is_none() => {
                let node = node.clone();
                self.add(&node, Some(key), value)
            }
            _ => false,
        }
    }

    /// Adds an element to the array that a JSON pointer names; false where there is no array.
    pub fn push(&mut self, array: &str, value: &Value) -> bool {
        match self.document.find(array) {
            Some(node) if matches!(node.content, Content::Array(_)) => {
                let node = node.clone();
                self.add(&node, None, value)
            }
            _ => false,
        }
    }

    /// What stands between the brackets of the object or array that a JSON pointer names.
    pub fn interior(&self, container: &str) -> Option<&str> {
        let range = self.interior_range(container)?;
        Some(&self.text[range])
    }

    /// Puts back what [`interior`](Self::interior) gave; false where the text would no longer be JSON.
    pub fn set_interior(&mut self, container: &str, interior: &str) -> bool {
        let Some(range) = self.interior_range(container) else { return false };
        self.splice(vec![(range, interior.to_owned())])
    }

    /// Takes the member or element that a JSON pointer names out; false where there is none.
    pub fn remove(&mut self, pointer: &str) -> bool {
        let Some((parent, last)) = pointer.rsplit_once('/') else { return false };
        let Some(container) = self.document.find(parent) else { return false };
        let last = super::unescape(last);
        let parts = parts(container);
        let position = match &container.content {
            Content::Object(members) => members.iter().position(|member| member.key == last),
            _ => last.parse().ok().filter(|index| *index < parts.len()),
        };
        let Some(index) = position else { return false };
        let part = &parts[index];
        let open = container.range.start + 1;
        let close = container.range.end - 1;
        let before = if index > 0 { parts[index - 1].end } else { open };
        let behind = parts.get(index + 1).map_or(close, |next| next.start);
        let blank = self.text[before..part.start].trim_end().len();
        let mut comma = self.comma(part.end, behind);
        if comma.is_none() && index > 0 {
            comma = self.comma(before, part.start);
        }
        let mut cuts: Vec<_> = comma.map(|comma| comma..comma + 1).into_iter().collect();
        cuts.push(before + blank..part.end);
        cuts.sort_by_key(|cut| cut.start);
        let rest = cuts.last().map_or(close, |cut| cut.end);
        if parts.len() == 1 && before + blank == open && self.text[rest..close].trim().is_empty() {
            cuts.clear();
            cuts.push(open..close);
        }
        let mut kept = self.document.root().to_value();
        let Some(values) = kept.pointer_mut(parent) else { return false };
        match values {
            Value::Object(members) => drop(members.shift_remove(&last)),
            Value::Array(items) => drop(items.remove(index)),
            _ => return false,
        }
        // A line comment in front needs the line end that would go with the part.
        let careful =
            cuts.iter().map(|cut| if cut.contains(&part.start) { part.start..cut.end } else { cut.clone() });
        let careful: Vec<_> = careful.collect();
        let original = self.clone();
        [cuts, careful].iter().any(|cuts| {
            let is_right = self.splice(emptied(cuts)) && self.document.root().to_value() == kept;
            if !is_right {
                self.clone_from(&original);
            }
            is_right
        })
    }

    fn interior_range(&self, container: &str) -> Option<Range<usize>> {
        let node = self.document.find(container)?;
        matches!(node.content, Content::Object(_) | Content::Array(_))
            .then(|| node.range.start + 1..node.range.end - 1)
    }

    fn add(&mut self, container: &Node, key: Option<&str>, value: &Value) -> bool {
        let parts = parts(container);
        let open = container.range.start + 1;
        let close = container.range.end - 1;
        let outer = Layout::at(&self.text, container.range.start);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            let layout = outer.deeper();
            let kept = self.text[open..close].trim_end();
            let part = part_text(&layout, key, value);
            let interior = format!("{kept}{}{part}{}", layout.before(true), outer.before(true));
            return self.splice(vec![(open..close, interior)]);
        };
        let layout = outer.inside(&self.text[open..first.start]);
        let part = format!("{}{}", layout.before(false), part_text(&layout, key, value));
        let comma = self.comma(last.end, close);
        let behind = comma.map_or(last.end, |comma| comma + 1);
        // A part on the same line would become part of a comment that goes to the end of the line.
        let own_line = part.starts_with(['\r', '\n']);
        let at = if own_line { self.end_of_remarks(behind, close) } else { behind };
        let changes = match comma {
            Some(_) => vec![(at..at, format!("{part},"))],
            None => vec![(last.end..last.end, ",".to_owned()), (at..at, part)],
        };
        self.splice(changes)
    }

    /// Where the first comma outside a comment stands.
    fn comma(&self, from: usize, to: usize) -> Option<usize> {
        let mut at = from;
        while at < to {
            let rest = &self.text[at..to];
            match rest.as_bytes()[0] {
                b',' => return Some(at),
                b'/' => at += comment(rest),
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        None
    }

    /// The end of the comments that stand on the same line as `from`.
    fn end_of_remarks(&self, from: usize, to: usize) -> usize {
        let mut end = from;
        loop {
            let rest = &self.text[end..to];
            let inner = rest.trim_start_matches([' ', '\t']);
            if !inner.starts_with('/') {
                return end;
            }
            end += rest.len() - inner.len() + comment(inner);
        }
    }

    /// Makes all changes, which are in the order of the text, or none where the result is not JSON.
    fn splice(&mut self, changes: Vec<(Range<usize>, String)>) -> bool {
        let mut text = self.text.clone();
        for (range, new) in changes.into_iter().rev() {
            text.replace_range(range, &new);
        }
        let Ok(document) = Document::parse(text.as_bytes(), Dialect::Comments) else { return false };
        self.text = text;
        self.document = document;
        true
    }
}

fn part_text(layout: &Layout, key: Option<&str>, value: &Value) -> String {
    match key {
        Some(key) => format!("{}{}{}", compact(&Value::from(key)), layout.colon(), layout.write(value)),
        None => layout.write(value),
    }
}

fn emptied(cuts: &[Range<usize>]) -> Vec<(Range<usize>, String)> {
    cuts.iter().map(|cut| (cut.clone(), String::new())).collect()
}

/// The ranges of the parts of an object or array, keys included.
fn parts(container: &Node) -> Vec<Range<usize>> {
    match &container.content {
        Content::Object(members) => members.iter().map(|m| m.key_range.start..m.value.range.end).collect(),
        Content::Array(items) => items.iter().map(|item| item.range.clone()).collect(),
        _ => Vec::new(),
    }
}

/// The length of the comment with which `text` begins, without the line end.
fn comment(text: &str) -> usize {
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |end| end + 2);
    }
    let line = text.find('\n').unwrap_or(text.len());
    text[..line].trim_end_matches('\r').len().max(1)
}

#[cfg(test)]
mod tests;
