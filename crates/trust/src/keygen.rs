//! Making signatures with the user's own `ssh-keygen`, so that keys in an agent or on a token work too.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use store::Env;
use store::git::{Git, GitError, Scratch};

use crate::{Fault, Signature};

/// Which key signs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SigningKey {
    /// A file: a private key, or a public one whose private half an agent holds.
    File(PathBuf),
    /// A public key as text, whose private half an agent holds.
    Agent(String),
}

impl SigningKey {
    /// The key in a file that the user named, relative to `folder` or to the home folder by `~/`.
    pub fn file(name: &str, folder: &Path, env: &Env) -> Self {
        let home = name.strip_prefix("~/").and_then(|rest| Some(Path::new(env.get("HOME")?).join(rest)));
        Self::File(home.unwrap_or_else(|| folder.join(name)))
    }

    /// The key that git signs commits with, if it signs them with SSH.
    pub fn from_git(git: &Git, env: &Env) -> Result<Self, SignError> {
        let format = git.config("gpg.format")?;
        let key = git.config("user.signingkey")?.filter(|key| !key.is_empty());
        match (format.as_deref(), key) {
            (Some("ssh"), Some(key)) => {
                Ok(Self::literal(&key).unwrap_or_else(|| Self::file(&key, git.dir(), env)))
            }
            (_, _) => Err(SignError::NoKey { format }),
        }
    }

    /// `key::<public key>`, or the public key itself.
    fn literal(key: &str) -> Option<Self> {
        let bare = ["ssh-", "ecdsa-", "sk-"].iter().any(|kind| key.starts_with(kind)).then_some(key);
        key.strip_prefix("key::").or(bare).map(|key| Self::Agent(key.to_owned()))
    }
}

/// Why nothing was signed.
#[derive(Debug)]
pub enum SignError {
    /// Git names no SSH key.
    NoKey {
        /// What `gpg.format` says.
        format: Option<String>,
    },
    /// There is no `ssh-keygen` on the `PATH`.
    NotInstalled,
    /// `ssh-keygen` could not use the key.
    Refused {
        /// What it said.
        message: String,
    },
    /// `ssh-keygen` did not start, or was cut off.
    Start(io::Error),
    /// It made a signature that does not verify.
    Unusable(Fault),
    /// Git could not be asked, or there is no room for a temporary file.
    Git(GitError),
}

impl fmt::Display for SignError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoKey { format: Some(format) } if format == "ssh" => {
                f.write_str("git names no signing key: `user.signingkey` is not set")
            }
            Self::NoKey { format } => write!(
                f,
                "git names no ssh signing key: `gpg.format` is {}",
                format.as_deref().unwrap_or("not set")
            ),
            Self::NotInstalled => f.write_str("`ssh-keygen` is not on the PATH"),
            Self::Refused { message } => write!(f, "`ssh-keygen` made no signature: {message}"),
            Self::Start(error) => write!(f, "cannot run `ssh-keygen`: {error}"),
            Self::Unusable(fault) => write!(f, "`ssh-keygen` made a signature that can't be used: {fault}"),
            Self::Git(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SignError {}

impl From<GitError> for SignError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

/// A signature just made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The armor, as `ssh-keygen` wrote it, without the last line end.
    pub armor: String,
    /// The same, read and verified.
    pub signature: Signature,
}

/// Signs `message`. Asks nobody anything: a key with a passphrase signs through an agent or not at all.
pub fn sign(key: &SigningKey, namespace: &str, message: &[u8], env: &Env) -> Result<Signed, SignError> {
    let _room;
    let file = match key {
        SigningKey::File(path) => path.clone(),
        SigningKey::Agent(public) => {
            let room = Scratch::new(env)?;
            let path = room.path("key.pub");
            std::fs::write(&path, format!("{public}\n"))
                .map_err(|source| GitError::File { path: path.clone(), source })?;
            _room = room;
            path
        }
    };
    let args: [OsString; 7] =
        ["-q".into(), "-Y".into(), "sign".into(), "-n".into(), namespace.into(), "-f".into(), file.into()];
    let armor = run(&args, message, env)?.trim_end().to_owned();
    let signature = Signature::parse(&armor).map_err(SignError::Unusable)?;
    match signature.verify(namespace, message) {
        // Made by a kind of key that others can check.
        Ok(()) | Err(Fault::Unsupported { .. }) => Ok(Signed { armor, signature }),
        Err(fault) => Err(SignError::Unusable(fault)),
    }
}

fn run(args: &[OsString], input: &[u8], env: &Env) -> Result<String, SignError> {
    let mut command = Command::new("ssh-keygen");
    command.args(args).env_clear().envs(env.iter());
    // The one way to keep it from asking on the terminal: a helper for passphrases that knows none.
    command.envs([("SSH_ASKPASS_REQUIRE", "force"), ("SSH_ASKPASS", "/bin/false"), ("LC_ALL", "C")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => SignError::NotInstalled,
        _ => SignError::Start(error),
    })?;
    let stdin = child.stdin.take();
    let output = thread::scope(|scope| {
        // It may end without reading everything, and then says why.
        scope.spawn(move || stdin.map(|mut pipe| pipe.write_all(input).ok()));
        child.wait_with_output()
    })
    .map_err(SignError::Start)?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
    Err(SignError::Refused { message: canon::text::one_line(&lines.join("; ")) })
}

#[cfg(test)]
mod tests;
