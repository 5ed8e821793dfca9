//! Two hook files for one call: agents that run another agent's settings beside their own ask twice, in turn or at once,
//! and each answer counts.

use std::io::Write;
use std::process::{Child, Command, Stdio};

use agents::AgentId;
use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A repository with a file that only a person's grant lets an agent write.
fn project(more: &Value) -> Scratch {
    let scratch = Scratch::repository();
    let mut policy = json!({ "schema": 1, "protect": [{ "path": "kept.txt", "because": "it is kept" }] });
    policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write(".governance/policy.json", policy.to_string());
    scratch.write("kept.txt", "as it was\n");
    scratch.commit("policy");
    scratch
}

/// What Cursor sends to its own hook file and to that of Claude Code.
fn cursor(scratch: &Scratch, event: &str, more: &Value) -> Value {
    let mut payload = json!({ "conversation_id": "c", "generation_id": "g", "hook_event_name": event,
        "cursor_version": "1", "workspace_roots": [scratch.root()] });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn write(scratch: &Scratch, event: &str, id: &str, content: &str) -> Value {
    let input = json!({ "file_path": scratch.path("kept.txt"), "content": content });
    cursor(
        scratch,
        event,
        &json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": id, "tool_output": "{}" }),
    )
}

/// Copilot's event in its own form.
fn camel(scratch: &Scratch, more: &Value) -> Value {
    let mut payload = json!({ "sessionId": "s", "timestamp": 1, "cwd": scratch.root() });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

/// The same event in the form in which Copilot sends it to the hook file of Claude Code.
fn pascal(scratch: &Scratch, event: &str, more: &Value) -> Value {
    let mut payload =
        json!({ "session_id": "s", "timestamp": "t", "cwd": scratch.root(), "hook_event_name": event });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn permission(answer: &Value) -> &str {
    answer["permission"].as_str().or(answer["permissionDecision"].as_str()).unwrap_or("none")
}

fn receipts(scratch: &Scratch) -> Vec<Value> {
    let list = scratch.run(&["cairn", "receipts", "list", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().clone()
}

/// The tickets that wait.
fn tickets(scratch: &Scratch) -> Vec<String> {
    let list = scratch.run(&["cairn", "approve", "--json"]).ok().json();
    list["tickets"]
        .as_array()
        .unwrap()
        .iter()
        .map(|ticket| ticket["id"].as_str().unwrap().to_owned())
        .collect()
}

/// A person lets the one call pass that waits.
fn approve(scratch: &Scratch) {
    let waiting = tickets(scratch);
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    scratch.person(&waiting[0], &["cairn", "approve", &waiting[0]]).ok();
}

/// Cursor's two entries for one write, in this order.
fn both(scratch: &Scratch, order: [AgentId; 2], id: &str, content: &str) -> [String; 2] {
    order.map(|entry| {
        let word = if entry == AgentId::Cursor { "pre-tool-first" } else { "pre-tool" };
        let payload = write(scratch, "preToolUse", id, content);
        permission(&scratch.hook_of(entry, Some(word), &payload)).to_owned()
    })
}

/// The first entry used the grant up and the second one denied the call.
#[test]
fn a_grant_holds_at_every_entry_of_its_call_in_either_order() {
    for order in [[AgentId::Cursor, AgentId::Claude], [AgentId::Claude, AgentId::Cursor]] {
        let scratch = project(&json!({}));
        assert_eq!(both(&scratch, order, "t1", "new\n"), ["deny", "deny"]);
        assert_eq!(receipts(&scratch).len(), 1);
        scratch.wait(60);
        approve(&scratch);
        // Another content and another session are other calls.
        assert_eq!(both(&scratch, order, "t2", "other\n"), ["deny", "deny"]);
        assert_eq!(both(&scratch, order, "t3", "new\n"), ["allow", "allow"]);
        let all = receipts(&scratch);
        let approved: Vec<_> = all.iter().filter(|line| line["marker"] == "approved").collect();
        assert_eq!(approved.len(), 1, "{all:?}");
        assert_eq!(both(&scratch, order, "t4", "new\n"), ["deny", "deny"], "once");
    }
}

/// A project in which the call `t2` was let pass at both entries, by one grant.
fn let_pass() -> (Scratch, [AgentId; 2]) {
    let scratch = project(&json!({}));
    let order = [AgentId::Cursor, AgentId::Claude];
    both(&scratch, order, "t1", "new\n");
    scratch.wait(60);
    approve(&scratch);
    assert_eq!(both(&scratch, order, "t2", "new\n"), ["allow", "allow"]);
    (scratch, order)
}

#[test]
fn an_id_that_was_seen_before_lets_nothing_pass() {
    let (scratch, order) = let_pass();
    assert_eq!(both(&scratch, order, "t2", "more\n"), ["deny", "deny"], "the same id with another call");
    let mut elsewhere = write(&scratch, "preToolUse", "t2", "new\n");
    elsewhere["conversation_id"] = "d".into();
    let answer = scratch.hook_of(AgentId::Claude, Some("pre-tool"), &elsewhere);
    assert_eq!(permission(&answer), "deny", "the same id in another session");
    let seen = write(&scratch, "postToolUse", "t2", "new\n");
    scratch.hook_of(AgentId::Cursor, Some("post-tool"), &seen);
    scratch.hook_of(AgentId::Claude, Some("post-tool"), &seen);
    assert_eq!(both(&scratch, order, "t2", "new\n"), ["deny", "deny"], "the same id after its result");
}

#[test]
fn an_id_that_was_let_pass_lets_nothing_pass_later() {
    let (scratch, order) = let_pass();
    scratch.wait(30);
    assert_eq!(both(&scratch, order, "t2", "new\n"), ["deny", "deny"]);
}

/// The second entry of a call that was denied already used up the grant for the next one.
#[test]
fn a_grant_between_two_entries_of_a_denied_call_waits_for_the_next_call() {
    let scratch = project(&json!({}));
    let ask = |entry, id: &str| {
        let payload = write(&scratch, "preToolUse", id, "new\n");
        permission(&scratch.hook_of(entry, Some("pre-tool"), &payload)).to_owned()
    };
    assert_eq!(ask(AgentId::Cursor, "t1"), "deny");
    approve(&scratch);
    assert_eq!(ask(AgentId::Claude, "t1"), "deny", "the call is denied by now");
    assert_eq!([ask(AgentId::Claude, "t2"), ask(AgentId::Cursor, "t2")], ["allow", "allow"]);
}

/// The two forms of one call made two tickets and two receipts.
#[test]
fn one_call_in_two_spellings_has_one_ticket_one_grant_and_one_receipt() {
    let shell = "git commit --no-verify -m x";
    let args = |value: Value| value.to_string();
    let path = "kept.txt";
    let forms = [
        (
            json!({ "toolName": "bash", "toolArgs": args(json!({ "command": shell })) }),
            json!({ "tool_name": "Bash", "tool_input": { "command": shell }, "tool_use_id": "u1" }),
        ),
        (
            json!({ "toolName": "edit", "toolArgs": args(json!({ "path": path, "old_str": "a", "new_str": "b" })) }),
            json!({ "tool_name": "Edit", "tool_input": { "file_path": path, "old_string": "a", "new_string": "b" } }),
        ),
        (
            json!({ "toolName": "create", "toolArgs": args(json!({ "path": path, "file_text": "b" })) }),
            json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "b" } }),
        ),
    ];
    for (own, claudes) in forms {
        let scratch = project(&json!({}));
        let ask = || {
            let first = scratch.hook_of(AgentId::Copilot, Some("pre-tool"), &camel(&scratch, &own));
            let second = pascal(&scratch, "PreToolUse", &claudes);
            let second = scratch.hook_of(AgentId::Claude, Some("pre-tool"), &second);
            [permission(&first).to_owned(), permission(&second).to_owned()]
        };
        assert_eq!(ask(), ["deny", "deny"]);
        assert_eq!(receipts(&scratch).len(), 1, "{own}");
        scratch.wait(60);
        approve(&scratch);
        assert_eq!(ask(), ["none", "none"], "no opinion: {own}");
        let mut own = own.clone();
        own["toolResult"] = json!({ "resultType": "success", "textResultForLlm": "done" });
        let mut claudes = claudes.clone();
        claudes["tool_result"] = json!({ "result_type": "success", "text_result_for_llm": "done" });
        scratch.hook_of(AgentId::Copilot, Some("post-tool"), &camel(&scratch, &own));
        scratch.hook_of(AgentId::Claude, Some("post-tool"), &pascal(&scratch, "PostToolUse", &claudes));
        let all = receipts(&scratch);
        assert_eq!(all.len(), 3, "two calls and what the person did: {all:?}");
        assert!(all.iter().any(|line| !line["seen"].is_null()), "{all:?}");
        assert_eq!(ask(), ["deny", "deny"], "once: {own}");
    }
}

/// The program as an agent starts it from one of its hook files.
fn start(scratch: &Scratch, entry: &str, word: &str, payload: &Value) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear().args(["hook", entry, word]).envs(scratch.env().iter());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    child
}

fn answer(child: Child) -> Value {
    let output = child.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// Lets the ticket that waits pass, by the clock of the machine.
fn grant(scratch: &Scratch) {
    let state = govern::State::find(&scratch.root(), &scratch.env()).unwrap();
    let now = canon::Clock::now(&store::SystemClock);
    let waiting = cairn::hook::ticket::open(&state, now);
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    cairn::hook::ticket::grant(&state, &waiting[0].id, now).unwrap();
}

#[test]
fn of_two_entries_at_once_both_are_let_pass_or_neither() {
    let scratch = project(&json!({}));
    let at_once = |id: &str, content: &str| {
        let payload = write(&scratch, "preToolUse", id, content);
        let running = ["cursor", "claude"].map(|entry| start(&scratch, entry, "pre-tool", &payload));
        running.map(|child| permission(&answer(child)).to_owned())
    };
    for n in 0..8 {
        let content = format!("{n}\n");
        assert_eq!(at_once(&format!("d{n}"), &content), ["deny", "deny"], "{n}");
        grant(&scratch);
        assert_eq!(at_once(&format!("a{n}"), &content), ["allow", "allow"], "{n}");
        assert_eq!(at_once(&format!("z{n}"), &content), ["deny", "deny"], "{n}");
        // What waits now is gone before the next round.
        grant(&scratch);
        assert_eq!(at_once(&format!("b{n}"), &content), ["allow", "allow"], "{n}");
    }
    let all = receipts(&scratch);
    let mut ids: Vec<_> = all.iter().filter_map(|line| line["call"].as_str()).collect();
    let lines = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), lines, "one receipt a call: {all:?}");
}

