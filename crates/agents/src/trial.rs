//! A trial: the payload that an agent would send for a shell command, to see whether the hook that is installed judges.

use gate::event::Moment;
use serde_json::{Value, json};

use crate::agent::AgentId;

/// A shell command that an agent would run.
#[derive(Debug, Clone, Copy)]
pub struct Trial<'a> {
    /// The session.
    pub session: &'a str,
    /// The call.
    pub call: &'a str,
    /// The command.
    pub command: &'a str,
    /// The folder that the agent stands in.
    pub cwd: &'a str,
}

impl AgentId {
    /// The payload of a moment of this trial, in the agent's own form; none for a moment at which it tells nothing.
    pub fn trial(self, moment: Moment, trial: &Trial<'_>) -> Option<Value> {
        let point = self.main_point(moment)?.name;
        let Trial { session, call, command, cwd } = *trial;
        let is_after = moment == Moment::PostTool;
        let is_call = is_after || moment == Moment::PreTool;
        let mut payload = match self {
            Self::OpenCode | Self::OpenCode2 | Self::Generic => {
                json!({ "agent": self.as_str(), "event": point, "session": session, "cwd": cwd })
            }
            Self::Antigravity => json!({ "conversationId": session, "workspacePaths": [cwd] }),
            Self::Cursor => json!({
                "conversation_id": session, "generation_id": call, "hook_event_name": point, "workspace_roots": [cwd],
            }),
            Self::Copilot => json!({ "sessionId": session, "cwd": cwd }),
            Self::Grok => {
                json!({ "hookEventName": point, "sessionId": session, "cwd": cwd, "workspaceRoot": cwd })
            }
            _ => json!({ "session_id": session, "cwd": cwd, "hook_event_name": point }),
        };
        if !is_call {
            return Some(payload);
        }
        let input = json!({ "command": command });
        let parts: &[(&str, Value)] = &match self {
            Self::OpenCode | Self::OpenCode2 | Self::Generic => {
                [("call", call.into()), ("tool", "bash".into()), ("args", input)]
            }
            Self::Antigravity => {
                // The step makes the call's id, and is a number.
                let step =
                    call.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
                let args = json!({ "CommandLine": command, "Cwd": cwd });
                [
                    ("stepIdx", step.into()),
                    ("toolCall", json!({ "name": "run_command", "args": args })),
                    ("v", 1.into()),
                ]
            }
            Self::Copilot => [
                ("toolCallId", call.into()),
                ("toolName", "bash".into()),
                ("toolArgs", input.to_string().into()),
            ],
            Self::Grok => [("toolUseId", call.into()), ("toolName", "Bash".into()), ("toolInput", input)],
            _ => {
                let tool = match self {
                    Self::Gemini | Self::Qwen => "run_shell_command",
                    Self::Cursor => "Shell",
                    Self::Droid => "Execute",
                    Self::VsCode => "run_in_terminal",
                    _ => "Bash",
                };
                [("tool_use_id", call.into()), ("tool_name", tool.into()), ("tool_input", input)]
            }
        };
        for (key, value) in parts {
            payload[*key] = value.clone();
        }
        if is_after {
            let key = match self {
                Self::OpenCode | Self::OpenCode2 | Self::Generic => "result",
                Self::Copilot => "toolResult",
                Self::Grok => "toolResponse",
                _ => "tool_response",
            };
            payload[key] = json!({ "stdout": "", "stderr": "" });
        }
        Some(payload)
    }
}

/// Whether what a hook said before a call keeps the call from being made, in whatever agent's form it was said.
pub fn denies(exit: i32, stdout: &str) -> bool {
    let document: Value = serde_json::from_str(stdout.trim()).unwrap_or_default();
    let said = [
        &document["hookSpecificOutput"]["permissionDecision"],
        &document["permissionDecision"],
        &document["permission"],
        &document["decision"],
    ];
    exit == 2 || said.iter().any(|said| *said == "deny" || *said == "block")
}

#[cfg(test)]
mod tests {
    use gate::event::{Decision, Tool, Verdict};

    use super::*;
    use crate::{Heard, Reading, read};

    const TRIAL: Trial<'_> = Trial { session: "s1", call: "c1", command: "echo x > a", cwd: "/w" };

    fn heard(agent: AgentId, moment: Moment, word: &str) -> Reading {
        let payload = agent.trial(moment, &TRIAL).unwrap();
        match read(agent, Some(word), payload.to_string().as_bytes()) {
            Ok(Heard::Event(reading)) => *reading,
            other => panic!("{agent} {word}: {other:?}"),
        }
    }

    #[test]
    fn each_agent_s_trial_is_read_as_its_own() {
        for agent in AgentId::ALL {
            for (moment, word) in
                [(Moment::PreTool, "pre-tool"), (Moment::PostTool, "post-tool"), (Moment::Stop, "stop")]
            {
                if agent.trial(moment, &TRIAL).is_none() {
                    assert_ne!(moment, Moment::PreTool, "{agent} asks before a call");
                    continue;
                }
                let reading = heard(agent, moment, word);
                let event = &reading.event;
                assert_eq!((reading.agent, event.event), (agent, moment));
                assert_eq!(event.session.as_deref(), Some("s1"), "{agent}");
                assert_eq!(event.cwd.as_deref(), Some(std::path::Path::new("/w")), "{agent}");
                let is_call = moment != Moment::Stop;
                assert_eq!(event.call.is_some(), is_call, "{agent}");
                if let Some(call) = &event.call {
                    assert!(
                        matches!(&call.tool, Tool::Shell { command, .. } if command == "echo x > a"),
                        "{agent}: {call:?}"
                    );
                }
                assert_eq!(event.outcome.is_some(), moment == Moment::PostTool, "{agent}");
            }
        }
    }

    #[test]
    fn a_denial_is_told_from_an_allowance_in_every_form() {
        for agent in AgentId::ALL {
            let reading = heard(agent, Moment::PreTool, "pre-tool");
            let says = |verdict: &Verdict| {
                let answer = reading.answer(verdict);
                denies(answer.exit.into(), answer.stdout.as_deref().unwrap_or_default())
            };
            let denied =
                Verdict { decision: Decision::Deny, message: Some("no".to_owned()), ..Verdict::allow() };
            assert!(says(&denied), "{agent}");
            assert!(!says(&Verdict::allow()), "{agent}");
        }
        assert!(denies(2, ""), "a code that blocks");
        assert!(!denies(0, "deny") && !denies(1, "{}"));
    }

    #[test]
    fn what_shows_that_an_agent_is_there_is_of_one_agent() {
        let mut folders: Vec<&str> = AgentId::ALL.iter().flat_map(|agent| agent.folders()).copied().collect();
        let count = folders.len();
        folders.sort_unstable();
        folders.dedup();
        assert_eq!(folders.len(), count);
        assert_eq!(AgentId::OpenCode.of_program(Some("2.0.26")), AgentId::OpenCode2);
        assert_eq!(AgentId::OpenCode2.of_program(None), AgentId::OpenCode);
        assert_eq!(AgentId::Claude.of_program(Some("2.1.0")), AgentId::Claude);
    }
}
