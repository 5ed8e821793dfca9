//! What a test takes in: files that it names in plain strings, its snapshots, and the code beside it that
//! it imports.

use std::collections::BTreeSet;

use canon::Hasher;

use super::Part;
use super::command::is_manifest;
use super::files::{Files, base_of, ending, folder_of, join, upwards, within};
use crate::source::imports::{ImportKind, imports, strings};
use crate::source::language::{Language, is_code, is_test_path};

/// Folders of data for tests.
const DATA_FOLDERS: &[&str] = &[
    "fixtures",
    "fixture",
    "__fixtures__",
    "testdata",
    "test-data",
    "test_data",
    "__mocks__",
    "mocks",
    "snapshots",
    "__snapshots__",
    "golden",
    "goldens",
    "cassettes",
];

/// Endings that an import may leave out.
const ENDINGS: &[&str] = &[
    "",
    ".js",
    ".mjs",
    ".cjs",
    ".ts",
    ".mts",
    ".tsx",
    ".jsx",
    ".json",
    ".py",
    ".rb",
    ".php",
    "/index.js",
    "/index.mjs",
    "/index.ts",
    "/index.tsx",
    "/__init__.py",
];

const MAX_STRINGS: usize = 2000;
const MAX_SUPPORT: usize = 40;
const MAX_IN_FOLDER: usize = 500;

/// What `test` takes in from the tree.
pub(super) fn parts(files: &Files<'_>, test: &str) -> Vec<Part> {
    let mut parts = snapshots(files, test);
    let mut seen = BTreeSet::from([test.to_owned()]);
    let mut open = vec![test.to_owned()];
    while let Some(file) = open.pop() {
        let Some(language) = Language::of(&file) else { continue };
        let Some(code) = files.text(&file) else { continue };
        for support in imported(files, &file, language, &code) {
            if seen.len() < MAX_SUPPORT && seen.insert(support.clone()) {
                parts.extend(Part::whole(files, &support));
                open.push(support);
            }
        }
        parts.extend(named(files, &file, language, &code));
    }
    parts
}

/// Code that exists for tests: not the code that they are about.
fn is_support(file: &str) -> bool {
    is_test_path(file) || is_data(file)
}

fn is_data(file: &str) -> bool {
    folder_of(file).split('/').any(|folder| DATA_FOLDERS.contains(&folder))
}

/// The files for tests that `file` imports.
fn imported(files: &Files<'_>, file: &str, language: Language, text: &str) -> Vec<String> {
    let folder = folder_of(file);
    let mut found = Vec::new();
    for import in imports(language, text) {
        let module = import.module.as_str();
        let candidates: Vec<String> = match language {
            Language::Python => python_candidates(module, &import.names, folder),
            Language::Rust => match import.kind {
                ImportKind::Module => [format!("{module}.rs"), format!("{module}/mod.rs")]
                    .iter()
                    .flat_map(|path| [join(folder, path), join(file.trim_end_matches(".rs"), path)])
                    .flatten()
                    .collect(),
                ImportKind::File => join(folder, module).into_iter().collect(),
                _ => Vec::new(),
            },
            _ if module.starts_with('.') => join(folder, module).into_iter().collect(),
            _ => Vec::new(),
        };
        let spelled =
            candidates.iter().flat_map(|path| ENDINGS.iter().map(move |ending| format!("{path}{ending}")));
        found.extend(spelled.filter(|path| is_support(path) && files.is_file(path)));
    }
    found
}

/// `a.b` from the folder and any above, `..b` from the folder above alone; each also with the names that
/// are taken out of it, which may be modules.
fn python_candidates(module: &str, names: &[String], folder: &str) -> Vec<String> {
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let path = name.replace('.', "/");
    let bases: Vec<&str> = match dots {
        0 => upwards(folder).collect(),
        _ => upwards(folder).nth(dots - 1).into_iter().collect(),
    };
    let paths = names.iter().map(|name| within(&path, name)).chain([path.clone()]);
    paths
        .flat_map(|path| bases.iter().filter_map(move |base| join(base, &path)).collect::<Vec<_>>())
        .collect()
}

/// The files that the strings of a test name: relative to its folder, to the top, to a folder of data
/// near it, or to a folder that another string names.
fn named(files: &Files<'_>, file: &str, language: Language, text: &str) -> Vec<Part> {
    let here = folder_of(file);
    let mut strings = strings(language, text);
    strings.retain(|text| is_path_like(text));
    strings.truncate(MAX_STRINGS);
    let mut bases: Vec<String> = vec![here.to_owned(), String::new()];
    for folder in upwards(here) {
        let data = DATA_FOLDERS.iter().map(|data| within(folder, data));
        bases.extend(data.filter(|folder| files.is_folder(folder)));
    }
    let mut folders = BTreeSet::new();
    for text in &strings {
        for base in [here, ""].into_iter().chain(upwards(here)) {
            folders.extend(join(base, text).filter(|folder| files.is_folder(folder)));
        }
    }
    bases.extend(folders.iter().take(16).cloned());
    let mut parts = Vec::new();
    let mut seen = BTreeSet::new();
    for text in &strings {
        for name in bases.iter().filter_map(|base| join(base, text)) {
            // Some languages load a file by its name without the ending.
            let ending = match language {
                Language::Ruby => ".rb",
                Language::Php => ".php",
                _ => "",
            };
            for name in [name.clone(), format!("{name}{ending}")] {
                if is_fixture(&name, file) && seen.insert(name.clone()) {
                    parts.extend(Part::whole(files, &name));
                }
            }
        }
    }
    for folder in folders.iter().filter(|folder| is_data(&format!("{folder}/x"))) {
        parts.extend(whole_folder(files, folder));
    }
    parts
}

