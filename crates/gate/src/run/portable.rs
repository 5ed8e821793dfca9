//! The runner where there are no process groups: the command itself is fed, waited for and stopped,
//! what it left running is not.

use std::io::{self, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::log::Logs;
use super::{Command, End, Input, Leftovers, Ran, prepare, start_error};

pub(super) fn run(command: &Command, logs: &Logs) -> io::Result<Ran> {
    let mut process = match prepare(command) {
        Ok(process) => process,
        Err(reason) => return Ok(Ran::not_started(reason)),
    };
    let (stdout, stderr) = logs.streams()?;
    let stdin = if command.stdin == Input::Null { Stdio::null() } else { Stdio::piped() };
    process.stdin(stdin).stdout(stdout).stderr(stderr);

    let started = Instant::now();
    let mut child = match process.spawn() {
        Ok(child) => child,
        Err(error) => return Ok(Ran::not_started(start_error(&error))),
    };
    drop(process);
    if let (Some(mut pipe), Input::Bytes(bytes)) = (child.stdin.take(), command.stdin.clone()) {
        // Nobody waits for this thread: it ends with the last reader of the pipe.
        std::thread::spawn(move || {
            let _ = pipe.write_all(&bytes);
        });
    }
    let end = loop {
        if let Some(status) = child.try_wait()? {
            break End::of(status);
        }
        if command.deadline.is_some_and(|deadline| started.elapsed() >= deadline) {
            break End::TimedOut;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let duration = started.elapsed();
    if end == End::TimedOut {
        child.kill()?;
        child.wait()?;
    }
    Ok(Ran { end, duration, log: None, stderr: None, leftovers: Leftovers::None })
}