/// Two different calls that are the same but for their id share no grant.
#[test]
fn of_two_equal_calls_at_once_one_is_let_pass() {
    let scratch = project(&json!({}));
    for n in 0..6 {
        let content = format!("{n}\n");
        let payload = |id: &str| write(&scratch, "preToolUse", id, &content);
        answer(start(&scratch, "cursor", "pre-tool", &payload("first")));
        grant(&scratch);
        let running =
            ["x", "y"].map(|id| start(&scratch, "cursor", "pre-tool", &payload(&format!("{id}{n}"))));
        let mut told = running.map(|child| permission(&answer(child)).to_owned());
        told.sort();
        assert_eq!(told, ["allow", "deny"], "{n}");
        grant(&scratch);
        assert_eq!(permission(&answer(start(&scratch, "cursor", "pre-tool", &payload("last")))), "allow");
    }
}

/// What the session counted.
fn counters(scratch: &Scratch) -> (u64, u64, u64) {
    let state = govern::State::find(&scratch.root(), &scratch.env()).unwrap();
    let session = govern::session::Session::load(&state.session("cursor", "c")).unwrap();
    (session.counters.turns, session.counters.steps, session.counters.denied)
}

/// Every prompt and every end of a turn was counted once for each entry.
#[test]
fn a_session_that_is_told_twice_is_counted_once() {
    let scratch = project(&json!({ "pins": [{ "text": "Never push to main", "priority": 90 }] }));
    let markers = |marker: &str| receipts_with(&scratch, marker);
    let tell = |event: &str, word: &str, more: &Value| {
        let payload = cursor(&scratch, event, more);
        [AgentId::Claude, AgentId::Cursor].map(|entry| scratch.hook_of(entry, Some(word), &payload))
    };
    tell("sessionStart", "session-start", &json!({}));
    assert_eq!(markers("session-start"), 1);
    let said = json!({ "prompt": "push to main" });
    tell("beforeSubmitPrompt", "prompt", &said);
    assert_eq!((markers("prompt"), markers("pim-conflict")), (1, 1));
    assert_eq!(counters(&scratch), (0, 1, 0));
    both(&scratch, [AgentId::Claude, AgentId::Cursor], "t1", "new\n");
    assert_eq!(counters(&scratch), (0, 2, 1));
    tell("preCompact", "compact", &json!({ "trigger": "auto" }));
    assert_eq!(markers("compact"), 1);
    tell("stop", "stop", &json!({ "status": "completed", "loop_count": 0 }));
    assert_eq!(counters(&scratch).0, 1);
    // The same words again are another prompt.
    tell("beforeSubmitPrompt", "prompt", &said);
    assert_eq!(markers("prompt"), 2);
}

