//! `cairn schema`, and the schemas checked in below `schemas/`.

use std::fs;
use std::path::Path;

use crate::scratch::Scratch;

#[test]
fn schemas_checked_in_are_those_of_the_types() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("schemas");
    let update = std::env::var_os("CAIRN_UPDATE").is_some();
    let mut wrong = Vec::new();
    for entry in cairn::schema::ALL {
        let path = folder.join(format!("{}.schema.json", entry.name));
        let made = format!("{}\n", canon::json::pretty(&serde_json::to_value((entry.make)()).unwrap()));
        if update {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, made).unwrap();
        } else if fs::read_to_string(&path).ok().as_deref() != Some(&made) {
            wrong.push(entry.name);
        }
    }
    assert!(wrong.is_empty(), "run with CAIRN_UPDATE=1 and look at the difference: {wrong:?}");
    for protocol in ["cairn", "chalk", "chant", "govern"] {
        for file in fs::read_dir(folder.join(protocol)).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let name = format!("{protocol}/{}", name.trim_end_matches(".schema.json"));
            assert!(
                cairn::schema::ALL.iter().any(|entry| entry.name == name),
                "no document has the schema {name}"
            );
        }
    }
}

#[test]
fn names_are_sorted_and_unique() {
    let names: Vec<&str> = cairn::schema::ALL.iter().map(|entry| entry.name).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(names, sorted);
}

#[test]
fn a_schema_is_printed() {
    let scratch = Scratch::empty();
    let all = scratch.run(&["cairn", "schema"]).ok();
    assert!(all.out.contains("chalk/log\n"), "{}", all.out);
    let one = scratch.run(&["cairn", "schema", "chalk/log", "--json"]).ok();
    assert_eq!(one.json()["type"], "array");
    scratch.run(&["cairn", "schema", "chalk/nothing"]).refused(1, "no schema is called");
    scratch.run(&["cairn", "schema", "--what"]).refused(2, "--what");
}
