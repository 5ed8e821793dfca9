//! What ties a test to a changed file.

use crate::source::imports;
use crate::source::language::Language;

/// Why the test at `path` is at risk when `changed` files change: it imports them or names them.
pub(super) fn because(path: &str, text: &str, changed: &[&str]) -> Vec<String> {
    let Some(language) = Language::of(path) else {
        let named = changed.iter().filter(|file| text.contains(**file));
        return named.map(|file| format!("names {file}")).collect();
    };
    let modules: Vec<String> = imports::imports(language, text).into_iter().map(|import| import.module).collect();
    let strings = imports::strings(language, text);
    let mut because = Vec::new();
    for file in changed {
        if modules.iter().any(|module| leads_to(path, module, file)) {
            because.push(format!("imports {file}"));
        } else if strings.iter().any(|string| string.contains(file)) {
            because.push(format!("names {file}"));
        }
    }
    because
}

/// Whether an import of `module` in the file at `from` may lead to `file`.
fn leads_to(from: &str, module: &str, file: &str) -> bool {
    let plain = |path: &str| store::git::RepoPath::from(path).to_string();
    let without_extension = |path: &str| match path.rsplit_once('.') {
        Some((stem, extension)) if !extension.contains('/') => stem.to_owned(),
        _ => path.to_owned(),
    };
    if module.starts_with('.') && module.contains('/') {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let target = plain(&format!("{folder}/{module}"));
        return target == file || target == without_extension(file);
    }
    let parts: Vec<&str> = module.split(['/', '.', ':']).filter(|part| !part.is_empty()).collect();
    let stem = without_extension(file);
    let found: Vec<&str> = stem.split('/').collect();
    parts.last().is_some_and(|last| found.last() == Some(last))
}
