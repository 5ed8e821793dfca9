//! The grammar.

use std::collections::HashSet;
use std::ops::Range;

use super::{Content, DEPTH, Dialect, Member, Node};

/// What is wrong, and at which byte.
type Fault = (String, usize);

pub(super) fn parse(text: &str, dialect: Dialect) -> Result<Node, Fault> {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut parser = Parser { text, bytes: text.as_bytes(), at, dialect, depth: 0 };
    parser.space()?;
    if parser.at == text.len() {
        return Err(("the file is empty".to_owned(), parser.at));
    }
    let root = parser.value()?;
    parser.space()?;
    if parser.at < text.len() {
        return parser.unexpected("nothing more");
    }
    Ok(root)
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    dialect: Dialect,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err((message.into(), self.at))
    }

    fn unexpected<T>(&self, expected: &str) -> Result<T, Fault> {
        match self.text[self.at..].chars().next() {
            Some(found) => self.fail(format!("expected {expected}, found {found:?}")),
            None => self.fail(format!("expected {expected}, found the end of the file")),
        }
    }

    /// Passes over white space, and over comments where they are allowed.
    fn space(&mut self) -> Result<(), Fault> {
        loop {
            match (self.peek(), self.bytes.get(self.at + 1)) {
                (Some(b' ' | b'\t' | b'\r' | b'\n'), _) => self.at += 1,
                (Some(b'/'), Some(b'/' | b'*')) if self.dialect == Dialect::Json => {
                    return self.fail("comments are not allowed here; a file named `.jsonc` may have them");
                }
                (Some(b'/'), Some(b'/')) => {
                    let rest = &self.text[self.at..];
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                (Some(b'/'), Some(b'*')) => match self.text[self.at + 2..].find("*/") {
                    Some(length) => self.at += 2 + length + 2,
                    None => return self.fail("this comment has no end"),
                },
                _ => return Ok(()),
            }
        }
    }

    fn value(&mut self) -> Result<Node, Fault> {
        let start = self.at;
        let content = match self.peek() {
            Some(b'{') => self.nested(Self::object)?,
            Some(b'[') => self.nested(Self::array)?,
            Some(b'"') => Content::String(self.string()?.0),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            _ => self.word()?,
        };
        Ok(Node { range: start..self.at, content })
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Content, Fault>) -> Result<Content, Fault> {
        if self.depth == DEPTH {
            return self.fail(format!("nested deeper than {DEPTH} levels"));
        }
        self.depth += 1;
        self.at += 1;
        let content = read(self)?;
        self.depth -= 1;
        Ok(content)
    }

    fn object(&mut self) -> Result<Content, Fault> {
        let mut members: Vec<Member> = Vec::new();
        let mut keys = HashSet::new();
        self.space()?;
        while self.peek() != Some(b'}') {
            if self.peek() != Some(b'"') {
                return self.unexpected("a key in double quotes");
            }
            let (key, key_range) = self.string()?;
            if !keys.insert(key.clone()) {
                return Err((format!("the key {key:?} stands twice"), key_range.start));
            }
            self.space()?;
            if self.peek() != Some(b':') {
                return self.unexpected("`:`");
            }
            self.at += 1;
            self.space()?;
            let value = self.value()?;
            members.push(Member { key, key_range, value });
            self.next(b'}', "`,` or `}`")?;
        }
        self.at += 1;
        Ok(Content::Object(members))
    }

    fn array(&mut self) -> Result<Content, Fault> {
        let mut items = Vec::new();
        self.space()?;
        while self.peek() != Some(b']') {
            items.push(self.value()?);
            self.next(b']', "`,` or `]`")?;
        }
        self.at += 1;
        Ok(Content::Array(items))
    }

    /// Passes over the comma behind a part, up to the next part or the end.
    fn next(&mut self, end: u8, expected: &str) -> Result<(), Fault> {
        self.space()?;
        match self.peek() {
            Some(b',') => {
                let comma = self.at;
                self.at += 1;
                self.space()?;
                if self.peek() == Some(end) && self.dialect == Dialect::Json {
                    let message = "a comma behind the last part; only a file named `.jsonc` may have one";
                    return Err((message.to_owned(), comma));
                }
                Ok(())
            }
            Some(byte) if byte == end => Ok(()),
            _ => self.unexpected(expected),
        }
    }

    fn string(&mut self) -> Result<(String, Range<usize>), Fault> {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        loop {
            match self.peek() {
                None => return Err(("this string has no end".to_owned(), start)),
                Some(b'"') => break,
                Some(byte) if byte < b' ' => return self.fail("a control character in a string; escape it"),
                Some(b'\\') => {
                    escaped = true;
                    // The byte behind it may be a quote; anything else is judged when the string is read.
                    self.at += if self.bytes.get(self.at + 1).is_some_and(u8::is_ascii) { 2 } else { 1 };
                }
                Some(_) => self.at += 1,
            }
        }
        self.at += 1;
        let raw = &self.text[start..self.at];
        let text = if escaped {
            serde_json::from_str(raw)
                .map_err(|_| ("an escape in this string that JSON does not have".to_owned(), start))?
        } else {
            raw[1..raw.len() - 1].to_owned()
        };
        Ok((text, start..self.at))
    }

    fn number(&mut self) -> Result<Content, Fault> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        match serde_json::from_str(&self.text[start..self.at]) {
            Ok(number) => Ok(Content::Number(number)),
            Err(_) => Err(("not a number of JSON".to_owned(), start)),
        }
    }

    fn word(&mut self) -> Result<Content, Fault> {
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let content = match &rest[..length] {
            "null" => Content::Null,
            "true" => Content::Bool(true),
            "false" => Content::Bool(false),
            _ => return self.unexpected("a value"),
        };
        self.at += length;
        Ok(content)
    }
}
