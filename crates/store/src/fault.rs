//! Places where a test may break a write off, to prove that nothing is lost there.
//!
//! In a release build every point is nothing. In a debug build the program arms at most one point,
//! and the process dies (as under `kill -9`) or the step fails (as on a full disk) when it gets there.

use std::io;

/// What happens at an armed point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The process is killed on the spot.
    Kill,
    /// The step fails as on a full disk.
    Full,
    /// The step panics, as over a fault of the program itself.
    Panic,
    /// The step takes longer than anybody waits.
    Stall,
}

impl Fault {
    /// The fault of that name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "kill" => Some(Self::Kill),
            "full" => Some(Self::Full),
            "panic" => Some(Self::Panic),
            "stall" => Some(Self::Stall),
            _ => None,
        }
    }
}

/// Every point, in the order in which one transaction passes them.
pub const POINTS: &[&str] = &[
    "lock",
    "stage",
    "staged",
    "journal",
    "journaled",
    "append",
    "appended",
    "rename",
    "renamed",
    "chain",
    "clear",
];

/// The points of a lock folder, in the order in which it is taken, and then broken or let go.
pub const LOCK_FOLDER_POINTS: &[&str] = &["lock-prepared", "lock-published", "lock-aside"];

#[cfg(debug_assertions)]
mod armed {
    use std::sync::Mutex;

    use super::Fault;

    pub(super) static ARMED: Mutex<Option<(String, u32, Fault)>> = Mutex::new(None);
}

/// Arms the point called `name` for its `nth` passing, from 1.
#[cfg(debug_assertions)]
pub fn arm(name: &str, nth: u32, fault: Fault) {
    if let Ok(mut armed) = armed::ARMED.lock() {
        *armed = Some((name.to_owned(), nth, fault));
    }
}

/// The point that the hook of an agent passes before it judges.
pub const HOOK: &str = "hook";

/// Passes the point called `name`.
///
/// # Errors
/// The point is armed, and its step fails.
///
/// # Panics
/// The point is armed, and its step panics.
#[cfg(debug_assertions)]
#[expect(clippy::panic, reason = "a panic is what is staged, in debug builds alone")]
pub fn point(name: &str) -> io::Result<()> {
    let Ok(mut armed) = armed::ARMED.lock() else { return Ok(()) };
    let Some((wanted, left, fault)) = armed.as_mut() else { return Ok(()) };
    if wanted != name {
        return Ok(());
    }
    *left -= 1;
    if *left > 0 {
        return Ok(());
    }
    let fault = *fault;
    *armed = None;
    drop(armed);
    match fault {
        Fault::Full => Err(io::Error::new(io::ErrorKind::StorageFull, "no space left on device (staged)")),
        Fault::Kill => {
            #[cfg(unix)]
            let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
            std::process::abort()
        }
        Fault::Panic => panic!("a fault of the program (staged)"),
        Fault::Stall => {
            std::thread::sleep(STALL);
            Ok(())
        }
    }
}

/// How long a stalled step takes.
#[cfg(debug_assertions)]
const STALL: std::time::Duration = std::time::Duration::from_secs(20);

/// Passes the point called `name`, which is nothing here.
///
/// # Errors
/// None.
#[cfg(not(debug_assertions))]
#[inline]
pub fn point(_: &str) -> io::Result<()> {
    Ok(())
}
