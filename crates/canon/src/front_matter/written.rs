//! The form of YAML that tools write, read at the speed of JSON.
//!
//! Thousands of records are read for one answer, nearly all of them as a tool wrote them: one field a line, strings
//! in JSON's quotes, lists and mappings by indentation. [`read`] knows that form and no other. Whatever it does not
//! know, faults included, it leaves to the full parser, so it never decides what is valid; where it answers, the
//! full parser gives the same.

use std::borrow::Cow;

use memchr::{memchr, memchr2};
use serde_json::{Map, Value};

use super::plain::{Plain, resolve};

/// Beyond this depth the full parser counts.
const MAX_DEPTH: usize = 32;

/// Keys as long as this are left to the full parser: YAML bounds them.
const MAX_KEY: usize = 1000;

/// The mapping that `yaml` holds, where every line of it has the known form.
pub(super) fn read(yaml: &str) -> Option<Map<String, Value>> {
    if yaml.contains('\u{feff}') {
        return None;
    }
    let mut lines = Lines { rest: yaml, next: None };
    let column = lines.peek()?.column;
    let map = if column == 0 { lines.mapping(0, None, MAX_DEPTH)? } else { return None };
    lines.peek().is_none().then_some(map)
}

/// A line that is neither empty nor a comment.
#[derive(Clone, Copy)]
struct Line<'a> {
    column: usize,
    text: &'a str,
}

impl Line<'_> {
    fn is_item(&self) -> bool {
        matches!(self.text.as_bytes(), [b'-'] | [b'-', b' ', ..])
    }
}

struct Lines<'a> {
    rest: &'a str,
    /// The next line and what stands behind it, once looked at.
    next: Option<(Line<'a>, &'a str)>,
}

impl<'a> Lines<'a> {
    fn peek(&mut self) -> Option<Line<'a>> {
        while self.next.is_none() && !self.rest.is_empty() {
            let length = memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
            let (line, rest) = (&self.rest[..length], self.rest.get(length + 1..).unwrap_or(""));
            let column = line.bytes().take_while(|&b| b == b' ').count();
            let text = &line[column..];
            if matches!(text.as_bytes(), [] | [b'#', ..]) {
                self.rest = rest;
            } else {
                self.next = Some((Line { column, text: text.trim_end_matches(' ') }, rest));
            }
        }
        self.next.map(|(line, _)| line)
    }

    fn skip(&mut self) {
        if let Some((_, rest)) = self.next.take() {
            self.rest = rest;
        }
    }

    /// A mapping whose keys stand at `column`. The first field may stand behind a dash: `first` is then its text.
    fn mapping(
        &mut self,
        column: usize,
        mut first: Option<&'a str>,
        depth: usize,
    ) -> Option<Map<String, Value>> {
        let depth = depth.checked_sub(1)?;
        let mut map = Map::new();
        loop {
            let text = if let Some(text) = first.take() {
                text
            } else {
                match self.peek() {
                    Some(line) if line.column == column && !line.is_item() => line.text,
                    Some(line) if line.column >= column => return None,
                    _ => return Some(map),
                }
            };
            self.skip();
            let (key, rest) = key(text)?;
            let value = if rest.is_empty() { self.below(column, true, depth)? } else { inline(rest)? };
            if map.insert(key.into_owned(), value).is_some() {
                return None;
            }
        }
    }

    /// A list whose dashes stand at `column`.
    fn list(&mut self, column: usize, depth: usize) -> Option<Value> {
        let depth = depth.checked_sub(1)?;
        let mut items = Vec::new();
        while let Some(line) = self.peek() {
            if line.column > column {
                return None;
            }
            if line.column < column || !line.is_item() {
                break;
            }
            let rest = line.text[1..].trim_start_matches(' ');
            items.push(if rest.is_empty() {
                self.skip();
                self.below(column, false, depth)?
            } else if key(rest).is_some() {
                let inner = column + line.text.len() - rest.len();
                Value::Object(self.mapping(inner, Some(rest), depth)?)
            } else {
                self.skip();
                inline(rest)?
            });
        }
        Some(Value::Array(items))
    }

    /// What stands on the lines below a key or a dash at `column`. The dashes of a list may stand right below a key.
    fn below(&mut self, column: usize, key: bool, depth: usize) -> Option<Value> {
        match self.peek() {
            Some(line) if line.is_item() && (line.column > column || key && line.column == column) => {
                self.list(line.column, depth)
            }
            Some(line) if line.column > column => self.mapping(line.column, None, depth).map(Value::Object),
            _ => Some(Value::Null),
        }
    }
}

/// A key and what stands behind its colon.
fn key(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let (key, rest) = match text.as_bytes() {
        [b'"', ..] => quoted(text)?,
        [first, ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let end = text.bytes().position(|b| !(b.is_ascii_alphanumeric() || b == b'_' || b == b'-'))?;
            let (key, rest) = text.split_at(end);
            if !matches!(resolve(key), Plain::Text) {
                return None;
            }
            (Cow::Borrowed(key), rest)
        }
        _ => return None,
    };
    if text.len() - rest.len() > MAX_KEY {
        return None;
    }
    match rest.as_bytes() {
        [b':'] => Some((key, "")),
        [b':', b' ', ..] => Some((key, rest[2..].trim_start_matches(' '))),
        _ => None,
    }
}

