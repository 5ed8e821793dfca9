//! Lists of words that a policy has, with what to write where it has one text instead.

use std::fmt;

use gate::words::commands;
use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};

/// A command, word by word.
pub(super) fn words<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let words = from.deserialize_any(List { expected: "a command as a list of words", instead: as_words })?;
    if words.is_empty() {
        return Err(D::Error::custom("a command has at least one word"));
    }
    Ok(words)
}

/// Patterns of paths.
pub(super) fn patterns<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let instead = |text: &str| format!("patterns are a list: write {}", list(&[text]));
    from.deserialize_any(List { expected: "a list of patterns", instead })
}

struct List<F> {
    expected: &'static str,
    instead: F,
}

impl<'de, F: Fn(&str) -> String> Visitor<'de> for List<F> {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(E::custom((self.instead)(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(list)
    }
}

fn as_words(text: &str) -> String {
    // Only what a shell would do nothing more to than to part it is the same without one.
    let is_plain = !text.contains(|letter: char| "|&;<>()$`\\*?[]{}~#!='\"\n".contains(letter));
    match commands(text).as_slice() {
        [words] if is_plain => {
            format!("a command is a list of words and not shell text: write {}", list(words))
        }
        _ => {
            let script = list(&["sh", "check.sh"]);
            format!(
                "a command is a list of words and not shell text: put that text into a script and write {script}"
            )
        }
    }
}

fn list(words: &[impl AsRef<str>]) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    serde_json::to_string(&words).unwrap_or_default()
}
