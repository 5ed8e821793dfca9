//! The text of a change, cut to what a reader can take.

use std::fmt::Write as _;

use gate::Refusal;
use store::git::{Aside, Comparison, Oid, Unshown};

use super::{ChangeSet, shown};
use crate::session;

/// How many bytes of the list of files are shown.
const STAT_LIMIT: usize = 20_000;
/// The fewest bytes of a part that say anything.
const LEAST: usize = 400;

/// A unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiffText {
    /// The diff; bytes that are no UTF-8 are U+FFFD.
    pub text: String,
    /// The files whose part was cut, by name; also what the diff can't show, with the reason.
    pub cut: Vec<String>,
    /// Untracked files that a private rule has git ignore. They are shown all the same.
    pub private: Vec<String>,
}

impl ChangeSet {
    fn comparison(&self) -> Comparison<'_> {
        Comparison { base: self.base.commit.as_ref().map(Oid::as_str), exclude: &self.exclude, renames: true }
    }

    /// The diff within about `limit` bytes, and after it what changed in submodules and nested repositories. The
    /// longest parts are cut first, each at the end of a line, with a line that says so; with very many files the last
    /// ones are left out. Nested repositories take the room that is left, at least a quarter of `limit`, and never any
    /// of the rest.
    pub fn diff(&self, limit: usize) -> Result<DiffText, Refusal> {
        let bytes = self.snapshot.diff_text(&self.comparison()).map_err(session::git)?;
        let text = String::from_utf8_lossy(&bytes);
        let mut fitted = fit(&text, limit);
        fitted.cut.extend(hidden(&text));
        let aside = self.snapshot.aside(&self.comparison()).map_err(session::git)?;
        let room = limit.saturating_sub(fitted.text.len()).max(limit / 4);
        fitted.add(&aside, room);
        Ok(fitted)
    }

    /// The list of files with counts of lines.
    pub fn stat(&self) -> Result<String, Refusal> {
        let bytes = self.snapshot.diff_stat(&self.comparison()).map_err(session::git)?;
        let text = String::from_utf8_lossy(&bytes);
        let kept = whole_lines(&text, STAT_LIMIT);
        let mut text = text.trim_end().to_owned();
        if kept < text.len() {
            let sums = text.lines().next_back().unwrap_or_default().to_owned();
            text.truncate(kept);
            text.push_str(" ...\n");
            text.push_str(&sums);
        }
        Ok(text)
    }
}

impl DiffText {
    fn add(&mut self, aside: &Aside, room: usize) {
        let nested: Vec<u8> = aside.nested.iter().flat_map(|nested| nested.text.iter().copied()).collect();
        let text = String::from_utf8_lossy(&nested);
        let fitted = fit(&text, room);
        self.text.push_str(&fitted.text);
        self.cut.extend(fitted.cut);
        self.cut.extend(hidden(&text));
        for nested in &aside.nested {
            let path = shown(&nested.path);
            self.cut.extend(nested.unshown.as_ref().map(|unshown| format!("{path} ({})", words(unshown))));
        }
        if let Some(first) = aside.absent.first() {
            let count = aside.absent.len();
            self.cut.push(format!("{} (not checked out, {count} in all: not looked at)", shown(first)));
        }
        self.private = aside.private.iter().map(shown).collect();
    }
}

/// Why a part of a nested repository is not shown.
fn words(unshown: &Unshown) -> String {
    match unshown {
        Unshown::Many(files) => {
            format!("a repository of its own, new, with {files} files: what is committed in it is not shown")
        }
        Unshown::Since(oid) => {
            format!("a repository of its own, without commit {oid}: what was committed since is not shown")
        }
        Unshown::NotCheckedOut => "files in a submodule that is not checked out: not shown".to_owned(),
    }
}

/// The files of which the diff says only that they differ: binary ones, and those that an attribute declares so.
/// What a reviewer is not shown must be named.
fn hidden(diff: &str) -> Vec<String> {
    let is_hidden = |part: &&&str| {
        let mut header = part.lines().take_while(|line| !line.starts_with("@@"));
        header.any(|line| line.starts_with("Binary files ") && line.ends_with(" differ"))
    };
    let named = |part: &&str| format!("{} (shown as binary, without its content)", name(part));
    parts(diff).iter().filter(is_hidden).map(named).collect()
}

fn fit(diff: &str, limit: usize) -> DiffText {
    if diff.len() <= limit {
        return DiffText { text: diff.to_owned(), ..DiffText::default() };
    }
    let parts = parts(diff);
    let share = share(&parts, limit).max(LEAST);
    let mut fitted = DiffText::default();
    for part in parts {
        if fitted.text.len() >= limit {
            fitted.cut.push(name(part));
            continue;
        }
        if part.len() <= share {
            fitted.text.push_str(part);
            continue;
        }
        let kept = whole_lines(part, share);
        fitted.text.push_str(&part[..kept]);
        let rest = part.len() - kept;
        let _ = writeln!(fitted.text, "[cut here: {rest} more bytes of this file's diff]");
        fitted.cut.push(name(part));
    }
    fitted
}

