//! A writer of records killed at every step, and a disk that is full at every step.

use std::fs;

use serde_json::{Value, json};

use crate::chant_race::{feed, left, printed, program};
use crate::scratch::Scratch;
use crate::workspace::{note, notes};

const SESSION: &str = r#"export const recordKind = {
  name: "session", location: { dir: ".", match: "^S-[0-9]{3,}.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:session:1", path: "session.schema.json" }, idField: "id", stateField: "state",
  states: ["open", "closed"], closedStates: ["closed"],
  session: { verdicts: "verdicts", seal: "closed_digest", subjects: { kind: "../notes/note.kind.mjs" },
             openedRev: "opened_rev", closedRev: "closed_rev", closedOn: "closed" },
};
"#;

/// Notes, and sessions in which they are reviewed.
fn sessions() -> Scratch {
    let scratch = notes();
    note(&scratch, "n-003", "proposed", "");
    scratch.write("sessions/session.kind.mjs", SESSION);
    scratch.write("sessions/session.schema.json", r#"{ "$id": "urn:test:session:1" }"#);
    scratch.write("sessions/S-001.md", "---\nid: S-001\nstate: open\nverdicts: []\n---\n");
    scratch.write(
        "chant.workspace.json",
        r#"{ "name": "demo", "schema": 1, "members": [],
            "records": [{ "kind": "notes/note.kind.mjs" }, { "kind": "sessions/session.kind.mjs" }] }"#,
    );
    scratch.commit("sessions");
    scratch
}

/// Every record file with its content.
fn records(scratch: &Scratch) -> Vec<(String, String)> {
    let folders = ["notes", "sessions"].map(|folder| scratch.path(folder));
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap());
    let paths =
        entries.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "md"));
    let mut files: Vec<(String, String)> = paths
        .map(|path| {
            (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// Runs one write that is broken off; whether it came through all the same, and what it printed.
fn broken_off(scratch: &Scratch, args: &[&str], fields: &Value, fault: &str) -> (bool, Value) {
    let mut command = program(scratch);
    command.args(args).env("CAIRN_FAULT", fault);
    let output = feed(command.spawn().unwrap(), fields).wait_with_output().unwrap();
    let document = if output.stdout.is_empty() { Value::Null } else { printed(&output) };
    (output.status.success(), document)
}

/// Breaks each of the writes off at each point. After that the files are as before or as the write leaves them, they
/// can be read, and the next write works and leaves nothing behind.
fn everywhere(how: &str) {
    let scratch = sessions();
    let points: Vec<&str> =
        store::fault::LOCK_FOLDER_POINTS.iter().chain(store::fault::POINTS).copied().collect();
    let mut passed = Vec::new();
    for point in points {
        for (n, write) in ["new", "amend", "review"].into_iter().enumerate() {
            for nth in 1..=4 {
                let token = format!("{point}-{nth}-{n}");
                let (args, fields) = match write {
                    "new" => {
                        (vec!["new", "note", "--from", "-"], json!({ "title": token, "state": "proposed" }))
                    }
                    "amend" => (
                        vec!["amend", "n-001", "--kind", "note", "--set", "-"],
                        json!({ "evidence": [{ "x": token }] }),
                    ),
                    _ => (
                        vec![
                            "review",
                            "n-003",
                            "--kind",
                            "note",
                            "--verdict",
                            "agree",
                            "--by",
                            &token,
                            "--session",
                            "S-001",
                        ],
                        Value::Null,
                    ),
                };
                let before = records(&scratch);
                let (survived, document) =
                    broken_off(&scratch, &args, &fields, &format!("{point}:{nth}:{how}"));
                if survived {
                    break;
                }
                passed.push(point);
                if how == "full" {
                    let code = document["error"]["code"].as_str().unwrap_or_default().to_owned();
                    assert!(
                        matches!(&*code, "location-missing" | "write-lock-timeout"),
                        "{token}: {document}"
                    );
                }
                // Readers take no lock.
                scratch.run(&["chant", "workspace", "records", "--json"]).ok();
                let next = program(&scratch)
                    .args(["amend", "n-002", "--kind", "note", "--set", "-"])
                    .spawn()
                    .unwrap();
                let output = feed(next, &json!({ "evidence": [{ "y": token }] })).wait_with_output().unwrap();
                assert!(output.status.success(), "{token}: {}", printed(&output));
                let after = records(&scratch);
                let is_there = |text: &str| text.contains(&token);
                let with: Vec<&str> = after
                    .iter()
                    .filter(|(name, text)| name != "n-002.md" && is_there(text))
                    .map(|(name, _)| name.as_str())
                    .collect();
                match with[..] {
                    [] => {
                        let same = |name: &str| name != "n-002.md";
                        assert!(
                            before
                                .iter()
                                .filter(|(name, _)| same(name))
                                .eq(after.iter().filter(|(name, _)| same(name))),
                            "{token}"
                        );
                    }
                    [_] => assert_ne!(write, "review", "{token}: a verdict in one file of two: {with:?}"),
                    _ => assert_eq!((write, &with[..]), ("review", &["S-001.md", "n-003.md"][..]), "{token}"),
                }
                let temporary: Vec<String> = left(&scratch)
                    .into_iter()
                    .filter(|name| !name.starts_with("S-") && !name.contains(".broken-"))
                    .collect();
                assert!(temporary.is_empty(), "{token} leaves {temporary:?}");
            }
        }
    }
    let listed = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    for kind in listed["kinds"].as_array().unwrap() {
        for record in kind["records"].as_array().unwrap() {
            let reasons = &record["reasons"];
            assert_eq!(reasons, &json!([]), "{}", record["path"]);
        }
    }
    for point in ["lock-published", "stage", "staged", "journal", "journaled", "renamed"] {
        assert!(passed.contains(&point), "{point} was not passed: {passed:?}");
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_writer_killed_at_any_step_leaves_the_old_record_or_the_new() {
    everywhere("kill");
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_full_disk_at_any_step_is_a_refusal_or_is_finished() {
    everywhere("full");
}
