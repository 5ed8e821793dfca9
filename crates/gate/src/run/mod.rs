//! The one way to run somebody else's command: a gate's toolchain, a reviewer, an executor.
//!
//! - Output goes straight to files, never through a pipe: there is no limit on it, and a background
//!   child that keeps the output open holds nobody up, since only the process itself is waited for.
//! - The command leads a process group of its own. At the deadline, and after a normal end when it
//!   left processes behind, the whole group is stopped: politely first, then by force. What a gate
//!   judged can therefore not be changed afterwards by a straggler.
//! - The group is in the background of the terminal, so Ctrl-C reaches only the caller. On Unix a
//!   small watcher stops the group when the caller goes away, however that happens.
//! - The environment is exactly the given one.
//!
//! - On Linux, descendants that left the group (`setsid`, `timeout`, a daemon) are found and stopped as
//!   well: while a command runs, orphans come to this process. A server that a build tool leaves behind
//!   for the next time goes with them.
//!
//! Out of reach: a process that left the group, on other systems once its parent has ended, and on Linux
//! when the caller is killed.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Child;
use std::time::Duration;

mod end;
mod failure;
mod log;
mod tail;

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(target_os = "linux")]
mod proc;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod watch;

#[cfg(test)]
#[cfg(unix)]
mod tests;

pub use end::{End, Leftovers, Ran};
pub use failure::failure;
pub use log::Log;
pub use tail::tail;

/// What to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A program and its arguments. Without a slash the program is looked up in the `PATH` of the
    /// command's own environment.
    Argv(Vec<OsString>),
    /// `sh -c script sh args...`: the arguments are `$1`, `$2` and so on in the script.
    Shell {
        /// The shell's program text.
        script: OsString,
        /// Its positional parameters.
        args: Vec<OsString>,
    },
}

impl Program {
    /// A shell script without arguments.
    pub fn shell(script: impl Into<OsString>) -> Self {
        Self::Shell { script: script.into(), args: Vec::new() }
    }

    /// Program and arguments as the system gets them; empty for an empty `Argv`.
    fn argv(&self) -> Vec<OsString> {
        match self {
            Self::Argv(words) => words.clone(),
            Self::Shell { script, args } => {
                let shell = if cfg!(unix) { "/bin/sh" } else { "sh" };
                let mut words: Vec<OsString> = vec![shell.into(), "-c".into(), script.clone(), "sh".into()];
                words.extend(args.iter().cloned());
                words
            }
        }
    }
}

/// What the command reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Input {
    /// Nothing: the end of the input at once.
    #[default]
    Null,
    /// These bytes, through a pipe. A command that doesn't read them all is no error.
    Bytes(Vec<u8>),
}

/// Where the command's output goes. Each file is made new: what stands under its name, left by an
/// earlier run, is replaced and never written through.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Capture {
    /// Both streams into one file, in the order in which they were written.
    Combined(PathBuf),
    /// A file for each stream.
    Split {
        /// For the standard output.
        stdout: PathBuf,
        /// For the standard error.
        stderr: PathBuf,
    },
    /// Nowhere.
    #[default]
    Discard,
}

/// A command to run.
#[derive(Debug, Clone)]
pub struct Command {
    /// What to start.
    pub program: Program,
    /// The folder to run in. An absolute path, since the runner knows no other folder.
    pub dir: PathBuf,
    /// The whole environment; nothing is inherited. Of two equal names the last one counts.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads.
    pub stdin: Input,
    /// How long it may take; `None` waits for ever.
    pub deadline: Option<Duration>,
    /// Where its output goes.
    pub capture: Capture,
}

/// Runs a command to its end.
///
/// How the command ended, well or badly, is in the answer, also when it couldn't be started. An error
/// means that the runner itself failed: a log file that can't be made (its folder is missing, or
/// something that is no regular file stands under its name), or a system that can't wait.
pub fn run(command: &Command) -> io::Result<Ran> {
    let logs = log::Logs::create(&command.capture)?;
    #[cfg(unix)]
    let ran = unix::run(command, &logs)?;
    #[cfg(not(unix))]
    let ran = portable::run(command, &logs)?;
    let (log, stderr) = logs.digests()?;
    Ok(Ran { log, stderr, ..ran })
}

/// Starts a process that leads a group of its own and runs beside others. What commands that are run meanwhile leave
/// behind is looked for and stopped, and this is none of it. Once it was waited for, [`forget`] is due.
///
/// # Errors
/// It does not start.
pub fn start_beside(command: &mut std::process::Command) -> io::Result<Child> {
    #[cfg(unix)]
    {
        std::os::unix::process::CommandExt::process_group(command, 0);
        unix::start(command)
    }
    #[cfg(not(unix))]
    command.spawn()
}

/// Forgets a process of [`start_beside`] that was waited for.
pub fn forget(child: &Child) {
    #[cfg(unix)]
    unix::ended(rustix::process::Pid::from_child(child));
    #[cfg(not(unix))]
    let _ = child;
}

/// The system's command for `command`, with all but the streams that it reads and writes; or why
/// there can't be one.
fn prepare(command: &Command) -> Result<std::process::Command, String> {
    let words = command.program.argv();
    let Some((program, args)) = words.split_first().filter(|(program, _)| !program.is_empty()) else {
        return Err("the command is empty".to_owned());
    };
    if !command.dir.is_dir() {
        return Err(format!("no folder `{}`", command.dir.display()));
    }
    let mut process = std::process::Command::new(program);
    process.args(args).current_dir(&command.dir).env_clear();
    process.envs(command.env.iter().map(|(name, value)| (name, value)));
    Ok(process)
}

/// Why the system didn't start a command, for people.
fn start_error(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "not found".to_owned(),
        io::ErrorKind::PermissionDenied => "not executable".to_owned(),
        _ => error.to_string(),
    }
}
