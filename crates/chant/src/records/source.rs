//! Where a record says that it comes from, and the transcript that it pins.

use std::path::PathBuf;

use canon::Sha256;
use serde_json::{Map, Value};
use store::Env;
use store::file;
use store::git::RepoPath;
use store::tree::Tree;

use super::pins::{is_workspace_path, short};
use super::record::Record;
use crate::{Problem, codes};

/// How long a transcript outside the workspace may be. Any file of the machine can be named there, and of a longer one
/// nothing is said.
const MOST: u64 = 256 * 1024 * 1024;

/// What is wrong with the shape of a source block; none if nothing is. Keys that it does not know are the schema's
/// own matter.
pub fn problem(field: &str, source: &Value) -> Option<String> {
    let at = |inner: &str, message: &str| Some(format!("/{field}{inner} {message}"));
    let Some(source) = source.as_object() else {
        return if source.is_null() { None } else { at("", "must be an object") };
    };
    let text = |map: &Map<String, Value>, key: &str| map.get(key).is_none_or(Value::is_string);
    if source.get("via").is_some_and(|via| !matches!(via.as_str(), Some("cli" | "mcp" | "harvest"))) {
        return at("/via", "must be cli, mcp or harvest");
    }
    for key in ["harness", "model"] {
        if !text(source, key) {
            return at(&format!("/{key}"), "must be a string");
        }
    }
    if let Some(client) = source.get("client") {
        let shaped = client.as_object().is_some_and(|client| {
            client.get("name").is_some_and(Value::is_string)
                && text(client, "version")
                && text(client, "title")
        });
        if !shaped {
            return at("/client", "must be an object with name, and perhaps version and title");
        }
    }
    if let Some(session) = source.get("session") {
        let is_named = |session: &Map<String, Value>| {
            session.get("id").is_some_and(Value::is_string) && text(session, "record")
        };
        if !session.is_string() && !session.as_object().is_some_and(is_named) {
            return at("/session", "must be a string, or an object with id and perhaps record");
        }
    }
    if let Some(turns) = source.get("turns") {
        let bound = |key: &str| turns.get(key).and_then(Value::as_u64);
        if !matches!((bound("from"), bound("to")), (Some(from), Some(to)) if to >= from) {
            return at("/turns", "must be an object with from and to, to at least from");
        }
    }
    if let Some(transcript) = source.get("transcript") {
        let is_text = |key: &str| transcript.get(key).is_some_and(Value::is_string);
        let is_hash = transcript.get("sha256").and_then(Value::as_str).is_some_and(|hash| hash.len() == 64);
        if is_text("path") == is_text("uri") || !is_hash {
            return at("/transcript", "must be an object with path or uri, and sha256");
        }
    }
    None
}

/// Whether the source says that the record was harvested.
pub fn is_harvest(source: &Value) -> bool {
    source.get("via").and_then(Value::as_str) == Some("harvest")
}

/// Warns where the transcript that a record pins can be read here and is another one.
pub(super) fn check_transcript(
    field: &str,
    record: &mut Record,
    tree: &dyn Tree,
    workspace: &RepoPath,
    env: &Env,
) {
    let Some(transcript) = record.field(field).and_then(|source| source.get("transcript")) else { return };
    let text = |key: &str| transcript.get(key).and_then(Value::as_str);
    let (Some(named), Some(pinned)) = (text("path").or(text("uri")), text("sha256")) else { return };
    let content = if let Some(path) = on_disk(named, env) {
        file::read_at_most(&path, MOST).ok().flatten()
    } else if text("path").is_some() && is_workspace_path(named) {
        tree.read(&workspace.join(named)).ok().flatten()
    } else {
        None
    };
    let Some(actual) = content.map(|content| Sha256::of(content).to_string()) else { return };
    if !actual.eq_ignore_ascii_case(pinned) {
        let message =
            format!("the transcript {named} is pinned at {} and is now {}", short(pinned), short(&actual));
        record.warnings.push(Problem::new(codes::SOURCE_TRANSCRIPT_DRIFT, message));
    }
}

/// A file outside the workspace: an absolute path, one from the home folder, or a `file:` address.
fn on_disk(named: &str, env: &Env) -> Option<PathBuf> {
    if let Some(below_home) = named.strip_prefix("~/") {
        return Some(PathBuf::from(env.get("HOME")?).join(below_home));
    }
    let path = match named.strip_prefix("file://") {
        Some(rest) => rest.strip_prefix("localhost").unwrap_or(rest),
        None => named,
    };
    path.starts_with('/').then(|| PathBuf::from(path))
}
