//! The knowledge lifecycle: what is admitted to the store, where an entry applies, and what a pass over evidence makes of
//! the entries.

use canon::Timestamp;
use govern::knowledge::admit::{Draft, admit};
use govern::knowledge::lifecycle::{Room, pass};
use govern::knowledge::{
    Elevation, Entry, Evidence, Fields, Folder, Label, Provenance, Quarantine, Scope, Status, Terms, codes,
};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::stage::Stage;
use super::{Gates, Played};

pub(super) const CLAIMED: &[&str] =
    &["knowledge-lifecycle", "knowledge-store", "quarantine", "scope-isolation"];

/// The project of every lesson that says none.
const PROJECT: &str = "project";

/// Plays an operation; none where it is of another family.
pub(super) fn play(stage: &mut Stage, op: &str, step: &Map<String, Value>) -> Option<Played> {
    Some(match op {
        "admit" => admitted(stage, step),
        "applies" => applies(stage, step),
        "lifecycle" => lifecycle(stage, step),
        _ => return None,
    })
}

fn entry_of(step: &Map<String, Value>) -> Result<&Map<String, Value>, String> {
    step.get("entry").and_then(Value::as_object).ok_or_else(|| "`entry` is missing".to_owned())
}

fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn instant(object: &Map<String, Value>, key: &str) -> Result<Option<Timestamp>, String> {
    text(object, key).map(|text| text.parse().map_err(|_| format!("`{key}` is no instant"))).transpose()
}

fn admitted(stage: &Stage, step: &Map<String, Value>) -> Played {
    let entry = entry_of(step)?;
    let label = entry.get("label").map(Label::deserialize).transpose().map_err(|error| error.to_string())?;
    let draft = Draft {
        title: text(entry, "title").unwrap_or_default(),
        label,
        signature: text(entry, "signature"),
        writer: text(entry, "writer"),
        evidence: text(entry, "evidence"),
        body: text(entry, "body").unwrap_or_default(),
        ..Draft::default()
    };
    if stage.gates == Gates::Off {
        return Ok(json!({ "admitted": true }));
    }
    Ok(match admit(draft, "entry", PROJECT, stage.now()) {
        Ok(_) => json!({ "admitted": true }),
        Err(refusal) => {
            let lacks = match refusal.code {
                codes::NO_LABEL => "label",
                codes::NO_PROVENANCE => "provenance",
                codes::NO_EVIDENCE => "evidence",
                codes::HOLDS_SECRET => "no-credential",
                other => other.as_str(),
            };
            json!({ "admitted": false, "lacks": lacks })
        }
    })
}

/// Whether an entry that is in force somewhere is in force in a project.
fn applies(stage: &Stage, step: &Map<String, Value>) -> Played {
    let entry = entry_of(step)?;
    let project = text(step, "project").ok_or("`project` is missing")?;
    let scope = text(entry, "scope").ok_or("`scope` is missing")?;
    let (by, why) = ("person".to_owned(), "stated".to_owned());
    let is = |key: &str| entry.get(key).and_then(Value::as_bool).unwrap_or(false);
    let risky = || Quarantine { by: by.clone(), at: stage.now(), why: why.clone() };
    let fields = Fields {
        title: Some("an entry".to_owned()),
        label: Some(Label::Rule),
        status: Some(if is("erased") { Status::Erased } else { Status::Promoted }),
        scope: Some(Scope::Project(scope)),
        elevated: text(entry, "elevatedInto").map(|into| Elevation {
            into,
            by: by.clone(),
            at: stage.now(),
            why: why.clone(),
        }),
        quarantine: is("quarantined").then(risky),
        erased: is("erased").then(risky),
        ..Fields::default()
    };
    let entry = Entry {
        id: "entry".to_owned(),
        folder: Folder::Lessons,
        fields,
        body: String::new(),
        sensitive: Vec::new(),
    };
    Ok(json!({ "applies": stage.gates == Gates::Off || entry.is_in_force(&project) }))
}

fn lesson(value: &Value, at: Timestamp) -> Result<Entry, String> {
    let entry = value.as_object().ok_or("an entry is no object")?;
    let status =
        entry.get("status").map(Status::deserialize).transpose().map_err(|error| error.to_string())?;
    let fields = Fields {
        title: text(entry, "title"),
        label: Some(Label::Fact),
        status,
        signature: text(entry, "signature"),
        scope: Some(Scope::Project(PROJECT.to_owned())),
        provenance: Some(Provenance {
            writer: text(entry, "writer").ok_or("an entry has no `writer`")?,
            evidence: text(entry, "evidence").ok_or("an entry has no `evidence`")?,
            derivation: None,
            valid_time: at,
            transaction_time: at,
        }),
        archived_at: instant(entry, "archivedAt")?,
        ..Fields::default()
    };
    let id = text(entry, "id").ok_or("an entry has no `id`")?;
    Ok(Entry { id, folder: Folder::Lessons, fields, body: String::new(), sensitive: Vec::new() })
}

fn evidence(value: &Value) -> Result<Evidence, String> {
    let mut piece = value.as_object().cloned().ok_or("a piece of evidence is no object")?;
    piece.insert("writer".to_owned(), json!("person"));
    Evidence::deserialize(Value::Object(piece)).map_err(|error| error.to_string())
}

/// One pass. Entries that are not given are those that the pass before left.
fn lifecycle(stage: &mut Stage, step: &Map<String, Value>) -> Played {
    let list = |key: &str| step.get(key).and_then(Value::as_array).into_iter().flatten();
    if step.contains_key("entries") {
        stage.entries = list("entries").map(|entry| lesson(entry, stage.now())).collect::<Result<_, _>>()?;
    }
    let pieces: Vec<Evidence> = list("evidence").map(evidence).collect::<Result<_, _>>()?;
    let days = step.get("windowDays").and_then(Value::as_u64).and_then(|days| u32::try_from(days).ok());
    let terms = Terms {
        project: PROJECT.to_owned(),
        window_days: days.ok_or("`windowDays` is missing")?,
        archive_after_days: None,
    };
    let now = instant(step, "now")?.ok_or("`now` is missing")?;
    if stage.gates == Gates::Off {
        // Whoever asks no gate takes every lesson for true.
        let all: Vec<&String> = stage.entries.iter().map(|entry| &entry.id).collect();
        return Ok(json!({ "changes": [], "inForce": all, "heldOut": {} }));
    }
    let passed = pass(&stage.entries, &pieces, &terms, now, Room::Free);
    stage.entries = passed.entries;
    let changes: Vec<Value> =
        passed.changes.iter().map(|change| json!({ "id": change.id, "event": change.event })).collect();
    if text(step, "only").as_deref() == Some("events") {
        return Ok(json!({ "changes": changes }));
    }
    let in_force: Vec<&Entry> = stage.entries.iter().filter(|entry| entry.is_in_force(PROJECT)).collect();
    let held_out: Map<String, Value> = in_force
        .iter()
        .filter_map(|entry| {
            let promotion = entry.fields.promotion.as_ref()?;
            Some((entry.id.clone(), json!(promotion.held_out.verdict)))
        })
        .collect();
    let ids: Vec<&String> = in_force.iter().map(|entry| &entry.id).collect();
    Ok(json!({ "changes": changes, "inForce": ids, "heldOut": held_out }))
}
