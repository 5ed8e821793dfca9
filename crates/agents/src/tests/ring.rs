//! What no agent should send: never an allow by accident.

use std::io::Read;

use gate::event::{Decision, Moment, Verdict};
use proptest::prelude::*;

use super::*;
use crate::payload::{LIMIT, parse, take};
use crate::{Unreadable, unreadable};

/// Whether an answer keeps the call from being made, for whoever reads the document or the code.
fn denies(answer: &Answer) -> bool {
    let text = answer.stdout.as_deref().unwrap_or_default();
    let document: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
    let said = [
        &document["hookSpecificOutput"]["permissionDecision"],
        &document["permissionDecision"],
        &document["permission"],
        &document["decision"],
    ];
    said.iter().any(|said| *said == "deny")
}

fn refused(agent: AgentId, event: Option<&str>, payload: &[u8]) -> Unreadable {
    match read(agent, event, payload) {
        Err(unreadable) => unreadable,
        Ok(heard) => panic!("{agent}: {} gave {heard:?}", String::from_utf8_lossy(payload)),
    }
}

/// The arguments of the call in each agent's payload, taken out.
fn without_arguments(agent: AgentId) -> String {
    let key = match agent {
        AgentId::Copilot => "toolArgs",
        AgentId::Grok => "toolInput",
        AgentId::Antigravity | AgentId::OpenCode | AgentId::OpenCode2 | AgentId::Generic => "args",
        _ => "tool_input",
    };
    before_call(agent).replace(&format!("\"{key}\""), "\"else\"")
}

#[test]
fn broken_payloads_are_denied_before_a_call_and_let_go_elsewhere() {
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let deep = format!("{}1{}", "{\"a\":".repeat(500), "}".repeat(500));
    for agent in AgentId::ALL {
        let whole = before_call(agent);
        let broken: Vec<Vec<u8>> = vec![
            b"".to_vec(),
            b" \n".to_vec(),
            b"null".to_vec(),
            b"[]".to_vec(),
            b"{}".to_vec(),
            b"not json".to_vec(),
            whole.as_bytes()[..whole.len() - 1].to_vec(),
            [whole.as_bytes(), whole.as_bytes()].concat(),
            whole.replacen('{', "{\"x\":1,\"x\":1,", 1).into_bytes(),
            [&whole.as_bytes()[..whole.len() - 1], b",\"x\":\"\xff\"}"].concat(),
            long.clone().into_bytes(),
            deep.clone().into_bytes(),
            without_arguments(agent).into_bytes(),
        ];
        for payload in &broken {
            let shown = String::from_utf8_lossy(&payload[..payload.len().min(80)]).into_owned();
            for event in [Some("pre-tool"), None, Some("no-such-event")] {
                let unreadable = refused(agent, event, payload);
                let answer = unreadable.answer();
                assert!(unreadable.denies() && denies(&answer), "{agent} {event:?}: {shown}: {answer:?}");
                let reason = unreadable.message;
                assert!(!reason.is_empty() && !reason.ends_with('.'), "{reason}");
            }
            for event in ["post-tool", "prompt", "stop", "session-start", "session-end", "compact"] {
                if agent.point(event).is_none() {
                    continue;
                }
                if let Err(unreadable) = read(agent, Some(event), payload) {
                    let answer = unreadable.answer();
                    let is_call = unreadable.denies();
                    assert_eq!(is_call, denies(&answer), "{agent} {event}: {shown}");
                    assert!(answer.exit == 0 || is_call, "{agent} {event}: {shown}");
                }
            }
        }
    }
}

#[test]
fn an_unreadable_end_is_let_go() {
    for agent in AgentId::ALL {
        for event in ["post-tool", "stop"] {
            let answer = unreadable(agent, Some(event), "the deadline passed").answer();
            assert_eq!((answer.exit, denies(&answer)), (0, false), "{agent} {event}");
            assert!(
                answer.stdout.is_none_or(|text| text == "{}" || text.contains("allow")),
                "{agent} {event}"
            );
        }
        let answer = unreadable(agent, Some("pre-tool"), "the deadline passed").answer();
        assert!(denies(&answer), "{agent}");
        // One that has no settings has no status of its own.
        let name = if agent == AgentId::Generic { String::new() } else { format!(" {agent}") };
        assert!(answer.stdout.unwrap().contains(&format!("`cairn hook status{name}`")), "{agent}");
    }
}

