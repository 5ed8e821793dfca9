//! Ties between a test and a file that no import makes: the test says the file's name.

use std::collections::{HashMap, HashSet};

use super::graph::{Edge, Passes, Wanted};
use super::index::{FileId, Index, join, parent};
use super::resolve::{javascript, language_of, python};
use crate::source::imports::{Import, Literal};
use crate::source::language::{Language, file_name, is_code, is_test_path, split_extension, tested_stem};
use crate::source::syntax::MAX_TEXT;

/// How many strings of a test are looked at.
const MAX_STRINGS: usize = 5_000;
/// A string longer than this, in bytes, is a text and names no file by being it.
const MAX_NAME: usize = 255;

/// Stems that say nothing without the folder around them.
const GENERIC: [&str; 24] = [
    "index",
    "main",
    "mod",
    "lib",
    "utils",
    "util",
    "helpers",
    "helper",
    "common",
    "types",
    "__init__",
    "__main__",
    "config",
    "constants",
    "app",
    "core",
    "base",
    "init",
    "setup",
    "test",
    "tests",
    "models",
    "views",
    "shared",
];

fn is_generic(stem: &str) -> bool {
    stem.chars().count() < 3 || GENERIC.contains(&stem)
}

/// The files that the strings of a test name: a path from its folder or from the top, the end of a path, a
/// folder of data, and what each language names by a string (a Python module, a Rust program).
///
/// What an import says is left out: the import itself ties the two, and by the names that it takes.
pub(super) fn named_files(
    index: &Index,
    path: &str,
    text: &str,
    imports: &[Import],
    literals: &[Literal],
) -> Vec<Edge> {
    let Some(language) = Language::of(path) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |target: FileId, line: usize| {
        found.push(Edge { target, line, wanted: Wanted::All, passes: Passes::Nothing });
    };
    let imported: HashSet<&str> = imports.iter().map(|import| import.module.as_str()).collect();
    let mut after_module_flag = false;
    for literal in literals.iter().take(MAX_STRINGS) {
        let said = literal.text.as_str();
        if imported.contains(said) {
            continue;
        }
        let whole = (said.len() <= MAX_NAME && !said.contains('\n')).then_some(said);
        for name in whole.into_iter().chain(parts(said).filter(|part| *part != said)) {
            for target in files_named(index, path, name) {
                add(target, literal.line);
            }
        }
        let by_language = match language {
            Language::Python if after_module_flag || is_dotted(said) => {
                python::module_in_name(index, path, said)
            }
            Language::Rust => {
                let program = said.strip_prefix("CARGO_BIN_EXE_").unwrap_or(said);
                let starts_it = program.len() < said.len() || text.contains("cargo_bin");
                index.crates().program(path, program).filter(|_| starts_it).and_then(|root| index.id(root))
            }
            _ => None,
        };
        after_module_flag = said == "-m";
        if let Some(target) = by_language {
            add(target, literal.line);
        }
    }
    found
}

/// The words of a string that may be paths, as in a command line.
fn parts(said: &str) -> impl Iterator<Item = &str> {
    let separates = |character: char| character.is_whitespace() || "\"'`=;,|&()<>[]{}:".contains(character);
    said.split(separates).filter(|part| part.len() <= MAX_NAME && part.contains(['.', '/']))
}

fn is_dotted(said: &str) -> bool {
    said.len() <= MAX_NAME
        && said.contains('.')
        && said.split('.').all(|part| {
            part.starts_with(|first: char| first.is_alphabetic() || first == '_')
                && part.chars().all(|character| character.is_alphanumeric() || character == '_')
        })
}

fn files_named(index: &Index, path: &str, name: &str) -> Vec<FileId> {
    let name = name.replace('\\', "/");
    let last = file_name(&name);
    if matches!(last, "" | "." | "..") && !name.ends_with('/') {
        return Vec::new();
    }
    let from_test = join(parent(path), &name);
    let from_top = join("", &name);
    for full in [&from_test, &from_top].into_iter().flatten() {
        if let Some(file) = index.id(full) {
            return vec![file];
        }
    }
    if name.starts_with("./") || name.starts_with("../") {
        let found = from_test
            .as_ref()
            .and_then(|full| javascript::file_at(index, full))
            .filter(|_| language_of(path).is_some());
        if let Some(file) = found {
            return vec![file];
        }
    }
    for folder in [from_test, from_top].into_iter().flatten() {
        if !folder.is_empty() && index.is_folder(&folder) {
            return data_below(index, &folder);
        }
    }
    by_end_of_path(index, &name)
}

