//! A whole session of every agent: what an installation calls, called as the agent calls it, with the answers that the
//! agent reads, byte for byte.

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

use agents::install::{Base, Scope, installed_call, targets};
use agents::{AgentId, Trial};
use serde_json::{Value, json};

use crate::hook_discipline::payload;
use crate::scratch::Scratch;

const BUILT: &str = env!("CARGO_BIN_EXE_cairn");

const PAST: &str = "git commit --no-verify -m x";
const PUSH: &str = "git push --force origin main";

/// The words that the agent starts at an event, by its installed settings.
fn called(scratch: &Scratch, agent: AgentId, event: &str) -> Option<Vec<String>> {
    if agent == AgentId::Generic {
        return Some([BUILT, "hook", "generic", event].map(str::to_owned).to_vec());
    }
    targets(agent, Scope::Private).unwrap().iter().find_map(|target| {
        let base = match target.base {
            Base::Project => scratch.root(),
            Base::Home => scratch.home(),
            Base::Config => scratch.env().get("XDG_CONFIG_HOME").unwrap().into(),
        };
        installed_call(target, &fs::read(base.join(target.path)).unwrap(), event)
    })
}

/// What the agent reads when it starts these words with this payload: exactly one line, or nothing. Beside it nothing is
/// said but to Grok, which is told a denial by the exit code too.
fn heard(scratch: &Scratch, words: &[String], payload: &Value) -> String {
    let mut command = Command::new(&words[0]);
    command.current_dir(scratch.root()).env_clear().args(&words[1..]).envs(scratch.env().iter());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let out = String::from_utf8(output.stdout).unwrap();
    let blocks = words[2] == "grok" && out.contains("\"deny\"");
    let code = if blocks { 2 } else { 0 };
    assert_eq!((output.status.code(), output.stderr.is_empty()), (Some(code), !blocks), "{words:?}: {out}");
    assert!(out.is_empty() || out.ends_with('\n') && out.lines().count() == 1, "{words:?}: {out}");
    out.trim_end().to_owned()
}

/// The event in the form of the agents that share none with others.
fn tried(scratch: &Scratch, agent: AgentId, event: &str, n: usize) -> Option<Value> {
    let (root, command, call) = (scratch.root(), format!("make {n}"), format!("c{n}"));
    let trial = Trial { session: "s1", call: &call, command: &command, cwd: root.to_str().unwrap() };
    agent.trial(agent.point(event)?.moment?, &trial)
}

/// One session of an agent.
struct Stand {
    agent: AgentId,
    scratch: Scratch,
}

impl Stand {
    fn new(agent: AgentId) -> Self {
        let scratch = Scratch::repository();
        scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "commitment": true } }"#);
        scratch.commit("policy");
        if agent != AgentId::Generic {
            scratch.run_built(BUILT, &["cairn", "hook", "install", agent.as_str(), "--yes"]).ok();
        }
        Self { agent, scratch }
    }

    /// What the agent is told at an event; none where it has none, or tells cairn of none.
    fn at(&self, event: &str, n: usize, command: Option<&str>) -> Option<String> {
        let words = called(&self.scratch, self.agent, event)?;
        let payload = match self.agent {
            AgentId::Antigravity | AgentId::Grok => tried(&self.scratch, self.agent, event, n)?,
            agent => payload(&self.scratch, agent, event, n)?,
        };
        // Arguments may be JSON within a text.
        let text =
            payload.to_string().replace(&format!("make {n}"), command.unwrap_or(&format!("make part-{n}")));
        Some(heard(&self.scratch, &words, &serde_json::from_str(&text).unwrap()))
    }

    fn before(&self, n: usize, command: &str) -> String {
        self.at("pre-tool", n, Some(command)).unwrap()
    }
}

/// The reason in an answer, wherever the agent wants it.
fn reason(answer: &str) -> String {
    let document: Value = serde_json::from_str(answer).unwrap_or_else(|_| panic!("no answer: `{answer}`"));
    let own = &document["hookSpecificOutput"]["permissionDecisionReason"];
    let others = ["permissionDecisionReason", "user_message", "reason"].map(|key| &document[key]);
    std::iter::once(own).chain(others).find_map(Value::as_str).unwrap().to_owned()
}

