//! Hashes whose algorithm the text names, as in `sha256-<base64>`.

use std::fmt::Write as _;

use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::base64;

/// An algorithm that such a text may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

impl Algorithm {
    /// The algorithm of a name such as `sha384`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "sha256" => Self::Sha256,
            "sha384" => Self::Sha384,
            "sha512" => Self::Sha512,
            _ => return None,
        })
    }

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }
}

/// A hash and its algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hashed {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

impl Hashed {
    /// The hash of some bytes.
    pub fn of(algorithm: Algorithm, bytes: &[u8]) -> Self {
        let bytes = match algorithm {
            Algorithm::Sha256 => Sha256::digest(bytes).to_vec(),
            Algorithm::Sha384 => Sha384::digest(bytes).to_vec(),
            Algorithm::Sha512 => Sha512::digest(bytes).to_vec(),
        };
        Self { algorithm, bytes }
    }

    /// The hash in lower-case hex.
    pub fn hex(&self) -> String {
        self.bytes.iter().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// The text with the algorithm's name and the hash in base64.
    pub fn integrity(&self) -> String {
        format!("{}-{}", self.algorithm.name(), base64::encode(&self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_hashes() {
        for (name, integrity) in [
            ("sha256", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
            ("sha384", "sha384-ywB1P0WjXou1oD1pmsZQBycsMqsO3tFjGotgWkP/W+2AhgcroefMI1i67KE0yCWn"),
        ] {
            let algorithm = Algorithm::named(name).unwrap();
            assert_eq!(Hashed::of(algorithm, b"abc").integrity(), integrity);
        }
        let hashed = Hashed::of(Algorithm::Sha512, b"");
        assert!(hashed.hex().starts_with("cf83e1357eefb8bd") && hashed.integrity().ends_with("=="));
        assert_eq!(Algorithm::named("md5"), None);
    }
}
