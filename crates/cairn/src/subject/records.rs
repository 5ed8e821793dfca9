//! Receipts, tickets, evidence, and what happens to the workspace beside the agent.

use std::fs;

use gate::event::{Event, Moment};
use govern::receipts::{Kind, Outcome, Receipt, Receipts, key, verify};
use serde_json::{Map, Value, json};
use store::file;

use super::stage::Stage;
use super::{Gates, Played};
use crate::hook::{canary, ticket};

pub(super) const CLAIMED: &[&str] = &["receipts", "receipts.verify", "completion-evidence", "canary"];

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    Some(match op {
        "files" => files(stage, step),
        "grant" => grant(stage),
        "receipts" => lines(stage),
        "verify-receipts" => verified(stage),
        "tamper" => tamper(stage, step),
        "evidence" => evidence(stage),
        "canary" => Ok(canary(stage)),
        _ => return None,
    })
}

/// Somebody else than the agent changes the workspace, or the agent's own call has its effect.
fn files(stage: &Stage, step: &Map<String, Value>) -> Played {
    let members = |key: &str| step.get(key).and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, content) in members("write") {
        stage.write(&name, content.as_str().unwrap_or_default())?;
    }
    for name in step.get("remove").and_then(Value::as_array).into_iter().flatten() {
        let path = stage.root.join(name.as_str().unwrap_or_default());
        fs::remove_file(path).map_err(|error| error.to_string())?;
    }
    for (name, target) in members("link") {
        link(target.as_str().unwrap_or_default(), &stage.root.join(name))?;
    }
    Ok(json!({}))
}

#[cfg(unix)]
fn link(target: &str, path: &std::path::Path) -> Result<(), String> {
    std::os::unix::fs::symlink(target, path).map_err(|error| error.to_string())
}

#[cfg(not(unix))]
fn link(_: &str, _: &std::path::Path) -> Result<(), String> {
    Err("there are no symbolic links here".to_owned())
}

/// A person lets the call pass that waits.
fn grant(stage: &Stage) -> Played {
    let place = stage.state()?;
    let waits = ticket::open(&place, stage.now());
    let Some(last) = waits.last() else { return Ok(json!({ "granted": false })) };
    ticket::grant(&place, &last.id, stage.now())?;
    Ok(json!({ "granted": true }))
}

/// The receipts of the session.
pub(super) fn receipts(stage: &Stage) -> Result<Vec<Receipt>, String> {
    let event = Event {
        agent: stage.agent().as_str().to_owned(),
        event: Moment::Stop,
        session: Some(stage.setup.session.clone()),
        subagent: None,
        cwd: None,
        call: None,
        outcome: None,
        text: None,
        source: None,
        stop_refused_before: false,
    };
    let world = stage.world();
    let lines = Receipts::open(&stage.state()?, &world).and_then(|log| log.of_session(&event, u64::MAX));
    lines.map_err(|error| error.to_string())
}

/// The receipts of the session, in neutral words.
pub(super) fn lines(stage: &Stage) -> Played {
    let line = |receipt: &Receipt| {
        let mut told = Map::new();
        told.insert("seq".to_owned(), json!(receipt.seq));
        told.insert("kind".to_owned(), json!(receipt.kind));
        told.insert("at".to_owned(), json!(receipt.at));
        if matches!(receipt.kind, Kind::Judged | Kind::Seen) {
            told.insert("tool".to_owned(), json!(receipt.tool));
            told.insert("argsHash".to_owned(), json!(receipt.args_hash));
            told.insert("outcome".to_owned(), json!(receipt.outcome));
        }
        if receipt.kind == Kind::Judged {
            told.insert("decision".to_owned(), json!(receipt.decision));
            told.insert("rule".to_owned(), json!(receipt.rule));
            let is_denied = receipt.outcome == Some(Outcome::NotExecuted);
            told.insert("nonExecution".to_owned(), json!(is_denied && receipt.non_execution.is_some()));
        }
        if receipt.kind == Kind::Seen {
            told.insert("resultHash".to_owned(), json!(receipt.result_hash));
        }
        Value::Object(told)
    };
    Ok(receipts(stage)?.iter().map(line).collect())
}

/// The calls that were judged, each with what was decided.
pub(super) fn calls(stage: &Stage) -> Played {
    let judged = receipts(stage)?.into_iter().filter(|receipt| receipt.kind == Kind::Judged);
    let told = |receipt: Receipt| json!({ "tool": receipt.tool, "argsHash": receipt.args_hash, "decision": receipt.decision });
    Ok(judged.map(told).collect())
}

/// Whether the chain is as it was written, checked offline with the public key alone.
fn verified(stage: &Stage) -> Played {
    let place = stage.state()?;
    let keys = key::known(place.keys()).map_err(|error| error.to_string())?;
    let found = verify::verify(&place, &keys).map_err(|error| error.to_string())?;
    let fault = found.fault.filter(|_| stage.gates == Gates::On);
    Ok(match fault {
        None => json!({ "intact": true }),
        Some(fault) => json!({ "intact": false, "firstBad": fault.seq }),
    })
}

/// Somebody edits the log of receipts.
fn tamper(stage: &Stage, step: &Map<String, Value>) -> Played {
    let path = stage.state()?.receipts();
    let bytes = file::read(&path).map_err(|error| error.to_string())?.unwrap_or_default();
    let text = String::from_utf8(bytes).map_err(|error| error.to_string())?;
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let seq = step.get("seq").and_then(Value::as_u64).and_then(|seq| usize::try_from(seq).ok());
    let at = seq.and_then(|seq| seq.checked_sub(1)).filter(|at| *at < lines.len());
    let at = at.ok_or("no receipt has this number")?;
    match step.get("how").and_then(Value::as_str) {
        // The last digit of the year.
        Some("byte") => lines[at] = lines[at].replacen("\"at\":\"2026", "\"at\":\"2025", 1),
        Some("remove") => drop(lines.remove(at)),
        Some("move") if at + 1 < lines.len() => lines.swap(at, at + 1),
        _ => return Err("`how` is byte, remove or move".to_owned()),
    }
    fs::write(&path, lines.join("\n") + "\n").map_err(|error| error.to_string())?;
    Ok(json!({}))
}

/// What the last end of a turn put on record about the agent's words.
fn evidence(stage: &Stage) -> Played {
    let lines = receipts(stage)?;
    let Some(record) = lines.iter().rev().find_map(|line| line.evidence.as_ref()) else {
        return Ok(json!({ "verdict": null }));
    };
    let findings: Vec<Value> = record
        .findings
        .iter()
        .map(|finding| {
            json!({
                "key": finding.key,
                "claimed": finding.claimed,
                "receipted": finding.receipted,
                "verdict": finding.verdict,
            })
        })
        .collect();
    Ok(json!({ "verdict": record.verdict, "basis": record.basis, "findings": findings }))
}

/// A harmless call that must be denied.
fn canary(stage: &Stage) -> Value {
    let is_alive = stage.gates == Gates::On && canary::ask(&stage.world()).alive;
    json!({ "alive": is_alive, "alert": if is_alive { Value::Null } else { json!("critical") } })
}
