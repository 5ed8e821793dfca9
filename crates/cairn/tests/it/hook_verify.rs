//! What changed is checked by running the check, and no way through that is a dead end.

use serde_json::{Value, json};

use crate::hook_course::{claude, shell};
use crate::hook_read_back::{runs, writes};
use crate::scratch::Scratch;

/// Puts this policy into a repository, and begins a session.
fn govern(scratch: &Scratch, policy: &Value) {
    let mut whole = json!({ "schema": 1 });
    whole.as_object_mut().unwrap().extend(policy.as_object().unwrap().clone());
    scratch.write(".governance/policy.json", whole.to_string());
    scratch.commit("policy");
    claude(scratch, "SessionStart", json!({ "source": "startup" }));
}

fn project(command: &[&str]) -> Scratch {
    let scratch = Scratch::repository();
    scratch.write("src/a", "0\n");
    let check = json!({ "paths": ["src/**"], "command": command });
    govern(&scratch, &json!({ "gates": { "verify": true }, "checks": { "u": check } }));
    scratch
}

/// A command that is let through and fails.
fn fails(scratch: &Scratch, id: &str, command: &str) {
    assert_eq!(shell(scratch, id, command), None);
    let more = json!({
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id,
        "error": "Exit code 1\nred",
    });
    assert_eq!(claude(scratch, "PostToolUseFailure", more).denial(), None);
}

fn write(scratch: &Scratch, id: &str, name: &str) -> Option<String> {
    let input = json!({ "file_path": scratch.path(name), "content": id });
    crate::hook_course::before(scratch, id, "Write", input)
}

/// The edit that would have mended what a check found was denied for ever.
#[test]
fn a_check_that_fails_leaves_the_way_to_mend() {
    let scratch = project(&["sh", "t.sh"]);
    writes(&scratch, "w1", "src/a");
    // Nobody knows yet whether there is anything to mend.
    assert!(write(&scratch, "x1", "src/a").unwrap().ends_with("Next: run `sh t.sh` by itself"));
    fails(&scratch, "f1", "sh t.sh");
    insta::assert_snapshot!(
        shell(&scratch, "x2", "touch x").unwrap(),
        @"G2 (G2-1): `sh t.sh` failed since what the check u is about changed. Next: run `sh t.sh` again, by itself, or mend what it is about: src/**"
    );
    writes(&scratch, "w2", "src/a");
    writes(&scratch, "w3", "src/b");
    runs(&scratch, "g1", "git checkout -- src/a", || scratch.write("src/a", "0\n"));
    assert!(shell(&scratch, "x3", "touch x").is_some());
    assert!(write(&scratch, "x4", "README").is_some());
    fails(&scratch, "f2", "sh t.sh");
    writes(&scratch, "w4", "src/a");
    runs(&scratch, "u1", "sh t.sh", || ());
    assert_eq!(shell(&scratch, "x5", "touch x"), None);
    // A failure of before says nothing about the next change.
    writes(&scratch, "w5", "src/a");
    assert!(write(&scratch, "x6", "src/a").is_some());
}

/// A formatter passed and was due again for ever, by what it had itself changed.
#[test]
fn what_a_check_changes_as_it_passes_is_checked() {
    let scratch = project(&["sh", "-c", "format src"]);
    runs(&scratch, "u0", "make seen", || ());
    writes(&scratch, "w1", "src/a");
    assert!(shell(&scratch, "x1", "touch x").unwrap().contains("run `sh -c 'format src'` by itself"));
    runs(&scratch, "u1", "sh -c 'format src'", || {
        scratch.write("src/a", "formatted\n");
        scratch.write("src/snap", "new\n");
    });
    assert_eq!(shell(&scratch, "x2", "touch x"), None);
    // Of one that failed it is known that it failed, and what it changed may be mended.
    writes(&scratch, "w2", "src/a");
    fails(&scratch, "f1", "sh -c 'format src'");
    assert_eq!(write(&scratch, "x3", "src/a"), None);
    // What another command changes is checked.
    runs(&scratch, "u2", "sh -c \"format src\"", || ());
    runs(&scratch, "u3", "make", || scratch.write("src/a", "made\n"));
    assert!(shell(&scratch, "x4", "touch x").is_some());
}

