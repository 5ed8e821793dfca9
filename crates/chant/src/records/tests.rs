use std::fs;

use canon::Sha256;
use serde_json::{Value, json};

use super::*;
use crate::fixture::Scratch;
use crate::published;

mod history;
mod hostile;
mod kinds;
mod memory;
mod places;
mod trust;

const KIND: &str = "notes/note.kind.mjs";

fn query<'q>() -> Query<'q> {
    Query { kind: Some(KIND), ..Query::default() }
}

/// The document, checked against the published schema.
fn document(scratch: &Scratch, query: &Query) -> Value {
    let document = list(&scratch.place(), query).unwrap();
    published::check("records", &document);
    serde_json::to_value(document).unwrap()
}

fn records(scratch: &Scratch) -> Vec<Value> {
    document(scratch, &query())["records"].as_array().unwrap().clone()
}

/// Each record as `id: code, code | warning, warning`.
fn codes(scratch: &Scratch) -> Vec<String> {
    let list = |value: &Value| -> String {
        let codes: Vec<&str> =
            value.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
        codes.join(", ")
    };
    let line = |record: &Value| {
        let name = record["id"].as_str().or(record["path"].as_str()).unwrap();
        format!("{name}: {} | {}", list(&record["reasons"]), list(&record["warnings"]))
    };
    records(scratch).iter().map(line).collect()
}

#[test]
fn a_record_is_its_data_with_what_reading_found() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "proposed", "evidence: []\nother: 2030-01-01\n");
    let commit = scratch.commit("one");
    let found = document(&scratch, &query());
    assert_eq!(
        found["kind"],
        json!({ "name": "note", "schema": "urn:test:note:1", "file": KIND, "format": "markdown-front-matter" })
    );
    assert_eq!((found["at"].clone(), found["workspaceRoot"].clone()), (Value::Null, json!(".")));
    assert_eq!(found["summary"], json!({ "total": 1, "valid": 1, "invalid": 0, "superseded": 0 }));
    assert_eq!(
        found["checkout"],
        json!({ "branch": "main", "head": commit, "base": commit, "baseFrom": "main", "deleted": [] })
    );
    let record = &found["records"][0];
    assert_eq!(record["data"]["other"], json!("2030-01-01"));
    assert_eq!(record["worktree"], "committed");
    assert_eq!(record["decidedIn"], Value::Null);
    assert_eq!(record["provenance"]["level"], "unattested");
    assert_eq!(codes(&scratch), ["n-001:  | record-no-evidence"]);
}

#[test]
fn what_is_no_record_is_named_and_the_rest_is_read() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    for (name, text) in [
        ("n-002.md", "no front matter\n"),
        ("n-003.md", "---\nid: n-003\nid: n-003\ntitle: t\nstate: decided\n---\n"),
        ("n-004.md", "---\na: &x 1\nb: *x\n---\n"),
        ("n-005.md", "---\na:\n\tb: 1\n---\n"),
        ("n-006.md", "\u{feff}---\nid: n-006\n---\n"),
        ("n-007.md", "---\na: \"\0\"\n---\n"),
        ("n-008.md", "---\na: .inf\n---\n"),
        ("n-009.md", "---\n- a\n---\n"),
        ("n-010.md", "---\nid: n-010\n"),
        ("n-011.md", "---\nid: \"n-011\"\ntitle: \"\"\nstate: \"open\"\n---\n"),
        ("n-012.md", "---\nid: 12\ntitle: t\nstate: decided\n---\n"),
    ] {
        scratch.write(&format!("notes/{name}"), text);
    }
    scratch.write("notes/n-013.md", b"---\nid: n-013 \xff\n---\n");
    scratch.write("notes/n-014.md", format!("---\na: {}\n---\n", "[".repeat(10_000)));
    scratch.write(
        "notes/n-015.md",
        format!("---\nid: n-015\ntitle: \"{}\"\nstate: decided\n---\n", "x".repeat(1 << 20)),
    );
    fs::create_dir(scratch.root.join("notes/n-016.md")).unwrap();
    scratch.write("notes/README.md", "not a record");
    #[cfg(unix)]
    {
        scratch.write("outside", "---\nid: n-017\ntitle: t\nstate: decided\n---\n");
        std::os::unix::fs::symlink("../outside", scratch.root.join("notes/n-017.md")).unwrap();
    }
    let found = codes(&scratch);
    assert_eq!(found[0], "n-001:  | ");
    for line in &found[1..10] {
        assert!(line.ends_with(": record-unparseable | "), "{line}");
    }
    assert_eq!(found[10], "n-011: record-schema-invalid | ");
    assert_eq!(found[11], "notes/n-012.md: record-schema-invalid | ");
    assert!(found[12].ends_with(": record-unparseable | ") && found[13].ends_with(": record-unparseable | "));
    assert_eq!(found[14], "n-015:  | ");
    #[cfg(unix)]
    assert_eq!(found[15], "notes/n-017.md: record-unparseable | ");
    let message = &records(&scratch)[10]["reasons"][0]["message"];
    assert!(message.as_str().unwrap().contains("/title must NOT have fewer than 1 characters"), "{message}");
}

