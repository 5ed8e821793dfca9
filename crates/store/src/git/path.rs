//! Names of files as git has them: bytes with forward slashes.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

/// The name of a file or folder, relative to the folder that the question was put in.
///
/// Bytes, since git's names need not be UTF-8; separated by `/` on every system; in one form, without
/// `.` parts, doubled or trailing slashes and `x/..` pairs. What lies outside the folder begins with
/// `../`. Ordered as git orders: byte by byte.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Vec<u8>);

impl RepoPath {
    /// The name in its one form.
    pub fn new(name: impl AsRef<[u8]>) -> Self {
        let name = name.as_ref();
        let mut parts: Vec<&[u8]> = Vec::new();
        for part in name.split(|&byte| byte == b'/') {
            match part {
                b"" | b"." => {}
                b".." if parts.last().is_some_and(|&last| last != b"..") => {
                    parts.pop();
                }
                _ => parts.push(part),
            }
        }
        let mut form = parts.join(&b'/');
        if name.starts_with(b"/") {
            form.insert(0, b'/');
        }
        Self(form)
    }

    /// The name of a path on disk, which is taken as relative.
    pub fn from_path(path: &Path) -> Self {
        Self::new(raw_name(path))
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path on disk, relative as the name is.
    pub fn to_path(&self) -> PathBuf {
        PathBuf::from(self.to_os())
    }

    /// Whether this is the top itself.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names on the way, from the top.
    pub fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|&byte| byte == b'/').filter(|part| !part.is_empty())
    }

    /// The first name on the way; empty for the top.
    pub fn first(&self) -> &[u8] {
        self.parts().next().unwrap_or_default()
    }

    /// The name within its folder; empty for the top.
    pub fn last(&self) -> &[u8] {
        self.0.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
    }

    /// The folder that holds this; the top holds itself.
    pub fn parent(&self) -> Self {
        let end = self.0.iter().rposition(|&byte| byte == b'/').unwrap_or_default();
        Self(self.0[..end].to_vec())
    }

    /// The name `inner`, which is relative to this folder, from where this folder is named.
    pub fn join(&self, inner: impl AsRef<[u8]>) -> Self {
        let inner = inner.as_ref();
        if self.0.is_empty() { Self::new(inner) } else { Self::new([&self.0[..], b"/", inner].concat()) }
    }

    /// The name as text; none where it is not UTF-8.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// The name as documents carry it: as it is where it is UTF-8, and otherwise the way git quotes it, in double quotes
    /// and with every other byte as three octal digits after a backslash.
    pub fn legible(&self) -> Cow<'_, str> {
        use fmt::Write as _;
        if let Some(name) = self.as_str() {
            return name.into();
        }
        let mut quoted = String::from("\"");
        for &byte in &self.0 {
            match byte {
                b'"' | b'\\' => quoted.extend(['\\', char::from(byte)]),
                b' '..=b'~' => quoted.push(char::from(byte)),
                _ => {
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
        }
        quoted.push('"');
        quoted.into()
    }

    /// Whether this is `folder` itself or lies within it.
    pub fn is_within(&self, folder: &Self) -> bool {
        match self.0.strip_prefix(folder.0.as_slice()) {
            Some(rest) => folder.0.is_empty() || rest.is_empty() || rest.starts_with(b"/"),
            None => false,
        }
    }

    /// The name of this file as seen from the folder above `folder`.
    pub(crate) fn below(&self, folder: &Self) -> Self {
        if folder.0.is_empty() { self.clone() } else { Self::new([&folder.0[..], b"/", &self.0].concat()) }
    }

    /// The content that git stores for a symbolic link: its target, not normalised.
    pub(crate) fn link_target(target: &Path) -> Vec<u8> {
        raw_name(target)
    }

    /// The pathspec of exactly this file or folder below the top of the repository, wherever git runs.
    pub(super) fn pathspec(&self) -> OsString {
        os_string(&[b":(top,literal)", &self.0[..]].concat())
    }

    /// The bytes of a name on disk, as they are.
    pub(crate) fn raw(path: &Path) -> Vec<u8> {
        raw_name(path)
    }

    /// The name of this file, which is relative to the top of a work tree, as seen from `folder` there.
    pub fn seen_from(&self, folder: &Self) -> Self {
        let mut up: Vec<&[u8]> = Vec::new();
        let mut above = folder.clone();
        while !self.is_within(&above) {
            up.push(b"..");
            let end = above.0.iter().rposition(|&byte| byte == b'/').unwrap_or_default();
            above.0.truncate(end);
        }
        up.push(self.0[above.0.len()..].strip_prefix(b"/").unwrap_or(&self.0[above.0.len()..]));
        Self::new(up.join(&b'/'))
    }

    pub(crate) fn to_os(&self) -> OsString {
        os_string(&self.0)
    }
}

/// A path on disk as git writes it.
fn raw_name(path: &Path) -> Vec<u8> {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec();
    #[cfg(not(unix))]
    return path.to_string_lossy().replace('\\', "/").into_bytes();
}

/// Bytes from git as an argument, or as a name on disk.
pub(super) fn os_string(bytes: &[u8]) -> OsString {
    #[cfg(unix)]
    return std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    return String::from_utf8_lossy(bytes).into_owned().into();
}

impl From<&str> for RepoPath {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(&self.0))
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&String::from_utf8_lossy(&self.0), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_for_one_file() {
        for (name, form) in [
            ("./a//b/", "a/b"),
            ("a/./b/../c", "a/c"),
            ("a/../../x", "../x"),
            ("../../x", "../../x"),
            ("/a/b", "/a/b"),
            (".", ""),
            ("-a", "-a"),
        ] {
            assert_eq!(RepoPath::from(name).as_bytes(), form.as_bytes(), "{name}");
        }
    }

    #[test]
    fn a_name_that_is_no_text_is_quoted() {
        assert_eq!(RepoPath::from("a \"b\"\n").legible(), "a \"b\"\n");
        assert_eq!(RepoPath::new(b"a\\\"\n\xff/b").legible(), "\"a\\\\\\\"\\012\\377/b\"");
    }

    #[test]
    fn within_counts_whole_parts() {
        assert!(RepoPath::from("a/b").is_within(&"a".into()));
        assert!(RepoPath::from("a").is_within(&"a".into()));
        assert!(RepoPath::from("a").is_within(&"".into()));
        assert!(!RepoPath::from("ab").is_within(&"a".into()));
    }

    #[test]
    fn there_and_back_again() {
        for (name, folder, seen) in [
            ("a/b/c", "a/b", "c"),
            ("a/x", "a/b", "../x"),
            ("x", "a/b", "../../x"),
            ("ab", "a", "../ab"),
            ("a", "", "a"),
        ] {
            let seen = RepoPath::from(seen);
            assert_eq!(RepoPath::from(name).seen_from(&folder.into()), seen);
            assert_eq!(seen.below(&folder.into()), name.into());
        }
    }

    #[cfg(unix)]
    #[test]
    fn bytes_survive_the_way_to_disk_and_back() {
        let name = RepoPath::new(b"d\xff/\n\t");
        assert_eq!(RepoPath::from_path(&name.to_path()), name);
    }
}
