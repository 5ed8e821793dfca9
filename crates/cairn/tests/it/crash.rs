//! A writer killed at every step, and a disk that is full at every step.

use serde_json::Value;

use crate::race::program;
use crate::scratch::Scratch;

/// A command that replaces `tasks.json`, appends events and decisions, and adds a chain record.
fn break_off(scratch: &Scratch, id: &str, point: &str, nth: u32, how: &str) -> bool {
    let output = program(scratch)
        .args(["amend-spec", id, "--test", "a.test.sh", "--why", "broken off"])
        .env("CAIRN_FAULT", format!("{point}:{nth}:{how}"))
        .output()
        .unwrap();
    output.status.success()
}

fn prepared() -> (Scratch, String) {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    scratch.write("a.test.sh", "exit 0\n");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works", "--test", "a.test.sh"]).ok();
    scratch.write("a.test.sh", "exit 0 # changed\n");
    (scratch, id)
}

/// Either nothing of the command is there, or all of it.
#[track_caller]
fn whole_or_nothing(scratch: &Scratch, old: &Value, context: &str) {
    let tasks = scratch.json(".chalk/tasks.json");
    let changed = &tasks[0]["tests"] != old;
    let decided = scratch.read(".chalk/decisions.md").contains("broken off");
    let logged = scratch.read(".chalk/updates.jsonl").contains("broken off");
    assert!(
        changed == decided && decided == logged,
        "{context}: lock {changed}, decision {decided}, event {logged}"
    );
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_writer_killed_at_any_step_leaves_all_or_nothing() {
    for point in store::fault::POINTS {
        for nth in 1..=3 {
            let (scratch, id) = prepared();
            let old = scratch.json(".chalk/tasks.json")[0]["tests"].clone();
            let survived = break_off(&scratch, &id, point, nth, "kill");
            // Readable at once, by readers that take no lock.
            scratch.run(&["chalk", "status"]).ok();
            scratch.run(&["chalk", "log"]).ok();
            // The next writer finishes or forgets it.
            scratch.run(&["chalk", "update", "next writer"]).ok();
            whole_or_nothing(&scratch, &old, &format!("{point}:{nth}"));
            let left: Vec<_> = scratch
                .spine()
                .into_iter()
                .map(|(path, _)| path)
                .filter(|path| {
                    path.extension().is_some_and(|extension| extension == "tmp") || path.ends_with(".lock")
                })
                .collect();
            assert!(left.is_empty(), "{point}:{nth} leaves {left:?}");
            let next = scratch.run(&["chalk", "next"]).ok();
            assert!(!next.err.contains("past the program"), "{point}:{nth}: {}", next.err);
            if survived {
                break;
            }
        }
    }
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_full_disk_at_any_step_is_an_error_that_changes_nothing_or_is_finished() {
    for point in store::fault::POINTS {
        for nth in 1..=3 {
            let (scratch, id) = prepared();
            let old = scratch.json(".chalk/tasks.json")[0]["tests"].clone();
            let survived = break_off(&scratch, &id, point, nth, "full");
            scratch.run(&["chalk", "status"]).ok();
            scratch.run(&["chalk", "update", "next writer"]).ok();
            whole_or_nothing(&scratch, &old, &format!("{point}:{nth}"));
            if survived {
                break;
            }
        }
    }
}
