//! The lock as a file that names a process: `<pid> <time>`.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use canon::Timestamp;

use super::LockError;
use super::engine::{self, Published};
use super::process::{machine, runs};
use crate::fault;
use crate::file::{self, FileError};

/// The age from which a lock counts as left behind when its holder's process can't be looked at,
/// because it ran on another machine. Chalk's published rule for every lock.
pub(super) const PUBLISHED_AGE: Duration = Duration::from_secs(30);

/// How long a lock may take from its creation to the words in it.
const WRITING: Duration = Duration::from_secs(2);

/// A held write lock; dropping it lets go.
#[derive(Debug)]
pub struct WriteLock {
    published: PathBuf,
    content: String,
    /// Holds the advisory lock until it is closed.
    _guard: engine::Held,
    /// What was found and broken: the content of a lock whose holder is gone.
    pub broken: Option<String>,
}

impl WriteLock {
    /// Takes the lock, waiting up to `wait` for a holder that lives.
    ///
    /// `published` is the protocol's lock file, `guard` the file for the advisory lock.
    pub fn acquire(
        published: &Path,
        guard: &Path,
        wait: Duration,
        now: Timestamp,
    ) -> Result<Self, LockError> {
        let content = format!("{} {now} {}", std::process::id(), machine());
        let (guard, broken) = engine::acquire(&LockFile { path: published, content: &content }, guard, wait)?;
        let broken = broken.map(|holder| holder.content);
        Ok(Self { published: published.to_owned(), content, _guard: guard, broken })
    }
}

impl Drop for WriteLock {
    fn drop(&mut self) {
        // Another program may have taken the file over by its age; then it is no longer ours to remove.
        if fs::read_to_string(&self.published).is_ok_and(|content| content == self.content) {
            let _ = fs::remove_file(&self.published);
        }
    }
}

struct LockFile<'a> {
    path: &'a Path,
    content: &'a str,
}

struct Holder {
    content: String,
    modified: Option<SystemTime>,
}

impl Holder {
    fn age(&self) -> Duration {
        self.modified.and_then(|modified| modified.elapsed().ok()).unwrap_or_default()
    }

    /// Whether the lock holds text that is not the published one.
    fn names_nobody(&self) -> bool {
        let first = self.content.split_whitespace().next();
        first.is_some_and(|word| word.parse::<u32>().is_err())
    }
}

