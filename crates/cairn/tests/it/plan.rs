use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::scratch::Scratch;

fn plan(content: &str) -> String {
    json!([{ "content": content, "status": "in_progress", "priority": "high" }]).to_string()
}

#[test]
fn a_plan_is_judged_when_it_is_set() {
    let scratch = Scratch::repository();
    scratch.run(&["cairn", "plan", "show"]).refused(1, "no-plan");
    for (text, what) in [
        ("[]", "PL-003"),
        (&*plan("short"), "PL-005"),
        (&*plan("TODO: step 1"), "PL-006"),
        (r#"[{"content": "Add the parser", "status": "pending"}]"#, "PL-010"),
        (r#"[{"content": "Add the parser", "status": "done", "priority": "low"}]"#, "PL-004"),
        ("[\n  7]", "plan.json:2:"),
        ("{}", "plan-unreadable"),
    ] {
        scratch.write("plan.json", text);
        scratch.run(&["cairn", "plan", "set", "--from", "plan.json"]).refused(1, what);
    }
    scratch.run(&["cairn", "plan", "set", "--from", "nothing"]).refused(1, "no file");
    assert!(!scratch.govern().exists());
    scratch.write("plan.json", plan("Add the parser"));
    insta::assert_snapshot!(scratch.run(&["cairn", "plan", "set", "--from", "plan.json"]).all(), @"
    exit 0
    --- out
    STATUS       PRIORITY  STEP
    in_progress  high      Add the parser
    ✓ the plan is valid, set at 2026-12-01T00:00:10.000Z
    --- err
    ");
    let shown = scratch.run(&["cairn", "plan", "show", "--json"]).ok().json();
    assert_eq!(shown["todos"][0]["content"], "Add the parser");
}

#[test]
fn a_plan_that_was_set_opens_the_plan_gate_of_the_session() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "plan": true } }"#);
    scratch.write("plan.json", plan("Add the parser"));
    let set = ["cairn", "plan", "set", "--from", "plan.json"];
    let call = |event: &str, command: &str, exit: i64| {
        let args = json!({ "command": command });
        scratch.hook(json!({ "event": event, "call": command, "tool": "bash", "args": args, "exit": exit }))
    };
    scratch.run(&set).ok();
    // A plan of before, and a command that only mentions the setting of one, open nothing.
    assert_eq!(call("pre_tool", "cairn plan set --help", 0)["decision"], "allow");
    call("post_tool", "cairn plan set --help", 0);
    assert_eq!(scratch.edit("a.rs")["rule"], "PL-001");
    let command = set.join(" ");
    assert_eq!(call("pre_tool", &command, 0)["decision"], "allow");
    scratch.run(&set).ok();
    call("post_tool", &command, 0);
    assert_eq!(scratch.edit("a.rs")["decision"], "allow");
    scratch.hook(json!({ "event": "stop", "text": "done" }));
    assert_eq!(scratch.edit("b.rs")["rule"], "PL-001", "a plan is for one turn");
}

#[test]
fn a_plan_from_standard_input_is_judged_as_one_from_a_file() {
    let scratch = Scratch::repository();
    let set = |text: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
        command.args(["plan", "set", "--from", "-", "--json"]).current_dir(scratch.root()).env_clear();
        for (name, value) in scratch.env().iter() {
            command.env(name, value);
        }
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (output.status.code(), serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap())
    };
    let (code, document) = set(&plan("Add the parser"));
    assert_eq!((code, &document["todos"][0]["content"]), (Some(0), &json!("Add the parser")));
    let (code, document) = set("[]");
    assert_eq!((code, &document["error"]["code"]), (Some(1), &json!("plan-empty")));
    let (code, document) = set("[\n 7]");
    let at = &document["error"]["at"];
    assert_eq!((code, &at["path"], &at["line"]), (Some(1), &json!("standard input"), &json!(2)));
    // The plan that was refused took nobody's place.
    let shown = scratch.run(&["cairn", "plan", "show", "--json"]).ok().json();
    assert_eq!(shown["todos"][0]["content"], "Add the parser");
}

#[test]
fn a_plan_that_is_piped_in_opens_the_plan_gate_too() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "plan": true } }"#);
    let call = |event: &str, command: &str| {
        let args = json!({ "command": command });
        scratch.hook(json!({ "event": event, "call": command, "tool": "bash", "args": args, "exit": 0 }))
    };
    let denied = scratch.edit("0.rs")["reason"].as_str().unwrap().to_owned();
    assert!(denied.contains("`cairn plan set --from - <<'END'`"), "{denied}");
    for (turn, command) in [
        format!("echo '{}' | cairn plan set --from -", plan("Add the parser")),
        format!("cairn plan set --from - <<'END'\n{}\nEND", plan("Add the parser")),
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(scratch.edit(&format!("{turn}.rs"))["rule"], "PL-001");
        assert_eq!(call("pre_tool", command)["decision"], "allow", "{command}");
        // What the command does when the agent runs it.
        scratch.write("plan.json", plan("Add the parser"));
        scratch.run(&["cairn", "plan", "set", "--from", "plan.json"]).ok();
        call("post_tool", command);
        assert_eq!(scratch.edit(&format!("{turn}.rs"))["decision"], "allow", "{command}");
        scratch.hook(json!({ "event": "stop", "text": "done" }));
    }
}
