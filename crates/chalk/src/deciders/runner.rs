//! Configuration of test runners, found by name: in the folder of a test and in all above it.

use super::Part;
use super::command::is_manifest;
use super::files::{Files, base_of, ending, folder_of, join, upwards, within};
use super::sections;
use crate::source::imports::strings;
use crate::source::language::{Language, is_test_path};
use canon::Sha256;

/// Keys of `package.json` that a runner reads.
const PACKAGE_KEYS: &[&str] = &[
    "jest",
    "vitest",
    "mocha",
    "ava",
    "c8",
    "nyc",
    "tap",
    "jasmine",
    "karma",
    "playwright",
    "cypress",
    "tape",
];

const PYPROJECT_KEYS: &[&str] = &["tool.pytest", "tool.tox", "tool.coverage", "tool.nox", "tool.hatch.envs"];

const CARGO_KEYS: &[&str] =
    &["test", "lib.test", "lib.harness", "lib.doctest", "package.autotests", "profile.test"];

/// Names that a JavaScript runner's configuration begins with.
const JS_CONFIGS: &[&str] = &[
    "jest.config.",
    "jest.setup.",
    "vitest.config.",
    "vitest.workspace.",
    "vitest.setup.",
    "playwright.config.",
    "ava.config.",
    "karma.conf.",
    "cypress.config.",
    "wdio.conf.",
    ".mocharc",
    ".nycrc",
    ".c8rc",
    ".taprc",
];

/// How a file of configuration counts.
enum Counts {
    Whole,
    /// Whole, if it speaks of tests at all.
    IfTesting,
    Json(&'static [&'static str]),
    Toml(&'static [&'static str]),
    Ini(&'static [&'static str]),
    Gradle,
    Pom,
    Mix,
}

/// A world of runners with configuration of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    JavaScript,
    Python,
    Rust,
    Go,
    Jvm,
    Ruby,
    Php,
    Elixir,
    DotNet,
    Dart,
}

impl Family {
    fn of(test: &str) -> Option<Self> {
        Some(match Language::of(test)? {
            Language::JavaScript
            | Language::TypeScript
            | Language::Tsx
            | Language::Vue
            | Language::Svelte => Self::JavaScript,
            Language::Python => Self::Python,
            Language::Rust => Self::Rust,
            Language::Go => Self::Go,
            Language::Java | Language::Kotlin | Language::Scala | Language::Groovy => Self::Jvm,
            Language::Ruby => Self::Ruby,
            Language::Php => Self::Php,
            Language::Elixir => Self::Elixir,
            Language::CSharp | Language::FSharp | Language::VisualBasic => Self::DotNet,
            Language::Dart => Self::Dart,
            _ => return None,
        })
    }

