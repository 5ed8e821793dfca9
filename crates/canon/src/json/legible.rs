//! Strings that JavaScript cut in the middle of a character.

use std::borrow::Cow;

/// `text` with every half of a surrogate pair (`\ud83d` without its partner) replaced by `\ufffd`,
/// byte for byte as long as before.
///
/// JavaScript cuts strings between UTF-16 units and writes the half that is left as an escape. Such a
/// document is JSON, but no Rust string can hold that value. The original text keeps the half; only the
/// reading sees the replacement.
pub fn legible(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(offset) = text[at..].find('\\') {
        let start = at + offset;
        match unit(bytes, start) {
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, start + 6), Some(0xDC00..=0xDFFF)) => {
                at = start + 12;
            }
            Some(0xD800..=0xDFFF) => {
                let mended = mended.get_or_insert_with(|| bytes.to_vec());
                mended[start + 2..start + 6].copy_from_slice(b"fffd");
                at = start + 6;
            }
            Some(_) => at = start + 6,
            // Past the backslash and what it escapes, whole.
            None => at = start + 1 + text[start + 1..].chars().next().map_or(0, char::len_utf8),
        }
    }
    match mended.map(String::from_utf8) {
        Some(Ok(mended)) => Cow::Owned(mended),
        _ => Cow::Borrowed(text),
    }
}

/// The UTF-16 unit that the escape `\uXXXX` at `start` stands for.
fn unit(bytes: &[u8], start: usize) -> Option<u16> {
    let digits = bytes.get(start..start + 6)?.strip_prefix(b"\\u")?;
    // `from_str_radix` would take a sign.
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_replaced_in_place() {
        let text = r#"["cut \ud83d", "\uDE00 tail", "whole \ud83d\ude00", "\\ud83d", "\u00e9"]"#;
        let mended = legible(text);
        assert_eq!(mended.len(), text.len());
        let read: Vec<String> = serde_json::from_str(&mended).unwrap();
        assert_eq!(read, ["cut \u{fffd}", "\u{fffd} tail", "whole \u{1f600}", "\\ud83d", "é"]);
    }

    #[test]
    fn text_without_halves_is_borrowed() {
        assert!(matches!(legible(r#""plain \n \ud83d\ude00 \u+123 ends with \"#), Cow::Borrowed(_)));
    }
}
