//! The write lock: the published lock file of a protocol, guarded by an advisory lock of our own.
//!
//! The published file (Chalk's `.chalk/.lock`: created exclusively, holding `pid time`) is what other
//! programs honour. It outlives a killed holder, so somebody has to break it; two processes that break
//! it at once could each take away the other's fresh lock. Therefore every process of ours first takes
//! an advisory lock on a guard file, which the system frees when its holder dies, and only the holder
//! of the guard touches the published file.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use canon::Timestamp;

use crate::fault;
use crate::file::{self, FileError};

/// The age from which a lock counts as left behind when its holder's process can't be looked at,
/// because it ran on another machine. Chalk's published rule for every lock.
const PUBLISHED_AGE: Duration = Duration::from_secs(30);

/// How long a lock may take from its creation to the words in it.
const WRITING: Duration = Duration::from_secs(2);

/// Why the lock was not taken.
#[derive(Debug)]
pub enum LockError {
    /// Another process holds it and lives.
    Held {
        /// The published lock file.
        path: PathBuf,
        /// What is known of the holder, as in "process 4711".
        holder: String,
        /// How long this process waited.
        waited: Duration,
    },
    /// What stands in the lock's place is no lock file.
    Odd(PathBuf),
    /// A lock file can't be read or written.
    File(FileError),
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { path, holder, waited } => {
                write!(f, "`{}` is held by {holder}, after {} s of waiting", path.display(), waited.as_secs())
            }
            Self::Odd(path) => {
                write!(f, "`{}` is no file, so no program holds it; remove it", path.display())
            }
            Self::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LockError {}

impl From<FileError> for LockError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// A held write lock; dropping it lets go.
#[derive(Debug)]
pub struct WriteLock {
    published: PathBuf,
    content: String,
    /// Holds the advisory lock until it is closed.
    _guard: File,
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
        let begun = Instant::now();
        let guard_file = open_guard(guard)?;
        let mut pause = Duration::from_millis(1);
        let mut rest = |holder: String| {
            let waited = begun.elapsed();
            if waited >= wait {
                return Err(LockError::Held { path: published.to_owned(), holder, waited });
            }
            std::thread::sleep(pause.min(wait.saturating_sub(waited)));
            pause = (pause * 2).min(Duration::from_millis(15));
            Ok(())
        };
        loop {
            match guard_file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => rest(describe(read_holder(published).as_ref()))?,
                Err(TryLockError::Error(error)) => return Err(FileError::new("lock", guard, error).into()),
            }
        }
        let content = format!("{} {now} {}", std::process::id(), machine());
        let mut broken = None;
        loop {
            if create(published, &content)? {
                fault::point("lock").map_err(|error| FileError::new("lock", published, error))?;
                return Ok(Self { published: published.to_owned(), content, _guard: guard_file, broken });
            }
            let holder = read_holder(published);
            match &holder {
                None => {}
                Some(found) if found.odd => return Err(LockError::Odd(published.to_owned())),
                Some(found) if is_stale(found) && remove_exactly(published, &found.content)? => {
                    broken = Some(found.content.clone());
                }
                // Nobody is known who could let go of it, so waiting is no use.
                Some(found) if names_nobody(found) && age(found) > WRITING => {
                    let (path, holder) = (published.to_owned(), describe(holder.as_ref()));
                    return Err(LockError::Held { path, holder, waited: begun.elapsed() });
                }
                Some(_) => rest(describe(holder.as_ref()))?,
            }
        }
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

fn open_guard(guard: &Path) -> Result<File, FileError> {
    let fail = |error| FileError::new("open", guard, error);
    if let Some(folder) = guard.parent() {
        fs::create_dir_all(folder).map_err(|error| FileError::new("create", folder, error))?;
    }
    OpenOptions::new().create(true).truncate(false).write(true).open(guard).map_err(fail)
}

/// Creates the published file; false where it exists.
fn create(published: &Path, content: &str) -> Result<bool, FileError> {
    let fail = |error| FileError::new("create", published, error);
    match OpenOptions::new().write(true).create_new(true).open(published) {
        Ok(mut file) => {
            if let Err(error) = file.write_all(content.as_bytes()) {
                let _ = fs::remove_file(published);
                return Err(fail(error));
            }
            Ok(true)
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(fail(error)),
    }
}

struct Holder {
    content: String,
    modified: Option<SystemTime>,
    /// The lock file is no regular file, so no program made it.
    odd: bool,
}

fn read_holder(published: &Path) -> Option<Holder> {
    let metadata = fs::symlink_metadata(published).ok()?;
    let content = match file::read(published) {
        Ok(bytes) => String::from_utf8_lossy(&bytes?).into_owned(),
        Err(_) => String::new(),
    };
    Some(Holder { content, modified: metadata.modified().ok(), odd: !metadata.is_file() })
}

fn describe(holder: Option<&Holder>) -> String {
    match holder.map(|h| h.content.split_whitespace().next().unwrap_or("")) {
        Some(pid) if pid.parse::<u32>().is_ok() => format!("process {pid}, which runs"),
        _ => "something that names no process; remove it if no other program is at work".to_owned(),
    }
}

fn age(holder: &Holder) -> Duration {
    holder.modified.and_then(|modified| modified.elapsed().ok()).unwrap_or_default()
}

/// Whether a lock holds text that is not the published one.
fn names_nobody(holder: &Holder) -> bool {
    let first = holder.content.split_whitespace().next();
    first.is_some_and(|word| word.parse::<u32>().is_err())
}

/// Whether the process that wrote the lock is gone.
fn is_stale(holder: &Holder) -> bool {
    let mut words = holder.content.split_whitespace();
    let Some(pid) = words.next().and_then(|word| word.parse::<u32>().ok()) else {
        // Being written at this moment, by a writer that was killed meanwhile, or by nobody that we know.
        return age(holder) > if holder.content.trim().is_empty() { WRITING } else { PUBLISHED_AGE };
    };
    match words.nth(1) {
        Some(place) if place != machine() => age(holder) > PUBLISHED_AGE,
        _ => !runs(pid, holder.modified),
    }
}

/// Whether process `pid` runs and ran already when the lock was written.
#[cfg(unix)]
fn runs(pid: u32, written: Option<SystemTime>) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    if rustix::process::test_kill_process(pid).is_err_and(|error| error == rustix::io::Errno::SRCH) {
        return false;
    }
    // A number is given out again after a while: a process younger than the lock is another one.
    match (started(pid.as_raw_nonzero().get()), written) {
        (Some(started), Some(written)) => started <= written + Duration::from_secs(2),
        _ => true,
    }
}

#[cfg(not(unix))]
fn runs(_: u32, written: Option<SystemTime>) -> bool {
    written.and_then(|w| w.elapsed().ok()).unwrap_or_default() <= PUBLISHED_AGE
}

/// Whether any process of this machine has the number `pid`.
pub fn process_runs(pid: u32) -> bool {
    runs(pid, None)
}

/// When a process began, where the system tells (Linux).
#[cfg(unix)]
fn started(pid: i32) -> Option<SystemTime> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold spaces and parentheses itself; the fields follow the last one.
    let fields = stat.rsplit_once(')')?.1;
    let mut fields = fields.split_whitespace();
    if fields.next()? == "Z" {
        return Some(SystemTime::now() + Duration::from_hours(1));
    }
    let ticks: u64 = fields.nth(18)?.parse().ok()?;
    let uptime: f64 = fs::read_to_string("/proc/uptime").ok()?.split_whitespace().next()?.parse().ok()?;
    // The kernel reports ticks at 100 a second to programs on every architecture.
    let age = Duration::try_from_secs_f64(uptime).ok()?.checked_sub(Duration::from_millis(ticks * 10))?;
    SystemTime::now().checked_sub(age)
}

/// This boot of this machine and this process namespace, in one word: where process numbers mean the same.
fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    let word = canon::Sha256::of(format!("{}{}", boot.trim(), space.unwrap_or_default()));
    format!("at-{}", word.short())
}

/// Removes the published file if it still holds `content`; another program may replace it meanwhile.
fn remove_exactly(published: &Path, content: &str) -> Result<bool, FileError> {
    let fail = |error| FileError::new("remove", published, error);
    let mut name = published.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let aside = published.with_file_name(name);
    match fs::rename(published, &aside) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(fail(error)),
    }
    if fs::read_to_string(&aside).is_ok_and(|found| found == content) {
        fs::remove_file(&aside).map_err(fail)?;
        return Ok(true);
    }
    // Someone else's fresh lock: put it back, unless yet another one stands there.
    let _ = fs::hard_link(&aside, published);
    fs::remove_file(&aside).map_err(fail)?;
    Ok(false)
}

#[cfg(test)]
mod tests {
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
        let begun = Instant::now();
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