#[test]
fn a_name_that_repeats_keeps_the_first_and_shows_the_cure() {
    let scratch = Scratch::notes();
    scratch.write("notes/n-001-a.md", "---\nid: n-001\ntitle: t\nstate: decided\n---\n");
    scratch.write("notes/n-001-b.md", "---\nid: n-001\ntitle: t\nstate: decided\n---\n");
    assert_eq!(codes(&scratch), ["n-001:  | ", "n-001: record-id-duplicate | "]);
    let message = records(&scratch)[1]["reasons"][0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("notes/n-001-a.md") && message.contains("--prefix"), "{message}");
}

#[test]
fn links_take_effect_by_the_approval_rule() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    scratch.note("n-002", "decided", "supersedes: [n-001, n-002]");
    scratch.note("n-003", "proposed", "supersedes: [n-002]");
    scratch.note("n-004", "decided", "supersedes: [n-001, n-404]");
    scratch.note("n-005", "ratified", "");
    scratch.note("n-006", "decided", "supersedes: [n-005]\nremediates: [n-005, n-001, n-405]");
    scratch.note("n-007", "ratified", "supersedes: [n-004]");
    assert_eq!(
        codes(&scratch),
        [
            "n-001:  | ",
            "n-002:  | ",
            "n-003:  | record-supersedes-pending",
            "n-004: record-supersedes-conflict, record-supersedes-unknown | ",
            "n-005:  | ",
            "n-006: record-remediates-not-closed, record-remediates-unknown | record-supersedes-pending",
            "n-007:  | ",
        ]
    );
    let found = document(&scratch, &query());
    let by = |at: usize| found["records"][at]["supersededBy"].clone();
    assert_eq!([by(0), by(1), by(3), by(4)], [json!("n-002"), Value::Null, json!("n-007"), Value::Null]);
    assert_eq!(found["records"][4]["remediatedBy"], json!(["n-006"]));
    let current = document(&scratch, &Query { current: true, ..query() });
    assert_eq!(current["summary"], json!({ "total": 5, "valid": 4, "invalid": 1, "superseded": 2 }));
}