#[test]
fn what_claudes_file_can_not_read_is_denied_for_whoever_runs_it() {
    let answer = refused(AgentId::Claude, Some("pre-tool"), b"{").answer();
    assert_eq!(answer.exit, 2);
    assert!(answer.stderr.is_some_and(|text| text.contains("what can't be judged is not allowed")));
}

#[test]
fn settings_and_payload_that_disagree_are_denied() {
    let after = CLAUDE.replace("PreToolUse", "PostToolUse");
    assert!(refused(AgentId::Claude, Some("pre-tool"), after.as_bytes()).denies());
    assert!(refused(AgentId::Claude, Some("stop"), CLAUDE.as_bytes()).denies());
    let unknown = CLAUDE.replace("PreToolUse", "PreToolUse2");
    assert!(refused(AgentId::Claude, None, unknown.as_bytes()).denies());
    assert!(refused(AgentId::Claude, Some("pre-tool"), br#"{"hook_event_name":"New"}"#).denies());
    assert!(!refused(AgentId::Claude, None, br#"{"hook_event_name":"New"}"#).denies());
    assert!(!refused(AgentId::Claude, Some("stop"), br#"{"hook_event_name":"New"}"#).denies());
}

#[test]
fn a_neutral_payload_does_not_pass_through_an_agents_entry() {
    for payload in [OPENCODE, before_call(AgentId::Generic)] {
        let unreadable = refused(AgentId::Claude, Some("pre-tool"), payload.as_bytes());
        assert!(unreadable.denies());
        assert_eq!(unreadable.answer().exit, 2);
    }
}

#[test]
fn unknown_tools_act_and_paths_stay_as_they_are() {
    for agent in AgentId::ALL {
        let payload = before_call(agent);
        let name =
            ["Edit", "apply_patch", "replace", "run_command", "Write", "bash", "edit", "editFiles", "Bash"]
                .into_iter()
                .chain(["Execute", "run_shell_command"])
                .find(|name| payload.contains(&format!("\"{name}\"")))
                .unwrap();
        let unknown = payload.replace(&format!("\"{name}\""), "\"brand_new\"");
        let reading = heard(agent, "pre-tool", &unknown);
        assert_eq!(reading.event.call.unwrap().tool, gate::event::Tool::Other, "{agent}");
    }
    for path in ["../../etc/passwd", "A.RS", "C:\\\\w\\\\a.rs", "/w/./x/../a.rs", "//host/a", "~/a", " a "] {
        let payload = CLAUDE.replace("/w/a.rs", path);
        let Some(gate::event::Tool::Edit { path: read, .. }) =
            heard(AgentId::Claude, "pre-tool", &payload).event.call.map(|call| call.tool)
        else {
            panic!("{path}");
        };
        assert_eq!(read, path.replace("\\\\", "\\"));
    }
    for path in ["", "a\\u0000b"] {
        let payload = CLAUDE.replace("/w/a.rs", path);
        assert!(refused(AgentId::Claude, Some("pre-tool"), payload.as_bytes()).denies(), "{path:?}");
    }
    let two = CLAUDE.replace("\"old_string\"", "\"path\":\"/w/b.rs\",\"old_string\"");
    assert!(
        refused(AgentId::Claude, Some("pre-tool"), two.as_bytes()).message.contains("say different things")
    );
}

#[test]
fn after_the_call_a_tool_that_can_not_be_read_is_one_that_acted() {
    let after = CLAUDE.replace("PreToolUse", "PostToolUse").replace("file_path", "elsewhere");
    let reading = heard(AgentId::Claude, "post-tool", &after);
    assert_eq!(reading.event.call.unwrap().tool, gate::event::Tool::Other);
}

#[test]
fn half_a_character_in_a_text_is_read() {
    let payload = CLAUDE.replace("\"x\"", r#""\ud83d""#);
    assert_eq!(heard(AgentId::Claude, "pre-tool", &payload).event.event, Moment::PreTool);
}

/// Gives its text in small pieces and then waits for ever, which here is an error.
struct Open<'a>(&'a [u8]);

impl Read for Open<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        assert!(!self.0.is_empty(), "waited behind the end of the document");
        let count = self.0.len().min(3).min(buffer.len());
        buffer[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

#[test]
fn one_document_is_taken_without_waiting_for_the_end() {
    for text in ["{\"a\":{\"b\":\"}\\\"]\"}}", " \n{\"a\":[{}]}", "\u{feff}{}"] {
        assert_eq!(take(Open(text.as_bytes())).unwrap(), text.as_bytes());
    }
    assert_eq!(take(&b"{\"a\":1} {\"b\":2}"[..]).unwrap(), b"{\"a\":1}");
    assert_eq!(take(&b"{\"a\":"[..]).unwrap(), b"{\"a\":");
    assert!(parse(&take(Open(b"x{}")).unwrap()).is_err());
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(LIMIT));
    assert!(take(long.as_bytes()).unwrap_err().contains("8 MiB"));
}

#[test]
fn a_denial_always_has_a_reason() {
    for agent in AgentId::ALL {
        let reading = heard(agent, "pre-tool", before_call(agent));
        for message in [None, Some(String::new()), Some(" \n".to_owned())] {
            let bare = Verdict { decision: Decision::Deny, message, ..Verdict::allow() };
            let answer = reading.answer(&bare);
            assert!(denies(&answer) && answer.stdout.unwrap().contains("cairn hook status"), "{agent}");
        }
        let loud = reading.answer(&verdict(Decision::Deny, &"é\n\"".repeat(20_000))).stdout.unwrap();
        assert!(!loud.contains('\n') && loud.chars().count() < 45_000, "{agent}");
    }
}

#[test]
fn capabilities_are_data_and_answers_keep_to_them() {
    for agent in AgentId::ALL {
        assert_eq!(AgentId::parse(agent.as_str()), Some(agent));
        let able = agent.capabilities();
        assert_eq!(able.agent, agent);
        assert!(!able.version.is_empty() && able.since.starts_with("2026-"));
        let document = serde_json::to_value(able).unwrap();
        assert_eq!(document["agent"], agent.as_str());
        assert_eq!(able.session_end != crate::Reach::None, agent.point("session-end").is_some(), "{agent}");
        let reading = heard(agent, "pre-tool", before_call(agent));
        if able.ask == crate::Reach::None {
            assert!(!reading.can_ask(), "{agent}");
        }
        let asked = reading.answer(&verdict(Decision::Ask, "no"));
        assert!(denies(&asked) != reading.can_ask(), "{agent}: {asked:?}");
    }
    let schema = serde_json::to_value(schemars::schema_for!(crate::Capabilities)).unwrap();
    assert!(schema["properties"]["failure"].is_object());
}

#[test]
fn what_an_agent_lacks_is_what_its_data_says() {
    use crate::{Direction, Reach};
    for agent in AgentId::ALL {
        let able = agent.capabilities();
        let lacks: Vec<(&str, Reach)> = able.lacks().iter().map(|lack| (lack.ability, lack.reach)).collect();
        for (ability, reach) in [("deny", able.deny), ("ask", able.ask), ("stop", able.stop)] {
            assert_eq!(lacks.contains(&(ability, reach)), reach != Reach::Full, "{agent} {ability}");
        }
        let is_open = able.failure == Direction::Open;
        assert_eq!(lacks.contains(&("failure", Reach::None)), is_open, "{agent}");
    }
    assert_eq!(AgentId::Generic.capabilities().lacks(), []);
}

/// Both tell people what an agent can't give: a contract that rests on an ability is weaker only where that is missing.
#[test]
fn contracts_and_abilities_agree() {
    use crate::{Contract, Reach, Standing};
    for agent in AgentId::ALL {
        let lacks = agent.capabilities().lacks();
        for provision in agent.contracts().iter().filter(|one| one.contract <= Contract::CompletionEvidence) {
            let of: Vec<Reach> = lacks
                .iter()
                .filter(|lack| lack.contract == provision.contract)
                .map(|lack| lack.reach)
                .collect();
            let is_native = provision.standing == Standing::Native;
            assert!(is_native || !of.is_empty(), "{agent} {}: nothing says why", provision.contract);
            let is_unasked = provision.contract == Contract::CommitmentGate && of == [Reach::None];
            assert!(!(is_native && is_unasked), "{agent} asks nobody, and is native all the same");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_have_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        for agent in AgentId::ALL {
            prop_assert!(denies(&refused(agent, Some("pre-tool"), &bytes).answer()));
        }
    }

    #[test]
    fn a_changed_payload_is_read_or_denied(at in 0usize..10_000, byte in 32u8..127) {
        for agent in AgentId::ALL {
            let mut payload = before_call(agent).as_bytes().to_vec();
            let at = at % payload.len();
            payload[at] = byte;
            if let Err(unreadable) = read(agent, Some("pre-tool"), &payload) {
                prop_assert!(denies(&unreadable.answer()));
            }
        }
    }
}
