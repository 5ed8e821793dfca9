//! Ed25519 keys in PEM files: what a program signs with by itself, where no person's key is asked for.

use std::fmt;

use canon::base64;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use ed25519_dalek::pkcs8::{
    DecodePrivateKey as _, DecodePublicKey as _, EncodePrivateKey as _, EncodePublicKey as _, KeypairBytes,
};
use ed25519_dalek::{Signature, Signer as _};
use ssh_key::public::{Ed25519PublicKey, KeyData};

use crate::Key;

/// The key can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFault {
    /// The text is no private key in PEM that holds an Ed25519 key (PKCS #8).
    Private,
    /// The text is no public key in PEM, and none in OpenSSH's form, that holds an Ed25519 key.
    Public,
}

impl fmt::Display for KeyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Private => "it is no Ed25519 private key in PEM",
            Self::Public => "it is no Ed25519 public key, neither in PEM nor as `ssh-keygen` writes it",
        })
    }
}

impl std::error::Error for KeyFault {}

/// A private key.
#[derive(Clone)]
pub struct SigningKey {
    inner: ed25519_dalek::SigningKey,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.public().id())
    }
}

impl SigningKey {
    /// The key that a seed of 32 unpredictable bytes makes.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self { inner: ed25519_dalek::SigningKey::from_bytes(seed) }
    }

    /// Reads a key in PEM (PKCS #8), as `openssl genpkey -algorithm ed25519` writes it.
    pub fn from_pem(text: &str) -> Result<Self, KeyFault> {
        let inner = ed25519_dalek::SigningKey::from_pkcs8_pem(text).map_err(|_| KeyFault::Private)?;
        Ok(Self { inner })
    }

    /// The key in PEM, without the public half, which some programs don't read.
    pub fn to_pem(&self) -> Result<String, KeyFault> {
        let pair = KeypairBytes { secret_key: self.inner.to_bytes(), public_key: None };
        pair.to_pkcs8_pem(LineEnding::LF).map(|text| text.as_str().to_owned()).map_err(|_| KeyFault::Private)
    }

    /// The public half.
    pub fn public(&self) -> VerifyingKey {
        VerifyingKey { inner: self.inner.verifying_key() }
    }

    /// The signature of a message, in base64.
    pub fn sign(&self, message: &[u8]) -> String {
        base64::encode(&self.inner.sign(message).to_bytes())
    }
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifyingKey {
    inner: ed25519_dalek::VerifyingKey,
}

impl VerifyingKey {
    /// The key of its 32 bytes; none where no private key has it.
    pub fn from_bytes(bytes: &[u8; 32]) -> Option<Self> {
        ed25519_dalek::VerifyingKey::from_bytes(bytes).ok().map(|inner| Self { inner })
    }

    /// Reads a key in PEM (SPKI), or as one line of OpenSSH's.
    pub fn parse(text: &str) -> Result<Self, KeyFault> {
        let text = text.trim();
        if let Ok(inner) = ed25519_dalek::VerifyingKey::from_public_key_pem(text) {
            return Ok(Self { inner });
        }
        let key: Key = text.parse().map_err(|_| KeyFault::Public)?;
        key.ed25519().and_then(Self::from_bytes).ok_or(KeyFault::Public)
    }

    /// The key in PEM.
    pub fn to_pem(&self) -> Result<String, KeyFault> {
        self.inner.to_public_key_pem(LineEnding::LF).map_err(|_| KeyFault::Public)
    }

    /// The key in OpenSSH's form.
    pub fn ssh(&self) -> Key {
        Key::new(KeyData::Ed25519(Ed25519PublicKey(self.inner.to_bytes())))
    }

    /// The fingerprint that names the key in a signature: `SHA256:` and base64, as ssh shows it.
    pub fn id(&self) -> String {
        self.ssh().fingerprint()
    }

    /// Whether `signature`, in base64, is this key's over `message`.
    pub fn verifies(&self, message: &[u8], signature: &str) -> bool {
        let bytes = base64::decode(signature).and_then(|bytes| <[u8; 64]>::try_from(bytes).ok());
        bytes.is_some_and(|bytes| self.inner.verify_strict(message, &Signature::from_bytes(&bytes)).is_ok())
    }
}

#[cfg(test)]
mod tests;