fn is_path_like(text: &str) -> bool {
    text.len() > 1
        && text.len() <= 260
        && !text.contains(['\n', '\0', '*', '<', '>', '|', '"', '{', '$'])
        && !text.contains("://")
        && text.chars().any(char::is_alphanumeric)
}

/// Whether a file that a test names is data for it. Code is what the test is about unless it exists for
/// tests, and so are prose and manifests.
fn is_fixture(name: &str, test: &str) -> bool {
    let base = base_of(name);
    let is_prose = matches!(ending(base).as_str(), "md" | "rst" | "adoc");
    if name == test {
        false
    } else if is_support(name) {
        true
    } else {
        !is_code(name) && !is_manifest(base) && !is_prose && base.contains('.')
    }
}

/// A folder of data as one part.
fn whole_folder(files: &Files<'_>, folder: &str) -> Option<Part> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for base in files.list(&folder) {
            let name = within(&folder, &base);
            if files.is_folder(&name) {
                open.push(name);
            } else {
                found.push(name);
            }
            if found.len() + open.len() > MAX_IN_FOLDER {
                return None;
            }
        }
    }
    found.sort();
    Some(together(files, &format!("{folder}/"), folder, &found))
}

/// Several files as one part.
fn together(files: &Files<'_>, what: &str, place: &str, names: &[String]) -> Part {
    let mut hasher = Hasher::new();
    for name in names {
        if let Some(digest) = files.digest(name) {
            hasher.update(format!("{digest} {name}\0"));
        }
    }
    Part::new(what.to_owned(), place, hasher.finish())
}

/// Stored output that runners compare with.
fn snapshots(files: &Files<'_>, test: &str) -> Vec<Part> {
    let (folder, base) = (folder_of(test), base_of(test));
    let stem = base.split('.').next().unwrap_or(base);
    let mut parts = Vec::new();
    for kept in [format!("{base}.snap"), format!("{stem}.ambr"), format!("{base}.snapshot")] {
        parts.extend(Part::whole(files, &within(folder, &format!("__snapshots__/{kept}"))));
    }
    parts.extend(Part::whole(files, &within(folder, &format!("snapshots/{base}.snap"))));
    parts.extend(Part::whole(files, &within(folder, &format!("snapshots/{base}.md"))));
    let of_playwright = within(folder, &format!("{base}-snapshots"));
    if files.is_folder(&of_playwright) {
        parts.extend(whole_folder(files, &of_playwright));
    }
    if Language::of(base) == Some(Language::Rust) {
        let place = within(folder, "snapshots");
        let mut names = files.list(&place);
        names.retain(|name| ending(name) == "snap" && name.split("__").any(|part| part == stem));
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(|name| within(&place, name)).collect();
            parts.push(together(files, &format!("{place}/*{stem}__*.snap"), &names[0], &names));
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(all: &[(&str, &str)], test: &str) -> Vec<String> {
        let mut names = super::super::named(all, |files| parts(files, test));
        names.dedup();
        names
    }

    #[test]
    fn data_and_support_but_not_the_code_under_test() {
        let test = "import { add } from '../src/add.js';\nimport { table } from './help/table';\n\
                    const a = read(join(__dirname, 'fixtures', 'sums.json'));\nread('data/more.json');\nread('README.md');\nread('package.json');\n";
        let files = [
            ("test/add.test.js", test),
            ("src/add.js", "export const add = 1;"),
            ("test/help/table.js", "import './deep.js'; load('deep.csv');"),
            ("test/help/deep.js", ""),
            ("test/help/deep.csv", ""),
            ("test/fixtures/sums.json", "[]"),
            ("test/__snapshots__/add.test.js.snap", ""),
            ("test/__snapshots__/other.test.js.snap", ""),
            ("data/more.json", ""),
            ("README.md", ""),
            ("package.json", "{}"),
        ];
        let expected = [
            "data/more.json",
            "test/__snapshots__/add.test.js.snap",
            "test/fixtures/",
            "test/fixtures/sums.json",
            "test/help/deep.csv",
            "test/help/deep.js",
            "test/help/table.js",
        ];
        assert_eq!(found(&files, "test/add.test.js"), expected);
    }

    #[test]
    fn support_of_python_and_rust() {
        let files = [
            ("tests/unit/test_a.py", "from tests.factory import make\nfrom . import data\nimport app.core\n"),
            ("tests/factory.py", ""),
            ("tests/unit/data/__init__.py", ""),
            ("app/core.py", ""),
        ];
        assert_eq!(
            found(&files, "tests/unit/test_a.py"),
            ["tests/factory.py", "tests/unit/data/__init__.py"]
        );
        let files = [
            ("tests/a.rs", "mod common;\nuse krate::x;\n"),
            ("tests/common/mod.rs", ""),
            ("tests/snapshots/a__first.snap", ""),
            ("tests/snapshots/b__first.snap", ""),
        ];
        assert_eq!(found(&files, "tests/a.rs"), ["tests/common/mod.rs", "tests/snapshots/*a__*.snap"]);
    }

    #[test]
    fn a_string_is_no_way_out_of_the_tree() {
        let files = [("t/a.test.js", "read('../../etc/hosts'); read('/etc/hosts'); read('..');")];
        assert!(found(&files, "t/a.test.js").is_empty());
    }
}
