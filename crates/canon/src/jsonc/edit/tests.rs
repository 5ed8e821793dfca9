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
