//! The hunks of a diff, file by file.

use std::ffi::OsString;

use super::overlay::Overlay;
use super::process::Call;
use super::{Git, GitError, Oid, RepoPath};

/// What is compared: a tree with another one, or with the working tree.
#[derive(Debug, Clone, Copy)]
pub struct Span<'a> {
    /// The commit or tree that the diff starts from.
    pub base: &'a Oid,
    /// The commit that it ends at; none for the working tree with its untracked files.
    pub head: Option<&'a Oid>,
    /// The folder that names in the answer are relative to. What lies outside is not seen.
    pub folder: &'a RepoPath,
    /// Files and folders to look at, relative to `folder`; all where there are none.
    pub paths: &'a [RepoPath],
}

/// How one file changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Its name, or its last one when it is gone.
    pub path: RepoPath,
    /// The name that a renamed or copied file came from.
    pub from: Option<RepoPath>,
    /// What happened to it.
    pub edit: Edit,
    /// Lines added and deleted; none for a binary file.
    pub lines: Option<(u64, u64)>,
    /// What git writes of it; nothing for a binary file or a change of mode or name alone.
    pub hunks: Vec<Hunk>,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// It is new.
    Added,
    /// Other content, another mode, or something else than a file in its place.
    Modified,
    /// It is gone.
    Deleted,
    /// It has another name.
    Renamed,
    /// It was made from another file, which is still there.
    Copied,
}

/// Lines that changed together, with the lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The `@@` line, without its line end.
    pub header: Vec<u8>,
    /// The first line and the number of lines before the change.
    pub old: (u64, u64),
    /// The first line and the number of lines after the change.
    pub new: (u64, u64),
    /// Each line with its space, `+`, `-` or backslash, without its line end.
    pub lines: Vec<Vec<u8>>,
}

/// The form of the answer, whatever the user's settings are.
const FORM: [&str; 20] = [
    "diff",
    "-z",
    "--raw",
    "--numstat",
    "--patch",
    "--full-index",
    "--find-renames",
    "-l1000",
    "--no-ext-diff",
    "--no-textconv",
    "--no-color",
    "--unified=3",
    "--inter-hunk-context=0",
    "--diff-algorithm=default",
    "--indent-heuristic",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "--submodule=short",
    "--ignore-submodules=none",
    "-O/dev/null",
];

impl Git {
    /// The files that differ, in git's order. The folder of this `Git` is the top of the repository, bare or not.
    ///
    /// Renamed files are found, copies are not looked for. Neither settings nor attributes outside the repository
    /// change the answer.
    pub fn patches(&self, span: &Span<'_>) -> Result<Vec<FilePatch>, GitError> {
        let overlay = if span.head.is_none() { Some(Overlay::new(self)?) } else { None };
        let call = match &overlay {
            Some(overlay) => overlay.call(FORM),
            None => self.call(FORM).setting("diff.suppressBlankEmpty=false"),
        };
        let mut call = call.setting("core.attributesFile=/dev/null").env("GIT_ATTR_NOSYSTEM", "1").literal();
        if !span.folder.is_empty() {
            let mut relative = OsString::from("--relative=");
            relative.push(span.folder.to_os());
            relative.push("/");
            call = call.args([relative]);
        }
        call = call.args([span.base.as_str()]).args(span.head.map(Oid::as_str)).args(["--"]);
        if span.paths.iter().all(|path| !path.is_empty()) {
            call = call.args(span.paths.iter().map(|path| span.folder.join(path.as_bytes()).to_os()));
        }
        let (_, output) = call.answer()?;
        parse(&output).map_err(|what| malformed(&call, what))
    }
}

fn malformed(call: &Call<'_>, what: &'static str) -> GitError {
    call.malformed(what)
}

/// Reads an answer: the files with their names, the counts of lines, a NUL, and the text of the patch.
fn parse(output: &[u8]) -> Result<Vec<FilePatch>, &'static str> {
    let mut rest = output;
    let mut entries = Vec::new();
    while rest.first() == Some(&b':') {
        entries.push(entry(&mut rest)?);
    }
    for entry in &mut entries {
        entry.patch.lines = counts(&mut rest)?;
    }
    let mut text = rest.strip_prefix(b"\0").unwrap_or(rest).split_inclusive(|&byte| byte == b'\n').peekable();
    // A path in conflict comes twice, the first time without a text.
    for entry in entries.iter_mut().filter(|entry| entry.status != b'U') {
        // A file that became something else is shown as deleted and as new.
        for _ in 0..if entry.status == b'T' { 2 } else { 1 } {
            while text.next_if(|line| !line.starts_with(b"diff --git ")).is_some() {}
            text.next().ok_or("fewer texts than files")?;
            while let Some(line) = text.next_if(|line| !line.starts_with(b"diff --git ")) {
                if line.starts_with(b"@@ ") {
                    entry.patch.hunks.push(hunk(line, &mut text)?);
                }
            }
        }
    }
    if text.next().is_some() {
        return Err("more texts than files");
    }
    let settled: Vec<_> =
        entries.iter().filter(|entry| entry.status != b'U').map(|entry| entry.patch.path.clone()).collect();
    entries.retain(|entry| entry.status != b'U' || !settled.contains(&entry.patch.path));
    Ok(entries.into_iter().map(|entry| entry.patch).collect())
}

