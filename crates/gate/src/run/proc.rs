//! Processes as Linux lists them under `/proc`, and those that come to the runner when their parents end.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::process::{Child, Command};
use std::sync::{Mutex, PoisonError};

use rustix::process::{
    Pid, Signal, WaitOptions, child_subreaper, getpid, kill_process, set_child_subreaper, waitpgid, waitpid,
};

/// One process, told from a later one with the same number by its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// Clock ticks from the system's start to the process's.
    started: u64,
    /// It has ended, and nobody has waited for it yet.
    dead: bool,
}

impl Process {
    /// From the text of `/proc/<pid>/stat`.
    fn parse(stat: &str) -> Option<Self> {
        let pid = stat.split(' ').next()?.parse().ok()?;
        // The program's name stands in brackets and may itself hold brackets and spaces.
        let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
        let dead = matches!(fields.next()?, "Z" | "X" | "x");
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let session = fields.next()?.parse().ok()?;
        let started = fields.nth(15)?.parse().ok()?;
        Some(Self { pid, parent, group, session, started, dead })
    }

    fn read(pid: i32) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
    }

    fn is(&self, other: &Self) -> bool {
        (self.pid, self.started) == (other.pid, other.started)
    }

    fn now(&self) -> Option<Self> {
        Self::read(self.pid).filter(|now| now.is(self))
    }

    fn is_alive(&self) -> bool {
        self.now().is_some_and(|now| !now.dead)
    }
}

/// All processes; `None` where `/proc` doesn't tell.
fn all() -> Option<Vec<Process>> {
    let entries = fs::read_dir("/proc").ok()?;
    let processes: Vec<Process> = entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(Process::read)
        .collect();
    (!processes.is_empty()).then_some(processes)
}

/// Whether a process of the group lives. Yes where nobody knows.
pub(super) fn group_lives(group: Pid) -> bool {
    let group = group.as_raw_nonzero().get();
    all().is_none_or(|all| all.iter().any(|process| process.group == group && !process.dead))
}

/// The groups of children that this process started itself, as opposed to what came to it.
static STARTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Starts a child that leads a group of its own.
pub(super) fn start(command: &mut Command) -> io::Result<Child> {
    // Nobody looks for strays between the start and the entry.
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    started.insert(Pid::from_child(&child).as_raw_nonzero().get());
    Ok(child)
}

/// Forgets a child that was waited for.
pub(super) fn ended(pid: Pid) {
    STARTED.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid.as_raw_nonzero().get());
}

/// How many runs want orphans to come here, and whether it was the runner that asked the system for that.
static ADOPTING: Mutex<(usize, bool)> = Mutex::new((0, false));

/// As long as this value lives, descendants whose parents end become children of this process.
pub(super) struct Adoption(());

impl Adoption {
    pub(super) fn begin() -> Self {
        let mut adopting = ADOPTING.lock().unwrap_or_else(PoisonError::into_inner);
        if adopting.0 == 0 {
            let is_new = matches!(child_subreaper(), Ok(None));
            adopting.1 = is_new && set_child_subreaper(Some(getpid())).is_ok();
        }
        adopting.0 += 1;
        Self(())
    }
}

impl Drop for Adoption {
    fn drop(&mut self) {
        let mut adopting = ADOPTING.lock().unwrap_or_else(PoisonError::into_inner);
        adopting.0 = adopting.0.saturating_sub(1);
        if adopting.0 == 0 && adopting.1 {
            // Else a daemon that git starts between two runs would stay a child of this process.
            let _ = set_child_subreaper(None);
        }
    }
}

/// Descendants of a group that have left it, as `timeout`, `setsid` and browsers under test do.
pub(super) struct Strays {
    group: i32,
    /// When the group's first process started; none where that is not known, and no orphan is taken for one of it.
    since: Option<u64>,
    own: Option<Process>,
    found: Vec<Process>,
}

impl Strays {
    /// None known yet. To be made before anybody waits for the first process of the group.
    pub(super) fn of(group: Pid) -> Self {
        let group = group.as_raw_nonzero().get();
        let since = Process::read(group).map(|leader| leader.started);
        let own = Process::read(getpid().as_raw_nonzero().get());
        Self { group, since, own, found: Vec::new() }
    }

    /// Looks for orphans that left the group and came to this process, for children of the group and of the strays
    /// known so far, and for theirs.
    pub(super) fn look(&mut self) {
        let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        let all = all().unwrap_or_default();
        let outside = |process: &&Process| process.group != self.group;
        let mut found: Vec<Process> = Vec::new();
        for process in all.iter().filter(outside) {
            if self.is_orphan(process) && !started.contains(&process.group) {
                found.push(*process);
            }
        }
        drop(started);
        let mut grown = true;
        while grown {
            grown = false;
            for process in all.iter().filter(outside) {
                let is_parent = |other: &Process| {
                    let is_known = || self.found.iter().chain(&found).any(|known| known.is(other));
                    other.pid == process.parent && (other.group == self.group || is_known())
                };
                if !found.iter().any(|known| known.is(process)) && all.iter().any(is_parent) {
                    found.push(*process);
                    grown = true;
                }
            }
        }
        found.retain(|process| !self.found.iter().any(|known| known.is(process)));
        self.found.extend(found);
    }

    /// Whether a process came to this one after its parent ended. What this process starts otherwise stays in its
    /// group.
    fn is_orphan(&self, process: &Process) -> bool {
        let (Some(since), Some(own)) = (self.since, &self.own) else { return false };
        process.parent == own.pid
            && process.started >= since
            && (process.session, process.group) != (own.session, own.group)
    }

    pub(super) fn signal(&self, signal: Signal) {
        for process in self.found.iter().filter(|process| process.is_alive()) {
            if let Some(pid) = Pid::from_raw(process.pid) {
                // It may end at any moment.
                let _ = kill_process(pid, signal);
            }
        }
    }

    pub(super) fn are_alive(&self) -> bool {
        self.found.iter().any(Process::is_alive)
    }

    /// Waits for the dead that came to this process. The first process of the group must have been waited for.
    pub(super) fn bury(&self) {
        if let Some(group) = Pid::from_raw(self.group) {
            while matches!(waitpgid(group, WaitOptions::NOHANG), Ok(Some(_))) {}
        }
        for process in &self.found {
            let is_dead = process.now().is_some_and(|now| now.dead);
            if let Some(pid) = Pid::from_raw(process.pid).filter(|_| is_dead) {
                // Not every one of them is a child of this process.
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
        }
    }
}

#[cfg(test)]
pub(super) fn is_alive(pid: i32) -> bool {
    Process::read(pid).is_some_and(|process| !process.dead)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat = "42 (a) Z (b c) S 7 40 39 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2";
        let living = Process { pid: 42, parent: 7, group: 40, session: 39, started: 987_654, dead: false };
        assert_eq!(Process::parse(stat), Some(living));
        let stat = "42 (a) Z 7 40 39 0 -1 1 1 2 3 4 5 6 7 8 20 0 1 0 987654 1";
        assert_eq!(Process::parse(stat), Some(Process { dead: true, ..living }));
        assert_eq!(Process::parse("42 (a"), None);
    }

    #[test]
    fn the_own_process_is_listed() {
        let own = getpid().as_raw_nonzero().get();
        assert!(all().unwrap().iter().any(|process| process.pid == own));
    }
}
