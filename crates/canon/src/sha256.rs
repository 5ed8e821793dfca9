//! SHA-256 digests as a type of their own: 32 bytes, shown and stored as 64 lower-case hex digits.

use std::fmt;
use std::io::{self, Read};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest as _;
use sha2::digest::common::hazmat::SerializableState as _;

/// A SHA-256 digest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    pub fn of(bytes: impl AsRef<[u8]>) -> Self {
        Self(sha2::Sha256::digest(bytes.as_ref()).into())
    }

    /// The digest of everything that `reader` yields, and how many bytes that was.
    pub fn of_reader(mut reader: impl Read) -> io::Result<(Self, u64)> {
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; 64 * 1024];
        let mut total = 0;
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher.finish(), total)),
                Ok(n) => {
                    hasher.update(&buffer[..n]);
                    total += n as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first twelve hex digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_owned()
    }
}

/// A digest in the making. Cloning it forks the computation, so that two texts with a common
/// beginning cost one pass over it.
#[derive(Clone, Default)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// A hasher that has seen nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in more bytes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.update(bytes.as_ref());
    }

    /// The computation as it stands, in hex, to go on with in another process.
    pub fn state(&self) -> String {
        self.0.serialize().iter().fold(String::new(), |mut hex, byte| {
            let _ = fmt::Write::write_fmt(&mut hex, format_args!("{byte:02x}"));
            hex
        })
    }

    /// The computation that [`state`](Self::state) wrote; none where the text is no such state.
    pub fn from_state(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let bytes = digits
            .chunks_exact(2)
            .map(|pair| Some(digit(pair[0])? * 16 + digit(pair[1])?))
            .collect::<Option<Vec<u8>>>()?;
        let state = bytes.as_slice().try_into().ok()?;
        sha2::Sha256::deserialize(state).ok().map(Self)
    }

    /// The digest of all bytes taken in.
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written at once: a listing prints tens of thousands of digests.
        let digit = |half: u8| b"0123456789abcdef"[usize::from(half & 15)];
        let mut hex = [0; 64];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte)]);
        }
        f.write_str(std::str::from_utf8(&hex).unwrap_or_default())
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text is not 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotASha256;

impl fmt::Display for NotASha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a SHA-256 digest of 64 hex digits")
    }
}

impl std::error::Error for NotASha256 {}

impl FromStr for Sha256 {
    type Err = NotASha256;

    fn from_str(text: &str) -> Result<Self, NotASha256> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return Err(NotASha256);
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let high = char::from(pair[0]).to_digit(16).ok_or(NotASha256)?;
            let low = char::from(pair[1]).to_digit(16).ok_or(NotASha256)?;
            *byte = u8::try_from(high * 16 + low).map_err(|_| NotASha256)?;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl schemars::JsonSchema for Sha256 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sha256".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "pattern": "^[0-9a-f]{64}$" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_digest_and_its_text_form() {
        let digest = Sha256::of("abc");
        let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.to_string(), text);
        assert_eq!(text.to_uppercase().parse(), Ok(digest));
        assert_eq!("abc".parse::<Sha256>(), Err(NotASha256));
        assert_eq!(digest.short(), "ba7816bf8f01");
    }

    #[test]
    fn a_computation_goes_on_where_it_was_left() {
        let mut start = Hasher::new();
        start.update("a".repeat(1000));
        let mut later = Hasher::from_state(&start.state()).unwrap();
        later.update("b");
        assert_eq!(later.finish(), Sha256::of(format!("{}b", "a".repeat(1000))));
        assert!(Hasher::from_state("00").is_none());
        assert!(Hasher::from_state("no hex").is_none());
    }

    #[test]
    fn a_forked_hasher_shares_the_beginning() {
        let mut start = Hasher::new();
        start.update("ab");
        let mut other = start.clone();
        start.update("c");
        other.update("d");
        assert_eq!(start.finish(), Sha256::of("abc"));
        assert_eq!(other.finish(), Sha256::of("abd"));
        assert_eq!(Sha256::of_reader(&b"abc"[..]).unwrap(), (Sha256::of("abc"), 3));
    }
}
