//! Spines that the Node implementation wrote, where they are at hand: read, and changed only where they must be.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scratch::Scratch;

/// The folder with the spines; none where it isn't there, and the test says that it was skipped.
fn spines() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/chalk");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no spines of the Node implementation at hand");
    None
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::write(target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}

fn scratch_with(name: &str, in_git: bool) -> Option<Scratch> {
    let scratch = if in_git { Scratch::repository() } else { Scratch::empty() };
    copy(&spines()?.join(name), &scratch.root());
    if in_git {
        scratch.git(&["add", "-A", "-f"]);
        scratch.git(&["commit", "-qm", "spine"]);
    }
    Some(scratch)
}

#[test]
fn every_read_command_works_and_changes_nothing() {
    for name in ["shelf", "widgets", "schema-1.0"] {
        for in_git in [true, false] {
            let Some(scratch) = scratch_with(name, in_git) else { return };
            let before = scratch.spine();
            for args in [
                &["status"][..],
                &["next"],
                &["context"],
                &["log"],
                &["backlog"],
                &["question", "list"],
                &["stats"],
                &["lesson"],
                &["skill"],
                &["guard", "list"],
            ] {
                scratch.run(&[&["chalk"], args].concat()).ok();
                scratch.run(&[&["chalk"], args, &["--json"]].concat()).ok();
            }
            for task in scratch.json(".chalk/tasks.json").as_array().unwrap() {
                scratch.run(&["chalk", "context", task["id"].as_str().unwrap()]).ok();
                scratch.run(&["chalk", "task", "show", task["id"].as_str().unwrap()]).ok();
            }
            scratch.run(&["chalk", "doctor", "--json"]);
            assert_eq!(scratch.spine(), before, "{name}");
        }
    }
}

/// The lines of `new` that `old` has not.
fn added<'t>(old: &str, new: &'t str) -> Vec<&'t str> {
    let mut old: Vec<&str> = old.lines().collect();
    new.lines()
        .filter(|line| match old.iter().position(|o| o == line) {
            Some(index) => {
                old.remove(index);
                false
            }
            None => true,
        })
        .collect()
}

#[test]
fn a_write_changes_only_the_bytes_it_must() {
    let Some(scratch) = scratch_with("shelf", true) else { return };
    let tasks = scratch.read(".chalk/tasks.json");
    let config = scratch.read(".chalk/chalk.json");
    scratch.run(&["chalk", "spec", "task-cc10bf21", "--criterion", "2 by 3 is 6"]).ok();
    let new = scratch.read(".chalk/tasks.json");
    assert!(added(&new, &tasks).len() <= 2, "{:?}", added(&new, &tasks));
    assert!(
        new.starts_with(&tasks[..tasks.find("task-cc10bf21").unwrap()]),
        "the tasks before are untouched"
    );
    assert_eq!(scratch.read(".chalk/chalk.json"), config, "chalk.json is not written without need");
    scratch.run(&["chalk", "phase", "design", "--force-audit", "--why", "test"]).ok();
    let new = scratch.read(".chalk/chalk.json");
    let lines = added(&config, &new);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("\"phase\": \"design\"")));
    assert!(lines.iter().any(|line| line.contains("updatedAt")));
    assert!(new.contains("\"writerVersion\": \"0.3.0\""), "the stamp stays as it was found");
}

#[test]
fn the_older_schema_with_its_own_layout_and_unknown_keys_survives() {
    let Some(scratch) = scratch_with("schema-1.0", true) else { return };
    let config = scratch.read(".chalk/chalk.json");
    scratch.run(&["chalk", "audit"]).ok();
    scratch.run(&["chalk", "phase", "build"]).ok();
    let new = scratch.read(".chalk/chalk.json");
    assert!(new.contains(r#""x-portal": { "kept": "unknown fields stay" }"#));
    assert!(new.contains(r#""project": { "name": "myapp", "description": "what we're building" }"#));
    assert!(new.contains(r#""version": "1.0""#) && !new.contains("writerVersion"));
    assert!(added(&new, &config).len() <= 3, "{:?}", added(&new, &config));
    let parsed: serde_json::Value = serde_json::from_str(&new).unwrap();
    assert_eq!(parsed["protocol"]["phase"], "build");
    assert_eq!(parsed["protocol"]["regression"]["lastAudit"]["green"], true);
}

#[test]
fn a_spine_goes_the_whole_way_from_where_the_other_program_left_it() {
    let Some(scratch) = scratch_with("shelf", true) else { return };
    scratch.run(&["chalk", "unblock", "task-faad4b41"]).ok();
    assert_eq!(scratch.json(".chalk/tasks.json")[1]["state"], "in-progress");
    let ran = scratch.run(&["chalk", "next"]).ok();
    assert!(ran.out.contains("task-faad4b4"), "{}", ran.out);
    scratch
        .run(&["chalk", "block", "task-faad4b41", "--needs", "decision", "--reason", "still rounding"])
        .ok();
    assert!(scratch.path(".chalk/handoffs/task-faad4b4-2.md").exists(), "handoffs count on");
}
