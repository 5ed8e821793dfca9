//! Changing one value of a JSON text while every other byte stays as it was.

use std::ops::Range;

use serde_json::Value;

use super::compact;
use super::damage::{Damage, check};
use super::scan::{Member, Parts, Scanner};
use crate::layout::Layout;

/// One step from a container to a part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// The member of an object with this key; of several, the last, as every parser reads it.
    Key(&'a str),
    /// The element of an array at this index, from 0.
    Index(usize),
}

impl<'a> From<&'a str> for Step<'a> {
    fn from(key: &'a str) -> Self {
        Self::Key(key)
    }
}

impl From<usize> for Step<'_> {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// A JSON text under change. New values take on the layout that they find: indentation, line ends,
/// or everything on one line.
#[derive(Debug, Clone)]
pub struct Editor {
    text: String,
}

impl Editor {
    /// Takes a text that must be one JSON document, or the text of one value cut out of a document.
    pub fn new(text: impl Into<String>) -> Result<Self, Damage> {
        let text = text.into();
        check(text.as_bytes())?;
        Ok(Self { text })
    }

    /// The text as it stands.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text as it stands, given up.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The text of the value at `path`.
    pub fn get(&self, path: &[Step<'_>]) -> Option<&str> {
        self.find(path).map(|range| &self.text[range])
    }

    /// Puts `value` at `path`. Objects that the path names and the text lacks are made; a member that
    /// is new goes behind the others. False where the path leads through a value of another kind or
    /// past the end of an array; nothing is changed then.
    pub fn set(&mut self, path: &[Step<'_>], value: &Value) -> bool {
        if let Some(range) = self.find(path) {
            let layout = Layout::at(&self.text, range.start);
            let new = layout.write(value);
            self.text.replace_range(range, &new);
            return true;
        }
        let Some((Step::Key(key), parent)) = path.split_last().map(|(last, parent)| (*last, parent)) else {
            return false;
        };
        if self.find(parent).is_none() {
            let mut object = serde_json::Map::new();
            object.insert(key.to_owned(), value.clone());
            return self.set(parent, &Value::Object(object));
        }
        self.insert(parent, Some(key), value)
    }

    /// Adds `value` behind the last element of the array at `path`; false where there is no array.
    pub fn push(&mut self, path: &[Step<'_>], value: &Value) -> bool {
        self.insert(path, None, value)
    }

    /// Takes the value at `path` out, with its key; false where there is none.
    pub fn remove(&mut self, path: &[Step<'_>]) -> bool {
        let Some((last, parent)) = path.split_last() else { return false };
        let Some(container) = self.find(parent) else { return false };
        let (ranges, index) = match (Scanner::new(&self.text, container.start).parts(), last) {
            (Parts::Object(members), Step::Key(key)) => {
                let Some(index) = self.position(&members, key) else { return false };
                (members.iter().map(|m| m.key.start..m.value.end).collect::<Vec<_>>(), index)
            }
            (Parts::Array(items), Step::Index(index)) if *index < items.len() => (items, *index),
            _ => return false,
        };
        let cut = if index > 0 {
            ranges[index - 1].end..ranges[index].end
        } else if ranges.len() > 1 {
            ranges[0].start..ranges[1].start
        } else {
            container.start + 1..container.end - 1
        };
        self.text.replace_range(cut, "");
        true
    }

    fn position(&self, members: &[Member], key: &str) -> Option<usize> {
        members.iter().rposition(|member| {
            let raw = &self.text[member.key.clone()];
            if raw.contains('\\') {
                return serde_json::from_str::<String>(raw).is_ok_and(|k| k == key);
            }
            &raw[1..raw.len() - 1] == key
        })
    }

    fn find(&self, path: &[Step<'_>]) -> Option<Range<usize>> {
        let mut range = Scanner::new(&self.text, self.start()).value();
        for step in path {
            range = match (Scanner::new(&self.text, range.start).parts(), step) {
                (Parts::Object(members), Step::Key(key)) => {
                    let index = self.position(&members, key)?;
                    members[index].value.clone()
                }
                (Parts::Array(items), Step::Index(index)) => items.get(*index)?.clone(),
                _ => return None,
            };
        }
        Some(range)
    }

    /// Where the document begins: behind a byte order mark.
    fn start(&self) -> usize {
        if self.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
    }

    fn insert(&mut self, path: &[Step<'_>], key: Option<&str>, value: &Value) -> bool {
        let Some(container) = self.find(path) else { return false };
        let parts = match (Scanner::new(&self.text, container.start).parts(), key) {
            (Parts::Object(members), Some(_)) => {
                members.iter().map(|m| m.key.start..m.value.end).collect::<Vec<_>>()
            }
            (Parts::Array(items), None) => items,
            _ => return false,
        };
        let outer = Layout::at(&self.text, container.start);
        let (layout, behind) = match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => {
                (outer.inside(&self.text[container.start + 1..first.start]), last.end)
            }
            _ => (outer.deeper(), container.start + 1),
        };
        let key =
            key.map(|key| format!("{}{}", compact(&Value::from(key)), layout.colon())).unwrap_or_default();
        let comma = if parts.is_empty() { "" } else { "," };
        let mut new = format!("{comma}{}{key}{}", layout.before(parts.is_empty()), layout.write(value));
        if parts.is_empty() {
            new.push_str(&outer.before(true));
            self.text.replace_range(behind..container.end - 1, &new);
        } else {
            self.text.insert_str(behind, &new);
        }
        true
    }
}

#[cfg(test)]
mod tests;
