use std::process::{Child, Command, Stdio};

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);
/// What a child process of these tests is to do, and in which folder.
const ROLE: &str = "CAIRN_TEST_LOCK_ROLE";
const FOLDER: &str = "CAIRN_TEST_LOCK_FOLDER";

fn place(folder: &Path) -> LockFolder {
    LockFolder { path: folder.join("chant-write.lock"), guard: folder.join("state/guard") }
}

fn token(n: u32) -> String {
    format!("{:032x}", u128::from(n) + (u128::from(std::process::id()) << 64))
}

fn claim(n: u32) -> Claim {
    Claim {
        token: token(n),
        verb: "records amend".to_owned(),
        by: Some("ada".to_owned()),
        agent: None,
        lasts: Duration::from_mins(2),
    }
}

fn acquire(folder: &Path, wait: u64) -> Result<FolderLock, LockError> {
    place(folder).acquire(&claim(1), Duration::from_millis(wait), NOW)
}

/// What the other program writes.
fn foreign(folder: &Path, pid: &str, host: &str, expires: &str) {
    let lock = folder.join("chant-write.lock");
    fs::create_dir(&lock).unwrap();
    let text = format!(
        "{{\n  \"token\": \"{0}\",\n  \"pid\": {pid},\n  \"host\": \"{host}\",\n  \"verb\": \"records new\",\n  \
         \"by\": null,\n  \"agent\": null,\n  \"acquiredAt\": \"2027-01-15T07:59:00.000Z\",\n  \
         \"expiresAt\": \"{expires}\"\n}}\n",
        "f".repeat(32)
    );
    fs::write(lock.join("owner.json"), text).unwrap();
}

fn dead() -> u32 {
    let mut child = Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    child.id()
}

/// Starts this test binary again to play `role` in `folder`.
fn child(role: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "lock::folder::tests::a_child_plays_its_role", "--nocapture"])
        .envs([(ROLE, role), (FOLDER, folder.to_str().unwrap())])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn a_child_plays_its_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    match role.as_str() {
        "count" => count(&folder, 5),
        "hold" => {
            let _lock = acquire(&folder, 20_000).unwrap();
            fs::write(folder.join("holding"), "").unwrap();
            std::thread::sleep(Duration::from_mins(5));
        }
        point => {
            fault::arm(point, 1, fault::Fault::Kill);
            drop(acquire(&folder, 20_000).unwrap());
        }
    }
}

/// Adds one to a file, under the lock, in two steps that would lose a count without it.
fn count(folder: &Path, times: u32) {
    for _ in 0..times {
        let lock = acquire(folder, 60_000).unwrap();
        assert!(lock.is_held());
        let file = folder.join("count");
        let count: u32 = fs::read_to_string(&file).unwrap().parse().unwrap();
        std::thread::yield_now();
        fs::write(&file, (count + 1).to_string()).unwrap();
    }
}

/// The names in the folder but for the guards'.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names.retain(|name| name != "state");
    names
}

