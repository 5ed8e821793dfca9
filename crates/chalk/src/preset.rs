//! Toolchains that `init` knows, and the files that give them away.

use std::path::Path;

use serde_json::{Value, json};

/// The commands of a toolchain. Empty means none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// Runs all tests.
    pub test: &'static str,
    /// Types, before anything runs.
    pub typecheck: &'static str,
    /// Style and suspicious code.
    pub lint: &'static str,
    /// Builds what ships; slow, so at the end of a phase.
    pub build: &'static str,
    /// Runs the held-out set.
    pub regression: &'static str,
    /// Runs one test, `{test}`, for the break-it lever.
    pub break_test: &'static str,
}

const NONE: Preset =
    Preset { name: "", test: "", typecheck: "", lint: "", build: "", regression: "", break_test: "" };

/// Every preset. The first five, and what they hold, are the published ones (facts 2.2).
pub const ALL: &[Preset] = &[
    Preset {
        name: "flutter",
        test: "flutter test",
        lint: "flutter analyze",
        build: "flutter build apk --debug",
        regression: "flutter test .chalk/held-out",
        break_test: "flutter test {test}",
        ..NONE
    },
    Preset {
        name: "go",
        test: "go test ./...",
        lint: "go vet ./...",
        build: "go build ./...",
        regression: "go test ./.chalk/held-out",
        ..NONE
    },
    Preset {
        name: "node",
        test: "node --test",
        regression: "node --test .chalk/held-out",
        break_test: "node --test {test}",
        ..NONE
    },
    Preset {
        name: "python",
        test: "pytest -q",
        lint: "ruff check .",
        regression: "pytest -q .chalk/held-out",
        break_test: "pytest -q {test}",
        ..NONE
    },
    Preset { name: "dart", test: "dart test", lint: "dart analyze", break_test: "dart test {test}", ..NONE },
    Preset {
        name: "rust",
        test: "cargo test --workspace",
        typecheck: "cargo check --workspace --all-targets",
        lint: "cargo clippy --workspace --all-targets -- -D warnings",
        build: "cargo build --workspace",
        regression: "cargo test --manifest-path .chalk/held-out/Cargo.toml",
        break_test: "cargo test --test \"$(basename {test} .rs)\"",
    },
    Preset {
        name: "maven",
        test: "mvn -q -B test",
        build: "mvn -q -B package -DskipTests",
        break_test: "mvn -q -B test -Dtest=\"$(basename {test} .java)\"",
        ..NONE
    },
    Preset {
        name: "gradle",
        test: "./gradlew test",
        lint: "./gradlew check -x test",
        build: "./gradlew assemble",
        break_test: "./gradlew test --tests \"$(basename {test} | sed 's/\\.[a-z]*$//')\"",
        ..NONE
    },
    Preset {
        name: "dotnet",
        test: "dotnet test",
        lint: "dotnet format --verify-no-changes",
        build: "dotnet build",
        break_test: "dotnet test --filter \"FullyQualifiedName~$(basename {test} .cs)\"",
        ..NONE
    },
    Preset {
        name: "rspec",
        test: "bundle exec rspec",
        regression: "bundle exec rspec .chalk/held-out",
        break_test: "bundle exec rspec {test}",
        ..NONE
    },
    Preset {
        name: "ruby",
        test: "bundle exec rake test",
        break_test: "bundle exec ruby -Ilib -Itest {test}",
        ..NONE
    },
    Preset {
        name: "php",
        test: "vendor/bin/phpunit",
        regression: "vendor/bin/phpunit .chalk/held-out",
        break_test: "vendor/bin/phpunit {test}",
        ..NONE
    },
    Preset {
        name: "elixir",
        test: "mix test",
        typecheck: "mix compile --warnings-as-errors",
        lint: "mix format --check-formatted",
        regression: "mix test .chalk/held-out",
        break_test: "mix test {test}",
        ..NONE
    },
];

/// The files that give a toolchain away, first match first; the published ones come before ours. A name
/// that begins with a dot and holds no slash is an extension.
const SIGNS: &[(&str, &str)] = &[
    ("pubspec.yaml", "flutter"),
    ("go.mod", "go"),
    ("package.json", "node"),
    ("pyproject.toml", "python"),
    ("requirements.txt", "python"),
    ("Cargo.toml", "rust"),
    ("pom.xml", "maven"),
    ("build.gradle", "gradle"),
    ("build.gradle.kts", "gradle"),
    (".sln", "dotnet"),
    (".slnx", "dotnet"),
    (".csproj", "dotnet"),
    (".fsproj", "dotnet"),
    ("mix.exs", "elixir"),
    ("composer.json", "php"),
    ("spec/spec_helper.rb", "rspec"),
    ("Gemfile", "ruby"),
];

/// Other names for presets.
const ALIASES: &[(&str, &str)] = &[
    ("java", "maven"),
    ("kotlin", "gradle"),
    ("csharp", "dotnet"),
    (".net", "dotnet"),
    ("javascript", "node"),
    ("typescript", "node"),
];

/// The preset called `name`.
pub fn named(name: &str) -> Option<&'static Preset> {
    let lower = name.to_ascii_lowercase();
    let name = ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower.as_str(), |(_, name)| name);
    ALL.iter().find(|preset| preset.name == name)
}

/// The presets whose files lie in `root`, the one to take first.
pub fn detect(root: &Path) -> Vec<&'static Preset> {
    let names: Vec<String> = std::fs::read_dir(root)
        .map(|entries| {
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    let mut found: Vec<&Preset> = Vec::new();
    for (sign, name) in SIGNS {
        let there = if sign.starts_with('.') && !sign.contains('/') {
            names.iter().any(|file| file.ends_with(sign))
        } else {
            root.join(sign).is_file()
        };
        if there && let Some(preset) = named(name).filter(|preset| !found.contains(preset)) {
            found.push(preset);
        }
    }
    if found.iter().any(|preset| preset.name == "rspec") {
        found.retain(|preset| preset.name != "ruby");
    }
    found
}

impl Preset {
    /// The `verify` block, gates in the published order.
    pub fn verify(&self) -> Value {
        let build =
            if self.build.is_empty() { json!("") } else { json!({ "cmd": self.build, "when": "phase" }) };
        json!({ "test": self.test, "typecheck": self.typecheck, "lint": self.lint, "build": build })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_and_alias_names_a_preset() {
        for (_, name) in SIGNS.iter().chain(ALIASES) {
            assert!(named(name).is_some(), "{name}");
        }
        assert_eq!(named("Java").unwrap().name, "maven");
    }

    #[test]
    fn files_give_the_toolchain_away() {
        let folder = tempfile::tempdir().unwrap();
        let names = || detect(folder.path()).iter().map(|preset| preset.name).collect::<Vec<_>>();
        assert!(names().is_empty());
        std::fs::write(folder.path().join("App.csproj"), "").unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "").unwrap();
        assert_eq!(names(), ["rust", "dotnet"]);
        std::fs::write(folder.path().join("package.json"), "").unwrap();
        assert_eq!(names()[0], "node");
    }

    #[test]
    fn a_build_waits_for_the_phase() {
        let verify = named("go").unwrap().verify();
        assert_eq!(verify["build"], json!({ "cmd": "go build ./...", "when": "phase" }));
        assert_eq!(named("node").unwrap().verify()["build"], "");
    }
}
