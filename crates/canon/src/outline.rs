//! The outline of any YAML text: its mappings, lists and scalars, every scalar as text.

use saphyr_parser::{Event, Parser};
use serde_json::{Map, Value};

/// How deep lists and mappings may stand in each other.
const MAX_DEPTH: usize = 128;

/// The first document of a YAML text: mappings and lists as they are, scalars as strings whatever they mean, and
/// `null` for what an alias stands for. None where the text is not YAML, or nested too deep.
pub fn outline(text: &str) -> Option<Value> {
    let mut open: Vec<Open> = Vec::new();
    let mut root = None;
    for next in Parser::new_from_str(text) {
        let value = match next.ok()?.0 {
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() >= MAX_DEPTH => return None,
            Event::SequenceStart(..) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(..) => {
                open.push(Open::Mapping { map: Map::new(), key: None });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop()? {
                Open::List(items) => Value::Array(items),
                Open::Mapping { map, .. } => Value::Object(map),
            },
            Event::Scalar(text, ..) => Value::String(text.into_owned()),
            Event::Alias(_) => Value::Null,
            Event::DocumentEnd => break,
            _ => continue,
        };
        match open.last_mut() {
            None => root = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Mapping { map, key }) => match key.take() {
                Some(key) => {
                    map.insert(key, value);
                }
                None => *key = Some(value.as_str().map(str::to_owned).unwrap_or_default()),
            },
        }
    }
    root
}

/// A list or mapping whose end has not come.
enum Open {
    List(Vec<Value>),
    Mapping { map: Map<String, Value>, key: Option<String> },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_are_text_and_aliases_nothing() {
        let text =
            "on: &x [push]\njobs:\n  a: {n: 1.0, m: *x}\n  ? [k]\n  : v\n  b: !t |\n    run\n---\nnext: 1\n";
        assert_eq!(
            outline(text).unwrap(),
            serde_json::json!({ "on": ["push"], "jobs": { "a": { "n": "1.0", "m": null }, "": "v", "b": "run\n" } })
        );
        assert_eq!(outline(""), None);
    }

    #[test]
    fn what_is_no_yaml_has_no_outline() {
        for text in ["a: [", "a: b: c", "{", &"[".repeat(100_000)] {
            assert_eq!(outline(text), None, "{}", &text[..text.len().min(20)]);
        }
    }
}
