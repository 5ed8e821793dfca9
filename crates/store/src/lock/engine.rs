//! Taking a published lock under the guard, whatever its form.

use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::LockError;
use crate::file::{self, FileError};

/// The form in which a protocol publishes who holds its lock.
pub(super) trait Published {
    /// What is known of a holder.
    type Found;

    /// Where it is published.
    fn path(&self) -> &Path;

    /// Publishes this process as the holder; false where a holder is published.
    fn publish(&self) -> Result<bool, FileError>;

    /// The published holder.
    fn found(&self) -> Result<Option<Self::Found>, LockError>;

    /// Whether the holder is gone without having let go.
    fn is_left_behind(&self, found: &Self::Found) -> bool;

    /// Removes what is published if it still is `found`; another program may have replaced it meanwhile.
    fn remove(&self, found: &Self::Found) -> Result<bool, FileError>;

    /// The holder for people.
    fn describe(&self, found: Option<&Self::Found>) -> String;
}

/// An advisory lock on a file, held until dropped.
///
/// It is let go by name, not by closing the file: a child that another thread is starting has the file open as well until
/// it runs its program, and would keep the lock for that long.
#[derive(Debug)]
pub(super) struct Held(File);

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Takes the guard and publishes this process, waiting up to `wait` for a holder that lives. Gives back the guard and the
/// holder that was broken.
pub(super) fn acquire<P: Published>(
    published: &P,
    guard: &Path,
    wait: Duration,
) -> Result<(Held, Option<P::Found>), LockError> {
    let mut patience = Patience::new(wait);
    let guard = hold(guard, published, &mut patience)?;
    let mut broken = None;
    while !published.publish()? {
        match published.found()? {
            None => {}
            Some(found) if published.is_left_behind(&found) && published.remove(&found)? => {
                broken = Some(found);
            }
            Some(found) => patience.rest(published.path(), || published.describe(Some(&found)))?,
        }
    }
    Ok((guard, broken))
}

/// Takes the advisory lock on `guard`.
pub(super) fn hold<P: Published>(
    guard: &Path,
    published: &P,
    patience: &mut Patience,
) -> Result<Held, LockError> {
    let holder = || published.describe(published.found().unwrap_or_default().as_ref());
    hold_file(guard, patience, published.path(), holder)
}

/// The same where `shown` and `holder` are what a refusal names.
pub(super) fn hold_file(
    guard: &Path,
    patience: &mut Patience,
    shown: &Path,
    holder: impl Fn() -> String,
) -> Result<Held, LockError> {
    let file = open(guard)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Held(file)),
            Err(TryLockError::WouldBlock) => patience.rest(shown, &holder)?,
            Err(TryLockError::Error(error)) => return Err(FileError::new("lock", guard, error).into()),
        }
    }
}

/// Whether a process holds the advisory lock on `guard`.
pub(super) fn is_held(guard: &Path) -> bool {
    File::open(guard).is_ok_and(|file| match file.try_lock() {
        Ok(()) => {
            drop(Held(file));
            false
        }
        Err(error) => matches!(error, TryLockError::WouldBlock),
    })
}

fn open(guard: &Path) -> Result<File, FileError> {
    if let Some(folder) = guard.parent() {
        fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    }
    let opened = file::options().create(true).truncate(false).write(true).open(guard);
    opened.map_err(|error| FileError::new("open", guard, file::explain(guard, error)))
}

/// How long a process waits for a lock, in growing pauses.
pub(super) struct Patience {
    begun: Instant,
    wait: Duration,
    pause: Duration,
}

impl Patience {
    pub(super) fn new(wait: Duration) -> Self {
        Self { begun: Instant::now(), wait, pause: Duration::from_millis(1) }
    }

    /// Sleeps a little.
    ///
    /// # Errors
    /// [`LockError::Held`] when the time is up.
    fn rest(&mut self, shown: &Path, holder: impl Fn() -> String) -> Result<(), LockError> {
        let waited = self.begun.elapsed();
        if waited >= self.wait {
            return Err(LockError::Held { path: shown.to_owned(), holder: holder(), waited });
        }
        std::thread::sleep(self.pause.min(self.wait.saturating_sub(waited)));
        self.pause = (self.pause * 2).min(Duration::from_millis(15));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_although_a_child_has_its_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let guard = folder.path().join("guard");
        let take = || hold_file(&guard, &mut Patience::new(Duration::ZERO), &guard, || "someone".to_owned());
        let held = take().unwrap();
        // As between fork and exec.
        let inherited = held.0.try_clone().unwrap();
        assert!(take().is_err());
        assert!(is_held(&guard));
        drop(held);
        assert!(!is_held(&guard));
        assert!(take().is_ok());
        drop(inherited);
    }
}
