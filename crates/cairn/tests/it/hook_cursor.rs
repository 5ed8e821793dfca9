//! Cursor calls twice before a command: at `preToolUse`, and at the event that can ask a person.

use agents::AgentId;
use serde_json::{Value, json};

use crate::scratch::Scratch;

fn payload(scratch: &Scratch, event: &str, more: &Value) -> Value {
    let root = scratch.root();
    let mut payload = json!({ "conversation_id": "c", "generation_id": "g", "hook_event_name": event,
        "cursor_version": "1", "workspace_roots": [root.to_str().unwrap()] });
    for (key, value) in more.as_object().unwrap() {
        payload[key] = value.clone();
    }
    payload
}

/// What Cursor is told at the two events before a command, and nothing behind a denial.
fn before(scratch: &Scratch, command: &str) -> Vec<String> {
    let tool = json!({ "tool_name": "Shell", "tool_use_id": "t1", "tool_input": { "command": command } });
    let shell = json!({ "command": command, "cwd": scratch.root().to_str().unwrap() });
    let permission = |answer: &Value| answer["permission"].as_str().unwrap().to_owned();
    let first = payload(scratch, "preToolUse", &tool);
    let mut told = vec![permission(&scratch.hook_of(AgentId::Cursor, Some("pre-tool-first"), &first))];
    if told[0] != "deny" {
        let second = payload(scratch, "beforeShellExecution", &shell);
        told.push(permission(&scratch.hook_of(AgentId::Cursor, Some("beforeShellExecution"), &second)));
    }
    told
}

fn receipts(scratch: &Scratch) -> Vec<Value> {
    let list = scratch.run(&["cairn", "receipts", "list", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().clone()
}

#[test]
fn a_command_is_asked_for_once_and_has_one_receipt() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "commitment": true } }"#);
    assert_eq!(before(&scratch, "ls"), ["allow", "allow"]);
    assert_eq!(receipts(&scratch).len(), 1, "two entries of one call are one call");
    assert_eq!(before(&scratch, "git push --force origin main"), ["allow", "ask"]);
    let all = receipts(&scratch);
    assert_eq!((all.len(), &all[1]["decision"]), (2, &json!("ask")), "{all:?}");
    // Its result belongs to the same call.
    let tool = json!({ "tool_name": "Shell", "tool_use_id": "t1", "tool_input": { "command": "git push --force origin main" },
        "tool_output": "{}" });
    let after = payload(&scratch, "postToolUse", &tool);
    scratch.hook_of(AgentId::Cursor, Some("post-tool"), &after);
    let all = receipts(&scratch);
    assert!(all.len() == 2 && !all[1]["seen"].is_null(), "{all:?}");
}

#[test]
fn a_grant_holds_at_both_entries_of_its_call_and_no_longer() {
    let scratch = Scratch::repository();
    let past = "git commit --no-verify -m x";
    assert_eq!(before(&scratch, past), ["deny"]);
    let list = scratch.run(&["cairn", "approve", "--json"]).ok().json();
    let id = list["tickets"][0]["id"].as_str().unwrap().to_owned();
    scratch.person(&id, &["cairn", "approve", &id]).ok();
    assert_eq!(before(&scratch, past), ["allow", "allow"]);
    assert_eq!(before(&scratch, past), ["deny"], "once");
}
