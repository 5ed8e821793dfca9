use proptest::prelude::*;

use super::*;

/// `module [names] kind@line` of each import.
fn shown(language: Language, text: &str) -> Vec<String> {
    imports(language, text)
        .iter()
        .map(|import| {
            let scope = if import.scope.is_empty() { String::new() } else { format!(" in {}", import.scope) };
            let names = import.names.join(" ");
            format!("{:?} {} [{names}] @{}{scope}", import.kind, import.module, import.line)
        })
        .collect()
}

#[test]
fn javascript_modules_old_and_new() {
    let text = "import a, { b as c, d } from './x.js';\r\nimport * as ns from \"./größe\";\r\nimport './side';\r\n\
                export { e, f as g } from '../y';\r\nexport * from './z';\r\nexport * as n from './n';\r\n\
                const { h, i: j, k = 1 } = require('m');\r\nconst q = await import(`./dyn`);\r\n\
                require(name); import(`./${x}`); console.log(require.resolve('./r'));\r\n";
    assert_eq!(
        shown(Language::JavaScript, text),
        [
            "Import ./x.js [default b c d] @1",
            "Import ./größe [*] @2",
            "Import ./side [] @3",
            "Reexport ../y [e f g] @4",
            "Reexport ./z [*] @5",
            "Reexport ./n [* n] @6",
            "Import m [h i k] @7",
            "Import ./dyn [] @8",
            "Import ./r [] @9"
        ]
    );
    assert_eq!(shown(Language::Tsx, text), shown(Language::JavaScript, text));
}

#[test]
fn typescript_forms() {
    let text = "import type { T } from './t';\nimport q = require('./q');\nexport type { U } from './u';\n\
                type X = typeof import('./x');\nexport const a = 1;\n";
    assert_eq!(
        shown(Language::TypeScript, text),
        ["Import ./t [T] @1", "Import ./q [] @2", "Reexport ./u [U] @3", "Import ./x [] @4"]
    );
}

#[test]
fn python_modules_dots_and_calls() {
    let text = "import os.path as p, sys\nfrom . import x, y as z\nfrom ..a.b import (c,\n    d)\nfrom m import *\n\
                def f():\n    import größe\n    importlib.import_module('pkg.mod')\n    import_module(name)\n";
    assert_eq!(
        shown(Language::Python, text),
        [
            "Import os.path [] @1",
            "Import sys [] @1",
            "Import . [x y z] @2",
            "Import ..a.b [c d] @3",
            "Import m [*] @5",
            "Import größe [] @7",
            "Import pkg.mod [] @8"
        ]
    );
}

#[test]
fn go_import_blocks() {
    let text = "package a\n\nimport \"fmt\"\nimport (\n\tf \"example.org/m/pkg\"\n\t. \"dot\"\n\t_ `blank`\n)\n\
                var s = \"not/an/import\"\n";
    assert_eq!(
        shown(Language::Go, text),
        ["Import fmt [] @3", "Import example.org/m/pkg [f] @5", "Import dot [.] @6", "Import blank [_] @7"]
    );
}

#[test]
fn rust_use_mod_and_extern_crate() {
    let text = "extern crate foo as bar;\nmod a;\n#[path = \"odd/name.rs\"]\n// why\npub mod b;\n\
                pub(crate) use crate::a::{self, b as c, d::{E, *}};\nuse x;\nuse {y, ::z::w};\n\
                use p as q;\nuse t::Tr as _;\nmod inner {\n    mod leaf;\n    use super::*;\n}\nuse after::A;\n";
    assert_eq!(
        shown(Language::Rust, text),
        [
            "Import foo [] @1",
            "Module a [a] @2",
            "File odd/name.rs [b] @5",
            "Reexport crate::a [self] @6",
            "Reexport crate::a [b c] @6",
            "Reexport crate::a::d [E] @6",
            "Reexport crate::a::d [*] @6",
            "Import x [] @7",
            "Import y [] @8",
            "Import ::z [w] @8",
            "Import p [] @9",
            "Import t [Tr] @10",
            "Module leaf [leaf] @12 in inner",
            "Import super [*] @13 in inner",
            "Import after [A] @15"
        ]
    );
}

