//! Cutting hunks to the text that a file, and all files together, may have.

use store::git;

use super::document::{Hunk, Limits};

/// What is left for the files that follow.
pub(super) struct Budget {
    file: u64,
    left: u64,
}

/// A file's text, cut.
pub(super) struct Cut {
    /// The bytes before cutting.
    pub(super) bytes: u64,
    pub(super) hunks: Vec<Hunk>,
    pub(super) truncated: bool,
}

impl Budget {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { file: limits.file_bytes, left: limits.total_bytes }
    }

    /// Keeps whole hunks, and of the first that doesn't fit the lines that do.
    pub(super) fn cut(&mut self, hunks: &[git::Hunk]) -> Cut {
        let bytes = hunks.iter().map(size).sum();
        let mut room = self.file.min(self.left);
        let mut kept = Vec::new();
        for hunk in hunks {
            if size(hunk) <= room {
                room -= size(hunk);
                self.left -= size(hunk);
                kept.push(keep(hunk, hunk.lines.len()));
                continue;
            }
            let mut used = line(&hunk.header);
            let mut count = 0;
            for text in &hunk.lines {
                if used + line(text) > room {
                    break;
                }
                used += line(text);
                count += 1;
            }
            if count > 0 {
                self.left -= used;
                kept.push(keep(hunk, count));
            }
            return Cut { bytes, hunks: kept, truncated: true };
        }
        Cut { bytes, hunks: kept, truncated: false }
    }
}

/// The bytes of a line with its line end.
fn line(text: &[u8]) -> u64 {
    text.len() as u64 + 1
}

fn size(hunk: &git::Hunk) -> u64 {
    line(&hunk.header) + hunk.lines.iter().map(|text| line(text)).sum::<u64>()
}

fn keep(hunk: &git::Hunk, lines: usize) -> Hunk {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Hunk {
        header: text(&hunk.header),
        old_start: hunk.old.0,
        old_lines: hunk.old.1,
        new_start: hunk.new.0,
        new_lines: hunk.new.1,
        lines: hunk.lines[..lines].iter().map(|line| text(line)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(lines: &[&str]) -> git::Hunk {
        git::Hunk {
            header: b"@@ -1 +1 @@".to_vec(),
            old: (1, 1),
            new: (1, 1),
            lines: lines.iter().map(|line| line.as_bytes().to_vec()).collect(),
        }
    }

    fn kept(cut: &Cut) -> Vec<usize> {
        cut.hunks.iter().map(|hunk| hunk.lines.len()).collect()
    }

    #[test]
    fn a_file_gets_whole_hunks_and_then_lines() {
        // 12 bytes of header and 4 bytes for each line.
        let hunks = [hunk(&["-ab", "+cd"]), hunk(&["-ab", "+cd"])];
        for (room, expected) in [
            (40, vec![2, 2]),
            (39, vec![2, 1]),
            (36, vec![2, 1]),
            (35, vec![2]),
            (20, vec![2]),
            (19, vec![1]),
            (16, vec![1]),
            (15, vec![]),
        ] {
            let cut = Budget::new(&Limits { file_bytes: room, total_bytes: 1000 }).cut(&hunks);
            assert_eq!(kept(&cut), expected, "{room}");
            assert_eq!((cut.bytes, cut.truncated), (40, room < 40), "{room}");
        }
    }

    #[test]
    fn what_is_spent_is_gone_for_the_files_that_follow() {
        let mut budget = Budget::new(&Limits { file_bytes: 20, total_bytes: 36 });
        let one = [hunk(&["-ab", "+cd"])];
        assert_eq!(kept(&budget.cut(&one)), [2]);
        assert_eq!(kept(&budget.cut(&one)), [1]);
        let last = budget.cut(&one);
        assert_eq!((last.bytes, last.hunks.len(), last.truncated), (20, 0, true));
        assert!(!budget.cut(&[]).truncated);
    }
}
