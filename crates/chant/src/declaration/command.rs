//! A command line as words, without a shell.

/// The words of a command line; none where a quote or a backslash is left open.
///
/// Words are parted by white space. Text in single quotes stands for itself; in double quotes a backslash keeps the
/// character behind it, and outside of quotes as well.
pub fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), _) if char == open => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, '"' | '\'') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (None, _) if char.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_keep_words_together() {
        let cases: [(&str, &[&str]); 5] = [
            ("a  b\tc", &["a", "b", "c"]),
            ("a 'b \" c' \"d ' \\\" e\"", &["a", "b \" c", "d ' \" e"]),
            ("a\\ b '\\'", &["a b", "\\"]),
            ("'' x\"y\"z", &["", "xyz"]),
            ("$HOME `a`; b", &["$HOME", "`a`;", "b"]),
        ];
        for (line, expected) in cases {
            assert_eq!(words(line).unwrap(), expected, "{line}");
        }
        for line in ["'a", "\"a", "a\\"] {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
