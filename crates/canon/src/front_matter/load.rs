//! From the events of a YAML parser to one JSON object.

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::fence::Fence;
use super::plain::{Plain, resolve};
use super::written;
use crate::json::{Damage, conflict_marker};

/// How deep lists and mappings may stand in each other.
pub const MAX_DEPTH: usize = 128;

/// What is wrong with a YAML text, and where in it.
pub(super) struct Fault {
    message: String,
    /// From 1.
    line: usize,
    /// In characters, from 0.
    column: usize,
}

impl Fault {
    fn new(message: impl Into<String>, at: &Marker) -> Self {
        Self { message: message.into(), line: at.line().max(1), column: at.col() }
    }

    /// The fault as one of the whole text.
    pub fn damage(self, text: &str, fence: &Fence) -> Damage {
        let yaml = &text[fence.yaml.clone()];
        if let Some(mut damage) = conflict_marker(yaml.as_bytes()) {
            damage.line += 1;
            return damage;
        }
        let line = yaml.split('\n').nth(self.line - 1).unwrap_or("");
        let column = line.char_indices().nth(self.column).map_or(line.len(), |(at, _)| at) + 1;
        let message = format!("front matter is not valid YAML: {}", self.message);
        Damage { message, line: self.line + 1, column, conflict: false }
    }
}

/// The one mapping that `yaml` holds.
pub(super) fn load(yaml: &str) -> Result<Map<String, Value>, Fault> {
    refuse_unprintable(yaml)?;
    written::read(yaml).map_or_else(|| load_events(yaml), Ok)
}

/// The same, by the full parser.
pub(super) fn load_events(yaml: &str) -> Result<Map<String, Value>, Fault> {
    let mut loader = Loader::default();
    for next in Parser::new_from_str(yaml) {
        let (event, span) = next.map_err(|error| Fault::new(error.info(), error.marker()))?;
        loader.take(event, span)?;
    }
    match loader.root {
        Some(Value::Object(map)) => Ok(map),
        _ => Err(Fault::new("the top is not a mapping of keys to values", &Marker::new(0, 1, 0))),
    }
}

/// Control characters have no place in a YAML text; a parser might take one for the end.
fn refuse_unprintable(yaml: &str) -> Result<(), Fault> {
    let is_control = |b: u8| (b < 0x20 && b != b'\n' && b != b'\t') || b == 0x7f;
    // One pass without a way out, which the compiler turns into wide instructions.
    if !yaml.bytes().fold(false, |found, b| found | is_control(b)) {
        return Ok(());
    }
    let at = yaml.bytes().position(is_control).unwrap_or(0);
    let before = &yaml[..at];
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|&c| c != '\n').count();
    let name = match yaml.as_bytes()[at] {
        0 => "a NUL byte".to_owned(),
        other => format!("the control character 0x{other:02x}"),
    };
    Err(Fault { message: format!("{name} stands in it"), line, column })
}

/// A list or mapping whose end has not come.
enum Open {
    List(Vec<Value>),
    Mapping { map: Map<String, Value>, key: Option<String> },
}

#[derive(Default)]
struct Loader {
    open: Vec<Open>,
    root: Option<Value>,
    documents: usize,
}

impl Loader {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Fault> {
        let fault = |message: &str| Err(Fault::new(message, &span.start));
        match event {
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    return fault("it holds more than one document");
                }
            }
            Event::Alias(_) => return fault("an alias stands for a value; write the value itself"),
            Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(_, Some(_)) => {
                return fault("a tag names the type of a value; leave it out");
            }
            Event::Scalar(text, style, _, None) => {
                let value = if style == ScalarStyle::Plain {
                    match resolve(&text) {
                        Plain::Value(value) => value,
                        Plain::NotFinite => {
                            return fault("a number that JSON cannot hold; quote it if it is text");
                        }
                        Plain::Text => Value::String(text.into_owned()),
                    }
                } else {
                    Value::String(text.into_owned())
                };
                self.place(value, &span)?;
            }
            Event::SequenceStart(..) => self.enter(Open::List(Vec::new()), &span)?,
            Event::MappingStart(..) => self.enter(Open::Mapping { map: Map::new(), key: None }, &span)?,
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(items)) => self.place(Value::Array(items), &span)?,
                Some(Open::Mapping { map, .. }) => self.place(Value::Object(map), &span)?,
                None => return fault("an end without a beginning"),
            },
        }
        Ok(())
    }

    fn enter(&mut self, open: Open, span: &Span) -> Result<(), Fault> {
        if let Some(Open::Mapping { key: None, .. }) = self.open.last() {
            return Err(Fault::new("a key is not a string", &span.start));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Fault::new(format!("nested deeper than {MAX_DEPTH}"), &span.start));
        }
        self.open.push(open);
        Ok(())
    }

    fn place(&mut self, value: Value, span: &Span) -> Result<(), Fault> {
        match self.open.last_mut() {
            None => self.root = Some(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Mapping { map, key }) => {
                if let Some(key) = key.take() {
                    map.insert(key, value);
                    return Ok(());
                }
                let Value::String(name) = value else {
                    return Err(Fault::new("a key is not a string; quote it", &span.start));
                };
                if map.contains_key(&name) {
                    return Err(Fault::new(format!("the key `{name}` stands twice"), &span.start));
                }
                *key = Some(name);
            }
        }
        Ok(())
    }
}
