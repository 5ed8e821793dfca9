//! Lines and columns.

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in UTF-16 code units, from 1, as editors and the tools that read our documents count.
    pub column: usize,
}

/// Where the lines of a text begin, and what its columns need.
#[derive(Debug, Clone)]
pub(super) struct Lines {
    starts: Vec<usize>,
    /// For each character of more than one byte, where it ends and by how much the columns behind it are smaller than
    /// bytes, counted from the start of the text.
    wide: Vec<(usize, usize)>,
}

impl Lines {
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        let mut wide = Vec::new();
        if !text.is_ascii() {
            let mut less = 0;
            for (at, char) in text.char_indices().filter(|(_, char)| !char.is_ascii()) {
                less += char.len_utf8() - char.len_utf16();
                wide.push((at + char.len_utf8(), less));
            }
        }
        Self { starts, wide }
    }

    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|&start| start <= offset).max(1);
        let start = self.starts[line - 1];
        let less = self.less(offset) - self.less(start);
        Position { line, column: (offset - start).saturating_sub(less) + 1 }
    }

    fn less(&self, offset: usize) -> usize {
        let behind = self.wide.partition_point(|&(end, _)| end <= offset);
        behind.checked_sub(1).map_or(0, |index| self.wide[index].1)
    }
}
