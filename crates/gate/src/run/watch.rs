//! What stops a command when its caller goes away.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::Pid;

use super::unix::{ended, start};

/// Waits for a word. The end of the input comes instead of it when the caller is gone, whatever
/// ended it, since the system closes its end of the pipe.
const SCRIPT: &str = r#"read -r word || {
kill -s TERM -- "-$1"
kill -s CONT -- "-$1"
sleep 2
kill -s KILL -- "-$1"
}"#;

/// A small shell that guards a process group as long as this value lives.
///
/// It is in a group of its own, because Ctrl-C, which ends the caller, must not end it. Where no
/// shell can be started the group is unguarded.
pub(super) struct Watch(Option<Child>);

impl Watch {
    pub(super) fn over(group: Pid) -> Self {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "sh", &group.to_string()]);
        shell.env_clear().env("PATH", "/usr/bin:/bin").current_dir("/").process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(start(&mut shell).ok())
    }

    /// Ends the guard: the group is gone.
    pub(super) fn release(mut self) {
        if let Some(stdin) = self.0.as_mut().and_then(|shell| shell.stdin.as_mut()) {
            // A guard that is gone needs no word.
            let _ = stdin.write_all(b"done\n");
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(shell) = &mut self.0 {
            // Closes the pipe first, then waits, so that no dead child stays behind.
            let _ = shell.wait();
            ended(Pid::from_child(shell));
        }
    }
}
