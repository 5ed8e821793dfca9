//! The bytes: UTF-8 and ASCII (SFS-004, SFS-005).

use super::finding::{Check, Findings};

/// Checks the bytes, and gives the text on which the other checks work: line ends are LF, a byte order mark is left
/// out, and each byte that is not UTF-8 is a question mark.
pub(super) fn check(bytes: &[u8], found: &mut Findings) -> String {
    let marks: &[u8] = "\u{feff}".as_bytes();
    let content = bytes.strip_prefix(marks).unwrap_or(bytes);
    if content.len() < bytes.len() {
        let cure = "save the file as UTF-8 without a byte order mark";
        found.error_at(Check::Encoding, (1, 1), "a byte order mark stands at the beginning", cure);
    }
    let text = decoded(content, found);
    controls(&text, found);
    let text = canon::front_matter::to_lf(&text).into_owned();
    ascii(&text, found);
    text
}

fn decoded(bytes: &[u8], found: &mut Findings) -> String {
    let mut text = String::with_capacity(bytes.len());
    let mut bad = None;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        if let Some(&first) = chunk.invalid().first() {
            bad.get_or_insert((text.len(), first));
            text.extend(chunk.invalid().iter().map(|_| '?'));
        }
    }
    if let Some((at, byte)) = bad {
        let message = format!("the byte 0x{byte:02x} is not UTF-8");
        found.error_at(Check::Encoding, place(&text, at), message, "save the file as UTF-8");
    }
    text
}

/// The first CR and the first NUL, each with how often it stands there.
fn controls(text: &str, found: &mut Findings) {
    let kinds = [
        ('\r', "CR", "end lines with LF alone"),
        ('\0', "NUL", "take the byte out; the file may not be text at all"),
    ];
    for (control, name, cure) in kinds {
        let Some(at) = text.find(control) else { continue };
        let times = text.matches(control).count();
        let message = match times {
            1 => format!("a {name} stands in the text"),
            _ => format!("{times} {name} stand in the text, the first here"),
        };
        found.error_at(Check::Encoding, place(text, at), message, cure);
    }
}

/// The line and column of a byte, where lines end with LF, CRLF or CR.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = canon::front_matter::to_lf(&text[..at]).into_owned();
    let line = before.matches('\n').count() + 1;
    (line, before.rsplit('\n').next().map_or(0, str::len) + 1)
}

fn ascii(text: &str, found: &mut Findings) {
    for (number, line) in text.split('\n').enumerate() {
        let mut foreign = line.char_indices().filter(|(_, c)| !c.is_ascii());
        let Some((at, first)) = foreign.next() else { continue };
        let more = foreign.count();
        let code = u32::from(first);
        let message = match more {
            0 => format!("U+{code:04X} is not ASCII"),
            _ => format!("{} characters are not ASCII, the first is U+{code:04X}", more + 1),
        };
        let cure = plain(first).map_or_else(
            || "write it in ASCII, or name the character".to_owned(),
            |plain| format!("write `{plain}`"),
        );
        found.error_at(Check::Ascii, (number + 1, at + 1), message, cure);
    }
}

/// What is written for a character that word processors put in.
fn plain(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2010}'..='\u{2015}' | '\u{2022}' | '\u{2212}' => "-",
        '\u{2018}' | '\u{2019}' => "'",
        '\u{201c}' | '\u{201d}' => "\"",
        '\u{2026}' => "...",
        '\u{a0}' | '\u{202f}' | '\u{2009}' => " ",
        '\u{a7}' => "sec",
        '\u{d7}' => "x",
        '\u{2190}' => "<-",
        '\u{2192}' => "->",
        '\u{21d2}' => "=>",
        '\u{2264}' => "<=",
        '\u{2265}' => ">=",
        '\u{2260}' => "!=",
        _ => return None,
    })
}
