//! The published payloads and answers, byte for byte.

use gate::event::{Decision, Moment, Tool, Verdict};

use super::*;
use crate::Judging;

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;
const BLOCK: &str = r#"{"decision":"block","reason":"no"}"#;

fn shell(command: &str, cwd: Option<&str>) -> Tool {
    Tool::Shell {
        command: command.to_owned(),
        cwd: cwd.map(str::to_owned),
        shell: "bash".to_owned(),
        background: false,
    }
}

fn answers(reading: &Reading) -> [Answer; 4] {
    let no = |decision| reading.answer(&verdict(decision, "no"));
    [
        no(Decision::Deny),
        no(Decision::Ask),
        reading.answer(&Verdict::allow()),
        reading.answer(&noted("by the way")),
    ]
}

#[test]
fn claude_before_a_call() {
    let reading = heard(AgentId::Claude, "pre-tool", CLAUDE);
    let event = &reading.event;
    assert_eq!(
        (event.agent.as_str(), event.event, event.session.as_deref()),
        ("claude", Moment::PreTool, Some("s1"))
    );
    assert_eq!(event.cwd.as_deref(), Some(std::path::Path::new("/w")));
    let call = event.call.as_ref().unwrap();
    assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("u1"), "Edit"));
    assert_eq!(call.tool, Tool::Edit { path: "/w/a.rs".to_owned(), replaced: vec!["x".to_owned()] });
    let note = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"by the way"}}"#;
    let expected = [said(DENY), said(&DENY.replace("\"deny\"", "\"ask\"")), Answer::silent(), said(note)];
    assert_eq!(answers(&reading), expected);
}

#[test]
fn claude_asks_only_where_a_person_answers() {
    for (mode, asks) in [("plan", true), ("acceptEdits", true), ("auto", false), ("dontAsk", false)] {
        let payload = CLAUDE.replace("\"default\"", &format!("\"{mode}\""));
        let reading = heard(AgentId::Claude, "PreToolUse", &payload);
        assert_eq!(reading.can_ask(), asks, "{mode}");
        let decision = if asks { "\"ask\"" } else { "\"deny\"" };
        assert_eq!(answers(&reading)[1], said(&DENY.replace("\"deny\"", decision)), "{mode}");
    }
}

#[test]
fn claude_elsewhere() {
    let after = CLAUDE.replace("PreToolUse", "PostToolUse");
    let reading = heard(AgentId::Claude, "post_tool", &after);
    assert_eq!(answers(&reading)[..2], [said(BLOCK), said(BLOCK)]);
    assert_eq!(reading.event.outcome.as_ref().unwrap().ok, Some(true));

    let failed = r#"{"session_id":"s","permission_mode":"default","hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"false"},"error":"Exit code 7\nno"}"#;
    let reading = heard(AgentId::Claude, "post-tool", failed);
    let outcome = reading.event.outcome.as_ref().unwrap();
    assert_eq!((outcome.ok, outcome.exit), (Some(false), Some(7)));
    let passed = r#"{"session_id":"s","permission_mode":"default","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"true"},"tool_response":{"stdout":"","stderr":"","interrupted":false}}"#;
    let reading = heard(AgentId::Claude, "post-tool", passed);
    let outcome = reading.event.outcome.as_ref().unwrap();
    assert_eq!((outcome.ok, outcome.exit), (Some(true), Some(0)));

    let stop = r#"{"session_id":"s","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}"#;
    let reading = heard(AgentId::Claude, "stop", stop);
    assert_eq!((reading.event.text.as_deref(), reading.event.stop_refused_before), (Some("done"), true));
    assert_eq!(answers(&reading), [said(BLOCK), said(BLOCK), Answer::silent(), Answer::silent()]);

    let start = r#"{"session_id":"s","hook_event_name":"SessionStart","source":"compact"}"#;
    let reading = heard(AgentId::Claude, "session-start", start);
    assert_eq!(reading.event.source.as_deref(), Some("compact"));
    let note = r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"by the way"}}"#;
    assert_eq!(answers(&reading)[2..], [Answer::silent(), said(note)]);

    let request = CLAUDE.replace("PreToolUse", "PermissionRequest");
    let reading = heard(AgentId::Claude, "PermissionRequest", &request);
    let denied = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#;
    assert_eq!(answers(&reading), [said(denied), Answer::silent(), Answer::silent(), Answer::silent()]);
    assert_eq!(
        read(AgentId::Claude, None, br#"{"hook_event_name":"Notification"}"#),
        Ok(Heard::Nothing(Answer::silent()))
    );
}