#[test]
fn pins_are_checked_against_the_tree_that_is_read() {
    let scratch = Scratch::notes();
    scratch.write("assets/kept.txt", "kept");
    scratch.write("assets/moved.txt", "old");
    let pin = |path: &str, content: &str| {
        format!("  - title: x\n    path: {path}\n    sha256: {}\n", Sha256::of(content))
    };
    let pins = [
        pin("assets/kept.txt", "kept"),
        pin("assets/moved.txt", "old"),
        pin("assets/none.txt", "x"),
        pin("../outside", "x"),
        "  - url: https://example.org\n".to_owned(),
    ];
    scratch.note("n-001", "decided", &format!("evidence:\n{}", pins.concat()));
    let first = scratch.commit("one");
    scratch.write("assets/moved.txt", "new");
    scratch.note("n-002", "decided", &format!("supersedes: [n-001]\nevidence:\n{}", pins[0]));
    let asset = |record: &Value| -> Vec<String> {
        let list = record["assets"].as_array().unwrap().iter();
        list.map(|asset| format!("{} {}", asset["path"].as_str().unwrap(), asset["state"].as_str().unwrap()))
            .collect()
    };
    let now = records(&scratch);
    assert_eq!(
        asset(&now[0]),
        ["assets/kept.txt pinned", "assets/moved.txt drifted", "assets/none.txt missing"]
    );
    // What is not committed counts as recorded last, so the file did not follow.
    assert_eq!(asset(&now[1]), ["assets/kept.txt stale"]);
    assert_eq!(codes(&scratch), ["n-001:  | asset-drift, asset-missing", "n-002:  | asset-stale"]);
    let then = document(&scratch, &Query { at: Some(&first), ..query() });
    assert_eq!(asset(&then["records"][0])[1], "assets/moved.txt pinned");
    assert!(then.get("checkout").is_none() && then["records"][0].get("worktree").is_none());
}

#[test]
fn a_digest_leaves_out_what_may_change_after_a_verdict() {
    let scratch = Scratch::notes();
    let head = "---\nid: \"n-001\"\ntitle: \"T\"\n";
    scratch.write(
        "notes/n-001.md",
        format!(
            "{head}state: \"decided\"\nreviews:\n  - reviewer: a\n\n# note\nseal:\n  key: x\n---\nbody\n"
        ),
    );
    // Computed by hand: the text without the blocks of state, reviews and seal.
    let expected = Sha256::of(format!("{head}---\nbody\n")).to_string();
    assert_eq!(records(&scratch)[0]["digest"], json!(expected));
    scratch.write("notes/n-001.md", format!("{head}state: ratified\n---\nbody\n").replace('\n', "\r\n"));
    assert_eq!(records(&scratch)[0]["digest"], json!(expected));
}

#[test]
fn verdicts_are_counted_once_each_and_for_the_text_that_they_judged() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "decided_by: Dora");
    let digest = records(&scratch)[0]["digest"].as_str().unwrap().to_owned();
    let verdict = |who: &str, verdict: &str, digest: &str| {
        format!(
            "  - {{ reviewer: \"{who}\", verdict: {verdict}, on: \"2030-01-01\", digest: \"{digest}\" }}\n"
        )
    };
    let reviews = [
        verdict("dora", "agree", &digest),
        verdict("ann", "dissent", &digest),
        verdict("Bob", "agree", &"0".repeat(64)),
        verdict("bob ", "agree", &digest),
        verdict("\u{ff21}NN", "agree", &digest),
        "  - { reviewer: cid, verdict: maybe }\n  - { verdict: agree }\n  - { reviewer: eve, verdict: abstain }\n".to_owned(),
    ];
    scratch.note("n-001", "decided", &format!("decided_by: Dora\nreviews:\n{}", reviews.concat()));
    let found = &records(&scratch)[0];
    assert_eq!(found["digest"], json!(digest));
    let quorum = &found["quorum"];
    let reasons: Vec<_> = quorum["notCounted"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["index"].as_u64().unwrap(), one["reason"]["code"].as_str().unwrap()))
        .collect();
    assert_eq!(reasons, [(0, "review-decider"), (1, "review-duplicate"), (2, "review-older-digest")]);
    let counted: Vec<_> =
        quorum["counted"].as_array().unwrap().iter().map(|one| one["principal"].as_str().unwrap()).collect();
    assert_eq!(counted, ["bob", "ann", "eve"]);
    assert_eq!(
        (quorum["need"].clone(), quorum["needFrom"].clone(), quorum["agreed"].clone()),
        (json!(2), json!("default"), json!(2))
    );
    assert_eq!((quorum["met"].clone(), quorum["metWithObjections"].clone()), (json!(true), json!(true)));
    assert_eq!(quorum["openConcerns"][0]["principal"], "ann");
    assert_eq!(codes(&scratch), ["n-001:  | review-undigested"]);
}