impl Published for LockFile<'_> {
    type Found = Holder;

    fn path(&self) -> &Path {
        self.path
    }

    fn publish(&self) -> Result<bool, FileError> {
        let fail = |error| FileError::new("create", self.path, error);
        match OpenOptions::new().write(true).create_new(true).open(self.path) {
            Ok(mut file) => {
                if let Err(error) = file.write_all(self.content.as_bytes()) {
                    let _ = fs::remove_file(self.path);
                    return Err(fail(error));
                }
                fault::point("lock").map_err(|error| FileError::new("lock", self.path, error))?;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(fail(error)),
        }
    }

    fn found(&self) -> Result<Option<Holder>, LockError> {
        let Ok(metadata) = fs::symlink_metadata(self.path) else { return Ok(None) };
        if !metadata.is_file() {
            return Err(LockError::Odd(self.path.to_owned()));
        }
        let content = match file::read(self.path) {
            Ok(Some(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            Ok(None) => return Ok(None),
            Err(_) => String::new(),
        };
        let holder = Holder { content, modified: metadata.modified().ok() };
        if holder.names_nobody() && holder.age() > WRITING && !self.is_left_behind(&holder) {
            // Nobody is known who could let go of it, so waiting is no use.
            let (path, holder) = (self.path.to_owned(), self.describe(Some(&holder)));
            return Err(LockError::Held { path, holder, waited: Duration::ZERO });
        }
        Ok(Some(holder))
    }

    fn is_left_behind(&self, holder: &Holder) -> bool {
        let mut words = holder.content.split_whitespace();
        let Some(pid) = words.next().and_then(|word| word.parse::<u32>().ok()) else {
            // Being written at this moment, by a writer that was killed meanwhile, or by nobody that we know.
            return holder.age() > if holder.content.trim().is_empty() { WRITING } else { PUBLISHED_AGE };
        };
        match words.nth(1) {
            Some(place) if place != machine() => holder.age() > PUBLISHED_AGE,
            _ => !runs(pid, holder.modified),
        }
    }

    fn remove(&self, holder: &Holder) -> Result<bool, FileError> {
        let fail = |error| FileError::new("remove", self.path, error);
        let mut name = self.path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let aside = self.path.with_file_name(name);
        match fs::rename(self.path, &aside) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(fail(error)),
        }
        if fs::read_to_string(&aside).is_ok_and(|found| found == holder.content) {
            fs::remove_file(&aside).map_err(fail)?;
            return Ok(true);
        }
        // Someone else's fresh lock: put it back, unless yet another one stands there.
        let _ = fs::hard_link(&aside, self.path);
        fs::remove_file(&aside).map_err(fail)?;
        Ok(false)
    }

    fn describe(&self, holder: Option<&Holder>) -> String {
        match holder.map(|h| h.content.split_whitespace().next().unwrap_or("")) {
            Some(pid) if pid.parse::<u32>().is_ok() => format!("process {pid}, which runs"),
            _ => "something that names no process; remove it if no other program is at work".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

    fn acquire(folder: &Path, wait: u64) -> Result<WriteLock, LockError> {
        WriteLock::acquire(&folder.join(".lock"), &folder.join("guard"), Duration::from_millis(wait), NOW)
    }

    #[test]
    fn the_published_form_is_pid_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let lock = acquire(folder.path(), 0).unwrap();
        let content = fs::read_to_string(folder.path().join(".lock")).unwrap();
        assert!(content.starts_with(&format!("{} {NOW}", std::process::id())), "{content}");
        drop(lock);
        assert!(!folder.path().join(".lock").exists());
    }

    #[test]
    fn a_living_holder_is_waited_for_and_then_named() {
        let folder = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - Duration::from_hours(1);
        let parent = std::os::unix::process::parent_id();
        fs::write(folder.path().join(".lock"), format!("{parent} 2026-01-01T00:00:00.000Z")).unwrap();
        let file = File::options().write(true).open(folder.path().join(".lock")).unwrap();
        file.set_modified(SystemTime::now()).unwrap();
        let error = acquire(folder.path(), 20).unwrap_err();
        assert!(error.to_string().contains(&format!("process {parent}")), "{error}");
        assert!(folder.path().join(".lock").exists());
        // Written before that process began: its number was given out again.
        file.set_modified(old - Duration::from_hours(2400)).unwrap();
        assert!(acquire(folder.path(), 20).unwrap().broken.is_some());
    }

    /// Every command waited for fifteen seconds, and then refused.
    #[test]
    fn a_lock_that_names_nobody_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        let write = |content: &str, age: u64| {
            fs::write(&path, content).unwrap();
            let file = File::options().write(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        };
        write("garbage\n", 3);
        let begun = std::time::Instant::now();
        let error = acquire(folder.path(), 20_000).unwrap_err();
        assert!(begun.elapsed() < Duration::from_secs(10));
        assert!(error.to_string().contains("remove it"), "{error}");
        assert!(path.exists(), "another program's lock is its own");
        write("garbage\n", 31);
        assert!(acquire(folder.path(), 0).unwrap().broken.is_some());
        // What a writer left that was killed before it wrote.
        write("", 3);
        assert!(acquire(folder.path(), 0).unwrap().broken.is_some());
        write("", 0);
        assert!(acquire(folder.path(), 5).is_err(), "it may be written at this moment");
    }

    #[test]
    fn a_folder_in_the_lock_s_place_is_named_at_once() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join(".lock")).unwrap();
        assert!(matches!(acquire(folder.path(), 20_000), Err(LockError::Odd(_))));
    }

    #[test]
    fn a_dead_holder_is_recognised_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        let content = format!("{} 2026-12-01T00:00:00.000Z", child.id());
        fs::write(folder.path().join(".lock"), &content).unwrap();
        let lock = acquire(folder.path(), 0).unwrap();
        assert_eq!(lock.broken.as_deref(), Some(content.as_str()));
    }

    #[test]
    fn a_holder_on_another_machine_is_judged_by_age() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".lock");
        fs::write(&path, "1 2026-12-01T00:00:00.000Z at-elsewhere").unwrap();
        assert!(acquire(folder.path(), 5).is_err());
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(31)).unwrap();
        assert!(acquire(folder.path(), 5).is_ok());
    }

    #[test]
    fn a_lock_taken_over_by_another_program_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let lock = acquire(folder.path(), 0).unwrap();
        fs::write(folder.path().join(".lock"), "1 other").unwrap();
        drop(lock);
        assert!(folder.path().join(".lock").exists());
    }

    #[test]
    fn many_threads_never_hold_it_together() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("count"), "0").unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..10 {
                        let _lock = acquire(folder.path(), 20_000).unwrap();
                        let count: u32 =
                            fs::read_to_string(folder.path().join("count")).unwrap().parse().unwrap();
                        fs::write(folder.path().join("count"), (count + 1).to_string()).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "80");
    }
}
