//! The user's own git as a process.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use crate::Env;

/// Waits between the attempts of a command that found a lock, about three seconds in all.
const BACKOFF: [Duration; 7] = {
    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }
    [ms(20), ms(50), ms(100), ms(200), ms(400), ms(800), ms(1400)]
};

/// Settings that would change what git answers, or make it run a program of the repository's choice.
const SETTINGS: [&str; 4] = [
    "core.quotepath=off",
    "core.fsmonitor=false",
    // A file whose size and modification time were put back after an edit still has a new change time.
    "core.trustctime=true",
    "core.checkStat=default",
];

/// The user's `git`, run in one folder.
///
/// Variables that point git elsewhere (`GIT_DIR`, `GIT_INDEX_FILE`, ...) are removed, messages are in English, no
/// pager or prompt opens, and reads take no lock. A command that fails because someone else holds a lock file is
/// tried again for about three seconds. Replacement objects (`git replace`) are not applied: a gate judges what the
/// repository holds.
#[derive(Debug, Clone)]
pub struct Git {
    dir: PathBuf,
    env: Env,
    pub(super) backoff: &'static [Duration],
}

impl Git {
    /// Git in `dir`, the folder that all names in questions and answers are relative to.
    pub fn new(dir: impl Into<PathBuf>, env: &Env) -> Self {
        let mut env = env.without_git();
        for (name, value) in [
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("LC_ALL", "C"),
        ] {
            env.set(name, value);
        }
        Self { dir: dir.into(), env, backoff: &BACKOFF }
    }