#[test]
fn the_declaration_sets_the_quorum_and_names_the_kinds() {
    let scratch = Scratch::notes();
    scratch.write(
        "chant.workspace.json",
        json!({ "name": "w", "schema": 1, "members": [], "quorum": 1, "records": [{ "kind": KIND }, { "kind": "none.kind.mjs", "name": "gone" }] }).to_string(),
    );
    scratch.note("n-001", "decided", "reviews: [{ reviewer: ann, verdict: agree, digest: null }]");
    let set = document(&scratch, &Query { current: true, ..Query::default() });
    assert_eq!(set["kinds"][0]["records"][0]["quorum"]["needFrom"], "declaration");
    assert_eq!(set["kinds"][0]["declared"], json!({ "member": null, "path": KIND, "name": null }));
    assert_eq!(set["kinds"][1]["error"]["code"], "kind-unreadable");
    assert_eq!(set["spec"], json!({ "kinds": [], "records": [] }));
    assert!(list(&scratch.place(), &Query::default()).unwrap().is_failure());
}

#[test]
fn a_closed_record_that_changed_is_named() {
    let scratch = Scratch::notes();
    let data = json!({ "id": "n-001", "title": "T", "state": "ratified", "n": 1.0 });
    // The seal by its definition, computed over bytes written by hand.
    let canonical = r#"{"body":"\n# T\n","core":{"id":"n-001","n":1,"state":"ratified","title":"T"}}"#;
    let seal = format!("sha256:{}", Sha256::of(canonical));
    assert_eq!(whole_seal("closed_digest", data.as_object().unwrap(), "\n# T\n").unwrap(), seal);
    let text = format!(
        "---\nid: n-001\ntitle: T\nstate: 'ratified'\nn: 1.0\nclosed_digest: \"{seal}\"\n---\n\n# T\n"
    );
    scratch.write("notes/n-001.md", text.replace('\n', "\r\n"));
    assert_eq!(codes(&scratch), ["n-001:  | "]);
    scratch.write("notes/n-001.md", text.replace("# T", "# U"));
    assert_eq!(codes(&scratch), ["n-001: record-seal-mismatch | "]);
    scratch.write("notes/n-001.md", text.replace("ratified", "decided"));
    assert_eq!(codes(&scratch), ["n-001:  | "]);
}

#[test]
fn the_deciding_commit_is_the_oldest_of_the_approved_run() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "proposed", "");
    scratch.note("n-002", "decided", "");
    scratch.commit("one");
    scratch.note("n-001", "decided", "");
    scratch.commit("two");
    scratch.note("n-001", "proposed", "");
    scratch.commit("three");
    scratch.note("n-001", "decided", "");
    let four = scratch.commit("four");
    scratch.note("n-001", "decided", "more: 1");
    scratch.commit("five");
    scratch.note("n-001", "proposed", "");
    scratch.note("n-003", "decided", "");
    let found = records(&scratch);
    let decided = |at: usize| found[at]["decidedIn"]["subject"].clone();
    assert_eq!([decided(0), decided(1), decided(2)], [json!("four"), json!("one"), Value::Null]);
    assert_eq!(found[0]["decidedIn"]["sha"], json!(four));
    assert_eq!(
        [&found[0]["worktree"], &found[1]["worktree"], &found[2]["worktree"]],
        ["modified", "committed", "new"]
    );
    let uncommitted = document(&scratch, &Query { uncommitted: true, ..query() });
    assert_eq!(uncommitted["records"].as_array().unwrap().len(), 2);
    fs::remove_file(scratch.root.join("notes/n-002.md")).unwrap();
    assert_eq!(document(&scratch, &query())["checkout"]["deleted"], json!(["notes/n-002.md"]));
}

