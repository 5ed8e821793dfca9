//! What became of a call.

use gate::event::{Outcome, Tool};
use serde_json::{Map, Value};

use crate::fields::Fields;
use crate::shape::decoded;

const RESULT: &[&str] = &[
    "tool_response",
    "tool_output",
    "toolResult",
    "toolResponse",
    "tool_result",
    "result_json",
    "output",
    "result",
];
/// Those that are JSON within a text. Any other text is what a tool printed, and decides nothing.
const ENCODED: &[&str] = &["tool_output", "result_json"];
const KIND: &[&str] = &["resultType", "result_type"];
const ERROR: &[&str] = &["error", "error_message", "errorMessage"];

/// The outcome in a payload of `post_tool`. `failed` says that the event itself means failure; `split` that the agent
/// has such an event, so that any other one means success.
pub(crate) fn outcome(payload: Fields<'_>, tool: &Tool, failed: bool, split: bool) -> Outcome {
    let error = payload.get(ERROR);
    let encoded = payload.get(ENCODED).and_then(Value::as_str);
    let encoded = encoded.map(decoded).filter(Value::is_object);
    let result = encoded.as_ref().or_else(|| payload.get(RESULT));
    let inner = match result {
        Some(Value::Object(map)) => Some(Fields(map)),
        _ => None,
    };
    let mut exit = None;
    if matches!(tool, Tool::Shell { .. }) {
        exit = inner.and_then(exit_code).or_else(|| error.and_then(exit_in_error));
    }
    let ok = if failed || error.is_some() || inner.is_some_and(went_wrong) {
        Some(false)
    } else if let Some(code) = exit {
        Some(code == 0)
    } else if split || inner.is_some_and(|inner| inner.get(KIND) == Some(&Value::from("success"))) {
        Some(true)
    } else {
        None
    };
    Outcome { ok, exit, result: result.or(error).cloned().unwrap_or(Value::Null) }
}

fn went_wrong(result: Fields<'_>) -> bool {
    let kind = result.get(KIND).and_then(Value::as_str);
    result.has("error") || result.flag(&["interrupted"]) || kind.is_some_and(|kind| kind != "success")
}

fn exit_code(result: Fields<'_>) -> Option<i64> {
    let empty = Map::new();
    let metadata = result.get(&["metadata"]).and_then(Value::as_object).unwrap_or(&empty);
    [result, Fields(metadata)]
        .iter()
        .find_map(|fields| fields.get(&["exit_code", "exitCode", "exit"]).and_then(Value::as_i64))
}

/// Claude Code names the code in the first line of an error.
fn exit_in_error(error: &Value) -> Option<i64> {
    error.as_str()?.lines().next()?.trim().strip_prefix("Exit code ")?.parse().ok()
}