/// The files whose path ends in `name`. A name that several files have ties the test to none of them.
fn by_end_of_path(index: &Index, name: &str) -> Vec<FileId> {
    let end =
        name.trim_start_matches("./").split('/').filter(|part| *part != "..").collect::<Vec<_>>().join("/");
    let same: Vec<FileId> = index
        .named(file_name(&end))
        .iter()
        .copied()
        .filter(|file| {
            let path = index.path(*file);
            path.strip_suffix(end.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
        })
        .collect();
    if same.len() == 1 && end.contains('.') { same } else { Vec::new() }
}

/// The changed files of a folder that are no code: a test that names the folder reads them.
fn data_below(index: &Index, folder: &str) -> Vec<FileId> {
    let is_below = |path: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let changed = index.changed().iter().copied();
    changed.filter(|file| is_below(index.path(*file)) && !is_code(index.path(*file))).collect()
}

/// The words of a test's text, split once for all the files that are looked for.
#[derive(Default)]
pub(super) struct Words<'text> {
    lines: Option<HashMap<&'text str, usize>>,
}

impl<'text> Words<'text> {
    /// The first line of the test that says the name of the file at `file`, for tests in a language whose
    /// imports are not resolved.
    pub(super) fn line_that_names(&mut self, path: &str, text: &'text str, file: &str) -> Option<usize> {
        if language_of(path).is_some() || !is_code(file) || text.len() > MAX_TEXT {
            return None;
        }
        let (stem, _) = split_extension(file_name(file))?;
        let lines = self.lines.get_or_insert_with(|| first_lines(text));
        if is_generic(stem) {
            let folder = Some(file_name(parent(file))).filter(|folder| !folder.is_empty())?;
            lines.get(folder)?;
        }
        let names_type =
            matches!(Language::of(file), Some(Language::Ruby | Language::Elixir | Language::Crystal));
        let in_camel_case = names_type.then(|| camel_case(stem));
        line_of_word(lines, text, stem).or_else(|| lines.get(in_camel_case?.as_str()).copied())
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Each word of a text with the first line that has it.
fn first_lines(text: &str) -> HashMap<&str, usize> {
    let mut lines = HashMap::new();
    for (row, line) in text.lines().enumerate() {
        for word in line.split(|character| !is_word(character)).filter(|word| !word.is_empty()) {
            lines.entry(word).or_insert(row + 1);
        }
    }
    lines
}

/// The line of a word, which may be made of several, as in `order-item`.
fn line_of_word(lines: &HashMap<&str, usize>, text: &str, word: &str) -> Option<usize> {
    if word.chars().all(is_word) {
        return lines.get(word).copied();
    }
    // The text is searched only when all of its parts are there.
    if !word.split(|character| !is_word(character)).all(|part| part.is_empty() || lines.contains_key(part)) {
        return None;
    }
    text.lines()
        .position(|line| {
            line.match_indices(word).any(|(at, _)| {
                !line[..at].ends_with(is_word) && !line[at + word.len()..].starts_with(is_word)
            })
        })
        .map(|row| row + 1)
}

/// `OrderItem` for `order_item`.
fn camel_case(stem: &str) -> String {
    let mut camel = String::with_capacity(stem.len());
    for part in stem.split(['_', '-']) {
        let mut characters = part.chars();
        camel.extend(characters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(characters.as_str());
    }
    camel
}

/// Whether the test's name says that it is about the file: `test_parse.py` and `src/parse.py`.
pub(super) fn same_subject(test: &str, file: &str) -> bool {
    let family = |path| {
        Language::of(path).map(|language| match language {
            Language::TypeScript | Language::Tsx => Language::JavaScript,
            other => other,
        })
    };
    let stem = |path| split_extension(file_name(path)).map(|(stem, _)| stem);
    let subject = tested_stem(test).or_else(|| stem(test));
    is_test_path(test)
        && !is_test_path(file)
        && family(test).is_some_and(|language| family(file) == Some(language))
        && subject.is_some_and(|subject| stem(file) == Some(subject) && !is_generic(subject))
}
