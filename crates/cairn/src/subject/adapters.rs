//! The adapter ring: an agent's payload in, the exact answer and exit code out.

use agents::{AgentId, Answer, Heard};
use canon::base64;
use gate::event::{Decision, Verdict};
use serde_json::{Map, Value, json};

use super::engine::{ask, told};
use super::stage::Stage;
use super::{Gates, Played};

pub(super) const CLAIMED: &[&str] = &[
    "adapter.claude",
    "adapter.codex",
    "adapter.gemini",
    "adapter.antigravity",
    "adapter.opencode",
    "adapter.opencode2",
    "adapter.cursor",
    "adapter.copilot",
    "adapter.vscode",
    "adapter.grok",
    "adapter.droid",
    "adapter.qwen",
    "shell-effects",
    #[cfg(unix)]
    "symbolic-links",
    #[cfg(any(target_os = "macos", windows))]
    "case-insensitive-files",
    #[cfg(not(any(target_os = "macos", windows)))]
    "case-sensitive-files",
    #[cfg(target_os = "macos")]
    "normalizing-files",
    #[cfg(windows)]
    "windows-paths",
];

/// Members of an answer that hold prose, which is not compared.
const PROSE: &[&str] = &[
    "additionalContext",
    "agent_message",
    "followup_message",
    "message",
    "permissionDecisionReason",
    "reason",
    "user_message",
];

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    Some(match op {
        "answer" => answer(stage, step),
        "hear" => hear(step),
        "hook" => whole(stage, step),
        _ => return None,
    })
}

fn agent(step: &Map<String, Value>) -> Result<AgentId, String> {
    let word = step.get("agent").and_then(Value::as_str).ok_or("`agent` is missing")?;
    AgentId::parse(word).ok_or_else(|| format!("no agent is called `{word}`"))
}

fn event(step: &Map<String, Value>) -> Option<&str> {
    step.get("at").and_then(Value::as_str)
}

/// What comes over standard input.
fn input(step: &Map<String, Value>) -> Result<Vec<u8>, String> {
    bytes(step, "stdin")
}

/// The bytes of a list of parts: of text, of base64, and of a text many times.
pub(super) fn bytes(step: &Map<String, Value>, key: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for part in step.get(key).and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| part.get(key).and_then(Value::as_str);
        if let Some(text) = text("text") {
            bytes.extend_from_slice(text.as_bytes());
        } else if let Some(text) = text("base64") {
            bytes.extend(base64::decode(text).ok_or("a part is no base64")?);
        } else if let Some(text) = text("repeat") {
            let times = part.get("times").and_then(Value::as_u64).unwrap_or_default();
            bytes.extend(text.repeat(usize::try_from(times).unwrap_or_default()).into_bytes());
        } else {
            return Err(format!("a part of `{key}` has `text`, `base64` or `repeat`"));
        }
    }
    Ok(bytes)
}

/// A verdict in the agent's own words, byte for byte.
fn answer(stage: &Stage, step: &Map<String, Value>) -> Played {
    let said = step.get("verdict").and_then(Value::as_object).ok_or("`verdict` is missing")?;
    let text = |key: &str| said.get(key).and_then(Value::as_str).map(str::to_owned);
    let decision = match text("decision").as_deref() {
        Some("deny") => Decision::Deny,
        Some("ask") => Decision::Ask,
        Some("observe") => Decision::Observe,
        _ => Decision::Allow,
    };
    let verdict = match stage.gates {
        Gates::Off => Verdict::allow(),
        Gates::On => Verdict {
            decision,
            message: text("reason"),
            context: text("note").into_iter().collect(),
            ..Verdict::allow()
        },
    };
    let answer = match agents::read(agent(step)?, event(step), &input(step)?) {
        Ok(Heard::Event(reading)) => reading.answer(&verdict),
        Ok(Heard::Nothing(answer)) => answer,
        Ok(Heard::Said(said)) => said.answer,
        Err(fault) => return Err(fault.message),
    };
    Ok(json!({ "stdout": answer.stdout, "stderr": answer.stderr, "exit": answer.exit }))
}

/// The neutral event of a payload.
fn hear(step: &Map<String, Value>) -> Played {
    match agents::read(agent(step)?, event(step), &input(step)?) {
        Ok(Heard::Event(reading)) => {
            let event = &reading.event;
            let call = event.call.as_ref();
            let outcome = event.outcome.as_ref();
            Ok(json!({
                "agent": event.agent,
                "event": event.event,
                "session": event.session,
                "cwd": event.cwd,
                "call": call.and_then(|call| call.id.as_ref()),
                "tool": call.map(|call| &call.tool),
                "ok": outcome.and_then(|outcome| outcome.ok),
                "exit": outcome.and_then(|outcome| outcome.exit),
                "text": event.text,
                "source": event.source,
            }))
        }
        Ok(Heard::Nothing(_)) => Ok(json!({ "event": null })),
        Ok(Heard::Said(said)) => {
            Ok(json!({ "event": null, "agent": said.agent, "session": said.session, "text": said.text }))
        }
        Err(fault) => Ok(json!({ "unreadable": true, "denies": fault.denies() })),
    }
}

/// The whole way of a payload: read, judged, answered. Prose is left out.
fn whole(stage: &Stage, step: &Map<String, Value>) -> Played {
    let judged = ask(stage, agent(step)?, event(step), input(step)?);
    let Answer { stdout, stderr, exit } = judged.answer();
    let document = match stdout {
        Some(text) => without_prose(serde_json::from_str(&text).map_err(|error| error.to_string())?),
        None => Value::Null,
    };
    Ok(json!({
        "stdout": document,
        "stderr": stderr.is_some(),
        "exit": exit,
        "verdict": told(stage, &judged),
    }))
}

fn without_prose(value: Value) -> Value {
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| {
                let is_prose = value.is_string() && PROSE.contains(&key.as_str());
                let value = if is_prose { json!("<text>") } else { without_prose(value) };
                (key, value)
            })
            .collect(),
        Value::Array(values) => values.into_iter().map(without_prose).collect(),
        other => other,
    }
}
