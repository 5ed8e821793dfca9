//! How a command ended.

use std::process::ExitStatus;
use std::time::Duration;

use super::log::Log;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal, which the runner didn't send.
    Signalled(i32),
    /// Stopped by the runner at the deadline.
    TimedOut,
    /// It never ran, for this reason.
    NotStarted(String),
}

impl End {
    #[cfg(unix)]
    pub(super) fn of(status: ExitStatus) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, Some(signal)) => Self::Signalled(signal),
            (None, None) => Self::NotStarted(status.to_string()),
        }
    }

    #[cfg(not(unix))]
    pub(super) fn of(status: ExitStatus) -> Self {
        status.code().map_or_else(|| Self::NotStarted(status.to_string()), Self::Exited)
    }
}

/// What a command left running.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leftovers {
    /// Nothing, or it was stopped at the deadline as a whole.
    #[default]
    None,
    /// Processes that have been stopped after its end: none of them runs any more.
    Killed,
    /// Processes that can't be stopped, such as another user's. What the command was to judge may
    /// still change under their hands.
    Alive,
}

/// A command that has been run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub end: End,
    /// From the start to the end of the process, without the time to stop what it left behind.
    pub duration: Duration,
    /// Both streams, or the standard output when they are split; `None` when it was discarded.
    pub log: Option<Log>,
    /// The standard error when the streams are split.
    pub stderr: Option<Log>,
    /// What it left running.
    pub leftovers: Leftovers,
}

impl Ran {
    pub(super) fn not_started(reason: String) -> Self {
        let end = End::NotStarted(reason);
        Self { end, duration: Duration::ZERO, log: None, stderr: None, leftovers: Leftovers::None }
    }

    /// Whether it ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0)
    }

    /// Whether the end says nothing about what the command was to find out: it wasn't found or wasn't
    /// executable (also as told by a shell: 127 and 126), it was killed, or it ran out of time.
    ///
    /// A shell reports a child's death by a signal as 128 plus its number, and whether there is a
    /// shell in between depends on the shell and on the form of the script. So that counts as killed.
    pub fn could_not_run(&self) -> bool {
        match self.end {
            End::Exited(code) => matches!(code, 126 | 127) || shell_signal(code).is_some(),
            End::Signalled(_) | End::TimedOut | End::NotStarted(_) => true,
        }
    }

    /// The end in a few words: `exit code 3`, `killed by signal 9 (SIGKILL)`, `timed out after
    /// 600 s`, `not found`.
    pub fn cause(&self) -> String {
        match &self.end {
            End::Exited(126) => "exit code 126 (not executable)".to_owned(),
            End::Exited(127) => "exit code 127 (not found)".to_owned(),
            End::Exited(code) => match shell_signal(*code) {
                Some(name) => format!("exit code {code} (128 + {}: {name})", code - 128),
                None => format!("exit code {code}"),
            },
            End::Signalled(signal) => match signal_name(*signal) {
                Some(name) => format!("killed by signal {signal} ({name})"),
                None => format!("killed by signal {signal}"),
            },
            End::TimedOut => format!("timed out after {}", seconds(self.duration)),
            End::NotStarted(reason) => reason.clone(),
        }
    }
}

/// The signal that a shell means by this exit code.
fn shell_signal(code: i32) -> Option<&'static str> {
    code.checked_sub(128).and_then(signal_name)
}

/// The name of a signal by which a process dies.
#[cfg(unix)]
fn signal_name(number: i32) -> Option<&'static str> {
    use rustix::process::Signal;
    // The numbers differ between systems, so they come from there.
    let names = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::SYS, "SIGSYS"),
    ];
    names.iter().find(|(signal, _)| signal.as_raw() == number).map(|(_, name)| *name)
}

#[cfg(not(unix))]
fn signal_name(_: i32) -> Option<&'static str> {
    None
}

/// Whole seconds from ten seconds on, else one decimal.
fn seconds(duration: Duration) -> String {
    if duration.as_secs() >= 10 {
        format!("{:.0} s", duration.as_secs_f64())
    } else {
        let text = format!("{:.1}", duration.as_secs_f64());
        format!("{} s", text.strip_suffix(".0").unwrap_or(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(end: End, millis: u64) -> Ran {
        Ran { duration: Duration::from_millis(millis), ..Ran { end, ..Ran::not_started(String::new()) } }
    }

    #[test]
    fn causes_for_people() {
        assert_eq!(ran(End::Exited(3), 5).cause(), "exit code 3");
        assert_eq!(ran(End::Exited(127), 5).cause(), "exit code 127 (not found)");
        assert_eq!(ran(End::TimedOut, 600_012).cause(), "timed out after 600 s");
        assert_eq!(ran(End::TimedOut, 2_003).cause(), "timed out after 2 s");
        assert_eq!(ran(End::TimedOut, 203).cause(), "timed out after 0.2 s");
        assert_eq!(ran(End::NotStarted("not found".into()), 0).cause(), "not found");
    }

    #[cfg(unix)]
    #[test]
    fn causes_name_signals() {
        assert_eq!(ran(End::Signalled(9), 5).cause(), "killed by signal 9 (SIGKILL)");
        assert_eq!(ran(End::Signalled(64), 5).cause(), "killed by signal 64");
        assert_eq!(ran(End::Exited(137), 5).cause(), "exit code 137 (128 + 9: SIGKILL)");
    }

    #[test]
    fn only_a_verdict_of_its_own_is_conclusive() {
        for end in [End::Exited(0), End::Exited(1), End::Exited(2), End::Exited(128), End::Exited(255)] {
            assert!(!ran(end.clone(), 1).could_not_run(), "{end:?}");
        }
        let unclear = [End::Exited(126), End::Exited(127), End::Signalled(11), End::TimedOut];
        for end in unclear.into_iter().chain([End::NotStarted("not found".into())]) {
            assert!(ran(end.clone(), 1).could_not_run(), "{end:?}");
        }
        assert_eq!(ran(End::Exited(139), 1).could_not_run(), cfg!(unix));
    }
}
