//! The points file of an answer kind: typed questions that a workspace asks again and again, and who decides them.

use std::collections::BTreeMap;

use canon::{Sha256, json};
use gate::Refusal;
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::Tree;

use crate::codes;
use crate::kind::shape::{Shape, within};

/// What the name of an input may begin with: the outputs that it is read from.
const OUTPUTS: [&str; 13] = [
    "record",
    "decision",
    "work-item",
    "finding",
    "region",
    "commit",
    "node",
    "member",
    "gate",
    "release",
    "environment",
    "component",
    "ask",
];

/// The points that a file declares.
#[derive(Debug, Clone)]
pub struct Points {
    /// Each point by its name.
    pub points: BTreeMap<String, Point>,
}

/// One decision point.
#[derive(Debug, Clone)]
pub struct Point {
    /// The SHA-256 of its declaration, which an answer names.
    pub version: Sha256,
    /// The declaration, with the type that `boolean` stands for written out.
    pub declaration: Value,
}

/// Reads a points file.
///
/// # Errors
/// `points-invalid`, with everything that is wrong.
pub fn load(tree: &dyn Tree, file: &RepoPath) -> Result<Points, Refusal> {
    let invalid = |why: String| Refusal::new(codes::POINTS_INVALID, format!("points file {file} {why}"));
    let bytes = match tree.read(file) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(invalid("does not exist".into())),
        Err(error) => return Err(invalid(format!("can't be read: {error}"))),
    };
    let map = json::record(&bytes).map_err(|damage| invalid(format!("is not valid: {damage}")))?;
    let mut shape = Shape::named("points file");
    let points = read(&mut shape, &map);
    let problems = shape.into_problems();
    if problems.is_empty() {
        Ok(Points { points })
    } else {
        Err(invalid(format!("is not valid: {}", problems.join("; "))))
    }
}

fn is_extension(key: &str) -> bool {
    key.starts_with("x-")
}

fn read(shape: &mut Shape, map: &Map<String, Value>) -> BTreeMap<String, Point> {
    for key in map.keys().filter(|key| !matches!(key.as_str(), "$schema" | "points") && !is_extension(key)) {
        shape.problem(key, "no such field");
    }
    let Some(declared) = map.get("points").and_then(Value::as_object).filter(|points| !points.is_empty())
    else {
        shape.problem("points", "an object with at least one point is expected");
        return BTreeMap::new();
    };
    let mut points = BTreeMap::new();
    for (name, declaration) in declared {
        let path = within("points", name);
        if !is_word(name, "-") {
            shape.problem(&path, "a name has lower-case letters, digits and dashes, a letter first");
        }
        let mut declaration = declaration.clone();
        if let Some(kind) = declaration.pointer_mut("/question/type")
            && *kind == "boolean"
        {
            *kind = Value::from("noul");
        }
        point(shape, &path, &declaration);
        // What was read from JSON can be written as JSON.
        let version = Sha256::of(json::canonical(&declaration).unwrap_or_default());
        points.insert(name.clone(), Point { version, declaration });
    }
    points
}

fn is_word(name: &str, more: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_lowercase())
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || more.contains(letter))
}

fn point(shape: &mut Shape, path: &str, declaration: &Value) {
    let Some(point) = declaration.as_object() else {
        return shape.problem(path, "an object is expected");
    };
    let known = ["title", "question", "inputs", "deciders", "adhoc"];
    for key in point.keys().filter(|key| !known.contains(&key.as_str()) && !is_extension(key)) {
        shape.problem(&within(path, key), "no such field");
    }
    shape.needed(point, path, "title");
    let is_adhoc = match point.get("adhoc") {
        None | Some(Value::Bool(false)) => false,
        Some(Value::Bool(true)) => true,
        Some(_) => {
            shape.problem(&within(path, "adhoc"), "true or false is expected");
            false
        }
    };
    let candidates = question(shape, path, point, is_adhoc);
    let inputs = inputs(shape, path, point);
    deciders(shape, path, point, candidates.as_deref(), &inputs, is_adhoc);
}

/// The candidates of a point's question, unless each ask brings its own.
fn question(shape: &mut Shape, path: &str, point: &Map<String, Value>, is_adhoc: bool) -> Option<Vec<Value>> {
    if !point.contains_key("question") {
        shape.problem(&within(path, "question"), "it is required");
    }
    let (question, path) = shape.block(point, path, "question", &["type", "instructions", "criteria"])?;
    shape.needed(question, &path, "instructions");
    let kind = shape.needed(question, &path, "type")?;
    let place = within(&path, "criteria");
    let criteria = question.get("criteria");
    if is_adhoc {
        if criteria.is_some() {
            shape.problem(&place, "an ad-hoc point has none: each ask brings its own");
        }
        return None;
    }
    let texts = |value: &Value| value.as_object().filter(|map| map.values().all(Value::is_string)).cloned();
    let (candidates, wanted) = match &*kind {
        "noul" => (
            criteria
                .and_then(texts)
                .filter(|map| map.len() == 2 && map.contains_key("true") && map.contains_key("false"))
                .map(|_| vec![Value::Bool(true), Value::Bool(false)]),
            "an object with a text for true and one for false is expected",
        ),
        "choice" => (
            criteria
                .and_then(texts)
                .filter(|map| (2..=255).contains(&map.len()))
                .map(|map| map.keys().cloned().map(Value::from).collect()),
            "an object of 2 to 255 options with a text each is expected",
        ),
        "score" => (
            criteria
                .and_then(Value::as_array)
                .filter(|levels| {
                    let unique = levels.iter().enumerate().all(|(n, level)| !levels[..n].contains(level));
                    let texts =
                        levels.iter().all(|level| level.as_str().is_some_and(|text| !text.is_empty()));
                    (2..=10).contains(&levels.len()) && unique && texts
                })
                .cloned(),
            "a list of 2 to 10 different levels is expected",
        ),
        other => {
            shape.problem(&within(&path, "type"), format!("`{other}` is none of noul, choice, score"));
            return None;
        }
    };
    if candidates.is_none() {
        shape.problem(&place, wanted);
    }
    candidates
}

