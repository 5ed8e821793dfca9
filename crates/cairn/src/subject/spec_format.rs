//! The spec format: what the checks find in a Markdown file.

use govern::spec_lint::{Given, Profile, Sibling, lint};
use serde_json::{Map, Value, json};

use super::stage::Stage;
use super::{Gates, Played, adapters};

pub(super) const CLAIMED: &[&str] = &["spec-format"];

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    (op == "lint").then(|| found(stage, step))
}

fn found(stage: &Stage, step: &Map<String, Value>) -> Played {
    let name = step.get("name").and_then(Value::as_str).ok_or("`name` is missing")?;
    let bytes = adapters::bytes(step, "text")?;
    let beside = step.get("siblings").and_then(Value::as_object).into_iter().flatten();
    let siblings: Vec<Sibling> = beside
        .filter_map(|(name, text)| Sibling::read(name, text.as_str().unwrap_or_default().as_bytes()))
        .collect();
    let profile = Profile::built_in(Profile::DEFAULT).ok_or("the profile is missing")?;
    let given = Given { name, siblings: Some(&siblings), profile: &profile, links: None };
    let findings = match stage.gates {
        Gates::On => lint(&bytes, given),
        Gates::Off => Vec::new(),
    };
    let mut told: Vec<Value> = findings.iter().map(|one| json!([one.check, one.line])).collect();
    told.dedup();
    Ok(json!({ "findings": told }))
}
