//! A JSON text that is one object and names each member once, and such a text without some of its members.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::damage::{Damage, check, describe};
use super::number;
use super::scan::{Parts, Scanner};

/// Reads one object. A member name that repeats, at any depth, is refused. Numbers are those that JavaScript would
/// hold: `1.0` is 1, and an integer that no double holds is rounded.
///
/// # Errors
/// The text is not UTF-8, not JSON, not an object, or repeats a member name.
pub fn record(bytes: &[u8]) -> Result<Map<String, Value>, Damage> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        return Err(Damage::at(
            bytes,
            0,
            "a byte order mark stands before the object; save the file without one",
        ));
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| Damage::at(bytes, error.valid_up_to(), "not UTF-8"))?;
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut pointer = String::new();
    let value = Unrepeated { pointer: &mut pointer }
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| describe(bytes, &error))?;
    match value {
        Value::Object(map) => Ok(map),
        _ => Err(Damage::at(bytes, 0, "not a JSON object")),
    }
}

/// `text`, one JSON object, without the members `names`: the white space before each, the member, and one comma. A
/// text that is no JSON object stays as it is.
pub fn without_members<'a>(text: &'a str, names: &[&str]) -> Cow<'a, str> {
    let mut text = Cow::Borrowed(text);
    if check(text.as_bytes()).is_err() {
        return text;
    }
    for name in names {
        while let Some(cut) = member(&text, name) {
            text.to_mut().replace_range(cut, "");
        }
    }
    text
}

/// The bytes that go with the member `name` of the object `text`.
fn member(text: &str, name: &str) -> Option<Range<usize>> {
    let Parts::Object(members) = Scanner::new(text, 0).parts() else { return None };
    let index = members.iter().position(|member| {
        serde_json::from_str::<String>(&text[member.key.clone()]).is_ok_and(|key| key == name)
    })?;
    let blank = |text: &str| text.len() - text.trim_end_matches([' ', '\t', '\n', '\r']).len();
    let found = &members[index];
    let start = found.key.start - blank(&text[..found.key.start]);
    let behind = text[found.value.end..].find(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'))?;
    if index + 1 < members.len() {
        return Some(start..found.value.end + behind + 1);
    }
    if index == 0 {
        return Some(start..found.value.end);
    }
    let comma = start - 1;
    Some(comma - blank(&text[..comma])..found.value.end)
}

/// Builds a value and remembers where in it the reader stands.
struct Unrepeated<'p> {
    pointer: &'p mut String,
}

impl<'de> DeserializeSeed<'de> for Unrepeated<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unrepeated<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript rounds it too")]
    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript rounds it too")]
    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        number(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        let above = self.pointer.len();
        loop {
            self.pointer.push('/');
            self.pointer.push_str(&items.len().to_string());
            let item = seq.next_element_seed(Unrepeated { pointer: self.pointer })?;
            self.pointer.truncate(above);
            match item {
                Some(item) => items.push(item),
                None => return Ok(Value::Array(items)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        let above = self.pointer.len();
        while let Some(name) = map.next_key::<String>()? {
            if members.contains_key(&name) {
                let at = if self.pointer.is_empty() { "/" } else { self.pointer };
                return Err(A::Error::custom(format!(
                    "{at}: member name {} repeats, which I-JSON refuses",
                    Value::from(name)
                )));
            }
            self.pointer.push('/');
            self.pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
            let value = map.next_value_seed(Unrepeated { pointer: self.pointer })?;
            self.pointer.truncate(above);
            members.insert(name, value);
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_is_read_in_its_order() {
        let map = record(br#"{"b": [1, -2, 1.5, null], "a": {"x": "\u00e9"}}"#).unwrap();
        assert_eq!(Value::Object(map).to_string(), r#"{"b":[1,-2,1.5,null],"a":{"x":"é"}}"#);
    }

    #[test]
    fn numbers_are_those_of_javascript() {
        let map = record(br#"{"n": [1.0, -0, 1e3, 9007199254740993, 18446744073709551615, 0.5]}"#).unwrap();
        assert_eq!(map["n"].to_string(), "[1,0,1000,9007199254740992,1.8446744073709552e+19,0.5]");
    }

    #[test]
    fn a_repeated_member_is_named_with_its_place() {
        let damage = record(b"{\"list\": [{}, {\n\"a\": 1, \"\\u0061\": 2}]}").unwrap_err();
        assert_eq!(damage.message, "/list/1: member name \"a\" repeats, which I-JSON refuses");
        assert_eq!(damage.line, 2);
        let top = record(br#"{"a": 1, "a": 1}"#).unwrap_err();
        assert_eq!(top.message, "/: member name \"a\" repeats, which I-JSON refuses");
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["[1]", "1", "null", "", "{", "{} {}", "\u{feff}{}", "{\"a\": 1e999}", "{'a': 1}"] {
            assert!(record(text.as_bytes()).is_err(), "{text}");
        }
        assert!(record(b"{\"a\": \"\xff\"}").is_err());
        assert!(record(format!("{{\"a\": {}", "[".repeat(100_000)).as_bytes()).is_err());
    }

    #[test]
    fn members_go_with_their_space_and_one_comma() {
        let cut = |text: &str, names: &[&str]| without_members(text, names).into_owned();
        assert_eq!(
            cut("{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", &["b"]),
            "{\n  \"a\": 1,\n  \"c\": 3\n}\n"
        );
        assert_eq!(cut("{\n  \"a\": 1,\n  \"b\": 2\n}\n", &["a"]), "{\n  \"b\": 2\n}\n");
        assert_eq!(cut("{\n  \"a\": 1 ,\n  \"b\": [{}]\n}\n", &["b"]), "{\n  \"a\": 1\n}\n");
        assert_eq!(cut("{ \"a\": {\"a\": 1} }", &["a"]), "{ }");
        assert_eq!(cut("{\"x\": {\"a\": 1}, \"\\u0061\": 2, \"b\": 3}", &["a", "b"]), "{\"x\": {\"a\": 1}}");
        assert_eq!(cut("not json", &["a"]), "not json");
        assert_eq!(cut("[{\"a\": 1}]", &["a"]), "[{\"a\": 1}]");
    }
}
