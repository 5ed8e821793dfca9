//! Two counts of how much code there is.
//!
//! [`published`] is the figure that `lastAudit.size` holds and that the held-out floor is worked out from, so
//! it has to equal what every other implementation counts, oddities included. [`own`] is the honest figure
//! beside it: it takes the files that git knows, so generated code is out, and it knows every language.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::language;

/// Extensions that [`published`] counts, compared with case.
pub(super) const PUBLISHED_EXTENSIONS: [&str; 20] = [
    "js", "mjs", "cjs", "ts", "tsx", "jsx", "py", "go", "rs", "java", "rb", "php", "c", "cc", "cpp", "h",
    "hpp", "swift", "kt", "scala",
];

/// Entries that [`published`] passes over, whether file or folder, at every depth.
const PUBLISHED_SKIP: [&str; 10] =
    [".chalk", ".git", "node_modules", "dist", "build", ".next", "coverage", "out", "vendor", ".venv"];

/// How much code there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// Lines of code; what a line is depends on the count, see [`published`] and [`own`].
    pub loc: u64,
    /// Files that were counted.
    pub files: u64,
}

/// Counts the code below `root` by the published formula of the held-out set.
///
/// Walks everything but the skipped names, without regard to ignore rules; takes files by extension; each
/// file's `loc` is the number of pieces that newlines separate, so a trailing newline adds one and an empty
/// file counts one. A link to a file counts as that file, a link to a folder is not followed. What cannot be
/// read is left out, and so is a name that is not UTF-8, since the formula's first implementation cannot open
/// such a file.
///
/// # Errors
///
/// When `root` itself cannot be listed. An unreadable folder below it is left out.
pub fn published(root: &Path) -> io::Result<Size> {
    let mut size = Size::default();
    let mut buffer = vec![0; BUFFER];
    let mut folders = Vec::new();
    count_folder(fs::read_dir(root)?, &mut folders, &mut size, &mut buffer);
    // A stack of our own: a tree can be deeper than the thread's stack.
    while let Some(folder) = folders.pop() {
        if let Ok(entries) = fs::read_dir(&folder) {
            count_folder(entries, &mut folders, &mut size, &mut buffer);
        }
    }
    Ok(size)
}

fn count_folder(entries: fs::ReadDir, folders: &mut Vec<PathBuf>, size: &mut Size, buffer: &mut [u8]) {
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str().filter(|name| !PUBLISHED_SKIP.contains(name)) else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() {
            folders.push(entry.path());
        } else if language::split_extension(name)
            .is_some_and(|(_, extension)| PUBLISHED_EXTENSIONS.contains(&extension))
        {
            let path = entry.path();
            // Reading a pipe or a device would wait for ever; a link is judged by what it leads to.
            if !kind.is_file() && !fs::metadata(&path).is_ok_and(|target| target.is_file()) {
                continue;
            }
            if let Ok(lines) = count_lines(&path, buffer) {
                size.loc += lines.newlines + 1;
                size.files += 1;
            }
        }
    }
}

/// Counts the code among `files`, paths relative to `root`, by the wide table of [`language::is_code`].
///
/// `loc` counts lines as an editor shows them: a trailing newline adds none, an empty file has none. Links
/// (git stores the link, not its target), folders, missing and unreadable files are left out. A path that is
/// given twice counts twice.
#[must_use]
pub fn own(root: &Path, files: &[PathBuf]) -> Size {
    let mut size = Size::default();
    let mut buffer = vec![0; BUFFER];
    for file in files {
        let name = file.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
        if !language::is_code(&name) {
            continue;
        }
        let path = root.join(file);
        if !fs::symlink_metadata(&path).is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        if let Ok(lines) = count_lines(&path, &mut buffer) {
            size.loc += lines.newlines + u64::from(lines.open_end);
            size.files += 1;
        }
    }
    size
}

const BUFFER: usize = 64 * 1024;

struct Lines {
    newlines: u64,
    /// Whether there is text after the last newline.
    open_end: bool,
}

