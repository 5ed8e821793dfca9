//! Line ends as git takes them when a file is added.

use canon::{Hasher, Sha256};

/// What git does to CRLF in a file when it is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// Keeps it: the file is binary by its attributes, or nothing asks for conversion.
    Keep,
    /// Makes it LF, whatever the file holds.
    Convert,
    /// Makes it LF if the file looks like text, and its version in the index has no CRLF.
    Guess,
}

impl LineEnds {
    /// The rule for a file with these values of the attributes `text`, `eol` and `crlf` (as `git check-attr` shows
    /// them), where `autocrlf` tells whether `core.autocrlf` is `true` or `input`.
    pub(super) fn of(text: &[u8], eol: &[u8], crlf: &[u8], autocrlf: bool) -> Self {
        let by_attribute = |value: &[u8]| match value {
            b"set" | b"input" => Some(Self::Convert),
            b"unset" => Some(Self::Keep),
            b"auto" => Some(Self::Guess),
            _ => None,
        };
        // `crlf` is the old name of `text`.
        match by_attribute(text).or_else(|| by_attribute(crlf)) {
            Some(rule) => rule,
            // `eol` alone declares a file to be text.
            None if matches!(eol, b"lf" | b"crlf") => Self::Convert,
            None if autocrlf => Self::Guess,
            None => Self::Keep,
        }
    }
}

/// The digest of a file as it is, and with LF for CRLF if git could take it that way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digests {
    pub(super) as_is: Sha256,
    /// `None` where the line ends stay as they are.
    pub(super) converted: Option<Sha256>,
}

/// Takes a file in pieces and digests it both ways.
pub(super) struct LineEndHasher {
    rule: LineEnds,
    as_is: Hasher,
    /// From the first CR on; before it, both ways are the same.
    converted: Option<Converter>,
    looks: Looks,
}

impl LineEndHasher {
    pub(super) fn new(rule: LineEnds) -> Self {
        Self { rule, as_is: Hasher::new(), converted: None, looks: Looks::default() }
    }

    pub(super) fn update(&mut self, mut bytes: &[u8]) {
        if self.rule == LineEnds::Guess {
            self.looks.update(bytes);
        }
        if self.rule != LineEnds::Keep && self.converted.is_none() {
            let Some(first) = bytes.iter().position(|&byte| byte == b'\r') else {
                return self.as_is.update(bytes);
            };
            self.as_is.update(&bytes[..first]);
            bytes = &bytes[first..];
            self.converted = Some(Converter { hasher: self.as_is.clone(), pending: false, found: false });
        }
        if let Some(converted) = &mut self.converted {
            converted.update(bytes);
        }
        self.as_is.update(bytes);
    }

    pub(super) fn finish(self) -> Digests {
        let keep = self.rule == LineEnds::Guess && self.looks.binary();
        let converted = self.converted.filter(|converted| converted.found && !keep).map(Converter::finish);
        Digests { as_is: self.as_is.finish(), converted }
    }
}

/// Drops each CR that an LF follows.
struct Converter {
    hasher: Hasher,
    /// The last byte was a CR, and what follows it decides.
    pending: bool,
    found: bool,
}

impl Converter {
    fn update(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if self.pending {
                if first == b'\n' {
                    self.found = true;
                } else {
                    self.hasher.update(b"\r");
                }
            }
            let end = rest.iter().position(|&byte| byte == b'\r');
            self.pending = end.is_some();
            let end = end.unwrap_or(rest.len());
            self.hasher.update(&rest[..end]);
            rest = rest.get(end + 1..).unwrap_or_default();
        }
    }

    fn finish(mut self) -> Sha256 {
        if self.pending {
            self.hasher.update(b"\r");
        }
        self.hasher.finish()
    }
}

/// Git's guess whether a file is text (`convert.c`), over the whole file.
#[derive(Default)]
struct Looks {
    printable: u64,
    nonprintable: u64,
    nul: bool,
    lone_cr: bool,
    last: u8,
}