#[test]
fn the_published_form_is_a_folder_with_its_owner() {
    let folder = tempfile::tempdir().unwrap();
    let lock = acquire(folder.path(), 0).unwrap();
    let text = fs::read_to_string(folder.path().join("chant-write.lock/owner.json")).unwrap();
    let expected = format!(
        "{{\n  \"token\": \"{}\",\n  \"pid\": {},\n  \"host\": \"{}\",\n  \"verb\": \"records amend\",\n  \
         \"by\": \"ada\",\n  \"agent\": null,\n  \"acquiredAt\": \"{}",
        token(1),
        std::process::id(),
        host(),
        &NOW.to_string()[..19],
    );
    assert!(text.starts_with(&expected), "{text}");
    assert!(text.ends_with("Z\"\n}\n"), "{text}");
    assert_eq!(names(folder.path()), ["chant-write.lock"]);
    drop(lock);
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_living_owner_is_waited_for_and_then_named() {
    let folder = tempfile::tempdir().unwrap();
    let pid = std::process::id().to_string();
    foreign(folder.path(), &pid, &host(), "2027-01-15T09:00:00.000Z");
    let error = acquire(folder.path(), 20).unwrap_err().to_string();
    assert!(error.contains("`records new`") && error.contains(&format!("process {pid}")), "{error}");
    assert_eq!(names(folder.path()), ["chant-write.lock"]);
}

#[test]
fn an_owner_whose_process_is_gone_is_broken_at_once() {
    let folder = tempfile::tempdir().unwrap();
    foreign(folder.path(), &dead().to_string(), &host(), "2027-01-15T09:00:00.000Z");
    assert!(acquire(folder.path(), 0).is_ok());
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_owner_on_another_machine_holds_until_its_time() {
    let folder = tempfile::tempdir().unwrap();
    foreign(folder.path(), &dead().to_string(), "elsewhere", "2027-01-15T08:00:00.100Z");
    assert!(acquire(folder.path(), 5).is_err());
    assert!(acquire(folder.path(), 2000).is_ok());
}

#[test]
fn an_owner_whose_time_is_no_time_is_judged_by_its_process() {
    let folder = tempfile::tempdir().unwrap();
    foreign(folder.path(), &std::process::id().to_string(), &host(), "soon");
    assert!(acquire(folder.path(), 5).is_err());
}

#[test]
fn a_folder_without_an_owner_is_left_alone_while_it_is_young() {
    let folder = tempfile::tempdir().unwrap();
    let lock = folder.path().join("chant-write.lock");
    for content in [None, Some("{"), Some("[]")] {
        fs::create_dir(&lock).unwrap();
        if let Some(content) = content {
            fs::write(lock.join("owner.json"), content).unwrap();
        }
        assert!(matches!(acquire(folder.path(), 5), Err(LockError::Held { .. })));
        fs::File::open(&lock).unwrap().set_modified(SystemTime::now() - Duration::from_secs(6)).unwrap();
        assert!(acquire(folder.path(), 5).is_ok());
    }
}

#[test]
fn what_is_no_folder_is_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("chant-write.lock"), "").unwrap();
    assert!(matches!(acquire(folder.path(), 20_000), Err(LockError::Odd(_))));
    fs::remove_file(folder.path().join("chant-write.lock")).unwrap();
    #[cfg(unix)]
    {
        let target = folder.path().join("target");
        fs::create_dir(&target).unwrap();
        std::os::unix::fs::symlink(&target, folder.path().join("chant-write.lock")).unwrap();
        assert!(matches!(acquire(folder.path(), 20_000), Err(LockError::Odd(_))));
        assert_eq!(fs::read_dir(target).unwrap().count(), 0);
    }
}

#[test]
fn a_lock_that_another_program_took_over_is_not_removed() {
    let folder = tempfile::tempdir().unwrap();
    let lock = acquire(folder.path(), 0).unwrap();
    fs::remove_dir_all(folder.path().join("chant-write.lock")).unwrap();
    foreign(folder.path(), "1", "elsewhere", "2027-01-15T09:00:00.000Z");
    assert!(!lock.is_held());
    drop(lock);
    assert_eq!(names(folder.path()), ["chant-write.lock"]);
}

#[test]
fn a_fresh_lock_that_came_between_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    foreign(folder.path(), &dead().to_string(), &host(), "2027-01-15T09:00:00.000Z");
    let path = folder.path().join("chant-write.lock");
    let stale = Found { owner: None, modified: None };
    assert!(!remove(&path, &stale, "salt").unwrap());
    assert_eq!(place(folder.path()).owner().unwrap().unwrap().token, "f".repeat(32));
    assert_eq!(names(folder.path()), ["chant-write.lock"]);
}

