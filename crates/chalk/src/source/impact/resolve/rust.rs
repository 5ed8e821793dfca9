//! Rust modules: the files that a path of modules leads to, from the crates that `Cargo.toml` files make.

use std::collections::BTreeMap;

use crate::source::imports::{Import, ImportKind};
use crate::source::language::{file_name, is_test_path, split_extension};

use super::super::graph::{Edge, Passes, Wanted};
use super::super::index::{FileId, Index, join, parent, upwards};

/// The packages of the repository by folder.
pub(in super::super) struct Crates {
    packages: BTreeMap<String, Package>,
    /// The root file of each library, by the name that other crates use.
    libraries: BTreeMap<String, String>,
}

#[derive(Default)]
struct Package {
    library: Option<String>,
    /// Name and root file of each program.
    programs: Vec<(String, String)>,
}

impl Crates {
    pub(in super::super) fn read(index: &Index) -> Self {
        let mut crates = Self { packages: BTreeMap::new(), libraries: BTreeMap::new() };
        for (folder, text) in index.manifests("Cargo.toml") {
            let Ok(manifest) = text.parse::<toml::Table>() else { continue };
            let Some(name) = string(manifest.get("package"), "name") else { continue };
            let library = string(manifest.get("lib"), "path").unwrap_or("src/lib.rs");
            let library = join(folder, library).filter(|path| index.id(path).is_some());
            if let Some(root) = &library {
                let name = string(manifest.get("lib"), "name").unwrap_or(name).replace('-', "_");
                crates.libraries.entry(name).or_insert_with(|| root.clone());
            }
            let programs = programs(index, folder, name, &manifest);
            crates.packages.insert(folder.to_owned(), Package { library, programs });
        }
        crates
    }

    /// The package that a file belongs to, and its folder.
    fn package_of(&self, path: &str) -> Option<(&str, &Package)> {
        upwards(parent(path))
            .find_map(|folder| self.packages.get_key_value(folder))
            .map(|(folder, package)| (folder.as_str(), package))
    }

    /// The root file of the program of that name, looked for first in the package of the file at `path`.
    pub(in super::super) fn program(&self, path: &str, name: &str) -> Option<&str> {
        let own = self.package_of(path).map(|(_, package)| package);
        own.into_iter()
            .chain(self.packages.values())
            .flat_map(|package| &package.programs)
            .find_map(|(program, root)| (program == name).then_some(root.as_str()))
    }
}

fn programs(index: &Index, folder: &str, package: &str, manifest: &toml::Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut add = |name: &str, path: &str| {
        if let Some(path) = join(folder, path).filter(|path| index.id(path).is_some()) {
            found.push((name.to_owned(), path));
        }
    };
    for program in manifest.get("bin").and_then(toml::Value::as_array).into_iter().flatten() {
        let Some(name) = string(Some(program), "name") else { continue };
        if let Some(path) = string(Some(program), "path") {
            add(name, path);
            continue;
        }
        add(name, &format!("src/bin/{name}.rs"));
        add(name, &format!("src/bin/{name}/main.rs"));
        add(name, "src/main.rs");
    }
    add(package, "src/main.rs");
    if let Some(programs) = join(folder, "src/bin") {
        for file in index.in_folder(&programs) {
            let name = file_name(index.path(*file));
            if let Some((stem, "rs")) = split_extension(name) {
                add(stem, &format!("src/bin/{name}"));
            }
        }
    }
    found
}

fn string<'t>(table: Option<&'t toml::Value>, key: &str) -> Option<&'t str> {
    table?.get(key)?.as_str()
}

pub(super) fn edges(index: &Index, path: &str, import: &Import, found: &mut Vec<Edge>) {
    let plain = |target| Edge { target, line: import.line, wanted: Wanted::All, passes: Passes::Nothing };
    let place = Place::of(index, path);
    match import.kind {
        ImportKind::Module => {
            // To declare a module is not to use it; but the files below a test are there for nothing else.
            if is_test_path(path) {
                let folder = place.module_in(&import.scope);
                let module = join(&folder, &import.module).and_then(|folder| place.file_of(index, &folder));
                found.extend(module.map(plain));
            }
        }
        ImportKind::File => {
            let beside = join(parent(path), &import.module).and_then(|path| index.id(&path));
            let within = || index.id(&join(&place.module_in(&import.scope), &import.module)?);
            found.extend(beside.or_else(within).map(plain));
        }
        _ => {
            if let Some(edge) = edge(index, &place, import).filter(|edge| index.path(edge.target) != path) {
                found.push(edge);
            }
        }
    }
}

fn edge(index: &Index, place: &Place, import: &Import) -> Option<Edge> {
    let name = import.names.first().filter(|name| !matches!(name.as_str(), "*" | "self"));
    let segments: Vec<&str> =
        import.module.split("::").filter(|part| !part.is_empty()).chain(name.map(String::as_str)).collect();
    let (target, rest) = resolve(index, place, &import.scope, &segments)?;
    let is_glob = import.names.first().is_some_and(|name| name == "*");
    let wanted = match rest.first() {
        // A path in a glob leads to a module inside the file.
        Some(name) => Wanted::Names(vec![(*name).to_owned()]),
        None => Wanted::All,
    };
    let passes = match import.kind {
        ImportKind::Reexport if is_glob => Passes::All,
        ImportKind::Reexport => {
            let last = segments.last().map(|last| (*last).to_owned());
            Passes::Names(import.names.iter().cloned().chain(last).collect())
        }
        _ => Passes::Nothing,
    };
    Some(Edge { target, line: import.line, wanted, passes })
}

