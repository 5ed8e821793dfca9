//! Credentials and personal data in text that is about to be kept.
//!
//! [`scan`] is asked of whatever goes into a store that others read. A credential has a well-known shape, or is the
//! value of something that is named like one; hashes, ids and placeholders are none. Personal data is named as well, for
//! whoever decides on it. What is found is named, and never shown.
//!
//! [`shapes`], [`keys`] and [`lines`] are what the search is made of, for a protocol that publishes rules of its own.

mod assigned;
mod folded;
pub mod keys;
pub mod lines;
mod personal;
pub mod shapes;
mod tokens;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use folded::Folded;

/// What kind of text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// It lets whoever has it in; it is kept nowhere.
    Secret,
    /// It tells of a person.
    Personal,
}

/// Something that was found, by what it is and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sensitive {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What kind of text it is.
    pub class: Class,
    /// What it is, as in "a GitHub token".
    pub what: String,
}

/// Everything in `text` that is a credential or personal data, in the order of the text. Characters that show nothing, and
/// other forms of a letter, hide nothing.
pub fn scan(text: &str) -> Vec<Sensitive> {
    let mut found = scan_as_it_is(text);
    if let Some(folded) = Folded::of(text) {
        for hidden in scan_as_it_is(&folded.text) {
            let is_known = |known: &Sensitive| {
                (known.line, known.class, &known.what) == (hidden.line, hidden.class, &hidden.what)
            };
            if !found.iter().any(is_known) {
                let column = folded.column(hidden.line, hidden.column);
                found.insert(Sensitive { column, ..hidden });
            }
        }
    }
    found.into_iter().collect()
}

fn scan_as_it_is(text: &str) -> BTreeSet<Sensitive> {
    let mut found = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let mut add = |class, (at, what): (usize, String)| {
            found.insert(Sensitive { line: index + 1, column: at + 1, class, what });
        };
        for secret in tokens::find(line).into_iter().chain(assigned::find(line)) {
            add(Class::Secret, secret);
        }
        for personal in personal::find(line) {
            add(Class::Personal, personal);
        }
    }
    for (line, column) in tokens::private_keys(text) {
        found.insert(Sensitive { line, column, class: Class::Secret, what: "a private key".to_owned() });
    }
    found
}

/// Whether a value only stands for one: `<token>`, `xxxx`, `your-key`, `...`.
fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 14] = [
        "xxxx",
        "****",
        "....",
        "your",
        "placeholder",
        "redacted",
        "changeme",
        "change-me",
        "change_me",
        "dummy",
        "example",
        "sample",
        "insert",
        "hidden",
    ];
    let value = value.trim();
    let lower = value.to_lowercase();
    let in_brackets =
        value.starts_with(['<', '{', '[', '(', '%', '$']) || value.ends_with('>') || value.contains('…');
    let is_one_letter = value.chars().all(|letter| value.starts_with(letter));
    in_brackets || is_one_letter || lower == "..." || WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests;