/// In a folder below, no form of the check passed.
#[test]
fn a_check_runs_at_the_top_of_the_repository() {
    let scratch = project(&["sh", "t.sh"]);
    writes(&scratch, "w1", "src/a");
    let below = |event: &str, id: &str, command: &str| {
        let more = json!({
            "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id,
            "tool_response": { "stdout": "" }, "cwd": scratch.path("src"),
        });
        claude(&scratch, event, more).denial()
    };
    let top = scratch.root().canonicalize().unwrap();
    let run = format!("cd {} && sh t.sh", gate::words::quote(&top.to_string_lossy()));
    let due = below("PreToolUse", "x1", "sh t.sh").unwrap();
    assert!(due.ends_with(&format!("Next: run `{run}` by itself")), "{due}");
    for (id, command) in [("u1", &*run), ("u2", "(cd .. && sh t.sh)")] {
        assert_eq!(below("PreToolUse", id, command), None, "{command}");
        assert_eq!(below("PostToolUse", id, command), None, "{command}");
        assert_eq!(below("PreToolUse", &format!("x{id}"), "touch x"), None, "{command}");
        writes(&scratch, &format!("w{id}"), "src/a");
    }
}

/// After `verify`, `task add` and `update` the program's own files were to be read back, one after the other.
#[test]
fn what_a_command_of_cairn_wrote_is_not_read_back() {
    let scratch = Scratch::chalk();
    govern(&scratch, &json!({ "gates": { "verify": true } }));
    runs(&scratch, "u0", "make seen", || ());
    for (number, command) in [
        "cairn task add one",
        "cairn update half",
        "cairn verify",
        "cairn decision this --why so",
        "cairn chalk lesson add x",
    ]
    .into_iter()
    .enumerate()
    {
        let args: Vec<&str> = command.split(' ').collect();
        runs(&scratch, &format!("u1{number}"), command, || {
            scratch.run(&args).ok();
        });
        assert_ne!(scratch.git(&["status", "--porcelain"]), "", "{command}");
        assert_eq!(shell(&scratch, &format!("x{number}"), "touch x"), None, "{command}");
    }
    // What another program writes there is.
    runs(&scratch, "u2", "cairn update more && make", || scratch.write(".chalk/updates.jsonl", "{}\n"));
    assert!(shell(&scratch, "y", "touch x").unwrap().contains(".chalk/updates.jsonl"));
    // Looking is free all the same, as is setting the plan.
    for (number, command) in
        ["cairn next", "cairn chalk backlog", "cairn plan set --from p.json"].iter().enumerate()
    {
        assert_eq!(shell(&scratch, &format!("z{number}"), command), None, "{command}");
    }
}

/// The hint was to read a file that nobody could read.
#[test]
fn a_plan_spec_that_is_not_there_is_said() {
    let scratch = Scratch::repository();
    govern(&scratch, &json!({ "gates": { "plan": true }, "planSpec": "PLANNING.md" }));
    let todos =
        json!({ "todos": [{ "content": "write the parser first", "status": "pending", "activeForm": "x" }] });
    assert_eq!(crate::hook_course::before(&scratch, "p", "TodoWrite", todos.clone()), None);
    crate::hook_course::after(&scratch, "p", "TodoWrite", todos, json!({}));
    insta::assert_snapshot!(shell(&scratch, "x1", "touch x").unwrap(), @"plan (PL-009): the policy names PLANNING.md as the text that says how to plan, and no such file is there. Next: say so to the person, who puts it there, or takes `planSpec` out of the policy and commits that");
    let status = scratch.run(&["cairn", "hook", "status", "--json"]).json();
    assert_eq!(
        status["dead_ends"],
        json!([
            "the plan gate wants PLANNING.md read, and no such file is there: every acting call is denied"
        ])
    );
    let told = scratch.run(&["cairn", "hook", "status"]).all();
    assert!(told.contains("take `planSpec` out of the policy"), "{told}");
    scratch.write("PLANNING.md", "plan well\n");
    assert_eq!(scratch.run(&["cairn", "hook", "status", "--json"]).json()["dead_ends"], Value::Null);
    assert!(
        shell(&scratch, "x2", "touch x")
            .unwrap()
            .ends_with("Next: read PLANNING.md, then make the call again")
    );
}
