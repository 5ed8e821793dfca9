//! Public keys.

use std::fmt;
use std::str::FromStr;

use ssh_key::public::{EcdsaPublicKey, KeyData};
use ssh_key::{Algorithm, HashAlg, PublicKey};

/// Sizes of RSA keys that are checked, in bits.
const RSA_BITS: std::ops::RangeInclusive<usize> = 2048..=4096;

/// An SSH public key, without its comment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(KeyData);

/// The text is no public key in OpenSSH's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotAKey;

impl fmt::Display for NotAKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it is no public key as `ssh-keygen` writes it")
    }
}

impl std::error::Error for NotAKey {}

impl FromStr for Key {
    type Err = NotAKey;

    /// Reads `<type> <base64>`, with or without a comment.
    fn from_str(line: &str) -> Result<Self, NotAKey> {
        PublicKey::from_openssh(line).map(|key| Self(key.key_data().clone())).map_err(|_| NotAKey)
    }
}

impl Key {
    pub(crate) fn new(data: KeyData) -> Self {
        Self(data)
    }

    pub(crate) fn data(&self) -> &KeyData {
        &self.0
    }

    /// `SHA256:` and the digest of the key in base64, as ssh shows it.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint(HashAlg::Sha256).to_string()
    }

    /// The 32 bytes of an Ed25519 key; none of another kind.
    pub fn ed25519(&self) -> Option<&[u8; 32]> {
        self.0.ed25519().map(|key| &key.0)
    }

    /// The kind of key, if signatures of that kind can't be checked here.
    pub(crate) fn unsupported(&self) -> Option<String> {
        match &self.0 {
            KeyData::Ed25519(_)
            | KeyData::SkEd25519(_)
            | KeyData::SkEcdsaSha2NistP256(_)
            | KeyData::Ecdsa(
                EcdsaPublicKey::NistP256(_) | EcdsaPublicKey::NistP384(_) | EcdsaPublicKey::NistP521(_),
            ) => None,
            KeyData::Rsa(key) => {
                let bits = key.n.as_positive_bytes().map_or(0, |bytes| bytes.len() * 8);
                (!RSA_BITS.contains(&bits)).then(|| format!("ssh-rsa of {bits} bits"))
            }
            other => Some(other.algorithm().to_string()),
        }
    }

    /// Whether a signature of this kind can be this key's.
    pub(crate) fn signs_with(&self, algorithm: &Algorithm) -> bool {
        match self.0.algorithm() {
            Algorithm::Rsa { .. } => matches!(algorithm, Algorithm::Rsa { hash: Some(_) }),
            own => own == *algorithm,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = PublicKey::from(self.0.clone()).to_openssh().map_err(|_| fmt::Error)?;
        f.write_str(text.trim_end())
    }
}
