//! The shape of a value from a file: every problem with its place, before the file is refused as a whole.

use serde_json::{Map, Value};

/// Collects what is wrong with a value.
pub(crate) struct Shape {
    /// What a problem with the value as a whole is said of.
    whole: &'static str,
    problems: Vec<String>,
}

impl Shape {
    pub(crate) fn named(whole: &'static str) -> Self {
        Self { whole, problems: Vec::new() }
    }

    pub(crate) fn problem(&mut self, path: &str, message: impl AsRef<str>) {
        let path = if path.is_empty() { self.whole } else { path };
        self.problems.push(format!("{path}: {}", message.as_ref()));
    }

    pub(crate) fn into_problems(self) -> Vec<String> {
        self.problems
    }

    /// An object with no keys but these.
    pub(crate) fn closed<'v>(
        &mut self,
        value: &'v Value,
        path: &str,
        keys: &[&str],
    ) -> Option<&'v Map<String, Value>> {
        let Some(map) = value.as_object() else {
            self.problem(path, "an object is expected");
            return None;
        };
        for key in map.keys().filter(|key| !keys.contains(&key.as_str())) {
            self.problem(&within(path, key), format!("no such option; known here: {}", keys.join(", ")));
        }
        Some(map)
    }

    /// A block of the kind, as the fields in it are read.
    pub(crate) fn block<'v>(
        &mut self,
        map: &'v Map<String, Value>,
        path: &str,
        key: &str,
        keys: &[&str],
    ) -> Option<(&'v Map<String, Value>, String)> {
        let value = map.get(key)?;
        let path = within(path, key);
        self.closed(value, &path, keys).map(|block| (block, path))
    }

    /// A string that is not empty, if the key is there.
    pub(crate) fn text(&mut self, map: &Map<String, Value>, path: &str, key: &str) -> Option<String> {
        match map.get(key)? {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => {
                self.problem(&within(path, key), "a string that is not empty is expected");
                None
            }
        }
    }

    /// A string that must be there.
    pub(crate) fn needed(&mut self, map: &Map<String, Value>, path: &str, key: &str) -> Option<String> {
        if !map.contains_key(key) {
            self.problem(&within(path, key), "it is required");
        }
        self.text(map, path, key)
    }

    /// A list of strings, if the key is there.
    pub(crate) fn texts(&mut self, map: &Map<String, Value>, path: &str, key: &str) -> Option<Vec<String>> {
        let texts = map.get(key)?.as_array().and_then(|items| {
            items
                .iter()
                .map(|item| item.as_str().filter(|text| !text.is_empty()).map(str::to_owned))
                .collect()
        });
        if texts.is_none() {
            self.problem(&within(path, key), "a list of strings is expected");
        }
        texts
    }

    /// `{ field }`, if the key is there.
    pub(crate) fn field(&mut self, map: &Map<String, Value>, path: &str, key: &str) -> Option<String> {
        let (block, path) = self.block(map, path, key, &["field"])?;
        self.needed(block, &path, "field")
    }
}

/// The path of a key.
pub(crate) fn within(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}
