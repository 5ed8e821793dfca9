//! Text for an agent's context, byte for byte where the agent takes it, and known to be dropped where it does not.

use gate::event::{Moment, Verdict};

use super::*;
use crate::{Contract, Standing, unreadable};

/// An event of the moment that `word` names, as the agent tells it; none where it tells none.
fn payload(agent: AgentId, word: &str) -> Option<String> {
    let point = agent.point(word)?;
    if word == "pre-tool" {
        return Some(before_call(agent).to_owned());
    }
    let mut payload: serde_json::Value = serde_json::from_str(before_call(agent)).unwrap();
    let object = payload.as_object_mut().unwrap();
    for key in ["hook_event_name", "hookEventName", "event"] {
        if object.contains_key(key) {
            object.insert(key.to_owned(), point.name.into());
        }
    }
    if agent == AgentId::OpenCode2 {
        object.insert("agent".to_owned(), agent.as_str().into());
    }
    Some(payload.to_string())
}

/// What the agent is told when `by the way` is said at the moment; none where nothing of it reaches the agent.
fn noted_at(agent: AgentId, word: &str) -> Option<String> {
    let reading = heard(agent, word, &payload(agent, word)?);
    let answer = reading.answer(&noted("by the way"));
    assert_eq!(reading.takes_context(), answer != reading.answer(&Verdict::allow()), "{agent} {word}");
    reading.takes_context().then(|| answer.stdout.unwrap())
}

const MOMENTS: [&str; 6] = ["pre-tool", "post-tool", "prompt", "stop", "session-start", "compact"];

#[test]
fn what_each_agent_takes_for_its_context() {
    let agents = AgentId::ALL.into_iter().filter(|agent| *agent != AgentId::Generic);
    let moments = agents.flat_map(|agent| MOMENTS.map(|word| (agent, word)));
    let shown: String = moments
        .filter_map(|(agent, word)| Some(format!("{agent} {word}: {}\n", noted_at(agent, word)?)))
        .collect();
    let claude = |agent: &str, word: &str, event: &str| {
        format!(
            "{agent} {word}: {{\"hookSpecificOutput\":{{\"hookEventName\":\"{event}\",\"additionalContext\":\"by the way\"}}}}\n"
        )
    };
    let like_claude = |agent: &str, call: bool| {
        let call = if call { claude(agent, "pre-tool", "PreToolUse") } else { String::new() };
        call + &claude(agent, "post-tool", "PostToolUse")
            + &claude(agent, "prompt", "UserPromptSubmit")
            + &claude(agent, "session-start", "SessionStart")
    };
    let bridge = |agent: &str, words: &[&str]| {
        let line =
            |word: &&str| format!("{agent} {word}: {{\"decision\":\"allow\",\"context\":\"by the way\"}}\n");
        words.iter().map(line).collect::<String>()
    };
    let expected = like_claude("claude", true)
        + &like_claude("codex", true)
        + &claude("gemini", "post-tool", "AfterTool")
        + &claude("gemini", "prompt", "BeforeAgent")
        + &claude("gemini", "session-start", "SessionStart")
        + &bridge("opencode", &["post-tool", "prompt", "session-start", "compact"])
        + &bridge("opencode2", &["prompt", "session-start", "compact"])
        + "cursor pre-tool: {\"permission\":\"allow\",\"agent_message\":\"by the way\"}\n\
           cursor post-tool: {\"additional_context\":\"by the way\"}\n\
           cursor session-start: {\"additional_context\":\"by the way\"}\n\
           copilot post-tool: {\"additionalContext\":\"by the way\"}\n\
           copilot session-start: {\"additionalContext\":\"by the way\"}\n"
        + &like_claude("vscode", true)
        + &like_claude("droid", false)
        + &like_claude("qwen", true);
    assert_eq!(shown, expected);
}

#[test]
fn the_contracts_say_what_the_answers_do() {
    for agent in AgentId::ALL {
        let all = agent.contracts();
        assert_eq!(all.map(|provision| provision.contract), Contract::ALL, "{agent}");
        let standing = |contract: Contract| all[contract as usize].standing;
        let takes = |word: &str| noted_at(agent, word).is_some();
        let at_tools = takes("pre-tool") || takes("post-tool");
        // Pins come back by themselves where a point after the compaction takes text, or the compaction does.
        if takes("compact") || [AgentId::Claude, AgentId::Codex, AgentId::Qwen].contains(&agent) {
            assert_eq!(standing(Contract::Pinning), Standing::Native, "{agent}");
        } else {
            let expected = if at_tools { Standing::Degraded } else { Standing::Absent };
            assert_eq!(standing(Contract::Pinning), expected, "{agent}");
        }
        let expected = match (takes("prompt"), at_tools) {
            (true, _) => Standing::Native,
            (false, true) => Standing::Degraded,
            (false, false) => Standing::Absent,
        };
        assert_eq!(standing(Contract::Reinjection), expected, "{agent}");
        let can_ask = agent.capabilities().ask != crate::Reach::None;
        assert!(can_ask || standing(Contract::CommitmentGate) != Standing::Native, "{agent}");
        let has_prompt = agent.points().iter().any(|point| point.moment == Some(Moment::Prompt));
        assert_eq!(standing(Contract::DirectivePriority) == Standing::Absent, !has_prompt, "{agent}");
        assert!(agent.degraded().iter().all(|provision| provision.standing != Standing::Native));
        let required = all.iter().filter(|provision| provision.contract.is_required());
        assert!(
            required.clone().count() == 6 && required.clone().all(|one| one.standing != Standing::Absent)
        );
    }
    assert!(AgentId::Claude.degraded().is_empty());
    let missing: Vec<&str> = AgentId::Antigravity.degraded().iter().map(|one| one.contract.id()).collect();
    assert_eq!(missing, ["C-7", "C-8", "C-9"]);
}

#[test]
fn a_session_that_can_not_be_judged_is_told_so_when_it_begins() {
    let answer = unreadable(AgentId::Claude, Some("session-start"), "the policy can't be read").answer();
    assert_eq!(answer.exit, 0);
    assert!(answer.stdout.unwrap().contains("CRITICAL: cairn could not judge the beginning of this session"));
    for word in ["prompt", "compact", "stop", "post-tool"] {
        assert_eq!(unreadable(AgentId::Claude, Some(word), "x").answer(), Answer::silent(), "{word}");
    }
}