fn count_lines(path: &Path, buffer: &mut [u8]) -> io::Result<Lines> {
    let mut file = File::open(path)?;
    let mut lines = Lines { newlines: 0, open_end: false };
    loop {
        let length = match file.read(buffer) {
            Ok(0) => return Ok(lines),
            Ok(length) => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let read = &buffer[..length];
        lines.newlines += read.iter().map(|byte| u64::from(*byte == b'\n')).sum::<u64>();
        lines.open_end = read.last() != Some(&b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (path, bytes) in files {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        root
    }

    #[test]
    fn a_trailing_newline_adds_one_and_an_empty_file_counts_one() {
        let root = tree(&[("a.js", b"1\n2\n3\n"), ("b.rs", b"1\n2"), ("c.py", b""), ("d.go", b"\r\n\r\n")]);
        assert_eq!(published(root.path()).unwrap(), Size { loc: 4 + 2 + 1 + 3, files: 4 });
    }

    #[test]
    fn skipped_names_other_extensions_and_case() {
        let root = tree(&[
            ("src/a.ts", b"1\n"),
            ("test/a.test.ts", b"1\n2\n"),
            ("target/generated.rs", b"1\n"),
            ("deep/node_modules/x.js", b"1\n"),
            ("deep/build/x.js", b"1\n"),
            (".chalk/held-out/h.test.mjs", b"1\n"),
            (".hidden/x.c", b"1"),
            ("vendor", b"a file, not a folder"),
            (".js", b"1\n"),
            ("A.JS", b"1\n"),
            ("app.dart", b"1\n"),
            ("x.rs/notes.md", b"1\n"),
        ]);
        assert_eq!(published(root.path()).unwrap(), Size { loc: 2 + 3 + 2 + 1, files: 4 });
    }

    #[test]
    fn bytes_that_are_not_text_are_counted() {
        let root = tree(&[("a.c", b"\xff\xfe\n\x00\n"), ("b.h", &vec![b'\n'; 3 * BUFFER])]);
        let loc = 3 + 3 * BUFFER as u64 + 1;
        assert_eq!(published(root.path()).unwrap(), Size { loc, files: 2 });
    }

    #[cfg(unix)]
    #[test]
    fn links_to_files_count_and_links_to_folders_do_not() {
        use std::os::unix::ffi::OsStrExt as _;
        use std::os::unix::fs::symlink;

        let root = tree(&[("src/a.js", b"1\n"), ("notes.txt", b"1\n2\n3")]);
        symlink("..", root.path().join("src/loop")).unwrap();
        symlink("../src", root.path().join("src/folder.js")).unwrap();
        symlink("../notes.txt", root.path().join("src/linked.js")).unwrap();
        symlink("nowhere", root.path().join("dangling.js")).unwrap();
        fs::write(root.path().join(OsStr::from_bytes(b"\xff.js")), "1\n2\n").unwrap();
        assert_eq!(published(root.path()).unwrap(), Size { loc: 2 + 3, files: 2 });

        let files = ["src/a.js", "src/linked.js", "src/folder.js", "dangling.js"].map(PathBuf::from);
        assert_eq!(own(root.path(), &files), Size { loc: 1, files: 1 });
        assert_eq!(own(root.path(), &[OsStr::from_bytes(b"\xff.js").into()]), Size { loc: 2, files: 1 });
    }

    #[test]
    fn a_missing_root_is_an_error_and_a_missing_file_is_left_out() {
        let root = tree(&[]);
        assert!(published(&root.path().join("absent")).is_err());
        assert_eq!(own(root.path(), &["absent.rs".into()]), Size::default());
    }

    #[test]
    fn the_own_count_knows_more_languages_and_only_the_given_files() {
        let root = tree(&[
            ("lib/app.dart", b"1\n2\n"),
            ("q.sql", b"1\n2"),
            ("empty.ex", b""),
            ("größe.cs", b"1\r\n2\r\n3\r\n"),
            ("target/generated.rs", b"1\n"),
            ("README.md", b"1\n"),
        ]);
        let files = ["lib/app.dart", "q.sql", "empty.ex", "größe.cs", "README.md"].map(PathBuf::from);
        assert_eq!(own(root.path(), &files), Size { loc: 2 + 2 + 3, files: 4 });
    }
}
