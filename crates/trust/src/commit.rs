//! The signature of a commit.

use std::fmt;

use store::git::Oid;

use crate::is_armored;
use crate::signers::Unproven;
use crate::{Fault, Signature, Signer, Signers};

/// What commits are signed for.
pub const NAMESPACE: &str = "git";

/// A commit, taken apart into what was signed and the signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedCommit {
    /// What the signature covers: the commit without its signatures.
    pub payload: Vec<u8>,
    /// The signature, if there is one.
    pub signature: Option<CommitSignature>,
}

/// A signature as it stands in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitSignature {
    /// One of SSH, armored.
    Ssh(String),
    /// One of OpenPGP, which is not checked here.
    OpenPgp,
    /// One of X.509, which is not checked here.
    X509,
    /// None that git would make.
    Unknown,
}

impl SignedCommit {
    /// Takes the object of `commit` apart. Git keeps the signature in `gpgsig`, or in `gpgsig-sha256` where objects
    /// have SHA-256 names; neither is part of what is signed.
    pub fn read(commit: &Oid, object: &[u8]) -> Self {
        let own: &[u8] = if commit.as_str().len() == 64 { b"gpgsig-sha256" } else { b"gpgsig" };
        let end = object.windows(2).position(|pair| pair == b"\n\n").map_or(object.len(), |at| at + 1);
        let (head, body) = object.split_at(end);
        let mut payload = Vec::with_capacity(object.len());
        let mut found: Vec<Vec<u8>> = Vec::new();
        let mut at = Header::Other;
        for line in head.split_inclusive(|&byte| byte == b'\n') {
            let continued = line.strip_prefix(b" ");
            if continued.is_none() {
                let name = line.split(|&byte| byte == b' ').next().unwrap_or_default();
                at = match name {
                    name if name == own => Header::Own,
                    b"gpgsig" | b"gpgsig-sha256" => Header::Foreign,
                    _ => Header::Other,
                };
            }
            match (at, continued) {
                (Header::Own, None) => found.push(line[(own.len() + 1).min(line.len())..].to_vec()),
                (Header::Own, Some(rest)) => {
                    if let Some(signature) = found.last_mut() {
                        signature.extend_from_slice(rest);
                    }
                }
                (Header::Foreign, _) => {}
                (Header::Other, _) => payload.extend_from_slice(line),
            }
        }
        payload.extend_from_slice(body);
        let signature = match found.as_slice() {
            [] => None,
            [one] => Some(CommitSignature::read(one)),
            _ => Some(CommitSignature::Unknown),
        };
        Self { payload, signature }
    }

    /// Who of `signers` signed.
    pub fn author<'a>(&self, signers: &'a Signers) -> Result<Proof<'a>, Unsigned> {
        match &self.signature {
            None => Err(Unsigned::Not),
            Some(CommitSignature::OpenPgp) => Err(Unsigned::Unchecked("an OpenPGP signature".into())),
            Some(CommitSignature::X509) => Err(Unsigned::Unchecked("an X.509 signature".into())),
            Some(CommitSignature::Unknown) => Err(Unsigned::Invalid(Fault::Malformed)),
            Some(CommitSignature::Ssh(armor)) => {
                let signature = Signature::parse(armor).map_err(Unsigned::Invalid)?;
                let key = signature.key().fingerprint();
                match signers.author(&signature, NAMESPACE, &self.payload) {
                    Ok(signer) => Ok(Proof { signer, key }),
                    Err(Unproven::Unlisted) => Err(Unsigned::Unlisted { key }),
                    Err(Unproven::Fault(Fault::Unsupported { algorithm })) => {
                        Err(Unsigned::Unchecked(format!("a signature by a key of type {algorithm}")))
                    }
                    Err(Unproven::Fault(fault)) => Err(Unsigned::Invalid(fault)),
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Header {
    /// The signature of this repository's object format.
    Own,
    /// The signature that the commit has in the other format.
    Foreign,
    Other,
}

/// A commit's author, proved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof<'a> {
    /// Who signed.
    pub signer: &'a Signer,
    /// The fingerprint of the key.
    pub key: String,
}

/// Why a commit proves nobody's authorship.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsigned {
    /// It has no signature.
    Not,
    /// It has one that can't be checked here: this one.
    Unchecked(String),
    /// Its key is not listed.
    Unlisted {
        /// The fingerprint of the key.
        key: String,
    },
    /// The signature is no good, though its key may be listed.
    Invalid(Fault),
}

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Not => f.write_str("the commit is not signed"),
            Self::Unchecked(what) => write!(f, "the commit carries {what}, which is not checked here"),
            Self::Unlisted { key } => {
                write!(f, "the commit is signed by a key that is not listed for commits ({key})")
            }
            Self::Invalid(fault) => write!(f, "the commit's signature is no good: {fault}"),
        }
    }
}

impl CommitSignature {
    fn read(bytes: &[u8]) -> Self {
        let Ok(text) = std::str::from_utf8(bytes) else { return Self::Unknown };
        if is_armored(text) {
            Self::Ssh(text.to_owned())
        } else if text.starts_with("-----BEGIN PGP ") {
            Self::OpenPgp
        } else if text.starts_with("-----BEGIN SIGNED MESSAGE-----") {
            Self::X509
        } else {
            Self::Unknown
        }
    }
}

#[cfg(test)]
mod tests;
