//! Object names.

use std::fmt;

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectFormat {
    /// SHA-1, 40 hex digits.
    Sha1,
    /// SHA-256, 64 hex digits.
    Sha256,
}

impl ObjectFormat {
    /// The form of this object name.
    pub fn of(oid: &Oid) -> Self {
        if oid.0.len() == 40 { Self::Sha1 } else { Self::Sha256 }
    }

    /// The tree without entries. Git knows it without having it stored.
    pub fn empty_tree(self) -> Oid {
        Oid(match self {
            Self::Sha1 => "4b825dc642cb6eb9a060e54bf8d69288fbee4904".into(),
            Self::Sha256 => "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321".into(),
        })
    }

    /// How many bytes a name has.
    pub(super) fn width(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// The blob without bytes. Git knows it without having it stored.
    pub(super) fn empty_blob(self) -> Oid {
        Oid(match self {
            Self::Sha1 => "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391".into(),
            Self::Sha256 => "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813".into(),
        })
    }
}

/// The full name of an object: 40 lower-case hex digits, or 64 in a SHA-256 repository.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Box<str>);

impl Oid {
    /// Reads a full object name; anything else, an abbreviation too, is `None`.
    pub fn parse(text: &str) -> Option<Self> {
        let hex = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        (matches!(text.len(), 40 | 64) && hex).then(|| Self(text.into()))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::parse(std::str::from_utf8(bytes.trim_ascii()).ok()?)
    }

    pub(super) fn from_binary(bytes: &[u8]) -> Self {
        use fmt::Write as _;
        let mut hex = String::with_capacity(bytes.len() * 2);
        for byte in bytes {
            let _ = write!(hex, "{byte:02x}");
        }
        Self(hex.into())
    }

    /// The hex digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_names_are_names() {
        assert!(Oid::parse(&"a".repeat(40)).is_some());
        assert!(Oid::parse(&"0".repeat(64)).is_some());
        for text in ["", "HEAD", "abc", &"A".repeat(40), &"g".repeat(40), &"a".repeat(41)] {
            assert_eq!(Oid::parse(text), None, "{text}");
        }
    }
}
