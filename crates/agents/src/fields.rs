//! The members of a payload, by name and kind.

use serde_json::{Map, Value};

/// What was read, or why it can't be: one sentence without a full stop.
pub(crate) type Read<T> = Result<T, String>;

/// The members of one object of a payload. A member that is `null` is not there.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a>(pub &'a Map<String, Value>);

impl<'a> Fields<'a> {
    /// The value of the first of `keys` that is there.
    pub fn get(self, keys: &[&str]) -> Option<&'a Value> {
        keys.iter().filter_map(|key| self.0.get(*key)).find(|value| !value.is_null())
    }

    /// The value of the one of `keys` that is there. Two that differ can't both be meant.
    pub fn one(self, keys: &[&str]) -> Read<Option<&'a Value>> {
        let mut found: Option<(&str, &'a Value)> = None;
        for &key in keys {
            let Some(value) = self.0.get(key).filter(|value| !value.is_null()) else { continue };
            match found {
                Some((first, other)) if other != value => {
                    return Err(format!("`{first}` and `{key}` say different things"));
                }
                Some(_) => {}
                None => found = Some((key, value)),
            }
        }
        Ok(found.map(|(_, value)| value))
    }

    /// The text of the first of `keys` that is there.
    pub fn text(self, keys: &[&str]) -> Read<Option<&'a str>> {
        match self.get(keys) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{}` is no text", named(keys))),
        }
    }

    /// The same, owned.
    pub fn owned(self, keys: &[&str]) -> Read<Option<String>> {
        Ok(self.text(keys)?.map(str::to_owned))
    }

    /// The text of the one of `keys` that is there.
    pub fn one_text(self, keys: &[&str]) -> Read<Option<&'a str>> {
        match self.one(keys)? {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(format!("`{}` is no text", named(keys))),
        }
    }

    /// The whole number of the first of `keys` that is one.
    pub fn number(self, keys: &[&str]) -> Option<u64> {
        match self.get(keys)? {
            Value::Number(number) => number.as_u64().or_else(|| {
                let number = number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..1e15).contains(n))?;
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "whole and in range"
                )]
                Some(number as u64)
            }),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether the first of `keys` that is there is `true`.
    pub fn flag(self, keys: &[&str]) -> bool {
        self.get(keys) == Some(&Value::Bool(true))
    }

    /// The object of the first of `keys` that is there.
    pub fn object(self, keys: &[&str]) -> Read<Option<Fields<'a>>> {
        match self.get(keys) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Fields(map))),
            Some(_) => Err(format!("`{}` is no object", named(keys))),
        }
    }

    /// The elements of the first of `keys` that is an array.
    pub fn list(self, keys: &[&str]) -> Option<&'a [Value]> {
        keys.iter().find_map(|key| self.0.get(*key)?.as_array()).map(Vec::as_slice)
    }

    pub fn has(self, key: &str) -> bool {
        self.0.get(key).is_some_and(|value| !value.is_null())
    }
}

fn named<'k>(keys: &[&'k str]) -> &'k str {
    keys.first().copied().unwrap_or_default()
}
