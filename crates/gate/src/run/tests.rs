use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use canon::Sha256;
use tempfile::TempDir;

use super::*;

/// A script in a fresh folder, logged into `log` beside it.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, program: Program) -> Command {
        Command {
            program,
            dir: self.folder.path().to_owned(),
            env: vec![("PATH".into(), "/usr/bin:/bin".into())],
            stdin: Input::Null,
            deadline: None,
            capture: Capture::Combined(self.path("log")),
        }
    }

    fn script(&self, script: &str) -> Command {
        self.command(Program::shell(script))
    }

    fn log(&self) -> String {
        fs::read_to_string(self.path("log")).unwrap()
    }

    /// Runs a script that never ends, but for a process number in `file`. On a machine under load
    /// the script may not get that far before the deadline, so that one grows.
    fn time_out(&self, script: &str, file: &str) -> (Ran, i32) {
        for deadline in [200, 2_000, 20_000] {
            let mut command = self.script(script);
            command.deadline = Some(Duration::from_millis(deadline));
            let ran = run(&command).unwrap();
            assert_eq!(ran.end, End::TimedOut);
            assert!(ran.duration >= Duration::from_millis(deadline));
            if let Some(pid) = read_pid(&self.path(file)) {
                return (ran, pid);
            }
        }
        panic!("the script never wrote its process number");
    }
}

fn argv<const N: usize>(words: [&str; N]) -> Program {
    Program::Argv(words.map(OsString::from).to_vec())
}

fn read_pid(path: &Path) -> Option<i32> {
    fs::read_to_string(path).ok()?.strip_suffix('\n')?.parse().ok()
}

#[cfg(target_os = "linux")]
fn is_alive(pid: i32) -> bool {
    proc::is_alive(pid)
}

#[cfg(not(target_os = "linux"))]
fn is_alive(pid: i32) -> bool {
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap()).is_ok()
}

#[test]
fn exit_codes() {
    let bench = Bench::new();
    let ran = run(&bench.script("exit 0")).unwrap();
    assert!(ran.success());
    assert_eq!(ran.leftovers, Leftovers::None);
    let ran = run(&bench.script("exit 3")).unwrap();
    assert_eq!((ran.end.clone(), ran.cause()), (End::Exited(3), "exit code 3".to_owned()));
    assert!(!ran.success() && !ran.could_not_run());
    let ran = run(&bench.script("no-such-program-anywhere")).unwrap();
    assert_eq!(ran.end, End::Exited(127));
    assert!(ran.could_not_run());
}

#[test]
fn the_signal_that_ended_it() {
    let ran = run(&Bench::new().script("kill -s KILL $$")).unwrap();
    assert_eq!(ran.end, End::Signalled(9));
    assert_eq!(ran.cause(), "killed by signal 9 (SIGKILL)");
}

#[test]
fn what_cannot_be_started_says_why() {
    let bench = Bench::new();
    let end = |program| run(&bench.command(program)).unwrap();
    let ran = end(argv(["no-such-program-anywhere"]));
    assert_eq!(ran.end, End::NotStarted("not found".into()));
    assert!(ran.could_not_run());
    assert_eq!(ran.log.unwrap().bytes, 0);
    fs::write(bench.path("data"), "text").unwrap();
    assert_eq!(end(argv(["./data"])).cause(), "not executable");
    assert_eq!(end(argv([])).cause(), "the command is empty");
    assert_eq!(end(argv([""])).cause(), "the command is empty");
    assert!(matches!(end(argv(["true", "a\0b"])).end, End::NotStarted(_)));
    let mut command = bench.script("true");
    command.dir = bench.path("gone");
    assert_eq!(run(&command).unwrap().cause(), format!("no folder `{}`", command.dir.display()));
}

