//! The whole JSON objects in a text that need not be JSON.

use std::collections::HashMap;
use std::ops::Range;

/// How deep containers may lie in each other; the JSON reader takes no deeper ones.
const DEPTH: usize = 127;

/// A search through one text.
///
/// A `{` where no whole object begins is passed over, and the next one is tried. What a failed attempt saw is
/// remembered: each `{` that it took for the begin of an object is known to begin one or not. So no stretch of the
/// text is read more than twice, once as text outside of strings and once as text within them.
pub(super) struct Objects<'t> {
    text: &'t str,
    at: usize,
    /// Where the object that begins at a position ends; `None` where none does.
    known: HashMap<usize, Option<usize>>,
    /// How many bytes were looked at.
    steps: usize,
}

/// A container that is open.
struct Open {
    start: usize,
    is_object: bool,
    /// How deep containers lie in it, itself counted.
    height: usize,
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    KeyOrEnd,
    Key,
    Colon,
    Value,
    ValueOrEnd,
    CommaOrEnd,
}

impl<'t> Objects<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, at: 0, known: HashMap::new(), steps: 0 }
    }

    /// The end of the object that begins at `start`.
    fn end_of(&mut self, start: usize) -> Option<usize> {
        if let Some(known) = self.known.get(&start) {
            return *known;
        }
        let mut open = Vec::new();
        let reached = self.read(start, &mut open);
        self.steps += reached - start;
        for container in open.iter().filter(|container| container.is_object) {
            self.known.insert(container.start, None);
        }
        self.known.get(&start).copied().flatten()
    }

    /// Reads from `start` to the end of the object there or to the first byte that fits no JSON, which is the answer.
    /// What stays in `open` has no end.
    fn read(&mut self, start: usize, open: &mut Vec<Open>) -> usize {
        let bytes = self.text.as_bytes();
        let (mut at, mut next) = (start, Next::Value);
        loop {
            at += bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
            let Some(&byte) = bytes.get(at) else { return at };
            match (next, byte) {
                (Next::Value | Next::ValueOrEnd, b'{' | b'[') => {
                    open.push(Open { start: at, is_object: byte == b'{', height: 1 });
                    at += 1;
                    next = if byte == b'{' { Next::KeyOrEnd } else { Next::ValueOrEnd };
                }
                (Next::KeyOrEnd | Next::CommaOrEnd, b'}') | (Next::ValueOrEnd | Next::CommaOrEnd, b']') => {
                    at += 1;
                    let Some(closed) = open.pop_if(|last| last.is_object == (byte == b'}')) else {
                        return at;
                    };
                    if closed.is_object {
                        self.known.insert(closed.start, (closed.height <= DEPTH).then_some(at));
                    }
                    let Some(around) = open.last_mut() else { return at };
                    around.height = around.height.max(closed.height + 1);
                    next = Next::CommaOrEnd;
                }
                (Next::CommaOrEnd, b',') => {
                    at += 1;
                    let in_object = open.last().is_some_and(|last| last.is_object);
                    next = if in_object { Next::Key } else { Next::Value };
                }
                (Next::Colon, b':') => {
                    at += 1;
                    next = Next::Value;
                }
                (Next::Key | Next::KeyOrEnd | Next::Value | Next::ValueOrEnd, b'"') => {
                    let (end, is_whole) = string(bytes, at);
                    at = end;
                    if !is_whole {
                        return at;
                    }
                    let is_key = matches!(next, Next::Key | Next::KeyOrEnd);
                    next = if is_key { Next::Colon } else { Next::CommaOrEnd };
                }
                (Next::Value | Next::ValueOrEnd, _) => {
                    let Some(end) = word(self.text, at) else { return at };
                    at = end;
                    next = Next::CommaOrEnd;
                }
                _ => return at,
            }
        }
    }
}

impl Iterator for Objects<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let start = self.at + self.text[self.at..].find('{')?;
            if let Some(end) = self.end_of(start) {
                self.at = end;
                return Some(start..end);
            }
            self.at = start + 1;
        }
    }
}

/// Where the string that begins at `start` ends, or what fits no string lies; and whether it is the first.
fn string(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return (at + 1, true),
            Some(b'\\') => match escape(bytes, at) {
                Some(end) => at = end,
                None => return (at, false),
            },
            Some(0x20..) => at += 1,
            _ => return (at, false),
        }
    }
}

