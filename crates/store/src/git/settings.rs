//! The few settings that decide where a repository lies, read from its own file.
//!
//! Git reads these before it knows its work tree, from the repository's file alone and without
//! following `include`. Every other setting is git's to answer ([`super::Git::config`]).

use std::io;
use std::path::Path;

/// What `config` and `config.worktree` say about the place of a repository.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Settings {
    /// `core.bare`.
    pub(super) bare: bool,
    /// `core.worktree`, as written.
    pub(super) work_tree: Option<Vec<u8>>,
    /// `extensions.worktreeConfig`.
    pub(super) worktree_config: bool,
    /// `extensions.objectFormat` is `sha256`.
    pub(super) sha256: bool,
}

impl Settings {
    /// Takes in a file over what is known already. A file that isn't there says nothing.
    pub(super) fn read(&mut self, file: &Path) -> io::Result<()> {
        match std::fs::read(file) {
            Ok(text) => self.take(&text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => {
                let message = format!("cannot read `{}`: {error}", file.display());
                return Err(io::Error::new(error.kind(), message));
            }
        }
        Ok(())
    }

    fn take(&mut self, text: &[u8]) {
        let mut rest = Reader(text);
        let mut section = Vec::new();
        while let Some(byte) = rest.next() {
            match byte {
                b'[' => section = rest.section(),
                b'#' | b';' => rest.skip_line(),
                _ if byte.is_ascii_whitespace() => {}
                _ => {
                    let key = rest.key(byte);
                    let value = rest.value();
                    match (section.as_slice(), key.as_slice()) {
                        (b"core", b"bare") => self.bare = parse_bool(value.as_deref()) == Some(true),
                        (b"core", b"worktree") => self.work_tree = value,
                        (b"extensions", b"worktreeconfig") => {
                            self.worktree_config = parse_bool(value.as_deref()) == Some(true);
                        }
                        (b"extensions", b"objectformat") => {
                            self.sha256 = value.is_some_and(|value| value == b"sha256");
                        }
                        _ => {}
                    }
                }
            }
        }
    }
}

/// What git takes for true and false. A key without `=` is true, an empty value false; `None` is no boolean.
pub(crate) fn parse_bool(value: Option<&[u8]>) -> Option<bool> {
    let Some(value) = value else { return Some(true) };
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"yes" | b"on" => Some(true),
        b"" | b"false" | b"no" | b"off" => Some(false),
        digits => std::str::from_utf8(digits).ok()?.parse::<i64>().ok().map(|number| number != 0),
    }
}

struct Reader<'a>(&'a [u8]);

impl Iterator for Reader<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let (&first, mut rest) = self.0.split_first()?;
        if first == b'\r' && rest.first() == Some(&b'\n') {
            rest = &rest[1..];
            self.0 = rest;
            return Some(b'\n');
        }
        self.0 = rest;
        Some(first)
    }
}

impl Reader<'_> {
    fn skip_line(&mut self) {
        let _ = self.find(|&byte| byte == b'\n');
    }

    /// The name of a section in lower case. One with a subsection keeps its quotes and so is none of ours.
    fn section(&mut self) -> Vec<u8> {
        self.take_while(|&byte| byte != b']' && byte != b'\n').map(|byte| byte.to_ascii_lowercase()).collect()
    }

    fn key(&mut self, first: u8) -> Vec<u8> {
        let mut key = vec![first.to_ascii_lowercase()];
        while let Some(&byte) = self.0.first() {
            if !byte.is_ascii_alphanumeric() && byte != b'-' {
                break;
            }
            key.push(byte.to_ascii_lowercase());
            self.0 = &self.0[1..];
        }
        key
    }

    /// The value after the key, to the end of its line or lines; `None` where no `=` follows.
    fn value(&mut self) -> Option<Vec<u8>> {
        let blank = self.0.iter().take_while(|&&byte| byte == b' ' || byte == b'\t').count();
        self.0 = &self.0[blank..];
        if self.0.first() != Some(&b'=') {
            self.skip_line();
            return None;
        }
        self.0 = &self.0[1..];
        let mut value = Vec::new();
        // Blanks at the end count only inside quotes, so remember how far the value is certain.
        let (mut quoted, mut certain) = (false, 0);
        while let Some(byte) = self.next() {
            match byte {
                b'\n' => break,
                b'"' => {
                    quoted = !quoted;
                    certain = value.len();
                }
                b'#' | b';' if !quoted => {
                    self.skip_line();
                    break;
                }
                b'\\' => {
                    match self.next() {
                        Some(b'n') => value.push(b'\n'),
                        Some(b't') => value.push(b'\t'),
                        Some(b'b') => value.push(b'\x08'),
                        Some(b'\n') | None => continue,
                        Some(other) => value.push(other),
                    }
                    certain = value.len();
                }
                _ if byte.is_ascii_whitespace() && !quoted => {
                    if !value.is_empty() {
                        value.push(byte);
                    }
                }
                _ => {
                    value.push(byte);
                    certain = value.len();
                }
            }
        }
        value.truncate(certain);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Settings {
        let mut settings = Settings::default();
        settings.take(text.as_bytes());
        settings
    }

    #[test]
    fn reads_what_git_writes_and_what_people_write() {
        let found = settings(
            "[core]\n\tbare = false\n\tworktree = ../../x\n[core \"sub\"]\n\tworktree = no\n[Extensions] WorktreeConfig\n",
        );
        let expected = Settings {
            bare: false,
            work_tree: Some(b"../../x".to_vec()),
            worktree_config: true,
            sha256: false,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn quotes_escapes_comments_and_continued_lines() {
        for (text, value) in [
            ("worktree = \"a b \" ; why", "a b "),
            ("worktree = a b  # why", "a b"),
            ("worktree = \"a;b\"", "a;b"),
            ("worktree = a\\\\b\\t", "a\\b\t"),
            ("worktree = a\\\nb", "ab"),
            ("worktree=a\r", "a"),
            ("# bare\n; worktree = z\nworktree = a", "a"),
        ] {
            assert_eq!(
                settings(&format!("[core]\n{text}\n")).work_tree.as_deref(),
                Some(value.as_bytes()),
                "{text}"
            );
        }
    }

    #[test]
    fn the_last_word_counts() {
        assert!(!settings("[core]\nbare = yes\nbare = 0\n").bare);
        assert!(settings("[core]\nbare\n").bare);
        assert!(settings("[CORE]\nBARE = 1").bare);
        assert!(settings("[extensions]\n\tobjectformat = sha256\n").sha256);
    }

    proptest::proptest! {
        #[test]
        fn no_text_is_too_odd(text: Vec<u8>) {
            Settings::default().take(&text);
        }
    }
}