#[test]
fn a_source_block_has_its_shape_and_its_transcript() {
    let scratch = Scratch::notes();
    scratch.write("log.txt", "said");
    let transcript = |content: &str| {
        format!("source:\n  via: cli\n  transcript: {{ path: log.txt, sha256: {} }}", Sha256::of(content))
    };
    scratch.note("n-001", "decided", &transcript("said"));
    scratch.note("n-002", "decided", &transcript("other"));
    scratch.note("n-003", "decided", "source: { via: smoke }");
    scratch.note("n-004", "decided", "source: { turns: { from: 3, to: 2 } }");
    scratch.note("n-005", "decided", "source: { kind: workspace, member: delivery }");
    assert_eq!(
        codes(&scratch),
        [
            "n-001:  | ",
            "n-002:  | source-transcript-drift",
            "n-003: record-schema-invalid | ",
            "n-004: record-schema-invalid | ",
            "n-005:  | "
        ]
    );
}

#[test]
fn each_failure_of_a_read_has_its_code() {
    let scratch = Scratch::notes();
    let code = |query: &Query| document(&scratch, query)["error"]["code"].as_str().unwrap().to_owned();
    assert_eq!(code(&Query { kind: Some("none.kind.mjs"), ..Query::default() }), "kind-unreadable");
    assert_eq!(code(&Query { at: Some("none"), ..query() }), "revision-unknown");
    assert_eq!(code(&Query { at: Some("-x"), ..query() }), "revision-unknown");
    let elsewhere = crate::fixture::NOTE.replace("dir: \".\"", "dir: \"none\"");
    scratch.write("notes/other.kind.mjs", elsewhere);
    assert_eq!(code(&Query { kind: Some("notes/other.kind.mjs"), ..Query::default() }), "location-missing");
    let outside = Scratch::outside();
    let refused = document(&outside, &Query { uncommitted: true, ..query() });
    assert_eq!(refused["error"]["code"], "not-a-git-repository");
    assert_eq!(
        document(&outside, &Query { at: Some("HEAD"), ..query() })["error"]["code"],
        "not-a-git-repository"
    );
    assert_eq!(
        list(&outside.place(), &Query::default()).unwrap_err().message,
        "--kind <kind file> is required"
    );
}

#[test]
fn outside_git_records_are_read_without_what_history_knows() {
    let scratch = Scratch::outside();
    scratch.write("notes/note.kind.mjs", crate::fixture::NOTE);
    scratch.write("notes/note.schema.json", crate::fixture::note_schema().to_string());
    scratch.note("n-001", "decided", "");
    let found = document(&scratch, &query());
    for field in ["checkout", "trust"] {
        assert!(found.get(field).is_none(), "{field}");
    }
    for field in ["decidedIn", "worktree", "lastWrite", "provenance"] {
        assert!(found["records"][0].get(field).is_none(), "{field}");
    }
}

/// The document without what only a working tree has.
fn of_the_tree(mut document: Value) -> Value {
    document["at"].take();
    document.as_object_mut().unwrap().remove("checkout");
    for record in document["records"].as_array_mut().unwrap() {
        for field in ["worktree", "lastWrite"] {
            record.as_object_mut().unwrap().remove(field);
        }
    }
    document
}

