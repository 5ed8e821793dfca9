//! Detached SSH signatures: what `ssh-keygen -Y sign` makes, checked in process.

use std::fmt;

use ssh_key::{Algorithm, LineEnding, PublicKey, SshSig};

use crate::Key;

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// More than any key makes: an RSA signature of 16384 bits has some 7 KB of armor.
const LONGEST: usize = 64 * 1024;

/// Where ssh breaks the lines of an armor.
const WIDTH: usize = 70;

/// A signature with the key that claims to have made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    inner: SshSig,
    key: Key,
}

/// Why a signature is none that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// The text is no armored SSH signature.
    Malformed,
    /// It was made for another purpose.
    Namespace {
        /// The purpose that it was made for.
        found: String,
    },
    /// Another content, or another key.
    Wrong,
    /// Keys of this kind can't be checked here.
    Unsupported {
        /// The kind.
        algorithm: String,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed => f.write_str("it is no armored ssh signature"),
            Self::Namespace { found } => {
                write!(f, "it was made in the namespace `{}`", found.escape_debug())
            }
            Self::Wrong => f.write_str("it does not verify over this content"),
            Self::Unsupported { algorithm } => {
                write!(f, "signatures by a key of type {algorithm} can't be checked here")
            }
        }
    }
}

impl std::error::Error for Fault {}

/// Whether the text says of itself that it is an SSH signature.
pub fn is_armored(text: &str) -> bool {
    text.starts_with(BEGIN)
}

impl Signature {
    /// Reads an armored signature. Line ends and the width of lines don't matter.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        if text.len() > LONGEST {
            return Err(Fault::Malformed);
        }
        let body = text.trim_ascii().strip_prefix(BEGIN).and_then(|rest| rest.strip_suffix(END));
        let body: String =
            body.ok_or(Fault::Malformed)?.chars().filter(|letter| !letter.is_ascii_whitespace()).collect();
        if !body.is_ascii() {
            return Err(Fault::Malformed);
        }
        let mut armor = format!("{BEGIN}\n");
        for line in body.as_bytes().chunks(WIDTH) {
            armor.push_str(&String::from_utf8_lossy(line));
            armor.push('\n');
        }
        armor.push_str(END);
        armor.push('\n');
        let inner = SshSig::from_pem(&armor).map_err(|_| Fault::Malformed)?;
        // The decoder forgives lengths that point too far. Nothing else may decode to the same signature.
        if inner.to_pem(LineEnding::LF).ok().as_deref() != Some(armor.as_str()) {
            return Err(Fault::Malformed);
        }
        // Neither is covered by the signature, and no program writes anything else.
        if inner.version() != SshSig::VERSION || !inner.reserved().is_empty() {
            return Err(Fault::Malformed);
        }
        let key = Key::new(inner.public_key().clone());
        Ok(Self { inner, key })
    }

    /// The key that it names. Only after [`Signature::verify`] it is known to be this key's.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The purpose that it was made for.
    pub fn namespace(&self) -> &str {
        self.inner.namespace()
    }

    /// Checks that the key it names signed `message` for this purpose.
    pub fn verify(&self, namespace: &str, message: &[u8]) -> Result<(), Fault> {
        if self.namespace() != namespace {
            return Err(Fault::Namespace { found: self.namespace().to_owned() });
        }
        let algorithm = self.inner.algorithm();
        if let Some(algorithm) = self.key.unsupported() {
            return Err(Fault::Unsupported { algorithm });
        }
        if let Algorithm::Other(name) = &algorithm {
            return Err(Fault::Unsupported { algorithm: name.as_str().to_owned() });
        }
        if !self.key.signs_with(&algorithm) {
            return Err(Fault::Wrong);
        }
        let key = PublicKey::from(self.key.data().clone());
        key.verify(namespace, message, &self.inner).map_err(|_| Fault::Wrong)
    }
}

#[cfg(test)]
mod tests;