/// The file that a path of modules leads to, and what of the path is left inside it.
fn resolve<'s>(
    index: &Index,
    place: &Place,
    scope: &str,
    segments: &'s [&'s str],
) -> Option<(FileId, &'s [&'s str])> {
    let (first, rest) = segments.split_first()?;
    let here = place.module_in(scope);
    match *first {
        "crate" => place.longest(index, &place.root_folder, rest),
        "self" => place.longest(index, &here, rest),
        "super" => {
            let supers = segments.iter().take_while(|segment| **segment == "super").count();
            let folder = upwards(&here).nth(supers)?;
            place.longest(index, folder, segments.get(supers..)?)
        }
        name => {
            let child = join(&here, name).filter(|folder| place.file_of(index, folder).is_some());
            if let Some(folder) = child {
                return place.longest(index, &folder, rest);
            }
            if let Some(root) = index.crates().libraries.get(name) {
                return Place::at_root(root).longest(index, parent(root), rest);
            }
            // Before the 2018 edition a path starts at the root.
            let at_root =
                join(&place.root_folder, name).filter(|folder| place.file_of(index, folder).is_some());
            place.longest(index, &at_root?, rest)
        }
    }
}

/// Where a file is among the modules of its crate. A module is named by the folder that its children are in,
/// which is the same for `a.rs` and `a/mod.rs`.
struct Place {
    root: Option<String>,
    root_folder: String,
    module: String,
}

impl Place {
    fn at_root(root: &str) -> Self {
        let folder = parent(root).to_owned();
        Self { root: Some(root.to_owned()), root_folder: folder.clone(), module: folder }
    }

    fn of(index: &Index, path: &str) -> Self {
        let folder = parent(path);
        let name = file_name(path);
        let package = index.crates().package_of(path);
        if is_root(path, package) {
            return Self::at_root(path);
        }
        let stem = split_extension(name).map_or(name, |(stem, _)| stem);
        let module = if stem == "mod" { folder.to_owned() } else { format!("{folder}/{stem}") };
        // The nearest folder with a root around the file; in `tests` and the like, the folder itself.
        let root = upwards(folder)
            .flat_map(|folder| ["lib.rs", "main.rs"].map(|name| join(folder, name)))
            .flatten()
            .find(|root| index.id(root).is_some());
        let library = package.and_then(|(_, package)| package.library.clone());
        let root = match (root, library) {
            (Some(root), _) => Some(root),
            (None, Some(library)) if path.starts_with(&format!("{}/", parent(&library))) => Some(library),
            _ => None,
        };
        let root_folder = match (&root, package) {
            (Some(root), _) => parent(root).to_owned(),
            (None, Some((package, _))) => {
                let inside = folder.strip_prefix(package).unwrap_or(folder).trim_start_matches('/');
                join(package, inside.split('/').next().unwrap_or_default()).unwrap_or_default()
            }
            (None, None) => folder.to_owned(),
        };
        Self { root, root_folder, module: module.trim_start_matches('/').to_owned() }
    }

    /// The module that inline modules of the file make, or the file's own.
    fn module_in(&self, scope: &str) -> String {
        if scope.is_empty() {
            return self.module.clone();
        }
        join(&self.module, &scope.replace("::", "/")).unwrap_or_default()
    }

    fn file_of(&self, index: &Index, module: &str) -> Option<FileId> {
        if module == self.root_folder {
            return index.id(self.root.as_deref()?);
        }
        index.id(&format!("{module}.rs")).or_else(|| index.id(&format!("{module}/mod.rs")))
    }

    /// The deepest module with a file on the way from `folder` along `segments`, or the nearest one around.
    fn longest<'s>(
        &self,
        index: &Index,
        folder: &str,
        segments: &'s [&'s str],
    ) -> Option<(FileId, &'s [&'s str])> {
        for taken in (0..=segments.len()).rev() {
            let (inside, rest) = segments.split_at(taken);
            let module = join(folder, &inside.join("/"))?;
            if let Some(file) = self.file_of(index, &module) {
                return Some((file, rest));
            }
        }
        // Inline modules have no file of their own.
        upwards(folder).skip(1).find_map(|folder| self.file_of(index, folder)).map(|file| (file, segments))
    }
}

/// Whether Cargo compiles the file as the root of a crate.
fn is_root(path: &str, package: Option<(&str, &Package)>) -> bool {
    if matches!(file_name(path), "lib.rs" | "main.rs" | "build.rs") {
        return true;
    }
    let Some((folder, package)) = package else { return false };
    let inside = path.strip_prefix(folder).unwrap_or(path).trim_start_matches('/');
    package.library.as_deref() == Some(path)
        || package.programs.iter().any(|(_, root)| root == path)
        || ["tests", "examples", "benches", "src/bin"].contains(&parent(inside))
}
