//! The bytes of a payload: one JSON object, read strictly.

use std::io::{ErrorKind, Read};

use canon::jsonc::{Dialect, Document};
use serde_json::{Map, Value};

/// The most bytes that a payload may have.
pub const LIMIT: usize = 8 * 1024 * 1024;

/// How much of a payload that is too long is taken from the agent, so that it is not stopped while it writes.
const DRAINED: usize = 8 * LIMIT;

/// Takes one JSON object from `input`, up to its closing bracket: the agent may keep its end open. What is no
/// object, or breaks off, is given as far as it came.
///
/// # Errors
/// The input can't be read, or is longer than [`LIMIT`].
pub fn take(mut input: impl Read) -> Result<Vec<u8>, String> {
    let mut taken = Vec::new();
    let mut length = 0;
    let mut boundary = Boundary::default();
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let count = match input.read(&mut chunk) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(format!("standard input can't be read: {error}")),
        };
        let end = boundary.end(&chunk[..count]);
        let used = end.unwrap_or(count);
        length += used;
        if length <= LIMIT {
            taken.extend_from_slice(&chunk[..used]);
        }
        if end.is_some() || count == 0 || length > DRAINED {
            break;
        }
    }
    if length > LIMIT {
        return Err(too_long());
    }
    Ok(taken)
}

/// The object in `bytes`.
///
/// # Errors
/// The bytes are too many, no UTF-8, no JSON, more than one document, or no object; a name stands twice in an
/// object; or objects lie deeper in each other than [`canon::jsonc::DEPTH`].
pub fn parse(bytes: &[u8]) -> Result<Map<String, Value>, String> {
    if bytes.len() > LIMIT {
        return Err(too_long());
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return Err("it is not UTF-8".to_owned()) };
    if canon::text::is_blank(text) {
        return Err("it is empty".to_owned());
    }
    let text = canon::json::legible(text);
    match Document::parse(text.as_bytes(), Dialect::Json) {
        Ok(document) => match document.root().to_value() {
            Value::Object(object) => Ok(object),
            _ => Err("it is no JSON object".to_owned()),
        },
        Err(damage) => Err(format!("it is not JSON: {damage}")),
    }
}

fn too_long() -> String {
    format!("it is longer than {} MiB", LIMIT / 1024 / 1024)
}

/// Finds the closing bracket of the object with which a text begins.
#[derive(Default)]
struct Boundary {
    begun: usize,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Boundary {
    /// The end of the document within `chunk`, where it is there. What does not begin as an object ends at once.
    fn end(&mut self, chunk: &[u8]) -> Option<usize> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        for (at, &byte) in chunk.iter().enumerate() {
            if self.depth == 0 {
                match byte {
                    b'{' => self.depth = 1,
                    b' ' | b'\t' | b'\r' | b'\n' => {}
                    _ if MARK.get(self.begun) == Some(&byte) => self.begun += 1,
                    _ => return Some(chunk.len()),
                }
            } else if self.in_string {
                match byte {
                    _ if self.escaped => self.escaped = false,
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => self.depth += 1,
                    b'}' | b']' => self.depth -= 1,
                    _ => {}
                }
                if self.depth == 0 {
                    return Some(at + 1);
                }
            }
        }
        None
    }
}
