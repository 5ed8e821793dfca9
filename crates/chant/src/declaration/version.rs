//! Versions and their order.

use std::cmp::Ordering;

/// A version of three numbers, with or without a prerelease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    numbers: [u64; 3],
    prerelease: Option<String>,
}

impl Version {
    /// Reads `X.Y.Z` or `X.Y.Z-pre`; numbers have no leading zero, and there is no build part.
    pub fn parse(text: &str) -> Option<Self> {
        let (numbers, prerelease) = match text.split_once('-') {
            Some((numbers, prerelease)) => (numbers, Some(prerelease)),
            None => (text, None),
        };
        if prerelease.is_some_and(|pre| pre.is_empty() || !pre.bytes().all(is_prerelease)) {
            return None;
        }
        let mut parts = numbers.split('.').map(number);
        let numbers = [parts.next()??, parts.next()??, parts.next()??];
        if parts.next().is_some() {
            return None;
        }
        Some(Self { numbers, prerelease: prerelease.map(str::to_owned) })
    }
}

/// A prerelease comes before its release, and prereleases stand in the order of their text.
impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.numbers.cmp(&other.numbers).then_with(|| match (&self.prerelease, &other.prerelease) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(a), Some(b)) => a.cmp(b),
        })
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn is_prerelease(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')
}

fn number(text: &str) -> Option<u64> {
    let plain = text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
    // A number that no counter holds is newer than any that is there.
    (plain && !text.is_empty()).then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_versions() {
        let mut last = None;
        for text in
            ["0.9.10", "0.81.0-a", "0.81.0-b.1", "0.81.0", "0.108.0", "1.0.0", "99999999999999999999.0.0"]
        {
            let version = Version::parse(text).unwrap();
            assert!(last.is_none_or(|last| last < version), "{text}");
            last = Some(version);
        }
    }

    #[test]
    fn what_is_no_version() {
        for text in
            ["", "1", "1.2", "1.2.3.4", "01.2.3", "1.2.3-", "1.2.3+b", "v1.2.3", "1.2.x", "1..3", "1.2.3-a_b"]
        {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }
}
