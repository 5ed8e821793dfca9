//! JSON with the place of every value, and JSON with comments.
//!
//! Reading gives a tree of [`Node`]s that know where they stand in the text, so that what is found wrong with a value
//! later is told with a line and a column, and so that one value can be replaced while the rest of the text stays:
//! [`Editor`] adds and removes parts.
//!
//! Both dialects are strict: a key that stands twice in an object is an error, and so is nesting deeper than
//! [`DEPTH`].

mod edit;
mod parse;
mod position;

use std::ops::Range;

use serde_json::{Map, Number, Value};

use crate::json::Damage;

pub use edit::Editor;
pub use position::Position;

use position::Lines;

/// How deep arrays and objects may lie within each other.
pub const DEPTH: usize = 128;

/// What a text may hold beside JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Nothing.
    Json,
    /// `//` and `/* */` comments, and a comma behind the last part of an array or object.
    Comments,
}

/// One value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The bytes of the text that hold the value.
    pub range: Range<usize>,
    /// The value.
    pub content: Content,
}

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object, in the order of the text; no key stands twice.
    Object(Vec<Member>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// The key.
    pub key: String,
    /// The bytes of the text that hold the key, with its quotes.
    pub key_range: Range<usize>,
    /// The value.
    pub value: Node,
}

/// A text that was read.
#[derive(Debug, Clone)]
pub struct Document {
    root: Node,
    lines: Lines,
}

impl Document {
    /// Reads one value. A byte order mark in front is passed over.
    pub fn parse(bytes: &[u8], dialect: Dialect) -> Result<Self, Damage> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            damage("not UTF-8", Lines::new(&before).position(before.len()))
        })?;
        let lines = Lines::new(text);
        match parse::parse(text, dialect) {
            Ok(root) => Ok(Self { root, lines }),
            Err((message, at)) => Err(damage(message, lines.position(at))),
        }
    }

    /// The value itself.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The value that a JSON pointer names.
    pub fn find(&self, pointer: &str) -> Option<&Node> {
        self.walk(pointer).ok()
    }

    /// The `"key": value` that a JSON pointer names; none for elements of arrays and for the value itself.
    pub fn find_member(&self, pointer: &str) -> Option<&Member> {
        let (parent, key) = pointer.rsplit_once('/')?;
        let Content::Object(members) = &self.find(parent)?.content else { return None };
        let key = unescape(key);
        members.iter().find(|member| member.key == key)
    }

    /// Where the value that a JSON pointer names begins; where it is not there, the nearest value around it.
    pub fn position_of(&self, pointer: &str) -> Position {
        let node = self.walk(pointer).unwrap_or_else(|around| around);
        self.lines.position(node.range.start)
    }

    /// Where the key of the value that a JSON pointer names begins; where it has none, the value.
    pub fn position_of_key(&self, pointer: &str) -> Position {
        match self.find_member(pointer) {
            Some(member) => self.lines.position(member.key_range.start),
            None => self.position_of(pointer),
        }
    }

    /// The line and column of a byte of the text.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.position(offset)
    }

    /// The value at the pointer, or the innermost value on the way that is there.
    fn walk(&self, pointer: &str) -> Result<&Node, &Node> {
        let mut node = &self.root;
        for token in pointer.split('/').skip(1) {
            let token = unescape(token);
            let next = match &node.content {
                Content::Object(_) => node.get(&token),
                Content::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
                _ => None,
            };
            node = next.ok_or(node)?;
        }
        Ok(node)
    }
}

impl Node {
    /// The value of a key, where this is an object that has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.content {
            Content::Object(members) => {
                members.iter().find(|member| member.key == key).map(|member| &member.value)
            }
            _ => None,
        }
    }

    /// The string, where this is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, where this is an array.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.content {
            Content::Array(items) => Some(items),
            _ => None,
        }
    }

    /// The value without its places.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(value) => Value::Bool(*value),
            Content::Number(number) => Value::Number(number.clone()),
            Content::String(text) => Value::String(text.clone()),
            Content::Array(items) => Value::Array(items.iter().map(Self::to_value).collect()),
            Content::Object(members) => {
                let pairs = members.iter().map(|member| (member.key.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// One step of a JSON pointer, as it is written there.
pub fn pointer_step(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

fn damage(message: impl Into<String>, at: Position) -> Damage {
    Damage { message: message.into(), line: at.line, column: at.column, conflict: false }
}

#[cfg(test)]
mod tests;