/// A value that ends on its line.
fn inline(text: &str) -> Option<Value> {
    match text.as_bytes().first()? {
        b'"' => match quoted(text)? {
            (value, "") => Some(Value::String(value.into_owned())),
            _ => None,
        },
        b'[' => flow_list(text),
        b'{' => (text == "{}").then(|| Value::Object(Map::new())),
        _ => plain(text, &[]),
    }
}

/// A list of scalars on one line.
fn flow_list(text: &str) -> Option<Value> {
    let mut rest = text.strip_prefix('[')?.strip_suffix(']')?.trim_matches(' ');
    let mut items = Vec::new();
    while !rest.is_empty() {
        let (item, behind) = if rest.starts_with('"') {
            let (value, behind) = quoted(rest)?;
            (Value::String(value.into_owned()), behind.trim_start_matches(' '))
        } else {
            let end = rest.find(',').unwrap_or(rest.len());
            (plain(rest[..end].trim_end_matches(' '), b"[]{}\"':#?&*!|>%@`")?, &rest[end..])
        };
        items.push(item);
        rest = match behind.strip_prefix(',') {
            Some(more) => more.trim_start_matches(' '),
            None if behind.is_empty() => behind,
            None => return None,
        };
    }
    Some(Value::Array(items))
}

/// A scalar without quotes that holds none of `banned` and nothing that could end it early.
fn plain(text: &str, banned: &[u8]) -> Option<Value> {
    let bytes = text.as_bytes();
    let begins = match bytes {
        [b'-', next, ..] => next.is_ascii_digit(),
        [first, ..] => first.is_ascii_alphanumeric() || matches!(first, b'_' | b'/'),
        [] => false,
    };
    let ends_early = |at: usize| match bytes[at] {
        b':' => matches!(bytes.get(at + 1), None | Some(b' ')),
        b'#' => bytes[at - 1] == b' ',
        b'\t' => true,
        other => banned.contains(&other),
    };
    if !begins || (1..bytes.len()).any(ends_early) {
        return None;
    }
    match resolve(text) {
        Plain::Value(value) => Some(value),
        Plain::Text => Some(Value::from(text)),
        Plain::NotFinite => None,
    }
}

/// A string in JSON's quotes, and what stands behind it.
fn quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let bytes = text.as_bytes();
    let mut at = 1;
    let mut escaped = false;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            break;
        }
        escaped = true;
        at += 2;
    }
    let (whole, rest) = text.split_at(at + 1);
    if !escaped {
        return Some((Cow::Borrowed(&whole[1..at]), rest));
    }
    serde_json::from_str::<String>(whole).ok().map(|value| (Cow::Owned(value), rest))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::load::load_events;
    use super::*;

    #[test]
    fn what_tools_write_is_known() {
        let yaml = "id: \"a\"\n# note\n\"b.c\": -1.5\nnone:\nmap:\n  x: null\n\n  y: [a, \"b\", 1]\nlist:\n  - \"x\"\n  - k: {}\n    l:\n      - 1\n  -\n    - []\nflat:\n- z: a:b#c\n";
        let map = read(yaml).unwrap();
        assert_eq!(
            Value::Object(map).to_string(),
            r#"{"id":"a","b.c":-1.5,"none":null,"map":{"x":null,"y":["a","b",1]},"list":["x",{"k":{},"l":[1]},[[]]],"flat":[{"z":"a:b#c"}]}"#
        );
    }

    #[test]
    fn what_needs_a_parser_is_left_to_one() {
        for yaml in [
            "a: |\n  x",
            "a: 'x'",
            "a: x\n  y",
            "a: \"x\n  y\"",
            "a: &x 1",
            "a: !!str 1",
            "a: 1\na: 1",
            " a: 1",
            "a: x # c",
            "a: {b: 1}",
            "a: .inf",
            "a: b: c",
            "a: \"\\x41\"",
            "- a",
            "a: - b",
            "a:\n - - b",
            "? a",
            "a: x:",
            "a:\tb",
            "a: [b: c]",
            "a: [,]",
            "a: [[1]]",
            "true: 1",
            "a\n",
            "a: \"x\" y",
            "",
        ] {
            assert!(read(yaml).is_none(), "{yaml:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn the_full_parser_reads_the_same(
            lines in prop::collection::vec(
                (0_usize..4, "(- )?(- )?((a|b|\"c\"|d-e|no|f): ?)?( |\"x\"|\"\\\\\\\\n\"|y|y z|1|-|\\[\\]|\\[1, a b,\\]|\\{\\}|#|a:b|~|x #|/:|-1|0x1|\\[ ?\"q\" ?,2\\])?"),
                0..8,
            )
        ) {
            let yaml: String = lines.iter().flat_map(|(indent, text)| [" ".repeat(*indent), text.clone(), "\n".to_owned()]).collect();
            if let Some(map) = read(&yaml) {
                match load_events(&yaml) {
                    Ok(full) => prop_assert_eq!(Value::Object(full).to_string(), Value::Object(map).to_string(), "{}", yaml),
                    Err(_) => prop_assert!(false, "refused by the parser:\n{}", yaml),
                }
            }
        }
    }
}