/// The parts of a diff, one for each file. No line of content begins with `diff`, since each has a mark before it.
fn parts(diff: &str) -> Vec<&str> {
    let mut starts = vec![0];
    starts.extend(diff.match_indices("\ndiff --git ").map(|(at, _)| at + 1));
    let ends = starts.iter().skip(1).copied().chain([diff.len()]);
    starts.iter().zip(ends).map(|(&start, end)| &diff[start..end]).collect()
}

/// The number of bytes that each part may take so that all together take `limit`.
fn share(parts: &[&str], limit: usize) -> usize {
    let mut sizes: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    sizes.sort_unstable();
    let (mut room, mut left) = (limit, sizes.len());
    for size in sizes {
        if size > room / left {
            return room / left;
        }
        room -= size;
        left -= 1;
    }
    limit
}

/// How many of the first `limit` bytes are whole lines.
fn whole_lines(text: &str, limit: usize) -> usize {
    if text.len() <= limit {
        return text.len();
    }
    text.as_bytes()[..limit].iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)
}

/// The file that a part is about.
fn name(part: &str) -> String {
    let marked = |mark: &str| {
        let mut header = part.lines().take_while(|line| !line.starts_with("@@"));
        header.find_map(|line| line.strip_prefix(mark)).map(|name| name.trim_end_matches('\t').to_owned())
    };
    let same = || {
        // `a/<name> b/<name>`, the same name twice.
        let names = part.lines().next()?.strip_prefix("diff --git a/")?;
        names.get(..names.len().checked_sub(3)? / 2).map(str::to_owned)
    };
    marked("rename to ")
        .or_else(|| marked("+++ b/"))
        .or_else(|| marked("--- a/"))
        .or_else(same)
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, lines: usize) -> String {
        let head = format!("diff --git a/{name} b/{name}\n--- a/{name}\n+++ b/{name}\n@@ -0,0 +1 @@\n");
        head + &"+0123456\n".repeat(lines)
    }

    #[test]
    fn a_diff_within_the_limit_stays_whole() {
        let diff = part("a", 2) + &part("b", 3);
        assert_eq!(fit(&diff, diff.len()), DiffText { text: diff, ..DiffText::default() });
    }

    #[test]
    fn the_longest_parts_are_cut_and_named_and_none_is_lost() {
        let diff = part("small", 1) + &part("odd name b/x", 100) + &part("big", 5000);
        let fitted = fit(&diff, 3000);
        assert_eq!(fitted.cut, ["big"]);
        assert!(fitted.text.len() < 3100);
        assert!(fitted.text.contains(&part("odd name b/x", 100)));
        assert!(fitted.text.contains("more bytes of this file's diff]\n"));
        let tiny = fit(&diff, 900);
        assert_eq!(tiny.cut, ["odd name b/x", "big"]);
        assert!(tiny.text.starts_with(&part("small", 1)));
    }

    #[test]
    fn of_very_many_files_the_last_ones_are_named_alone() {
        let diff: String = (0..1000).map(|number| part(&format!("file{number:03}"), 100)).collect();
        let fitted = fit(&diff, 10_000);
        assert!(fitted.text.len() < 12_000, "{}", fitted.text.len());
        assert_eq!((fitted.cut.len(), fitted.cut[999].as_str()), (1000, "file999"));
    }

    #[test]
    fn names_of_files_without_lines() {
        assert_eq!(name("diff --git a/x y b/x y\nold mode 100644\nnew mode 100755\n"), "x y");
        assert_eq!(name("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n"), "n");
        assert_eq!(name("diff --git a/x b/x\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n--- b\n"), "x");
        assert_eq!(name("diff"), "");
    }

    #[test]
    fn a_file_without_its_content_is_named() {
        let binary = "diff --git a/x.sh b/x.sh\nindex 1..2 100644\nBinary files a/x.sh and b/x.sh differ\n";
        let text = part("a", 1) + "+Binary files a/y and b/y differ\n" + binary;
        assert_eq!(hidden(&text), ["x.sh (shown as binary, without its content)"]);
    }

    #[test]
    fn a_line_of_content_begins_no_part() {
        let diff = part("a", 1) + "+diff --git a/z b/z\n";
        assert_eq!(parts(&diff), [&diff[..]]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_cut_without_a_panic(text in "(diff --git |[a\u{e9}\n+-]){0,60}", limit in 0_usize..80) {
            let fitted = fit(&text, limit);
            proptest::prop_assert!(limit < text.len() || fitted.cut.is_empty());
        }
    }
}
