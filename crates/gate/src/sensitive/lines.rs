//! Assignments in files that are read line by line.

use super::keys;

/// Words before a key that are no part of it.
const BEFORE: [&str; 5] = ["export ", "set ", "ENV ", "ARG ", "- "];

/// Values that say that there is none.
const NOTHING: [&str; 7] = ["true", "false", "null", "none", "~", "yes", "no"];

/// The secret that a line assigns, as `KEY=value` or `key: value`, by the byte at which the value begins and what it is.
/// A value without quotes counts where `bare` says so: elsewhere it is an expression.
pub fn assigned(line: &str, bare: bool) -> Option<(usize, String)> {
    let mut rest = line.trim_start();
    while let Some(inner) = BEFORE.iter().find_map(|word| rest.strip_prefix(word)) {
        rest = inner.trim_start();
    }
    let (key, value) = split(rest)?;
    if !keys::is_credential(key) {
        return None;
    }
    let value = value.trim_start();
    let at = line.len() - value.len();
    let (inner, is_quoted) = literal(value)?;
    let is_value = is_quoted || bare && is_bare(inner);
    if !is_value || keys::is_reference(inner) || keys::is_elsewhere(inner) {
        return None;
    }
    Some((at, format!("a literal value for {key}")))
}

/// The key, with or without quotes, and what stands behind `=` or `:`.
fn split(text: &str) -> Option<(&str, &str)> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let (key, rest) = match text.chars().next().filter(|letter| matches!(letter, '"' | '\'')) {
        Some(quote) => text[1..].split_once(quote)?,
        None => text.split_at(text.find(|letter| !is_part(letter))?),
    };
    let rest = rest.trim_start();
    // `:=` assigns in some languages, and `==` compares in all of them.
    let value =
        rest.strip_prefix(":=").or_else(|| rest.strip_prefix(':')).or_else(|| rest.strip_prefix('='))?;
    (!value.starts_with('=')).then_some((key, value))
}

/// The text of a value that ends its line but for a separator and a comment; whether it stands in quotes.
fn literal(value: &str) -> Option<(&str, bool)> {
    let quote = value.chars().next().filter(|letter| matches!(letter, '"' | '\''));
    let (inner, rest) = match quote {
        Some(quote) => value[1..].split_once(quote)?,
        None => value.split_at(value.find(|c: char| c.is_whitespace() || c == '#').unwrap_or(value.len())),
    };
    let rest = rest.trim_start().trim_start_matches([',', ';']).trim_start();
    let ends = rest.is_empty() || rest.starts_with('#') || rest.starts_with("//");
    ends.then_some((inner, quote.is_some()))
}

/// Whether a text without quotes is a value and no markup of the file.
fn is_bare(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !NOTHING.contains(&lower.as_str())
        && !text.starts_with(['|', '>', '[', '{', '&', '*', '!', '<', '('])
        && !text.contains(['"', '\''])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_assigns_a_secret() {
        for (line, at) in [
            ("API_KEY=hunter2", 8),
            ("  export GITHUB_TOKEN=hunter2 # mine", 22),
            ("password: hunter2", 10),
            ("- password: \"two words\"", 12),
            ("'db-password': 'hunter2',", 15),
            ("ENV DB_PASSWORD=hunter2", 16),
            ("token := \"hunter2\";", 9),
        ] {
            let found = assigned(line, true).map(|(at, _)| at);
            assert_eq!(found, Some(at), "{line}");
        }
        for line in [
            "API_KEY=${KEY}",
            "API_KEY=$KEY",
            "API_KEY=",
            "API_KEY=\"\"",
            "TOKEN_FILE=/run/token",
            "token: /run/token",
            "token: op://vault/item",
            "token: '{{ token }}'",
            "token: true",
            "token: |",
            "token: see the manual",
            "token == \"hunter2\"",
            "name: hunter2",
            "a sentence about a password: hunter2",
            "",
        ] {
            assert_eq!(assigned(line, true), None, "{line}");
        }
        assert_eq!(assigned("token = get_token()", false), None);
        assert!(assigned("token = 'hunter2'", false).is_some());
    }
}