#[test]
fn the_program_is_searched_in_the_given_path_and_runs_in_the_given_folder() {
    let bench = Bench::new();
    fs::create_dir(bench.path("bin")).unwrap();
    // Not written by this process: a file that is open for writing in any of its children can't run.
    let script = r#"printf '#!/bin/sh\necho "$*"\n' >bin/our-echo; chmod +x bin/our-echo"#;
    assert!(run(&bench.script(script)).unwrap().success());
    let mut command = bench.command(argv(["our-echo", "a b", "$HOME"]));
    assert_eq!(run(&command).unwrap().cause(), "not found");
    command.env = vec![("PATH".into(), bench.path("bin").into())];
    assert!(run(&command).unwrap().success());
    assert_eq!(bench.log(), "a b $HOME\n");
    command.program = argv(["bin/our-echo", "here"]);
    assert!(run(&command).unwrap().success());
    assert_eq!(bench.log(), "here\n");
}

#[test]
fn nothing_is_inherited() {
    let bench = Bench::new();
    let mut command = bench.command(argv(["/usr/bin/env"]));
    command.env = vec![("ONE".into(), "1".into()), ("TWO".into(), "2".into()), ("ONE".into(), "3".into())];
    run(&command).unwrap();
    let mut lines: Vec<String> = bench.log().lines().map(str::to_owned).collect();
    lines.sort();
    assert_eq!(lines, ["ONE=3", "TWO=2"]);
}