fn inputs(shape: &mut Shape, path: &str, point: &Map<String, Value>) -> Vec<String> {
    let path = within(path, "inputs");
    let Some(inputs) = point.get("inputs").and_then(Value::as_object).filter(|inputs| !inputs.is_empty())
    else {
        shape.problem(&path, "an object with at least one input is expected");
        return Vec::new();
    };
    for (name, description) in inputs {
        let output = name.split('.').next().unwrap_or_default();
        if !OUTPUTS.contains(&output) {
            shape.problem(&within(&path, name), format!("`{output}` is none of {}", OUTPUTS.join(", ")));
        }
        if !description.is_string() {
            shape.problem(&within(&path, name), "a text is expected");
        }
    }
    inputs.keys().cloned().collect()
}

fn deciders(
    shape: &mut Shape,
    path: &str,
    point: &Map<String, Value>,
    candidates: Option<&[Value]>,
    inputs: &[String],
    is_adhoc: bool,
) {
    let path = within(path, "deciders");
    let Some(deciders) =
        point.get("deciders").and_then(Value::as_array).filter(|deciders| !deciders.is_empty())
    else {
        return shape.problem(&path, "a list with at least one decider is expected");
    };
    let last = deciders.len() - 1;
    for (n, decider) in deciders.iter().enumerate() {
        let path = format!("{path}[{n}]");
        let kind = decider.get("kind").and_then(Value::as_str).unwrap_or_default();
        let fields: &[&str] = match kind {
            "table" => &["kind", "note", "rows"],
            "model" => &["kind", "note", "backend", "model", "threshold", "unreachable"],
            "quorum" => &["kind", "note", "count", "roles"],
            _ => {
                shape.problem(&within(&path, "kind"), "table, model or quorum is expected");
                continue;
            }
        };
        let Some(decider) = shape.closed(decider, &path, fields) else { continue };
        if (kind == "quorum") != (n == last) {
            shape.problem(&path, "a quorum stands last, and only there");
        }
        if is_adhoc && kind != "quorum" {
            shape.problem(&path, "an ad-hoc point is decided by a quorum alone");
        }
        match kind {
            "table" => rows(shape, &path, decider, candidates, inputs),
            "model" => model(shape, &path, decider),
            _ => {
                if decider.get("count").and_then(Value::as_u64).is_none_or(|count| count == 0) {
                    shape.problem(&within(&path, "count"), "a whole number from 1 is expected");
                }
                if shape.texts(decider, &path, "roles").is_some_and(|roles| roles.is_empty()) {
                    shape.problem(&within(&path, "roles"), "at least one role is expected");
                }
            }
        }
    }
}

fn model(shape: &mut Shape, path: &str, decider: &Map<String, Value>) {
    if shape.needed(decider, path, "backend").is_some_and(|backend| !is_word(&backend, "-")) {
        shape.problem(
            &within(path, "backend"),
            "a name has lower-case letters, digits and dashes, a letter first",
        );
    }
    let alias = |model: &String| {
        let last = model.rsplit(['-', '_', '.', '/']).next().unwrap_or_default().to_ascii_lowercase();
        matches!(&*last, "latest" | "preview" | "stable" | "current")
    };
    if shape.needed(decider, path, "model").as_ref().is_some_and(alias) {
        shape.problem(&within(path, "model"), "an alias does not say which model answers; name one release");
    }
    let threshold = decider.get("threshold").and_then(Value::as_f64);
    if threshold.is_none_or(|threshold| threshold <= 0.0 || threshold > 1.0) {
        shape.problem(&within(path, "threshold"), "a number above 0 and up to 1 is expected");
    }
    if decider.get("unreachable").is_some_and(|value| !matches!(value.as_str(), Some("escalate" | "fail"))) {
        shape.problem(&within(path, "unreachable"), "escalate or fail is expected");
    }
}

