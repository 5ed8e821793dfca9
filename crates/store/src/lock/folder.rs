//! The lock as a folder whose owner is described in `owner.json`.
//!
//! The owner is a process that runs one command, or a *batch*: a holder without a process, whose token lets several
//! commands go ahead one after the other until it is closed or its time runs out.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use canon::{Sha256, Timestamp};
use serde::{Deserialize, Serialize};

use super::LockError;
use super::engine::{self, Patience, Published};
use super::process::{host, runs};
use crate::fault;
use crate::file::{self, FileError};

/// The age from which a folder without an owner counts as left behind by a process that died while taking it.
const UNOWNED_AGE: Duration = Duration::from_secs(5);

/// What `owner.json` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Owner {
    /// The secret that lets go of the lock: 32 hex digits.
    pub token: String,
    /// The process; none for a batch.
    #[serde(default)]
    pub pid: Option<u32>,
    /// The machine's name in its network.
    pub host: String,
    /// The command, or `batch`.
    pub verb: String,
    /// The person that the command or the batch names.
    #[serde(default)]
    pub by: Option<String>,
    /// The agent session.
    #[serde(default)]
    pub agent: Option<String>,
    /// When it was taken, ISO 8601.
    pub acquired_at: String,
    /// From when on anybody may break it, ISO 8601.
    pub expires_at: String,
}

/// What a process wants to publish of itself.
#[derive(Debug, Clone)]
pub struct Claim {
    /// A fresh secret: 32 hex digits.
    pub token: String,
    /// The command, or `batch`.
    pub verb: String,
    /// The person that the command or the batch names.
    pub by: Option<String>,
    /// The agent session.
    pub agent: Option<String>,
    /// How long it holds at most.
    pub lasts: Duration,
}

impl Claim {
    /// The claim of someone who has the token of a lock already.
    fn of(token: &str) -> Self {
        Self { token: token.to_owned(), verb: String::new(), by: None, agent: None, lasts: Duration::ZERO }
    }
}

/// Where a lock folder is published, and the file that guards it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LockFolder {
    /// The published folder. The folder that holds it must exist.
    pub path: PathBuf,
    /// The file for the advisory lock.
    pub guard: PathBuf,
}

impl LockFolder {
    /// The published owner; none where nobody holds the lock, or its owner is not written yet.
    pub fn owner(&self) -> Result<Option<Owner>, LockError> {
        Ok(find(&self.path)?.and_then(|found| found.owner))
    }

    /// Takes the lock for this process, waiting up to `wait` for an owner that lives.
    pub fn acquire(&self, claim: &Claim, wait: Duration, now: Timestamp) -> Result<FolderLock, LockError> {
        let attempt = Attempt::new(self, claim, Some(std::process::id()), now);
        let (guard, _) = engine::acquire(&attempt, &self.guard, wait)?;
        Ok(FolderLock { folder: self.clone(), token: claim.token.clone(), releases: true, _guard: guard })
    }

    /// Takes the lock for a batch, which holds it after this process has ended.
    pub fn open_batch(&self, claim: &Claim, wait: Duration, now: Timestamp) -> Result<Owner, LockError> {
        let attempt = Attempt::new(self, claim, None, now);
        let _guard = engine::acquire(&attempt, &self.guard, wait)?;
        // As it stands there, its times included.
        self.owner()?.filter(|owner| owner.token == claim.token).ok_or_else(|| self.not_held(None))
    }

    /// Goes ahead within the batch that holds the lock under `token`, waiting up to `wait` for another command of that
    /// batch alone.
    ///
    /// # Errors
    /// [`LockError::NotHeld`] when the batch was closed, or its time is up.
    pub fn join(&self, token: &str, wait: Duration, now: Timestamp) -> Result<FolderLock, LockError> {
        let claim = Claim::of(token);
        let attempt = Attempt::new(self, &claim, None, now);
        self.expect(token, attempt.now())?;
        let guard = engine::hold(&self.batch_guard(), &attempt, &mut Patience::new(wait))?;
        self.expect(token, attempt.now())?;
        Ok(FolderLock { folder: self.clone(), token: token.to_owned(), releases: false, _guard: guard })
    }

