use std::path::PathBuf;

use gate::ReasonCode;
use serde::Serialize;
use serde_json::{Value, json};

use super::super::Refused;
use super::*;
use crate::fixture::Scratch;
use crate::published;

const SESSION: &str = r#"export const recordKind = {
  name: "session", location: { dir: ".", match: "^S-[0-9]{3,}.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:session:1", path: "session.schema.json" }, idField: "id", stateField: "state",
  states: ["open", "closed"], closedStates: ["closed"],
  session: { verdicts: "verdicts", seal: "closed_digest", subjects: { kind: "../notes/note.kind.mjs" },
             openedRev: "opened_rev", closedRev: "closed_rev", closedOn: "closed" },
};"#;

/// A committed workspace of notes and sessions.
fn workspace(more: Value) -> Scratch {
    let scratch = Scratch::notes();
    scratch.write("sessions/session.kind.mjs", SESSION);
    scratch.write("sessions/session.schema.json", r#"{"$id": "urn:test:session:1"}"#);
    let mut declaration = json!({
        "name": "w", "schema": 1, "members": [],
        "records": [{ "kind": "notes/note.kind.mjs" }, { "kind": "sessions/session.kind.mjs" }],
    });
    declaration.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write("chant.workspace.json", declaration.to_string());
    scratch.write("sessions/S-001.md", "---\nid: S-001\ntitle: T\nstate: open\nverdicts: []\n---\n");
    scratch.note("n-001", "proposed", "decided_by: ada\nreviews: []");
    scratch.commit("start");
    scratch
}

fn files(scratch: &Scratch) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for folder in ["notes", "sessions"] {
        for entry in std::fs::read_dir(scratch.root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            found.push((path.clone(), std::fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

fn shown(document: &impl Serialize) -> Value {
    serde_json::to_value(document).unwrap()
}

/// The code of a refusal that changed nothing and whose document is as published.
fn refused<T: std::fmt::Debug>(
    scratch: &Scratch,
    verb: Verb,
    run: impl FnOnce(&Place<'_>) -> Result<T, Refused>,
) -> ReasonCode {
    let before = files(scratch);
    let refused = run(&scratch.place()).unwrap_err();
    assert_eq!(files(scratch), before, "{}", refused.refusal);
    published::check(&verb.command().replace(' ', "-"), &refused.document(verb));
    assert!(verb.document().may_fail_with(refused.document(verb).error.code));
    refused.refusal.code
}

fn new_note(fields: &str) -> NewRequest<'_> {
    NewRequest { kind: Some("note"), fields: fields.as_bytes(), from: "-", ..NewRequest::default() }
}

fn amend_note<'a>(id: &'a str, fields: &'a str) -> AmendRequest<'a> {
    AmendRequest { id, kind: Some("note"), fields: fields.as_bytes(), from: "-", ..AmendRequest::default() }
}

fn agree<'a>(id: &'a str, by: &'a str) -> ReviewRequest<'a> {
    ReviewRequest { id, kind: Some("note"), verdict: "agree", by, ..ReviewRequest::default() }
}

#[test]
fn a_new_record_lands_with_the_next_id() {
    let scratch = workspace(json!({}));
    let request =
        NewRequest { by: Some("bob"), ..new_note(r#"{"title": "A new one", "state": "proposed"}"#) };
    let dry = NewRequest { dry_run: true, ..request }.run(&scratch.place()).unwrap();
    assert!(!scratch.root.join("notes/n-002-a-new-one.md").exists());
    let created = request.run(&scratch.place()).unwrap();
    published::check("records-new", &created);
    published::check("records-new", &dry);
    let text = scratch.read("notes/n-002-a-new-one.md");
    assert_eq!(shown(&dry)["text"], text);
    assert_eq!(
        text,
        "---\nid: \"n-002\"\ntitle: \"A new one\"\nstate: \"proposed\"\nproposed_by: \"bob\"\n---\n\n# A new one\n"
    );
    assert_eq!(shown(&created)["path"], "notes/n-002-a-new-one.md");
    let journal = scratch.read(".git/chant-writes.json");
    assert!(journal.contains("notes/n-002-a-new-one.md") && journal.contains("records new"), "{journal}");
    assert_eq!(std::fs::read_dir(scratch.root.join("notes")).unwrap().count(), 4);
    // An id in the name of a file alone counts as taken.
    scratch.write("notes/n-003-other.txt", "");
    let created = request.run(&scratch.place()).unwrap();
    assert_eq!(shown(&created)["id"], "n-004");
}

#[test]
fn a_record_that_would_be_invalid_is_not_written() {
    let scratch = workspace(json!({}));
    let code = |fields: &str| refused(&scratch, Verb::New, |place| new_note(fields).run(place));
    assert_eq!(code(r#"{"title": "", "state": "proposed"}"#), codes::RECORD_SCHEMA_INVALID);
    assert_eq!(code(r#"{"title": "T", "state": "odd"}"#), codes::RECORD_SCHEMA_INVALID);
    assert_eq!(
        code(r#"{"title": "T", "state": "decided", "supersedes": ["n-009"]}"#),
        codes::RECORD_SUPERSEDES_UNKNOWN
    );
    assert_eq!(code(r#"{"title": "T", "title": "U"}"#), codes::WRITE_INPUT_INVALID);
    assert_eq!(code("[]"), codes::WRITE_INPUT_INVALID);
    assert_eq!(code(r#"{"id": "n-001", "title": "T"}"#), codes::RECORD_ID_TAKEN);
    let unknown = NewRequest { kind: Some("nothing"), ..new_note("{}") };
    assert_eq!(refused(&scratch, Verb::New, |place| unknown.run(place)), codes::WRITE_USAGE_INVALID);
    let several = NewRequest { kind: None, ..new_note("{}") };
    assert_eq!(refused(&scratch, Verb::New, |place| several.run(place)), codes::WRITE_USAGE_INVALID);
    std::fs::remove_dir_all(scratch.root.join("sessions")).unwrap();
    std::fs::create_dir(scratch.root.join("sessions")).unwrap();
    let gone = NewRequest { kind: Some("session"), ..new_note("{}") };
    assert_eq!(refused(&scratch, Verb::New, |place| gone.run(place)), codes::KIND_UNREADABLE);
}

#[test]
fn a_write_that_would_break_another_record_is_refused() {
    let scratch = workspace(json!({}));
    scratch.note("n-002", "decided", "");
    scratch.note("n-003", "decided", "supersedes: [n-002]");
    let taken = r#"{"title": "T", "state": "decided", "supersedes": ["n-002"]}"#;
    assert_eq!(
        refused(&scratch, Verb::New, |place| new_note(taken).run(place)),
        codes::RECORD_SUPERSEDES_CONFLICT
    );
    // Earlier in the order of paths, so that the other record loses.
    let earlier = r#"{"id": "n-0009", "title": "T", "state": "decided", "supersedes": ["n-002"]}"#;
    assert_eq!(
        refused(&scratch, Verb::New, |place| new_note(earlier).run(place)),
        codes::RECORD_SUPERSEDES_CONFLICT
    );
}

#[test]
fn a_record_that_is_invalid_already_blocks_no_other() {
    let scratch = workspace(json!({}));
    scratch.note("n-002", "proposed", "remediates: [n-001]");
    let amended = amend_note("n-001", r#"{"state": "decided"}"#).run(&scratch.place()).unwrap();
    assert_eq!(shown(&amended)["changed"], json!(["state"]));
}

#[test]
fn an_amendment_keeps_every_other_byte() {
    let scratch = workspace(json!({}));
    let text = "---\r\n# why\r\nid: n-001  # the id\r\ntitle:   'Old'\r\nstate: proposed\r\n# end\r\n---\r\nBody\r\n";
    scratch.write("notes/n-001.md", text);
    let amended = amend_note("n-001", r#"{"title": "New"}"#).run(&scratch.place()).unwrap();
    published::check("records-amend", &amended);
    assert_eq!(shown(&amended)["changed"], json!(["title"]));
    assert_eq!(scratch.read("notes/n-001.md"), text.replace("title:   'Old'", "title: \"New\""));
    let digest = shown(&amended)["digest"].as_str().unwrap().to_owned();

    let expecting = AmendRequest { expect: Some(&digest), ..amend_note("n-001", r#"{"title": "Newer"}"#) };
    expecting.run(&scratch.place()).unwrap();
    let refusal = expecting.run(&scratch.place()).unwrap_err();
    let failed = refusal.document(Verb::Amend);
    published::check("records-amend", &failed);
    let conflict = failed.conflict.unwrap();
    assert_eq!(conflict.expected, digest);
    assert_eq!(conflict.last_write.unwrap().verb, "records amend");

    let before = files(&scratch);
    let same = amend_note("n-001", r#"{"title": "Newer"}"#).run(&scratch.place()).unwrap();
    assert_eq!(shown(&same)["changed"], json!([]));
    assert_eq!(files(&scratch), before);
    assert_eq!(
        refused(&scratch, Verb::Amend, |place| amend_note("n-009", "{}").run(place)),
        codes::RECORD_NOT_FOUND
    );
}

#[test]
fn a_record_is_ratified_only_by_its_quorum() {
    let scratch = workspace(json!({}));
    let ratify = amend_note("n-001", r#"{"state": "ratified"}"#);
    assert_eq!(refused(&scratch, Verb::Amend, |place| ratify.run(place)), codes::RATIFY_QUORUM_NOT_MET);
    agree("n-001", "ada").run(&scratch.place()).unwrap();
    agree("n-001", "bob").run(&scratch.place()).unwrap();
    let message = ratify.run(&scratch.place()).unwrap_err().refusal.message;
    assert!(
        message.contains(
            "needs 2 agreeing verdicts that count, and it has 1 (not counted: ada, review-decider)"
        ),
        "{message}"
    );
    let reviewed = agree("n-001", "eve").run(&scratch.place()).unwrap();
    published::check("records-review", &reviewed);
    assert_eq!(shown(&reviewed)["review"]["on"], "2030-01-01");
    let amended = ratify.run(&scratch.place()).unwrap();
    assert_eq!(shown(&amended)["changed"], json!(["state", "closed_digest"]));
    assert_eq!(refused(&scratch, Verb::Review, |place| agree("n-001", "x").run(place)), codes::RECORD_CLOSED);
    let again = amend_note("n-001", r#"{"title": "X"}"#);
    assert_eq!(refused(&scratch, Verb::Amend, |place| again.run(place)), codes::RECORD_CLOSED);
}

#[test]
fn a_verdict_in_a_session_lands_in_both_files() {
    let scratch = workspace(json!({}));
    let in_session = ReviewRequest { session: Some("S-001"), ..agree("n-001", "bob") };
    let dry = ReviewRequest { dry_run: true, ..in_session }.run(&scratch.place()).unwrap();
    published::check("records-review", &dry);
    let reviewed = in_session.run(&scratch.place()).unwrap();
    published::check("records-review", &reviewed);
    assert_eq!(shown(&dry)["session"]["text"], scratch.read("sessions/S-001.md"));
    assert!(scratch.read("notes/n-001.md").contains("    session: \"S-001\"\n"));
    assert!(scratch.read("sessions/S-001.md").contains("  - record: \"n-001\"\n    principal: \"bob\"\n"));
    let unknown = ReviewRequest { session: Some("S-009"), ..agree("n-001", "bob") };
    assert_eq!(refused(&scratch, Verb::Review, |place| unknown.run(place)), codes::SESSION_UNKNOWN);
    let dissent = ReviewRequest { verdict: "dissent", session: Some("S-009"), ..agree("n-001", "bob") };
    assert_eq!(refused(&scratch, Verb::Review, |place| dissent.run(place)), codes::REVIEW_NOTE_REQUIRED);

    let head = scratch.git(&["rev-parse", "HEAD"]);
    let closed = CloseRequest { id: "S-001", ..CloseRequest::default() };
    let document = closed.run(&scratch.place()).unwrap();
    published::check("records-close", &document);
    assert_eq!(shown(&document)["closedRev"], head);
    assert_eq!(
        shown(&document)["changed"],
        json!(["state", "opened_rev", "closed", "closed_rev", "closed_digest"])
    );
    assert!(scratch.read("sessions/S-001.md").contains("closed: \"2030-01-01T00:00:00Z\"\n"));
    assert_eq!(refused(&scratch, Verb::Close, |place| closed.run(place)), codes::RECORD_CLOSED);
    assert_eq!(refused(&scratch, Verb::Review, |place| in_session.run(place)), codes::SESSION_NOT_OPEN);
}

#[test]
fn of_several_writes_from_one_reading_one_is_made() {
    let scratch = workspace(json!({}));
    let digest = shown(&amend_note("n-001", "{}").run(&scratch.place()).unwrap())["digest"].clone();
    let (root, digest) = (&scratch.root, digest.as_str().unwrap());
    let made: usize = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..6)
            .map(|n| {
                scope.spawn(move || {
                    let world = own_world(root);
                    let place = Place::open(&world, None).unwrap();
                    let fields = format!("{{\"title\": \"{n}\"}}");
                    let amend = AmendRequest { expect: Some(digest), ..amend_note("n-001", &fields) };
                    match amend.run(&place) {
                        Ok(_) => 1,
                        Err(refused) => {
                            assert_eq!(refused.refusal.code, codes::RECORD_CONFLICT);
                            0
                        }
                    }
                })
            })
            .collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).sum()
    });
    assert_eq!(made, 1);
}

#[test]
fn a_write_that_was_cut_off_is_finished_by_the_next() {
    let scratch = workspace(json!({}));
    let (from, to) =
        (scratch.root.join("sessions/S-001.md.chant-1-00000000.tmp"), scratch.root.join("sessions/S-001.md"));
    std::fs::write(&from, "---\nid: S-001\ntitle: Finished\nstate: open\n---\n").unwrap();
    let folder = scratch.root.join(".git/cairn/chant");
    std::fs::create_dir_all(&folder).unwrap();
    let journal = json!({ "appends": [], "renames": [{ "from": from, "to": to }], "record": null });
    std::fs::write(folder.join("write.json"), journal.to_string()).unwrap();
    amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
    assert!(scratch.read("sessions/S-001.md").contains("Finished"));
    assert!(!from.exists() && !folder.join("write.json").exists());
}

/// A session that was opened before the first commit knows its commit as soon as there is one.
#[test]
fn the_commit_of_a_sessions_opening_is_noted_by_the_next_write() {
    for verb in [Verb::Amend, Verb::Review] {
        let scratch = workspace(json!({}));
        let session = "---\nid: S-001\ntitle: T\nstate: open\nopened_rev: null\nverdicts: []\n---\n";
        scratch.write("sessions/S-001.md", session);
        let head = scratch.commit("session");
        if verb == Verb::Amend {
            let amend = AmendRequest { kind: Some("session"), ..amend_note("S-001", r#"{"title": "U"}"#) };
            let amended = shown(&amend.run(&scratch.place()).unwrap());
            assert_eq!(amended["changed"], json!(["title", "opened_rev"]));
        } else {
            let review = ReviewRequest { session: Some("S-001"), ..agree("n-001", "bob") };
            review.run(&scratch.place()).unwrap();
        }
        let text = scratch.read("sessions/S-001.md");
        assert!(text.contains(&format!("\nopened_rev: \"{head}\"\n")), "{verb:?}: {text}");
    }
}

#[cfg(unix)]
#[test]
fn a_write_whose_lock_was_broken_is_not_made() {
    let scratch = workspace(json!({}));
    let place = scratch.place();
    let find = |place: &Place<'_>| kind(place, Some("note"));
    let writing = Writing::open(&place, Verb::Amend, None, false, find).unwrap();
    std::fs::remove_dir_all(scratch.root.join(".git/chant-write.lock")).unwrap();
    let (path, before) = ("notes/n-001.md".into(), scratch.read("notes/n-001.md"));
    let output = Output { path: &path, text: "lost", before: Some(&before) };
    let refused = writing.commit(&[output]).unwrap_err();
    assert_eq!(refused.code, codes::WRITE_LOCK_NOT_HELD);
    assert_eq!(scratch.read("notes/n-001.md"), before);
}

#[test]
fn what_a_killed_writer_left_is_removed_and_nothing_else() {
    let scratch = workspace(json!({}));
    let left = ["n-009-t.md.chant-12-0a1b2c3d.tmp", "n-001.md.chant-1-00000000.tmp"];
    let kept =
        ["n-009.md.chant-12-0a1b2c3.tmp", "x.chant-a-00000000.tmp", "x.tmp", "x.chant-1-00000000.tmp.md"];
    for name in left.iter().chain(&kept) {
        scratch.write(&format!("notes/{name}"), "");
    }
    amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
    let is_there = |name: &&str| scratch.root.join("notes").join(name).exists();
    assert!(!left.iter().any(is_there) && kept.iter().all(is_there));
    let fields = r#"{"title": "T", "state": "proposed"}"#;
    assert_eq!(shown(&new_note(fields).run(&scratch.place()).unwrap())["id"], "n-002");
}

/// What YAML makes of a word that is not quoted, and what a title does to the file that is named after it.
#[test]
fn words_come_back_as_they_were_given() {
    let scratch = workspace(json!({}));
    let words = [
        "Re: x",
        "say \"hi\"",
        "it's",
        "#tag",
        "- x",
        "@x",
        "%x",
        "null",
        "~",
        "1.10",
        "0123",
        "2026-02-30",
        "no",
        "yes",
        "on",
        "true",
        "0x1f",
        "1e3",
        "---",
        "...",
        "|",
        ">",
        "*a",
        "&a",
        "!b",
        "{a}",
        "[a]",
        "a\nb",
        "a\r\nb",
        "\ttab",
        " space ",
        "\u{fc}\u{2028}\u{85}\u{1f600}",
        "\\",
        "a: b # c",
        "?",
        "\u{7}",
    ];
    let mut made = 1;
    for word in words {
        let fields = json!({ "title": word, "state": "proposed", "list": [word], "map": { word: word } });
        let created = shown(&new_note(&fields.to_string()).run(&scratch.place()).unwrap());
        made += 1;
        let text = scratch.read(created["path"].as_str().unwrap());
        let read = canon::front_matter::parse(text.as_bytes()).unwrap();
        for field in ["title", "list", "map"] {
            assert_eq!(read.data[field], fields[field], "{word:?}: {text}");
        }
        let set = json!({ "state": "decided", "list": [[word], { "k": word }] });
        let amend = set.to_string();
        amend_note(created["id"].as_str().unwrap(), &amend).run(&scratch.place()).unwrap();
        let text = scratch.read(created["path"].as_str().unwrap());
        let read = canon::front_matter::parse(text.as_bytes()).unwrap();
        assert_eq!(
            (&read.data["list"], &read.data["title"]),
            (&set["list"], &fields["title"]),
            "{word:?}: {text}"
        );
    }
    let query = crate::records::Query { kind: Some("notes/note.kind.mjs"), ..Default::default() };
    let listed = shown(&crate::records::list(&scratch.place(), &query).unwrap());
    assert_eq!(listed["summary"]["valid"], made);
}

/// Words that people write by hand stay words, and days stay days.
#[test]
fn words_written_by_hand_are_what_they_look_like() {
    let scratch = workspace(json!({}));
    scratch.note("n-001", "proposed", "a: no\nb: on\nc: yes\nd: 2026-04-04\ne: 12:30:00\nf: off\ng: y");
    let query = crate::records::Query { kind: Some("notes/note.kind.mjs"), ..Default::default() };
    let data = shown(&crate::records::list(&scratch.place(), &query).unwrap())["records"][0]["data"].clone();
    for (field, word) in [
        ("a", "no"),
        ("b", "on"),
        ("c", "yes"),
        ("d", "2026-04-04"),
        ("e", "12:30:00"),
        ("f", "off"),
        ("g", "y"),
    ] {
        assert_eq!(data[field], word, "{field}");
    }
}

#[test]
fn a_kind_of_another_format_is_not_amended() {
    let scratch = workspace(json!({}));
    let kind = crate::fixture::NOTE.replace("markdown-front-matter", "json");
    scratch.write("notes/note.kind.mjs", kind);
    let amend = amend_note("n-001", r#"{"x": 1}"#);
    assert_eq!(refused(&scratch, Verb::Amend, |place| amend.run(place)), codes::WRITE_USAGE_INVALID);
}

#[test]
fn the_published_kinds_are_written() {
    let Some(reference) = published::data("reference-workspace") else { return };
    let scratch = Scratch::new();
    copy(&reference, &scratch.root);
    for member in ["app", "delivery", "design-client"] {
        scratch.write(&format!("{member}/x"), "");
    }
    scratch.commit("reference");
    let place = scratch.place();
    let known =
        std::fs::read(scratch.root.join("decisions/ref-002-where-the-screen-design-lives.md")).unwrap();
    let mut fields = canon::front_matter::parse(&known).unwrap().data;
    for (field, value) in [
        ("title", json!("How it goes on")),
        ("state", json!("proposed")),
        ("decided_by", json!(null)),
        ("decided_on", json!(null)),
        ("choice", json!(null)),
        ("rejected", json!([])),
    ] {
        fields.insert(field.to_owned(), value);
    }
    fields.shift_remove("id");
    let fields = Value::Object(fields).to_string();
    let decision = || NewRequest { kind: Some("decision"), by: Some("ada"), ..new_note(&fields) };
    let created = shown(&decision().run(&place).unwrap_or_else(|refused| panic!("{}", refused.refusal)));
    published::check("records-new", &created);
    assert_eq!(created["path"], "decisions/ref-004-how-it-goes-on.md");

    let session = json!({
        "schema": 1, "title": "Second walk", "state": "open", "agenda": [{ "record": "ref-004" }],
        "attendance": [{ "principal": "bob", "class": "person" }], "opened": "2026-09-25T18:00:00Z", "closed": null,
        "verdicts": [],
    })
    .to_string();
    let open = NewRequest {
        kind: Some("design/sessions/session.kind.mjs"),
        prefix: Some("S"),
        ..new_note(&session)
    };
    let created = shown(&open.run(&place).unwrap_or_else(|refused| panic!("{}", refused.refusal)));
    published::check("records-new", &created);
    assert_eq!(created["id"], "S-0002");
    let review = ReviewRequest { kind: Some("decision"), session: Some("S-0002"), ..agree("ref-004", "bob") };
    let reviewed = shown(&review.run(&place).unwrap_or_else(|refused| panic!("{}", refused.refusal)));
    published::check("records-review", &reviewed);
    let close = CloseRequest { id: "S-0002", ..CloseRequest::default() };
    let closed = shown(&close.run(&place).unwrap_or_else(|refused| panic!("{}", refused.refusal)));
    published::check("records-close", &closed);
    assert_eq!(closed["changed"], json!(["state", "closed", "closed_rev", "closed_digest"]));
    let retitled = AmendRequest { kind: Some("decision"), ..amend_note("ref-001", r#"{"title": "X"}"#) };
    assert_eq!(retitled.run(&place).unwrap_err().refusal.code, codes::AMEND_SUPERSEDE_INSTEAD);
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

#[test]
fn records_are_written_outside_a_repository() {
    let inside = workspace(json!({}));
    let scratch = Scratch::outside();
    for path in ["notes/note.kind.mjs", "notes/note.schema.json"] {
        scratch.write(path, inside.read(path));
    }
    scratch.note("n-001", "proposed", "");
    let request = NewRequest {
        kind: Some("notes/note.kind.mjs"),
        ..new_note(r#"{"title": "T", "state": "proposed"}"#)
    };
    assert_eq!(shown(&request.run(&scratch.place()).unwrap())["id"], "n-002");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let scratch = workspace(json!({}));
    let outside = scratch.beside("outside.md");
    std::fs::rename(scratch.root.join("notes/n-001.md"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, scratch.root.join("notes/n-001.md")).unwrap();
    let text = std::fs::read(&outside).unwrap();
    let amend = amend_note("n-001", r#"{"title": "X"}"#);
    assert_eq!(refused(&scratch, Verb::Amend, |place| amend.run(place)), codes::RECORD_NOT_FOUND);
    assert_eq!(std::fs::read(&outside).unwrap(), text);
    let beside = scratch.beside("moved");
    std::fs::rename(scratch.root.join("notes"), &beside).unwrap();
    std::os::unix::fs::symlink(&beside, scratch.root.join("notes")).unwrap();
    let request = new_note(r#"{"title": "T", "state": "proposed"}"#);
    assert!(request.run(&scratch.place()).is_err());
}

#[test]
fn writers_at_once_never_share_an_id_or_lose_an_amendment() {
    let scratch = workspace(json!({}));
    let root = &scratch.root;
    std::thread::scope(|scope| {
        for n in 0..8 {
            scope.spawn(move || {
                let world = own_world(root);
                let place = Place::open(&world, None).unwrap();
                new_note(r#"{"title": "T", "state": "proposed"}"#).run(&place).unwrap();
                amend_note("n-001", &format!("{{\"f{n}\": {n}}}")).run(&place).unwrap();
            });
        }
    });
    for id in 2..=9 {
        assert!(scratch.root.join(format!("notes/n-00{id}-t.md")).exists(), "{id}");
    }
    let text = scratch.read("notes/n-001.md");
    assert!((0..8).all(|n| text.contains(&format!("f{n}: {n}\n"))), "{text}");
}

/// What another process at the same repository would have.
fn own_world(root: &std::path::Path) -> store::World {
    let mut env = store::Env::default();
    env.set("PATH", std::env::var_os("PATH").unwrap());
    env.set("HOME", root.parent().unwrap().join("home"));
    env.set("TMPDIR", root.parent().unwrap().join("tmp"));
    env.set("CHANT_WRITE_LOCK_WAIT_MS", "60000");
    store::World {
        cwd: root.to_owned(),
        env,
        clock: Box::new(store::SystemClock),
        entropy: Box::new(store::SystemEntropy),
    }
}

mod scope {
    use super::*;

    fn scoped(more: Value) -> Scratch {
        let mut base = json!({
            "members": [
                { "name": "app", "dir": "app", "kind": "other", "because": "x" },
                { "name": "web", "dir": "web", "kind": "other", "because": "x", "records": [{ "kind": "k/note.kind.mjs" }] },
            ],
        });
        base.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let scratch = workspace(base);
        for name in ["app/x", "web/x"] {
            scratch.write(name, "");
        }
        scratch.write("web/k/note.kind.mjs", crate::fixture::NOTE);
        scratch.write("web/k/note.schema.json", crate::fixture::note_schema().to_string());
        scratch.write("web/k/n-001.md", "---\nid: n-001\ntitle: T\nstate: proposed\n---\n");
        scratch.commit("members");
        scratch
    }

    fn agents() -> Value {
        json!({ "agents": [{ "name": "app-bot", "member": "app", "principals": ["bot"] }, { "name": "web-bot", "member": "web" }] })
    }

    fn as_agent(scratch: &mut Scratch, name: &str) {
        scratch.world.env.set("CHANT_AGENT", name);
    }

    #[test]
    fn an_agent_session_writes_the_workspaces_kinds_and_its_own_members() {
        let mut scratch = scoped(agents());
        as_agent(&mut scratch, "app-bot");
        amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
        let webs = AmendRequest { kind: Some("web/k/note.kind.mjs"), ..amend_note("n-001", r#"{"x": 1}"#) };
        assert_eq!(refused(&scratch, Verb::Amend, |place| webs.run(place)), codes::WRITE_SCOPE_MEMBER);
        as_agent(&mut scratch, "web-bot");
        webs.run(&scratch.place()).unwrap();
        as_agent(&mut scratch, "nobody");
        assert_eq!(refused(&scratch, Verb::Amend, |place| webs.run(place)), codes::AGENT_UNKNOWN);
    }

    #[test]
    fn the_session_that_lists_the_principal_counts_too() {
        let scratch = scoped(agents());
        let request = |by| ReviewRequest { kind: Some("web/k/note.kind.mjs"), ..agree("n-001", by) };
        assert_eq!(
            refused(&scratch, Verb::Review, |place| request("Bot ").run(place)),
            codes::WRITE_SCOPE_MEMBER
        );
        request("bob").run(&scratch.place()).unwrap();
    }

    #[test]
    fn the_working_tree_cannot_widen_the_scope() {
        let mut scratch = scoped(agents());
        let text = scratch
            .read("chant.workspace.json")
            .replace("\"member\":\"app\"", "\"members\":[\"app\",\"web\"]");
        scratch.write("chant.workspace.json", text);
        as_agent(&mut scratch, "app-bot");
        let webs = AmendRequest { kind: Some("web/k/note.kind.mjs"), ..amend_note("n-001", r#"{"x": 1}"#) };
        assert_eq!(refused(&scratch, Verb::Amend, |place| webs.run(place)), codes::WRITE_SCOPE_MEMBER);
    }

    #[test]
    fn a_class_writes_what_its_scope_lists() {
        let scratch = scoped(json!({ "writeScope": {
            "human": { "records": { "note": ["amend"] } },
            "runner": { "members": ["web"] },
        } }));
        scratch.write(".chant/trust.json", r#"{"schema": 1, "roles": {"runner": ["ci"]}}"#);
        scratch.commit("roles");
        amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
        assert_eq!(
            refused(&scratch, Verb::Review, |place| agree("n-001", "bob").run(place)),
            codes::WRITE_SCOPE_KIND
        );
        assert_eq!(
            refused(&scratch, Verb::Review, |place| agree("n-001", "ci").run(place)),
            codes::WRITE_SCOPE_MEMBER
        );
        let webs = ReviewRequest { kind: Some("web/k/note.kind.mjs"), ..agree("n-001", "ci") };
        webs.run(&scratch.place()).unwrap();
    }

    #[test]
    fn an_unknown_class_stops_people() {
        let scratch = scoped(json!({ "writeScope": { "steward": {} } }));
        let amend = amend_note("n-001", r#"{"x": 1}"#);
        assert_eq!(
            refused(&scratch, Verb::Amend, |place| amend.run(place)),
            codes::WRITE_SCOPE_CLASS_UNKNOWN
        );
    }

    #[test]
    fn a_pinned_directory_supplies_classes_as_base_has_them() {
        let scratch = scoped(json!({
            "writeScope": { "doctor": { "members": ["web"] } },
            "pins": [{ "path": "plugin" }],
        }));
        let publish = |classes: Value| {
            let file = json!({ "schema": 1, "x-note": 1, "classes": classes });
            scratch.write("plugin/classes.json", file.to_string());
        };
        let exports = json!({ "exports": { "./workspace-principals": "./classes.json" } });
        scratch.write("plugin/package.json", exports.to_string());
        scratch.write(".chant/trust.json", r#"{"schema": 1, "roles": {"clinician": ["eve"]}}"#);
        publish(json!([{ "name": "doctor", "description": "who treats", "role": "clinician" }]));
        scratch.commit("classes");
        // The working tree can't take anybody out of a class.
        publish(json!([{ "name": "doctor", "description": "nobody", "role": "nobody" }]));
        agree("n-001", "bob").run(&scratch.place()).unwrap();
        assert_eq!(
            refused(&scratch, Verb::Review, |place| agree("n-001", "eve").run(place)),
            codes::WRITE_SCOPE_MEMBER
        );
        let webs = ReviewRequest { kind: Some("web/k/note.kind.mjs"), ..agree("n-001", "eve") };
        webs.run(&scratch.place()).unwrap();

        // What is no list of classes supplies none, and then nobody can say who is in one.
        for wrong in [
            json!([{ "name": "agent", "description": "x", "role": "clinician" }]),
            json!([{ "name": "doctor", "description": "x", "role": "agent" }]),
            json!([{ "name": "x-doctor", "description": "x", "role": "clinician" }]),
            json!([{ "name": "doctor", "role": 1 }]),
            json!("none"),
        ] {
            publish(wrong);
            scratch.commit("wrong");
            assert_eq!(
                refused(&scratch, Verb::Review, |place| agree("n-001", "carol").run(place)),
                codes::WRITE_SCOPE_CLASS_UNKNOWN
            );
        }
    }

    #[test]
    fn bare_names_are_refused_where_identities_are_asked_for() {
        let mut scratch = scoped(json!({
            "identity": { "attribution": "identified" },
            "agents": [{ "name": "app-bot", "member": "app" }],
        }));
        assert_eq!(
            refused(&scratch, Verb::Review, |place| agree("n-001", "bob").run(place)),
            codes::PRINCIPAL_UNIDENTIFIED
        );
        agree("n-001", "github:bob").run(&scratch.place()).unwrap();
        let named = amend_note("n-001", r#"{"decided_by": "eve"}"#);
        assert_eq!(refused(&scratch, Verb::Amend, |place| named.run(place)), codes::PRINCIPAL_UNIDENTIFIED);
        // The name that stands there already is not this write's.
        amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
        as_agent(&mut scratch, "app-bot");
        agree("n-001", "bob").run(&scratch.place()).unwrap();
    }
}

#[cfg(unix)]
mod sealed {
    use std::process::Command;

    use super::*;

    fn key(scratch: &Scratch) -> String {
        let key = scratch.beside("key");
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-C", "x", "-f"])
            .arg(&key)
            .status();
        assert!(made.unwrap().success());
        key.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_seal_verifies_with_ssh_keygen() {
        let scratch = workspace(json!({}));
        let key = key(&scratch);
        let request = ReviewRequest { sign: Some(SignWith::File(&key)), ..agree("n-001", "bob") };
        let document = shown(&request.run(&scratch.place()).unwrap());
        let review = &document["review"];
        published::check("records-review", &document);
        let signature = scratch.beside("signature");
        std::fs::write(&signature, review["seal"]["signature"].as_str().unwrap()).unwrap();
        let payload = format!("n-001\n{}\nagree\nbob\n2030-01-01", review["digest"].as_str().unwrap());
        let mut check = Command::new("ssh-keygen")
            .args(["-Y", "check-novalidate", "-n", "chant-review", "-s"])
            .arg(&signature)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut check.stdin.take().unwrap(), payload.as_bytes()).unwrap();
        assert!(check.wait().unwrap().success());
    }

    #[test]
    fn a_key_that_cannot_sign_refuses_the_write() {
        let scratch = workspace(json!({}));
        let request = ReviewRequest { sign: Some(SignWith::Git), ..agree("n-001", "bob") };
        assert_eq!(refused(&scratch, Verb::Review, |place| request.run(place)), codes::REVIEW_SIGN_FAILED);
        let amend = AmendRequest { sign: Some(SignWith::File("missing")), ..amend_note("n-001", "{}") };
        assert_eq!(refused(&scratch, Verb::Amend, |place| amend.run(place)), codes::RECORD_SIGN_FAILED);
        let key = key(&scratch);
        // A dry run signs too, so that it fails where the write would.
        let amend = AmendRequest { sign: Some(SignWith::File(&key)), ..amend_note("n-001", "{}") };
        let before = files(&scratch);
        AmendRequest { dry_run: true, ..amend }.run(&scratch.place()).unwrap();
        assert_eq!(files(&scratch), before);
        let document = amend.run(&scratch.place()).unwrap();
        published::check("records-amend", &document);
        assert_eq!(shown(&document)["seal"]["signer"], "ada");
        let dropped = amend_note("n-001", r#"{"title": "Y"}"#).run(&scratch.place()).unwrap();
        assert_eq!(shown(&dropped)["changed"], json!(["title", "seal"]));
        assert!(shown(&dropped)["sealDropped"].is_string());
    }
}
