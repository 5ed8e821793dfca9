//! The published schemas, where the tests have them at hand.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

/// The folder of the published schemas; none, with a message, where it is not at hand.
pub(crate) fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/chant/schemas");
    if !folder.is_dir() {
        eprintln!("skipped: no published schemas at {}", folder.display());
        return None;
    }
    Some(folder)
}

/// Checks a document against the published schema of this name.
pub(crate) fn check(name: &str, document: &impl Serialize) {
    let Some(folder) = folder() else { return };
    let text = fs::read(folder.join(format!("{name}.schema.json"))).unwrap();
    let schema: Value = serde_json::from_slice(&text).unwrap();
    let document = serde_json::to_value(document).unwrap();
    let errors: Vec<_> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}
