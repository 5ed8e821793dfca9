//! The managed block of a program inside a file that otherwise belongs to the user.
//!
//! Several programs may have a block each in one file; what stands in the block of another is text like the user's.
//!
//! Markers count only where they stand on a line of their own, outside code fences: a document may quote
//! them. A pair that isn't exactly one begin and one end after it is damaged, and a damaged file is left
//! alone, since any guess at where the block ends could take the user's text with it.

use std::ops::Range;

/// The two lines around the block of one program.
#[derive(Debug, Clone, Copy)]
pub struct Markers {
    /// The word that the markers begin with, as in `chalk` for `chalk:begin`.
    pub name: &'static str,
    /// What the begin marker says in brackets.
    pub note: &'static str,
}

/// Why a file is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damaged {
    /// The line of the marker that is wrong, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Markers {
    /// The first line of the block.
    pub fn begin(&self) -> String {
        format!("<!-- {}:begin ({}) -->", self.name, self.note)
    }

    /// The last line of the block.
    pub fn end(&self) -> String {
        format!("<!-- {}:end -->", self.name)
    }

    /// `file` with `block` in it: in the place of the block that it has, otherwise at its end.
    ///
    /// `block` has its lines without markers and ends with a line end. Line ends of the result are those of
    /// the text around the block. Doing it twice is doing it once.
    ///
    /// # Errors
    /// The markers that the file has are not one pair.
    pub fn splice(&self, file: &[u8], block: &str) -> Result<Vec<u8>, Damaged> {
        let lines = lines(file);
        let block = |crlf: bool| {
            let text = format!("{}\n{block}{}", self.begin(), self.end());
            if crlf { text.replace('\n', "\r\n") } else { text }
        };
        if let Some((begin, end)) = self.lines(file, &lines)? {
            let around = lines[..begin].iter().chain(&lines[end + 1..]).chain(&lines[begin..=end]);
            let crlf = around.filter(|line| line.ended()).map(|line| line.crlf(file)).next().unwrap_or(false);
            let after = lines[end].start + file[lines[end].text()].trim_ascii_end().len();
            return Ok([&file[..lines[begin].start], block(crlf).as_bytes(), &file[after..]].concat());
        }
        let crlf = lines.iter().find(|line| line.ended()).is_some_and(|line| line.crlf(file));
        let newline = if crlf { "\r\n" } else { "\n" };
        let mut kept = file;
        while let Some(rest) = kept.strip_suffix(b"\n") {
            kept = rest.strip_suffix(b"\r").unwrap_or(rest);
        }
        let gap = if without_mark(file).trim_ascii().is_empty() { String::new() } else { newline.repeat(2) };
        let kept = if gap.is_empty() { &file[..file.len() - without_mark(file).len()] } else { kept };
        Ok([kept, gap.as_bytes(), block(crlf).as_bytes(), newline.as_bytes()].concat())
    }

    /// The bytes of the block that `file` has, from the begin marker to the end marker.
    ///
    /// # Errors
    /// The markers that the file has are not one pair.
    pub fn find(&self, file: &[u8]) -> Result<Option<Range<usize>>, Damaged> {
        let lines = lines(file);
        let found = self.lines(file, &lines)?;
        Ok(found.map(|(begin, end)| {
            let after = lines[end].start + file[lines[end].text()].trim_ascii_end().len();
            lines[begin].start..after
        }))
    }

    /// The lines of the begin and the end marker; none in a file without a block.
    fn lines(&self, file: &[u8], lines: &[Line]) -> Result<Option<(usize, usize)>, Damaged> {
        let damaged = |index: usize, what: String| Damaged { line: index + 1, what };
        let mut begin = None;
        let mut end = None;
        for (index, found) in self.markers(file, lines) {
            match (found, begin, end) {
                (Marker::Begin, None, _) => begin = Some(index),
                (Marker::End, Some(_), None) => end = Some(index),
                (Marker::Begin, Some(first), _) => {
                    let what = format!("a second block begins; the first begins in line {}", first + 1);
                    return Err(damaged(index, what));
                }
                (Marker::End, None, _) => {
                    return Err(damaged(index, "a block ends that never began".to_owned()));
                }
                (Marker::End, Some(_), Some(first)) => {
                    let what =
                        format!("the block ends a second time; it ended in line {} already", first + 1);
                    return Err(damaged(index, what));
                }
            }
        }
        match (begin, end) {
            (Some(begin), Some(end)) => Ok(Some((begin, end))),
            (Some(begin), None) => Err(damaged(begin, "a block begins that never ends".to_owned())),
            (None, _) => Ok(None),
        }
    }

    /// The markers outside code fences, by line. A fence that is never closed hides nothing: the block that an
    /// earlier run appended behind it must be found again.
    fn markers(&self, file: &[u8], lines: &[Line]) -> Vec<(usize, Marker)> {
        // For each line, the longest closing fence of either kind from there on.
        let mut longest = vec![[0; 2]; lines.len() + 1];
        for (index, line) in lines.iter().enumerate().rev() {
            longest[index] = longest[index + 1];
            if let Some(fence) = fence(&file[line.text()])
                && fence.bare
            {
                let longest = &mut longest[index][usize::from(fence.tilde)];
                *longest = fence.length.max(*longest);
            }
        }
        let mut found = Vec::new();
        let mut open: Option<Fence> = None;
        for (index, line) in lines.iter().enumerate() {
            let text = &file[line.text()];
            let here = fence(text);
            if let Some(opened) = open {
                if here.is_some_and(|here| here.closes(opened)) {
                    open = None;
                }
            } else if let Some(here) = here
                && longest[index + 1][usize::from(here.tilde)] >= here.length
            {
                open = Some(here);
            } else if let Some(marker) = self.marker(text) {
                found.push((index, marker));
            }
        }
        found
    }

    /// Which marker a line is. The words in brackets of the begin marker may be those of another release.
    fn marker(&self, text: &[u8]) -> Option<Marker> {
        let text = without_indent(text)?.trim_ascii_end();
        let inner = text.strip_prefix(b"<!--")?.strip_suffix(b"-->")?;
        if inner.windows(3).any(|window| window == b"-->") {
            return None;
        }
        let word = inner.trim_ascii().split(u8::is_ascii_whitespace).next()?;
        match word.strip_prefix(self.name.as_bytes())? {
            b":begin" => Some(Marker::Begin),
            b":end" => Some(Marker::End),
            _ => None,
        }
    }
}

