use std::time::{Duration, Instant};

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(yaml: &str) -> Value {
    let text = format!("---\n{yaml}\n---\nbody\n");
    Value::Object(parse(text.as_bytes()).unwrap_or_else(|damage| panic!("{yaml}: {damage}")).data)
}

fn refused(yaml: &str) -> Damage {
    let text = format!("---\n{yaml}\n---\n");
    match parse(text.as_bytes()) {
        Ok(document) => panic!("{yaml}: {:?}", document.data),
        Err(damage) => damage,
    }
}

#[test]
fn plain_scalars_mean_what_the_json_schema_of_yaml_says() {
    let table = [
        ("", json!(null)),
        ("~", json!(null)),
        ("null", json!(null)),
        ("Null", json!(null)),
        ("NULL", json!(null)),
        ("nULL", json!("nULL")),
        ("true", json!(true)),
        ("True", json!(true)),
        ("TRUE", json!(true)),
        ("tRUE", json!("tRUE")),
        ("False", json!(false)),
        ("yes", json!("yes")),
        ("0", json!(0)),
        ("-0", json!(0)),
        ("+12", json!(12)),
        ("-12", json!(-12)),
        ("0123", json!(123)),
        ("1_000", json!(1000)),
        ("1000_", json!("1000_")),
        ("_1", json!("_1")),
        ("0o17", json!(15)),
        ("0x1f", json!(31)),
        ("-0x1F", json!(-31)),
        ("0b101", json!(5)),
        ("0b102", json!("0b102")),
        ("0x", json!("0x")),
        ("0o8", json!("0o8")),
        ("1.0", json!(1)),
        ("1.", json!(1)),
        ("1.5", json!(1.5)),
        (".5", json!(0.5)),
        ("-.5", json!("-.5")),
        (".", json!(".")),
        ("1e3", json!(1000)),
        ("1e", json!("1e")),
        ("2.5E-1", json!(0.25)),
        ("1.2.3", json!("1.2.3")),
        ("12345678901234567890", json!(12_345_678_901_234_567_000.0)),
        ("9007199254740993", json!(9_007_199_254_740_992_i64)),
        ("2026-09-24", json!("2026-09-24")),
        ("2026-09-24T18:00:00Z", json!("2026-09-24T18:00:00Z")),
        ("12:30", json!("12:30")),
        ("1 2", json!("1 2")),
        ("<<", json!("<<")),
        ("=", json!("=")),
        ("'1'", json!("1")),
        ("\"null\"", json!("null")),
        ("'it''s'", json!("it's")),
        (r#""a\tb\u00e9\x41\U0001F600\/""#, json!("a\tbéA😀/")),
        ("a # comment", json!("a")),
        ("a#b", json!("a#b")),
        ("http://x/y?z", json!("http://x/y?z")),
        ("[]", json!([])),
        ("{}", json!({})),
        ("[1, two, \"3\", [~]]", json!([1, "two", "3", [null]])),
        ("{a: 1, \"b\": {c: }}", json!({"a": 1, "b": {"c": null}})),
        ("one\n  two\n\n  three", json!("one two\nthree")),
        ("|\n  one\n   two\n", json!("one\n two\n")),
        ("|-\n  one\n  two\n", json!("one\ntwo")),
        ("|+\n  one\n\n", json!("one\n\n")),
        (">\n  one\n  two\n\n  three\n", json!("one two\nthree\n")),
        ("\n  - a\n  - b: 1\n    c: 2\n  -\n    - d", json!(["a", {"b": 1, "c": 2}, ["d"]])),
        ("\n- a\n- b", json!(["a", "b"])),
    ];
    for (yaml, value) in table {
        assert_eq!(read(&format!("k: {yaml}")), json!({ "k": value }), "{yaml:?}");
    }
    assert_eq!(read("k: \"\\ud83d\\ude00\""), json!({"k": "😀"}));
}

#[test]
fn what_json_cannot_hold_is_refused_with_its_place() {
    let table = [
        ("a: 1\na: 2", "the key `a` stands twice", 3, 1),
        ("a:\n  - b: 1\n    'b': 2", "the key `b` stands twice", 4, 5),
        ("a: &x [1]\nb: *x", "an alias", 3, 4),
        ("a: !!str 1", "a tag", 2, 4),
        ("a: !own {}", "a tag", 2, 4),
        ("é: .inf", "a number that JSON cannot hold", 2, 5),
        ("a: [-.INF]", "a number that JSON cannot hold", 2, 5),
        ("a: .NaN", "a number that JSON cannot hold", 2, 4),
        ("a: 1e999", "a number that JSON cannot hold", 2, 4),
        ("1: a", "a key is not a string", 2, 1),
        ("? [a]\n: b", "a key is not a string", 2, 3),
        ("a: 1\n--- \nb: 2", "more than one document", 3, 1),
        ("a: 1\n...\nb: 2", "", 4, 1),
        ("a:\n\tb: 1", "", 3, 0),
        ("a: 1\nb: \0x", "a NUL byte", 3, 4),
        ("a: \u{1b}", "the control character 0x1b", 2, 4),
        ("- a", "the top is not a mapping", 2, 1),
        ("just text", "the top is not a mapping", 2, 1),
        ("", "the top is not a mapping", 2, 1),
        ("# only a comment", "the top is not a mapping", 2, 1),
        ("a: [1", "", 2, 0),
        ("a: \"x", "", 2, 0),
        ("a: 1\n<<<<<<< HEAD\nb: 2\n=======\nb: 3\n>>>>>>> x", "conflict marker", 3, 1),
    ];
    for (yaml, message, line, column) in table {
        let damage = refused(yaml);
        assert!(damage.message.contains(message), "{yaml:?}: {damage}");
        if !message.is_empty() {
            assert_eq!((damage.line, damage.column), (line, column), "{yaml:?}: {damage}");
        }
        assert!(damage.line >= 1 && damage.column >= 1, "{yaml:?}: {damage}");
    }
}

#[test]
fn front_matter_stands_between_two_fences() {
    let document = parse(b"---\na: 1\n---\n\n# Title\n---\n").unwrap();
    assert_eq!(document.body(), "\n# Title\n---\n");
    assert_eq!(parse(b"---\na: 1\n---").unwrap().body(), "");
    assert_eq!(parse(b"---\r\na: 1\r---\r\nx\r\ny").unwrap().body(), "x\ny");
    // The line after the first never closes, as in the published pattern.
    assert_eq!(parse(b"---\n---\na: 1\n---\n").unwrap().data, *json!({"a": 1}).as_object().unwrap());
    let bad: [&[u8]; 10] = [
        b"",
        b"---",
        b"---\n",
        b"---\n---\n",
        b"--- \na: 1\n---\n",
        b"# x\n",
        b"---\na: 1\n",
        b"---\na: 1\n--- \n",
        b"\n---\na: 1\n---\n",
        b"---\na: 1\n----\n",
    ];
    for text in bad {
        assert!(parse(text).unwrap_err().message.starts_with("no front matter"), "{text:?}");
    }
    assert!(parse("\u{feff}---\na: 1\n---\n".as_bytes()).unwrap_err().message.contains("byte order mark"));
    let damage = parse(b"---\na: 1\nb: \xff\n---\n").unwrap_err();
    assert_eq!(damage.to_string(), "line 3, column 4: not UTF-8");
}

#[test]
fn hostile_text_ends_soon_and_without_a_panic() {
    let deep = 10_000;
    let block = (0..deep / 5).fold(String::new(), |block, depth| block + &" ".repeat(depth) + "a:\n");
    let big = 1 << 20;
    let texts = [
        ("flow lists", format!("a: {}", "[".repeat(deep))),
        ("flow maps", format!("a: {}", "{a: ".repeat(deep))),
        ("closed lists", format!("a: {}{}", "[".repeat(deep), "]".repeat(deep))),
        ("dashes", format!("a:\n {}x", "- ".repeat(deep))),
        ("questions", format!("{}x", "? ".repeat(deep))),
        ("blocks", block),
        ("anchors", "&a ".repeat(deep)),
        ("colons", "a: ".repeat(deep)),
        ("open quote", format!("a: \"{}", "x".repeat(big))),
        ("commas", format!("a: [{}", ",".repeat(big))),
        ("percents", "%".repeat(big)),
        ("spaces", format!("a:{}\tb: 1", " ".repeat(big))),
        ("documents", "--- a\n".repeat(deep)),
        ("long key", format!("{}: 1", "k".repeat(big))),
    ];
    for (name, yaml) in texts {
        let start = Instant::now();
        refused(&yaml);
        assert!(start.elapsed() < Duration::from_secs(20), "{name}: {:?}", start.elapsed());
    }
    for scalar in [
        format!("\"{}\"", "x".repeat(big)),
        "x".repeat(big),
        format!("|\n  {}", "x\n  ".repeat(big / 4)),
        "x ".repeat(big / 2),
    ] {
        let start = Instant::now();
        read(&format!("a: {scalar}"));
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn values_are_written_in_the_published_form() {
    let data = json!({
        "id": "d-1", "n": 1.5, "yes": true, "none": null, "list": [], "map": {},
        "tags": ["a", 2, [], {}, [["b"], "c"]],
        "options": [{"id": "a", "sub": {"x": 1}, "list": ["y"]}, {"id": "b"}],
        "work-item.files": 1, "true": 1, "Null": 1, "": 1, "a-b_c": {"d": {"e": "f\n\"g\""}},
    });
    let expected = r#"---
id: "d-1"
n: 1.5
yes: true
none: null
list: []
map: {}
tags:
  - "a"
  - 2
  - []
  - {}
  -
    -
      - "b"
    - "c"
options:
  - id: "a"
    sub:
      x: 1
    list:
      - "y"
  - id: "b"
"work-item.files": 1
"true": 1
"Null": 1
"": 1
a-b_c:
  d:
    e: "f\n\"g\""
---

# T
"#;
    let text = file(data.as_object().unwrap(), "\n# T\n");
    assert_eq!(text, expected);
    let back = parse(text.as_bytes()).unwrap();
    assert_eq!(Value::Object(back.data.clone()), data);
    assert_eq!(back.body(), "\n# T\n");
    assert_eq!(file(&Map::new(), ""), "---\n{}\n---\n");
}

const HAND: &str = "---\n# about\nid:   d-1   # the id\n\"state\" : open\n# why\nnote: |\n   one\n\n   two\n\n\nlist:\n- a\n-   b\n# last of list\n'own key': 1\nlast: [1,\n  2]\n\n---\nstate: body\n";

#[test]
fn one_block_changes_and_every_other_byte_stays() {
    let changed = |key: &str, yaml: &str| replace(HAND, key, yaml).unwrap();
    assert_eq!(
        changed("state", "state: \"closed\""),
        HAND.replace("\"state\" : open\n", "state: \"closed\"\n")
    );
    assert_eq!(changed("note", "note: \"x\""), HAND.replace("note: |\n   one\n\n   two\n", "note: \"x\"\n"));
    assert_eq!(
        changed("list", "list:\n  - \"c\""),
        HAND.replace("list:\n- a\n-   b\n", "list:\n  - \"c\"\n")
    );
    assert_eq!(changed("own key", "\"own key\": 2"), HAND.replace("'own key': 1", "\"own key\": 2"));
    assert_eq!(changed("last", "last: []"), HAND.replace("last: [1,\n  2]", "last: []"));
    assert_eq!(remove(HAND, "list").unwrap(), HAND.replace("list:\n- a\n-   b\n", ""));
    assert_eq!(
        insert(HAND, "more: 1\nmost: 2").unwrap(),
        HAND.replace("\n\n---\nstate", "\n\nmore: 1\nmost: 2\n---\nstate")
    );
    assert_eq!(
        replace_all("---\r\na: 1\r\n---\r\nx\r\n", "b: 1\nc: 2").unwrap(),
        "---\r\nb: 1\r\nc: 2\r\n---\r\nx\r\n"
    );
    for absent in ["stat", "body", "one", "a", "b", "# about"] {
        assert_eq!(replace(HAND, absent, "x: 1"), None, "{absent}");
    }
    assert_eq!(replace("no front matter\nstate: 1\n", "state", "state: 2"), None);
    assert_eq!(insert("state: 1\n", "x: 1"), None);
    // No blank behind the colon: no such key.
    assert_eq!(block("---\na:b\n---\n", "a"), None);
}

#[test]
fn a_block_keeps_the_line_ends_of_its_file() {
    let crlf = HAND.replace('\n', "\r\n");
    let closed = replace(&crlf, "list", "list:\n  - \"c\"\n  - \"d\"").unwrap();
    assert_eq!(
        closed,
        HAND.replace("list:\n- a\n-   b\n", "list:\n  - \"c\"\n  - \"d\"\n").replace('\n', "\r\n")
    );
    let more = insert(&crlf, "more: 1").unwrap();
    assert_eq!(more, insert(HAND, "more: 1").unwrap().replace('\n', "\r\n"));
    assert_eq!(remove(&crlf, "note").unwrap(), remove(HAND, "note").unwrap().replace('\n', "\r\n"));
    // Only the lines of the block change where a file mixes its line ends.
    let mixed = "---\r\na: 1\nb: 2\r\nc: 3\r---\nx\r\n";
    assert_eq!(replace(mixed, "a", "a: 4").unwrap(), "---\r\na: 4\nb: 2\r\nc: 3\r---\nx\r\n");
    assert_eq!(replace(mixed, "b", "b: 4").unwrap(), "---\r\na: 1\nb: 4\r\nc: 3\r---\nx\r\n");
    assert_eq!(replace(mixed, "c", "c: 4").unwrap(), "---\r\na: 1\nb: 2\r\nc: 4\r---\nx\r\n");
}

#[test]
fn a_digest_leaves_out_whole_blocks() {
    let left = without_blocks(HAND, &["note", "state", "absent", "list"]);
    assert_eq!(
        left,
        "---\n# about\nid:   d-1   # the id\n'own key': 1\nlast: [1,\n  2]\n\n---\nstate: body\n"
    );
    assert!(matches!(without_blocks("state: 1\n", &["state"]), Cow::Borrowed(_)));
    assert!(matches!(without_blocks("---\nstate: 1\n", &["state"]), Cow::Borrowed(_)));
    // Checked with `sha256sum` over the bytes written by hand.
    let text = "---\nid: \"a\"\nreviews:\n  - x\n\nseal: \"s\"\n---\n\nBody\n";
    let digest = crate::Sha256::of(without_blocks(text, &["reviews", "seal"]).as_bytes());
    assert_eq!(digest.to_string(), "da5a5da0af460db8866a90700c1a84d03de8a6b5fe62483ec680fd751840ef3c");
}

#[test]
fn a_seal_covers_the_values_and_the_body() {
    let seal = |text: &str| {
        let document = parse(text.as_bytes()).unwrap();
        let mut core = document.data.clone();
        core.shift_remove("closed_digest");
        seal_digest(&core, document.body()).unwrap()
    };
    // printf '%s' '{"body":"\nB\n","core":{"a":1.5,"id":"x"}}' | sha256sum
    let expected = "sha256:59cfe882d3e78387794e47a37d8d5833ed933f84bac220ac34fa016dc0d18f6d";
    assert_eq!(seal("---\nid: \"x\"\na: 1.5\nclosed_digest: \"old\"\n---\n\nB\n"), expected);
    assert_eq!(seal("---\r\na: 1.50\r\nid: x\r\n---\r\n\r\nB\r\n"), expected);
    assert_ne!(seal("---\na: 1.5\nid: x\n---\n\nC\n"), expected);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-9_007_199_254_740_992_i64..=9_007_199_254_740_992).prop_map(Value::from),
        (-1e6..1e6).prop_map(|n: f64| json!(n.floor() + 0.5)),
        any::<String>().prop_map(Value::from),
        "[-?:,\\[\\]{}#&*!|>'\"%@` \n\r\ta0~]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            any_map(inner).prop_map(Value::Object),
        ]
    })
}

