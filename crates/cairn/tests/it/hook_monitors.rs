//! What the hook notices beside its judgements: words against pinned constraints, retries, lessons, repeated blocks, and gates
//! that are silently dead.

use std::fs;
use std::thread;

use agents::AgentId;
use serde_json::{Value, json};
use store::{SystemClock, SystemEntropy, World};

use crate::hook_discipline::{SAID, counts, hear, marked, payload, pinned, receipts, tell};
use crate::scratch::Scratch;

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
        r#"{"decision":"block","reason":"SOM (C-8): it goes against the pinned constraint `Never push to main`; line 1 says 12 tests passed, and the receipts have 11 tests passed; line 1 says 3 warnings, which has no receipt: [UNVERIFIED: 3 warnings]. Next: take back what goes against the constraint, or ask the person to lift it; take those words out of the message, and say instead: 11 tests passed; label what has no receipt"}"#
    );
    assert_eq!(stop(&reviewed, message, true), "", "a stop is refused once");
    assert_eq!(stop(&reviewed, "11 tests passed. [UNVERIFIED: 3 warnings]", false), "");
    // An agent that does not say why it goes on is not held for ever.
    assert_ne!(stop(&reviewed, "12 tests passed", false), "");
    assert_eq!(stop(&reviewed, "12 tests passed", false), "");
    let counts = counts(&reviewed);
    assert_eq!((&counts["reviews"], &counts["claims_invalid"]), (&json!(4), &json!(4)));
    assert_eq!((&counts["claims_verified"], &counts["claims_labelled"]), (&json!(1), &json!(1)));
    assert_eq!(counts["pins_broken"], 2);
    // A proposal is of invalid evidence where a claim was counted as invalid, and not for a broken pin.
    for scratch in [&silent, &reviewed] {
        let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
        let mut kinds: Vec<&str> =
            queue["open"].as_array().unwrap().iter().map(|one| one["kind"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["invalid_evidence", "pin_broken"], "the same matter is one proposal: {queue}");
    }
}

/// An honest message was refused: "Ran was said to be 0, and the receipts have 101".
#[test]
fn who_says_rightly_that_tests_failed_may_end_the_turn() {
    let scratch = pinned(json!({ "gates": { "completion": true } }));
    let mut after = payload(&scratch, AgentId::Claude, "post-tool", 1).unwrap();
    after["tool_response"] =
        json!({ "stdout": "test result: FAILED. 12 passed; 3 failed; 0 ignored;", "exit_code": 101 });
    after["tool_input"] = json!({ "command": "cargo test" });
    hear(&scratch, AgentId::Claude, "post-tool", &after);
    assert_eq!(stop(&scratch, "I ran `cargo test`: 12 passed, 3 failed.", false), "");
    let refused = stop(&scratch, "I ran `cargo test`: 15 passed, no failures.", false);
    insta::assert_snapshot!(
        refused,
        @r#"{"decision":"block","reason":"G6 (WS-022): line 1 says `cargo test` succeeded, and its last run ended with exit code 101; line 1 says 15 tests passed, and the receipts have 12 tests passed; line 1 says 0 tests failed, and the receipts have 3 tests failed. Next: take those words out of the message, and say instead: `cargo test` exited with code 101; 12 tests passed; 3 tests failed"}"#
    );
    let refused: Value = serde_json::from_str(&refused).unwrap();
    let (_, instead) = refused["reason"].as_str().unwrap().split_once("say instead: ").unwrap();
    stop(&scratch, "Nothing more.", true);
    assert_eq!(stop(&scratch, instead, false), "", "the next step is one");
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

/// RG-1: the vault is a folder of lessons that no policy need name, and what may not be used is none of them.
#[test]
fn a_lesson_of_the_vault_that_comes_up_unread_is_flagged() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "knowledge": { "vault": "notes/vault" } }"#);
    for (name, more) in
        [("port", "status: candidate"), ("gone", "status: archived"), ("far", "scope: shared")]
    {
        let text = format!("---\nsignature: Address already in use\n{more}\n---\n\nDo this.\n");
        scratch.write(&format!("notes/vault/Lessons/{name}.md"), text);
    }
    let mut event = payload(&scratch, AgentId::Claude, "post-tool", 1).unwrap();
    event["hook_event_name"] = "PostToolUseFailure".into();
    event["error"] = "bind: address already in use".into();
    hear(&scratch, AgentId::Claude, "post-tool", &event);
    stop(&scratch, "Stopped.", false);
    let line = receipts(&scratch).into_iter().find(|line| line["marker"] == "read-gate-skip").unwrap();
    assert_eq!(line["figures"], json!({ "lessons": 1 }));
    let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
    let fact = queue["open"][0]["fact"].as_str().unwrap();
    assert!(fact.starts_with("what notes/vault/Lessons/port.md warns of came up"), "{fact}");
}

/// WS-017.
#[test]
fn what_governs_a_session_is_frozen_and_what_deviates_is_on_record_once() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).ok();
    let start = || tell(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    let end = || {
        assert_eq!(stop(&scratch, "Nothing to report.", false), "", "nothing is said, and nothing blocked");
    };
    let found = || {
        let lines = receipts(&scratch).into_iter().filter(|line| line["marker"] == "invariant-deviation");
        lines.map(|line| line["figures"].clone()).collect::<Vec<_>>()
    };
    start();
    end();
    assert_eq!(found().len(), 0);
    // The agent's own work.
    scratch.write(
        "plan.json",
        r#"[{ "content": "Add the parser", "status": "in_progress", "priority": "high" }]"#,
    );
    scratch.run(&["cairn", "plan", "set", "--from", "plan.json"]).ok();
    scratch.write(
        ".governance/policy.json",
        r#"{ "schema": 1, "protect": [{ "path": "keep.txt", "because": "we say so" }] }"#,
    );
    end();
    assert_eq!(found(), [json!({ "plan": 1, "policy": 1, "locked": 1 })]);
    end();
    start();
    assert_eq!(found().len(), 1, "once");
    // A command that a person ran is on record as well, also when the session is taken up again.
    scratch.person("claude", &["cairn", "hook", "uninstall", "claude"]).ok();
    start();
    assert_eq!(found()[1..], [json!({ "hooks": 1 })]);
    tell(&scratch, AgentId::Claude, "pre-tool", 1);
    end();
    assert_eq!(found().len(), 2);
    let queue = scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json();
    let open = queue["open"].as_array().unwrap().iter().filter(|one| one["kind"] == "drift");
    let waits: Vec<&str> = open.map(|one| one["fact"].as_str().unwrap()).collect();
    assert_eq!(
        waits,
        [
            "the policy: `.governance/policy.json` is not what it was when the session began",
            "the locked set: `rules` is not what it was when the session began",
            "the installed hooks: `.claude/settings.local.json` is gone that was there when the session began",
        ]
    );
    // Another session begins under what is in force now.
    let mut other = payload(&scratch, AgentId::Claude, "session-start", 0).unwrap();
    other["session_id"] = "s2".into();
    hear(&scratch, AgentId::Claude, "session-start", &other);
    assert_eq!(found().len(), 2);
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
    let world = World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let call = payload(&scratch, AgentId::Claude, "pre-tool", 1).unwrap().to_string();
    let input = std::io::Cursor::new(call.into_bytes());
    let code = cairn::hook::run(AgentId::Claude, Some("pre-tool"), world, input, &mut out, &mut err);
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
