//! The write lock of a working tree, and `workspace lock`.
//!
//! Every write to the working tree holds the lock from its first read to its last write. A batch holds it across
//! commands: `lock acquire` gives out a token, and each command of the batch finds it in `CHANT_WRITE_LOCK`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use canon::Sha256;
use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::World;
use store::git::{Layout, RepoPath};
use store::lock::{Claim, FolderLock, LockError, LockFolder, Owner};

use crate::document::{CONTRACT, Cairn, LEVEL, Problem};
use crate::{codes, duration};

const SCHEMA: &str = "https://intentius.io/chant/schemas/workspace/write-lock/v1/write-lock.schema.json";

/// How long a command holds the lock at most.
const COMMAND: Duration = Duration::from_mins(2);

/// How long a batch holds the lock where it doesn't say.
const BATCH: Duration = Duration::from_mins(1);

/// How long a batch may hold the lock.
const LONGEST_BATCH: Duration = Duration::from_mins(10);

/// How long a write waits for the lock where `CHANT_WRITE_LOCK_WAIT_MS` doesn't say.
const WAIT: Duration = Duration::from_secs(15);

/// Who writes, for the lock to name.
#[derive(Debug, Clone, Copy)]
pub struct Writer<'a> {
    /// The command, as in `records amend`.
    pub verb: &'a str,
    /// The person that the command names.
    pub by: Option<&'a str>,
}

/// The write lock of one working tree.
pub struct WriteLock<'a> {
    folder: LockFolder,
    world: &'a World,
}

impl<'a> WriteLock<'a> {
    /// The lock of the working tree that `layout` describes, or, outside git, of the workspace at `root`.
    pub fn new(root: &Path, layout: Option<&Layout>, world: &'a World) -> Self {
        let inside = |layout: &Layout| LockFolder {
            path: layout.git_dir.join("chant-write.lock"),
            guard: layout.git_dir.join("cairn/chant/write-lock"),
        };
        let folder = layout.map_or_else(|| outside(root, world), inside);
        Self { folder, world }
    }

    /// Takes the lock for one command, or goes ahead within the batch that `CHANT_WRITE_LOCK` names. Dropping what is
    /// given back lets go.
    ///
    /// # Errors
    /// `write-lock-timeout` names the holder that this process waited for; `write-lock-not-held` says that the batch
    /// holds the lock no longer.
    pub fn acquire(&self, writer: Writer<'_>) -> Result<FolderLock, Refusal> {
        let (wait, now) = (self.wait(), self.world.now());
        let lock = match self.token() {
            Some(token) => self.folder.join(&token, wait, now),
            None => self.folder.acquire(&self.claim(writer, COMMAND), wait, now),
        };
        lock.map_err(refuse)
    }

    /// `lock`: who holds the lock.
    pub fn status(&self) -> Result<Report, Failure> {
        Ok(self.report(Verb::Status, self.owner(Verb::Status)?, None))
    }

    /// `lock acquire --holder <name> [--ttl <duration>]`: takes the lock for a batch.
    pub fn open_batch(&self, holder: &str, ttl: Option<&str>) -> Result<Report, Failure> {
        let usage = |message: String| {
            let refusal = Refusal::new(codes::WRITE_USAGE_INVALID, message);
            self.failure(Verb::Acquire, &refusal)
        };
        if holder.trim().is_empty() {
            return Err(usage("`--holder` names nobody".to_owned()));
        }
        let lasts = match ttl {
            None => BATCH,
            Some(text) => duration::parse(text)
                .filter(|lasts| !lasts.is_zero() && *lasts <= LONGEST_BATCH)
                .ok_or_else(|| {
                usage(format!("`--ttl {text}` is no duration of at most ten minutes, such as `90` or `5m`"))
            })?,
        };
        if let Some(token) = self.token()
            && self.owner(Verb::Acquire)?.is_some_and(|owner| owner.token == token)
        {
            return Err(usage("`CHANT_WRITE_LOCK` already names the batch that holds the lock".to_owned()));
        }
        let claim = self.claim(Writer { verb: "batch", by: Some(holder) }, lasts);
        let owner = self.folder.open_batch(&claim, self.wait(), self.world.now());
        let owner = owner.map_err(|error| self.failure(Verb::Acquire, &refuse(error)))?;
        let token = owner.token.clone();
        Ok(self.report(Verb::Acquire, Some(owner), Some(token)))
    }

    /// `lock release --token <token>`: ends the batch.
    pub fn close_batch(&self, token: &str) -> Result<Report, Failure> {
        match self.folder.close_batch(token, self.wait(), self.world.now()) {
            Ok(_) => Ok(self.report(Verb::Release, None, None)),
            Err(error) => Err(self.failure(Verb::Release, &refuse(error))),
        }
    }

