//! Kinds that pinned packages and directories supply.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::Tree;

use super::kinds::{Field, FieldType, Kind, Outputs, Probe};
use super::pinned::{self, Installed};
use crate::declaration::{self, Pin};

/// The entry of a package's `exports` that names its kinds.
const SUBPATH: &str = "./workspace-kinds";

/// What one pin supplies.
#[derive(Debug, Default)]
pub(super) struct Supplied {
    pub kinds: Vec<Kind>,
    pub problems: Vec<String>,
}

/// What a pin supplies. What does not supply kinds supplies none, which is no problem.
pub(super) fn supplied(
    tree: &dyn Tree,
    root: &RepoPath,
    pin: &Pin,
    installed: Option<&Installed>,
) -> Supplied {
    match pinned::published::<File>(tree, root, pin, installed, SUBPATH) {
        Ok(Some(found)) => checked(&found.source, found.data.kinds),
        Ok(None) => Supplied::default(),
        Err(problem) => Supplied { kinds: Vec::new(), problems: vec![problem] },
    }
}

#[derive(Deserialize)]
struct File {
    kinds: Vec<Entry>,
}

/// One kind of a package. Options that are not known here say nothing of how members are read.
#[derive(Deserialize)]
struct Entry {
    name: String,
    description: String,
    precedence: u64,
    probe: EntryProbe,
    #[serde(default)]
    outputs: Vec<String>,
    #[serde(default)]
    fields: Map<String, Value>,
    graph: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EntryProbe {
    #[serde(default)]
    any_file: Vec<String>,
    any_block: Option<Blocks>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Blocks {
    r#in: Vec<String>,
    blocks: Vec<String>,
}

fn checked(source: &str, entries: Vec<Entry>) -> Supplied {
    let mut supplied = Supplied::default();
    for entry in entries {
        match kind(source, entry, &supplied.kinds) {
            Ok(kind) => supplied.kinds.push(kind),
            Err(message) => supplied.problems.push(format!("{source}: {message}")),
        }
    }
    supplied
}

fn kind(source: &str, entry: Entry, before: &[Kind]) -> Result<Kind, String> {
    let Entry { name, description, precedence, probe, outputs, fields, graph } = entry;
    if !declaration::is_name(&name) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("{name:?} is no name of a kind"));
    }
    if matches!(name.as_str(), "chant" | "workspace" | "other" | "design" | "examples") {
        return Err(format!("kind {name} is built in"));
    }
    if before.iter().any(|kind| kind.name == name) {
        return Err(format!("kind {name} is listed twice"));
    }
    if !(1..=999).contains(&precedence) {
        return Err(format!("the precedence of kind {name} must be from 1 to 999"));
    }
    let blocks = probe.any_block.map(|any| (any.r#in, any.blocks));
    if probe.any_file.is_empty() && blocks.is_none() {
        return Err(format!("the probe of kind {name} looks at nothing"));
    }
    let names = probe.any_file.iter().chain(blocks.iter().flat_map(|(files, _)| files));
    if let Some(path) = names.into_iter().find(|file| file.contains(['/', '\\']) || file.is_empty()) {
        return Err(format!("the probe of kind {name} names {path:?}, which is no name of a file"));
    }
    Ok(Kind {
        fields: read_fields(&name, &fields)?,
        name,
        description,
        probe: Probe::Files { any: probe.any_file, blocks },
        precedence,
        outputs: Outputs::Listed(outputs),
        graph,
        source: Some(source.to_owned()),
    })
}

fn read_fields(kind: &str, fields: &Map<String, Value>) -> Result<BTreeMap<String, Field>, String> {
    let mut read = BTreeMap::new();
    for (name, field) in fields {
        let of = match field.get("type").and_then(Value::as_str) {
            Some("string") => FieldType::String,
            Some("integer") => FieldType::Integer,
            Some("boolean") => FieldType::Boolean,
            Some("object") => {
                let inner =
                    field.get("fields").or_else(|| field.get("properties")).and_then(Value::as_object);
                FieldType::Object(inner.map_or(Ok(BTreeMap::new()), |inner| read_fields(kind, inner))?)
            }
            _ => return Err(format!("field {name} of kind {kind} has no type that is known")),
        };
        read.insert(name.clone(), Field { of, default: field.get("default").cloned() });
    }
    Ok(read)
}