#[test]
fn a_revision_reads_like_its_checkout_wherever_it_lies() {
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let scratch = Scratch::with(options);
        scratch.write("notes/note.kind.mjs", crate::fixture::NOTE);
        scratch.write("notes/note.schema.json", crate::fixture::note_schema().to_string());
        scratch.write("asset", "1");
        let pin = |content: &str| {
            format!("evidence:\n  - {{ title: x, path: asset, sha256: {} }}", Sha256::of(content))
        };
        scratch.note("n-001", "decided", &pin("1"));
        scratch.commit("one");
        scratch.note("n-002", "decided", &format!("supersedes: [n-001]\n{}", pin("1")));
        scratch.write("notes/n-003.md", "broken");
        let second = scratch.commit("two");
        let disk = of_the_tree(document(&scratch, &query()));
        assert_eq!(of_the_tree(document(&scratch, &Query { at: Some("HEAD"), ..query() })), disk);
        // A later commit, another branch and a dirty tree are no matter to a revision.
        scratch.note("n-001", "proposed", "");
        scratch.commit("three");
        fs::remove_file(scratch.root.join("asset")).unwrap();
        let at = Query { at: Some(&second), base: Some(&second), ..query() };
        let mut then = of_the_tree(document(&scratch, &at));
        then["trust"] = disk["trust"].clone();
        for (record, known) in
            then["records"].as_array_mut().unwrap().iter_mut().zip(disk["records"].as_array().unwrap())
        {
            record["provenance"] = known["provenance"].clone();
        }
        assert_eq!(then, disk);
        scratch.git(&["worktree", "add", "-q", "--detach", "../linked", &second]);
        let mut linked = Scratch::outside();
        linked.world.cwd = scratch.beside("linked");
        let found = document(&linked, &query());
        assert_eq!(found["records"].as_array().unwrap().len(), 3);
        assert_eq!(found["checkout"]["branch"], Value::Null);
    }
}

#[test]
fn in_a_bare_clone_kinds_come_from_the_revision() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    let commit = scratch.commit("one");
    scratch.git(&["clone", "-q", "--bare", ".", "../bare.git"]);
    let mut bare = Scratch::outside();
    bare.world.cwd = scratch.beside("bare.git");
    let found = document(&bare, &Query { at: Some("HEAD"), ..query() });
    assert_eq!((found["at"].clone(), found["summary"]["valid"].clone()), (json!(commit), json!(1)));
}

#[test]
fn before_the_first_commit_every_record_is_new() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    let found = document(&scratch, &query());
    assert_eq!(found["checkout"]["head"], Value::Null);
    assert_eq!(found["records"][0]["worktree"], "new");
}

fn since(scratch: &Scratch, rev: &str, at: Option<&str>) -> Value {
    let query = since::Query { kind: Some(KIND), since: rev, at };
    let document = since::since(&scratch.place(), &query).unwrap();
    published::check("records-since", &document);
    serde_json::to_value(document).unwrap()
}

#[test]
fn what_changed_between_two_trees_is_listed_by_sort_and_id() {
    let scratch = Scratch::notes();
    let empty = scratch.commit("empty");
    scratch.note("n-001", "decided", "evidence: [{ title: x, path: a, sha256: \"1111111111111111111111111111111111111111111111111111111111111111\" }]");
    scratch.note("n-002", "decided", "reviews: [{ reviewer: ann, verdict: dissent, on: d, note: no }]");
    scratch.note("n-009", "proposed", "");
    let first = scratch.commit("one");
    assert_eq!(since(&scratch, &empty, Some(&first))["summary"]["new"], 3);
    scratch.note("n-001", "decided", "evidence: [{ title: x, path: a, sha256: \"2222222222222222222222222222222222222222222222222222222222222222\" }]");
    scratch.note("n-002", "decided", "reviews: [{ reviewer: ann, verdict: dissent, on: d, addressed_by: n-003 }, { reviewer: ann, verdict: agree, on: d }]");
    scratch.note("n-003", "decided", "supersedes: [n-002]");
    fs::remove_file(scratch.root.join("notes/n-009.md")).unwrap();
    let found = since(&scratch, &first, None);
    let sorts: Vec<String> = found["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| format!("{} {}", change["change"].as_str().unwrap(), change["id"].as_str().unwrap()))
        .collect();
    assert_eq!(sorts, ["new n-003", "removed n-009", "verdict n-002", "supersession n-003", "pin n-001"]);
    assert_eq!(found["changes"][2]["index"], 1);
    assert_eq!(since(&scratch, &first, Some(&first))["changes"], json!([]));
    assert_eq!(since(&scratch, "none", None)["error"]["code"], "since-rev-unknown");
    assert_eq!(since(&scratch, "S-0001", None)["error"]["code"], "since-session-unknown");
}