    fn owner(&self, verb: Verb) -> Result<Option<Owner>, Failure> {
        self.folder.owner().map_err(|error| self.failure(verb, &refuse(error)))
    }

    fn token(&self) -> Option<String> {
        self.world.env.get("CHANT_WRITE_LOCK").map(|token| token.to_string_lossy().into_owned())
    }

    fn wait(&self) -> Duration {
        let given = self.world.env.get("CHANT_WRITE_LOCK_WAIT_MS");
        let given = given.and_then(|text| text.to_str()?.trim().parse().ok());
        given.map_or(WAIT, Duration::from_millis)
    }

    fn claim(&self, writer: Writer<'_>, lasts: Duration) -> Claim {
        let mut bytes = [0; 16];
        self.world.entropy.fill(&mut bytes);
        let agent = self.world.env.get("CHANT_AGENT").map(|agent| agent.to_string_lossy().into_owned());
        Claim {
            token: format!("{:032x}", u128::from_be_bytes(bytes)),
            verb: writer.verb.to_owned(),
            by: writer.by.map(str::to_owned),
            agent,
            lasts,
        }
    }

    fn report(&self, verb: Verb, owner: Option<Owner>, token: Option<String>) -> Report {
        Report {
            schema: SCHEMA,
            contract: CONTRACT,
            chant: LEVEL,
            cairn: Cairn::THIS,
            verb,
            path: self.folder.path.to_string_lossy().into_owned(),
            holder: owner.map(Holder::from),
            token,
        }
    }

    fn failure(&self, verb: Verb, refusal: &Refusal) -> Failure {
        Failure {
            schema: SCHEMA,
            contract: CONTRACT,
            chant: LEVEL,
            cairn: Cairn::THIS,
            verb,
            error: Problem::from(refusal),
            holder: self.folder.owner().ok().flatten().map(Holder::from),
        }
    }
}

/// What a `lock` command was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    /// `lock`.
    Status,
    /// `lock acquire`.
    Acquire,
    /// `lock release`.
    Release,
}

/// What a `lock` command prints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The command.
    pub verb: Verb,
    /// The folder of the lock.
    pub path: String,
    /// Who holds it.
    pub holder: Option<Holder>,
    /// The token of a batch that was opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// Why a `lock` command did nothing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure {
    /// The document's schema.
    #[serde(rename = "$schema")]
    pub schema: &'static str,
    /// The version of the read contract.
    pub contract: u32,
    /// The level of the contract.
    pub chant: &'static str,
    /// What printed the document.
    #[serde(rename = "x-cairn")]
    pub cairn: Cairn,
    /// The command.
    pub verb: Verb,
    /// The reason.
    pub error: Problem,
    /// Who holds the lock.
    pub holder: Option<Holder>,
}

/// Who holds the lock: all that is published but the token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// The process; none for a batch.
    pub pid: Option<u32>,
    /// Its machine.
    pub host: String,
    /// The command, or `batch`.
    pub verb: String,
    /// The person that the command or the batch names.
    pub by: Option<String>,
    /// The agent session.
    pub agent: Option<String>,
    /// When it was taken.
    pub acquired_at: String,
    /// From when on any writer may break it.
    pub expires_at: String,
}

impl From<Owner> for Holder {
    fn from(owner: Owner) -> Self {
        let Owner { token: _, pid, host, verb, by, agent, acquired_at, expires_at } = owner;
        Self { pid, host, verb, by, agent, acquired_at, expires_at }
    }
}

fn refuse(error: LockError) -> Refusal {
    let message = error.to_string();
    match error {
        LockError::Held { .. } => Refusal::new(codes::WRITE_LOCK_TIMEOUT, message)
            .hint("run the write again; `CHANT_WRITE_LOCK_WAIT_MS` says how long a write waits"),
        LockError::NotHeld { .. } => Refusal::new(codes::WRITE_LOCK_NOT_HELD, message).hint(
            "take the lock again with `workspace lock acquire`, and run the rest of the batch with its token",
        ),
        // The list has no code for a file that can't be written; what is true is that the lock was not taken.
        LockError::Odd(_) | LockError::File(_) => Refusal::new(codes::WRITE_LOCK_TIMEOUT, message),
    }
}

/// The lock of a workspace that lies in no repository.
fn outside(root: &Path, world: &World) -> LockFolder {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let digest = Sha256::of(RepoPath::from_path(&root).as_bytes()).to_string();
    let folder = temporary(world);
    let beside = |end| folder.join(format!("chant-write-{digest:.16}.{end}"));
    LockFolder { path: beside("lock"), guard: beside("guard") }
}

/// The system's folder for temporary files, as the environment names it.
fn temporary(world: &World) -> PathBuf {
    let named = ["TMPDIR", "TMP", "TEMP"].iter().find_map(|name| world.env.get(name));
    named.map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
}

#[cfg(test)]
mod tests;
