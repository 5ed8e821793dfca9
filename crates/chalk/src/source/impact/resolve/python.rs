//! Python modules: relative ones from the importer's package, others from the folders that may be on the path.

use std::collections::HashSet;

use crate::source::imports::Import;
use crate::source::language::file_name;

use super::super::graph::{Edge, Passes, Wanted};
use super::super::index::{FileId, Index, join, parent, upwards};
use super::edge_by_name;

pub(super) fn edges(index: &Index, path: &str, import: &Import, found: &mut Vec<Edge>) {
    let name = import.module.trim_start_matches('.');
    let dots = import.module.len() - name.len();
    let inner = name.replace('.', "/");
    let is_there = |base: &String| {
        join(base, &inner).is_some_and(|module| {
            module_at(index, &module).is_some()
                || import.names.iter().any(|name| module_at(index, &format!("{module}/{name}")).is_some())
        })
    };
    let Some(base) = bases(index, path, dots, name).into_iter().find(is_there) else { return };
    let Some(module) = join(&base, &inner) else { return };
    // Each package around a module runs before it; those of a relative import have run already.
    let mut package = base.clone();
    for part in inner.split('/').filter(|part| !part.is_empty()) {
        let Some(next) = join(&package, part) else { return };
        package = next;
        if package != module
            && let Some(target) = index.id(&format!("{package}/__init__.py"))
        {
            found.push(Edge { target, line: import.line, wanted: Wanted::Nothing, passes: Passes::Nothing });
        }
    }
    let of_package = file_name(path) == "__init__.py";
    // `from package import name` means a module of the package before it means a name in it.
    let (modules, names): (Vec<&String>, Vec<&String>) =
        import.names.iter().partition(|name| module_at(index, &format!("{module}/{name}")).is_some());
    for name in &modules {
        if let Some(target) = module_at(index, &format!("{module}/{name}")) {
            let passes = if of_package { Passes::Names(vec![(*name).clone()]) } else { Passes::Nothing };
            found.push(Edge { target, line: import.line, wanted: Wanted::All, passes });
        }
    }
    let Some(target) = module_at(index, &module) else { return };
    if names.is_empty() && !modules.is_empty() {
        found.push(Edge { target, line: import.line, wanted: Wanted::Nothing, passes: Passes::Nothing });
    } else {
        let names = names.into_iter().cloned().collect();
        found.push(edge_by_name(
            target,
            &Import { names, ..import.clone() },
            of_package && !import.names.is_empty(),
        ));
    }
}

/// The file of the longest module that a dotted name starts with, as in `patch("package.module.function")`.
pub(in super::super) fn module_in_name(index: &Index, path: &str, dotted: &str) -> Option<FileId> {
    let bases = bases(index, path, 0, dotted);
    let mut name = dotted;
    loop {
        let inner = name.replace('.', "/");
        let found = bases.iter().find_map(|base| module_at(index, &join(base, &inner)?));
        if found.is_some() {
            return found;
        }
        name = name.rsplit_once('.')?.0;
    }
}

/// The folders that a module name may start from, the likeliest first. A folder of tests often has the name of
/// the package that they test, so the first that has the name need not be the right one.
fn bases(index: &Index, path: &str, dots: usize, name: &str) -> Vec<String> {
    let folder = parent(path);
    if dots > 0 {
        return upwards(folder).nth(dots - 1).map(str::to_owned).into_iter().collect();
    }
    let top = name.split('.').next().unwrap_or_default();
    let around = upwards(folder).flat_map(|folder| [Some(folder.to_owned()), join(folder, "src")]).flatten();
    around.chain(only_package(index, top)).collect()
}

/// The folder around the one top-level package of that name, wherever it is.
fn only_package(index: &Index, name: &str) -> Option<String> {
    let bases: HashSet<&str> = index
        .named("__init__.py")
        .iter()
        .map(|file| parent(index.path(*file)))
        .filter(|package| file_name(package) == name)
        .map(parent)
        .filter(|base| index.id(&format!("{base}/__init__.py")).is_none())
        .collect();
    match (bases.len(), bases.iter().next()) {
        (1, Some(base)) => Some((*base).to_owned()),
        _ => None,
    }
}

fn module_at(index: &Index, path: &str) -> Option<FileId> {
    let path = path.trim_start_matches('/');
    ["py", "pyi", "pyx"]
        .iter()
        .find_map(|ending| index.id(&format!("{path}.{ending}")))
        .or_else(|| index.id(&join(path, "__init__.py")?))
}
