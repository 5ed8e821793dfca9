//! Pinned constraints at the hook: through compactions, as a session grows, and for each agent byte by byte.

use std::fs;
use std::thread;

use agents::AgentId;
use serde_json::{Value, json};
use store::{SystemClock, SystemEntropy, World};

use crate::scratch::Scratch;

/// What is said of the one pinned constraint of these tests.
pub const SAID: &str =
    "Pinned constraints of this repository, which hold whatever else is said:\n- [90] Never push to main";

/// A repository whose policy pins one prohibition, with more of the policy.
pub fn pinned(more: Value) -> Scratch {
    let scratch = Scratch::repository();
    let mut policy = json!({ "schema": 1, "pins": [{ "text": "Never push to main", "priority": 90 }] });
    policy.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write(".governance/policy.json", policy.to_string());
    scratch.commit("policy");
    scratch
}

/// What the hook of an agent prints.
pub fn hear(scratch: &Scratch, agent: AgentId, event: &str, payload: &Value) -> String {
    let (cwd, env) = (scratch.root(), scratch.env());
    let world = World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let input = std::io::Cursor::new(payload.to_string().into_bytes());
    let code = cairn::hook::run(agent, Some(event), world, input, &mut out, &mut err);
    assert_eq!((code, err.len()), (0, 0), "{}", String::from_utf8_lossy(&err));
    String::from_utf8(out).unwrap().trim_end().to_owned()
}

/// One event in an agent's own form; call number `n` is a shell command of its own.
pub fn payload(scratch: &Scratch, agent: AgentId, event: &str, n: usize) -> Option<Value> {
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

pub fn tell(scratch: &Scratch, agent: AgentId, event: &str, n: usize) -> Option<String> {
    Some(hear(scratch, agent, event, &payload(scratch, agent, event, n)?))
}

/// The receipts as `receipts list` shows them.
pub fn receipts(scratch: &Scratch) -> Vec<Value> {
    let list = scratch.run(&["cairn", "receipts", "list", "--last", "9999", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().clone()
}

/// How many receipts have this marker.
pub fn marked(scratch: &Scratch, marker: &str) -> usize {
    receipts(scratch).iter().filter(|line| line["marker"] == marker).count()
}

pub fn counts(scratch: &Scratch) -> Value {
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
fn each_subagent_is_told_once_and_takes_nothing_from_the_session() {
    let scratch = pinned(json!({ "discipline": { "safeTurnDepth": 6 } }));
    tell(&scratch, AgentId::Claude, "session-start", 0);
    let call = |n: usize, subagent: &str| {
        let mut event = payload(&scratch, AgentId::Claude, "pre-tool", n).unwrap();
        if !subagent.is_empty() {
            event["agent_id"] = subagent.into();
        }
        let before = hear(&scratch, AgentId::Claude, "pre-tool", &event);
        event["hook_event_name"] = "PostToolUse".into();
        let after = hear(&scratch, AgentId::Claude, "post-tool", &event);
        (before + &after).matches("Never push to main").count()
    };
    let said: Vec<usize> = [(1, "a"), (2, "a"), (3, "b"), (4, "a"), (5, "b"), (6, ""), (7, "")]
        .into_iter()
        .map(|(n, subagent)| call(n, subagent))
        .collect();
    // Turns of subagents count, so that the session is told sooner and never later.
    assert_eq!(said, [1, 0, 1, 0, 0, 1, 0]);
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
                    let world =
                        World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
                    let (mut out, mut err) = (Vec::new(), Vec::new());
                    let input = std::io::Cursor::new(event.to_string().into_bytes());
                    cairn::hook::run(AgentId::Claude, Some("pre-tool"), world, input, &mut out, &mut err);
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
