//! Many processes that write records at once.

use std::collections::BTreeSet;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::scratch::Scratch;
use crate::workspace::{note, notes};

/// The real program: `workspace records`.
pub fn program(scratch: &Scratch) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear();
    for (name, value) in scratch.env().iter() {
        command.env(name, value);
    }
    command.env("CHANT_WRITE_LOCK_WAIT_MS", "300000").args(["workspace", "records"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Gives a started program its fields.
pub fn feed(mut child: Child, fields: &Value) -> Child {
    use std::io::Write;
    // A program that was killed meanwhile reads nothing.
    let _ = child.stdin.take().unwrap().write_all(fields.to_string().as_bytes());
    child
}

/// What a program that has ended printed.
#[track_caller]
pub fn printed(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Files that a writer left behind, but for what is left of a lock that was on its way out.
pub fn left(scratch: &Scratch) -> Vec<String> {
    let folders = [scratch.path("notes"), scratch.path("sessions"), scratch.path(".git")];
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names
        .filter(|name| {
            (name.contains(".tmp") || name.contains("chant-write.lock")) && !name.contains(".broken-")
        })
        .collect()
}

#[test]
fn thirty_writers_share_no_id_lose_no_amendment_and_one_wins() {
    let scratch = notes();
    note(&scratch, "n-003", "proposed", "");
    note(&scratch, "n-004", "proposed", "");
    scratch.commit("more");
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    let digest = listed["kinds"][0]["records"][3]["digest"].as_str().unwrap().to_owned();
    let start = |args: &[&str], fields: &Value| feed(program(&scratch).args(args).spawn().unwrap(), fields);
    let mut makers = Vec::new();
    let mut amenders = Vec::new();
    let mut rivals = Vec::new();
    for n in 0..10 {
        makers.push(start(
            &["new", "note", "--from", "-"],
            &json!({ "title": format!("N {n}"), "state": "proposed" }),
        ));
        amenders.push(start(&["amend", "n-003", "--set", "-"], &json!({ format!("field{n}"): n })));
        rivals.push(start(&["amend", "n-004", "--set", "-", "--expect", &digest], &json!({ "winner": n })));
    }
    let outputs = |children: Vec<Child>| -> Vec<Output> {
        children.into_iter().map(|child| child.wait_with_output().unwrap()).collect()
    };
    let made = outputs(makers);
    let ids: BTreeSet<String> =
        made.iter().map(|output| printed(output)["id"].as_str().unwrap_or_default().to_owned()).collect();
    let expected: BTreeSet<String> = (5..15).map(|n| format!("n-{n:03}")).collect();
    assert_eq!(ids, expected);
    for output in outputs(amenders) {
        assert!(output.status.success(), "{}", printed(&output));
    }
    let text = scratch.read("notes/n-003.md");
    assert!((0..10).all(|n| text.contains(&format!("\nfield{n}: {n}\n"))), "{text}");
    let rivals = outputs(rivals);
    let winners: Vec<usize> = (0..10).filter(|&n| rivals[n].status.success()).collect();
    let [winner] = winners[..] else { panic!("{winners:?} won") };
    assert!(scratch.read("notes/n-004.md").contains(&format!("\nwinner: {winner}\n")));
    for (n, output) in rivals.iter().enumerate().filter(|(n, _)| *n != winner) {
        let refused = printed(output);
        assert_eq!(
            (output.status.code(), &refused["error"]["code"]),
            (Some(1), &json!("record-conflict")),
            "{n}"
        );
    }
    assert_eq!(left(&scratch), Vec::<String>::new());
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    let records = listed["kinds"][0]["records"].as_array().unwrap();
    assert_eq!(records.len(), 14);
    assert!(records.iter().all(|record| record["valid"] == true), "{listed:#}");
    let last = |at: usize| records[at]["lastWrite"]["verb"].clone();
    assert_eq!([last(0), last(2), last(13)], [Value::Null, json!("records amend"), json!("records new")]);
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_holder_that_was_killed_is_broken_at_once() {
    let scratch = notes();
    let amend = ["amend", "n-001", "--set", "-"];
    for point in ["lock-prepared", "lock-published", "stage", "staged", "lock-aside"] {
        let mut killed = program(&scratch);
        killed.args(amend).env("CAIRN_FAULT", format!("{point}:1:kill"));
        let output =
            feed(killed.spawn().unwrap(), &json!({ "evidence": [point] })).wait_with_output().unwrap();
        if point != "lock-prepared" && point != "lock-aside" {
            assert!(!output.status.success(), "{point}");
            assert!(scratch.path(".git/chant-write.lock").exists(), "{point}");
        }
        let begun = Instant::now();
        let next = feed(program(&scratch).args(amend).spawn().unwrap(), &json!({ "reviews": [point] }));
        let output = next.wait_with_output().unwrap();
        assert!(output.status.success(), "{point}: {}", printed(&output));
        assert!(begun.elapsed() < Duration::from_mins(1), "{point}");
        assert_eq!(left(&scratch), Vec::<String>::new(), "{point}");
    }
}
