//! Processes as Linux lists them under `/proc`.

use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// One process, told from a later one with the same number by its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    /// Clock ticks from the system's start to the process's.
    started: u64,
}

impl Process {
    /// From the text of `/proc/<pid>/stat`; `None` also for a process that is dead and only not yet
    /// waited for.
    fn parse(stat: &str) -> Option<Self> {
        let pid = stat.split(' ').next()?.parse().ok()?;
        // The program's name stands in brackets and may itself hold brackets and spaces.
        let mut fields = stat.get(stat.rfind(')')? + 1..)?.split_ascii_whitespace();
        if matches!(fields.next()?, "Z" | "X" | "x") {
            return None;
        }
        let parent = fields.next()?.parse().ok()?;
        let group = fields.next()?.parse().ok()?;
        let started = fields.nth(16)?.parse().ok()?;
        Some(Self { pid, parent, group, started })
    }

    fn read(pid: i32) -> Option<Self> {
        Self::parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
    }

    fn is_alive(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.started == self.started)
    }
}

/// All living processes; `None` where `/proc` doesn't tell.
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
    all().is_none_or(|all| all.iter().any(|process| process.group == group))
}

/// Descendants of a group that have left it, as `timeout`, `setsid` and browsers under test do.
pub(super) struct Strays {
    group: i32,
    found: Vec<Process>,
}

impl Strays {
    /// None known yet.
    pub(super) fn of(group: Pid) -> Self {
        Self { group: group.as_raw_nonzero().get(), found: Vec::new() }
    }

    /// Looks for children of the group and of the strays known so far, and for theirs.
    pub(super) fn add_children(&mut self) {
        let all = all().unwrap_or_default();
        let mut grown = true;
        while grown {
            grown = false;
            for process in all.iter().filter(|process| process.group != self.group) {
                let is_parent = |other: &Process| {
                    other.pid == process.parent && (other.group == self.group || self.found.contains(other))
                };
                if !self.found.contains(process) && all.iter().any(is_parent) {
                    self.found.push(*process);
                    grown = true;
                }
            }
        }
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
}

#[cfg(test)]
pub(super) fn is_alive(pid: i32) -> bool {
    Process::read(pid).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_brackets_and_spaces_does_not_shift_the_fields() {
        let stat = "42 (a) Z (b c) S 7 40 40 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2";
        assert_eq!(Process::parse(stat), Some(Process { pid: 42, parent: 7, group: 40, started: 987_654 }));
        assert_eq!(Process::parse("42 (a) Z 7 40 40 0 -1 1 1 2 3 4 5 6 7 8 20 0 1 0 987654 1"), None);
        assert_eq!(Process::parse("42 (a"), None);
    }

    #[test]
    fn the_own_process_is_listed() {
        let own = rustix::process::getpid().as_raw_nonzero().get();
        assert!(all().unwrap().iter().any(|process| process.pid == own));
    }
}
