//! The published schemas, where a checkout of them lies beside the repository.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use serde_json::Value;

/// A folder of the published data; none, with a message, where it is not there.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/chant").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: {} is not there", folder.display());
    None
}

/// The published schema of this name.
pub(crate) fn schema(name: &str) -> Option<Validator> {
    let path = folder("schemas")?.join(format!("{name}.schema.json"));
    let schema: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    Some(jsonschema::validator_for(&schema).unwrap())
}

/// Fails where a document is not as its schema says.
pub(crate) fn check(name: &str, document: &impl serde::Serialize) {
    let Some(schema) = schema(name) else { return };
    let document = serde_json::to_value(document).unwrap();
    let errors: Vec<String> =
        schema.iter_errors(&document).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}
