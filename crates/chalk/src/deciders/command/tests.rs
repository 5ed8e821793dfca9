use std::fs;
use std::path::Path;

use super::*;

fn followed(files: &[(&str, &str)], command: &str) -> Vec<String> {
    let tree = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = tree.path().join(name);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(""))).unwrap();
        fs::write(path, content).unwrap();
    }
    let files = Files::of(tree.path());
    let mut follower = Follower::new(&files);
    follower.follow(command, "");
    follower.parts.into_keys().collect()
}

#[test]
fn package_scripts_with_what_they_run() {
    let manifest = r#"{"scripts": {"pretest": "node build.js", "test": "npm run unit && ./ci/e2e.sh", "unit": "jest -c jest.ci.js", "lint": "eslint ."}}"#;
    let files = [
        ("package.json", manifest),
        ("build.js", ""),
        ("ci/e2e.sh", "#!/bin/sh\nbash ci/more\n"),
        ("ci/more", "#!/usr/bin/env bash\nmake -C tools check\n"),
        ("tools/Makefile", "check:\n\ttrue\n"),
        ("jest.ci.js", ""),
    ];
    let expected = [
        "build.js",
        "ci/e2e.sh",
        "ci/more",
        "jest.ci.js",
        "package.json#scripts.pretest",
        "package.json#scripts.test",
        "package.json#scripts.unit",
        "tools/Makefile#check",
    ];
    for command in
        ["npm test", "CI=1 npm t", "yarn test", "pnpm --silent run test -- --bail", "npx run-s test"]
    {
        assert_eq!(followed(&files, command), expected, "{command}");
    }
}

#[test]
fn a_package_in_another_folder() {
    let files = [("web/package.json", r#"{"scripts": {"test": "vitest"}}"#), ("web/src/x", "")];
    for command in
        ["npm --prefix web test", "cd web && npm test", "yarn --cwd=web test", "cd web/src; npm test"]
    {
        assert_eq!(followed(&files, command), ["web/package.json#scripts.test"], "{command}");
    }
}

#[test]
fn targets_and_their_scripts() {
    let files = [
        ("Makefile", "include ci.mk\nall: test\ntest: ; $(RUN)\n"),
        ("ci.mk", "RUN = bash ci/test.sh\n"),
        ("ci/test.sh", "pytest -c ci/pytest.ini tests\n"),
        ("ci/pytest.ini", ""),
        ("justfile", "check: test\ntest:\n  make all\n"),
    ];
    assert_eq!(followed(&files, "make test"), ["Makefile#test", "ci/pytest.ini", "ci/test.sh"]);
    assert_eq!(
        followed(&files, "just check"),
        ["Makefile#all", "ci/pytest.ini", "ci/test.sh", "justfile#check"]
    );
}

#[test]
fn files_that_a_command_names() {
    let files = [
        ("run-tests.js", ""),
        ("test/a.test.js", ""),
        ("setup.mjs", ""),
        ("ci/x.toml", ""),
        ("Cargo.toml", ""),
    ];
    assert_eq!(followed(&files, "node run-tests.js"), ["run-tests.js"]);
    assert_eq!(followed(&files, "node --import ./setup.mjs --test test/a.test.js"), ["setup.mjs"]);
    assert_eq!(followed(&files, "cargo test --config=ci/x.toml --manifest-path Cargo.toml"), ["ci/x.toml"]);
    assert_eq!(followed(&files, "timeout -k 5 60 sh -c 'node ./run-tests.js'"), ["run-tests.js"]);
    assert_eq!(followed(&files, "uv run python -u run-tests.js"), ["run-tests.js"]);
    assert_eq!(followed(&files, "python -m pytest -c ci/x.toml"), ["ci/x.toml"]);
    assert!(followed(&files, "cat ../outside /etc/passwd $X").is_empty());
}

/// A folder `unittest/` in front of Python's own passed every test.
#[test]
fn modules_in_front_of_the_runner() {
    let files = [
        ("unittest/__init__.py", ""),
        ("unittest/__main__.py", ""),
        ("pytest.py", ""),
        ("sitecustomize.py", ""),
        ("lib/pytest/__init__.py", ""),
        ("tools/check.py", ""),
        ("tools/unittest.py", ""),
        ("src/app.py", ""),
    ];
    let at_root = ["pytest.py", "sitecustomize.py", "unittest/__init__.py", "unittest/__main__.py"];
    assert_eq!(followed(&files, "python3 -m unittest discover"), at_root);
    assert_eq!(followed(&files, "uv run python -Wd -m pytest -q"), at_root);
    assert_eq!(followed(&files, "export PYTHONPATH=lib; pytest -q"), ["lib/pytest/__init__.py"]);
    assert_eq!(followed(&files, "python tools/check.py"), ["tools/check.py", "tools/unittest.py"]);
    assert_eq!(followed(&files, "cd src && python -m tools.check"), [""; 0]);
    assert!(followed(&files, "python -m tools.check").contains(&"tools/check.py".to_owned()));
    assert!(followed(&files, "pytest -q").is_empty(), "an installed script doesn't look here");
}

#[test]
fn what_the_shell_names_when_it_runs_is_said() {
    let tree = tempfile::tempdir().unwrap();
    let script =
        "#!/bin/sh\n. \"$LIB/lib.sh\"\nbash -e $(pwd)/more\n\"$HOME/bin/x\" a\necho $X\n. ./known.sh\n";
    fs::write(tree.path().join("t.sh"), script).unwrap();
    let files = Files::of(tree.path());
    let mut follower = Follower::new(&files);
    follower.follow("sh t.sh \"$1\"", "");
    let unfollowed: Vec<&String> = follower.unfollowed.iter().collect();
    assert_eq!(unfollowed, ["$HOME/bin/x", ". $LIB/lib.sh", "bash $(pwd)/more"]);
}

#[test]
fn scripts_in_a_circle_end() {
    let manifest = r#"{"scripts": {"test": "npm run a", "a": "npm test"}}"#;
    assert_eq!(followed(&[("package.json", manifest)], "npm test").len(), 2);
    let composer = r#"{"scripts": {"test": ["@a", "phpunit"], "a": "@test"}}"#;
    assert_eq!(followed(&[("composer.json", composer)], "composer test").len(), 2);
    assert_eq!(followed(&[("Makefile", "a: b\nb: a\n\t$(MAKE) a\n")], "make"), ["Makefile#a"]);
}