fn any_map(values: impl Strategy<Value = Value>) -> impl Strategy<Value = Map<String, Value>> {
    let key = prop_oneof!["[a-zA-Z_][a-z0-9_-]{0,6}", "true|Null|~|1|-|''|: |#", any::<String>()];
    prop::collection::vec((key, values), 0..5).prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #[test]
    fn what_is_written_reads_back_the_same(data in any_map(any_value()), body in "[^\r]*") {
        let text = file(&data, &body);
        let document = parse(text.as_bytes()).map_err(|damage| TestCaseError::fail(format!("{damage}\n{text}")))?;
        prop_assert_eq!(document.body(), &body);
        prop_assert_eq!(serde_json::to_string(&document.data).unwrap(), serde_json::to_string(&data).unwrap());
    }

    #[test]
    fn no_text_makes_the_reader_panic(yaml in "[-a:?,\\[\\]{}#&*!|>'\"%@ \n\t0.]{0,60}") {
        let _ = parse(format!("---\n{yaml}\n---\n").as_bytes());
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in any::<Vec<u8>>(), lead in prop::bool::ANY) {
        let text = if lead { [b"---\n", bytes.as_slice(), b"\n---\n"].concat() } else { bytes };
        let _ = parse(&text);
    }

    #[test]
    fn a_replaced_block_reads_back_and_the_rest_stays(data in any_map(any_value()), new in any_value(), pick in any::<prop::sample::Index>()) {
        prop_assume!(!data.is_empty());
        let key = data.keys().nth(pick.index(data.len())).unwrap().clone();
        let text = replace(&file(&data, "x\n"), &key, &field(&key, &new)).unwrap();
        let mut expected = data.clone();
        expected.insert(key, new);
        let document = parse(text.as_bytes()).unwrap();
        prop_assert_eq!(&document.data, &expected);
        prop_assert_eq!(document.body(), "x\n");
    }
}
