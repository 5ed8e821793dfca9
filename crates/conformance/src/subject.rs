//! A subject: a program that answers cases, one line each, over its standard streams. No shell stands between.

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use canon::Sha256;
use gate::run;
use store::{Env, file};

/// The longest line that a subject may answer with.
const LONGEST: u64 = 16 * 1024 * 1024;

/// How much of its standard error is kept.
const TAIL: usize = 4 * 1024;

/// A program that is held against the vectors.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The program and its arguments.
    pub argv: Vec<OsString>,
    /// The folder that it runs in.
    pub dir: PathBuf,
    /// Its environment.
    pub env: Env,
}

/// What is different around a process from how the caller stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Around {
    pub zone: &'static str,
    pub language: &'static str,
    pub umask: u32,
}

/// Time zones on both sides of the date line, languages with letters of their own, and masks of all kinds.
pub(crate) const AROUND: [Around; 4] = [
    Around { zone: "Pacific/Kiritimati", language: "tr_TR.UTF-8", umask: 0o077 },
    Around { zone: "America/St_Johns", language: "C", umask: 0o022 },
    Around { zone: "Asia/Kathmandu", language: "de_DE.UTF-8", umask: 0o027 },
    Around { zone: "Pacific/Pago_Pago", language: "ja_JP.UTF-8", umask: 0o002 },
];

/// Why a subject gave no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble(pub String);

impl Subject {
    /// The files of which it is made, as far as its command line names them, each with its digest: the program, as
    /// `path` finds it, and every argument that is a file.
    pub(crate) fn files(&self) -> Vec<(String, Sha256)> {
        let mut files = Vec::new();
        for (n, word) in self.argv.iter().enumerate() {
            let found = if n == 0 { self.program() } else { Some(self.dir.join(word)) };
            let Some(path) = found.filter(|path| path.is_file()) else { continue };
            let Ok(opened) = std::fs::File::open(&path) else { continue };
            let Ok((digest, _)) = Sha256::of_reader(opened) else { continue };
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            files.push((name, digest));
        }
        files
    }

    fn program(&self) -> Option<PathBuf> {
        let word = Path::new(self.argv.first()?);
        if word.components().count() > 1 {
            return Some(self.dir.join(word));
        }
        let path = self.env.get("PATH")?;
        std::env::split_paths(path).map(|folder| folder.join(word)).find(|path| path.is_file())
    }

    /// Starts it with more arguments.
    pub(crate) fn start(
        &self,
        more: &[&str],
        around: Option<(Around, &Path)>,
        deadline: Duration,
    ) -> Result<Running, Trouble> {
        let Some((program, args)) = self.argv.split_first() else {
            return Err(Trouble("the command is empty".to_owned()));
        };
        let mut command = Command::new(program);
        command.args(args).args(more).current_dir(&self.dir).env_clear();
        command.envs(self.env.without_git().iter());
        if let Some((around, home)) = around {
            for (name, value) in [("TZ", around.zone), ("LANG", around.language), ("LC_ALL", around.language)]
            {
                command.env(name, value);
            }
            command.env("HOME", home);
            for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
                command.env_remove(name);
            }
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let spawned = spawn(&mut command, around.map(|(around, _)| around.umask));
        let child = spawned.map_err(|error| {
            Trouble(match error.kind() {
                io::ErrorKind::NotFound => format!("`{}` is not found", program.display()),
                io::ErrorKind::PermissionDenied => format!("`{}` is not executable", program.display()),
                _ => format!("`{}` did not start: {error}", program.display()),
            })
        })?;
        Ok(Running::over(child, deadline))
    }
}

/// Starts a process under a mask. The mask belongs to the whole of this process, so that one starts at a time.
fn spawn(command: &mut Command, umask: Option<u32>) -> io::Result<Child> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    #[cfg(unix)]
    if let Some(mask) = umask {
        let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(mask));
        let child = run::start_beside(command);
        rustix::process::umask(before);
        return child;
    }
    let _ = umask;
    run::start_beside(command)
}

/// A subject that runs.
pub(crate) struct Running {
    child: Child,
    /// Lines for it; closing it closes its input.
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<io::Result<Vec<u8>>>,
    said: Arc<Mutex<Vec<u8>>>,
    deadline: Duration,
}

