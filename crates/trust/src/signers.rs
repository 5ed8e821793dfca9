//! The signers file: whose keys count, in the form of ssh's `allowed_signers`.

use std::collections::BTreeSet;
use std::fmt;

use canon::Sha256;

use crate::{Fault, Key, Principal, Signature};

/// One principal with one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signer {
    /// Who signs.
    pub principal: Principal,
    /// With which key.
    pub key: Key,
    /// For which purposes, as a list of patterns; for all of them without one.
    pub namespaces: Option<String>,
    /// The line of the file, from 1.
    pub line: usize,
}

/// A line that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLine {
    /// The line of the file, from 1.
    pub line: usize,
    /// Why.
    pub reason: LineFault,
}

/// Why a line is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineFault {
    /// It is not `principals [options] type key`.
    Incomplete,
    /// Its key can't be read.
    Key,
    /// It limits the key in time, by a date that whoever signs sets.
    Dated,
    /// It makes the key one that vouches for other keys.
    Authority,
    /// It has an option that is not known.
    Option(String),
    /// It names its principals by a pattern.
    Pattern(String),
    /// It holds bytes that are no text.
    NotText,
}

impl fmt::Display for LineFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Incomplete => f.write_str("it is not `principals [options] type key`"),
            Self::Key => f.write_str("its public key can't be read"),
            Self::Dated => f.write_str(
                "`valid-after` and `valid-before` are measured by the date of what is signed, which the signer sets; \
                 revoke a key by removing its line",
            ),
            Self::Authority => f.write_str("`cert-authority` would let a key vouch for keys that no one listed"),
            Self::Option(name) => write!(f, "the option `{}` is unknown", name.escape_debug()),
            Self::Pattern(name) => {
                write!(f, "`{}` is a pattern; name each signer exactly", name.escape_debug())
            }
            Self::NotText => f.write_str("it holds bytes that are no text"),
        }
    }
}

impl fmt::Display for RefusedLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not used: {}", self.line, self.reason)
    }
}

/// Why no signer of a set stands behind a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unproven {
    /// The key is not listed, or not for this purpose.
    Unlisted,
    /// The key is listed, and the signature fails.
    Fault(Fault),
}

impl fmt::Display for Unproven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlisted => f.write_str("it is by a key that is not listed for this purpose"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

/// A set of signers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signers {
    listed: Vec<Signer>,
    refused: Vec<RefusedLine>,
    digest: String,
}

impl Signers {
    /// Reads a file. A line that can't be used is left out and reported; nothing else goes wrong.
    pub fn read(text: &[u8]) -> Self {
        let text = lf(text);
        let mut set =
            Self { listed: Vec::new(), refused: Vec::new(), digest: format!("sha256:{}", Sha256::of(&text)) };
        for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
            let number = index + 1;
            match signers_of(line, number) {
                Ok(signers) => set.listed.extend(signers),
                Err(reason) => set.refused.push(RefusedLine { line: number, reason }),
            }
        }
        set
    }

    /// The signers, in the order of the file.
    pub fn signers(&self) -> &[Signer] {
        &self.listed
    }

    /// The lines that are not used.
    pub fn refused(&self) -> &[RefusedLine] {
        &self.refused
    }

    /// `sha256:` and the digest of the text with LF line ends.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The principals, sorted, each once.
    pub fn principals(&self) -> Vec<&Principal> {
        self.listed.iter().map(|signer| &signer.principal).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// How many signers there are to count: each key once, under however many names it stands.
    pub fn distinct(&self) -> usize {
        self.listed.iter().map(|signer| &signer.key).collect::<BTreeSet<_>>().len()
    }

    /// Whether a key is listed for this name.
    pub fn lists(&self, name: &str) -> bool {
        self.listed.iter().any(|signer| signer.principal.is(name))
    }

    /// Whether this key is listed, for whatever name and purpose.
    pub fn lists_key(&self, key: &Key) -> bool {
        self.listed.iter().any(|signer| signer.key == *key)
    }

    /// Who may sign with this key for this purpose, in the order of the file.
    pub fn owners<'s>(&'s self, key: &Key, namespace: &str) -> impl Iterator<Item = &'s Signer> {
        self.listed.iter().filter(move |signer| signer.key == *key && signer.may_sign(namespace))
    }

    /// Who made this signature: the first signer that is listed with its key for this purpose.
    pub fn author(
        &self,
        signature: &Signature,
        namespace: &str,
        message: &[u8],
    ) -> Result<&Signer, Unproven> {
        self.prove(signature, namespace, message, |_| true)
    }

    /// Whether the principal of this name made this signature.
    pub fn proves(
        &self,
        name: &str,
        signature: &Signature,
        namespace: &str,
        message: &[u8],
    ) -> Result<&Signer, Unproven> {
        self.prove(signature, namespace, message, |signer| signer.principal.is(name))
    }

    fn prove(
        &self,
        signature: &Signature,
        namespace: &str,
        message: &[u8],
        wanted: impl Fn(&Signer) -> bool,
    ) -> Result<&Signer, Unproven> {
        let mut owners = self.owners(signature.key(), namespace);
        let signer = owners.find(|signer| wanted(signer)).ok_or(Unproven::Unlisted)?;
        signature.verify(namespace, message).map_err(Unproven::Fault)?;
        Ok(signer)
    }
}

