//! The end of a log, made safe to show.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The last `lines` lines of a file, at most its last `max_bytes` bytes, for people.
///
/// Bytes that are no UTF-8 become U+FFFD. Terminal escapes, control characters and characters that
/// turn the direction of writing are left out, tabs become spaces, of a line that was rewritten with
/// carriage returns the last state stays, and blank lines at the end don't count. A first line that
/// the byte limit cuts is left out when there is another one.
pub fn tail(path: &Path, lines: usize, max_bytes: u64) -> io::Result<Vec<String>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    let start = length.saturating_sub(max_bytes);
    // One byte more tells whether the limit falls between two lines.
    file.seek(SeekFrom::Start(start.saturating_sub(1)))?;
    let mut bytes = Vec::new();
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(last_lines(&bytes, lines, start > 0))
}

/// The lines of `bytes`; when it is `cut`, its first byte is the one before the limit.
fn last_lines(mut bytes: &[u8], lines: usize, cut: bool) -> Vec<String> {
    if cut {
        let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let end = body.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        bytes = bytes.get(end + 1..).unwrap_or_default();
    }
    let text = plain(&String::from_utf8_lossy(bytes));
    let mut all: Vec<&str> = text.split('\n').map(last_state).collect();
    while all.last().is_some_and(|line| line.trim().is_empty()) {
        all.pop();
    }
    all[all.len().saturating_sub(lines)..].iter().map(|line| line.trim_end().to_owned()).collect()
}

/// What a terminal would show of a line in the end: the text after the last carriage return that is
/// followed by any.
fn last_state(line: &str) -> &str {
    line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default()
}

/// `text` without terminal escapes and control characters, except line feeds and carriage returns.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next_if(|next| ('\u{20}'..='\u{7e}').contains(next)) {
                Some('[') => skip_sequence(&mut chars),
                Some(']' | 'P' | 'X' | '^' | '_') => skip_string(&mut chars),
                // An escape of several characters: the last of them is no space or punctuation.
                Some(' '..='/') => {
                    while chars.next_if(|next| (' '..='/').contains(next)).is_some() {}
                    chars.next_if(|next| ('0'..='~').contains(next));
                }
                Some(_) | None => {}
            },
            '\u{9b}' => skip_sequence(&mut chars),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => skip_string(&mut chars),
            '\n' | '\r' => out.push(c),
            '\t' => out.push_str("    "),
            c if c.is_control() || turns(c) => {}
            c => out.push(c),
        }
    }
    out
}

/// Skips the parameters and the final letter of `ESC [`.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars>) {
    while chars.next_if(|c| (' '..='?').contains(c)).is_some() {}
    chars.next_if(|c| ('@'..='~').contains(c));
}

/// Skips the text of a title, a hyperlink or the like up to its end: BEL, `ESC \` or ST. It doesn't
/// go beyond the line, else an unfinished one would hide the rest of the log.
fn skip_string(chars: &mut std::iter::Peekable<std::str::Chars>) {
    while let Some(c) = chars.next_if(|&c| c != '\n') {
        match c {
            '\u{7}' | '\u{9c}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

/// Whether `c` is a mark that makes a line read otherwise than it is written.
fn turns(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        last_lines(text.as_bytes(), 10, false)
    }

    #[test]
    fn the_last_lines_without_blank_ones_at_the_end() {
        assert_eq!(last_lines(b"a\n\nb\nc\n\n \n", 3, false), ["", "b", "c"]);
        assert_eq!(last_lines(b"a\nb", 5, false), ["a", "b"]);
        assert_eq!(last_lines(b"", 5, false), [""; 0]);
        assert_eq!(last_lines(b"a\nb\n", 0, false), [""; 0]);
    }

    #[test]
    fn escapes_and_controls_are_gone() {
        assert_eq!(lines("\u{1b}[1;31mFAIL\u{1b}[0m\u{7} x\u{0}y\tz"), ["FAIL xy    z"]);
        assert_eq!(lines("\u{1b}]0;title\u{7}a\u{1b}]8;;http://x\u{1b}\\b\u{1b}(Bc\u{9b}2Jd"), ["abcd"]);
        assert_eq!(lines("a\u{1b}]0;unfinished\nb"), ["a", "b"]);
        assert_eq!(lines("a\u{202e}b\u{1b}"), ["ab"]);
        assert_eq!(lines("\u{1b}[\u{1b}[31mx"), ["x"]);
    }

    #[test]
    fn a_rewritten_line_shows_its_last_state() {
        assert_eq!(lines("10%\r50%\r100%\r\nok\r\n"), ["100%", "ok"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_marked() {
        assert_eq!(last_lines(b"a\xffb\n", 1, false), ["a\u{fffd}b"]);
    }

    #[test]
    fn the_byte_limit_drops_a_cut_line_but_not_the_only_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, "first line\nsecond\nthird\n").unwrap();
        assert_eq!(tail(&path, 9, 15).unwrap(), ["second", "third"]);
        assert_eq!(tail(&path, 9, 13).unwrap(), ["second", "third"]);
        assert_eq!(tail(&path, 9, 12).unwrap(), ["third"]);
        assert_eq!(tail(&path, 9, 8).unwrap(), ["third"]);
        assert_eq!(tail(&path, 9, 4).unwrap(), ["ird"]);
        assert_eq!(tail(&path, 1, 1000).unwrap(), ["third"]);
    }
}