impl Looks {
    fn update(&mut self, bytes: &[u8]) {
        let mut last = self.last;
        for &byte in bytes {
            self.lone_cr |= last == b'\r' && byte != b'\n';
            match byte {
                b'\r' | b'\n' => {}
                0x08 | b'\t' | 0x1b | 0x0c => self.printable += 1,
                0 => {
                    self.nul = true;
                    self.nonprintable += 1;
                }
                1..32 | 127 => self.nonprintable += 1,
                _ => self.printable += 1,
            }
            last = byte;
        }
        self.last = last;
    }

    fn binary(&self) -> bool {
        // A final Ctrl-Z is the end mark of DOS texts.
        let nonprintable = self.nonprintable - u64::from(self.last == 0x1a);
        self.nul || self.lone_cr || self.last == b'\r' || self.printable / 128 < nonprintable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(rule: LineEnds, pieces: &[&[u8]]) -> Digests {
        let mut hasher = LineEndHasher::new(rule);
        for piece in pieces {
            hasher.update(piece);
        }
        hasher.finish()
    }

    fn converted(rule: LineEnds, bytes: &[u8]) -> Option<Sha256> {
        digests(rule, &[bytes]).converted
    }

    #[test]
    fn attributes_decide_before_settings() {
        let rule = |text: &str, eol: &str, crlf: &str, auto| {
            LineEnds::of(text.as_bytes(), eol.as_bytes(), crlf.as_bytes(), auto)
        };
        let none = "unspecified";
        assert_eq!(rule(none, none, none, false), LineEnds::Keep);
        assert_eq!(rule(none, none, none, true), LineEnds::Guess);
        assert_eq!(rule("unset", "crlf", none, true), LineEnds::Keep);
        assert_eq!(rule("set", none, none, false), LineEnds::Convert);
        assert_eq!(rule("auto", "lf", none, false), LineEnds::Guess);
        assert_eq!(rule(none, "crlf", none, false), LineEnds::Convert);
        assert_eq!(rule(none, none, "unset", true), LineEnds::Keep);
        assert_eq!(rule(none, none, "input", false), LineEnds::Convert);
        assert_eq!(rule("odd", none, none, false), LineEnds::Keep);
    }

    #[test]
    fn only_crlf_pairs_become_lf() {
        assert_eq!(converted(LineEnds::Convert, b"a\r\nb\rc\r\r\n\r"), Some(Sha256::of("a\nb\rc\r\n\r")));
        assert_eq!(converted(LineEnds::Convert, b"a\rb\n"), None);
        assert_eq!(converted(LineEnds::Keep, b"a\r\n"), None);
        assert_eq!(digests(LineEnds::Convert, &[b"a\r\n"]).as_is, Sha256::of("a\r\n"));
    }

    #[test]
    fn a_guess_leaves_binary_files_alone() {
        assert_eq!(converted(LineEnds::Guess, b"a\r\n"), Some(Sha256::of("a\n")));
        for binary in [&b"a\r\n\0"[..], b"a\r\nb\r", b"a\rb\r\n", b"a\r\n\x01", b"\x7f\r\n"] {
            assert_eq!(converted(LineEnds::Guess, binary), None, "{binary:?}");
        }
        assert_eq!(converted(LineEnds::Guess, b"a\r\n\x1a"), Some(Sha256::of("a\n\x1a")));
        let mostly_text = [&[b'x'; 128][..], b"\r\n\x01"].concat();
        assert!(converted(LineEnds::Guess, &mostly_text).is_some());
    }

    proptest::proptest! {
        #[test]
        fn pieces_do_not_matter(text in "[ab\r\n\u{1}]{0,40}", cuts in proptest::collection::vec(0usize..41, 0..4)) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            for rule in [LineEnds::Keep, LineEnds::Convert, LineEnds::Guess] {
                proptest::prop_assert_eq!(digests(rule, &pieces), digests(rule, &[bytes]));
            }
            let expected = text.contains("\r\n").then(|| Sha256::of(text.replace("\r\n", "\n")));
            proptest::prop_assert_eq!(converted(LineEnds::Convert, bytes), expected);
        }
    }
}
