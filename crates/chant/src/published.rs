//! The published schemas and fixtures, where the tests have them at hand.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde::Serialize;
use serde_json::Value;

/// A folder of the published data; none, with a message, where it is not at hand.
pub(crate) fn data(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/chant").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: nothing published at {}", folder.display());
    None
}

/// The folder of the published schemas.
pub(crate) fn folder() -> Option<PathBuf> {
    data("schemas")
}

/// The published schema of this name.
pub(crate) fn schema(name: &str) -> Option<Validator> {
    let text = fs::read(folder()?.join(format!("{name}.schema.json"))).unwrap();
    let schema: Value = serde_json::from_slice(&text).unwrap();
    Some(jsonschema::validator_for(&schema).unwrap())
}

/// Checks a document against the published schema of this name.
pub(crate) fn check(name: &str, document: &impl Serialize) {
    let Some(schema) = schema(name) else { return };
    let document = serde_json::to_value(document).unwrap();
    let errors = schema.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path()));
    let errors: Vec<String> = errors.collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}