#[test]
fn arguments_of_a_script_are_its_parameters() {
    let bench = Bench::new();
    let args = vec!["a b".into(), "$(c)".into()];
    run(&bench.command(Program::Shell { script: r#"printf '%s|' "$0" "$@""#.into(), args })).unwrap();
    assert_eq!(bench.log(), "sh|a b|$(c)|");
}

#[test]
fn five_megabytes_of_output_are_kept_whole() {
    let bench = Bench::new();
    let ran = run(&bench.script("yes 0123456 | head -c 5242880; echo end >&2")).unwrap();
    assert!(ran.success());
    let bytes = fs::read(bench.path("log")).unwrap();
    assert_eq!(bytes.len(), 5_242_884);
    assert!(bytes.ends_with(b"0123456\nend\n"));
    assert_eq!(ran.log, Some(Log { sha256: Sha256::of(&bytes), bytes: 5_242_884 }));
    assert_eq!(tail(&bench.path("log"), 2, 4096).unwrap(), ["0123456", "end"]);
}

#[test]
fn streams_apart_or_thrown_away() {
    let bench = Bench::new();
    let mut command = bench.script("echo out; echo err >&2");
    command.capture = Capture::Split { stdout: bench.path("1"), stderr: bench.path("2") };
    let ran = run(&command).unwrap();
    assert_eq!(fs::read_to_string(bench.path("1")).unwrap(), "out\n");
    assert_eq!(ran.log.unwrap().sha256, Sha256::of("out\n"));
    assert_eq!(ran.stderr.unwrap().sha256, Sha256::of("err\n"));
    command.capture = Capture::Split { stdout: bench.path("1"), stderr: bench.path("1") };
    assert_eq!(run(&command).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    command.capture = Capture::Discard;
    let ran = run(&command).unwrap();
    assert_eq!((ran.success(), ran.log, ran.stderr), (true, None, None));
}

#[test]
fn a_child_that_opens_its_output_anew_does_not_overwrite_the_beginning() {
    let bench = Bench::new();
    run(&bench.script("echo one; echo two >>/dev/stdout; echo three")).unwrap();
    assert_eq!(bench.log(), "one\ntwo\nthree\n");
}

#[test]
fn a_log_is_always_a_new_file() {
    let bench = Bench::new();
    let target = bench.path("target");
    fs::write(&target, "precious").unwrap();

    symlink(&target, bench.path("log")).unwrap();
    let error = run(&bench.script("echo x")).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    fs::remove_file(bench.path("log")).unwrap();
    symlink(bench.path("nowhere"), bench.path("log")).unwrap();
    assert!(run(&bench.script("echo x")).is_err());
    assert!(!bench.path("nowhere").exists());
    fs::remove_file(bench.path("log")).unwrap();

    fs::hard_link(&target, bench.path("log")).unwrap();
    assert!(run(&bench.script("echo x")).unwrap().success());
    assert_eq!(bench.log(), "x\n");
    assert!(run(&bench.script("echo y")).unwrap().success());
    assert_eq!(bench.log(), "y\n");
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");

    fs::remove_file(bench.path("log")).unwrap();
    fs::create_dir(bench.path("log")).unwrap();
    assert!(run(&bench.script("echo x")).is_err());
    let mut command = bench.script("echo x");
    command.capture = Capture::Combined(bench.path("no/folder"));
    assert_eq!(run(&command).unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn the_digest_is_of_what_was_written_even_if_the_name_is_taken_away() {
    let bench = Bench::new();
    let ran = run(&bench.script("echo true; rm log; echo forged >log")).unwrap();
    assert_eq!(ran.log.unwrap().sha256, Sha256::of("true\n"));
}

#[test]
fn input_reaches_a_reader_whole() {
    let bench = Bench::new();
    let mut command = bench.script("cat");
    let text: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    command.stdin = Input::Bytes(text.clone());
    let ran = run(&command).unwrap();
    assert!(ran.success());
    assert_eq!(ran.log.unwrap().sha256, Sha256::of(&text));
    command.stdin = Input::Bytes(Vec::new());
    assert_eq!(run(&command).unwrap().log.unwrap().bytes, 0);
    command.stdin = Input::Null;
    assert_eq!(run(&command).unwrap().log.unwrap().bytes, 0);
}

#[test]
fn input_that_nobody_reads_holds_nobody_up() {
    let bench = Bench::new();
    for script in ["exit 3", "exec 0<&-; sleep 0.1; exit 3", "sleep 0.1; exit 3"] {
        let mut command = bench.script(script);
        command.stdin = Input::Bytes(vec![b'x'; 1 << 20]);
        assert_eq!(run(&command).unwrap().end, End::Exited(3), "{script}");
    }
}

#[test]
fn a_background_child_that_holds_the_output_is_not_waited_for() {
    let bench = Bench::new();
    let ran = run(&bench.script("sleep 1000 & echo $! >pid; echo done")).unwrap();
    assert!(ran.success());
    assert_eq!(bench.log(), "done\n");
    assert_eq!(ran.leftovers, Leftovers::Killed);
    assert!(!is_alive(read_pid(&bench.path("pid")).unwrap()));
}

#[test]
fn a_leftover_that_ignores_the_request_is_killed() {
    let bench = Bench::new();
    // The inner shell has set its trap when the outer one ends.
    let script = "sh -c \"$1\" & while ! test -s pid; do :; done".into();
    let args = vec!["trap '' TERM; echo $$ >pid; while :; do sleep 1; done".into()];
    let ran = run(&bench.command(Program::Shell { script, args })).unwrap();
    assert!(ran.success());
    assert_eq!(ran.leftovers, Leftovers::Killed);
    assert!(!is_alive(read_pid(&bench.path("pid")).unwrap()));
}

#[test]
fn a_finished_background_child_is_no_leftover() {
    let ran = run(&Bench::new().script("true & sleep 0.1")).unwrap();
    assert_eq!(ran.leftovers, Leftovers::None);
}

#[test]
fn the_deadline_stops_grandchildren_too() {
    let bench = Bench::new();
    let (ran, pid) = bench.time_out("(sleep 1000 & echo $! >pid; wait); true", "pid");
    assert!(!is_alive(pid));
    assert_eq!(ran.leftovers, Leftovers::None);
    assert!(!ran.success() && ran.could_not_run());
    assert!(ran.cause().starts_with("timed out after "), "{}", ran.cause());
}

#[test]
fn the_deadline_stops_what_ignores_the_request_or_is_suspended() {
    let bench = Bench::new();
    let (_, pid) = bench.time_out("trap '' TERM; echo $$ >a; while :; do sleep 1; done", "a");
    assert!(!is_alive(pid));
    let (_, pid) = bench.time_out("echo $$ >b; kill -s STOP $$", "b");
    assert!(!is_alive(pid));
}

#[cfg(target_os = "linux")]
#[test]
fn the_deadline_stops_children_that_left_the_group() {
    let bench = Bench::new();
    let (_, pid) = bench.time_out("setsid sh -c 'echo $$ >pid; sleep 1000; true' & wait", "pid");
    assert!(!is_alive(pid));
}

/// A gate's child that had become a session of its own could change files after the gate was green.
#[cfg(target_os = "linux")]
#[test]
fn what_left_the_group_does_not_outlive_the_command() {
    let bench = Bench::new();
    for script in [
        "setsid sh -c 'echo $$ >pid; sleep 1000; true' & while ! test -s pid; do :; done",
        // A daemon: its parent has ended long before the command does.
        "(setsid sh -c '(echo $$ >pid; exec sleep 1000) & exit' &); while ! test -s pid; do :; done; sleep 0.1",
    ] {
        let _ = fs::remove_file(bench.path("pid"));
        let ran = run(&bench.script(script)).unwrap();
        assert_eq!((ran.end, ran.leftovers), (End::Exited(0), Leftovers::Killed), "{script}");
        assert!(!is_alive(read_pid(&bench.path("pid")).unwrap()), "{script}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn the_dead_are_waited_for() {
    let bench = Bench::new();
    let ran =
        run(&bench.script("(setsid sh -c 'echo $$ >pid' &); while ! test -s pid; do :; done; sleep 0.1"));
    assert_eq!(ran.unwrap().leftovers, Leftovers::None);
    let pid = read_pid(&bench.path("pid")).unwrap();
    assert!(!Path::new(&format!("/proc/{pid}")).exists());
}

/// A process that the program had started beside the gates was taken for one that a gate had left behind.
#[cfg(target_os = "linux")]
#[test]
fn what_runs_beside_is_not_stopped() {
    let bench = Bench::new();
    let (go, on) = (bench.path("go"), bench.path("on"));
    let script = format!("touch '{}'; while ! test -e '{}'; do sleep 0.02; done", on.display(), go.display());
    let command = bench.script(&script);
    let ran = std::thread::spawn(move || run(&command).unwrap());
    while !on.exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
    // It begins while the command runs, as an orphan of the command would.
    let mut beside = start_beside(std::process::Command::new("sleep").arg("1000")).unwrap();
    fs::write(&go, "").unwrap();
    assert_eq!(ran.join().unwrap().leftovers, Leftovers::None);
    assert!(beside.try_wait().unwrap().is_none());
    beside.kill().unwrap();
    beside.wait().unwrap();
    forget(&beside);
}

#[test]
fn a_command_dies_with_its_caller() {
    use std::os::unix::process::CommandExt as _;
    let mut sleeper = std::process::Command::new("sleep");
    let mut sleeper = unix::start(sleeper.arg("1000").process_group(0)).unwrap();
    let group = rustix::process::Pid::from_child(&sleeper);
    watch::Watch::over(group).release();
    assert!(sleeper.try_wait().unwrap().is_none());
    // The pipe is closed without a word, as the system does for a caller that was killed.
    drop(watch::Watch::over(group));
    assert_eq!(End::of(sleeper.wait().unwrap()), End::Signalled(15));
}

#[test]
fn the_runner_without_groups() {
    let bench = Bench::new();
    let mut command = bench.script("cat; exit 3");
    command.stdin = Input::Bytes(b"hello".to_vec());
    let ran = portable::run(&command, &log::Logs::create(&command.capture).unwrap()).unwrap();
    assert_eq!((ran.end, bench.log()), (End::Exited(3), "hello".to_owned()));
    let mut command = bench.command(argv(["sleep", "1000"]));
    command.deadline = Some(Duration::from_millis(200));
    let ran = portable::run(&command, &log::Logs::Discard).unwrap();
    assert_eq!(ran.end, End::TimedOut);
}
