//! The hook when something fails under it: the program itself, the disk, its state, its input. Before a call the answer is
//! a denial or a correct judgement, at any other moment nothing is held up, and the next call works.

use std::fs;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use govern::State;
use govern::receipts::verify::{Verification, verify};
use serde_json::{Value, json};

use crate::scratch::Scratch;

/// The points of a write that the hook passes.
const STEPS: [&str; 8] = ["hook", "stage", "staged", "rename", "renamed", "append", "appended", "chain"];

/// A spine with one locked test.
fn project() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("tests/locked_test.py", "assert True\n");
    scratch.write("src/add.py", "1\n");
    scratch.commit("test");
    let task = scratch.task("add");
    scratch.run(&["chalk", "spec", &task, "--criterion", "adds", "--test", "tests/locked_test.py"]).ok();
    scratch
}

fn state(scratch: &Scratch) -> State {
    State::find(&scratch.root(), &scratch.env()).unwrap()
}

fn verified(scratch: &Scratch) -> Verification {
    let state = state(scratch);
    verify(&state, &govern::receipts::key::known(state.keys()).unwrap()).unwrap()
}

/// The program as the agent starts it; `word` is the event that its settings name, if they do.
fn program(scratch: &Scratch, word: Option<&str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear().args(["hook", "claude"]).args(word);
    command.envs(scratch.env().iter());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(scratch: &Scratch, word: Option<&str>, payload: &[u8]) -> Child {
    let mut child = program(scratch, word).spawn().unwrap();
    // A program that was killed on the way reads no further.
    let _ = child.stdin.take().unwrap().write_all(payload);
    child
}

/// One event of a session.
fn event(scratch: &Scratch, name: &str, more: &Value) -> Vec<u8> {
    let mut payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": scratch.root(), "permission_mode": "default",
        "hook_event_name": name,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload.to_string().into_bytes()
}

/// A write of a file of the project.
fn write_of(scratch: &Scratch, name: &str, id: &str, path: &str) -> Vec<u8> {
    let input = json!({ "file_path": scratch.path(path), "content": "2\n" });
    event(
        scratch,
        name,
        &json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": id, "tool_response": {} }),
    )
}

fn ask(scratch: &Scratch, fault: Option<&str>, word: Option<&str>, payload: &[u8]) -> Output {
    let mut command = program(scratch, word);
    if let Some(fault) = fault {
        command.env("CAIRN_FAULT", fault);
    }
    let mut child = command.spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(payload);
    child.wait_with_output().unwrap()
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("{:?} {} {}", output.status, text(&output.stdout), text(&output.stderr))
}

/// Whether the answer denies the call in Claude's form.
fn denies(output: &Output) -> bool {
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let answer = &document["hookSpecificOutput"];
    answer["hookEventName"] == "PreToolUse" && answer["permissionDecision"] == "deny"
}

/// Whether the answer lets the call go its way.
fn allows(output: &Output) -> bool {
    output.status.code() == Some(0) && !denies(output)
}

/// Whether the answer holds nothing up, at another moment than before a call.
fn lets_go(output: &Output) -> bool {
    let out = String::from_utf8_lossy(&output.stdout);
    output.status.code() == Some(0) && !out.contains("block") && !out.contains("deny")
}

/// A call that is allowed, at the latest after one denial that says what is wrong.
#[track_caller]
fn recovers(scratch: &Scratch, id: &str, context: &str) {
    let ask = |n: u32| {
        ask(
            scratch,
            None,
            Some("pre-tool"),
            &write_of(scratch, "PreToolUse", &format!("{id}-{n}"), "src/add.py"),
        )
    };
    let first = ask(1);
    assert!(denies(&first) || allows(&first), "{context}: {}", shown(&first));
    let second = ask(2);
    assert!(allows(&second), "{context}: {}", shown(&second));
}

/// The chain is whole, and has this many lines at least.
#[track_caller]
fn is_whole(scratch: &Scratch, least: u64, context: &str) -> u64 {
    let found = verified(scratch);
    assert!(found.sound && found.breaks.is_empty(), "{context}: {:?} {:?}", found.fault, found.breaks);
    assert!(found.lines >= least, "{context}: {} lines, {least} were there", found.lines);
    found.lines
}

/// A fault at every step that the hook passes, in a repository that it never saw and in one that it knows.
fn at_every_step(how: &str) {
    let known = project();
    recovers(&known, "first", how);
    let mut met = 0;
    for step in STEPS {
        for nth in 1..=4 {
            let fault = format!("{step}:{nth}:{how}");
            met += at_a_step(&known, &fault, how == "kill");
            // The first call of all makes key, snapshot and look, and every step of it is passed more often.
            if nth <= 2 {
                met += at_a_step(&project(), &fault, how == "kill");
            }
        }
    }
    assert!(met >= 10, "{how}: only {met} of the steps were met");
}

/// The fault in every kind of event; how often an answer shows it.
#[track_caller]
fn at_a_step(scratch: &Scratch, fault: &str, may_die: bool) -> u32 {
    let is_dead = |answer: &Output| may_die && answer.status.code().is_none();
    let mut lines = verified(scratch).lines;
    let mut met = 0;
    let locked = write_of(scratch, "PreToolUse", &format!("{fault} locked"), "tests/locked_test.py");
    let refused = ask(scratch, Some(fault), Some("pre-tool"), &locked);
    assert!(denies(&refused) || is_dead(&refused), "{fault}: {}", shown(&refused));
    met += u32::from(is_dead(&refused) || could_not_judge(&refused));

    let plain = write_of(scratch, "PreToolUse", &format!("{fault} plain"), "src/add.py");
    let answer = ask(scratch, Some(fault), Some("pre-tool"), &plain);
    if allows(&answer) {
        let log = fs::read_to_string(state(scratch).receipts()).unwrap();
        assert!(log.contains(&format!("{fault} plain")), "{fault}: allowed without a receipt");
    } else {
        assert!(denies(&answer) || is_dead(&answer), "{fault}: {}", shown(&answer));
        met += 1;
    }
    recovers(scratch, &format!("{fault} next"), fault);
    lines = is_whole(scratch, lines + 2, fault);

    let result = write_of(scratch, "PostToolUse", &format!("{fault} plain"), "src/add.py");
    let said = json!({ "stop_hook_active": false, "last_assistant_message": "Done." });
    for (word, payload) in [("post-tool", result), ("stop", event(scratch, "Stop", &said))] {
        let answer = ask(scratch, Some(fault), Some(word), &payload);
        assert!(lets_go(&answer) || is_dead(&answer), "{fault}, {word}: {}", shown(&answer));
    }
    recovers(scratch, &format!("{fault} last"), fault);
    is_whole(scratch, lines + 2, fault);
    met
}

/// Whether a denial is for a fault, and not for the rule that the call breaks.
fn could_not_judge(output: &Output) -> bool {
    String::from_utf8_lossy(&output.stdout).contains("could not judge")
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_panic_at_any_step_denies_the_call_and_holds_nothing_else_up() {
    at_every_step("panic");
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_full_disk_at_any_step_allows_nothing_that_is_not_on_record() {
    at_every_step("full");
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_hook_killed_at_any_step_leaves_a_chain_that_holds() {
    at_every_step("kill");
}

/// Without an event in the settings, a fault at the end of a turn was answered as if a call was about to be made, and the
/// turn never ended.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_fault_is_answered_at_the_moment_that_the_payload_names() {
    let scratch = project();
    let stop =
        event(&scratch, "Stop", &json!({ "stop_hook_active": false, "last_assistant_message": "Done." }));
    let call = write_of(&scratch, "PreToolUse", "u1", "src/add.py");
    for how in ["panic", "full", "stall"] {
        let fault = format!("hook:1:{how}");
        for word in [None, Some("stop")] {
            let begun = Instant::now();
            let answer = ask(&scratch, Some(&fault), word, &stop);
            assert!(lets_go(&answer), "{how} {word:?}: {}", shown(&answer));
            assert!(begun.elapsed() < Duration::from_secs(8));
        }
        for word in [None, Some("pre-tool")] {
            let begun = Instant::now();
            let answer = ask(&scratch, Some(&fault), word, &call);
            assert!(denies(&answer) && answer.status.code() == Some(2), "{how} {word:?}: {}", shown(&answer));
            assert!(begun.elapsed() < Duration::from_secs(5));
        }
    }
    recovers(&scratch, "next", "after faults");
    is_whole(&scratch, 1, "after faults");
}

/// A payload of another agent through this entry, whose event this entry has no name for, was denied after the call.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_fault_in_another_agents_event_is_answered_in_its_form() {
    let scratch = project();
    let mut payload = json!({
        "conversation_id": "c1", "generation_id": "g1", "hook_event_name": "afterFileEdit", "cursor_version": "1",
        "workspace_roots": [scratch.root()], "file_path": scratch.path("src/add.py"), "edits": [],
    });
    let answer = ask(&scratch, Some("hook:1:full"), None, payload.to_string().as_bytes());
    assert!(lets_go(&answer), "{}", shown(&answer));
    payload["hook_event_name"] = json!("beforeShellExecution");
    payload["command"] = json!("ls");
    let answer = ask(&scratch, Some("hook:1:full"), None, payload.to_string().as_bytes());
    let out: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(out["permission"], "deny", "{}", shown(&answer));
}

/// How a file of the state is damaged.
type Damage = fn(&Path, &[u8]);

const DAMAGES: [(&str, Damage); 8] = [
    ("half of it", |path, old| fs::write(path, &old[..old.len() / 2]).unwrap()),
    ("nothing of it", |path, _| fs::write(path, b"").unwrap()),
    ("its last line gone", |path, old| {
        let end = old.len().saturating_sub(1);
        let end = old[..end].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        fs::write(path, &old[..end]).unwrap();
    }),
    ("garbage", |path, _| fs::write(path, b"\xff\x00gar\nbage\n\n{]").unwrap()),
    ("another type", |path, _| fs::write(path, b"[1,\"two\"]\n").unwrap()),
    ("a folder", |path, _| fs::create_dir_all(path.join("sub")).unwrap()),
    ("a link to a copy", |path, old| {
        let copy = path.with_extension("copy");
        fs::write(&copy, old).unwrap();
        symlink(copy, path).unwrap();
    }),
    ("a link to nothing", |path, _| symlink("/nowhere/at/all", path).unwrap()),
];

/// A project whose session made every file of the state, and copies of that state.
struct Lived {
    scratch: Scratch,
    files: Vec<PathBuf>,
    copies: Vec<(PathBuf, PathBuf)>,
}

impl Lived {
    fn new() -> Self {
        let scratch = project();
        let locked = write_of(&scratch, "PreToolUse", "t", "tests/locked_test.py");
        ask(&scratch, None, Some("pre-tool"), &locked);
        recovers(&scratch, "lived", "the beginning");
        ask(&scratch, None, Some("post-tool"), &write_of(&scratch, "PostToolUse", "lived-2", "src/add.py"));
        let stop = json!({ "stop_hook_active": false, "last_assistant_message": "Done: 12 tests passed." });
        ask(&scratch, None, Some("stop"), &event(&scratch, "Stop", &stop));
        let state = state(&scratch);
        let folder = state.folder();
        for name in ["pause.json", "plan.json", "queue.jsonl", "tickets"] {
            if !folder.join(name).exists() {
                fs::write(folder.join(name), b"").unwrap();
            }
        }
        let sessions = fs::read_dir(folder.join("sessions")).unwrap().flatten().map(|entry| entry.path());
        let mut files: Vec<PathBuf> = sessions.filter(|path| path.extension().unwrap() == "jsonl").collect();
        assert_eq!(files.len(), 1);
        let names = ["snapshot", "seen.json", "receipts.jsonl", "receipts.jsonl.head", "queue.jsonl"];
        files.extend(
            names.iter().chain(&["pause.json", "plan.json", "tickets"]).map(|name| folder.join(name)),
        );
        let copies = [folder.to_owned(), scratch.home().join("state")];
        let copies = copies.into_iter().map(|folder| {
            let copy = folder.with_extension("as-it-was");
            copy_of(&folder, &copy);
            (folder, copy)
        });
        let copies = copies.collect();
        Self { scratch, files, copies }
    }

    /// The state is again as it was.
    fn again(&self) {
        for (folder, copy) in &self.copies {
            fs::remove_dir_all(folder).unwrap();
            copy_of(copy, folder);
        }
    }
}

fn copy_of(folder: &Path, copy: &Path) {
    assert!(Command::new("cp").arg("-a").arg(folder).arg(copy).status().unwrap().success());
}

/// A snapshot that lost half of its rules let pass what they forbid; a head or a look that was a folder, and a session that
/// was damaged, denied or blinded every call from then on.
#[test]
fn damaged_state_allows_nothing_by_accident_and_the_next_call_works() {
    let lived = Lived::new();
    let scratch = &lived.scratch;
    for path in &lived.files {
        for ((what, damage), is_result_first) in
            DAMAGES.into_iter().flat_map(|one| [(one, false), (one, true)])
        {
            lived.again();
            let name = path.file_name().unwrap().to_string_lossy();
            let context = format!("{what} of {name}");
            let old = fs::read(path).unwrap_or_default();
            if path.is_dir() {
                fs::remove_dir_all(path).unwrap();
            } else {
                fs::remove_file(path).unwrap();
            }
            damage(path, &old);
            let locked = write_of(scratch, "PreToolUse", "again", "tests/locked_test.py");
            let result = write_of(scratch, "PostToolUse", "lived-1", "src/add.py");
            if is_result_first {
                let answer = ask(scratch, None, Some("post-tool"), &result);
                assert!(lets_go(&answer), "{context}: {}", shown(&answer));
                let log = fs::read_to_string(state(scratch).receipts()).unwrap();
                let is_kept =
                    log.lines().any(|line| line.contains("\"lived-1\"") && line.contains("\"seen\""));
                assert!(is_kept, "{context}: the result is lost");
            }
            let refused = ask(scratch, None, Some("pre-tool"), &locked);
            assert!(denies(&refused), "{context}: {}", shown(&refused));
            let answer = ask(scratch, None, Some("post-tool"), &result);
            assert!(lets_go(&answer), "{context}: {}", shown(&answer));
            recovers(scratch, "next", &context);
            let refused = ask(scratch, None, Some("pre-tool"), &locked);
            assert!(denies(&refused) && !could_not_judge(&refused), "{context}: {}", shown(&refused));
            let found = verified(scratch);
            assert!(found.sound, "{context}: {:?}", found.fault);
            let log = fs::read_to_string(state(scratch).receipts()).unwrap();
            let is_told = match &*name {
                "receipts.jsonl" | "receipts.jsonl.head" => !found.breaks.is_empty(),
                "seen.json" => log.contains("\"look-damaged\""),
                // Of a session that ends earlier, or in half a line, nobody can say what else there was.
                _ if path.parent().unwrap().ends_with("sessions") => {
                    what.contains("its") || what.contains("of it") || log.contains("\"session-damaged\"")
                }
                _ => true,
            };
            assert!(is_told, "{context}: nothing on record");
            let again = event(scratch, "Stop", &json!({ "stop_hook_active": true }));
            let again = ask(scratch, None, Some("stop"), &again);
            assert!(lets_go(&again), "{context}: {}", shown(&again));
        }
    }
}

/// The rules about single paths are read as a call asks for them: what of them is damaged is found by that call.
#[test]
fn a_kept_rule_that_another_took_the_place_of_is_made_anew() {
    let scratch = project();
    let locked = write_of(&scratch, "PreToolUse", "first", "tests/locked_test.py");
    assert!(denies(&ask(&scratch, None, Some("pre-tool"), &locked)));
    let path = state(&scratch).folder().join("snapshot");
    let kept = fs::read(&path).unwrap();
    let name = b"tests/locked_test.py";
    let at = kept.windows(name.len()).rposition(|window| window == name).unwrap();
    let mut other = kept.clone();
    other[at..at + name.len()].copy_from_slice(b"tests/looked_test.py");
    fs::write(&path, &other).unwrap();
    let locked = write_of(&scratch, "PreToolUse", "second", "tests/locked_test.py");
    let refused = ask(&scratch, None, Some("pre-tool"), &locked);
    assert!(denies(&refused) && shown(&refused).contains("chalk:locked-test"), "{}", shown(&refused));
    let healed = fs::read(&path).unwrap();
    assert_eq!(healed.windows(name.len()).rposition(|window| window == name), Some(at));
}

/// Rules that were rewritten together with their digest let a session pass until its turn ends, and no longer.
#[test]
fn kept_rules_that_were_forged_are_found_at_the_end_of_the_turn() {
    let scratch = project();
    let locked = |id: &str| write_of(&scratch, "PreToolUse", id, "tests/locked_test.py");
    assert!(denies(&ask(&scratch, None, Some("pre-tool"), &locked("first"))));
    let path = state(&scratch).folder().join("snapshot");
    let kept = String::from_utf8(fs::read(&path).unwrap()).unwrap();
    let mut head: Value = serde_json::from_str(kept.lines().nth(1).unwrap()).unwrap();
    head["rules"]["blocks"] = json!([]);
    let text = head.to_string();
    // In the very order of the fields, as whoever forges it would.
    fs::write(&path, format!("{}\n{text}\n", canon::Sha256::of(&text))).unwrap();
    assert!(allows(&ask(&scratch, None, Some("pre-tool"), &locked("second"))));
    let stop = event(&scratch, "Stop", &json!({ "stop_hook_active": false }));
    assert!(lets_go(&ask(&scratch, None, Some("stop"), &stop)));
    let log = fs::read_to_string(state(&scratch).receipts()).unwrap();
    assert!(log.contains("\"silent-gate\""));
    assert!(denies(&ask(&scratch, None, Some("pre-tool"), &locked("third"))));
}

/// A call of one of many sessions, as a process that runs.
fn one_of_many(scratch: &Scratch, n: u32) -> Child {
    let input = json!({ "file_path": scratch.path("src/add.py"), "content": "2\n" });
    let mut payload: Value = serde_json::from_slice(&event(
        scratch,
        "PreToolUse",
        &json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": format!("many-{n}") }),
    ))
    .unwrap();
    payload["session_id"] = json!(format!("s{}", n % 3));
    start(scratch, Some("pre-tool"), payload.to_string().as_bytes())
}

#[test]
fn processes_at_once_in_a_repository_that_was_never_seen_lose_no_receipt() {
    for many in [2, 20] {
        let scratch = project();
        let running: Vec<Child> = (0..many).map(|n| one_of_many(&scratch, n)).collect();
        let mut allowed = Vec::new();
        for (n, child) in running.into_iter().enumerate() {
            let answer = child.wait_with_output().unwrap();
            // Where the machine is too slow for all of them, who waited for too long is denied.
            assert!(allows(&answer) || could_not_judge(&answer), "{}", shown(&answer));
            if allows(&answer) {
                assert!(answer.stdout.is_empty(), "{}", shown(&answer));
                allowed.push(format!("\"many-{n}\""));
            }
        }
        assert!(allowed.len() >= 2, "of {many} at once {} were judged", allowed.len());
        let log = fs::read_to_string(state(&scratch).receipts()).unwrap();
        for id in allowed {
            assert_eq!(log.matches(&id).count(), 1, "{id}");
        }
        recovers(&scratch, "next", "many at once");
        is_whole(&scratch, 2, "many at once");
    }
}

#[test]
fn an_input_that_stays_open_is_judged_and_one_that_never_comes_is_denied() {
    let scratch = project();
    for (path, is_allowed) in [("src/add.py", true), ("tests/locked_test.py", false)] {
        let mut child = program(&scratch, Some("pre-tool")).spawn().unwrap();
        let mut open = child.stdin.take().unwrap();
        open.write_all(&write_of(&scratch, "PreToolUse", path, path)).unwrap();
        open.flush().unwrap();
        let begun = Instant::now();
        let answer = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert!(allows(&answer) == is_allowed && denies(&answer) != is_allowed, "{}", shown(&answer));
        drop(open);
    }
    for (word, denied) in [(Some("pre-tool"), true), (Some("stop"), false), (None, true)] {
        let mut child = program(&scratch, word).spawn().unwrap();
        let open = child.stdin.take();
        let begun = Instant::now();
        let answer = child.wait_with_output().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(8));
        assert!(denies(&answer) == denied && (denied || lets_go(&answer)), "{word:?}: {}", shown(&answer));
        drop(open);
    }
    recovers(&scratch, "next", "after silence");
    is_whole(&scratch, 2, "after silence");
}

/// What could not be read was said to be on record, and was not.
#[test]
fn what_is_too_long_or_breaks_off_is_on_record_and_never_allowed() {
    let scratch = project();
    recovers(&scratch, "first", "the beginning");
    let whole = write_of(&scratch, "PreToolUse", "u1", "src/add.py");
    let mut oversized = whole.clone();
    oversized.pop();
    oversized.extend(b",\"more\":\"");
    oversized.extend(vec![b'x'; 10 * 1024 * 1024]);
    oversized.extend(b"\"}");
    let lines = verified(&scratch).lines;
    for (n, payload) in
        (1..).zip([&oversized[..], &whole[..whole.len() / 2], &whole[..whole.len() - 1], b"", b"{"])
    {
        let answer = ask(&scratch, None, Some("pre-tool"), payload);
        assert!(denies(&answer), "{n}: {}", shown(&answer));
        let answer = ask(&scratch, None, Some("post-tool"), payload);
        assert!(lets_go(&answer), "{n}: {}", shown(&answer));
        is_whole(&scratch, lines + 2 * n, "what can't be read");
    }
    let log = fs::read_to_string(state(&scratch).receipts()).unwrap();
    assert_eq!(log.matches("\"marker\":\"unreadable\"").count(), 10);
    recovers(&scratch, "next", "after what can't be read");
}

/// A log that a later version wrote on was taken for a damaged one and put aside.
#[test]
fn the_state_of_a_later_version_is_left_alone() {
    let lived = Lived::new();
    let scratch = &lived.scratch;
    let log = state(scratch).receipts();
    let text = fs::read_to_string(&log).unwrap();
    let last = text.lines().last().unwrap().replace("\"v\":1", "\"new\":{},\"v\":2");
    let newer = format!("{text}{last}\n");
    fs::write(&log, &newer).unwrap();
    let call = write_of(scratch, "PreToolUse", "u1", "src/add.py");
    for _ in 0..2 {
        let answer = ask(scratch, None, Some("pre-tool"), &call);
        assert!(denies(&answer) && shown(&answer).contains("later version"), "{}", shown(&answer));
        let stop = event(scratch, "Stop", &json!({ "stop_hook_active": false }));
        let answer = ask(scratch, None, Some("stop"), &stop);
        assert!(lets_go(&answer), "{}", shown(&answer));
    }
    assert_eq!(fs::read_to_string(&log).unwrap(), newer);
    fs::write(&log, &text).unwrap();
    recovers(scratch, "next", "with the log of this version");
    is_whole(scratch, 2, "with the log of this version");

    // What is made from the repository is made again.
    let snapshot = state(scratch).folder().join("snapshot");
    fs::write(&snapshot, b"{\"v\":99}\n[]\n").unwrap();
    let locked = write_of(scratch, "PreToolUse", "u2", "tests/locked_test.py");
    assert!(denies(&ask(scratch, None, Some("pre-tool"), &locked)));
    recovers(scratch, "last", "with rules of another version");
}

#[test]
fn state_that_can_not_be_written_denies_every_call_and_ends_every_turn() {
    for which in 0..3 {
        let scratch = project();
        let folder = state(&scratch).folder().to_owned();
        let keys = state(&scratch).keys().to_owned();
        let place = [folder.parent().unwrap(), &folder, &keys][which];
        let _ = fs::remove_dir_all(place);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, b"").unwrap();
        for path in ["src/add.py", "tests/locked_test.py"] {
            let answer = ask(&scratch, None, Some("pre-tool"), &write_of(&scratch, "PreToolUse", path, path));
            assert!(denies(&answer), "{}: {}", place.display(), shown(&answer));
        }
        for (word, name) in
            [("post-tool", "PostToolUse"), ("stop", "Stop"), ("session-start", "SessionStart")]
        {
            let more =
                json!({ "tool_name": "Write", "tool_input": {}, "tool_use_id": "u1", "tool_response": {} });
            let answer = ask(&scratch, None, Some(word), &event(&scratch, name, &more));
            assert!(lets_go(&answer) || word == "session-start", "{}: {}", place.display(), shown(&answer));
            assert_eq!(answer.status.code(), Some(0));
        }
        fs::remove_file(place).unwrap();
        recovers(&scratch, "next", &place.display().to_string());
        is_whole(&scratch, 1, "written again");
    }
}