#[test]
fn rust_paths_in_code_and_in_macros() {
    let text = "#[attr(not::this)]\nfn f() {\n    my_crate::a::run();\n    assert_eq!(my_crate::add(1), Vec::new());\n\
                    std::mem::drop(crate::x::Y::new());\n    my_crate::a::run();\n    let s = include_str!(\"data/x.txt\");\n\
                    foo(include_bytes!(r\"y.bin\"), \"not a file\");\n}\n";
    assert_eq!(
        shown(Language::Rust, text),
        [
            "Path my_crate::a [run] @3",
            "Path my_crate [add] @4",
            "Path crate::x::Y [new] @5",
            "File data/x.txt [] @7",
            "File y.bin [] @8"
        ]
    );
}

#[test]
fn broken_text_gives_what_is_left_of_it() {
    assert_eq!(
        shown(Language::JavaScript, "import a from './a';\nfunction ( {\n"),
        ["Import ./a [default] @1"]
    );
    assert_eq!(shown(Language::Python, "import a\ndef (:\n"), ["Import a [] @1"]);
    assert!(imports(Language::Java, "import a.b;").is_empty());
}

#[test]
fn strings_by_the_grammar() {
    let text = "f('a\\'b', \"c\\\\d\", `e`, `f${'g'}h`); // 'no'\nconst j = <p title=\"i\" />;";
    assert_eq!(strings(Language::JavaScript, text), ["a'b", "c\\d", "e", "g", "i"]);
    let text = "x = 'a' \"b\" rb'c\\d' f'e' f'{\"g\"}'  # 'no'\ny = '''ü\n'''\nz = ''\n";
    assert_eq!(strings(Language::Python, text), ["a", "b", "c\\d", "e", "g", "ü\n", ""]);
    let text = "fn f() { g(\"a\\\"b\", r#\"c\"d\"#, b\"e\", 'x'); h!(\"i\"); /* \"no\" */ }";
    assert_eq!(strings(Language::Rust, text), ["a\"b", "c\"d", "e", "i"]);
    assert_eq!(strings(Language::Go, "package a\nvar x = \"a\\\\b\" + `c\\d` // \"no\"\n"), ["a\\b", "c\\d"]);
}

#[test]
fn strings_between_quotes() {
    let text = "File.read('a.txt') + \"b\\\"c\" # don't\r\nx = `ls` 'größe'\r\n\"open";
    let found = literals(Language::Ruby, text);
    let shown: Vec<(&str, usize)> =
        found.iter().map(|literal| (literal.text.as_str(), literal.line)).collect();
    assert_eq!(shown, [("a.txt", 1), ("b\"c", 1), ("ls", 2), ("größe", 2)]);
}

#[test]
fn a_line_of_unclosed_quotes_ends() {
    assert!(strings(Language::Ruby, &"\"\\".repeat(200_000)).len() < 200_000);
}

#[test]
fn hostile_nesting_of_a_use_ends() {
    let texts = [
        format!("use {};", "a::{".repeat(50_000)),
        "mod a { use b::c; ".repeat(5_000),
        format!("fn f() {{ {}b }}", "a::".repeat(50_000)),
    ];
    for text in texts {
        let found = imports(Language::Rust, &text);
        assert!(found.iter().all(|import| import.module.len() + import.scope.len() < 1_000));
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "(import|from|use|mod|require|[(){};:.*'\"`\\\\\r\n ü]|[a-z]{1,3}|\\PC){0,60}") {
        for language in [Language::Rust, Language::JavaScript, Language::Tsx, Language::Python, Language::Go, Language::Ruby] {
            let lines = text.split('\n').count();
            prop_assert!(imports(language, &text).iter().all(|import| (1..=lines).contains(&import.line)));
            prop_assert!(literals(language, &text).iter().all(|literal| (1..=lines).contains(&literal.line)));
        }
    }
}
