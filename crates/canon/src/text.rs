//! Text that callers typed, made fit for a place that holds one line.

/// Folds `text` to one line: line breaks, tabs and other control characters become single spaces, and
/// the ends are trimmed.
///
/// A title that keeps its line breaks could forge a heading in `decisions.md` or a second line in a log.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        let word = word.trim_matches(' ');
        if !word.is_empty() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    line
}

/// Whether nothing but white space and invisible characters is left of `text`.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace() || c.is_control() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
    })
}

/// The longest prefix of `text` within `bytes` bytes that ends at a character.
pub fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// `text` cut to `chars` characters, the last one an ellipsis where something was cut.
pub fn clip(text: &str, chars: usize) -> String {
    if text.chars().count() <= chars {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(chars.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// A number of things: `1 record`, `2 records`.
pub fn counted(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_breaks_cannot_forge_a_second_line() {
        assert_eq!(one_line(" a\r\n\n## Released v9\t\u{1b}[31m b "), "a ## Released v9 [31m b");
        assert_eq!(one_line("keeps  inner  spaces"), "keeps  inner  spaces");
        assert_eq!(one_line("\u{2028}x\u{2029}"), "x");
    }

    #[test]
    fn blank_sees_through_invisible_characters() {
        assert!(is_blank(" \t\u{200b}\u{feff}"));
        assert!(!is_blank(" x "));
    }

    #[test]
    fn cuts_fall_between_characters() {
        assert_eq!(prefix("aé", 2), "a");
        assert_eq!(clip("größe", 4), "grö…");
        assert_eq!(clip("größe", 5), "größe");
    }
}
