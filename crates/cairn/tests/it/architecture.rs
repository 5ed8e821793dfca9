//! The arrows between the crates, and the rules about files that a reader relies on.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// From the bottom floor up; a crate may use those before it.
const FLOORS: &[&[&str]] = &[
    &["canon"],
    &["store"],
    &["trust"],
    &["gate"],
    &["chalk", "chant", "govern", "agents", "conformance"],
    &["cairn"],
];

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(workspace())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn floor(name: &str) -> Option<usize> {
    FLOORS.iter().position(|floor| floor.contains(&name))
}

#[test]
fn arrows_point_down() {
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let own = floor(name).unwrap_or_else(|| panic!("crate `{name}` stands on no floor"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let used = dependency["name"].as_str().unwrap();
            if let Some(other) = floor(used) {
                assert!(other < own, "`{name}` may not use `{used}`");
            }
        }
    }
}

#[test]
fn only_the_program_knows_the_command_line() {
    for package in metadata()["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let uses_clap = package["dependencies"].as_array().unwrap().iter().any(|d| d["name"] == "clap");
        assert_eq!(uses_clap, name == "cairn", "{name}");
    }
}

#[test]
fn the_number_of_dependencies_is_watched() {
    let lock = fs::read_to_string(workspace().join("Cargo.lock")).unwrap();
    let packages = lock.matches("[[package]]").count();
    assert!(packages <= 300, "{packages} packages are locked; is the new one worth it?");
}

fn sources() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        FLOORS.concat().iter().map(|name| workspace().join("crates").join(name).join("src")).collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
fn main_is_short_and_names_say_something() {
    let main = fs::read_to_string(workspace().join("crates/cairn/src/main.rs")).unwrap();
    assert!(main.lines().count() < 50);
    for path in sources() {
        let stem = path.file_stem().unwrap().to_str().unwrap();
        assert!(
            !["utils", "util", "helpers", "helper", "common", "misc", "types"].contains(&stem),
            "{path:?}"
        );
    }
}

#[test]
fn libraries_read_no_environment_and_print_nothing() {
    for path in sources() {
        if path.to_str().unwrap().ends_with("cairn/src/main.rs") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        // What tests do inside a file is their own matter.
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        for word in ["env::var", "env::vars", "current_dir()", "println!(", "eprintln!(", "SystemTime::now()"]
        {
            let judged_elsewhere = matches!(
                (path.file_name().unwrap().to_str().unwrap(), word),
                // The machine's own clock, the age of another process, and the time that a copied file gets.
                ("world.rs" | "process.rs" | "copy.rs", "SystemTime::now()")
            );
            let is_test = path.components().any(|part| {
                matches!(
                    part.as_os_str().to_str(),
                    Some("tests" | "tests.rs" | "fixture.rs" | "published.rs")
                )
            });
            assert!(judged_elsewhere || is_test || !code.contains(word), "`{word}` in {path:?}");
        }
    }
}

#[test]
fn every_command_has_a_test_file() {
    let stems = |folder: PathBuf| -> BTreeSet<String> {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect()
    };
    let commands = stems(workspace().join("crates/cairn/src/commands"));
    let tests = stems(workspace().join("crates/cairn/tests/it"));
    // Two halves of one thing share a file.
    let file_of = |name: &str| if name == "unblock" { "block".to_owned() } else { name.to_owned() };
    let missing: Vec<&String> =
        commands.iter().filter(|name| *name != "mod" && !tests.contains(&file_of(name))).collect();
    assert!(missing.is_empty(), "commands without a test file: {missing:?}");
}
