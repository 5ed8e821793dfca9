//! The discipline of sessions: what was flagged, and what was said to the agent.

use govern::receipts::Kind;
use govern::{frozen, health};
use serde_json::{Map, Value, json};

use super::stage::Stage;
use super::{Gates, Played, records};

pub(super) const CLAIMED: &[&str] = &[
    "depth-limit",
    "directive-monitor",
    "invariant-monitor",
    "pinning",
    "read-gate",
    "retry-hint",
    "silent-gate",
];

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    Some(match op {
        "policy" => anew(stage, step),
        "flags" => flags(stage),
        "context" => Ok(present(stage)),
        "said" => Ok(again(stage, step)),
        _ => return None,
    })
}

/// From now on another policy.
fn anew(stage: &mut Stage, step: &Map<String, Value>) -> Played {
    stage.setup.policy = step.get("policy").and_then(Value::as_object).cloned().unwrap_or_default();
    stage.write_policy()?;
    Ok(json!({}))
}

/// The markers that are on record, by the words of the governance text.
fn flags(stage: &Stage) -> Played {
    if stage.gates == Gates::Off {
        return Ok(json!({ "flags": [] }));
    }
    let word = |marker: &str| {
        Some(match marker {
            health::PIM_CONFLICT => "pim_conflict",
            health::RETRY_HINT => "retry_hint",
            health::READ_GATE_SKIP => "read_gate_skip",
            health::TOKEN_BUDGET => "stb_over_budget",
            health::SILENT_GATE => "critical",
            frozen::DEVIATION => "deviation",
            _ => return None,
        })
    };
    let lines = records::receipts(stage)?;
    let flags: Vec<&str> = lines
        .iter()
        .filter(|line| matches!(line.kind, Kind::Note | Kind::Judged))
        .filter_map(|line| word(line.marker.as_deref()?))
        .collect();
    Ok(json!({ "flags": flags }))
}

/// The texts of the policy's pins.
fn pins(stage: &Stage) -> impl Iterator<Item = &str> {
    let pins = stage.setup.policy.get("pins").and_then(Value::as_array).into_iter().flatten();
    pins.filter_map(|pin| pin.get("text").and_then(Value::as_str))
}

/// The pinned texts that were said since the last compaction began.
fn present(stage: &Stage) -> Value {
    let is_said = |text: &&str| stage.said.iter().any(|(_, said)| said.contains(*text));
    let since = |text: &&str| {
        is_said(text) && stage.said.iter().any(|(at, said)| *at >= stage.compacted && said.contains(*text))
    };
    json!({ "present": pins(stage).filter(since).collect::<Vec<_>>() })
}

/// Whether a text was said more than once.
fn again(stage: &Stage, step: &Map<String, Value>) -> Value {
    let text = step.get("text").and_then(Value::as_str).unwrap_or_default();
    json!({ "again": stage.said.iter().filter(|(_, said)| said.contains(text)).count() > 1 })
}