#[test]
fn a_batch_holds_across_processes_until_it_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());
    let batch = Claim { verb: "batch".to_owned(), lasts: Duration::from_mins(1), ..claim(7) };
    let owner = place.open_batch(&batch, Duration::ZERO, NOW).unwrap();
    assert_eq!((owner.pid, owner.token.as_str()), (None, token(7).as_str()));
    assert!(matches!(acquire(folder.path(), 5), Err(LockError::Held { .. })));
    let wrong = place.join(&token(8), Duration::ZERO, NOW).unwrap_err();
    assert!(
        matches!(&wrong, LockError::NotHeld { holder: Some(holder), .. } if holder.contains("batch")),
        "{wrong}"
    );
    let joined = place.join(&token(7), Duration::ZERO, NOW).unwrap();
    assert!(joined.is_held());
    // One command of the batch at a time.
    assert!(matches!(place.join(&token(7), Duration::ZERO, NOW), Err(LockError::Held { .. })));
    drop(joined);
    assert!(place.close_batch(&token(8), Duration::ZERO, NOW).is_err());
    assert!(place.join(&token(7), Duration::ZERO, NOW).is_ok());
    place.close_batch(&token(7), Duration::ZERO, NOW).unwrap();
    assert!(matches!(
        place.join(&token(7), Duration::ZERO, NOW),
        Err(LockError::NotHeld { holder: None, .. })
    ));
    assert!(acquire(folder.path(), 0).is_ok());
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_batch_whose_time_is_up_goes_ahead_no_more_and_is_broken() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());
    let batch = Claim { verb: "batch".to_owned(), lasts: Duration::from_mins(1), ..claim(7) };
    place.open_batch(&batch, Duration::ZERO, NOW).unwrap();
    let late = later(NOW, Duration::from_mins(2));
    assert!(matches!(place.join(&token(7), Duration::ZERO, late), Err(LockError::NotHeld { .. })));
    // Not while a command of it is at work.
    let joined = place.join(&token(7), Duration::ZERO, NOW).unwrap();
    assert!(place.acquire(&claim(9), Duration::from_millis(5), late).is_err());
    drop(joined);
    let lock = place.acquire(&claim(9), Duration::ZERO, late).unwrap();
    assert!(matches!(place.close_batch(&token(7), Duration::ZERO, late), Err(LockError::NotHeld { .. })));
    assert!(lock.is_held());
}

#[test]
fn a_waiting_process_does_not_keep_a_batch_from_going_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());
    let batch = Claim { verb: "batch".to_owned(), lasts: Duration::from_mins(1), ..claim(7) };
    place.open_batch(&batch, Duration::ZERO, NOW).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| acquire(folder.path(), 20_000).map(drop));
        std::thread::sleep(Duration::from_millis(30));
        drop(place.join(&token(7), Duration::ZERO, NOW).unwrap());
        place.close_batch(&token(7), Duration::ZERO, NOW).unwrap();
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn twenty_threads_never_hold_it_together() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("count"), "0").unwrap();
    foreign(folder.path(), &dead().to_string(), &host(), "2027-01-15T09:00:00.000Z");
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| count(folder.path(), 5));
        }
    });
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "100");
    assert_eq!(names(folder.path()), ["count"]);
}

#[test]
fn twenty_processes_never_hold_it_together() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("count"), "0").unwrap();
    foreign(folder.path(), &dead().to_string(), &host(), "2027-01-15T09:00:00.000Z");
    let children: Vec<_> = (0..20).map(|_| child("count", folder.path())).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(fs::read_to_string(folder.path().join("count")).unwrap(), "100");
    assert_eq!(names(folder.path()), ["count"]);
}

#[test]
fn a_killed_holder_is_broken_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut holder = child("hold", folder.path());
    while !folder.path().join("holding").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(matches!(acquire(folder.path(), 5), Err(LockError::Held { .. })));
    holder.kill().unwrap();
    // Its parent has not asked how it ended: a process that is dead and still has its number.
    let lock = acquire(folder.path(), 2000).unwrap();
    assert!(lock.is_held());
    holder.wait().unwrap();
}

#[test]
fn a_process_killed_at_any_step_stops_nobody() {
    for point in fault::LOCK_FOLDER_POINTS {
        let folder = tempfile::tempdir().unwrap();
        let status = child(point, folder.path()).wait().unwrap();
        assert!(!status.success(), "{point} was not reached");
        drop(acquire(folder.path(), 0).unwrap_or_else(|error| panic!("{point}: {error}")));
        assert!(!folder.path().join("chant-write.lock").exists(), "{point}");
    }
}

#[test]
fn what_a_killed_process_put_aside_is_swept() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path();
    let aside = |name: &str, pid: u32| {
        foreign(folder, &pid.to_string(), &host(), "2030-01-01T00:00:00.000Z");
        let aside = folder.join(format!("chant-write.lock{ASIDE}{name}"));
        fs::rename(folder.join("chant-write.lock"), &aside).unwrap();
        aside
    };
    let (gone, alive) = (aside("gone", dead()), aside("alive", std::process::id()));
    drop(acquire(folder, 0).unwrap());
    assert!(!gone.exists());
    assert!(alive.exists(), "its owner may be about to put it back");
}
