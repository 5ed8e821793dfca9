//! Whether the process that took a lock still runs.

use std::fs;
use std::time::{Duration, SystemTime};

/// Whether process `pid` runs and ran already when the lock was written.
#[cfg(unix)]
pub(super) fn runs(pid: u32, written: Option<SystemTime>) -> bool {
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
pub(super) fn runs(_: u32, written: Option<SystemTime>) -> bool {
    written.and_then(|w| w.elapsed().ok()).unwrap_or_default() <= super::file::PUBLISHED_AGE
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
pub(super) fn machine() -> String {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let space = fs::read_link("/proc/self/ns/pid").map(|link| link.to_string_lossy().into_owned());
    let word = canon::Sha256::of(format!("{}{}", boot.trim(), space.unwrap_or_default()));
    format!("at-{}", word.short())
}

/// The machine's name in its network, which other programs write into their locks.
#[cfg(unix)]
pub fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// The machine's name in its network, which other programs write into their locks. Not asked for here, so that the
/// locks of other programs are judged by their time alone.
#[cfg(not(unix))]
pub fn host() -> String {
    String::new()
}