impl Running {
    fn over(mut child: Child, deadline: Duration) -> Self {
        let (input, lines) = mpsc::channel::<Vec<u8>>();
        if let Some(mut pipe) = child.stdin.take() {
            thread::spawn(move || {
                for line in lines {
                    // It may have ended without reading, and then its end says why.
                    if pipe.write_all(&line).and_then(|()| pipe.flush()).is_err() {
                        break;
                    }
                }
            });
        }
        let (send, output) = mpsc::channel();
        if let Some(pipe) = child.stdout.take() {
            thread::spawn(move || {
                let mut pipe = BufReader::new(pipe);
                loop {
                    let mut line = Vec::new();
                    let read = (&mut pipe).take(LONGEST).read_until(b'\n', &mut line);
                    let is_end = matches!(read, Ok(0) | Err(_));
                    if is_end || send.send(read.map(|_| line)).is_err() {
                        break;
                    }
                }
            });
        }
        let said = Arc::new(Mutex::new(Vec::new()));
        if let Some(mut pipe) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::spawn(move || {
                let mut chunk = [0; 1024];
                while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
                    said.extend_from_slice(&chunk[..count]);
                    let over = said.len().saturating_sub(TAIL);
                    said.drain(..over);
                }
            });
        }
        Self { child, input: Some(input), output, said, deadline }
    }

    /// Sends a line and waits for the one that answers it.
    pub fn ask(&mut self, line: Vec<u8>) -> Result<Vec<u8>, Trouble> {
        if let Some(input) = &self.input {
            let _ = input.send(line);
        }
        self.line()
    }

    /// The next line.
    pub fn line(&mut self) -> Result<Vec<u8>, Trouble> {
        match self.output.recv_timeout(self.deadline) {
            Ok(Ok(line)) if line.ends_with(b"\n") => Ok(line),
            Ok(Ok(line)) if line.len() as u64 >= LONGEST => {
                Err(Trouble(format!("it answered with more than {} MiB", LONGEST / 1024 / 1024)))
            }
            Ok(Ok(_)) => Err(self.ended("ended in the middle of a line")),
            Ok(Err(error)) => Err(Trouble(format!("its output can't be read: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                Err(Trouble(format!("no answer came within {} ms", self.deadline.as_millis())))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended("ended without an answer")),
        }
    }

    /// Closes its input and waits for its end; what it still says is one line too many.
    pub fn end(mut self) -> Result<(), Trouble> {
        self.input = None;
        match self.output.recv_timeout(self.deadline) {
            Err(RecvTimeoutError::Disconnected) => {}
            Err(RecvTimeoutError::Timeout) => {
                return Err(Trouble("it does not end when its input does".to_owned()));
            }
            Ok(_) => return Err(Trouble("it printed a line that answers no case".to_owned())),
        }
        match self.wait() {
            Some(status) if status.success() => Ok(()),
            Some(_) => Err(self.ended("ended badly")),
            None => Err(Trouble("it does not end when its input does".to_owned())),
        }
    }

    fn wait(&mut self) -> Option<std::process::ExitStatus> {
        let until = Instant::now() + self.deadline.min(Duration::from_secs(5));
        loop {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status);
            }
            if Instant::now() >= until {
                return None;
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn ended(&mut self, how: &str) -> Trouble {
        let status = self.wait().map_or_else(String::new, |status| format!(" ({status})"));
        // What it said last may still be on its way.
        thread::sleep(Duration::from_millis(20));
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&said).into_owned();
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let last = canon::text::clip(&canon::text::one_line(last), 300);
        let said = if last.is_empty() { String::new() } else { format!(": {last}") };
        Trouble(format!("it {how}{status}{said}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The number of a process that was waited for may belong to another by now.
        if matches!(self.child.try_wait(), Ok(None)) {
            #[cfg(unix)]
            {
                let group = rustix::process::Pid::from_child(&self.child);
                let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            }
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        run::forget(&self.child);
    }
}

/// A folder that stands for a person's home, for one process.
pub(crate) fn home(above: &Path, n: usize) -> Result<PathBuf, Trouble> {
    let folder = above.join(format!("home-{n}"));
    file::create_folder(above, &folder).map_err(|error| Trouble(error.to_string()))?;
    Ok(folder)
}

/// A command line for people.
pub(crate) fn shown(argv: &[OsString]) -> String {
    let words: Vec<_> = argv.iter().map(|word| OsStr::to_string_lossy(word)).collect();
    words.join(" ")
}
