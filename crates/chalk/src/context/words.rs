//! Words that tell one text from another: what a criterion and a test, or a task and a part of the spec,
//! have in common. An approximation, and shown as one.

use std::collections::BTreeSet;

/// Words that every text has.
const COMMON: &[&str] = &[
    "about", "after", "all", "also", "and", "any", "are", "assert", "before", "but", "can", "does", "each",
    "equal", "every", "expect", "false", "for", "from", "function", "has", "have", "import", "into", "its",
    "its", "must", "not", "one", "only", "our", "should", "test", "than", "that", "the", "their", "then",
    "there", "they", "this", "true", "use", "was", "what", "when", "where", "which", "will", "with",
    "without", "you",
];

/// The words of a text, each once: in lower case, parts of `camelCase` and `snake_case` names apart, plural
/// and singular alike, common words left out.
pub(super) fn of(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        for part in humps(run) {
            let word = stem(&part.to_lowercase());
            let long_enough = if word.is_ascii() { word.len() >= 3 } else { word.chars().count() >= 2 };
            let number = word.len() >= 2 && word.chars().all(|c| c.is_ascii_digit());
            if (long_enough || number) && !COMMON.contains(&word.as_str()) {
                words.insert(word);
            }
        }
    }
    words
}

/// The parts of a name in camel case.
fn humps(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut before = ' ';
    for (at, c) in run.char_indices() {
        if c.is_uppercase() && before.is_lowercase() {
            parts.push(&run[start..at]);
            start = at;
        }
        before = c;
    }
    parts.push(&run[start..]);
    parts
}

/// The word without the `s` of a plural or of a verb.
fn stem(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() >= 3) {
        return format!("{stem}y");
    }
    let cut = word.strip_suffix('s').filter(|stem| stem.len() >= 3 && !stem.ends_with('s'));
    cut.unwrap_or(word).to_owned()
}

/// How many of `wanted` are in `found`.
pub(super) fn shared(wanted: &BTreeSet<String>, found: &BTreeSet<String>) -> usize {
    wanted.intersection(found).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        of(text).into_iter().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn names_and_prose_meet() {
        assert_eq!(joined("Rejects the emptyTitles of add_two()"), "add empty reject title two");
        assert_eq!(joined("queries a query, 42 times"), "42 query time");
        assert_eq!(joined("Größe 日本語 class"), "class größe 日本語");
        assert_eq!(joined("HTTPServer x"), "httpserver");
        assert_eq!(joined("1+2 is 3, not 404"), "404");
    }
}
