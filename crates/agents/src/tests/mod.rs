mod context;
mod fixtures;
mod ring;
mod tools;

use gate::event::{Decision, Verdict};

use crate::{AgentId, Answer, Heard, Reading, read};

fn verdict(decision: Decision, message: &str) -> Verdict {
    Verdict { decision, message: Some(message.to_owned()), ..Verdict::allow() }
}

fn noted(context: &str) -> Verdict {
    Verdict { decision: Decision::Observe, context: vec![context.to_owned()], ..Verdict::allow() }
}

fn heard(agent: AgentId, event: &str, payload: &str) -> Reading {
    match read(agent, Some(event), payload.as_bytes()) {
        Ok(Heard::Event(reading)) => *reading,
        other => panic!("{agent} {event}: {other:?}"),
    }
}

fn said(json: &str) -> Answer {
    Answer { stdout: Some(json.to_owned()), stderr: None, exit: 0 }
}

/// A call before it is made, as each agent tells it.
fn before_call(agent: AgentId) -> &'static str {
    match agent {
        AgentId::Claude => CLAUDE,
        AgentId::Codex => CODEX,
        AgentId::Gemini => GEMINI,
        AgentId::Antigravity => ANTIGRAVITY,
        AgentId::OpenCode | AgentId::OpenCode2 => OPENCODE,
        AgentId::Cursor => CURSOR,
        AgentId::Copilot => COPILOT,
        AgentId::VsCode => {
            r#"{"timestamp":"t","cwd":"/w","sessionId":"s1","hookEventName":"PreToolUse","transcript_path":"/t","tool_name":"editFiles","tool_input":{"files":["a.rs","b.rs"]},"tool_use_id":"u1"}"#
        }
        AgentId::Grok => {
            r#"{"hookEventName":"PreToolUse","sessionId":"s1","cwd":"/w","toolName":"Bash","toolInput":{"command":"ls"},"toolUseId":"u1"}"#
        }
        AgentId::Droid => {
            r#"{"session_id":"s1","transcript_path":"/h/.factory/t","cwd":"/w","permission_mode":"auto-low","hook_event_name":"PreToolUse","tool_name":"Execute","tool_input":{"command":"ls"}}"#
        }
        AgentId::Qwen => {
            r#"{"session_id":"s1","transcript_path":"/h/.qwen/t","cwd":"/w","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"run_shell_command","tool_input":{"command":"ls"}}"#
        }
        AgentId::Generic => {
            r#"{"agent":"mine","event":"pre_tool","session":"s1","call":"c1","tool":"bash","args":{"command":"ls"},"cwd":"/w"}"#
        }
    }
}

const CLAUDE: &str = r#"{"session_id":"s1","transcript_path":"/t.jsonl","cwd":"/w","permission_mode":"default",
 "hook_event_name":"PreToolUse","tool_name":"Edit",
 "tool_input":{"file_path":"/w/a.rs","old_string":"x","new_string":"y","replace_all":false},"tool_use_id":"u1"}"#;
const CODEX: &str = r#"{"session_id":"s1","turn_id":"t1","transcript_path":null,"cwd":"/w","hook_event_name":"PreToolUse","model":"m",
 "permission_mode":"default","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** End Patch"},
 "tool_use_id":"u1"}"#;
const GEMINI: &str = r#"{"session_id":"s1","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"t",
 "tool_name":"replace","tool_input":{"file_path":"/w/a.rs","old_string":"x","new_string":"y"}}"#;
const ANTIGRAVITY: &str = r#"{"toolCall":{"name":"run_command","args":{"CommandLine":"ls","Cwd":"/w"}},"workspacePaths":["/w"],
 "conversationId":"c1","stepIdx":3}"#;
const CURSOR: &str = r#"{"conversation_id":"c1","generation_id":"g1","hook_event_name":"preToolUse","cursor_version":"1",
 "workspace_roots":["/w"],"tool_name":"Write","tool_input":{"file_path":"/w/a.rs","content":"x"}}"#;
const COPILOT: &str =
    r#"{"sessionId":"s1","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}"#;
const OPENCODE: &str = r#"{"agent":"opencode","event":"pre_tool","session":"s1","call":"c1","tool":"edit","args":{"filePath":"a.rs"},"cwd":"/w"}"#;
