//! Kinds that pinned packages and directories supply.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use canon::{Algorithm, Hashed};
use serde::Deserialize;
use serde_json::{Map, Value};
use store::git::RepoPath;
use store::tree::{EntryKind, Tree};

use super::kinds::{Field, FieldType, Kind, Outputs, Probe};
use crate::Place;
use crate::declaration::{self, Pin};

/// The entry of a package's `exports` that names its kinds.
const SUBPATH: &str = "./workspace-kinds";

/// Where packages are installed.
#[derive(Debug, Clone)]
pub struct Installed {
    /// The workspace root on disk.
    pub root: PathBuf,
    /// The top of the repository on disk; nothing above it is looked at.
    pub top: PathBuf,
}

impl Installed {
    /// Where the packages of a workspace are installed, whose root is named from the top; none where a revision is read
    /// and there is no working tree.
    pub fn of(place: &Place<'_>, root: &RepoPath, at: Option<&str>) -> Option<Self> {
        let has_files = place.layout().is_some() || at.is_none();
        has_files.then(|| Self { root: place.root().join(root.to_path()), top: place.root().to_path_buf() })
    }
}

/// What one pin supplies.
#[derive(Debug, Default)]
pub(super) struct Supplied {
    pub kinds: Vec<Kind>,
    pub problems: Vec<String>,
}

impl From<String> for Supplied {
    fn from(problem: String) -> Self {
        Self { kinds: Vec::new(), problems: vec![problem] }
    }
}

/// What a pin supplies. What does not supply kinds supplies none, which is no problem.
pub(super) fn supplied(
    tree: &dyn Tree,
    root: &RepoPath,
    pin: &Pin,
    installed: Option<&Installed>,
) -> Supplied {
    match (&pin.package, &pin.path) {
        (Some(package), _) => match installed {
            Some(installed) => from_package(package, pin.version.as_deref(), installed),
            None => format!("{package} can't be looked for without a working tree").into(),
        },
        (None, Some(path)) => from_directory(tree, &root.join(path), path, pin.integrity.as_deref()),
        (None, None) => Supplied::default(),
    }
}

fn from_package(package: &str, version: Option<&str>, installed: &Installed) -> Supplied {
    let Some(folder) = declaration::installed(package, &installed.root, &installed.top) else {
        return format!("{package} is not installed").into();
    };
    let Some(manifest) = declaration::manifest(&folder) else {
        return format!("{package} has a package.json that is no JSON").into();
    };
    let found = manifest.get("version").and_then(Value::as_str);
    if version.is_some() && found != version {
        let found = found.unwrap_or("another version");
        return format!("{package} is pinned at {}, and {found} is installed", version.unwrap_or_default())
            .into();
    }
    read(package, &manifest, |file| {
        let path = declaration::inner(&folder, file)?;
        // A package may be installed as a link, but what it names lies within it.
        let inside = path.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?);
        inside.then(|| fs::read(&path).ok()).flatten()
    })
}

fn from_directory(tree: &dyn Tree, folder: &RepoPath, path: &str, expected: Option<&str>) -> Supplied {
    if let Some(expected) = expected {
        let algorithm = expected.split_once('-').and_then(|(name, _)| Algorithm::named(name));
        let found = algorithm.map(|algorithm| integrity(tree, folder, algorithm));
        match found {
            Some(Ok(found)) if found == expected => {}
            Some(Ok(found)) => {
                return format!("{path} is pinned at {expected}, and its files have {found}").into();
            }
            Some(Err(message)) => return format!("{path}: {message}").into(),
            None => return format!("{path} is pinned with an algorithm that nobody knows").into(),
        }
    }
    let file = |name: &str| tree.read(&folder.join(name)).ok().flatten();
    let manifest = file("package.json").and_then(|bytes| canon::json::read::<Value>(&bytes).ok());
    match manifest {
        Some(manifest) => read(path, &manifest, |name| {
            let inside = folder.join(name);
            inside.is_within(folder).then(|| tree.read(&inside).ok().flatten()).flatten()
        }),
        None => format!("{path} has no package.json that can be read").into(),
    }
}

/// The `integrity` value of a directory: the hash of a list of its files, each with the hash of its bytes.
///
/// # Errors
/// A symbolic link, or a file that can't be read.
pub fn integrity(tree: &dyn Tree, folder: &RepoPath, algorithm: Algorithm) -> Result<String, String> {
    let mut files = Vec::new();
    list(tree, folder, &mut files)?;
    let skip = if folder.is_empty() { 0 } else { folder.as_bytes().len() + 1 };
    files.sort();
    let mut manifest = Vec::new();
    for file in &files {
        let bytes = tree.read(file).map_err(|error| error.to_string())?.unwrap_or_default();
        manifest.extend_from_slice(Hashed::of(algorithm, &bytes).hex().as_bytes());
        manifest.push(b' ');
        manifest.extend_from_slice(&file.as_bytes()[skip..]);
        manifest.push(b'\n');
    }
    Ok(Hashed::of(algorithm, &manifest).integrity())
}

fn list(tree: &dyn Tree, folder: &RepoPath, files: &mut Vec<RepoPath>) -> Result<(), String> {
    let entries = tree.list(folder).map_err(|error| error.to_string())?;
    for entry in entries.ok_or_else(|| format!("{folder} is no directory"))? {
        let path = folder.join(&entry.name);
        match entry.kind {
            EntryKind::File => files.push(path),
            EntryKind::Folder if matches!(entry.name.as_slice(), b"node_modules" | b".git") => {}
            EntryKind::Folder => list(tree, &path, files)?,
            EntryKind::Link => return Err(format!("{path} is a symbolic link, which has no integrity")),
            EntryKind::Other => {}
        }
    }
    Ok(())
}

/// The kinds of a package: its `exports` name a JSON file within it.
fn read(source: &str, manifest: &Value, file: impl Fn(&str) -> Option<Vec<u8>>) -> Supplied {
    let Some(entry) = manifest.get("exports").and_then(|exports| exports.get(SUBPATH)) else {
        return Supplied::default();
    };
    let conditions = ["default", "import", "require"];
    let target = entry.as_str().or_else(|| conditions.iter().find_map(|name| entry.get(name)?.as_str()));
    let Some(target) = target.filter(|name| name.starts_with("./") && name.strip_suffix(".json").is_some())
    else {
        return format!("{source}: exports[{SUBPATH:?}] must name a .json file within the package").into();
    };
    let Some(bytes) = file(target) else {
        return format!("{source}: {target} is not there, or not within the package").into();
    };
    match canon::json::read::<File>(&bytes) {
        Ok(found) if found.schema != 1 => format!("{source}: {target} has format {}", found.schema).into(),
        Ok(found) => checked(source, found.kinds),
        Err(damage) => format!("{source}: {target}: {damage}").into(),
    }
}

#[derive(Deserialize)]
struct File {
    schema: u64,
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
