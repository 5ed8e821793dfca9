//! `workspace`: the records of a Chant workspace, as a user meets them.

use insta::assert_snapshot;

use crate::scratch::Scratch;

const KIND: &str = r#"export const recordKind = {
  name: "note", location: { dir: ".", match: "^n-[0-9]{3,}.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:note:1", path: "note.schema.json" }, idField: "id",
  stateField: "state", states: ["proposed", "decided", "ratified"], closedStates: ["ratified"],
  approval: { proposed: 0, decided: 1, ratified: 2 }, supersedes: { field: "supersedes" },
  pins: { field: "evidence" }, reviews: { field: "reviews", decider: "decided_by", ratified: "ratified" },
};
"#;

const SCHEMA: &str = r#"{ "$id": "urn:test:note:1", "type": "object", "required": ["id", "title", "state"],
  "properties": { "id": { "type": "string" }, "title": { "type": "string" }, "reviews": { "type": "array" } } }"#;

/// A workspace with one kind of notes, declared.
fn notes() -> Scratch {
    let scratch = Scratch::repository();
    scratch.write("notes/note.kind.mjs", KIND);
    scratch.write("notes/note.schema.json", SCHEMA);
    scratch.write(
        "chant.workspace.json",
        r#"{ "name": "demo", "schema": 1, "members": [], "records": [{ "kind": "notes/note.kind.mjs" }] }"#,
    );
    note(&scratch, "n-001", "decided", "evidence: []\n");
    note(
        &scratch,
        "n-002",
        "decided",
        "supersedes: [n-001]\nreviews:\n  - { reviewer: ann, verdict: dissent, note: no }\n",
    );
    scratch.commit("notes");
    scratch
}

fn note(scratch: &Scratch, id: &str, state: &str, more: &str) {
    scratch.write(
        &format!("notes/{id}.md"),
        format!("---\nid: {id}\ntitle: The {id}\nstate: {state}\n{more}---\n"),
    );
}

#[test]
fn records_are_listed_for_people() {
    let scratch = notes();
    scratch.write("notes/n-003.md", "nothing\n");
    assert_snapshot!(scratch.run(&["chant", "workspace", "records"]).all(), @"
    exit 0
    --- out
    note  (notes/note.kind.mjs)
    n-001  decided  The n-001  (superseded by n-002)
      quorum 0 of 2 agreed
      warning record-no-evidence: its evidence is empty: it cites nothing and pins no file
    n-002  decided  The n-002
      quorum 0 of 2 agreed; 1 open concern
      warning review-undigested: no digest says which text was judged by ann
    notes/n-003.md  -    [new]
      record-unparseable: line 1, column 1: no front matter: the first line is not `---`
    3 records: 2 valid, 1 invalid, 1 superseded
    --- err
    ");
    assert_snapshot!(scratch.run(&["cairn", "workspace", "records", "--current", "--kind", "notes/note.kind.mjs"]).all(), @"
    exit 0
    --- out
    n-002  decided  The n-002
      quorum 0 of 2 agreed; 1 open concern
      warning review-undigested: no digest says which text was judged by ann
    notes/n-003.md  -    [new]
      record-unparseable: line 1, column 1: no front matter: the first line is not `---`
    2 records: 1 valid, 1 invalid, 1 superseded
    --- err
    ");
}

#[test]
fn the_same_binary_called_as_chant_is_that_program() {
    let scratch = notes();
    let as_chant = scratch.run(&["chant", "workspace", "records", "--json"]).ok().json();
    for args in [
        &["cairn", "workspace", "records", "--json"][..],
        &["cairn", "chant", "workspace", "records", "--json"],
    ] {
        assert_eq!(scratch.run(args).ok().json(), as_chant);
    }
    assert_snapshot!(scratch.run(&["chant", "--version"]).all(), @"
    exit 0
    --- out
    chant 0.108.0 (cairn 0.1.0)
    --- err
    ");
}

#[test]
fn a_read_that_is_not_met_has_its_exit_code() {
    let scratch = notes();
    scratch.run(&["chant", "workspace", "records", "--require", "attested"]).refused(2, "not every record");
    scratch
        .run(&["chant", "workspace", "records", "--kind", "none.mjs", "--json"])
        .refused(1, "kind-unreadable");
    scratch.run(&["chant", "workspace", "records", "--at", "none", "--json"]).refused(1, "revision-unknown");
    scratch
        .run(&["chant", "workspace", "records", "--uncommitted", "--at", "HEAD"])
        .refused(1, "cannot be used with");
    scratch.run(&["chant", "workspace", "records", "--require", "signed"]).refused(1, "invalid value");
    let bare = Scratch::repository();
    bare.run(&["chant", "workspace", "records"]).refused(1, "--kind <kind file> is required");
}