    /// Files at a fixed path below a folder, beside those in the folder itself.
    fn deeper(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &[".cargo/config.toml", ".cargo/config", ".config/nextest.toml"],
            Self::Jvm => &["src/test/resources/junit-platform.properties", "src/test/resources/testng.xml"],
            Self::JavaScript => &["spec/support/jasmine.json", "spec/support/jasmine.mjs", "test/mocha.opts"],
            Self::Ruby => &["spec/spec_helper.rb", "spec/rails_helper.rb", "test/test_helper.rb"],
            Self::Php => &["tests/bootstrap.php", "tests/Pest.php"],
            _ => &[],
        }
    }

    /// Files that count as a whole, by their names.
    fn whole(self) -> &'static [&'static str] {
        match self {
            Self::Python => &[
                "conftest.py",
                "pytest.ini",
                ".pytest.ini",
                "noxfile.py",
                ".coveragerc",
                "sitecustomize.py",
                "usercustomize.py",
            ],
            Self::Jvm => &["testng.xml"],
            Self::Ruby => &[".rspec", "Rakefile", "spec_helper.rb", "rails_helper.rb", "test_helper.rb"],
            Self::Php => {
                &["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml", "bootstrap.php", "Pest.php"]
            }
            Self::Elixir => &["test_helper.exs"],
            Self::DotNet => &["xunit.runner.json"],
            Self::Dart => &["dart_test.yaml"],
            Self::JavaScript | Self::Rust | Self::Go => &[],
        }
    }

    fn counts(self, base: &str) -> Option<Counts> {
        Some(match (self, base) {
            (Self::JavaScript, "package.json") => Counts::Json(PACKAGE_KEYS),
            (Self::JavaScript, "deno.json" | "deno.jsonc") => Counts::Json(&["test"]),
            (Self::JavaScript, "bunfig.toml") => Counts::Toml(&["test"]),
            (Self::JavaScript, _) if base.starts_with("vite.config.") => Counts::IfTesting,
            (Self::Python, "pyproject.toml") => Counts::Toml(PYPROJECT_KEYS),
            (Self::Python, "tox.ini") => Counts::Ini(&["pytest", "tox", "testenv"]),
            (Self::Python, "setup.cfg") => Counts::Ini(&["tool:pytest", "coverage"]),
            (Self::Rust, "Cargo.toml") => Counts::Toml(CARGO_KEYS),
            (Self::Jvm, "build.gradle" | "build.gradle.kts") => Counts::Gradle,
            (Self::Jvm, "pom.xml") => Counts::Pom,
            (Self::Elixir, "mix.exs") => Counts::Mix,
            _ if self.whole().contains(&base) || self.is_named_alike(base) => Counts::Whole,
            _ => return None,
        })
    }

    fn is_named_alike(self, base: &str) -> bool {
        match self {
            Self::JavaScript => JS_CONFIGS.iter().any(|begin| base.starts_with(begin)),
            Self::DotNet => ending(base) == "runsettings",
            _ => false,
        }
    }
}

/// The configuration that counts for `test`, and the files that it names as set-up.
pub(super) fn parts(files: &Files<'_>, test: &str) -> Vec<Part> {
    let Some(family) = Family::of(test) else { return Vec::new() };
    let mut parts = Vec::new();
    for folder in upwards(folder_of(test)) {
        let mut found = files.list(folder);
        found.retain(|base| family.counts(base).is_some());
        let deeper = family.deeper().iter().map(|path| (*path).to_owned());
        for path in found.into_iter().chain(deeper) {
            let file = within(folder, &path);
            let counts = family.counts(base_of(&path)).unwrap_or(Counts::Whole);
            if file != test && files.is_file(&file) {
                take(files, &file, &counts, &mut parts);
            }
        }
    }
    if family == Family::Go {
        parts.extend(test_mains(files, test));
    }
    parts
}

/// Go lets one file of the package decide how all its tests run.
fn test_mains(files: &Files<'_>, test: &str) -> Vec<Part> {
    let folder = folder_of(test);
    let names = files.list(folder).into_iter().filter(|base| base.ends_with("_test.go"));
    let tests = names.map(|base| within(folder, &base)).filter(|file| file != test);
    let main = tests.filter(|file| files.text(file).is_some_and(|text| text.contains("func TestMain(")));
    main.filter_map(|file| Part::whole(files, &file)).collect()
}