    /// Lets go of the batch that holds the lock under `token`, once no command of it is at work.
    ///
    /// # Errors
    /// [`LockError::NotHeld`] when another owner or none holds the lock.
    pub fn close_batch(&self, token: &str, wait: Duration, now: Timestamp) -> Result<Owner, LockError> {
        let claim = Claim::of(token);
        let attempt = Attempt::new(self, &claim, None, now);
        let _guard = engine::hold(&self.batch_guard(), &attempt, &mut Patience::new(wait))?;
        let found = find(&self.path)?;
        let owner = found.as_ref().and_then(|found| found.owner.clone());
        match (found, owner) {
            (Some(found), Some(owner)) if owner.token == token => {
                if remove(&self.path, &found, token)? {
                    Ok(owner)
                } else {
                    Err(self.not_held(None))
                }
            }
            (_, owner) => Err(self.not_held(owner.as_ref())),
        }
    }

    /// That the lock is held under `token`, and its time is not up.
    fn expect(&self, token: &str, now: Timestamp) -> Result<(), LockError> {
        match self.owner()? {
            Some(owner) if owner.token == token && !owner.is_expired(now) => Ok(()),
            owner => Err(self.not_held(owner.as_ref())),
        }
    }

    fn not_held(&self, owner: Option<&Owner>) -> LockError {
        LockError::NotHeld { path: self.path.clone(), holder: owner.map(ToString::to_string) }
    }

    /// What the commands of a batch take one after the other. Apart from the guard, which a process may hold while it
    /// waits for the batch to end.
    fn batch_guard(&self) -> PathBuf {
        beside(&self.guard, ".batch")
    }
}

impl Owner {
    fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.parse::<Timestamp>().is_ok_and(|expires| expires < now)
    }
}

/// The owner for people, without the token.
impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.verb.escape_debug())?;
        if let Some(by) = &self.by {
            write!(f, " by {}", by.escape_debug())?;
        }
        if let Some(agent) = &self.agent {
            write!(f, " in agent session {}", agent.escape_debug())?;
        }
        if let Some(pid) = self.pid {
            write!(f, ", process {pid} on {}", self.host.escape_debug())?;
        }
        write!(f, ", until {}", self.expires_at.escape_debug())
    }
}

/// A held lock folder, or a place in the batch that holds it; dropping it lets go.
#[derive(Debug)]
pub struct FolderLock {
    folder: LockFolder,
    token: String,
    /// Whether the published folder goes when this is dropped.
    releases: bool,
    /// Holds the advisory lock until it is closed.
    _guard: engine::Held,
}

impl FolderLock {
    /// Whether the lock is still published under its token. False once another program has broken it after its time;
    /// whoever took longer than that asks before the last write.
    pub fn is_held(&self) -> bool {
        self.folder.owner().is_ok_and(|owner| owner.is_some_and(|owner| owner.token == self.token))
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        if !self.releases {
            return;
        }
        if let Ok(Some(found)) = find(&self.folder.path)
            && found.token() == Some(&self.token)
        {
            let _ = remove(&self.folder.path, &found, &self.token);
        }
    }
}

/// What the name of a folder that was put aside to be removed goes on with, behind the lock's own name.
const ASIDE: &str = ".broken-";

/// What stands in the lock's place.
struct Found {
    owner: Option<Owner>,
    /// When the owner was written, or the folder where there is none.
    modified: Option<SystemTime>,
}

impl Found {
    fn token(&self) -> Option<&String> {
        self.owner.as_ref().map(|owner| &owner.token)
    }
}

/// One process that wants the lock.
struct Attempt<'a> {
    folder: &'a LockFolder,
    claim: &'a Claim,
    pid: Option<u32>,
    asked: Timestamp,
    begun: Instant,
}

impl<'a> Attempt<'a> {
    fn new(folder: &'a LockFolder, claim: &'a Claim, pid: Option<u32>, now: Timestamp) -> Self {
        Self { folder, claim, pid, asked: now, begun: Instant::now() }
    }

    fn now(&self) -> Timestamp {
        later(self.asked, self.begun.elapsed())
    }

    /// Removes the folders that processes put aside and did not live to remove. Another program's guard is not ours,
    /// so what belongs to a holder that lives stays.
    fn sweep(&self) {
        let path = &self.folder.path;
        let aside = beside(path, ASIDE);
        let (Some(folder), Some(aside)) = (path.parent(), aside.file_name()) else { return };
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let is_aside = entry.file_name().as_encoded_bytes().starts_with(aside.as_encoded_bytes());
            if is_aside
                && let Ok(Some(found)) = find(&entry.path())
                && self.is_left_behind(&found)
            {
                let _ = clear(&entry.path());
            }
        }
    }

    fn owner(&self) -> Owner {
        let now = self.now();
        Owner {
            token: self.claim.token.clone(),
            pid: self.pid,
            host: host(),
            verb: self.claim.verb.clone(),
            by: self.claim.by.clone(),
            agent: self.claim.agent.clone(),
            acquired_at: now.to_string(),
            expires_at: later(now, self.claim.lasts).to_string(),
        }
    }
}

