//! JavaScript modules: relative specifiers, packages of the workspace, and the usual aliases of a source folder.

use serde_json::Value;

use crate::source::imports::{Import, ImportKind};

use super::super::graph::Edge;
use super::super::index::{FileId, Index, join, parent, upwards};
use super::edge_by_name;

/// Endings that a specifier may leave out, in the order that tools try them.
const ENDINGS: [&str; 13] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".json", ".vue", ".svelte",
    ".astro",
];

/// A TypeScript file is imported under the name of what the compiler makes of it.
const COMPILED: [(&str, &[&str]); 4] =
    [(".js", &[".ts", ".tsx", ".d.ts"]), (".jsx", &[".tsx"]), (".mjs", &[".mts"]), (".cjs", &[".cts"])];

/// The packages of the repository, the longest name first.
pub(in super::super) struct Packages(Vec<Package>);

struct Package {
    name: String,
    folder: String,
    manifest: Value,
}

impl Packages {
    pub(in super::super) fn read(index: &Index) -> Self {
        let mut packages: Vec<Package> = index
            .manifests("package.json")
            .filter(|(folder, _)| !folder.split('/').any(|part| part == "node_modules"))
            .filter_map(|(folder, text)| {
                let manifest: Value = serde_json::from_str(&text).ok()?;
                let name = manifest.get("name")?.as_str()?.to_owned();
                Some(Package { name, folder: folder.to_owned(), manifest })
            })
            .collect();
        packages
            .sort_by(|one, other| other.name.len().cmp(&one.name.len()).then(one.folder.cmp(&other.folder)));
        Self(packages)
    }
}

pub(super) fn edges(index: &Index, path: &str, import: &Import, found: &mut Vec<Edge>) {
    if let Some(target) = resolve(index, path, &import.module) {
        found.push(edge_by_name(target, import, import.kind == ImportKind::Reexport));
    }
}

/// The file that `specifier` means in the file at `path`.
pub(in super::super) fn resolve(index: &Index, path: &str, specifier: &str) -> Option<FileId> {
    // Bundlers take a query: `./a.svg?raw`.
    let specifier = specifier.split('?').next().unwrap_or_default();
    let folder = parent(path);
    if specifier == "." || specifier == ".." || specifier.starts_with("./") || specifier.starts_with("../") {
        return file_at(index, &join(folder, specifier)?);
    }
    if let Some(rest) = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/")) {
        return in_source_folder(index, folder, rest);
    }
    if let Some(rest) = specifier.strip_prefix('/') {
        return file_at(index, rest);
    }
    for package in &index.packages().0 {
        let rest = specifier.strip_prefix(package.name.as_str());
        if let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
            return in_package(index, package, rest.trim_start_matches('/'));
        }
    }
    let may_be_path =
        specifier.contains('/') && !specifier.starts_with(['@', '#']) && !specifier.contains(':');
    if may_be_path { in_source_folder(index, folder, specifier) } else { None }
}

/// A path from a folder around the importer, or from its `src`.
fn in_source_folder(index: &Index, folder: &str, path: &str) -> Option<FileId> {
    upwards(folder).find_map(|folder| {
        let below_source = join(folder, "src").and_then(|source| join(&source, path));
        file_at(index, &below_source?).or_else(|| file_at(index, &join(folder, path)?))
    })
}

fn in_package(index: &Index, package: &Package, subpath: &str) -> Option<FileId> {
    let at = |path: &str| file_at(index, &join(&package.folder, path)?);
    let exported = |key: &str| {
        let exports = package.manifest.get("exports")?;
        let entry = exports.get(key).or_else(|| (key == "." && !has_subpaths(exports)).then_some(exports))?;
        targets(entry).into_iter().find_map(at)
    };
    if subpath.is_empty() {
        let main = || {
            ["source", "module", "main", "types"]
                .iter()
                .find_map(|key| at(package.manifest.get(*key)?.as_str()?))
        };
        // What is built is no file of the repository; its source is by custom in one of these places.
        return exported(".").or_else(main).or_else(|| ["", "src", "lib"].into_iter().find_map(at));
    }
    exported(&format!("./{subpath}")).or_else(|| at(subpath)).or_else(|| at(&format!("src/{subpath}")))
}

fn has_subpaths(exports: &Value) -> bool {
    exports.as_object().is_some_and(|entries| entries.keys().any(|key| key.starts_with('.')))
}

/// The paths that an entry of `exports` names under its conditions; a few levels of them are looked into.
fn targets(entry: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut open = vec![(entry, 0)];
    while let Some((value, depth)) = open.pop() {
        match value {
            Value::String(path) => found.push(path.as_str()),
            Value::Object(entries) if depth < 3 => {
                open.extend(entries.values().rev().map(|value| (value, depth + 1)));
            }
            _ => {}
        }
    }
    found
}

/// The file that tools find for a path without ending, or for a folder.
pub(in super::super) fn file_at(index: &Index, path: &str) -> Option<FileId> {
    if let Some(file) = index.id(path) {
        return Some(file);
    }
    let compiled = COMPILED.iter().find_map(|(from, to)| {
        let stem = path.strip_suffix(from)?;
        to.iter().find_map(|ending| index.id(&format!("{stem}{ending}")))
    });
    let with_ending = || {
        (!path.is_empty())
            .then(|| ENDINGS.iter().find_map(|ending| index.id(&format!("{path}{ending}"))))
            .flatten()
    };
    let index_file = || ENDINGS.iter().find_map(|ending| index.id(&join(path, &format!("index{ending}"))?));
    compiled.or_else(with_ending).or_else(index_file)
}
