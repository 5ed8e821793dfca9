//! Neutral events: each goes through the hook as an agent's payload does, and the verdict is told in words that another
//! implementation has too.

use std::io::Cursor;

use agents::{AgentId, Answer};
use gate::event::{Decision, Verdict};
use serde_json::{Map, Value, json};

use super::stage::Stage;
use super::{Gates, Played};
use crate::hook::{self, Judged};

pub(super) const CLAIMED: &[&str] = &[
    "plan-gate",
    "plan-spec-read",
    "context-gain",
    "context-gain.isolation",
    "verify-by-execution",
    "verify-by-execution.read-back",
    "commitment-gate",
    "commitment.ask",
    "commitment.ticket",
    "deny-policy",
    "fail-closed",
];

/// The next steps that are about a file or a check, which the reason must name.
const ABOUT: &[&str] = &["read-plan-spec", "read-file", "read-region", "map-references", "run-check"];

/// Plays an event.
pub(super) fn play(stage: &mut Stage, step: &Map<String, Value>) -> Played {
    let judged = judge(stage, step)?;
    if let Judged::Verdict(_, verdict) = &judged {
        let at = stage.step();
        stage.said.extend(verdict.context.iter().map(|text| (at, text.clone())));
    }
    Ok(told(stage, &judged))
}

fn judge(stage: &mut Stage, step: &Map<String, Value>) -> Result<Judged, String> {
    let event = step.get("event").and_then(Value::as_str).ok_or("`event` is missing")?.to_owned();
    let agent = stage.agent();
    if event == "compact" {
        stage.compacted = stage.step();
    }
    let mut payload = step.clone();
    if agent == AgentId::Claude {
        payload.insert("hook_event_name".to_owned(), json!(agent.point(&event).map(|point| point.name)));
        payload.insert("session_id".to_owned(), json!(stage.setup.session));
    }
    payload.entry("session").or_insert_with(|| json!(stage.setup.session));
    payload.entry("cwd").or_insert_with(|| json!(stage.root));
    if event == "pre_tool" {
        stage.calls += 1;
    }
    if matches!(event.as_str(), "pre_tool" | "post_tool") {
        payload.entry("call").or_insert_with(|| json!(format!("call-{}", stage.calls)));
        payload.entry("args").or_insert_with(|| json!({}));
    }
    Ok(ask(stage, agent, Some(&event), Value::Object(payload).to_string().into_bytes()))
}

/// Asks the hook, where there is one.
pub(super) fn ask(stage: &Stage, agent: AgentId, event: Option<&str>, payload: Vec<u8>) -> Judged {
    match stage.gates {
        Gates::On => hook::judge(agent, event, stage.world(), Cursor::new(payload), &hook::Told::new()),
        Gates::Off => Judged::Nothing(Answer::silent()),
    }
}

/// What was judged, in neutral words.
pub(super) fn told(stage: &Stage, judged: &Judged) -> Value {
    match judged {
        Judged::Verdict(reading, verdict) => verdict_told(stage, verdict, reading.can_ask()),
        Judged::Fault(fault) if fault.denies() => json!({
            "decision": "deny",
            "gate": "hook",
            "rule": "unreadable",
            "reason": govern::codes::UNREADABLE,
            "hint": govern::codes::hint(govern::codes::UNREADABLE.as_str()),
            "names": [],
        }),
        Judged::Fault(_) | Judged::Nothing(_) => json!({ "decision": "allow" }),
    }
}

fn verdict_told(stage: &Stage, verdict: &Verdict, can_ask: bool) -> Value {
    if verdict.decision < Decision::Ask {
        return match verdict.decision {
            Decision::Observe => json!({ "decision": "observe" }),
            _ => json!({ "decision": "allow" }),
        };
    }
    let message = verdict.message.as_deref().unwrap_or_default();
    let hint = govern::codes::hint(verdict.reason.as_deref().unwrap_or_default());
    let is_asked = verdict.decision == Decision::Ask && can_ask;
    let mut told = json!({
        "decision": if is_asked { "ask" } else { "deny" },
        "gate": verdict.gate,
        "rule": verdict.rule,
        "reason": verdict.reason,
        "hint": hint,
        "names": if ABOUT.contains(&hint) { names(stage, message) } else { Vec::new() },
    });
    if verdict.decision == Decision::Ask && !can_ask && message.contains("cairn approve ") {
        told["ticket"] = Value::Bool(true);
    }
    told
}

/// The files and checks of the setup that a message names.
fn names(stage: &Stage, message: &str) -> Vec<String> {
    let policy = &stage.setup.policy;
    let checks = policy.get("checks").and_then(Value::as_object).into_iter().flat_map(Map::keys);
    let spec = policy.get("planSpec").and_then(Value::as_str).map(str::to_owned);
    let mut names: Vec<String> = stage.setup.files.keys().chain(checks).cloned().chain(spec).collect();
    names.retain(|name| is_named(message, name));
    names.sort();
    names.dedup();
    names
}

/// Whether a text holds a name as a whole.
fn is_named(text: &str, name: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '/' | '-' | '_');
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(is_part) && !text[at + name.len()..].starts_with(is_part))
}
