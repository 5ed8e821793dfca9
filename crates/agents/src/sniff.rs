//! Whose payload it really is: some agents run the hook files of others.

use crate::agent::AgentId;
use crate::fields::Fields;

/// The agent that a payload carries the marks of; none where it carries none that only one agent has.
///
/// Only members at the top are looked at: what stands in the arguments of a tool was written by a model.
pub(crate) fn sniff(payload: Fields<'_>) -> Option<AgentId> {
    let has = |key: &str| payload.0.contains_key(key);
    let text = |keys: &[&str]| payload.text(keys).ok().flatten().unwrap_or_default();
    let name = text(&["hook_event_name", "hookEventName"]);
    let transcript = text(&["transcript_path"]);
    if has("cursor_version") || (has("conversation_id") && has("generation_id")) {
        return Some(AgentId::Cursor);
    }
    if has("toolCall") || (has("conversationId") && has("workspacePaths")) {
        return Some(AgentId::Antigravity);
    }
    if has("event") && !has("hook_event_name") {
        return match text(&["agent"]) {
            "opencode" => Some(AgentId::OpenCode),
            "opencode2" => Some(AgentId::OpenCode2),
            _ => Some(AgentId::Generic),
        };
    }
    if ["BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "PreCompress"].contains(&name) {
        return Some(AgentId::Gemini);
    }
    if has("turn_id") {
        return Some(AgentId::Codex);
    }
    if has("hookEventName") {
        let camel = has("toolName") || has("toolInput") || has("workspaceRoot");
        return Some(if camel { AgentId::Grok } else { AgentId::VsCode });
    }
    if has("toolName") {
        return Some(if has("toolInput") { AgentId::Grok } else { AgentId::Copilot });
    }
    if has("sessionId") && has("timestamp") {
        return Some(AgentId::Copilot);
    }
    if transcript.contains("/.qwen/") {
        return Some(AgentId::Qwen);
    }
    let mode = text(&["permission_mode"]);
    if transcript.contains("/.factory/") || mode.starts_with("auto-") || ["off", "spec"].contains(&mode) {
        return Some(AgentId::Droid);
    }
    // Claude Code gives no time; Copilot does where it runs Claude's hook file.
    if has("hook_event_name") && has("timestamp") && !has("transcript_path") && !has("permission_mode") {
        return Some(AgentId::Copilot);
    }
    (has("hook_event_name") && has("permission_mode")).then_some(AgentId::Claude)
}