impl Signer {
    /// Whether the key counts for this purpose.
    pub fn may_sign(&self, namespace: &str) -> bool {
        self.namespaces.as_deref().is_none_or(|list| in_list(list, namespace))
    }
}

/// The text with LF line ends.
pub(crate) fn lf(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(text.len());
    for (index, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' if text.get(index + 1) == Some(&b'\n') => {}
            b'\r' => plain.push(b'\n'),
            _ => plain.push(byte),
        }
    }
    plain
}

fn signers_of(line: &[u8], number: usize) -> Result<Vec<Signer>, LineFault> {
    let line = std::str::from_utf8(line).map_err(|_| LineFault::NotText)?.trim_ascii();
    if line.is_empty() || line.starts_with('#') {
        return Ok(Vec::new());
    }
    if line.contains('\0') {
        return Err(LineFault::NotText);
    }
    let (principals, rest) = word(line);
    let (options, key) = if is_key_type(word(rest).0) { ("", rest) } else { word(rest) };
    let (kind, after) = word(key);
    let blob = word(after).0;
    if kind.is_empty() || blob.is_empty() {
        return Err(LineFault::Incomplete);
    }
    let namespaces = namespaces(options)?;
    if !is_key_type(kind) {
        return Err(LineFault::Key);
    }
    let key: Key = format!("{kind} {blob}").parse().map_err(|_| LineFault::Key)?;
    let names = principals.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(principals);
    let mut signers = Vec::new();
    for name in names.split(',').filter(|name| !name.is_empty()) {
        if name.contains(['*', '?', '!']) {
            return Err(LineFault::Pattern(name.to_owned()));
        }
        let Some(principal) = Principal::new(name) else { return Err(LineFault::Incomplete) };
        signers.push(Signer { principal, key: key.clone(), namespaces: namespaces.clone(), line: number });
    }
    if signers.is_empty() { Err(LineFault::Incomplete) } else { Ok(signers) }
}

/// The first word, in which quotes hold blanks together, and what follows it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_ascii_start();
    let mut quoted = false;
    let end = text.find(|letter: char| {
        quoted ^= letter == '"';
        !quoted && letter.is_ascii_whitespace()
    });
    text.split_at(end.unwrap_or(text.len()))
}

fn is_key_type(word: &str) -> bool {
    matches!(
        word,
        "ssh-ed25519"
            | "ssh-rsa"
            | "ecdsa-sha2-nistp256"
            | "ecdsa-sha2-nistp384"
            | "ecdsa-sha2-nistp521"
            | "sk-ssh-ed25519@openssh.com"
            | "sk-ecdsa-sha2-nistp256@openssh.com"
    )
}

/// The value of the one option that is known.
fn namespaces(options: &str) -> Result<Option<String>, LineFault> {
    let mut found = None;
    let mut quoted = false;
    let parts = options.split(|letter: char| {
        quoted ^= letter == '"';
        !quoted && letter == ','
    });
    for option in parts.filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        match name.to_ascii_lowercase().as_str() {
            "namespaces" if found.is_none() => {
                let value = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(value);
                found = Some(value.to_owned());
            }
            "valid-after" | "valid-before" => return Err(LineFault::Dated),
            "cert-authority" => return Err(LineFault::Authority),
            _ => return Err(LineFault::Option(name.to_owned())),
        }
    }
    Ok(found)
}

/// Whether a list of patterns, as ssh reads it, takes `name` in: one pattern matches and none after a `!` does.
fn in_list(list: &str, name: &str) -> bool {
    let mut taken = false;
    for pattern in list.split(',') {
        match pattern.strip_prefix('!') {
            Some(pattern) if matches(pattern.as_bytes(), name.as_bytes()) => return false,
            Some(_) => {}
            None => taken |= matches(pattern.as_bytes(), name.as_bytes()),
        }
    }
    taken
}

/// `*` stands for any letters, `?` for one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    // Where the last star stood, and how much of the name it has taken: going back there is enough.
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&letter) if letter == b'?' || letter == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&letter| letter == b'*')
}

#[cfg(test)]
mod tests;