impl Published for Attempt<'_> {
    type Found = Found;

    fn path(&self) -> &Path {
        &self.folder.path
    }

    fn publish(&self) -> Result<bool, FileError> {
        let path = &self.folder.path;
        if fs::symlink_metadata(path).is_ok() {
            return Ok(false);
        }
        let fail = |error| FileError::new("create", path, error);
        // Complete before it is seen, so that no moment has a folder without an owner. Only the guard's holder
        // makes it, so one name is enough, and what a dead process left there is in nobody's use.
        let next = beside(path, ".next");
        let prepare = || {
            clear(&next)?;
            fs::create_dir(&next)?;
            let mut text = serde_json::to_vec_pretty(&self.owner())?;
            text.push(b'\n');
            fs::write(next.join("owner.json"), text)?;
            fault::point("lock-prepared")?;
            let taken = take(&next, path)?;
            clear(&next)?;
            Ok(taken)
        };
        let taken = prepare().map_err(fail)?;
        if taken {
            self.sweep();
            fault::point("lock-published").map_err(fail)?;
        }
        Ok(taken)
    }

    fn found(&self) -> Result<Option<Found>, LockError> {
        find(&self.folder.path)
    }

    fn is_left_behind(&self, found: &Found) -> bool {
        let Some(owner) = &found.owner else {
            return found.modified.and_then(|m| m.elapsed().ok()).unwrap_or_default() > UNOWNED_AGE;
        };
        if owner.pid.is_none() && engine::is_held(&self.folder.batch_guard()) {
            return false;
        }
        let gone = |pid| owner.host == host() && !runs(pid, found.modified);
        owner.is_expired(self.now()) || owner.pid.is_some_and(gone)
    }

    fn remove(&self, found: &Found) -> Result<bool, FileError> {
        remove(&self.folder.path, found, &self.claim.token)
    }

    fn describe(&self, found: Option<&Found>) -> String {
        match found.and_then(|found| found.owner.as_ref()) {
            Some(owner) => owner.to_string(),
            None => "a process that has not said who it is".to_owned(),
        }
    }
}

fn find(path: &Path) -> Result<Option<Found>, LockError> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::new("read", path, error).into()),
    };
    if !metadata.is_dir() {
        return Err(LockError::Odd(path.to_owned()));
    }
    let file = path.join("owner.json");
    let bytes = file::read(&file).ok().flatten();
    let owner = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let modified = if owner.is_some() { fs::symlink_metadata(&file).ok() } else { Some(metadata) };
    Ok(Some(Found { owner, modified: modified.and_then(|metadata| metadata.modified().ok()) }))
}

/// Removes the published folder if its owner still is the one that was found. `salt` tells the names of two processes
/// apart that do so at once.
fn remove(path: &Path, found: &Found, salt: &str) -> Result<bool, FileError> {
    let fail = |error| FileError::new("remove", path, error);
    let aside = beside(path, &format!("{ASIDE}{:.12}", Sha256::of(salt).to_string()));
    match fs::rename(path, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(fail(error)),
    }
    fault::point("lock-aside").map_err(fail)?;
    let moved = find(&aside).ok().flatten();
    let same = moved.as_ref().and_then(Found::token) == found.token();
    // Someone else's fresh lock goes back, unless yet another one stands there.
    if !same && take(&aside, path).unwrap_or(false) {
        return Ok(false);
    }
    clear(&aside).map_err(fail)?;
    Ok(same)
}

/// Gives the folder `from` the name `to`, if nothing has it.
fn take(from: &Path, to: &Path) -> io::Result<bool> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(true),
            Err(Errno::EXIST) => return Ok(false),
            // The file system doesn't know the flag.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            Err(error) => return Err(error.into()),
        }
    }
    match fs::create_dir(to) {
        Ok(()) => fs::rename(from.join("owner.json"), to.join("owner.json")).map(|()| true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes a folder with what is in it, if it is there.
fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name: OsString = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    Timestamp::from_millis(time.as_millis().saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX)))
}

#[cfg(test)]
mod tests;