/// The end of the escape at a backslash; none where it stands for no character.
fn escape(bytes: &[u8], at: usize) -> Option<usize> {
    let unit = |at: usize| {
        let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, &digit| Some(unit * 16 + char::from(digit).to_digit(16)?))
    };
    match bytes.get(at + 1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(at + 2),
        _ => match unit(at)? {
            // The two halves of one character; a half alone is none.
            0xd800..0xdc00 => matches!(unit(at + 6), Some(0xdc00..0xe000)).then_some(at + 12),
            0xdc00..0xe000 => None,
            _ => Some(at + 6),
        },
    }
}

/// The end of the number or word at `start`.
fn word(text: &str, start: usize) -> Option<usize> {
    let rest = &text.as_bytes()[start..];
    if let Some(word) = ["true", "false", "null"].iter().find(|word| rest.starts_with(word.as_bytes())) {
        return Some(start + word.len());
    }
    let digits = |at: usize| rest[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut len = usize::from(rest.first() == Some(&b'-'));
    len += match digits(len) {
        0 => return None,
        _ if rest[len] == b'0' => 1,
        count => count,
    };
    if rest.get(len) == Some(&b'.') {
        len += 1 + Some(digits(len + 1)).filter(|&count| count > 0)?;
    }
    if matches!(rest.get(len), Some(b'e' | b'E')) {
        len += 1 + usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
        len += Some(digits(len)).filter(|&count| count > 0)?;
    }
    let is_finite = text[start..start + len].parse().is_ok_and(f64::is_finite);
    is_finite.then_some(start + len)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value};

    use super::*;

    /// What the JSON reader finds when it is tried at each `{` that no earlier object holds.
    fn one_by_one(text: &str) -> Vec<Range<usize>> {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(brace) = text[at..].find('{') {
            at += brace;
            let reader = serde_json::Deserializer::from_str(&text[at..]);
            let mut values = reader.into_iter::<Map<String, Value>>();
            if let Some(Ok(_)) = values.next() {
                found.push(at..at + values.byte_offset());
                at += values.byte_offset();
            } else {
                at += 1;
            }
        }
        found
    }

    fn check(text: &str) {
        assert_eq!(Objects::of(text).collect::<Vec<_>>(), one_by_one(text), "{text}");
    }

    fn steps(text: &str) -> usize {
        let mut objects = Objects::of(text);
        objects.by_ref().for_each(drop);
        objects.steps
    }

    #[test]
    fn objects_are_those_of_the_json_reader() {
        let number = |number: &str| format!("{{\"a\":[{number}]}}");
        let numbers =
            ["0", "-0", "01", "1.", "1.5", ".5", "1e5", "1E+5", "1e", "1e999", "0e999", "-", "+1", "1e-999"];
        for it in numbers {
            check(&number(it));
        }
        for word in
            ["true", "tru", "truex", "null", "False", "NaN", "", ",", "1,", "[", "]", "{}", "{]", "[}"]
        {
            check(&number(word));
        }
        for string in [
            r"\n",
            r"\x",
            r"\u0041",
            r"\u004",
            r"\ud83d\ude00",
            r"\ud83d",
            r"\ud83dx",
            r"\ude00",
            r"\ud83d\u0041",
            "\n",
            "\u{7f}",
            "é",
            "\\",
        ] {
            check(&format!("{{\"{string}\":\"{string}\"}} {{}}"));
        }
        for depth in [126, 127, 128, 300] {
            check(&format!("{}{}", "{\"a\":".repeat(depth) + "1", "}".repeat(depth)));
            check(&format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth)));
        }
    }

    #[test]
    fn hostile_text_is_read_at_most_twice() {
        const SIZE: usize = 1 << 20;
        for part in [
            "{",
            "{\"a\":",
            "{\"a\":[",
            "{\"",
            "{\"a\":\"",
            "{\"a\":\"{\",",
            "{\"\\\"",
            "{\"a\":1e999,",
            "{\"a\":{},\"b\":\"{ \",\"c\":[{\"d\":",
        ] {
            let text = part.repeat(SIZE / part.len());
            assert!(steps(&text) <= 2 * SIZE, "{part}: {}", steps(&text));
            let text = text + &"}".repeat(SIZE);
            assert!(steps(&text) <= 2 * text.len(), "{part} closed: {}", steps(&text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn any_text_is_read_as_the_json_reader_does(text in "([{}\\[\\]\",: a1\\\\\n]|\"a\":|\\{\"a\":\"|\\{\"b\":\\{\\}\\}){0,40}") {
            check(&text);
            prop_assert!(steps(&text) <= 2 * text.len());
        }
    }
}
