//! Writing values as YAML that every reader takes for the same JSON.

use serde_json::{Map, Value};

use super::plain::{Plain, resolve};
use crate::json::compact;

/// A whole file: front matter of `data` in its order, then `body` as it is.
pub fn file(data: &Map<String, Value>, body: &str) -> String {
    format!("---\n{}\n---\n{body}", yaml(data))
}

/// `data` as a YAML mapping, without a line end behind its last line.
pub fn yaml(data: &Map<String, Value>) -> String {
    if data.is_empty() {
        return "{}".to_owned();
    }
    let mut out = String::new();
    mapping(&mut out, data, 0);
    out
}

/// One field of a mapping at the left edge, without a line end behind its last line.
pub fn field(key: &str, value: &Value) -> String {
    let mut out = String::new();
    member(&mut out, key, value, 0);
    out
}

fn mapping(out: &mut String, map: &Map<String, Value>, indent: usize) {
    for (index, (name, value)) in map.iter().enumerate() {
        if index > 0 {
            new_line(out, indent);
        }
        member(out, name, value, indent);
    }
}

fn member(out: &mut String, name: &str, value: &Value, indent: usize) {
    out.push_str(&key(name));
    out.push(':');
    match value {
        Value::Object(map) if !map.is_empty() => {
            new_line(out, indent + 2);
            mapping(out, map, indent + 2);
        }
        Value::Array(items) if !items.is_empty() => {
            new_line(out, indent + 2);
            list(out, items, indent + 2);
        }
        other => {
            out.push(' ');
            out.push_str(&compact(other));
        }
    }
}

fn list(out: &mut String, items: &[Value], indent: usize) {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            new_line(out, indent);
        }
        out.push('-');
        match item {
            Value::Object(map) if !map.is_empty() => {
                out.push(' ');
                mapping(out, map, indent + 2);
            }
            Value::Array(inner) if !inner.is_empty() => {
                new_line(out, indent + 2);
                list(out, inner, indent + 2);
            }
            other => {
                out.push(' ');
                out.push_str(&compact(other));
            }
        }
    }
}

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

/// A key stands bare where no reader can take it for anything else.
fn key(name: &str) -> String {
    let mut bytes = name.bytes();
    let bare = bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        && matches!(resolve(name), Plain::Text);
    if bare { name.to_owned() } else { compact(&Value::from(name)) }
}