#[test]
fn codex_keeps_its_objects_closed() {
    let reading = heard(AgentId::Codex, "pre-tool", CODEX);
    assert_eq!(
        reading.event.call.as_ref().unwrap().tool,
        Tool::Patch { text: "*** Begin Patch\n*** End Patch".to_owned() }
    );
    let note = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"by the way"}}"#;
    assert_eq!(answers(&reading), [said(DENY), said(DENY), Answer::silent(), said(note)]);

    let request = CODEX.replace("PreToolUse", "PermissionRequest");
    let reading = heard(AgentId::Codex, "PermissionRequest", &request);
    let denied = r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"no"}}}"#;
    assert_eq!(answers(&reading), [said(denied), said(denied), Answer::silent(), Answer::silent()]);
}

#[test]
fn gemini_denies_by_a_plain_decision() {
    let reading = heard(AgentId::Gemini, "pre-tool", GEMINI);
    assert!(
        matches!(&reading.event.call.as_ref().unwrap().tool, Tool::Edit { path, .. } if path == "/w/a.rs")
    );
    let denied = said(r#"{"decision":"deny","reason":"no"}"#);
    assert_eq!(answers(&reading), [denied.clone(), denied, Answer::silent(), Answer::silent()]);
}

#[test]
fn antigravity_never_gets_an_empty_answer() {
    let reading = heard(AgentId::Antigravity, "pre-tool", ANTIGRAVITY);
    let call = reading.event.call.as_ref().unwrap();
    assert_eq!((call.id.as_deref(), &call.tool), (Some("c1:3"), &shell("ls", Some("/w"))));
    let allowed = said(r#"{"decision":"allow"}"#);
    let expected = [
        said(r#"{"decision":"deny","reason":"no"}"#),
        said(r#"{"decision":"ask","reason":"no"}"#),
        allowed.clone(),
        allowed,
    ];
    assert_eq!(answers(&reading), expected);
}

#[test]
fn cursor_never_gets_an_empty_answer() {
    let reading = heard(AgentId::Cursor, "pre-tool", CURSOR);
    assert_eq!(reading.event.session.as_deref(), Some("c1"));
    let denied = said(r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#);
    let expected = [
        denied.clone(),
        denied,
        said(r#"{"permission":"allow"}"#),
        said(r#"{"permission":"allow","agent_message":"by the way"}"#),
    ];
    assert_eq!(answers(&reading), expected);

    let command = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"beforeShellExecution","workspace_roots":["/w"],"command":"ls","cwd":"/w/x"}"#;
    let reading = heard(AgentId::Cursor, "beforeShellExecution", command);
    assert_eq!(reading.event.call.as_ref().unwrap().tool, shell("ls", Some("/w/x")));
    let asked = said(r#"{"permission":"ask","user_message":"no","agent_message":"no"}"#);
    assert_eq!(answers(&reading)[1], asked);

    let stop = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"stop","status":"completed","loop_count":1}"#;
    let reading = heard(AgentId::Cursor, "stop", stop);
    assert!(reading.event.stop_refused_before);
    assert_eq!(answers(&reading)[0], said(r#"{"followup_message":"no"}"#));
}

#[test]
fn cursor_asks_a_person_at_the_second_of_two_entries() {
    let first = CURSOR_SHELL;
    let second = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"beforeShellExecution","workspace_roots":["/w"],"command":"ls","cwd":"/w"}"#;
    let pre = heard(AgentId::Cursor, "pre-tool-first", first);
    let shell = heard(AgentId::Cursor, "beforeShellExecution", second);
    assert_eq!((pre.judging, shell.judging), (Judging::First, Judging::Second));
    // A denial holds at the first, and the person is asked at the second.
    assert_eq!(answers(&pre)[0], said(r#"{"permission":"deny","user_message":"no","agent_message":"no"}"#));
    assert_eq!(answers(&pre)[1], said(r#"{"permission":"allow"}"#));
    assert!(pre.can_ask() && shell.can_ask());
    assert_eq!(answers(&shell)[1], said(r#"{"permission":"ask","user_message":"no","agent_message":"no"}"#));
    // Both tell of the same call, though one has an id.
    assert_eq!(
        pre.event.call,
        shell.event.call.map(|call| gate::event::Call { tool: pre.event.call.clone().unwrap().tool, ..call })
    );
    // An installation of before has one entry, which asks nobody.
    let alone = heard(AgentId::Cursor, "pre-tool", first);
    assert!(alone.judging == Judging::Only && !alone.can_ask());
    // No other event follows a write.
    let write = heard(AgentId::Cursor, "pre-tool-first", CURSOR);
    assert!(write.judging == Judging::Only && !write.can_ask());
}

const CURSOR_SHELL: &str = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"preToolUse","cursor_version":"1","workspace_roots":["/w"],"tool_name":"Shell","tool_use_id":"t1","tool_input":{"command":"ls","is_background":false}}"#;

#[test]
fn copilot_arguments_are_decoded_twice() {
    let reading = heard(AgentId::Copilot, "pre-tool", COPILOT);
    assert_eq!(reading.event.call.as_ref().unwrap().tool, shell("ls", None));
    let denied = r#"{"permissionDecision":"deny","permissionDecisionReason":"no"}"#;
    let asked = said(&denied.replace("\"deny\"", "\"ask\""));
    assert_eq!(answers(&reading), [said(denied), asked, Answer::silent(), Answer::silent()]);
    for arguments in [r#""{\"command\":\"ls\",\"command\":\"rm x\"}""#, r#""ls""#, "7", r#"["ls"]"#] {
        let payload = COPILOT.replace(r#""{\"command\":\"ls\"}""#, arguments);
        assert!(
            read(AgentId::Copilot, Some("pre-tool"), payload.as_bytes()).unwrap_err().denies(),
            "{arguments}"
        );
    }
}

#[test]
fn the_bridges_of_opencode_take_one_decision() {
    let denied = said(r#"{"decision":"deny","reason":"no"}"#);
    let allowed = said(r#"{"decision":"allow"}"#);
    let reading = heard(AgentId::OpenCode, "pre-tool", OPENCODE);
    assert!(matches!(&reading.event.call.as_ref().unwrap().tool, Tool::Edit { path, .. } if path == "a.rs"));
    assert_eq!(answers(&reading), [denied.clone(), denied.clone(), allowed.clone(), allowed.clone()]);

    let second = OPENCODE.replace("\"opencode\"", "\"opencode2\"").replace("pre_tool", "permission");
    let reading = heard(AgentId::OpenCode2, "permission", &second);
    let asked = said(r#"{"decision":"ask","reason":"no"}"#);
    assert_eq!(answers(&reading), [denied, asked, allowed.clone(), allowed]);
}

#[test]
fn the_neutral_answer_is_the_verdict() {
    let reading = heard(AgentId::Generic, "pre-tool", before_call(AgentId::Generic));
    assert_eq!(reading.event.agent, "mine");
    let full = Verdict {
        gate: Some("plan".to_owned()),
        rule: Some("PL-001".to_owned()),
        reason: Some("no-plan".to_owned()),
        ..verdict(Decision::Deny, "no")
    };
    assert_eq!(
        reading.answer(&full),
        said(r#"{"v":1,"decision":"deny","gate":"plan","rule":"PL-001","code":"no-plan","reason":"no"}"#)
    );
    let whole = serde_json::to_string(&reading.event).unwrap();
    assert_eq!(heard(AgentId::Generic, "pre-tool", &whole).event, reading.event);
}

#[test]
fn the_variants_answer_in_their_forms() {
    let vscode = heard(AgentId::VsCode, "pre-tool", before_call(AgentId::VsCode));
    let paths = vec!["a.rs".to_owned(), "b.rs".to_owned()];
    assert_eq!(vscode.event.call.as_ref().unwrap().tool, Tool::Edits { paths });
    assert_eq!(answers(&vscode)[0], said(DENY));

    let grok = heard(AgentId::Grok, "pre-tool", before_call(AgentId::Grok));
    assert_eq!(grok.event.call.as_ref().unwrap().tool, shell("ls", None));
    let denied = Answer {
        stdout: Some(r#"{"decision":"deny","reason":"no"}"#.to_owned()),
        stderr: Some("no".to_owned()),
        exit: 2,
    };
    assert_eq!(answers(&grok)[..2], [denied.clone(), denied]);

    for agent in [AgentId::Droid, AgentId::Qwen] {
        let reading = heard(agent, "pre-tool", before_call(agent));
        assert_eq!((reading.agent, &reading.event.call.as_ref().unwrap().tool), (agent, &shell("ls", None)));
        assert_eq!(answers(&reading)[0], said(DENY));
    }
}

#[test]
fn another_agents_payload_is_answered_in_its_form() {
    for agent in [AgentId::Cursor, AgentId::Copilot, AgentId::VsCode, AgentId::Grok, AgentId::Codex] {
        let own = heard(agent, "pre-tool", before_call(agent));
        for entry in [AgentId::Claude, AgentId::Cursor, AgentId::Copilot] {
            let through = heard(entry, "pre-tool", before_call(agent));
            assert_eq!((through.agent, &through.event), (agent, &own.event), "{agent} through {entry}");
            assert_eq!(answers(&through), answers(&own), "{agent} through {entry}");
        }
    }
    // Cursor runs Claude's file with Claude's names of the events.
    let renamed = CURSOR.replace("\"preToolUse\"", "\"PreToolUse\"");
    assert_eq!(heard(AgentId::Claude, "pre-tool", &renamed).agent, AgentId::Cursor);
    // Copilot runs it with Claude's names of everything; an exit code of 2 denies in every reading.
    let copilot = r#"{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"t","cwd":"/w","tool_name":"Bash","tool_input":{"command":"ls"}}"#;
    let reading = heard(AgentId::Claude, "pre-tool", copilot);
    assert_eq!(reading.agent, AgentId::Copilot);
    let denied = reading.answer(&verdict(Decision::Deny, "no"));
    assert_eq!((denied.exit, denied.stderr.as_deref()), (2, Some("no")));
}
