use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

/// A repository in memory.
struct Tree(HashMap<String, String>);

impl Tree {
    fn new(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    fn impact(&self, changed: &[&str], tests: &[&str]) -> Impact {
        let files: Vec<&str> = self.0.keys().map(String::as_str).collect();
        let tests: Vec<TestFile> =
            tests.iter().map(|path| TestFile { id: "task-1", path, text: &self.0[*path] }).collect();
        impact(changed, &tests, Repository { files: &files, read: &|path| self.0.get(path).cloned() })
    }

    /// `test: tie, files between` for each test of each changed file.
    fn shown(&self, changed: &[&str], tests: &[&str]) -> Vec<String> {
        let impact = self.impact(changed, tests);
        let mut lines = Vec::new();
        for file in impact.files {
            for reach in &file.tests {
                let why = match reach.why {
                    Why::SameFile => "same".to_owned(),
                    Why::Imports { line } => format!("imports@{line}"),
                    Why::Names { line } => format!("names@{line}"),
                    Why::Convention => "convention".to_owned(),
                };
                let via: Vec<String> = reach.via.iter().map(|file| format!(" {file}")).collect();
                lines.push(format!("{} < {} {why}{}", file.path, reach.test, via.concat()));
            }
        }
        lines
    }
}

#[test]
fn javascript_relative_imports_and_endings() {
    let tree = Tree::new(&[
        ("src/add.mjs", ""),
        ("src/größe.ts", ""),
        ("src/dir/index.js", ""),
        ("src/data.json", ""),
        ("src/other.js", ""),
        (
            "test/a.test.js",
            "import { add } from '../src/add.mjs';\r\nimport x from '../src/größe.js';\r\nconst d = require('../src/dir');\r\nimport('../src/data');\r\nimport fs from 'fs';\r\n",
        ),
    ]);
    let changed = ["src/add.mjs", "src/größe.ts", "src/dir/index.js", "src/data.json", "src/other.js"];
    assert_eq!(
        tree.shown(&changed, &["test/a.test.js"]),
        [
            "src/add.mjs < test/a.test.js imports@1",
            "src/data.json < test/a.test.js imports@4",
            "src/dir/index.js < test/a.test.js imports@3",
            "src/größe.ts < test/a.test.js imports@2",
        ]
    );
}

#[test]
fn an_entry_point_passes_on_only_what_is_asked_for() {
    let tree = Tree::new(&[
        (
            "src/index.ts",
            "export { a } from './a';\nexport { b as bee } from './b';\nexport * from './rest';\nimport './own';\n",
        ),
        ("src/a.ts", "import { deep } from './deep';"),
        ("src/b.ts", ""),
        ("src/rest.ts", ""),
        ("src/own.ts", ""),
        ("src/deep.ts", ""),
        ("test/a.test.ts", "import { a } from '../src';"),
        ("test/b.test.ts", "import { bee } from '../src/index';"),
        ("test/all.test.ts", "import * as all from '../src/index.js';"),
    ]);
    let tests = ["test/a.test.ts", "test/b.test.ts", "test/all.test.ts"];
    assert_eq!(
        tree.shown(&["src/a.ts"], &tests),
        [
            "src/a.ts < test/a.test.ts imports@1 src/index.ts",
            "src/a.ts < test/all.test.ts imports@1 src/index.ts",
        ]
    );
    assert_eq!(
        tree.shown(&["src/b.ts"], &tests),
        [
            "src/b.ts < test/all.test.ts imports@1 src/index.ts",
            "src/b.ts < test/b.test.ts imports@1 src/index.ts",
        ]
    );
    assert_eq!(tree.shown(&["src/own.ts"], &tests), ["src/own.ts < test/all.test.ts imports@1 src/index.ts"]);
    assert_eq!(
        tree.shown(&["src/deep.ts"], &tests),
        [
            "src/deep.ts < test/a.test.ts imports@1 src/index.ts src/a.ts",
            "src/deep.ts < test/all.test.ts imports@1 src/index.ts src/a.ts",
        ]
    );
}

#[test]
fn javascript_packages_of_the_workspace_and_aliases() {
    let tree = Tree::new(&[
        (
            "packages/core/package.json",
            r#"{"name":"@s/core","main":"dist/index.js","exports":{".":{"import":"./dist/index.js"},"./x":"./src/x.ts"}}"#,
        ),
        ("packages/core/src/index.ts", ""),
        ("packages/core/src/x.ts", ""),
        ("packages/core/src/y.ts", ""),
        ("app/src/lib/z.ts", ""),
        (
            "app/test/a.test.ts",
            "import a from '@s/core';\nimport x from '@s/core/x';\nimport y from '@s/core/y';\nimport z from '@/lib/z';\n",
        ),
    ]);
    let changed = [
        "packages/core/src/index.ts",
        "packages/core/src/x.ts",
        "packages/core/src/y.ts",
        "app/src/lib/z.ts",
    ];
    assert_eq!(
        tree.shown(&changed, &["app/test/a.test.ts"]),
        [
            "app/src/lib/z.ts < app/test/a.test.ts imports@4",
            "packages/core/src/index.ts < app/test/a.test.ts imports@1",
            "packages/core/src/x.ts < app/test/a.test.ts imports@2",
            "packages/core/src/y.ts < app/test/a.test.ts imports@3",
        ]
    );
}

#[test]
fn a_program_that_a_test_starts_is_followed() {
    let tree = Tree::new(&[
        ("bin/cli.mjs", "import { run } from '../lib/run.mjs';"),
        ("lib/run.mjs", ""),
        ("lib/unrelated.mjs", ""),
        (
            "test/cli.test.mjs",
            "import path from 'path';\nspawnSync('node', [path.join(root, 'bin', 'cli.mjs')]);\n",
        ),
        ("test/sh.test.mjs", "exec('node bin/cli.mjs --help');\n"),
    ]);
    let tests = ["test/cli.test.mjs", "test/sh.test.mjs"];
    assert_eq!(
        tree.shown(&["lib/run.mjs", "lib/unrelated.mjs"], &tests),
        [
            "lib/run.mjs < test/cli.test.mjs names@2 bin/cli.mjs",
            "lib/run.mjs < test/sh.test.mjs names@1 bin/cli.mjs",
        ]
    );
}

#[test]
fn fixtures_by_path_and_by_folder() {
    let tree = Tree::new(&[
        ("test/fixtures/a.json", ""),
        ("test/fixtures/deep/b.txt", ""),
        ("test/fixtures/code.js", ""),
        ("test/a.test.js", "read(join(__dirname, 'fixtures', 'a.json'));\n"),
        ("test/b.test.js", "for (const f of readdir('test/fixtures')) {}\n"),
        ("other/a.json.txt", ""),
    ]);
    let tests = ["test/a.test.js", "test/b.test.js"];
    let changed =
        ["test/fixtures/a.json", "test/fixtures/deep/b.txt", "test/fixtures/code.js", "other/a.json.txt"];
    assert_eq!(
        tree.shown(&changed, &tests),
        [
            "test/fixtures/a.json < test/a.test.js names@1",
            "test/fixtures/a.json < test/b.test.js names@1",
            "test/fixtures/deep/b.txt < test/a.test.js names@1",
            "test/fixtures/deep/b.txt < test/b.test.js names@1",
        ]
    );
}

#[test]
fn python_absolute_relative_and_source_layout() {
    let tree = Tree::new(&[
        ("src/pkg/__init__.py", "from .core import run as start\nfrom . import other\n"),
        ("src/pkg/core.py", "from .util import x\n"),
        ("src/pkg/util.py", ""),
        ("src/pkg/other.py", ""),
        ("src/pkg/sub/mod.py", ""),
        ("src/pkg/unused.py", ""),
        ("tests/pkg/test_a.py", "from pkg import start\r\n"),
        ("tests/pkg/test_b.py", "import pkg.sub.mod as m\n"),
        ("tests/pkg/test_c.py", "from pkg import other\n"),
        ("tests/test_d.py", "patch('pkg.core.run')\nrun([sys.executable, '-m', 'pkg'])\n"),
    ]);
    let tests = ["tests/pkg/test_a.py", "tests/pkg/test_b.py", "tests/pkg/test_c.py", "tests/test_d.py"];
    assert_eq!(
        tree.shown(&["src/pkg/util.py", "src/pkg/unused.py"], &tests),
        [
            "src/pkg/util.py < tests/pkg/test_a.py imports@1 src/pkg/__init__.py src/pkg/core.py",
            "src/pkg/util.py < tests/test_d.py names@1 src/pkg/core.py",
        ]
    );
    assert_eq!(
        tree.shown(&["src/pkg/sub/mod.py"], &tests),
        ["src/pkg/sub/mod.py < tests/pkg/test_b.py imports@1"]
    );
    assert_eq!(
        tree.shown(&["src/pkg/other.py"], &tests),
        [
            "src/pkg/other.py < tests/pkg/test_c.py imports@1",
            "src/pkg/other.py < tests/test_d.py names@2 src/pkg/__init__.py",
        ]
    );
    assert_eq!(
        tree.shown(&["src/pkg/__init__.py"], &tests),
        [
            "src/pkg/__init__.py < tests/pkg/test_a.py imports@1",
            "src/pkg/__init__.py < tests/pkg/test_b.py imports@1",
            "src/pkg/__init__.py < tests/pkg/test_c.py imports@1",
            "src/pkg/__init__.py < tests/test_d.py names@2",
        ]
    );
}

#[test]
fn python_conftest_runs_with_the_tests_below_it() {
    let tree = Tree::new(&[
        ("app/db.py", ""),
        ("tests/conftest.py", "from app.db import engine\n"),
        ("tests/unit/test_x.py", "def test(): pass\n"),
        ("other/test_y.py", "def test(): pass\n"),
    ]);
    let tests = ["tests/unit/test_x.py", "other/test_y.py"];
    assert_eq!(
        tree.shown(&["app/db.py", "tests/conftest.py"], &tests),
        [
            "app/db.py < tests/unit/test_x.py convention tests/conftest.py",
            "tests/conftest.py < tests/unit/test_x.py convention",
        ]
    );
}

#[test]
fn go_packages() {
    let tree = Tree::new(&[
        ("go.mod", "// m\nmodule example.org/m // x\n\ngo 1.22\n"),
        ("tools/go.mod", "module \"example.org/m/tools\"\n"),
        ("a/a.go", "package a\nimport \"example.org/m/b\"\n"),
        ("a/more.go", "package a\n"),
        ("a/a_test.go", "package a_test\nimport \"fmt\"\n"),
        ("b/b.go", "package b\n"),
        ("tools/t/t.go", "package t\n"),
        ("e2e/e_test.go", "package e2e\nimport (\n\t\"example.org/m/a\"\n\t\"example.org/m/tools/t\"\n)\n"),
    ]);
    let tests = ["a/a_test.go", "e2e/e_test.go"];
    assert_eq!(
        tree.shown(&["a/more.go", "b/b.go", "tools/t/t.go"], &tests),
        [
            "a/more.go < e2e/e_test.go imports@3",
            "a/more.go < a/a_test.go convention",
            "b/b.go < e2e/e_test.go imports@3 a/a.go",
            "b/b.go < a/a_test.go convention a/a.go",
            "tools/t/t.go < e2e/e_test.go imports@4",
        ]
    );
}

#[test]
fn rust_modules_of_the_crate_and_its_tests() {
    let tree = Tree::new(&[
        ("crates/my-crate/Cargo.toml", "[package]\nname = \"my-crate\"\n"),
        (
            "crates/my-crate/src/lib.rs",
            "pub mod a;\npub mod b;\nmod c;\npub use c::{C, D as Dee};\npub fn own() { b::deep::run() }\n",
        ),
        ("crates/my-crate/src/a.rs", "use crate::b::B;\n"),
        ("crates/my-crate/src/b/mod.rs", "pub mod deep;\n"),
        ("crates/my-crate/src/b/deep.rs", "use super::super::c;\n"),
        ("crates/my-crate/src/c.rs", ""),
        ("crates/my-crate/src/unused.rs", ""),
        ("crates/my-crate/tests/one.rs", "mod common;\nuse my_crate::a::{self, A};\n"),
        (
            "crates/my-crate/tests/two.rs",
            "use my_crate::Dee;\nfn t() { assert_eq!(include_str!(\"data/x.txt\"), \"\") }\n",
        ),
        ("crates/my-crate/tests/three.rs", "fn t() { assert_eq!(my_crate::own(), 1); }\n"),
        ("crates/my-crate/tests/common/mod.rs", "pub fn help() {}\n"),
        ("crates/my-crate/tests/data/x.txt", ""),
    ]);
    let tests = ["one", "two", "three"].map(|name| format!("crates/my-crate/tests/{name}.rs"));
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    let shown = |changed: &str| {
        let changed = format!("crates/my-crate/{changed}");
        tree.shown(&[&changed], &tests)
            .iter()
            .map(|line| line.replace("crates/my-crate/", ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(shown("src/a.rs"), ["src/a.rs < tests/one.rs imports@2"]);
    assert_eq!(shown("src/b/mod.rs"), ["src/b/mod.rs < tests/one.rs imports@2 src/a.rs"]);
    assert_eq!(shown("src/b/deep.rs"), ["src/b/deep.rs < tests/three.rs imports@1 src/lib.rs"]);
    assert_eq!(
        shown("src/c.rs"),
        [
            "src/c.rs < tests/two.rs imports@1 src/lib.rs",
            "src/c.rs < tests/three.rs imports@1 src/lib.rs src/b/deep.rs",
        ]
    );
    assert_eq!(shown("tests/common/mod.rs"), ["tests/common/mod.rs < tests/one.rs imports@1"]);
    assert_eq!(shown("tests/data/x.txt"), ["tests/data/x.txt < tests/two.rs imports@2"]);
    assert!(shown("src/unused.rs").is_empty());
}

#[test]
fn rust_tests_inside_a_file_and_programs() {
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"tool\"\n[lib]\nname = \"toolkit\"\n[[bin]]\nname = \"tool\"\npath = \"src/main.rs\"\n",
        ),
        ("src/lib.rs", "pub mod parse;\n"),
        ("src/main.rs", "mod cli;\nfn main() { cli::run() }\n"),
        ("src/cli.rs", "use toolkit::parse;\n"),
        ("src/parse.rs", "mod inner { use super::helper; }\nuse crate::other::x;\nfn helper() {}\n"),
        ("src/other.rs", ""),
        ("tests/cli.rs", "fn t() { Command::new(env!(\"CARGO_BIN_EXE_tool\")); }\n"),
    ]);
    assert_eq!(
        tree.shown(&["src/parse.rs", "src/other.rs"], &["src/parse.rs", "tests/cli.rs"]),
        [
            "src/other.rs < src/parse.rs imports@2",
            "src/other.rs < tests/cli.rs names@1 src/main.rs src/cli.rs src/parse.rs",
            "src/parse.rs < src/parse.rs same",
            "src/parse.rs < tests/cli.rs names@1 src/main.rs src/cli.rs",
        ]
    );
}

#[test]
fn other_languages_go_by_name() {
    let tree = Tree::new(&[
        ("src/main/java/Order.java", ""),
        ("src/test/java/CartTest.java", "class CartTest {\n  Order order;\n}\n"),
        ("src/test/java/OrderTest.java", "class OrderTest { }\n"),
        ("lib/order_item.rb", ""),
        ("lib/order/index.rb", ""),
        ("spec/item_spec.rb", "describe OrderItem do\nend\n"),
        ("spec/order_spec.rb", "require 'order/index'\n"),
        ("spec/ordering_spec.rb", "reorder_items; index\n"),
    ]);
    let tests = [
        "src/test/java/CartTest.java",
        "src/test/java/OrderTest.java",
        "spec/item_spec.rb",
        "spec/order_spec.rb",
        "spec/ordering_spec.rb",
    ];
    assert_eq!(
        tree.shown(&["src/main/java/Order.java"], &tests[..2]),
        [
            "src/main/java/Order.java < src/test/java/CartTest.java names@2",
            "src/main/java/Order.java < src/test/java/OrderTest.java convention",
        ]
    );
    assert_eq!(
        tree.shown(&["lib/order_item.rb", "lib/order/index.rb"], &tests[2..]),
        ["lib/order/index.rb < spec/order_spec.rb names@1", "lib/order_item.rb < spec/item_spec.rb names@1",]
    );
}

#[test]
fn the_same_subject_ties_only_when_no_namesake_is_reached() {
    let tree = Tree::new(&[
        ("a/parser.ts", ""),
        ("b/parser.ts", ""),
        ("test/parser.test.ts", "import p from '../a/parser';"),
        ("test2/parser.test.ts", "spawn('x');"),
    ]);
    let tests = ["test/parser.test.ts", "test2/parser.test.ts"];
    assert_eq!(tree.shown(&["b/parser.ts"], &tests), ["b/parser.ts < test2/parser.test.ts convention"]);
}

#[test]
fn each_holder_of_a_test_is_told_and_deleted_files_count() {
    let tests = [
        TestFile { id: "task-2", path: "a.test.js", text: "import './gone.js';" },
        TestFile { id: "task-1", path: "a.test.js", text: "import './gone.js';" },
    ];
    let found =
        impact(&["gone.js", "gone.js"], &tests, Repository { files: &["a.test.js"], read: &|_| None });
    assert_eq!(found.files.len(), 1);
    let ids: Vec<&str> = found.files[0].tests.iter().map(|reach| reach.id.as_str()).collect();
    assert_eq!(ids, ["task-1", "task-2"]);
    assert!(found.limits.is_empty());
}

#[test]
fn a_cycle_ends_and_the_bounds_are_told() {
    let mut files = vec![("x.js".to_owned(), String::new())];
    for at in 0..20 {
        files.push((format!("m{at}.js"), format!("import './m{}.js'; import './m0.js';", at + 1)));
    }
    files.push(("a.test.js".to_owned(), "import './m0.js';".to_owned()));
    files.push(("b.test.js".to_owned(), " ".repeat(1 << 20) + "import './m0.js';"));
    files.push(("c.test.js".to_owned(), "import './big.js';".to_owned()));
    files.push(("big.js".to_owned(), " ".repeat((1 << 20) + 1)));
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let tree = Tree::new(&borrowed);
    let found = tree.impact(&["m3.js", "m15.js"], &["a.test.js"]);
    assert_eq!(found.files.iter().map(|file| file.tests.len()).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(found.limits, BTreeSet::from([Limit::Hops]));
    let found = tree.impact(&["x.js"], &["b.test.js", "c.test.js"]);
    let large = ["b.test.js", "big.js"].map(|path| Limit::TooLarge(path.to_owned()));
    assert_eq!(found.limits, BTreeSet::from(large));
}

#[test]
fn more_files_than_are_read_is_told() {
    let mut text = String::new();
    let mut files = vec![("x.py".to_owned(), String::new())];
    for at in 0..=MAX_FILES {
        text.push_str("import m");
        text.push_str(&at.to_string());
        text.push('\n');
        files.push((format!("m{at}.py"), String::new()));
    }
    files.push(("test_a.py".to_owned(), text));
    let borrowed: Vec<(&str, &str)> =
        files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let found = Tree::new(&borrowed).impact(&["x.py"], &["test_a.py"]);
    assert_eq!(found.limits, BTreeSet::from([Limit::Files]));
}

proptest! {
    #[test]
    fn any_tree_gives_the_same_map_twice(
        paths in proptest::collection::vec("(\\.\\./|/|a/|src/|tests/|ü/){0,3}(mod|a|lib|__init__|a_test|Cargo|go|x y)?\\.?(rs|py|js|go|rb|toml|mod|json)?", 1..12),
        text in "((use|import|from|mod|require\\()? ?(crate::|super::|\\.\\./|\\./|a|b|\"|'|;|\n|::|/|\\.|ü|\\)| import \\*)){0,30}",
    ) {
        let files: Vec<&str> = paths.iter().map(String::as_str).collect();
        let tests: Vec<TestFile> = files.iter().map(|path| TestFile { id: "t", path, text: &text }).collect();
        let draw = || impact(&files, &tests, Repository { files: &files, read: &|_| Some(text.clone()) });
        let map = draw();
        prop_assert!(map.files.iter().all(|file| file.tests.iter().any(|reach| reach.why == Why::SameFile)));
        prop_assert_eq!(map, draw());
    }
}
