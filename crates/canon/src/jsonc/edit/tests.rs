use proptest::prelude::*;
use serde_json::json;

use super::*;

fn there_and_back(text: &str, added: &str) {
    let mut editor = Editor::new(text).unwrap();
    assert!(editor.insert("", "new", &json!({ "x": [1] })), "{text}");
    assert_eq!(editor.text, added);
    assert!(editor.remove("/new"));
    assert_eq!(editor.text, text);
}

#[test]
fn what_is_added_goes_without_a_trace() {
    there_and_back(
        "{\n  \"a\": 1\n}\n",
        "{\n  \"a\": 1,\n  \"new\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n",
    );
    there_and_back("{\"a\":1}", "{\"a\":1,\"new\":{\"x\":[1]}}");
    there_and_back(
        "{\r\n\t\"a\": 1, // why\r\n}\r\n",
        "{\r\n\t\"a\": 1, // why\r\n\t\"new\": {\r\n\t\t\"x\": [\r\n\t\t\t1\r\n\t\t]\r\n\t},\r\n}\r\n",
    );
    there_and_back(
        "\u{feff}// top, with a comma\n{\n    \"a\": 1 /* , */ // b\n    // end\n}",
        "\u{feff}// top, with a comma\n{\n    \"a\": 1, /* , */ // b\n    \"new\": {\n        \"x\": [\n            1\n        ]\n    }\n    // end\n}",
    );
}

#[test]
fn parts_added_behind_stay() {
    let mut editor = Editor::new("[\n  1\n]").unwrap();
    assert!(editor.push("", &json!(2)));
    assert!(editor.push("", &json!(3)));
    assert!(editor.remove("/1"));
    assert_eq!(editor.text, "[\n  1,\n  3\n]");
    assert!(editor.remove("/0"));
    assert_eq!(editor.text, "[\n  3\n]");
    assert!(editor.remove("/0"));
    assert_eq!(editor.text, "[]");
}

#[test]
fn a_container_that_was_empty_gets_its_inside_back() {
    for text in ["{\n  \"a\": { /* none */ }\n}", "{\n  \"a\": {\n  }\n}", "{ \"a\": {} }"] {
        let mut editor = Editor::new(text).unwrap();
        let inside = editor.interior("/a").unwrap().to_owned();
        assert!(editor.insert("/a", "b", &json!(1)));
        assert!(editor.remove("/a/b"));
        assert!(editor.set_interior("/a", &inside));
        assert_eq!(editor.text, text);
    }
}

#[test]
fn comments_of_others_survive() {
    let mut editor = Editor::new("[ // first\n 1, 2 ]").unwrap();
    assert!(editor.remove("/0"));
    assert_eq!(editor.document.root().to_value(), json!([2]));
    assert!(editor.text.contains("// first"));

    let mut editor = Editor::new("[1 // one,\n]").unwrap();
    assert!(editor.push("", &json!(2)));
    assert_eq!(editor.text, "[1,2 // one,\n]");

    let mut editor = Editor::new("[ // first\n 1, 2\n]").unwrap();
    assert!(editor.remove("/0"));
    assert_eq!(editor.document.root().to_value(), json!([2]));
}

#[test]
fn what_is_not_there_changes_nothing() {
    let mut editor = Editor::new("{\"a\":1}").unwrap();
    assert!(!editor.insert("", "a", &json!(2)));
    assert!(!editor.insert("/a", "b", &json!(2)));
    assert!(!editor.push("", &json!(2)));
    assert!(!editor.remove("/b"));
    assert!(!editor.set_interior("", "\"a\":"));
    assert_eq!(editor.text, "{\"a\":1}");
}

proptest! {
    #[test]
    fn a_part_comes_and_goes_in_any_layout(
        parts in prop::collection::vec("(\"[a-c]{3}\"|[0-9]|\\[\\]|\\{ \\})", 1..5),
        spaces in prop::collection::vec("( |\n|\r\n\t|/\\*,\\*/|//x,\n|// \\]\r\n){0,3}", 6),
        is_trailing in any::<bool>(),
        at in 0usize..5,
    ) {
        let space = |index: usize| spaces[index % spaces.len()].as_str();
        let mut text = format!("{}[", space(5));
        for (index, part) in parts.iter().enumerate() {
            let comma = if index + 1 < parts.len() || is_trailing { "," } else { "" };
            text = format!("{text}{}{part}{}{comma}", space(index), space(index + 3));
        }
        text = format!("{text}{}]{}", space(4), space(2));
        let mut editor = Editor::new(text.clone()).unwrap();
        let before = editor.document.root().to_value();
        let is_there = editor.push("", &json!({ "new": [1] }));
        prop_assert!(is_there);
        let count = parts.len();
        let mut expected = before.clone();
        expected.as_array_mut().unwrap().push(json!({ "new": [1] }));
        prop_assert_eq!(editor.document.root().to_value(), expected.clone());

        let mut other = editor.clone();
        let (last, some) = (format!("/{count}"), format!("/{}", at % count));
        prop_assert!(editor.remove(&last));
        prop_assert_eq!(&editor.text, &text);
        prop_assert!(other.remove(&some));
        expected.as_array_mut().unwrap().remove(at % count);
        prop_assert_eq!(other.document.root().to_value(), expected);
    }

    #[test]
    fn no_text_makes_the_editor_panic(text in "[\\[\\]{}\",:0-9a-c \n\\\\/*]{0,40}") {
        if let Ok(mut editor) = Editor::new(text) {
            editor.insert("", "a", &json!(1));
            editor.push("/a", &json!(1));
            editor.push("", &json!([1]));
            editor.remove("/0");
            editor.remove("/a");
            prop_assert!(Editor::new(editor.into_text()).is_ok());
        }
    }
}