fn rows(
    shape: &mut Shape,
    path: &str,
    decider: &Map<String, Value>,
    candidates: Option<&[Value]>,
    inputs: &[String],
) {
    let path = within(path, "rows");
    let Some(rows) = decider.get("rows").and_then(Value::as_array).filter(|rows| !rows.is_empty()) else {
        return shape.problem(&path, "a list with at least one row is expected");
    };
    for (n, row) in rows.iter().enumerate() {
        let path = format!("{path}[{n}]");
        let Some(row) = shape.closed(row, &path, &["when", "answer", "note"]) else { continue };
        match row.get("when").and_then(Value::as_object) {
            Some(when) => {
                for (input, condition) in when {
                    let path = format!("{path}.when[{input}]");
                    if !inputs.contains(input) {
                        shape.problem(&path, "the point declares no such input");
                    }
                    if !is_condition(condition) {
                        shape.problem(
                            &path,
                            "a value or one comparison (eq, ne, lt, lte, gt, gte, in) is expected",
                        );
                    }
                }
            }
            None => shape.problem(&within(&path, "when"), "an object is expected"),
        }
        let answer = row.get("answer");
        let fits =
            candidates.is_none_or(|candidates| answer.is_some_and(|answer| candidates.contains(answer)));
        if answer.is_none() || !fits {
            shape.problem(&within(&path, "answer"), "one of the point's candidates is expected");
        }
    }
}

fn is_condition(condition: &Value) -> bool {
    let is_scalar = |value: &Value| !value.is_object() && !value.is_array();
    match condition {
        Value::Object(map) if map.len() == 1 => map.iter().all(|(operator, value)| match operator.as_str() {
            "eq" | "ne" => is_scalar(value),
            "lt" | "lte" | "gt" | "gte" => value.is_number(),
            "in" => value.as_array().is_some_and(|values| values.iter().all(is_scalar)),
            _ => false,
        }),
        value => is_scalar(value),
    }
}

#[cfg(test)]
mod tests {
    use store::tree::{Overlay, WorkTree};

    use super::*;

    fn read(text: &str) -> Result<Points, Refusal> {
        let folder = tempfile::tempdir().unwrap();
        let disk = WorkTree::new(folder.path());
        load(&Overlay::new(&disk).with("points.json".into(), text), &"points.json".into())
    }

    const POINT: &str = r#"{ "points": { "tier": {
        "title": "Which", "question": { "type": "choice", "instructions": "Pick", "criteria": { "s": "small", "l": "large" } },
        "inputs": { "work-item.words": "how many" },
        "deciders": [
            { "kind": "table", "rows": [{ "when": { "work-item.words": { "lt": 9 } }, "answer": "s" }] },
            { "kind": "model", "backend": "one", "model": "m-1", "threshold": 0.8 },
            { "kind": "quorum", "count": 1, "note": "people" }] } } }"#;

    #[test]
    fn a_version_moves_with_the_declaration_alone() {
        let version = |text: &str| read(text).unwrap().points["tier"].version;
        let spaced = POINT.replace("{ ", "{\n  ");
        assert_eq!(version(POINT), version(&spaced));
        assert_ne!(version(POINT), version(&POINT.replace("\"Pick\"", "\"Choose\"")));
        let noul = r#"{ "points": { "tier": { "title": "t", "question": { "type": "noul", "instructions": "i",
            "criteria": { "true": "", "false": "" } }, "inputs": { "ask": "" }, "deciders": [{ "kind": "quorum", "count": 1 }] } } }"#;
        assert_eq!(version(noul), version(&noul.replace("noul", "boolean")));
    }

    #[test]
    fn each_rule_of_a_points_file_is_checked() {
        for (from, to, what) in [
            ("\"title\": \"Which\",", "", "points.tier.title: it is required"),
            ("\"title\"", "\"colour\": 1, \"title\"", "points.tier.colour: no such field"),
            ("\"l\": \"large\"", "\"l\": 2", "points.tier.question.criteria: an object of 2 to 255 options"),
            (
                "work-item.words\": \"how",
                "weather\": \"how",
                "points.tier.inputs.weather: `weather` is none of",
            ),
            (
                "\"answer\": \"s\"",
                "\"answer\": \"m\"",
                "points.tier.deciders[0].rows[0].answer: one of the point's candidates",
            ),
            ("{ \"lt\": 9 }", "{ \"lt\": \"9\" }", "when[work-item.words]: a value or one comparison"),
            ("m-1", "m-latest", "points.tier.deciders[1].model: an alias"),
            ("0.8", "0", "points.tier.deciders[1].threshold"),
            ("\"count\": 1", "\"count\": 0", "points.tier.deciders[2].count"),
            (
                "\"kind\": \"quorum\"",
                "\"kind\": \"dice\"",
                "points.tier.deciders[2].kind: table, model or quorum",
            ),
            (
                "\"backend\": \"one\"",
                "\"backend\": \"one\", \"rows\": []",
                "points.tier.deciders[1].rows: no such option",
            ),
            ("{ \"points\"", "{ \"points\": {}, \"points\"", "repeats"),
        ] {
            assert!(POINT.contains(from), "{from}");
            let refusal = read(&POINT.replace(from, to)).unwrap_err();
            assert_eq!(refusal.code, codes::POINTS_INVALID);
            assert!(refusal.message.contains(what), "{}", refusal.message);
        }
    }
}
