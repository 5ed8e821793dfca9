//! Starting, feeding, waiting for and stopping a command on Unix.

use std::io::{self, ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};

use super::log::Logs;
use super::watch::Watch;
use super::{Command, End, Input, Leftovers, Ran, prepare, start_error};

/// Between the request to end and the force.
const GRACE: Duration = Duration::from_secs(2);
/// How long processes may take to finish by themselves after the command has ended. Many a tool
/// doesn't wait for workers that it has told to go.
const SETTLE: Duration = Duration::from_millis(50);
/// How long a killed process may take to disappear.
const DEATH: Duration = Duration::from_secs(5);

pub(super) fn run(command: &Command, logs: &Logs) -> io::Result<Ran> {
    let mut process = match prepare(command) {
        Ok(process) => process,
        Err(reason) => return Ok(Ran::not_started(reason)),
    };
    let (stdout, stderr) = logs.streams()?;
    let (stdin, input) = match &command.stdin {
        Input::Null => (Stdio::null(), &[][..]),
        Input::Bytes(bytes) => (Stdio::piped(), bytes.as_slice()),
    };
    process.stdin(stdin).stdout(stdout).stderr(stderr).process_group(0);

    let _adoption = Adoption::begin();
    let started = Instant::now();
    let mut child = match start(&mut process) {
        Ok(child) => child,
        Err(error) => return Ok(Ran::not_started(start_error(&error))),
    };
    drop(process);
    let group = Pid::from_child(&child);
    let strays = Strays::of(group);
    // From here on, an early return drops the watch, which stops the group.
    let watch = Watch::over(group);

    let mut feed = Feed::new(child.stdin.take(), input)?;
    let mut pause = Pause::new();
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::of(status);
        }
        let left = command.deadline.map(|deadline| deadline.saturating_sub(started.elapsed()));
        if left == Some(Duration::ZERO) {
            break End::TimedOut;
        }
        if feed.push() {
            pause = Pause::new();
        }
        pause.sleep(left.unwrap_or(Duration::MAX));
    };
    let duration = started.elapsed();
    let timed_out = end == End::TimedOut;
    let leader = timed_out.then_some(child);
    let mut processes = Processes { group, leader, strays };
    let leftovers = if !timed_out && processes.are_gone_within(SETTLE) {
        Leftovers::None
    } else if !processes.stop() {
        Leftovers::Alive
    } else if timed_out {
        Leftovers::None
    } else {
        Leftovers::Killed
    };
    ended(group);
    watch.release();
    Ok(Ran { end, duration, log: None, stderr: None, leftovers })
}

/// The processes of a command: its group, which the runner has made, and those that left it.
struct Processes {
    group: Pid,
    /// The command itself as long as it hasn't been waited for.
    leader: Option<Child>,
    strays: Strays,
}

impl Processes {
    /// Asks all to end, and after a grace kills them. Tells whether none of them runs any more.
    fn stop(&mut self) -> bool {
        self.strays.look();
        self.signal(Signal::TERM);
        // A stopped process sees the request only when it goes on.
        self.signal(Signal::CONT);
        if self.are_gone_within(GRACE) {
            return true;
        }
        self.strays.look();
        self.signal(Signal::KILL);
        self.are_gone_within(DEATH)
    }

    fn signal(&self, signal: Signal) {
        // The group may have ended meanwhile, and what may not be signalled shows in `are_gone`.
        let _ = kill_process_group(self.group, signal);
        self.strays.signal(signal);
    }

    fn are_gone_within(&mut self, limit: Duration) -> bool {
        let started = Instant::now();
        let mut pause = Pause::new();
        while !self.are_gone() {
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return false;
            }
            pause.sleep(left);
        }
        true
    }

    fn are_gone(&mut self) -> bool {
        // Until somebody has waited for it, a dead leader is a member of its group.
        if self.leader.as_mut().is_some_and(|child| !matches!(child.try_wait(), Ok(None))) {
            self.leader = None;
        }
        self.strays.look();
        if self.leader.is_none() {
            self.strays.bury();
        }
        let group_is_gone = match test_kill_process_group(self.group) {
            Err(Errno::SRCH) => true,
            // Dead orphans count for the system call until they are waited for, which the first
            // process of many a container never does.
            Ok(()) | Err(_) => !group_lives(self.group),
        };
        self.leader.is_none() && group_is_gone && !self.strays.are_alive()
    }
}

#[cfg(target_os = "linux")]
use super::proc::{Adoption, Strays, group_lives};
#[cfg(target_os = "linux")]
pub(super) use super::proc::{ended, start};

#[cfg(not(target_os = "linux"))]
fn group_lives(_: Pid) -> bool {
    true
}

#[cfg(not(target_os = "linux"))]
pub(super) fn start(command: &mut std::process::Command) -> io::Result<Child> {
    command.spawn()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn ended(_: Pid) {}

/// Orphans go to the first process of the system.
#[cfg(not(target_os = "linux"))]
struct Adoption;

#[cfg(not(target_os = "linux"))]
impl Adoption {
    fn begin() -> Self {
        Self
    }
}

/// Descendants of the command outside its group; unknown on this system.
#[cfg(not(target_os = "linux"))]
struct Strays;

#[cfg(not(target_os = "linux"))]
impl Strays {
    fn of(_: Pid) -> Self {
        Self
    }

    fn look(&mut self) {}

    fn signal(&self, _: Signal) {}

    fn are_alive(&self) -> bool {
        false
    }

    fn bury(&self) {}
}

/// The command's input, written as fast as it is read and no faster: the pipe never blocks, so a
/// command that reads nothing costs nothing, and no thread is left behind.
struct Feed<'a> {
    pipe: Option<ChildStdin>,
    rest: &'a [u8],
}

impl<'a> Feed<'a> {
    fn new(pipe: Option<ChildStdin>, rest: &'a [u8]) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { pipe, rest })
    }

    /// Writes what the pipe takes, closes it after the last byte, and tells whether it took any.
    fn push(&mut self) -> bool {
        let before = self.rest.len();
        while let Some(pipe) = &mut self.pipe {
            match pipe.write(self.rest) {
                Ok(written) => self.rest = self.rest.get(written..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // Nobody reads any more.
                Err(_) => self.rest = &[],
            }
            if self.rest.is_empty() {
                self.pipe = None;
            }
        }
        self.rest.len() < before
    }
}

/// Waits that grow from 1 ms to 20 ms.
struct Pause(Duration);

impl Pause {
    fn new() -> Self {
        Self(Duration::from_millis(1))
    }

    fn sleep(&mut self, limit: Duration) {
        std::thread::sleep(self.0.min(limit));
        self.0 = (self.0 * 2).min(Duration::from_millis(20));
    }
}
