//! Finding the parts of a JSON text that is known to be valid.

use std::ops::Range;

use serde_json::value::RawValue;

use super::damage::{Damage, read};

/// The byte ranges of the elements of a JSON array.
///
/// # Errors
/// The text is not JSON, or not an array.
pub fn elements(text: &str) -> Result<Vec<Range<usize>>, Damage> {
    let raw: Vec<&RawValue> = read(text.as_bytes())?;
    let base = text.as_ptr() as usize;
    Ok(raw
        .iter()
        .map(|element| {
            let start = element.get().as_ptr() as usize - base;
            start..start + element.get().len()
        })
        .collect())
}

/// One `"key": value` of an object.
pub(super) struct Member {
    pub key: Range<usize>,
    pub value: Range<usize>,
}

/// The parts of the container that begins at a position.
pub(super) enum Parts {
    Object(Vec<Member>),
    Array(Vec<Range<usize>>),
    /// A string, number or word.
    Scalar,
}

/// A walk over valid JSON; on any other text it stops early, without a panic.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    pub fn new(text: &'a str, at: usize) -> Self {
        Self { bytes: text.as_bytes(), at }
    }

    fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(0)
    }

    pub fn skip_space(&mut self) -> usize {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
        self.at
    }

    /// Passes over one value and gives its range.
    pub fn value(&mut self) -> Range<usize> {
        let start = self.skip_space();
        match self.peek() {
            b'"' => self.string(),
            b'{' | b'[' => self.container(),
            _ => {
                while !matches!(self.peek(), 0 | b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n') {
                    self.at += 1;
                }
            }
        }
        start..self.at
    }

    /// The parts of the value at the present position.
    pub fn parts(mut self) -> Parts {
        self.skip_space();
        match self.peek() {
            b'{' => {
                self.at += 1;
                let mut members = Vec::new();
                loop {
                    self.skip_space();
                    if self.peek() != b'"' {
                        return Parts::Object(members);
                    }
                    let key = self.value();
                    self.skip_space();
                    self.at += 1; // the colon
                    let value = self.value();
                    members.push(Member { key, value });
                    self.skip_space();
                    if self.peek() != b',' {
                        return Parts::Object(members);
                    }
                    self.at += 1;
                }
            }
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                loop {
                    self.skip_space();
                    if matches!(self.peek(), b']' | 0) {
                        return Parts::Array(items);
                    }
                    items.push(self.value());
                    self.skip_space();
                    if self.peek() != b',' {
                        return Parts::Array(items);
                    }
                    self.at += 1;
                }
            }
            _ => Parts::Scalar,
        }
    }

    fn string(&mut self) {
        self.at += 1;
        loop {
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return;
                }
                b'\\' => self.at += 2,
                0 => return,
                _ => self.at += 1,
            }
        }
    }

    fn container(&mut self) {
        let mut depth = 0_usize;
        loop {
            match self.peek() {
                b'"' => {
                    self.string();
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                0 if self.at >= self.bytes.len() => return,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}
