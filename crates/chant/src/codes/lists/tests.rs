use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::super::ALL;
use super::DOCUMENTS;
use crate::published;

type Codes = BTreeSet<String>;

fn listed() -> Codes {
    ALL.iter().map(|(code, _)| code.to_string()).collect()
}

/// The codes that enumerations of a schema name: those of the error, and the others.
fn named(schema: &Value, listed: &Codes) -> (Codes, Codes) {
    fn walk(value: &Value, path: &str, listed: &Codes, found: &mut (Codes, Codes)) {
        match value {
            Value::Object(object) => {
                if let Some(Value::Array(values)) = object.get("enum") {
                    let names: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
                    if names.iter().any(|name| listed.contains(*name)) {
                        let into = if path.contains("/failure/properties/error") {
                            &mut found.0
                        } else {
                            &mut found.1
                        };
                        into.extend(names.into_iter().map(str::to_owned));
                    }
                }
                for (key, inner) in object {
                    walk(inner, &format!("{path}/{key}"), listed, found);
                }
            }
            Value::Array(values) => values.iter().for_each(|inner| walk(inner, path, listed, found)),
            _ => {}
        }
    }
    let mut found = Default::default();
    walk(schema, "", listed, &mut found);
    found
}

#[test]
fn each_list_is_part_of_the_closed_list_and_names_a_code_once() {
    let listed = listed();
    for document in DOCUMENTS {
        for codes in [document.errors().collect::<Vec<_>>(), document.parts().collect()] {
            let mut seen = BTreeSet::new();
            for code in codes {
                assert!(listed.contains(code.as_str()), "{}: {code}", document.name);
                assert!(seen.insert(code.as_str()), "{}: {code} twice", document.name);
            }
        }
    }
}

#[test]
fn each_code_of_the_closed_list_is_named_once_and_has_its_own_meaning() {
    assert_eq!(listed().len(), ALL.len());
    let meanings: BTreeSet<_> = ALL.iter().map(|(_, meaning)| meaning).collect();
    assert_eq!(meanings.len(), ALL.len());
    for (code, meaning) in ALL {
        assert_ne!(code.as_str().replace('-', " "), *meaning);
    }
}

#[test]
fn the_lists_are_those_of_the_published_schemas() {
    let Some(folder) = published::folder() else { return };
    let listed = listed();
    let mut expected = BTreeMap::new();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let name = file.file_name().unwrap().to_string_lossy();
        let Some(name) = name.strip_suffix(".schema.json") else { continue };
        let codes = named(&serde_json::from_slice(&fs::read(&file).unwrap()).unwrap(), &listed);
        if codes != Default::default() {
            expected.insert(name.to_owned(), codes);
        }
    }
    let ours: BTreeMap<String, (Codes, Codes)> = DOCUMENTS
        .iter()
        .map(|document| {
            let errors = document.errors().map(|code| code.to_string()).collect();
            let parts = document.parts().map(|code| code.to_string()).collect();
            (document.name.to_owned(), (errors, parts))
        })
        .collect();
    assert_eq!(ours, expected);
}

#[test]
fn no_published_schema_names_a_code_outside_the_closed_list() {
    let Some(folder) = published::folder() else { return };
    let listed = listed();
    for file in fs::read_dir(folder).unwrap() {
        let file = file.unwrap().path();
        let schema: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let (errors, parts) = named(&schema, &listed);
        for code in errors.union(&parts) {
            assert!(listed.contains(code), "{}: {code}", file.display());
        }
    }
}

/// The lists hold what [`gate::reason_codes!`] made, and nothing else can make a code: the one other way is named here.
#[test]
fn no_source_makes_a_code_outside_the_closed_list() {
    fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                into.push(path);
            }
        }
    }
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let makers: Vec<_> = files
        .iter()
        .filter(|file| {
            let text = fs::read_to_string(file).unwrap();
            text.contains("reason_codes! {") || text.contains("ReasonCode::listed(")
        })
        .filter(|file| !file.ends_with("lists/tests.rs"))
        .map(|file| file.file_name().unwrap().to_owned())
        .collect();
    assert_eq!(makers, ["codes.rs"]);
}
