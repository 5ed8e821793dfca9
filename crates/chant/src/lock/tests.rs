use std::fs;

use canon::{Clock, Timestamp};
use store::{Entropy, Env};

use super::*;
use crate::published;

struct Still(i64);

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0)
    }
}

impl Entropy for Still {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

const NOON: i64 = 1_800_000_000_000;

fn world(at: i64, variables: &[(&str, &str)]) -> World {
    let env: Env = variables.iter().copied().chain([("CHANT_WRITE_LOCK_WAIT_MS", "5")]).collect();
    World { cwd: PathBuf::new(), env, clock: Box::new(Still(at)), entropy: Box::new(Still(at)) }
}

fn repository() -> (tempfile::TempDir, Layout) {
    let folder = tempfile::tempdir().unwrap();
    for name in [".git/objects", ".git/refs"] {
        fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    fs::write(folder.path().join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let layout = Layout::discover(folder.path()).unwrap().unwrap();
    (folder, layout)
}

const AMEND: Writer<'_> = Writer { verb: "records amend", by: Some("ada") };

#[test]
fn a_command_holds_the_published_lock() {
    let (folder, layout) = repository();
    let world = world(NOON, &[("CHANT_AGENT", "builder")]);
    let lock = WriteLock::new(folder.path(), Some(&layout), &world);
    let held = lock.acquire(AMEND).unwrap();
    let report = lock.status().unwrap();
    published::check("write-lock", &report);
    let holder = report.holder.unwrap();
    assert_eq!(holder.pid, Some(std::process::id()));
    assert_eq!((holder.verb.as_str(), holder.agent.as_deref()), ("records amend", Some("builder")));
    assert!(holder.acquired_at.starts_with("2027-01-15T08:00:00.0"), "{}", holder.acquired_at);
    assert!(holder.expires_at.starts_with("2027-01-15T08:02:00.0"), "{}", holder.expires_at);
    assert!(report.path.ends_with(".git/chant-write.lock"));
    let refused = lock.acquire(Writer { verb: "points ask", by: None }).unwrap_err();
    assert_eq!(refused.code, codes::WRITE_LOCK_TIMEOUT);
    assert!(refused.message.contains("`records amend` by ada in agent session builder"), "{refused}");
    drop(held);
    let report = lock.status().unwrap();
    published::check("write-lock", &report);
    assert_eq!(report.holder, None);
}

#[test]
fn a_batch_goes_ahead_with_its_token_while_others_wait() {
    let (folder, layout) = repository();
    let plain = world(NOON, &[]);
    let lock = WriteLock::new(folder.path(), Some(&layout), &plain);
    let report = lock.open_batch("hud", Some("5m")).unwrap();
    published::check("write-lock", &report);
    let token = report.token.clone().unwrap();
    assert_eq!(token, "07".repeat(16));
    let holder = report.holder.unwrap();
    assert_eq!((holder.pid, holder.verb.as_str(), holder.by.as_deref()), (None, "batch", Some("hud")));
    assert!(holder.expires_at.starts_with("2027-01-15T08:05:00.0"));
    assert_eq!(lock.acquire(AMEND).unwrap_err().code, codes::WRITE_LOCK_TIMEOUT);
    let status = serde_json::to_string(&lock.status().unwrap()).unwrap();
    assert!(!status.contains(&token), "{status}");

    let inside = world(NOON, &[("CHANT_WRITE_LOCK", &token)]);
    let batch = WriteLock::new(folder.path(), Some(&layout), &inside);
    assert!(batch.acquire(AMEND).unwrap().is_held());
    assert!(batch.acquire(AMEND).is_ok(), "the batch goes on after a command of it");
    let again = batch.open_batch("hud", None).unwrap_err();
    assert_eq!(again.error.code, codes::WRITE_USAGE_INVALID);

    let late = world(NOON + 6 * 60_000, &[("CHANT_WRITE_LOCK", &token)]);
    let late = WriteLock::new(folder.path(), Some(&layout), &late);
    assert_eq!(late.acquire(AMEND).unwrap_err().code, codes::WRITE_LOCK_NOT_HELD);

    let wrong = lock.close_batch("0").unwrap_err();
    published::check("write-lock", &wrong);
    assert_eq!(wrong.error.code, codes::WRITE_LOCK_NOT_HELD);
    assert!(wrong.holder.is_some());
    let released = lock.close_batch(&token).unwrap();
    published::check("write-lock", &released);
    let refused = batch.acquire(AMEND).unwrap_err();
    assert_eq!(refused.code, codes::WRITE_LOCK_NOT_HELD);
    assert!(lock.acquire(AMEND).is_ok());
}

#[test]
fn a_batch_says_whose_it_is_and_how_long_it_lasts() {
    let (folder, layout) = repository();
    let world = world(NOON, &[]);
    let lock = WriteLock::new(folder.path(), Some(&layout), &world);
    for (holder, ttl) in [(" ", None), ("hud", Some("11m")), ("hud", Some("0")), ("hud", Some("soon"))] {
        let failure = lock.open_batch(holder, ttl).unwrap_err();
        published::check("write-lock", &failure);
        assert_eq!(failure.error.code, codes::WRITE_USAGE_INVALID);
    }
    assert!(!folder.path().join(".git/chant-write.lock").exists());
}

#[test]
fn another_lock_is_waited_for_as_long_as_the_environment_says() {
    let (folder, layout) = repository();
    fs::write(folder.path().join(".git/chant-write.lock"), "").unwrap();
    let world = world(NOON, &[]);
    let lock = WriteLock::new(folder.path(), Some(&layout), &world);
    let refused = lock.acquire(AMEND).unwrap_err();
    assert_eq!(refused.code, codes::WRITE_LOCK_TIMEOUT);
    assert!(refused.message.contains("remove it"), "{refused}");
    published::check("write-lock", &lock.status().unwrap_err());
}

#[test]
fn outside_git_the_lock_lies_in_the_temporary_folder() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir(&root).unwrap();
    let temporary = folder.path().to_str().unwrap();
    let world = world(NOON, &[("TMPDIR", temporary)]);
    let lock = WriteLock::new(&root.join("../root"), None, &world);
    let _held = lock.acquire(AMEND).unwrap();
    let digest = Sha256::of(root.canonicalize().unwrap().to_str().unwrap()).to_string();
    assert!(folder.path().join(format!("chant-write-{}.lock/owner.json", &digest[..16])).is_file());
}
