//! Reading JSON strictly, and saying where a text stops being JSON.

use std::collections::HashSet;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Why a text is not the document it should be, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong, without the position.
    pub message: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The text holds the conflict markers of an unfinished merge; the position is that of the first.
    pub conflict: bool,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Damage {}

impl Damage {
    /// The damage at the byte `offset` of `bytes`.
    pub fn at(bytes: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let (line, column) = position(&bytes[..offset.min(bytes.len())]);
        Self { message: message.into(), line, column, conflict: false }
    }
}

/// Reads one document from `bytes`. A byte order mark in front is passed over.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Damage> {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    serde_json::from_slice(body).map_err(|error| describe(body, &error))
}

/// The same, where `null` for a key means as much as no such key: people and other programs write both. Nothing
/// else is forgiven, a key that stands twice least of all.
pub fn read_sparse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Damage> {
    read(bytes).or_else(|damage| {
        if !damage.message.contains("null") {
            return Err(damage);
        }
        read::<Unique>(bytes)?;
        let mut value: serde_json::Value = read(bytes).map_err(|_| damage.clone())?;
        drop_nulls(&mut value);
        T::deserialize(value).map_err(|_| damage)
    })
}

/// A document in which no object has a key twice.
struct Unique;

impl<'de> Deserialize<'de> for Unique {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UniqueVisitor)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Unique;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_str<E>(self, _: &str) -> Result<Unique, E> {
        Ok(Unique)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Unique, A::Error> {
        while seq.next_element::<Unique>()?.is_some() {}
        Ok(Unique)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Unique, A::Error> {
        let mut keys = HashSet::new();
        while let Some((key, Unique)) = map.next_entry::<String, Unique>()? {
            if keys.contains(&key) {
                return Err(serde::de::Error::custom(format!("duplicate field `{key}`")));
            }
            keys.insert(key);
        }
        Ok(Unique)
    }
}

fn drop_nulls(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(drop_nulls);
        }
        serde_json::Value::Array(items) => items.iter_mut().for_each(drop_nulls),
        _ => {}
    }
}

/// Checks that `bytes` is UTF-8 and one JSON document, and gives it back as text.
pub fn check(bytes: &[u8]) -> Result<&str, Damage> {
    let text =
        std::str::from_utf8(bytes).map_err(|error| Damage::at(bytes, error.valid_up_to(), "not UTF-8"))?;
    read::<IgnoredAny>(bytes)?;
    Ok(text)
}

pub(super) fn describe(body: &[u8], error: &serde_json::Error) -> Damage {
    if let Some(conflict) = conflict_marker(body) {
        return conflict;
    }
    let full = error.to_string();
    let message = full.rsplit_once(" at line ").map_or(full.as_str(), |(message, _)| message);
    // serde_json counts columns from 0 where a line break itself is the fault.
    Damage {
        message: message.to_owned(),
        line: error.line().max(1),
        column: error.column().max(1),
        conflict: false,
    }
}

/// The first line that begins as git's conflict markers do.
pub(crate) fn conflict_marker(body: &[u8]) -> Option<Damage> {
    body.split(|&b| b == b'\n').enumerate().find_map(|(index, line)| {
        let marker = if line.starts_with(b"<<<<<<< ") {
            "<<<<<<<"
        } else if line.starts_with(b">>>>>>> ") {
            ">>>>>>>"
        } else if line.trim_ascii_end() == b"=======" {
            "======="
        } else {
            return None;
        };
        let message = format!("conflict marker `{marker}` of an unfinished merge");
        Some(Damage { message, line: index + 1, column: 1, conflict: true })
    })
}

fn position(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|&&b| b != b'\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_names_line_and_column() {
        let damage = check(b"[\n  {\"id\": }\n]").unwrap_err();
        assert_eq!((damage.line, damage.column), (2, 10));
        assert_eq!(damage.to_string(), "line 2, column 10: expected value");
        assert_eq!(check(b"").unwrap_err().line, 1);
        assert_eq!(check(b"[\n\"\xff\"]").unwrap_err().to_string(), "line 2, column 2: not UTF-8");
    }

    #[test]
    fn conflict_markers_are_called_by_their_name() {
        let text = b"[\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> other\n]";
        let damage = check(text).unwrap_err();
        assert!(damage.conflict);
        assert_eq!(damage.line, 2);
    }

    #[test]
    fn a_byte_order_mark_is_no_damage() {
        assert_eq!(read::<Vec<u8>>(b"\xef\xbb\xbf[1]").unwrap(), [1]);
    }

    #[test]
    fn null_means_absent_where_a_value_may_be() {
        #[derive(Deserialize, PartialEq, Debug)]
        struct Sparse {
            #[serde(default)]
            list: Vec<u8>,
        }
        assert_eq!(read_sparse::<Sparse>(b"{\"list\": null}").unwrap(), Sparse { list: Vec::new() });
        assert!(read_sparse::<Sparse>(b"{\"list\": null, \"list\": [1]}").is_err());
        // What is wrong in earnest keeps its place.
        assert_eq!(read_sparse::<Sparse>(b"{\n\"list\": 7}").unwrap_err().line, 2);
    }

    #[test]
    fn deep_nesting_is_refused_without_a_crash() {
        assert!(check("[".repeat(100_000).as_bytes()).is_err());
    }
}
