//! From the imports of a file to the files that they mean.

pub(super) mod go;
pub(super) mod javascript;
pub(super) mod python;
pub(super) mod rust;

use super::graph::{Edge, Passes, Wanted};
use super::index::{FileId, Index};
use crate::source::imports::Import;
use crate::source::language::Language;

/// The language of the file at `path`, when imports of that language can be resolved.
pub(super) fn language_of(path: &str) -> Option<Language> {
    Language::of(path).filter(|language| {
        matches!(
            language,
            Language::JavaScript
                | Language::TypeScript
                | Language::Tsx
                | Language::Python
                | Language::Go
                | Language::Rust
        )
    })
}

/// The files that the file at `path` imports, in the order of its text.
pub(super) fn edges(index: &Index, path: &str, imports: &[Import]) -> Vec<Edge> {
    let Some(language) = language_of(path) else { return Vec::new() };
    let mut found = Vec::new();
    for import in imports {
        match language {
            Language::Python => python::edges(index, path, import, &mut found),
            Language::Go => go::edges(index, import, &mut found),
            Language::Rust => rust::edges(index, path, import, &mut found),
            _ => javascript::edges(index, path, import, &mut found),
        }
    }
    found
}

/// An edge for what `import` takes by name, where the names say what it passes on as well.
fn edge_by_name(target: FileId, import: &Import, passes_on: bool) -> Edge {
    let all = import.names.iter().any(|name| name == "*");
    let names: Vec<String> = import.names.iter().filter(|name| *name != "*").cloned().collect();
    let passes = match (passes_on, names.is_empty()) {
        (false, _) => Passes::Nothing,
        (true, true) => Passes::All,
        (true, false) => Passes::Names(names.clone()),
    };
    let wanted = if all || names.is_empty() { Wanted::All } else { Wanted::Names(names) };
    Edge { target, line: import.line, wanted, passes }
}
