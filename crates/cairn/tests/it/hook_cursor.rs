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

/// What Cursor answers at a stop, after it said this.
fn stop(scratch: &Scratch, said: &[&str], count: u32) -> Value {
    for text in said {
        let said = payload(scratch, "afterAgentResponse", &json!({ "text": text }));
        let answer = scratch.hook_of(AgentId::Cursor, Some("afterAgentResponse"), &said);
        assert_eq!(answer, json!({}), "with nothing to judge it is still answered");
    }
    let stop = payload(scratch, "stop", &json!({ "status": "completed", "loop_count": count }));
    scratch.hook_of(AgentId::Cursor, Some("stop"), &stop)
}

/// `stop` does not tell what was said, so that nothing of it was held against the receipts.
#[test]
fn what_was_said_last_before_a_stop_is_reviewed_once() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "completion": true } }"#);
    let tool = json!({ "tool_name": "Shell", "tool_use_id": "t1", "tool_input": { "command": "python3 -m pytest -q" },
        "tool_output": "{\"exitCode\":0,\"output\":\"3 passed in 0.01s\"}" });
    scratch.hook_of(AgentId::Cursor, Some("pre-tool-first"), &payload(&scratch, "preToolUse", &tool));
    scratch.hook_of(AgentId::Cursor, Some("post-tool"), &payload(&scratch, "postToolUse", &tool));

    let answer = stop(&scratch, &["I run the tests.", "All 12 tests passed."], 0);
    let asked = answer["followup_message"].as_str().unwrap();
    assert!(asked.contains("12") && asked.contains('3'), "{asked}");
    assert_eq!(stop(&scratch, &["All 3 tests passed."], 1), json!({}));
    // A turn in which nothing was said is not judged by the words of one before.
    stop(&scratch, &[], 0);
    let said = payload(&scratch, "afterAgentResponse", &json!({ "text": "All 12 tests passed." }));
    scratch.hook_of(AgentId::Cursor, Some("afterAgentResponse"), &said);
    let prompt = payload(&scratch, "beforeSubmitPrompt", &json!({ "prompt": "go on" }));
    scratch.hook_of(AgentId::Cursor, Some("prompt"), &prompt);
    assert_eq!(stop(&scratch, &[], 0), json!({}), "a turn that was broken off said nothing in this one");
    let all = receipts(&scratch);
    let reviewed = all.iter().filter(|line| line["kind"] == "evidence").count();
    assert_eq!(reviewed, 2, "{all:?}");
}

/// Through Claude's hook file, too, and at once it is no fault of a call.
#[test]
fn what_was_said_is_kept_whatever_file_it_came_through_and_holds_nothing_up() {
    let scratch = Scratch::repository();
    let said = payload(&scratch, "afterAgentResponse", &json!({ "text": 7 }));
    assert_eq!(scratch.hook_of(AgentId::Cursor, Some("afterAgentResponse"), &said), json!({}));
    let said = payload(&scratch, "afterAgentResponse", &json!({ "text": "Done." }));
    assert_eq!(scratch.hook_of(AgentId::Claude, None, &said), json!({}));
    assert_eq!(stop(&scratch, &[], 0), json!({}));
    assert!(receipts(&scratch).iter().any(|line| line["kind"] == "evidence"));
}
