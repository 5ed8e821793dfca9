//! Deployment: the probe and its verdict, the capability contracts, the states, the notifications, research, and the
//! seeding of a vault.

use std::fs;
use std::path::Path;

use gate::event::Todo;
use govern::deploy::contract::{Bridge, Contract, Id, Provided, Toolset};
use govern::deploy::machine::{self, Event, Phase};
use govern::deploy::notice::{self, Notice, Remedy, Trigger};
use govern::deploy::plan::{Plan, Vault};
use govern::deploy::probe::{Asked, CHECKS, Observed, Report, Source, Start, Weight, report};
use govern::deploy::seed;
use govern::deploy::state::Deployment;
use govern::gates::judge_plan;
use govern::knowledge::vault::ITEMS;
use govern::research::{self, Research};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::stage::Stage;
use super::{Gates, Played};

pub(super) const CLAIMED: &[&str] = &[
    "deployment-probe",
    "deployment-states",
    "notifications",
    "research-mode",
    "tool-contracts",
    "vault-seeding",
];

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    Some(match op {
        "research" => judged(stage, step),
        "toolset" => Ok(suitable(stage, step)),
        "probe" => probe(stage, step),
        "verdict" => verdict(stage, step),
        "probe-report" => read(stage, step),
        "probe-target" => holds_secret(stage, step),
        "notice" => told(stage, step),
        "transition" => transition(stage, step),
        "restart" => restart(stage, step),
        "seed" => seeded(stage, step),
        _ => return None,
    })
}

fn text<'s>(step: &'s Map<String, Value>, key: &str) -> Result<&'s str, String> {
    step.get(key).and_then(Value::as_str).ok_or_else(|| format!("`{key}` is missing"))
}

fn words<'s>(step: &'s Map<String, Value>, key: &str) -> Vec<&'s str> {
    step.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

