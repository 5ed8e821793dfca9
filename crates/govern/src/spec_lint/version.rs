//! Versions: two numbers and a point.

use std::fmt;

/// A version such as `1.7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    major: u32,
    minor: u32,
}

impl Version {
    /// Reads a version: digits, a point, digits, none of them with a zero in front.
    pub fn read(text: &str) -> Option<Self> {
        let (major, minor) = text.split_once('.')?;
        Some(Self { major: number(major)?, minor: number(minor)? })
    }

    /// The version in a file name of the form `<document>-vX.Y.md`, and the name of the document.
    pub fn of_file(name: &str) -> Option<(&str, Self)> {
        let (document, version) = name.strip_suffix(".md")?.rsplit_once("-v")?;
        Some((document, Self::read(version)?))
    }

    /// Whether nothing comes before it.
    pub fn is_first(self) -> bool {
        matches!((self.major, self.minor), (0, 0 | 1) | (1, 0))
    }

    /// Whether it is the one right behind `before`: the next minor version, or the next major version's first.
    pub fn follows(self, before: Self) -> bool {
        self.major == before.major && before.minor.checked_add(1) == Some(self.minor)
            || before.major.checked_add(1) == Some(self.major) && self.minor == 0
    }
}

fn number(digits: &str) -> Option<u32> {
    let is_plain = digits == "0" || !digits.starts_with('0');
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_plain && is_number { digits.parse().ok() } else { None }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_two_numbers() {
        for text in ["1.7", "0.0", "12.30"] {
            assert_eq!(Version::read(text).unwrap().to_string(), text);
        }
        for text in ["", "1", "1.", ".1", "1.07", "01.1", "1.1.1", "v1.1", "1.+1", "99999999999.1"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
        assert!(Version::read("1.10").unwrap() > Version::read("1.9").unwrap());
    }

    #[test]
    fn versions_come_one_behind_the_other() {
        let follows = |a: &str, b: &str| Version::read(a).unwrap().follows(Version::read(b).unwrap());
        assert!(follows("1.10", "1.9"));
        assert!(follows("2.0", "1.7"));
        assert!(!follows("1.2", "1.0"));
        assert!(!follows("2.1", "1.7"));
        assert!(!follows("1.0", "1.0"));
    }
}