/// A line of a file.
#[derive(Debug, Clone, Copy)]
struct Line {
    /// Where its text begins: after the byte order mark in the first line.
    start: usize,
    /// Where its text ends, a carriage return included.
    end: usize,
    /// The file's length, so that the last line knows that it has no line end.
    file: usize,
}

impl Line {
    fn text(self) -> Range<usize> {
        self.start..self.end
    }

    fn ended(self) -> bool {
        self.end < self.file
    }

    fn crlf(self, file: &[u8]) -> bool {
        file[self.text()].ends_with(b"\r")
    }
}

fn without_mark(file: &[u8]) -> &[u8] {
    file.strip_prefix("\u{feff}".as_bytes()).unwrap_or(file)
}

fn lines(file: &[u8]) -> Vec<Line> {
    let mut start = file.len() - without_mark(file).len();
    let mut lines = Vec::new();
    for text in without_mark(file).split(|&byte| byte == b'\n') {
        lines.push(Line { start, end: start + text.len(), file: file.len() });
        start += text.len() + 1;
    }
    lines
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marker {
    Begin,
    End,
}

/// The text of a line that is not indented as code is.
fn without_indent(text: &[u8]) -> Option<&[u8]> {
    let indent = text.iter().take_while(|&&byte| byte == b' ').count();
    (indent < 4).then(|| &text[indent..])
}

/// A line of three or more backticks or tildes.
#[derive(Debug, Clone, Copy)]
struct Fence {
    tilde: bool,
    length: usize,
    /// Nothing stands behind it, so that it can close one.
    bare: bool,
}

impl Fence {
    fn closes(self, opened: Self) -> bool {
        self.bare && self.tilde == opened.tilde && self.length >= opened.length
    }
}

fn fence(text: &[u8]) -> Option<Fence> {
    let text = without_indent(text)?;
    let mark = *text.first().filter(|&&byte| byte == b'`' || byte == b'~')?;
    let length = text.iter().take_while(|&&byte| byte == mark).count();
    let rest = &text[length..];
    // Backticks behind backticks are code within a line.
    if length < 3 || (mark == b'`' && rest.contains(&b'`')) {
        return None;
    }
    Some(Fence { tilde: mark == b'~', length, bare: rest.trim_ascii().is_empty() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CHALK: Markers =
        Markers { name: "chalk", note: "managed by `chalk agents` — edits inside are overwritten" };
    const BEGIN: &str = "<!-- chalk:begin (managed by `chalk agents` — edits inside are overwritten) -->";
    const END: &str = "<!-- chalk:end -->";

    fn splice(file: &[u8], block: &str) -> Result<Vec<u8>, Damaged> {
        CHALK.splice(file, block)
    }

    fn spliced(file: &str) -> String {
        let once = splice(file.as_bytes(), "text\n").unwrap();
        assert_eq!(splice(&once, "text\n").unwrap(), once, "a second run changes {file:?}");
        String::from_utf8(once).unwrap()
    }

    fn block(newline: &str) -> String {
        [BEGIN, "text", END].join(newline)
    }

    #[test]
    fn a_new_block_stands_after_one_empty_line() {
        assert_eq!(spliced(""), format!("{}\n", block("\n")));
        assert_eq!(spliced(" \n\n"), format!("{}\n", block("\n")));
        for end in ["", "\n", "\n\n\n"] {
            assert_eq!(spliced(&format!("# Mine{end}")), format!("# Mine\n\n{}\n", block("\n")));
        }
    }

    #[test]
    fn a_block_is_replaced_and_every_byte_around_it_stays() {
        let file = format!("\n a \n{BEGIN}\nold\n\nolder\n{END}  \n\n\nb\u{0}\nno line end");
        assert_eq!(spliced(&file), format!("\n a \n{}  \n\n\nb\u{0}\nno line end", block("\n")));
        assert_eq!(spliced(&format!("{BEGIN}\n{END}")), block("\n"));
    }

    #[test]
    fn a_block_of_another_release_is_refreshed_in_place() {
        let file = "<!-- chalk:begin (by some other words) -->\nold\n<!--chalk:end-->\nmine\n";
        assert_eq!(spliced(file), format!("{}\nmine\n", block("\n")));
    }

    #[test]
    fn crlf_files_stay_crlf() {
        assert_eq!(spliced("# Mine\r\n"), format!("# Mine\r\n\r\n{}\r\n", block("\r\n")));
        let file = format!("a\r\n{}\r\nb\r\n", block("\r\n"));
        assert_eq!(spliced(&file), file);
        // An implementation that knew no CRLF left its block behind.
        assert_eq!(spliced(&format!("a\r\n{}\r\nb\r\n", block("\n"))), file);
        assert_eq!(spliced(&block("\r\n")), block("\r\n"));
    }

    #[test]
    fn a_byte_order_mark_stays_at_the_beginning() {
        assert_eq!(spliced("\u{feff}"), format!("\u{feff}{}\n", block("\n")));
        assert_eq!(spliced(&format!("\u{feff}{BEGIN}\nold\n{END}\n")), format!("\u{feff}{}\n", block("\n")));
    }

    #[test]
    fn text_that_is_not_utf8_is_kept() {
        let file = b"\xff\xfe mine\n";
        let once = splice(file, "text\n").unwrap();
        assert!(once.starts_with(b"\xff\xfe mine\n\n<!-- chalk:begin"));
        assert_eq!(splice(&once, "text\n").unwrap(), once);
    }

    #[test]
    fn stray_markers_delete_nothing() {
        let refused = |file: &str| splice(file.as_bytes(), "text\n").unwrap_err();
        let damaged = refused(&format!("mine\n{BEGIN}\nmine\n"));
        assert_eq!((damaged.line, damaged.what.as_str()), (2, "a block begins that never ends"));
        let damaged = refused(&format!("mine\n{END}\n{BEGIN}\n"));
        assert_eq!((damaged.line, damaged.what.as_str()), (2, "a block ends that never began"));
        // What a run over a stray begin marker left: the second begin is not the block's.
        let damaged = refused(&format!("{BEGIN}\nmine\n{}\n", block("\n")));
        assert_eq!(damaged.line, 3);
        assert_eq!(damaged.what, "a second block begins; the first begins in line 1");
        let damaged = refused(&format!("{}\nmine\n{}\n", block("\n"), block("\n")));
        assert_eq!(damaged.line, 5);
        let damaged = refused(&format!("{}\nmine\n{END}\n", block("\n")));
        assert_eq!(damaged.what, "the block ends a second time; it ended in line 3 already");
    }

    #[test]
    fn markers_that_are_quoted_are_text() {
        for quoted in [
            format!("```md\n{BEGIN}\n```\n"),
            format!("~~~\n{BEGIN}\n```\n{END}\n~~~\n"),
            format!("````\n```\n{END}\n```\n````\n"),
            format!("see `{BEGIN}` for it\n"),
            format!("    {BEGIN}\n"),
            format!("{BEGIN} and {END}\n"),
            "<!-- chalk:beginning -->\n".to_owned(),
        ] {
            assert_eq!(spliced(&quoted), format!("{quoted}\n{}\n", block("\n")), "{quoted}");
        }
    }

    #[test]
    fn a_fence_that_never_closes_does_not_double_the_block() {
        let file = format!("```\nmine\n\n{}\n", block("\n"));
        assert_eq!(spliced(&file), file);
        let file = format!("```sh\n~~~\nmine\n\n{}\n", block("\n"));
        assert_eq!(spliced(&file), file);
    }

    #[test]
    fn the_block_of_another_program_is_text() {
        let other = Markers { name: "chalk-notes", note: "x" };
        let both = other.splice(format!("# Mine\n\n{}\n", block("\n")).as_bytes(), "theirs\n").unwrap();
        let found = CHALK.find(&both).unwrap().unwrap();
        assert_eq!(&both[found], block("\n").as_bytes());
        assert_eq!(splice(&both, "text\n").unwrap(), both);
        assert_eq!(other.splice(&both, "theirs\n").unwrap(), both);
        assert_eq!(CHALK.find(b"# Mine\n").unwrap(), None);
    }

    proptest! {
        /// A file with a block keeps every byte before and behind it, whatever the block becomes.
        #[test]
        fn bytes_outside_of_the_block_are_unchanged(
            before in "([ -~\u{e9}\r]{0,12}\n){0,4}", after in "(\n|\r\n)([ -~\u{e9}]{0,12}\r?\n){0,4}",
            old in "([a-z ]{0,8}\n){0,3}", new in "([a-z ]{0,8}\n){0,3}",
        ) {
            let file = format!("{before}{BEGIN}\n{old}{END}{after}");
            if let Ok(Some(found)) = CHALK.find(file.as_bytes()) {
                let spliced = splice(file.as_bytes(), &new).unwrap();
                let there = CHALK.find(&spliced).unwrap().unwrap();
                prop_assert_eq!(&spliced[..there.start], &file.as_bytes()[..found.start]);
                prop_assert_eq!(&spliced[there.end..], &file.as_bytes()[found.end..]);
                prop_assert_eq!(splice(&spliced, &new).unwrap(), spliced);
            }
        }

        #[test]
        fn any_file_is_spliced_once_or_left_alone(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just(BEGIN.to_owned()), Just(END.to_owned()), Just("```".to_owned()), Just("~~~~".to_owned()),
                    Just("\u{feff}".to_owned()), Just("\r\n".to_owned()), Just("\n".to_owned()), "[ a-z`]{0,6}",
                ],
                0..24,
            )
        ) {
            let file = parts.concat();
            if let Ok(once) = splice(file.as_bytes(), "text\n") {
                prop_assert_eq!(splice(&once, "text\n").unwrap(), once.clone());
                // Nothing of the user's is gone but what stood between the markers or line ends at the end.
                let text = String::from_utf8(once).unwrap();
                let (before, rest) = text.split_once(BEGIN).unwrap();
                if !file.contains(BEGIN) {
                    let kept = before.trim_end().ends_with(file.trim_start_matches('\u{feff}').trim_end());
                    prop_assert!(kept);
                    let last = rest.trim_end_matches(['\r', '\n']);
                    prop_assert_eq!(&last[last.len() - END.len()..], END);
                }
            }
        }
    }
}
