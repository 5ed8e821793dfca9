//! Data that pinned packages and directories publish, read as files and never run.

use std::fs;
use std::path::PathBuf;

use canon::{Algorithm, Hashed};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use store::git::RepoPath;
use store::tree::{EntryKind, Tree};

use crate::Place;
use crate::declaration::{self, Pin};

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

/// Data as a pin publishes it, and what messages call the pin.
#[derive(Debug)]
pub(crate) struct Published<T> {
    /// The package, or the path of the directory.
    pub source: String,
    /// The data.
    pub data: T,
}

#[derive(Deserialize)]
struct Versioned<T> {
    schema: u64,
    #[serde(flatten)]
    data: T,
}

/// What a pin publishes at `subpath` of its `exports`, a JSON file in format 1; none where it publishes nothing there.
///
/// # Errors
/// The pin does not hold, or what it publishes can't be read.
pub(crate) fn published<T: DeserializeOwned>(
    tree: &dyn Tree,
    root: &RepoPath,
    pin: &Pin,
    installed: Option<&Installed>,
    subpath: &str,
) -> Result<Option<Published<T>>, String> {
    match (&pin.package, &pin.path) {
        (Some(package), _) => match installed {
            Some(installed) => from_package(package, pin.version.as_deref(), installed, subpath),
            None => Err(format!("{package} can't be looked for without a working tree")),
        },
        (None, Some(path)) => from_directory(tree, &root.join(path), path, pin.integrity.as_deref(), subpath),
        (None, None) => Ok(None),
    }
}

fn from_package<T: DeserializeOwned>(
    package: &str,
    version: Option<&str>,
    installed: &Installed,
    subpath: &str,
) -> Result<Option<Published<T>>, String> {
    let Some(folder) = declaration::installed(package, &installed.root, &installed.top) else {
        return Err(format!("{package} is not installed"));
    };
    let Some(manifest) = declaration::manifest(&folder) else {
        return Err(format!("{package} has a package.json that is no JSON"));
    };
    let found = manifest.get("version").and_then(Value::as_str);
    if version.is_some() && found != version {
        let found = found.unwrap_or("another version");
        let version = version.unwrap_or_default();
        return Err(format!("{package} is pinned at {version}, and {found} is installed"));
    }
    read(package, &manifest, subpath, |file| {
        let path = declaration::inner(&folder, file)?;
        // A package may be installed as a link, but what it names lies within it.
        let inside = path.canonicalize().ok()?.starts_with(folder.canonicalize().ok()?);
        inside.then(|| fs::read(&path).ok()).flatten()
    })
}

fn from_directory<T: DeserializeOwned>(
    tree: &dyn Tree,
    folder: &RepoPath,
    path: &str,
    expected: Option<&str>,
    subpath: &str,
) -> Result<Option<Published<T>>, String> {
    if let Some(expected) = expected {
        let algorithm = expected.split_once('-').and_then(|(name, _)| Algorithm::named(name));
        let found = algorithm.map(|algorithm| integrity(tree, folder, algorithm));
        match found {
            Some(Ok(found)) if found == expected => {}
            Some(Ok(found)) => {
                return Err(format!("{path} is pinned at {expected}, and its files have {found}"));
            }
            Some(Err(message)) => return Err(format!("{path}: {message}")),
            None => return Err(format!("{path} is pinned with an algorithm that nobody knows")),
        }
    }
    let file = |name: &str| tree.read(&folder.join(name)).ok().flatten();
    let manifest = file("package.json").and_then(|bytes| canon::json::read::<Value>(&bytes).ok());
    match manifest {
        Some(manifest) => read(path, &manifest, subpath, |name| {
            let inside = folder.join(name);
            inside.is_within(folder).then(|| tree.read(&inside).ok().flatten()).flatten()
        }),
        None => Err(format!("{path} has no package.json that can be read")),
    }
}

/// The data of a package: its `exports` name a JSON file within it.
fn read<T: DeserializeOwned>(
    source: &str,
    manifest: &Value,
    subpath: &str,
    file: impl Fn(&str) -> Option<Vec<u8>>,
) -> Result<Option<Published<T>>, String> {
    let Some(entry) = manifest.get("exports").and_then(|exports| exports.get(subpath)) else {
        return Ok(None);
    };
    let conditions = ["default", "import", "require"];
    let target = entry.as_str().or_else(|| conditions.iter().find_map(|name| entry.get(name)?.as_str()));
    let Some(target) = target.filter(|name| name.starts_with("./") && name.strip_suffix(".json").is_some())
    else {
        return Err(format!("{source}: exports[{subpath:?}] must name a .json file within the package"));
    };
    let Some(bytes) = file(target) else {
        return Err(format!("{source}: {target} is not there, or not within the package"));
    };
    match canon::json::read::<Versioned<T>>(&bytes) {
        Ok(found) if found.schema != 1 => Err(format!("{source}: {target} has format {}", found.schema)),
        Ok(found) => Ok(Some(Published { source: source.to_owned(), data: found.data })),
        Err(damage) => Err(format!("{source}: {target}: {damage}")),
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