    /// The folder that git runs in.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Runs `git` with these arguments and without input; what it wrote, if it succeeded.
    pub fn output<I>(&self, args: I) -> Result<Output, GitError>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        self.call(args).run()
    }

    pub(crate) fn call<I>(&self, args: I) -> Call<'_>
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        Call {
            git: self,
            args: args.into_iter().map(Into::into).collect(),
            env: Vec::new(),
            settings: Vec::new(),
            input: None,
            accepted: &[0],
        }
    }

    /// The same with more variables.
    pub(super) fn with<const N: usize>(&self, variables: [(&'static str, PathBuf); N]) -> Self {
        let mut git = self.clone();
        for (name, value) in variables {
            git.env.set(name, value);
        }
        git
    }

    pub(super) fn env(&self) -> &Env {
        &self.env
    }
}

/// One command in the making.
pub(crate) struct Call<'a> {
    git: &'a Git,
    args: Vec<OsString>,
    env: Vec<(&'static str, OsString)>,
    settings: Vec<&'static str>,
    input: Option<&'a [u8]>,
    accepted: &'static [i32],
}

impl<'a> Call<'a> {
    pub(crate) fn args<I>(mut self, args: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    pub(super) fn env(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.env.push((name, value.into()));
        self
    }

    /// A setting for this command alone, as `name=value`.
    pub(super) fn setting(mut self, setting: &'static str) -> Self {
        self.settings.push(setting);
        self
    }

    /// Takes every path after `--` by its letters: `*`, `[` and a leading `:` mean themselves.
    pub(crate) fn literal(self) -> Self {
        self.env("GIT_LITERAL_PATHSPECS", "1")
    }

    pub(crate) fn input(mut self, bytes: &'a [u8]) -> Self {
        self.input = Some(bytes);
        self
    }

    /// Exit codes that are answers; the others are failures.
    pub(crate) fn accept(mut self, codes: &'static [i32]) -> Self {
        self.accepted = codes;
        self
    }

    /// Runs the command, again while a lock is in its way.
    pub(super) fn run(&self) -> Result<Output, GitError> {
        let mut waits = self.git.backoff.iter();
        loop {
            let output = self.attempt()?;
            if output.status.code().is_some_and(|code| self.accepted.contains(&code)) {
                return Ok(output);
            }
            let stderr = String::from_utf8_lossy(&output.stderr);
            // `File exists` and not `Read-only file system`: only the first passes with time.
            let locked = stderr.contains(".lock': File exists");
            match waits.next() {
                Some(wait) if locked => thread::sleep(*wait),
                _ => return Err(self.failure(output.status.code(), &stderr, locked)),
            }
        }
    }

    /// What the command wrote, with its exit code.
    pub(crate) fn answer(&self) -> Result<(i32, Vec<u8>), GitError> {
        self.run().map(|output| (output.status.code().unwrap_or_default(), output.stdout))
    }

    fn attempt(&self) -> Result<Output, GitError> {
        let git = self.git;
        let mut command = self.command();
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.start(command)?;
        let stdin = child.stdin.take();
        thread::scope(|scope| {
            if let (Some(mut pipe), Some(bytes)) = (stdin, self.input) {
                // A git that stops reading early says why by its exit code.
                scope.spawn(move || pipe.write_all(bytes).ok());
            }
            child.wait_with_output()
        })
        .map_err(|source| GitError::Start { dir: git.dir.clone(), source })
    }

    /// Starts the command with pipes at both ends and leaves it running; what it says of failures is dropped.
    pub(super) fn spawn(&self) -> Result<Child, GitError> {
        let mut command = self.command();
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        self.start(command)
    }

    fn command(&self) -> Command {
        let git = self.git;
        let mut command = Command::new("git");
        command.current_dir(&git.dir).env_clear().envs(git.env.iter());
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.arg("--no-pager");
        for setting in SETTINGS.iter().chain(&self.settings) {
            command.args(["-c", setting]);
        }
        command.args(&self.args);
        command
    }

    fn start(&self, mut command: Command) -> Result<Child, GitError> {
        let dir = &self.git.dir;
        command.spawn().map_err(|source| match source.kind() {
            // The same kind stands for a missing program and for a missing folder to run it in.
            io::ErrorKind::NotFound if dir.is_dir() => GitError::NotInstalled,
            _ => GitError::Start { dir: dir.clone(), source },
        })
    }

    fn failure(&self, status: Option<i32>, stderr: &str, locked: bool) -> GitError {
        let command = self.shown();
        let lines: Vec<&str> = stderr.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let telling = lines.iter().position(|line| !line.starts_with("warning:")).unwrap_or_default();
        let stderr = lines[telling..].iter().take(5).copied().collect::<Vec<_>>().join("\n");
        if locked {
            GitError::Locked { command, stderr }
        } else {
            GitError::Failed { command, status, stderr }
        }
    }

    /// The output was none that git documents.
    pub(crate) fn malformed(&self, what: &'static str) -> GitError {
        GitError::Malformed { command: self.shown(), what }
    }

    /// The command for people: one line, control characters escaped, cut where it gets long.
    fn shown(&self) -> String {
        let mut shown = String::from("git");
        for arg in &self.args {
            if shown.len() > 120 {
                shown.push_str(" ...");
                break;
            }
            shown.push(' ');
            for letter in arg.to_string_lossy().chars() {
                if letter.is_control() { shown.extend(letter.escape_default()) } else { shown.push(letter) }
            }
        }
        shown
    }
}

/// A revision that can stand in an argument: not empty, not an option.
pub(super) fn revision(rev: &str) -> Result<&OsStr, GitError> {
    if rev.is_empty() || rev.starts_with('-') || rev.contains('\0') {
        return Err(GitError::Revision { rev: rev.to_owned() });
    }
    Ok(OsStr::new(rev))
}

/// Why a question to git has no answer.
#[derive(Debug)]
pub enum GitError {
    /// There is no `git` on the `PATH`.
    NotInstalled,
    /// Git did not start, or was cut off.
    Start {
        /// The folder it was to run in.
        dir: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Git ran and failed.
    Failed {
        /// The command, for people.
        command: String,
        /// Its exit code; `None` when a signal ended it.
        status: Option<i32>,
        /// The first lines that it wrote to stderr.
        stderr: String,
    },
    /// Git found a lock file, in every attempt.
    Locked {
        /// The command, for people.
        command: String,
        /// What git said; it names the lock file.
        stderr: String,
    },
    /// Git wrote what no version documents.
    Malformed {
        /// The command, for people.
        command: String,
        /// The part that makes no sense.
        what: &'static str,
    },
    /// The text names no commit of this repository.
    Revision {
        /// The text.
        rev: String,
    },
    /// A file or folder beside git's own failed.
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The folder is in no work tree.
    NoWorkTree {
        /// The folder.
        dir: PathBuf,
    },
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str(
                "cannot run `git`: it is not on the PATH\nhint: install git, or add its folder to PATH",
            ),
            Self::Start { dir, source } => write!(f, "cannot run `git` in `{}`: {source}", dir.display()),
            Self::Failed { command, status, stderr } => {
                match status {
                    Some(code) => write!(f, "`{command}` failed with exit code {code}")?,
                    None => write!(f, "`{command}` was ended by a signal")?,
                }
                if stderr.is_empty() { Ok(()) } else { write!(f, ": {stderr}") }
            }
            Self::Locked { command, stderr } => write!(
                f,
                "`{command}` found a lock file: {stderr}\n\
                 hint: wait for the other git process; remove the file only if none is running"
            ),
            Self::Malformed { command, what } => {
                write!(f, "`{command}` gave an answer that cannot be read: {what}")
            }
            Self::Revision { rev } => {
                write!(f, "`{}` names no commit of this repository", rev.escape_debug())
            }
            Self::File { path, source } => write!(f, "cannot use `{}`: {source}", path.display()),
            Self::NoWorkTree { dir } => write!(f, "`{}` is in no git work tree", dir.display()),
        }
    }
}

impl std::error::Error for GitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Start { source, .. } | Self::File { source, .. } => Some(source),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