fn receipts_with(scratch: &Scratch, marker: &str) -> usize {
    let list = scratch.run(&["cairn", "receipts", "list", "--last", "9999", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().iter().filter(|line| line["marker"] == marker).count()
}

/// One entry refused the end of a turn, and the other one let it end.
#[test]
fn both_entries_of_a_refused_stop_refuse_it_and_the_next_one_ends() {
    let said = |scratch: &Scratch, text: &str| {
        let own = camel(
            scratch,
            &json!({ "transcriptPath": "/t", "stopReason": "end_turn",
            "lastAssistantMessage": text }),
        );
        let claudes = pascal(scratch, "Stop", &json!({ "last_assistant_message": text }));
        [("copilot", own), ("claude", claudes)]
    };
    let is_refused = |answer: &Value| answer["decision"] == "block";
    for n in 0..4 {
        let scratch = project(&json!({ "gates": { "completion": true } }));
        let run = json!({ "toolName": "bash", "toolArgs": json!({ "command": "python3 -m pytest -q" }).to_string(),
            "toolResult": { "resultType": "success", "textResultForLlm": "3 passed in 0.01s" } });
        scratch.hook_of(AgentId::Copilot, Some("pre-tool"), &camel(&scratch, &run));
        scratch.hook_of(AgentId::Copilot, Some("post-tool"), &camel(&scratch, &run));
        let running = said(&scratch, "All 12 tests passed.")
            .map(|(entry, payload)| start(&scratch, entry, "stop", &payload));
        let told = running.map(|child| is_refused(&answer(child)));
        assert_eq!(told, [true, true], "round {n}");
        let again = said(&scratch, "All 12 tests passed, I say.");
        let told =
            again.map(|(entry, payload)| is_refused(&answer(start(&scratch, entry, "stop", &payload))));
        assert_eq!(told, [false, false], "round {n}: no agent is held for ever");
    }
}

/// Private and shared settings of one agent both call, in the same words.
#[test]
fn one_entry_that_two_files_name_is_one_moment_when_it_comes_at_once_and_two_in_turn() {
    let scratch = project(&json!({}));
    let prompt = cursor(&scratch, "beforeSubmitPrompt", &json!({ "prompt": "go on" }));
    let state = govern::State::find(&scratch.root(), &scratch.env()).unwrap();
    let session = state.session("cursor", "c");
    std::fs::create_dir_all(session.parent().unwrap()).unwrap();
    let lock = session.with_extension("moment-lock");
    let held = store::lock::Guard::acquire(&lock, std::time::Duration::ZERO).unwrap();
    let running = [0, 1].map(|_| start(&scratch, "cursor", "prompt", &prompt));
    // Long enough for both to come to where they wait, and no longer than they do.
    std::thread::sleep(std::time::Duration::from_millis(900));
    drop(held);
    for child in running {
        assert_eq!(answer(child), json!({ "continue": true }));
    }
    assert_eq!(receipts_with(&scratch, "prompt"), 1);
    answer(start(&scratch, "cursor", "prompt", &prompt));
    assert_eq!(receipts_with(&scratch, "prompt"), 2, "said again, it is another prompt");
}