/// A decision in the agent's form.
fn decided(agent: AgentId, decision: &str, reason: &str) -> String {
    let reason = serde_json::to_string(reason).unwrap();
    match agent {
        AgentId::Gemini | AgentId::Antigravity | AgentId::OpenCode | AgentId::OpenCode2 => {
            format!(r#"{{"decision":"{decision}","reason":{reason}}}"#)
        }
        AgentId::Cursor => {
            format!(r#"{{"permission":"{decision}","user_message":{reason},"agent_message":{reason}}}"#)
        }
        AgentId::Copilot => {
            format!(r#"{{"permissionDecision":"{decision}","permissionDecisionReason":{reason}}}"#)
        }
        AgentId::Grok => format!(r#"{{"decision":"{decision}","reason":{reason}}}"#),
        _ => format!(
            r#"{{"hookSpecificOutput":{{"hookEventName":"PreToolUse","permissionDecision":"{decision}","permissionDecisionReason":{reason}}}}}"#
        ),
    }
}

/// What the agent is told where nothing stands against a call, and where a moment ends as it should.
fn nothing(agent: AgentId, event: &str) -> &'static str {
    match (agent, event) {
        (AgentId::OpenCode | AgentId::OpenCode2, _) | (AgentId::Antigravity, "pre-tool") => {
            r#"{"decision":"allow"}"#
        }
        (AgentId::Generic, _) => r#"{"v":1,"decision":"allow"}"#,
        (AgentId::Cursor, "pre-tool") => r#"{"permission":"allow"}"#,
        (AgentId::Cursor, "prompt") => r#"{"continue":true}"#,
        (AgentId::Antigravity | AgentId::Cursor, _) => "{}",
        _ => "",
    }
}

fn receipts(scratch: &Scratch) -> Vec<Value> {
    let list = scratch.run(&["cairn", "receipts", "list", "--last", "99", "--json"]).ok().json();
    list["receipts"].as_array().unwrap().clone()
}

#[test]
fn every_agent_s_session_goes_its_way_from_its_beginning_to_its_end() {
    for agent in AgentId::ALL {
        let stand = Stand::new(agent);
        let mut told = Vec::new();
        let course = [
            ("session-start", 0),
            ("prompt", 0),
            ("pre-tool", 1),
            ("post-tool", 1),
            ("compact", 1),
            ("pre-tool", 2),
            ("post-tool", 2),
            ("stop", 2),
            ("session-end", 2),
        ];
        for (event, n) in course {
            let Some(answer) = stand.at(event, n, None) else { continue };
            assert_eq!(answer, nothing(agent, event), "{agent} {event}");
            told.push(event);
        }
        // Each event that the agent has is one that its installation calls at.
        let all = ["session-start", "prompt", "pre-tool", "post-tool", "compact", "stop", "session-end"];
        assert!(
            all.iter().filter(|event| agent.point(event).is_some()).all(|event| told.contains(event)),
            "{agent}: {told:?}"
        );
        assert!(
            ["pre-tool", "post-tool", "stop"].iter().all(|event| told.contains(event)),
            "{agent}: {told:?}"
        );

        let all = receipts(&stand.scratch);
        let count = |what: &dyn Fn(&Value) -> bool| all.iter().filter(|line| what(line)).count();
        let compactions = usize::from(told.contains(&"compact"));
        assert_eq!(count(&|line| line["marker"] == "compact"), compactions, "{agent}");
        assert_eq!(count(&|line| line["kind"] == "judged" && !line["seen"].is_null()), 2, "{agent}: {all:?}");
        assert!(count(&|line| line["kind"] == "checkpoint") >= 1, "{agent}");
        assert_eq!(all.last().unwrap()["kind"], "checkpoint", "{agent}: the end is sealed");
        stand.scratch.run(&["cairn", "receipts", "verify"]).ok();
    }
}

#[test]
fn every_agent_is_told_a_denial_in_its_own_words() {
    for agent in AgentId::ALL {
        let stand = Stand::new(agent);
        let answer = stand.before(1, PAST);
        let said = reason(&answer);
        assert!(said.contains("past git's hooks") && said.contains("cairn approve "), "{agent}: {said}");
        if agent == AgentId::Generic {
            let document: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!((&document["v"], &document["decision"]), (&json!(1), &json!("deny")));
        } else {
            assert_eq!(answer, decided(agent, "deny", &said), "{agent}");
        }
        let all = receipts(&stand.scratch);
        let judged: Vec<_> = all.iter().filter(|line| line["kind"] == "judged").collect();
        assert_eq!((judged.len(), &judged[0]["outcome"]), (1, &json!("not_executed")), "{agent}: {all:?}");
    }
}

/// At which of its events an agent asks a person itself. The others deny, with a ticket.
fn asks_at(agent: AgentId) -> Option<&'static str> {
    match agent {
        AgentId::Claude
        | AgentId::Qwen
        | AgentId::Antigravity
        | AgentId::Copilot
        | AgentId::VsCode
        | AgentId::Droid
        | AgentId::Generic => Some("pre-tool"),
        AgentId::Cursor => Some("beforeShellExecution"),
        AgentId::OpenCode2 => Some("permission"),
        AgentId::Codex | AgentId::Gemini | AgentId::OpenCode | AgentId::Grok => None,
    }
}

#[test]
fn every_agent_asks_where_it_can_and_denies_with_a_ticket_where_it_can_not() {
    for agent in AgentId::ALL {
        let stand = Stand::new(agent);
        let answer = match asks_at(agent) {
            Some("beforeShellExecution") => {
                assert_eq!(stand.before(1, PUSH), nothing(agent, "pre-tool"), "{agent}: the next event asks");
                let words = called(&stand.scratch, agent, "beforeShellExecution").unwrap();
                let payload = json!({ "conversation_id": "s1", "generation_id": "g1", "cursor_version": "1",
                    "hook_event_name": "beforeShellExecution", "workspace_roots": [stand.scratch.root()],
                    "command": PUSH, "cwd": stand.scratch.root() });
                heard(&stand.scratch, &words, &payload)
            }
            Some("permission") => {
                let words = [BUILT, "hook", "opencode2", "permission"].map(str::to_owned);
                let payload = json!({ "agent": "opencode2", "event": "permission", "session": "s1", "call": "c1",
                    "tool": "bash", "args": { "command": PUSH }, "cwd": stand.scratch.root() });
                heard(&stand.scratch, &words, &payload)
            }
            _ => stand.before(1, PUSH),
        };
        let said = reason(&answer);
        let asks = asks_at(agent).is_some();
        assert_eq!(said.contains("cairn approve "), !asks, "{agent}: {said}");
        let decision = if asks { "ask" } else { "deny" };
        if agent == AgentId::Generic {
            let document: Value = serde_json::from_str(&answer).unwrap();
            assert_eq!(document["decision"], decision);
        } else {
            assert_eq!(answer, decided(agent, decision, &said), "{agent}");
        }
        let all = receipts(&stand.scratch);
        assert_eq!(
            all.last().unwrap()["decision"],
            "ask",
            "{agent}: what the gate decided is on record: {all:?}"
        );
    }
}
