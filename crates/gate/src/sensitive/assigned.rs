//! Values of what is named like a credential: `password=...`, `"apiKey": "..."`, also in the middle of a sentence.

use super::is_placeholder;
use super::keys;

/// What stands where a value could, and is a word of the sentence or names how something is made.
const WORDS: [&str; 16] = [
    "true",
    "false",
    "null",
    "none",
    "nil",
    "yes",
    "no",
    "undefined",
    "sha1",
    "sha256",
    "sha512",
    "md5",
    "base64",
    "oauth2",
    "utf8",
    "self",
];

/// The credentials that a line assigns, by the byte at which each value begins and what it is.
pub(super) fn find(line: &str) -> Vec<(usize, String)> {
    let marks = line.match_indices([':', '=']);
    marks.filter_map(|(at, mark)| at_mark(line, at, mark == "=")).collect()
}

/// The credential that is assigned by the mark at byte `at`.
fn at_mark(line: &str, at: usize, is_equals: bool) -> Option<(usize, String)> {
    let (before, after) = (&line[..at], &line[at + 1..]);
    // `:=` is told at its second letter; `==`, `!=`, `=>` and `::` assign nothing.
    let before = before.strip_suffix(':').filter(|_| is_equals).unwrap_or(before);
    if before.ends_with(['=', '!', '<', '>', ':']) || after.starts_with(['=', '>', ':']) {
        return None;
    }
    let key = key(before.trim_end().trim_end_matches(['"', '\'', '`', '*']))?;
    if !keys::is_credential(key) {
        return None;
    }
    let value = after.trim_start();
    let start = line.len() - value.len();
    let is_close = is_equals && value.len() == after.len();
    let (inner, is_quoted) = literal(value);
    let is_real = if is_quoted {
        !inner.contains(char::is_whitespace) || inner.contains(|letter: char| letter.is_ascii_digit())
    } else {
        is_value(inner, key) && (is_close || is_strong(inner))
    };
    let stands_in = inner.is_empty()
        || WORDS.contains(&inner.to_lowercase().as_str())
        || is_placeholder(inner)
        || keys::is_reference(inner)
        || keys::is_elsewhere(inner) && !is_drawn(inner);
    (is_real && !stands_in).then(|| (start, format!("a literal value for {key}")))
}

/// The name that a text ends with.
fn key(text: &str) -> Option<&str> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let start = text
        .rfind(|letter| !is_part(letter))
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    (start < text.len()).then(|| &text[start..])
}

/// The text of a value, and whether it stands in quotes.
fn literal(value: &str) -> (&str, bool) {
    if let Some(quote) = value.chars().next().filter(|letter| matches!(letter, '"' | '\'' | '`'))
        && let Some((inner, _)) = value[1..].split_once(quote)
    {
        return (inner, true);
    }
    let ends =
        |letter: char| letter.is_whitespace() || matches!(letter, ',' | ';' | '&' | '"' | '\'' | '`' | ')');
    let bare = value.split(ends).next().unwrap_or_default();
    (bare.trim_end_matches(['.', ':', '!', '?', '*', '_']), false)
}

/// Whether a text without quotes is no expression: no call, no variable, no member of something.
fn is_value(text: &str, key: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_member = text.contains('.') && text.split('.').all(is_name);
    let names_itself = is_name(text) && keys::is_credential(text) || text.eq_ignore_ascii_case(key);
    text.len() >= 4 && !text.contains(['(', '[', '{', '<', '|', '*']) && !is_member && !names_itself
}

/// Whether capital letters are mixed with digits as in no variable's name.
fn is_drawn(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && text.bytes().filter(u8::is_ascii_digit).count() >= 2
}

/// Whether a text is no word: digits or signs among letters.
fn is_strong(text: &str) -> bool {
    let has = |is: fn(char) -> bool| text.chars().any(is);
    let letters = has(char::is_alphabetic);
    let signs = has(|letter| matches!(letter, '!' | '@' | '#' | '$' | '^' | '~' | '?' | '+'));
    text.len() >= 6 && letters && (has(|letter| letter.is_ascii_digit()) || signs)
}