struct Entry {
    status: u8,
    patch: FilePatch,
}

/// `:<mode> <mode> <oid> <oid> <status>` NUL `<path>` NUL, of renamed and copied files with a second path.
fn entry(rest: &mut &[u8]) -> Result<Entry, &'static str> {
    let head = field(rest)?;
    let status = head.split(|&byte| byte == b' ').nth(4).and_then(|word| word.first()).copied();
    let status = status.ok_or("an entry without a status")?;
    let edit = match status {
        b'A' => Edit::Added,
        b'D' => Edit::Deleted,
        b'R' => Edit::Renamed,
        b'C' => Edit::Copied,
        b'M' | b'T' | b'U' => Edit::Modified,
        _ => return Err("an unknown status"),
    };
    let mut path = RepoPath::new(field(rest)?);
    let mut from = None;
    if matches!(edit, Edit::Renamed | Edit::Copied) {
        from = Some(path);
        path = RepoPath::new(field(rest)?);
    }
    Ok(Entry { status, patch: FilePatch { path, from, edit, lines: None, hunks: Vec::new() } })
}

/// `<added>` TAB `<deleted>` TAB `<path>` NUL, or with an empty path and two more fields. Dashes for a binary file.
fn counts(rest: &mut &[u8]) -> Result<Option<(u64, u64)>, &'static str> {
    let record = field(rest)?;
    let mut fields = record.splitn(3, |&byte| byte == b'\t');
    let (Some(added), Some(deleted), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
        return Err("counts without a path");
    };
    if path.is_empty() {
        field(rest)?;
        field(rest)?;
    }
    if (added, deleted) == (b"-", b"-") {
        return Ok(None);
    }
    let counts = number(added).zip(number(deleted));
    counts.map(Some).ok_or("a count that is no number")
}

fn field<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], &'static str> {
    let end = rest.iter().position(|&byte| byte == 0).ok_or("a field that does not end")?;
    let field = &rest[..end];
    *rest = &rest[end + 1..];
    Ok(field)
}

fn hunk<'a>(
    header: &[u8],
    text: &mut std::iter::Peekable<impl Iterator<Item = &'a [u8]>>,
) -> Result<Hunk, &'static str> {
    let header = header.strip_suffix(b"\n").unwrap_or(header);
    let (old, new) = places(header).ok_or("a hunk without a place")?;
    let (mut old_left, mut new_left) = (old.1, new.1);
    let mut lines = Vec::new();
    loop {
        let inside = old_left > 0 || new_left > 0;
        let Some(line) = text.next_if(|line| inside || line.starts_with(b"\\")) else { break };
        let (old_used, new_used) = match line.first() {
            Some(b' ') => (1, 1),
            Some(b'-') => (1, 0),
            Some(b'+') => (0, 1),
            Some(b'\\') => (0, 0),
            _ => return Err("a line that belongs to no side"),
        };
        old_left = old_left.checked_sub(old_used).ok_or("a hunk that is too long")?;
        new_left = new_left.checked_sub(new_used).ok_or("a hunk that is too long")?;
        lines.push(line.strip_suffix(b"\n").unwrap_or(line).to_vec());
    }
    if old_left > 0 || new_left > 0 {
        return Err("a hunk that is cut off");
    }
    Ok(Hunk { header: header.to_vec(), old, new, lines })
}

/// The places in `@@ -<start>[,<count>] +<start>[,<count>] @@`.
fn places(header: &[u8]) -> Option<((u64, u64), (u64, u64))> {
    let mut words = header.split(|&byte| byte == b' ').skip(1);
    let mut place = |sign: &[u8]| {
        let mut numbers = words.next()?.strip_prefix(sign)?.split(|&byte| byte == b',');
        let start = number(numbers.next()?)?;
        Some((start, numbers.next().map_or(Some(1), number)?))
    };
    Some((place(b"-")?, place(b"+")?))
}

fn number(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests;
