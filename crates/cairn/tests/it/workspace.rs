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
pub fn notes() -> Scratch {
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

/// Writes a note.
pub fn note(scratch: &Scratch, id: &str, state: &str, more: &str) {
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

#[test]
fn a_record_goes_through_its_life() {
    let scratch = notes();
    scratch
        .write("new.json", r#"{ "title": "Say \"hi\": it's", "state": "proposed", "decided_by": "dora" }"#);
    let made =
        scratch.run(&["chant", "workspace", "records", "new", "note", "--from", "new.json"]).ok().json();
    assert_eq!(made["id"], "n-003");
    assert_snapshot!(scratch.read(made["path"].as_str().unwrap()), @r#"
    ---
    id: "n-003"
    title: "Say \"hi\": it's"
    state: "proposed"
    decided_by: "dora"
    ---

    # Say "hi": it's
    "#);
    let digest = made["digest"].as_str().unwrap();

    scratch.write("set.json", r#"{ "state": "decided" }"#);
    let amend = ["chant", "workspace", "records", "amend", "n-003", "--set", "set.json", "--expect"];
    scratch.run(&[&amend[..], &[&"0".repeat(64)]].concat()).refused(1, "record-conflict");
    let amended = scratch.run(&[&amend[..], &[digest]].concat()).ok().json();
    assert_eq!(amended["changed"], serde_json::json!(["state"]));

    let review = ["chant", "workspace", "records", "review", "n-003", "--verdict"];
    scratch.run(&[&review[..], &["dissent", "--by", "ann"]].concat()).refused(1, "review-note-required");
    scratch.run(&[&review[..], &["agree", "--by", "ann"]].concat()).ok();
    scratch.write("ratify.json", r#"{ "state": "ratified" }"#);
    let ratify = ["chant", "workspace", "records", "amend", "n-003", "--set", "ratify.json"];
    scratch.run(&ratify).refused(1, "ratify-quorum-not-met");
    scratch.run(&[&review[..], &["agree", "--by", "bob"]].concat()).ok();
    scratch.run(&ratify).ok();
    scratch.run(&ratify[..]).ok();
    scratch
        .run(&["chant", "workspace", "records", "amend", "n-003", "--set", "set.json"])
        .refused(1, "record-closed");

    let since = scratch.run(&["chant", "workspace", "records", "--since", "HEAD"]).ok();
    assert_snapshot!(since.out.replace(scratch.git(&["rev-parse", "--short=8", "HEAD"]).trim(), "[head]"), @"
    note  [head]..the working tree
    new           n-003  ratified
    verdict       n-003  agree by ann
    verdict       n-003  agree by bob
    3 changes
    ");
    scratch.run(&["chant", "workspace", "records", "--since", "HEAD", "--json"]).ok();
}

#[test]
fn a_pin_is_what_a_record_writes() {
    let scratch = notes();
    scratch.write("assets/logo.svg", "<svg/>");
    assert_snapshot!(scratch.run(&["chant", "workspace", "records", "pin", "assets/logo.svg"]).ok().out, @"d4dc56669143034f31aa309635d4113d9ad76a02b1739da22c965ed2049be9e6  assets/logo.svg");
    scratch.run(&["chant", "workspace", "records", "pin", "assets/logo.svg", "--json"]).ok();
    scratch.run(&["chant", "workspace", "records", "pin", "assets"]).refused(1, "is no file");
    scratch.run(&["chant", "workspace", "records", "pin", "../outside", "--json"]).refused(1, "is no file");
}

#[test]
fn the_write_lock_is_held_for_a_batch() {
    let scratch = notes();
    assert_snapshot!(scratch.run(&["chant", "workspace", "lock"]).ok().out, @"nobody holds the write lock");
    let acquired =
        scratch.run(&["chant", "workspace", "lock", "acquire", "--holder", "hud", "--json"]).ok().json();
    let token = acquired["token"].as_str().unwrap();
    let shown = scratch.run(&["chant", "workspace", "lock", "--json"]).ok();
    assert!(!shown.out.contains(token), "{}", shown.out);
    assert!(scratch.run(&["chant", "workspace", "lock"]).ok().out.starts_with("held by hud (batch) until "));
    scratch
        .run(&["chant", "workspace", "lock", "release", "--token", "x", "--json"])
        .refused(1, "write-lock-not-held");
    scratch.run(&["chant", "workspace", "lock", "release", "--token", token]).ok();
    scratch
        .run(&["chant", "workspace", "lock", "acquire", "--holder", "hud", "--ttl", "1h", "--json"])
        .refused(1, "write-usage-invalid");
}
