use serde_json::json;

use super::*;

fn kind(text: &str) -> Result<Option<Value>, String> {
    export(text, "recordKind").map_err(|damage| damage.to_string())
}

#[test]
fn a_literal_is_read_as_javascript_reads_it() {
    let text = r#"
        // A comment with `export const recordKind = 1`
        import { x } from "y";
        export const recordKind = {
          name: 'decision', /* between */ "quoted": "a\"b\\d\x41\u0042\u{1f600}\ud83d\ude00",
          'single': 'it\'s', line: "a\
b",
          list: [1, -2, 0x1f, 1.5e3, .5,], // trailing
          nested: { a: true, b: false, c: null, $d_1: {} },
          states: ["proposed", "decided",],
        };
    "#;
    assert_eq!(
        kind(text).unwrap().unwrap(),
        json!({
            "name": "decision", "quoted": "a\"b\\dAB😀😀", "single": "it's", "line": "ab",
            "list": [1, -2, 31, 1500.0, 0.5],
            "nested": {"a": true, "b": false, "c": null, "$d_1": {}},
            "states": ["proposed", "decided"],
        })
    );
}

#[test]
fn code_around_the_export_is_passed_over() {
    let text = r#"
        const pattern = /["'`{]/g; const half = 10 / 2 / 1;
        export function commitJoins(commit) { const t = `a ${ { b: `}` }.b } c`; return /[/}]/.test(t) ? 1 : 2; }
        export const commitJoinsName = "x";
        export const recordKind = { name: "a" }
        export const commitJoins2 = (c) => ({ "}": 1 });
    "#;
    assert_eq!(kind(text).unwrap().unwrap(), json!({"name": "a"}));
    assert_eq!(export(text, "commitJoinsName").unwrap(), Some(json!("x")));
    assert_eq!(export(text, "absent").unwrap(), None);
}

#[test]
fn an_export_that_is_none_is_not_found() {
    for text in [
        "",
        "const recordKind = {};",
        "function f() { export const recordKind = {}; }",
        "'export const recordKind = {}'",
        "export { recordKind } from './other.mjs'",
        "export const recordKinds = {}",
    ] {
        assert_eq!(kind(text), Ok(None), "{text}");
    }
}

#[test]
fn what_would_have_to_run_is_refused_with_its_place() {
    for (text, what) in [
        (
            "export const recordKind = make();",
            "`make` would have to be computed and is no plain data at line 1, column 31",
        ),
        ("export const recordKind = {\n  ...base };", "a spread is no plain data at line 2, column 3"),
        ("export const recordKind = { [x]: 1 };", "a computed key is no plain data at line 1, column 29"),
        ("export const recordKind = { a: `x` };", "a template string is no plain data at line 1, column 32"),
        ("export const recordKind = { a() {} };", "`:` is expected after the key `a` at line 1, column 30"),
        (
            "export const recordKind = {}.x;",
            "`.` follows the value, so it is computed and no plain data at line 1, column 29",
        ),
        (
            "export const recordKind = {}\n.x;",
            "`.` follows the value, so it is computed and no plain data at line 2, column 1",
        ),
        ("export const recordKind = { a: 1 a: 2 };", "`,` or `}` is expected at line 1, column 34"),
        ("export const recordKind = { a: 1, a: 2 };", "the key `a` repeats at line 1, column 38"),
        ("export const recordKind = { __proto__: {} };", "`__proto__` is no field at line 1, column 38"),
        ("export const recordKind = { a: 010 };", "`010` is no number that JSON has at line 1, column 35"),
        (
            "export const recordKind = { a: NaN };",
            "`NaN` would have to be computed and is no plain data at line 1, column 35",
        ),
        (
            "export const recordKind = { a: \"x\n\" };",
            "a string does not end on its line at line 2, column 1",
        ),
        ("export const recordKind =", "the value is missing at line 1, column 26"),
        ("/* x", "a comment does not end at line 1, column 1"),
        ("x = [1 }", "`}` closes nothing at line 1, column 8"),
        ("f({", "`{` is not closed at line 1, column 4"),
    ] {
        assert_eq!(kind(text), Err(what.to_owned()), "{text}");
    }
}

#[test]
fn hostile_texts_end_in_an_answer() {
    let deep = format!("export const recordKind = {}", "[".repeat(100_000));
    assert!(kind(&deep).unwrap_err().contains("deeper than 64"));
    let braces = "{".repeat(1_000_000);
    assert!(kind(&braces).is_err());
    let templates = "`${".repeat(100_000);
    assert!(kind(&templates).is_err());
    let long = format!("export const recordKind = \"{}\"", "x".repeat(1 << 20));
    assert_eq!(kind(&long).unwrap().unwrap().as_str().unwrap().len(), 1 << 20);
    assert!(kind("\u{feff}export const recordKind = {};").unwrap().is_some());
    assert!(kind("export const recordKind = {\0};").is_err());
}

#[test]
fn strings_are_listed_with_their_keys() {
    let found = |text: &str| -> Vec<(String, Option<String>, String)> {
        texts(text).into_iter().map(|text| (text.value, text.key, text.beside.join(" "))).collect()
    };
    let text = |value: &str, key: Option<&str>, beside: &str| {
        (value.to_owned(), key.map(str::to_owned), beside.to_owned())
    };
    assert_eq!(
        found(
            r#"
            import x from "m"; // "comment"
            /* "comment" */ const a = { token: 'a\x41', "key": `b`, n: 1, short, call: f("c"), sum: "d" + e, };
            const r = /["']/.test(b) ? token : "e";
            type T = { name: "f" | "g"; other: "h" };
            "#
        ),
        [
            text("m", None, ""),
            text("aA", Some("token"), "token key n short call sum"),
            text("key", None, ""),
            text("b", Some("key"), "token key n short call sum"),
            text("c", None, ""),
            text("d", None, ""),
            text("e", None, ""),
            text("f", None, ""),
            text("g", None, ""),
            text("h", None, ""),
        ]
    );
    assert_eq!(found(r#"{"a": {"b": "c"}}"#)[2], text("c", Some("b"), "b"));
    assert_eq!(
        found("f(`x ${y({ k: 'z' })} '`, { l: 'u' }, `${{ m: 'v' }}`)"),
        [text("z", Some("k"), "k"), text("u", Some("l"), "l"), text("v", Some("m"), "m")]
    );
    assert_eq!(found("<p>don't</p>\n{ k: 'z' }"), [text("z", Some("k"), "k")]);
    assert_eq!(texts("é = 'x'")[0].at, 5);
    for broken in ["'", "`", "`${", "/* '", "{ a: 'b", "/[", "}}}", "\\", "'\\u{110000}'"] {
        texts(broken);
    }
    let start = std::time::Instant::now();
    for piece in ["/[ ", "'\\'", "/* ", "//\n/*", "`", "`${", "{ a: ", "\"\\\"", "{ a: 'b', "] {
        texts(&(piece.repeat((1 << 20) / piece.len()) + "}"));
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
