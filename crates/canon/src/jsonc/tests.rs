use super::*;

fn fault(text: &str, dialect: Dialect) -> (usize, usize, String) {
    let damage = Document::parse(text.as_bytes(), dialect).unwrap_err();
    (damage.line, damage.column, damage.message)
}

#[test]
fn values_know_their_places() {
    let text = "{\n  \"a\": [1, {\"b/c\": null}],\n  \"d~\": \"x\"\n}\n";
    let document = Document::parse(text.as_bytes(), Dialect::Json).unwrap();
    let place = |pointer: &str| {
        let at = document.position_of(pointer);
        (at.line, at.column)
    };
    assert_eq!(place(""), (1, 1));
    assert_eq!(place("/a"), (2, 8));
    assert_eq!(place("/a/1/b~1c"), (2, 20));
    assert_eq!(place("/d~0"), (3, 9));
    // What is not there is told at what is around it.
    assert_eq!(place("/a/1/gone/deeper"), (2, 12));
    let key = document.position_of_key("/a/1/b~1c");
    assert_eq!((key.line, key.column), (2, 13));
    assert_eq!(document.position_of_key("/a/0"), document.position_of("/a/0"));
    assert_eq!(&text[document.find("/a").unwrap().range.clone()], "[1, {\"b/c\": null}]");
    assert_eq!(document.root().to_value(), serde_json::json!({ "a": [1, { "b/c": null }], "d~": "x" }));
    assert_eq!(pointer_step("b/c~"), "b~1c~0");
}

#[test]
fn columns_are_utf_16_code_units() {
    let document = Document::parse("[\"é𝄞\", 1,\n\"é\", 2]".as_bytes(), Dialect::Json).unwrap();
    assert_eq!(document.position_of("/1").column, 9);
    assert_eq!(document.position_of("/3"), Position { line: 2, column: 6 });
}

#[test]
fn comments_and_last_commas_are_a_dialect() {
    let text = "// first\n{ /* a */ \"a\": [1, 2,], // b\r\n}";
    let document = Document::parse(text.as_bytes(), Dialect::Comments).unwrap();
    assert_eq!(document.root().to_value(), serde_json::json!({ "a": [1, 2] }));
    assert_eq!(fault(text, Dialect::Json).0, 1);
    assert_eq!(fault("[1,\n2,\n]", Dialect::Json).0, 2);
    for text in ["[,]", "{,}", "[1,,]", "[1 2]", "/* x", "[1]/", "{\"a\":1 \"b\":2}"] {
        assert!(Document::parse(text.as_bytes(), Dialect::Comments).is_err(), "{text}");
    }
}

#[test]
fn what_is_wrong_has_a_place() {
    for (text, line, column, message) in [
        ("", 1, 1, "empty"),
        (" \n ", 2, 2, "empty"),
        ("{\"a\": 1,\n \"a\": 2}", 2, 2, "\"a\" stands twice"),
        ("{\"a\": 1,\n \"\\u0061\": 2}", 2, 2, "stands twice"),
        ("{\"a\" 1}", 1, 6, "expected `:`, found '1'"),
        ("{a: 1}", 1, 2, "a key in double quotes"),
        ("[1] 2", 1, 5, "nothing more"),
        ("[tru]", 1, 2, "a value"),
        ("[01]", 1, 2, "number"),
        ("[1e999]", 1, 2, "number"),
        ("[-]", 1, 2, "number"),
        ("[\"a\nb\"]", 1, 4, "control character"),
        ("[\"a\0b\"]", 1, 4, "control character"),
        ("[\0]", 1, 2, "a value"),
        ("[\"abc", 1, 2, "no end"),
        ("[\"\\", 1, 2, "no end"),
        ("[\"\\x\"]", 1, 2, "escape"),
        ("[\"\\ud800\"]", 1, 2, "escape"),
        ("[\"\\é\"]", 1, 2, "escape"),
        ("[1", 1, 3, "the end of the file"),
        ("\u{a0}1", 1, 1, "a value"),
    ] {
        let found = fault(text, Dialect::Json);
        assert_eq!((found.0, found.1), (line, column), "{text:?}: {}", found.2);
        assert!(found.2.contains(message), "{text:?}: {}", found.2);
    }
    let damage = Document::parse(b"[\n\xff]", Dialect::Json).unwrap_err();
    assert_eq!((damage.line, damage.column), (2, 1));
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    assert!(Document::parse(b"\xef\xbb\xbf[1]", Dialect::Json).is_ok());
}

#[test]
fn depth_has_an_end() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert!(Document::parse(nested(DEPTH).as_bytes(), Dialect::Json).is_ok());
        let damage = Document::parse(nested(10_000).as_bytes(), Dialect::Json).unwrap_err();
        assert!(damage.message.contains("deeper"), "{damage}");
    }
    assert!(Document::parse("[".repeat(1_000_000).as_bytes(), Dialect::Comments).is_err());
}

proptest::proptest! {
    #[test]
    fn any_text_ends_in_an_answer(text in "[\\[\\]{}\",:/* \\\\0-9a-z\\n\u{e9}]{0,40}") {
        for dialect in [Dialect::Json, Dialect::Comments] {
            let ours = Document::parse(text.as_bytes(), dialect);
            if dialect == Dialect::Json {
                let theirs = serde_json::from_str::<Value>(&text);
                // A key that stands twice is refused here alone.
                if let Ok(ours) = &ours {
                    proptest::prop_assert_eq!(Some(ours.root().to_value()), theirs.ok());
                } else if theirs.is_ok() {
                    let damage = ours.unwrap_err();
                    proptest::prop_assert!(damage.message.contains("twice"), "{}", damage);
                }
            }
        }
    }
}