fn take(files: &Files<'_>, file: &str, counts: &Counts, parts: &mut Vec<Part>) {
    let text = files.text(file).unwrap_or_default();
    let chosen = match counts {
        Counts::IfTesting if !text.contains("test") => return,
        Counts::Whole | Counts::IfTesting => None,
        Counts::Json(keys) => sections::of_json(&text, keys),
        Counts::Toml(keys) => sections::of_toml(&text, keys),
        Counts::Ini(names) => Some(sections::of_ini(&text, names)),
        Counts::Gradle => Some(vec![("test".to_owned(), sections::of_gradle(&text))]),
        Counts::Pom => Some(vec![("surefire".to_owned(), sections::of_pom(&text))]),
        Counts::Mix => Some(vec![("project".to_owned(), sections::of_mix(&text))]),
    };
    let named = match &chosen {
        None => {
            parts.extend(Part::whole(files, file).map(Part::by_fixed_name));
            Language::of(file).map(|language| strings(language, &text)).unwrap_or_default()
        }
        Some(chosen) => {
            for (section, content) in chosen {
                let digest = Sha256::of(content);
                parts.push(Part::section(file, section, digest).by_fixed_name());
            }
            let values = chosen.iter().filter(|_| file.ends_with("package.json"));
            values.flat_map(|(_, content)| json_strings(content)).collect()
        }
    };
    let folder = folder_of(file);
    for path in named {
        let path = path.trim_start_matches("<rootDir>/");
        let Some(set_up) = join(folder, path).filter(|set_up| is_set_up(set_up)) else { continue };
        parts.extend(Part::whole(files, &set_up));
    }
}

fn json_strings(content: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![serde_json::from_slice(content).unwrap_or_default()];
    while let Some(value) = open.pop() {
        match value {
            serde_json::Value::String(text) => found.push(text),
            serde_json::Value::Array(values) => open.extend(values),
            serde_json::Value::Object(members) => open.extend(members.into_iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    found
}

/// Whether a file that a runner's configuration names prepares tests. It may as well be the code that
/// they are about, as in lists of files to measure.
fn is_set_up(file: &str) -> bool {
    let base = base_of(file).to_ascii_lowercase();
    let words =
        ["setup", "mock", "global", "environment", "reporter", "transform", "register", "helper", "preload"];
    !is_manifest(&base) && (is_test_path(file) || words.iter().any(|word| base.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(all: &[(&str, &str)], test: &str) -> Vec<String> {
        super::super::named(all, |files| parts(files, test))
    }

    #[test]
    fn configuration_of_each_family_and_no_other() {
        let all = [
            (
                "package.json",
                r#"{"jest": {"setupFiles": ["<rootDir>/src/setupTests.js"]}, "dependencies": {}}"#,
            ),
            ("src/setupTests.js", ""),
            ("vite.config.ts", "export default { build: {} }"),
            ("conftest.py", ""),
            ("pyproject.toml", "[project]\nname = 'x'\n[tool.pytest.ini_options]\naddopts = '-q'\n"),
            ("a/conftest.py", ""),
            ("a/usercustomize.py", ""),
            ("a/b/conftest.py", ""),
            ("Cargo.toml", "[package]\nname = 'x'\n[[test]]\nname = 'a'\nharness = false\n"),
            (".cargo/config.toml", ""),
            ("a/x.runsettings", ""),
        ];
        assert_eq!(found(&all, "a/t.test.ts"), ["package.json#jest", "src/setupTests.js"]);
        assert_eq!(
            found(&all, "a/test_x.py"),
            ["a/conftest.py", "a/usercustomize.py", "conftest.py", "pyproject.toml#tool.pytest"]
        );
        assert_eq!(found(&all, "tests/a.rs"), [".cargo/config.toml", "Cargo.toml#test"]);
        assert_eq!(found(&all, "a/XTest.cs"), ["a/x.runsettings"]);
        assert!(found(&all, "a/t.test.yaml").is_empty());
    }

    #[test]
    fn a_test_main_decides_for_its_package() {
        let files = [
            ("p/main_test.go", "package p\nfunc TestMain(m *testing.M) {}\n"),
            ("p/a_test.go", "package p\n"),
            ("p/b_test.go", "package p\n"),
        ];
        assert_eq!(found(&files, "p/a_test.go"), ["p/main_test.go"]);
    }

    #[test]
    fn code_that_configuration_names_is_no_set_up() {
        let config = "module.exports = { collectCoverageFrom: ['src/a.js'], globalSetup: './test/up.js' };";
        let files = [("jest.config.js", config), ("src/a.js", ""), ("test/up.js", "")];
        assert_eq!(found(&files, "test/a.test.js"), ["jest.config.js", "test/up.js"]);
    }
}