/// A member under the name that the record has on disk.
fn renamed(value: &Value) -> Value {
    let name = |key: &str| {
        match key {
            "localEvidence" => "local_evidence",
            "onlineSources" => "online_sources",
            "usedIn" => "used_in",
            "supersededBy" => "superseded_by",
            other => other,
        }
        .to_owned()
    };
    match value {
        Value::Object(members) => members.iter().map(|(key, value)| (name(key), renamed(value))).collect(),
        Value::Array(values) => values.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

fn judged(stage: &Stage, step: &Map<String, Value>) -> Played {
    let record = renamed(step.get("record").ok_or("`record` is missing")?);
    let record = Research::deserialize(record).map_err(|error| error.to_string())?;
    let fault = research::judge(&record).filter(|_| stage.gates == Gates::On);
    Ok(match fault {
        None => json!({ "accepted": true }),
        Some(fault) => json!({ "accepted": false, "rule": fault.rule }),
    })
}

fn toolset(provides: impl Fn(Id) -> bool, bridge: Bridge) -> Toolset {
    let contract = |id: Id| Contract {
        id,
        provided: if provides(id) { Provided::Native } else { Provided::Missing },
        by: "a hook".to_owned(),
    };
    Toolset {
        name: "tool".to_owned(),
        version: Some("1.0".to_owned()),
        found_by: Vec::new(),
        bridge,
        observed: true,
        contracts: Id::ALL.into_iter().map(contract).collect(),
    }
}

fn suitable(stage: &Stage, step: &Map<String, Value>) -> Value {
    let provided = words(step, "provides");
    let is_open = stage.gates == Gates::Off;
    let toolset = toolset(|id| is_open || provided.contains(&id.id()), Bridge::Shipped);
    json!({ "suitable": toolset.is_suitable(), "lacks": toolset.lacks(), "degrades": toolset.degrades() })
}

/// A target that has everything.
fn whole(bridge: Bridge) -> Observed {
    Observed {
        target: "/target".to_owned(),
        engine: "engine 1".to_owned(),
        asked: Asked {
            folder: None,
            vault: Some("/vault".to_owned()),
            agent: Some("tool".to_owned()),
            run: true,
            model: Some("model".to_owned()),
        },
        os: "linux".to_owned(),
        arch: "x86_64".to_owned(),
        node: Some("22.6.0".to_owned()),
        npm: Some("10.8.0".to_owned()),
        git: Some("2.45.0".to_owned()),
        toolsets: vec![toolset(|_| true, bridge)],
        workspace: true,
        governance: true,
        vault: Some(Source { readable: true, missing: Vec::new() }),
        target_vault: true,
        key: true,
        evidence: true,
        state: true,
        engine_at: Start::OnPath,
        conflicts: Vec::new(),
        obstacles: Vec::new(),
    }
}

/// The same without what one check is about.
fn take_away(observed: &mut Observed, check: &str) -> Result<(), String> {
    match check {
        "DP-001" => "windows".clone_into(&mut observed.os),
        "DP-002" => observed.node = Some("22.5.1".to_owned()),
        "DP-003" => observed.npm = None,
        "DP-004" => {
            let bridge = observed.toolsets[0].bridge;
            observed.toolsets = vec![toolset(|id| id != Id::Receipts, bridge)];
        }
        "DP-005" => observed.workspace = false,
        "DP-006" => observed.governance = false,
        "DP-007" => {
            if let Some(source) = &mut observed.vault {
                source.readable = false;
            }
        }
        "DP-008" => observed.target_vault = false,
        "DP-009" => observed.key = false,
        "DP-010" => observed.evidence = false,
        "DP-011" => observed.state = false,
        "DP-012" => observed.engine_at = Start::Nowhere,
        "DP-013" => {
            if let Some(source) = &mut observed.vault {
                source.missing = vec!["Lessons".to_owned()];
            }
        }
        "DP-014" => observed.git = None,
        "DP-015" => observed.asked.model = None,
        "DP-016" => observed.toolsets[0].version = None,
        "DP-017" => observed.asked.agent = None,
        "DP-018" => observed.toolsets[0].observed = false,
        "DP-019" => observed.conflicts = vec![".claude".to_owned()],
        other => return Err(format!("`{other}` is no check")),
    }
    Ok(())
}

/// The report on a target that lacks what these checks are about.
fn report_without(stage: &Stage, checks: &[&str], bridge: Bridge) -> Result<Report, String> {
    let bridge = if stage.gates == Gates::On { bridge } else { Bridge::Shipped };
    let mut observed = whole(bridge);
    for check in checks.iter().filter(|_| stage.gates == Gates::On) {
        take_away(&mut observed, check)?;
    }
    Ok(report(&observed))
}

fn probe(stage: &Stage, step: &Map<String, Value>) -> Played {
    let absent = text(step, "absent")?;
    let report = report_without(stage, &[absent], Bridge::Shipped)?;
    let check = CHECKS.iter().find(|check| check.id == absent).ok_or("there is no such check")?;
    let vector =
        report.vectors.iter().find(|vector| vector.id == absent).ok_or("the report leaves it out")?;
    let mut told = json!({ "verdict": report.verdict });
    if check.weight != Weight::Informational {
        told["pass"] = json!(vector.pass);
    }
    Ok(told)
}

fn verdict(stage: &Stage, step: &Map<String, Value>) -> Played {
    let bridge = match text(step, "bridge")? {
        "shipped" => Bridge::Shipped,
        _ => Bridge::ToBeWritten,
    };
    let report = report_without(stage, &words(step, "failed"), bridge)?;
    Ok(json!({ "verdict": report.verdict }))
}

/// What follows from what a probe printed.
fn read(stage: &Stage, step: &Map<String, Value>) -> Played {
    let printed = step.get("text").and_then(Value::as_str).map(str::as_bytes);
    if stage.gates == Gates::Off {
        return Ok(json!({ "verdict": "implementable", "notice": null }));
    }
    match Report::read(printed) {
        Ok(report) => Ok(json!({ "verdict": report.verdict, "notice": null })),
        Err(failure) => {
            let notice = notice::probe_failed(&failure.0).map_err(|fault| fault.fact)?;
            let blocked =
                machine::next(Phase::Unprobed, Event::ProbeFailed).map_err(|error| error.to_string())?;
            Ok(json!({ "verdict": blocked.to, "notice": notice.id() }))
        }
    }
}

/// Whether the report on this workspace holds what its files hold.
fn holds_secret(stage: &Stage, step: &Map<String, Value>) -> Played {
    let secret = text(step, "secret")?;
    let world = stage.world();
    let place = crate::deploy::Place::find(&world, None).map_err(|refusal| refusal.message)?;
    let asked = Asked { vault: Some(stage.root.display().to_string()), ..Asked::default() };
    let report = crate::deploy::gather::probe(&world, &place, &asked, &stage.root.join("cairn"));
    Ok(json!({ "holdsSecret": report.text().contains(secret) }))
}

fn told(stage: &Stage, step: &Map<String, Value>) -> Played {
    let trigger = text(step, "trigger")?;
    if let Some(plan) = step.get("plan") {
        let todos = Vec::<Todo>::deserialize(plan).map_err(|error| error.to_string())?;
        let remedy = if stage.gates == Gates::On { Remedy::new(todos) } else { return Ok(json!({})) };
        return Ok(match remedy {
            Ok(_) => json!({ "refused": null }),
            Err(fault) => json!({ "refused": fault.rule }),
        });
    }
    let failed = words(step, "failed");
    let made = match trigger {
        "probe-failed" => notice::probe_failed("the probe ended without a report").map(Some),
        "check-failed" | "blocked" => {
            notice::of_report(&report_without(stage, &failed, Bridge::Shipped)?, &[])
        }
        "plan-ready" => {
            let report = report_without(stage, &[], Bridge::Shipped)?;
            let vault = Vault { path: "/vault".to_owned(), digest: canon::Sha256::of("vault"), commit: None };
            let plan = Plan::of(&report, vault, &[]).map_err(|bad| format!("{bad:?}"))?;
            Notice::approval(&plan, Vec::new()).map(Some)
        }
        "step-failed" => notice::failed(Trigger::StepFailed, "seed-vault", "the disk is full", &[]).map(Some),
        "verification-failed" => {
            notice::failed(Trigger::VerifyFailed, "PL-001", "the call was allowed", &[]).map(Some)
        }
        "residue" => notice::residue(&["a bridge was written".to_owned()], &[]),
        other => return Err(format!("`{other}` triggers nothing")),
    };
    let made = made.map_err(|fault| fault.fact)?;
    let Some(notice) = made.filter(|_| stage.gates == Gates::On) else { return Ok(json!({ "id": null })) };
    let issue = match notice.issues().first().map(serde_json::to_value) {
        Some(Ok(Value::Object(parts))) => {
            let is_said = |(_, part): &(&String, &Value)| part.as_str().is_some_and(|part| !part.is_empty());
            let mut names: Vec<&String> = parts.iter().filter(is_said).map(|(name, _)| name).collect();
            names.sort();
            json!(names)
        }
        _ => Value::Null,
    };
    Ok(json!({
        "id": notice.id(),
        "pauses": notice.pauses(),
        "issue": issue,
        "planAccepted": judge_plan(notice.steps()).is_none(),
        "asksApproval": !notice.asks().is_empty(),
    }))
}

fn phase(word: &str) -> Result<Phase, String> {
    Phase::ALL.into_iter().find(|phase| phase.as_str() == word).ok_or_else(|| format!("`{word}` is no phase"))
}

fn event(word: &str) -> Result<Event, String> {
    Ok(match word {
        "probed" => Event::Probed,
        "probe-failed" => Event::ProbeFailed,
        "found-blocked" => Event::FoundBlocked,
        "plan-made" => Event::PlanMade,
        "approved" => Event::Approved,
        "denied" => Event::Denied,
        "begin-partial" => Event::BeginPartial,
        "begin-implementable" => Event::BeginWhole,
        "bridge-written" => Event::BridgeReady,
        "steps-receipted" => Event::StepsReceipted,
        "step-failed" => Event::StepFailed,
        "passed" => Event::Passed,
        "verification-failed" => Event::VerifyFailed,
        other => return Err(format!("`{other}` is no event of a deployment")),
    })
}

fn transition(stage: &Stage, step: &Map<String, Value>) -> Played {
    let (from, on) = (phase(text(step, "from")?)?, event(text(step, "on")?)?);
    if stage.gates == Gates::Off {
        return Ok(json!({ "to": from }));
    }
    Ok(match machine::next(from, on) {
        Ok(row) => json!({
            "to": row.to,
            "notice": row.notice,
            "restores": from.has_changed() && row.to == Phase::Reported,
        }),
        Err(_) => json!({ "refused": true }),
    })
}

/// A deployment that stands in a phase, written and read again.
fn restart(stage: &Stage, step: &Map<String, Value>) -> Played {
    let mut deployment = Deployment::new(1, stage.now());
    deployment.phase = phase(text(step, "phase")?)?;
    let read = Deployment::read(deployment.text().as_bytes())?;
    Ok(json!({ "phase": read.phase, "resumes": !read.phase.resume().is_empty() }))
}

fn seeded(stage: &Stage, step: &Map<String, Value>) -> Played {
    let from = stage.root.join(text(step, "from")?);
    let target = stage.root.join("target");
    let to = target.join(govern::deploy::VAULT);
    fs::create_dir_all(&target).map_err(|error| error.to_string())?;
    let before = seed::digest(&from).map_err(|error| error.to_string())?;
    let origin = seed::Origin { path: "vault", commit: None, at: stage.now(), digest: before };
    seed::seed(&from, &target, &to, &origin).map_err(|error| error.to_string())?;
    let names = ITEMS.iter().map(|item| item.trim_end_matches('/'));
    let mut parts: Vec<&str> = names.filter(|part| to.join(part).exists()).collect();
    parts.sort_unstable();
    let is_same = seed::digest(&from).is_ok_and(|after| after == before);
    let agents = |folder: &Path| fs::read(folder.join("AGENTS.md")).ok();
    let is_copied = agents(&to).is_some() && agents(&to) == agents(&from);
    Ok(json!({ "parts": parts, "sourceUnchanged": is_same, "agentsCopied": is_copied }))
}
