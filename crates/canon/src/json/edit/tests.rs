use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::json::pretty;

fn edited(text: &str, edit: impl FnOnce(&mut Editor) -> bool) -> String {
    let mut editor = Editor::new(text).unwrap();
    assert!(edit(&mut editor), "the edit was refused");
    editor.into_text()
}

#[test]
fn a_value_is_replaced_in_place() {
    let text = "{\n  \"a\" : 1.0,\n  \"b\": [ 2,3 ]\n}";
    assert_eq!(
        edited(text, |e| e.set(&["b".into(), 1.into()], &json!("x"))),
        "{\n  \"a\" : 1.0,\n  \"b\": [ 2,\"x\" ]\n}"
    );
}

#[test]
fn a_new_member_follows_the_layout_it_finds() {
    assert_eq!(
        edited("{\n  \"a\": 1\n}\n", |e| e.set(&["b".into()], &json!([1]))),
        "{\n  \"a\": 1,\n  \"b\": [\n    1\n  ]\n}\n"
    );
    assert_eq!(
        edited("{\r\n\t\"a\": 1\r\n}", |e| e.set(&["b".into()], &json!({"c": 2}))),
        "{\r\n\t\"a\": 1,\r\n\t\"b\": {\r\n\t\t\"c\": 2\r\n\t}\r\n}"
    );
    assert_eq!(edited(r#"{"a":1}"#, |e| e.set(&["b".into()], &json!({"c": 2}))), r#"{"a":1,"b":{"c":2}}"#);
    assert_eq!(edited(r#"{ "a": 1 }"#, |e| e.set(&["b".into()], &json!(2))), r#"{ "a": 1, "b": 2 }"#);
}

#[test]
fn an_empty_container_is_opened() {
    assert_eq!(
        edited("{\n  \"a\": []\n}", |e| e.push(&["a".into()], &json!({"x": 1}))),
        "{\n  \"a\": [\n    {\n      \"x\": 1\n    }\n  ]\n}"
    );
    assert_eq!(edited("[]\n", |e| e.push(&[], &json!(1))), "[\n  1\n]\n");
    assert_eq!(edited("{\n}\n", |e| e.set(&["a".into()], &json!(1))), "{\n  \"a\": 1\n}\n");
}

#[test]
fn a_part_cut_out_of_a_document_keeps_its_depth() {
    let task = "{\n    \"id\": \"t\",\n    \"tests\": []\n  }";
    assert_eq!(
        edited(task, |e| e.push(&["tests".into()], &json!({"p": 1})) && e.set(&["n".into()], &json!(1))),
        "{\n    \"id\": \"t\",\n    \"tests\": [\n      {\n        \"p\": 1\n      }\n    ],\n    \"n\": 1\n  }"
    );
}

#[test]
fn missing_objects_on_the_way_are_made() {
    assert_eq!(
        edited("{\n  \"a\": {}\n}", |e| e.set(&["a".into(), "b".into(), "c".into()], &json!(1))),
        "{\n  \"a\": {\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}"
    );
}

#[test]
fn a_path_through_another_kind_of_value_changes_nothing() {
    let mut editor = Editor::new(r#"{"a": 1}"#).unwrap();
    assert!(!editor.set(&["a".into(), "b".into()], &json!(2)));
    assert!(!editor.set(&["a".into(), 3.into()], &json!(2)));
    assert!(!editor.push(&["a".into()], &json!(2)));
    assert!(!editor.remove(&["b".into()]));
    assert_eq!(editor.as_str(), r#"{"a": 1}"#);
}

#[test]
fn removal_takes_the_comma_along() {
    let text = "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}";
    assert_eq!(edited(text, |e| e.remove(&["a".into()])), "{\n  \"b\": 2,\n  \"c\": 3\n}");
    assert_eq!(edited(text, |e| e.remove(&["b".into()])), "{\n  \"a\": 1,\n  \"c\": 3\n}");
    assert_eq!(edited(text, |e| e.remove(&["c".into()])), "{\n  \"a\": 1,\n  \"b\": 2\n}");
    assert_eq!(edited("[\n  1\n]", |e| e.remove(&[0.into()])), "[]");
}

#[test]
fn of_a_repeated_key_the_last_counts() {
    assert_eq!(edited(r#"{"a":1,"\u0061":2}"#, |e| e.set(&["a".into()], &json!(3))), r#"{"a":1,"\u0061":3}"#);
}

#[test]
fn lone_surrogates_and_odd_numbers_survive() {
    let text = r#"{"plan": "cut \ud83d", "n": 1.50e+3, "x": 1}"#;
    assert_eq!(
        edited(text, |e| e.set(&["x".into()], &json!(2))),
        r#"{"plan": "cut \ud83d", "n": 1.50e+3, "x": 2}"#
    );
}

#[test]
fn a_byte_order_mark_stays() {
    assert_eq!(edited("\u{feff}{\"a\":1}", |e| e.set(&["a".into()], &json!(2))), "\u{feff}{\"a\":2}");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,4}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn an_edit_of_the_text_equals_an_edit_of_the_value(
        members in prop::collection::btree_map("[a-c\"\\\\é]{1,2}", any_json(), 0..4),
        key in "[a-c\"\\\\é]{1,2}",
        new in any_json(),
        one_line in any::<bool>(),
    ) {
        let mut value = Value::Object(members.into_iter().collect());
        let text = if one_line { compact(&value) } else { pretty(&value) };
        let mut editor = Editor::new(text.clone()).unwrap();
        prop_assert!(editor.set(&[key.as_str().into()], &new));
        value[&key] = new;
        let read: Value = serde_json::from_str(editor.as_str()).unwrap();
        prop_assert_eq!(&read, &value);
        if !one_line && text != "{}" {
            prop_assert_eq!(editor.as_str(), pretty(&value));
        }
        prop_assert!(editor.remove(&[key.as_str().into()]));
        let map = value.as_object_mut().unwrap();
        map.shift_remove(&key);
        let read: Value = serde_json::from_str(editor.as_str()).unwrap();
        prop_assert_eq!(&read, &value);
    }

    #[test]
    fn no_text_makes_the_editor_panic(text in "[\\[\\]{}\",:0-9a-c \\n\\\\]{0,40}") {
        if let Ok(mut editor) = Editor::new(text) {
            editor.set(&["a".into(), "b".into()], &json!(1));
            editor.push(&[], &json!(1));
            editor.remove(&[0.into()]);
            prop_assert!(check(editor.as_str().as_bytes()).is_ok());
        }
    }
}
