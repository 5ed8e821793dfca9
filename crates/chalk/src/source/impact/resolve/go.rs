//! Go packages: folders below the modules that `go.mod` files name.

use crate::source::imports::Import;
use crate::source::language::Language;

use super::super::graph::{Edge, Passes, Wanted};
use super::super::index::{FileId, Index, join};

/// Module path and folder of each module, the longest path first.
pub(in super::super) struct Modules(Vec<(String, String)>);

impl Modules {
    pub(in super::super) fn read(index: &Index) -> Self {
        let mut modules: Vec<(String, String)> = index
            .manifests("go.mod")
            .filter_map(|(folder, text)| Some((module_path(&text)?, folder.to_owned())))
            .collect();
        modules.sort_by(|(one, _), (other, _)| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        Self(modules)
    }

    /// The folder of the package that is imported as `path`.
    fn folder_of(&self, path: &str) -> Option<String> {
        self.0.iter().find_map(|(module, folder)| {
            let rest = path.strip_prefix(module.as_str())?;
            (rest.is_empty() || rest.starts_with('/')).then(|| join(folder, rest)).flatten()
        })
    }
}

/// The path in the `module` line of a `go.mod`.
fn module_path(text: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let line = line.split("//").next().unwrap_or_default();
        let path = line.trim().strip_prefix("module")?;
        let path = path.strip_prefix([' ', '\t'])?.trim().trim_matches(['"', '`']);
        (!path.is_empty()).then(|| path.to_owned())
    })
}

pub(super) fn edges(index: &Index, import: &Import, found: &mut Vec<Edge>) {
    let Some(folder) = index.go().folder_of(&import.module) else { return };
    for target in files_of_package(index, &folder) {
        if !index.path(target).ends_with("_test.go") {
            found.push(Edge { target, line: import.line, wanted: Wanted::All, passes: Passes::Nothing });
        }
    }
}

/// The Go files of a folder, its tests included.
pub(in super::super) fn files_of_package(index: &Index, folder: &str) -> Vec<FileId> {
    let is_go = |file: &&FileId| Language::of(index.path(**file)) == Some(Language::Go);
    index.in_folder(folder).iter().filter(is_go).copied().collect()
}
