//! The discipline of sessions at the hook: pinned constraints through compactions, prompts and final messages held against
//! them, and what is counted on the way.

use std::fs;
use std::thread;

use agents::AgentId;
use serde_json::{Value, json};
use store::{SystemClock, SystemEntropy, World};

use crate::scratch::Scratch;

/// What is said of the one pinned constraint of these tests.
const SAID: &str =
    "Pinned constraints of this repository, which hold whatever else is said:\n- [90] Never push to main";

/// A repository whose policy pins one prohibition, with more of the policy.
fn pinned(more: Value) -> Scratch {
    let scratch = Scratch::repository();
    let mut policy = json!({ "schema": 1, "pins": [{ "text": "Never push to main", "priority": 90 }] });
    policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write(".governance/policy.json", policy.to_string());
    scratch.commit("policy");
    scratch
}

/// What the hook of an agent prints.
fn hear(scratch: &Scratch, agent: AgentId, event: &str, payload: &Value) -> String {
    let (cwd, env) = (scratch.root(), scratch.env());
    let world = move || World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let input = std::io::Cursor::new(payload.to_string().into_bytes());
    let code = cairn::hook::run(agent, Some(event.to_owned()), world, input, &mut out, &mut err);
    assert_eq!((code, err.len()), (0, 0), "{}", String::from_utf8_lossy(&err));
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

/// One event in an agent's own form; call number `n` is a shell command of its own.
fn payload(scratch: &Scratch, agent: AgentId, event: &str, n: usize) -> Option<Value> {
    let point = agent.point(event)?;
    let root = scratch.root();
    let command = format!("make {n}");
    let is_call = matches!(event, "pre-tool" | "post-tool");
    Some(match agent {
        AgentId::OpenCode | AgentId::OpenCode2 | AgentId::Generic => {
            let mut payload =
                json!({ "agent": agent.as_str(), "event": point.name, "session": "s1", "cwd": root });
            if is_call {
                payload["call"] = format!("c{n}").into();
                payload["tool"] = "bash".into();
                payload["args"] = json!({ "command": command });
                payload["exit"] = 0.into();
            }
            payload
        }
        AgentId::Copilot => {
            let mut payload = json!({ "sessionId": "s1", "timestamp": 1, "cwd": root });
            if is_call {
                payload["toolName"] = "bash".into();
                payload["toolArgs"] = json!({ "command": command }).to_string().into();
            }
            if event == "post-tool" {
                payload["toolResult"] = json!({ "resultType": "success" });
            }
            payload
        }
        AgentId::Cursor => {
            let mut payload = json!({ "conversation_id": "s1", "generation_id": "g1", "hook_event_name": point.name,
                "cursor_version": "1", "workspace_roots": [root] });
            if is_call {
                payload["tool_name"] = "Shell".into();
                payload["tool_input"] = json!({ "command": command });
                payload["tool_use_id"] = format!("c{n}").into();
            }
            payload
        }
        _ => {
            let tool = match agent {
                AgentId::Gemini | AgentId::Qwen => "run_shell_command",
                AgentId::VsCode => "run_in_terminal",
                AgentId::Droid => "Execute",
                _ => "Bash",
            };
            let folder = if agent == AgentId::Qwen { ".qwen" } else { "x" };
            let mut payload = json!({ "session_id": "s1", "transcript_path": format!("/h/{folder}/t"), "cwd": root,
                "hook_event_name": point.name, "timestamp": "t", "model": "m", "turn_id": "t1" });
            match agent {
                AgentId::Gemini => {}
                AgentId::VsCode => {
                    payload = json!({ "timestamp": "t", "cwd": root, "sessionId": "s1", "hookEventName": point.name,
                        "transcript_path": "/t" });
                }
                _ => payload["permission_mode"] = "default".into(),
            }
            if agent != AgentId::Codex {
                payload.as_object_mut().unwrap().remove("turn_id");
                payload.as_object_mut().unwrap().remove("model");
            }
            if !matches!(agent, AgentId::Gemini | AgentId::VsCode) {
                payload.as_object_mut().unwrap().remove("timestamp");
            }
            if is_call {
                payload["tool_name"] = tool.into();
                payload["tool_input"] = json!({ "command": command });
                if !matches!(agent, AgentId::Gemini | AgentId::Droid | AgentId::Qwen) {
                    payload["tool_use_id"] = format!("c{n}").into();
                }
            }
            payload
        }
    })
}

fn tell(scratch: &Scratch, agent: AgentId, event: &str, n: usize) -> Option<String> {
    Some(hear(scratch, agent, event, &payload(scratch, agent, event, n)?))
}

/// The receipts as `receipts list` shows them.
fn receipts(scratch: &Scratch) -> Vec<Value> {
    let list = scratch.run(&["cairn", "receipts", "list", "--last", "9999", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().clone()
}

/// How many receipts have this marker.
fn marked(scratch: &Scratch, marker: &str) -> usize {
    receipts(scratch).iter().filter(|line| line["marker"] == marker).count()
}

fn counts(scratch: &Scratch) -> Value {
    scratch.run(&["cairn", "govern", "health", "--json"]).ok().json()["counts"].clone()
}

/// A whole session with a compaction: each moment at which something was said, with the answer.
fn replay(agent: AgentId) -> Vec<(String, String)> {
    let scratch = pinned(json!({}));
    let mut said = Vec::new();
    let mut n = 0;
    let mut moment = |word: &str, source: Option<&str>| {
        n += 1;
        let Some(mut payload) = payload(&scratch, agent, word, n / 2) else { return };
        if let Some(source) = source {
            payload["source"] = source.into();
        }
        let out = hear(&scratch, agent, word, &payload);
        if out.contains("Never push to main") {
            said.push((word.to_owned(), out));
        }
    };
    moment("session-start", Some("startup"));
    moment("prompt", None);
    moment("pre-tool", None);
    moment("post-tool", None);
    moment("compact", None);
    if [AgentId::Claude, AgentId::Codex, AgentId::Qwen].contains(&agent) {
        moment("session-start", Some("compact"));
    }
    moment("prompt", None);
    moment("pre-tool", None);
    moment("post-tool", None);
    moment("stop", None);
    let counts = counts(&scratch);
    assert_eq!(counts["pinned"], said.len(), "{agent}: what is on record was said: {said:?}");
    assert_eq!(counts["pins_dropped"], 0, "{agent}");
    said
}

/// WS-019, CV-7: byte for byte, for each agent that takes anything.
#[test]
fn a_pinned_constraint_is_said_at_the_beginning_and_after_a_compaction() {
    let text = serde_json::to_string(SAID).unwrap();
    let claude = |event: &str| {
        format!(r#"{{"hookSpecificOutput":{{"hookEventName":"{event}","additionalContext":{text}}}}}"#)
    };
    let bridge = format!(r#"{{"decision":"allow","context":{text}}}"#);
    let generic = format!(r#"{{"v":1,"decision":"allow","context":[{text}]}}"#);
    let expected: [(AgentId, [(&str, String); 2]); 11] = [
        (
            AgentId::Claude,
            [("session-start", claude("SessionStart")), ("session-start", claude("SessionStart"))],
        ),
        (
            AgentId::Codex,
            [("session-start", claude("SessionStart")), ("session-start", claude("SessionStart"))],
        ),
        (
            AgentId::Qwen,
            [("session-start", claude("SessionStart")), ("session-start", claude("SessionStart"))],
        ),
        (AgentId::Gemini, [("session-start", claude("SessionStart")), ("prompt", claude("BeforeAgent"))]),
        (AgentId::Droid, [("session-start", claude("SessionStart")), ("prompt", claude("UserPromptSubmit"))]),
        (
            AgentId::VsCode,
            [("session-start", claude("SessionStart")), ("prompt", claude("UserPromptSubmit"))],
        ),
        (AgentId::OpenCode, [("session-start", bridge.clone()), ("compact", bridge.clone())]),
        (AgentId::OpenCode2, [("session-start", bridge.clone()), ("compact", bridge)]),
        (AgentId::Generic, [("session-start", generic.clone()), ("compact", generic)]),
        (
            AgentId::Cursor,
            [
                ("session-start", format!(r#"{{"additional_context":{text}}}"#)),
                ("pre-tool", format!(r#"{{"permission":"allow","agent_message":{text}}}"#)),
            ],
        ),
        (
            AgentId::Copilot,
            [
                ("session-start", format!(r#"{{"additionalContext":{text}}}"#)),
                ("post-tool", format!(r#"{{"additionalContext":{text}}}"#)),
            ],
        ),
    ];
    for (agent, said) in expected {
        let said = said.map(|(moment, out)| (moment.to_owned(), out));
        assert_eq!(replay(agent), said, "{agent}");
    }
    for agent in [AgentId::Antigravity, AgentId::Grok] {
        assert_eq!(agent.contracts()[6].standing, agents::Standing::Absent);
    }
}

/// WS-020.
#[test]
fn what_is_not_pinned_any_more_drops_with_a_compaction_and_that_is_on_record() {
    let scratch = pinned(json!({}));
    let start = payload(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    assert!(hear(&scratch, AgentId::Claude, "session-start", &start).contains("Never push"));
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "pins": [{ "text": "Keep it small" }] }"#);
    scratch.commit("another pin");
    tell(&scratch, AgentId::Claude, "compact", 0);
    let mut again = start.clone();
    again["source"] = "compact".into();
    let said = hear(&scratch, AgentId::Claude, "session-start", &again);
    assert!(said.contains("Keep it small") && !said.contains("Never push"), "{said}");
    let counts = counts(&scratch);
    assert_eq!((&counts["pins_dropped"], &counts["compactions"]), (&json!(1), &json!(1)));
    assert_eq!(counts["pinned_after_compaction"], 1);
}

#[test]
fn a_compaction_after_which_nothing_is_said_again_is_on_record() {
    let scratch = pinned(json!({}));
    for event in ["session-start", "compact", "stop", "stop"] {
        // A second turn ends a moment later.
        thread::sleep(std::time::Duration::from_millis(20));
        tell(&scratch, AgentId::Copilot, event, 0);
    }
    assert_eq!(marked(&scratch, "pin-dropped"), 1);
}

#[test]
fn neither_the_working_tree_nor_a_pinned_file_in_it_takes_a_pin_away() {
    let scratch = pinned(json!({ "pins": [{ "text": "Never push to main" }, { "file": "docs/rules.md" }] }));
    scratch.write("docs/rules.md", "# Rules\n\n- Do not edit fixtures\n");
    scratch.commit("rules");
    scratch.write("docs/rules.md", "- Write plainly\n");
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    let said = tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    for text in ["Never push to main", "Do not edit fixtures"] {
        assert!(said.contains(text), "{said}");
    }
    // The working tree adds to what is committed.
    scratch.git(&["checkout", "--", ".governance"]);
    let said = tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    assert!(said.contains("Write plainly") && said.contains("Do not edit fixtures"), "{said}");
    scratch.git(&["rm", "-q", "--cached", "docs/rules.md"]);
    fs::remove_file(scratch.path("docs/rules.md")).unwrap();
    scratch.git(&["commit", "-q", "-m", "gone"]);
    let said = tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    assert!(said.contains("`docs/rules.md` holds pinned constraints and can't be read here"), "{said}");
}

#[test]
fn the_task_in_progress_is_pinned_by_itself() {
    let scratch = Scratch::chalk();
    scratch.write("tests/add_test.py", "assert add(1, 1) == 2\n");
    scratch.commit("test");
    let quiet = |word: &str| assert_eq!(tell(&scratch, AgentId::Claude, word, 0).unwrap(), "", "{word}");
    quiet("session-start");
    scratch.started("add", &["tests/add_test.py"]);
    let said = tell(&scratch, AgentId::Claude, "prompt", 0).unwrap();
    assert!(said.contains("in progress, add. It is accepted by: "), "{said}");
    assert!(said.contains("never edit its locked tests: tests/add_test.py"), "{said}");
    quiet("prompt");
}

/// WS-013, CV-8.
#[test]
fn a_prompt_against_a_pinned_directive_is_on_record_and_blocks_nothing() {
    let scratch = pinned(json!({}));
    let prompt = |text: &str| {
        let mut prompt = payload(&scratch, AgentId::Claude, "prompt", 0).unwrap();
        prompt["prompt"] = text.into();
        hear(&scratch, AgentId::Claude, "prompt", &prompt)
    };
    assert!(prompt("hello").contains(&SAID[..20]));
    assert_eq!(prompt("do not push to main"), "");
    assert_eq!(marked(&scratch, "pim-conflict"), 0);
    assert_eq!(
        prompt("push it to main now"),
        r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"This prompt may go against a pinned constraint of a higher priority (90 against 50): Never push to main. Ask the person before you act on it"}}"#
    );
    let lines = receipts(&scratch);
    let line = lines.iter().find(|line| line["marker"] == "pim-conflict").unwrap();
    assert_eq!(line["figures"], json!({ "constraints": 1, "priority": 90, "prompt_priority": 50 }));
    assert_eq!(line["decision"], Value::Null);
    assert_eq!(
        tell(&scratch, AgentId::Claude, "pre-tool", 1).unwrap(),
        "",
        "the next call is judged as ever"
    );
    assert_eq!(counts(&scratch)["conflicts"], 1);
}

fn stop(scratch: &Scratch, text: &str, is_again: bool) -> String {
    thread::sleep(std::time::Duration::from_millis(1100));
    let mut stop = payload(scratch, AgentId::Claude, "stop", 0).unwrap();
    stop["last_assistant_message"] = text.into();
    stop["stop_hook_active"] = is_again.into();
    hear(scratch, AgentId::Claude, "stop", &stop)
}

#[test]
fn a_final_message_is_reviewed_and_given_back_where_the_policy_says_so() {
    let silent = pinned(json!({}));
    let reviewed = pinned(json!({ "discipline": { "reviewStop": true } }));
    for scratch in [&silent, &reviewed] {
        let mut after = payload(scratch, AgentId::Claude, "post-tool", 1).unwrap();
        after["tool_response"] = json!({ "stdout": "11 passed in 0.1s" });
        after["tool_input"] = json!({ "command": "pytest" });
        hear(scratch, AgentId::Claude, "post-tool", &after);
    }
    let message = "I pushed it to main. 12 tests passed, 3 warnings.";
    assert_eq!(stop(&silent, message, false), "");
    assert_eq!(
        stop(&reviewed, message, false),
        r#"{"decision":"block","reason":"SOM (C-8): it goes against the pinned constraint `Never push to main`; line 1 says tests passed 12, and the receipts have 11; line 1 says warnings 3, which has no receipt: [UNVERIFIED: warnings 3]. Next: say it again with the receipted figures, and label what has no receipt"}"#
    );
    assert_eq!(stop(&reviewed, message, true), "", "a stop is refused once");
    assert_eq!(stop(&reviewed, "11 tests passed. [UNVERIFIED: 3 warnings]", false), "");
    // An agent that does not say why it goes on is not held for ever.
    assert_ne!(stop(&reviewed, "12 tests passed", false), "");
    assert_eq!(stop(&reviewed, "12 tests passed", false), "");
    let counts = counts(&reviewed);
    assert_eq!((&counts["reviews"], &counts["claims_invalid"]), (&json!(4), &json!(4)));
    assert_eq!((&counts["claims_verified"], &counts["claims_labelled"]), (&json!(1), &json!(1)));
    for (scratch, number) in [(&silent, 1), (&reviewed, 2)] {
        let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
        let open = queue["open"].as_array().unwrap();
        assert_eq!(open.len(), number, "the same message is one proposal: {queue}");
        assert_eq!(open[0]["kind"], "invalid_evidence");
    }
}

/// CV-9.
#[test]
fn prohibitions_are_said_again_before_the_safe_depth() {
    let scratch = pinned(json!({
        "pins": [{ "text": "Never push to main" }, { "text": "Keep the API stable" }],
        "discipline": { "safeTurnDepth": 4 },
    }));
    let claude = |word: &str, n: usize| tell(&scratch, AgentId::Claude, word, n).unwrap();
    assert!(claude("session-start", 0).contains("Keep the API stable"));
    let mut turns = Vec::new();
    for turn in 1..=12 {
        let said = claude("prompt", turn);
        assert!(!said.contains("Keep the API"), "what forbids nothing is not said again: {said}");
        if said.contains("Never push to main") {
            turns.push(turn);
        }
        claude("stop", 0);
    }
    assert_eq!(turns, [2, 4, 6, 8, 10, 12]);
    // Without a prompt each result is a turn, and the next call is where it is said.
    let said = (20..26).filter(|&n| {
        let before = claude("pre-tool", n);
        let after = claude("post-tool", n);
        before.contains("Never push") || after.contains("Never push")
    });
    assert_eq!(said.collect::<Vec<_>>(), [21, 23, 25]);
}

#[test]
fn two_hundred_turns_cross_the_token_budget_once() {
    let scratch = pinned(json!({ "discipline": { "safeTokenBudget": 500, "safeTurnDepth": 100_000 } }));
    tell(&scratch, AgentId::Claude, "session-start", 0);
    let mut said = 0;
    for n in 0..100 {
        for word in ["prompt", "post-tool"] {
            let mut event = payload(&scratch, AgentId::Claude, word, n).unwrap();
            event["prompt"] = "go on with the next of the steps".into();
            said += usize::from(hear(&scratch, AgentId::Claude, word, &event).contains("Never push"));
        }
    }
    assert_eq!((marked(&scratch, "token-budget"), said), (1, 1));
    let lines = receipts(&scratch);
    let line = lines.iter().find(|line| line["marker"] == "token-budget").unwrap();
    assert_eq!(line["figures"]["budget"], 500);
    assert!(line["figures"]["tokens"].as_i64().unwrap() >= 500);
    // A compaction makes the context small again; a second crossing is marked of its own.
    tell(&scratch, AgentId::Claude, "compact", 0);
    let mut long = payload(&scratch, AgentId::Claude, "prompt", 0).unwrap();
    long["prompt"] = "word ".repeat(1000).into();
    hear(&scratch, AgentId::Claude, "prompt", &long);
    assert_eq!((marked(&scratch, "token-budget"), &counts(&scratch)["over_budget"]), (2, &json!(2)));
}

#[test]
fn of_calls_in_parallel_one_is_told() {
    let scratch = pinned(json!({}));
    let events: Vec<Value> =
        (0..2).map(|n| payload(&scratch, AgentId::Claude, "pre-tool", n).unwrap()).collect();
    // Makes the key and the snapshot, which is not what is tried here.
    tell(&scratch, AgentId::Cursor, "stop", 0);
    for round in 0..5 {
        let said: Vec<String> = thread::scope(|scope| {
            let run = |event: &Value| {
                let mut event = event.clone();
                event["session_id"] = format!("s{round}").into();
                let (cwd, env) = (scratch.root(), scratch.env());
                scope.spawn(move || {
                    let world = move || World {
                        cwd,
                        env,
                        clock: Box::new(SystemClock),
                        entropy: Box::new(SystemEntropy),
                    };
                    let (mut out, mut err) = (Vec::new(), Vec::new());
                    let input = std::io::Cursor::new(event.to_string().into_bytes());
                    cairn::hook::run(
                        AgentId::Claude,
                        Some("pre-tool".to_owned()),
                        world,
                        input,
                        &mut out,
                        &mut err,
                    );
                    String::from_utf8(out).unwrap()
                })
            };
            let threads: Vec<_> = events.iter().map(run).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(said.iter().all(|out| !out.contains("deny")), "{said:?}");
        assert_eq!(said.iter().filter(|out| out.contains("Never push")).count(), 1, "{said:?}");
    }
    assert_eq!(counts(&scratch)["pinned"], 5);
}

/// RT-1.
#[test]
fn a_call_that_succeeded_is_let_pass_again_with_a_hint() {
    let scratch = Scratch::repository();
    let call = |word: &str, id: &str, tool: &str, input: Value| {
        let mut event = payload(&scratch, AgentId::Claude, word, 0).unwrap();
        event["tool_name"] = tool.into();
        event["tool_use_id"] = id.into();
        event["tool_input"] = input;
        hear(&scratch, AgentId::Claude, word, &event)
    };
    let make = json!({ "command": "make deploy" });
    assert_eq!(call("pre-tool", "a", "Bash", make.clone()), "");
    assert_eq!(call("post-tool", "a", "Bash", make.clone()), "");
    assert_eq!(
        call("pre-tool", "b", "Bash", make.clone()),
        r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"retry hint: the very same call succeeded before in this session; look at what it did before you rely on doing it twice"}}"#
    );
    assert_eq!(call("pre-tool", "c", "Bash", json!({ "command": "make deploy " })), "", "another call");
    let read = json!({ "file_path": scratch.path("README") });
    for id in ["d", "e", "f"] {
        assert_eq!(call("pre-tool", id, "Read", read.clone()), "", "never for reads");
        call("post-tool", id, "Read", read.clone());
    }
    // An agent that takes no text before a call is told nothing; the mark is on record all the same.
    for (word, id) in [("pre-tool", 1), ("post-tool", 1)] {
        tell(&scratch, AgentId::OpenCode, word, id);
    }
    let mut again = payload(&scratch, AgentId::OpenCode, "pre-tool", 1).unwrap();
    again["call"] = "other".into();
    assert_eq!(hear(&scratch, AgentId::OpenCode, "pre-tool", &again), r#"{"decision":"allow"}"#);
    assert_eq!(marked(&scratch, "retry-hint"), 2);
    assert_eq!(counts(&scratch)["retries"], 2);
}

/// RG-1.
#[test]
fn a_lesson_that_comes_up_and_is_not_read_is_flagged_once() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "discipline": { "lessons": ["lessons"] } }"#);
    let lesson = |name: &str, signature: &str| {
        scratch
            .write(&format!("lessons/{name}"), format!("---\nsignature: \"{signature}\"\n---\n\nDo this.\n"));
    };
    lesson("port.md", "Address already in use");
    lesson("sub/read.md", "permission denied");
    lesson("never.md", "segmentation fault");
    let fail = |n: usize, error: &str| {
        tell(&scratch, AgentId::Claude, "pre-tool", n);
        let mut event = payload(&scratch, AgentId::Claude, "post-tool", n).unwrap();
        event["hook_event_name"] = "PostToolUseFailure".into();
        event["error"] = error.into();
        hear(&scratch, AgentId::Claude, "post-tool", &event);
    };
    fail(1, "Exit code 1\nbind: address\n already in use");
    fail(2, "Exit code 1\npermission denied");
    let read = json!({ "file_path": scratch.path("lessons/sub/read.md") });
    let mut event = payload(&scratch, AgentId::Claude, "post-tool", 3).unwrap();
    event["tool_name"] = "Read".into();
    event["tool_input"] = read;
    hear(&scratch, AgentId::Claude, "post-tool", &event);
    stop(&scratch, "Stopped.", false);
    fail(4, "Exit code 1\naddress already in use");
    stop(&scratch, "Stopped again.", false);
    assert_eq!(marked(&scratch, "read-gate-skip"), 1);
    assert_eq!(counts(&scratch)["lessons_skipped"], 1);
    let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
    let facts: Vec<&str> =
        queue["open"].as_array().unwrap().iter().map(|one| one["fact"].as_str().unwrap()).collect();
    assert_eq!(facts, ["what lessons/port.md warns of came up, and nobody read it in this session"]);
}

#[test]
fn after_repeated_blocks_the_agent_is_told_to_plan_first() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "plan": true } }"#);
    for n in 1..=3 {
        assert!(tell(&scratch, AgentId::Claude, "pre-tool", n).unwrap().contains("PL-001"));
    }
    let told = tell(&scratch, AgentId::Claude, "prompt", 0).unwrap();
    assert!(
        told.contains("Plan first: 3 calls of this session were denied, 3 of them by plan PL-001."),
        "{told}"
    );
    assert_eq!(tell(&scratch, AgentId::Claude, "prompt", 0).unwrap(), "");
    // An agent whose prompt takes no text is told with the next result.
    for n in 11..=13 {
        tell(&scratch, AgentId::Cursor, "pre-tool", n);
    }
    assert_eq!(tell(&scratch, AgentId::Cursor, "prompt", 0).unwrap(), r#"{"continue":true}"#);
    let told = tell(&scratch, AgentId::Cursor, "post-tool", 14).unwrap();
    assert!(told.starts_with(r#"{"additional_context":"Plan first: 3 calls"#), "{told}");
    let counts = counts(&scratch);
    assert_eq!((&counts["plan_first"], &counts["blocks"]), (&json!(2), &json!({ "plan": 6 })));
}

/// WS-018.
#[cfg(unix)]
#[test]
fn a_gate_that_is_silently_dead_is_told_when_a_session_begins_and_in_the_status() {
    let scratch = Scratch::repository();
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).ok();
    let program = scratch.home().join("bin/cairn");
    fs::create_dir_all(program.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/bin/sh", &program).unwrap();
    let program = program.to_str().unwrap();
    let settings = scratch.read(".claude/settings.local.json").replace(crate::scratch::PROGRAM, program);
    scratch.write(".claude/settings.local.json", &settings);
    let start = || tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    assert_eq!(start(), "", "a gate that lives says nothing");
    let mut without: Value = serde_json::from_str(&settings).unwrap();
    without["hooks"].as_object_mut().unwrap().remove("PreToolUse");
    scratch.write(".claude/settings.local.json", without.to_string());
    let said = start();
    assert!(
        said.contains("CRITICAL: `.claude/settings.local.json` does not let cairn judge calls"),
        "{said}"
    );
    assert!(said.contains("`PreToolUse` is missing"), "{said}");
    let status =
        scratch.run(&["cairn", "hook", "status", "claude"]).refused(2, "stale, and no call is judged");
    assert!(status.all().contains("`PreToolUse` is missing"), "{}", status.all());
    assert_eq!(counts(&scratch)["silent_gates"], 1);
    let health = scratch.run(&["cairn", "govern", "health"]).ok();
    assert!(health.out.contains("critical: 1 gate did not judge"), "{}", health.all());
    // What the canary tried is not counted as an agent's call.
    assert_eq!(counts(&scratch)["calls"], 0);
}

#[test]
fn results_that_nobody_judged_before_raise_an_alarm() {
    let scratch = Scratch::repository();
    let after = |n: usize| tell(&scratch, AgentId::Claude, "post-tool", n).unwrap();
    assert_eq!(after(1), "", "once may be the moment of the installation");
    assert!(after(2).contains("CRITICAL: calls of this session were made and none was judged before it"));
    assert_eq!(after(3), "", "once");
    let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
    assert_eq!(queue["open"][0]["kind"], "silent_gate");
}

#[test]
fn a_session_under_a_policy_that_can_not_be_read_is_told_so_and_denied() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "pins": [{}] }"#);
    let said = tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    assert!(said.contains("CRITICAL: cairn could not judge the beginning of this session"), "{said}");
    assert!(said.contains("a pin has neither `text` nor `file`"), "{said}");
    for word in ["prompt", "compact", "stop", "post-tool"] {
        assert_eq!(tell(&scratch, AgentId::Claude, word, 1).unwrap(), "", "{word}");
    }
    let (cwd, env) = (scratch.root(), scratch.env());
    let world = move || World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let call = payload(&scratch, AgentId::Claude, "pre-tool", 1).unwrap().to_string();
    let input = std::io::Cursor::new(call.into_bytes());
    let code =
        cairn::hook::run(AgentId::Claude, Some("pre-tool".to_owned()), world, input, &mut out, &mut err);
    assert!(code == 2 && String::from_utf8(out).unwrap().contains("deny"));
}

#[test]
fn a_queue_that_can_not_be_read_stops_no_session() {
    let scratch = pinned(json!({}));
    tell(&scratch, AgentId::Claude, "session-start", 0);
    scratch.write("x", "");
    fs::write(scratch.govern().join("queue.jsonl"), "nonsense\n").unwrap();
    assert_eq!(stop(&scratch, "I pushed it to main.", false), "");
    assert_eq!(marked(&scratch, "som-review"), 1);
    scratch.run(&["cairn", "govern", "queue", "list"]).refused(1, "queue.jsonl` line 1 is damaged");
}
