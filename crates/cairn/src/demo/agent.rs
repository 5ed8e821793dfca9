//! The agent of the demonstration: whatever it does goes through the hook first, as Claude Code asks it.

use std::fs;
use std::path::PathBuf;

use agents::AgentId;
use gate::Refusal;
use serde_json::{Value, json};
use store::{SystemClock, SystemEntropy, World};

use super::Stage;

/// The log of receipts, from the top of the repository.
const RECEIPTS: &str = ".git/cairn/govern/root/receipts.jsonl";

impl Stage {
    /// Begins or ends the agent's work.
    pub fn agent(&mut self, says: &str, event: &str, more: Value) {
        let (output, exit) = self.hook(event, more);
        self.told(says, format!("cairn hook claude {event}"), output, exit, exit == 0, false);
    }

    /// Lets the agent write a file of the project with its own tool, which the hook allows.
    pub fn edits(&mut self, says: &str, name: &str, content: &str) -> Result<(), Refusal> {
        let (call, input) =
            (self.call(), json!({ "file_path": self.project().join(name), "content": content }));
        let mut event = json!({ "tool_name": "Write", "tool_input": input, "tool_use_id": call });
        let (answer, exit) = self.hook("PreToolUse", event.clone());
        let held = denial(&answer).is_none() && exit == 0;
        self.write(name, content)?;
        event["tool_response"] = json!({ "success": true });
        let (after, _) = self.hook("PostToolUse", event);
        self.told(says, format!("Write {name}"), answer + &after, exit, held, false);
        Ok(())
    }

    /// Lets the agent ask for a tool call that the hook must deny, so that it never happens.
    pub fn asks_in_vain(&mut self, says: &str, tool: &str, input: Value) {
        let what = ["command", "file_path"].iter().find_map(|key| input[key].as_str());
        let shown = format!("{tool} {}", what.unwrap_or_default().replace(&*self.top(), ""));
        let event = json!({ "tool_name": tool, "tool_input": input, "tool_use_id": self.call() });
        let (output, exit) = self.hook("PreToolUse", event);
        let denial = denial(&output);
        let held = denial.is_some() && exit == 0;
        let reason = denial.unwrap_or(output).replace(&*self.top(), "");
        self.told(says, shown, reason, exit, held, true);
    }

    /// Changes the record of what the agent did, as someone would who has something to hide, and puts it back once
    /// it was looked at.
    pub fn rewrites_the_record(&mut self, says: &str) -> Result<(), Refusal> {
        let log = self.read(RECEIPTS)?;
        self.write(RECEIPTS, &log.replacen("\"deny\"", "\"allow\"", 1))?;
        self.cheats(says, &["receipts", "verify"], 2, "line");
        self.write(RECEIPTS, &log)
    }

    /// A path of the project as a tool call names it.
    pub fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.project()).unwrap_or_else(|_| self.project()).join(name)
    }

    fn top(&self) -> String {
        format!("{}/", self.path("").display()).replace("//", "/")
    }

    fn call(&mut self) -> String {
        format!("call-{}", self.told.steps.len() + 1)
    }

    /// What the hook answers, and its exit code.
    fn hook(&self, event: &str, more: Value) -> (String, u8) {
        let mut payload = json!({
            "session_id": "demo",
            "cwd": self.path(""),
            "permission_mode": "default",
            "hook_event_name": event,
        });
        if let (Some(payload), Some(more)) = (payload.as_object_mut(), more.as_object()) {
            payload.extend(more.clone());
        }
        let (cwd, env) = (self.project(), self.env.clone());
        let world = World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
        let input = std::io::Cursor::new(payload.to_string().into_bytes());
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let exit = crate::hook::run(AgentId::Claude, Some(event), world, input, &mut out, &mut err);
        (format!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err)), exit)
    }
}

/// Why a call is denied, as Claude Code is told; none where it is not.
fn denial(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let answer = &answer["hookSpecificOutput"];
    let reason = answer["permissionDecisionReason"].as_str().unwrap_or_default();
    (answer["permissionDecision"] == "deny").then(|| reason.to_owned())
}
