//! Repositories of every kind, and workspaces anywhere in them.

use std::path::Path;

use super::*;
use crate::fixture::{NOTE, note_schema};
use crate::write::{AmendRequest, NewRequest, ReviewRequest};
use crate::{Place, codes};

/// The documents of a place, checked against the published schemas.
fn listed(place: &Place<'_>, query: &Query) -> Value {
    let document = list(place, query).unwrap();
    published::check("records", &document);
    serde_json::to_value(document).unwrap()
}

fn new_note(kind: &str) -> NewRequest<'_> {
    let fields = br#"{"title": "T", "state": "proposed"}"#;
    NewRequest { kind: Some(kind), fields, from: "-", prefix: Some("n"), ..NewRequest::default() }
}

fn amend_note<'a>(id: &'a str, fields: &'a str) -> AmendRequest<'a> {
    AmendRequest { id, kind: Some(KIND), fields: fields.as_bytes(), from: "-", ..AmendRequest::default() }
}

/// Every read of one place.
fn read_all(place: &Place<'_>, rev: &str) {
    for query in [
        query(),
        Query { current: true, ..query() },
        Query { uncommitted: true, ..query() },
        Query { at: Some(rev), base: Some(rev), ..query() },
    ] {
        assert!(listed(place, &query)["records"].is_array());
    }
    for at in [None, Some(rev)] {
        let query = since::Query { kind: Some(KIND), since: rev, at };
        let document = since::since(place, &query).unwrap();
        published::check("records-since", &document);
    }
}

#[test]
fn a_read_changes_nothing_in_the_git_directory() {
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let scratch = Scratch::with(options);
        scratch.write("notes/note.kind.mjs", NOTE);
        scratch.write("notes/note.schema.json", note_schema().to_string());
        scratch.note("n-001", "decided", "");
        scratch.note("n-002", "decided", "");
        let commit = scratch.commit("one");
        // The index is out of date, and one file has another time but the same content.
        scratch.note("n-001", "decided", "");
        scratch.note("n-002", "proposed", "");
        scratch.note("n-003", "proposed", "");
        scratch.untouched_by(|| read_all(&scratch.place(), &commit));
        scratch.git(&["checkout", "-q", "--detach"]);
        scratch.untouched_by(|| read_all(&scratch.place(), &commit));
    }
}

#[test]
fn records_are_written_wherever_head_stands() {
    let scratch = Scratch::notes();
    for (n, head) in ["unborn", "branch", "detached"].into_iter().enumerate() {
        if head == "branch" {
            scratch.commit("one");
        } else if head == "detached" {
            scratch.git(&["checkout", "-q", "--detach"]);
        }
        let created = new_note(KIND).run(&scratch.place()).unwrap();
        let created = serde_json::to_value(created).unwrap();
        assert_eq!(created["id"], format!("n-00{}", n + 1), "{head}");
        let review = ReviewRequest {
            id: created["id"].as_str().unwrap(),
            kind: Some(KIND),
            verdict: "agree",
            by: "ann",
            ..ReviewRequest::default()
        };
        review.run(&scratch.place()).unwrap();
        let found = document(&scratch, &query());
        assert_eq!(found["records"][n]["worktree"], "new", "{head}");
        assert_eq!(found["records"][n]["lastWrite"]["verb"], "records review", "{head}");
    }
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let inner = Scratch::notes();
    inner.note("n-001", "decided", "");
    inner.commit("notes");
    let outer = Scratch::new();
    outer.git(&["submodule", "--quiet", "add", inner.root.to_str().unwrap(), "part"]);
    outer.commit("outer");
    let within = outer.at(outer.root.join("part"));
    let found = listed(&within.place(), &query());
    assert_eq!(found["records"][0]["worktree"], "committed");
    assert_eq!(found["records"][0]["decidedIn"]["subject"], "notes");
    new_note(KIND).run(&within.place()).unwrap();
    assert!(outer.root.join("part/notes/n-002-t.md").is_file());
    assert!(outer.root.join(".git/modules/part/chant-writes.json").is_file());
    assert!(!outer.root.join(".git/chant-writes.json").exists());
    let kind = format!("part/{KIND}");
    let from_outside = Query { kind: Some(&kind), ..Query::default() };
    let found = listed(&outer.place(), &from_outside);
    assert_eq!(found["records"].as_array().unwrap().len(), 2);
    let at = listed(&outer.place(), &Query { at: Some("HEAD"), ..from_outside });
    assert_eq!(at["error"]["code"], "location-missing");
}

/// Both work trees noted the steps of a write in one place, so that one finished or forgot what the other had begun.
#[test]
fn linked_work_trees_write_apart() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "proposed", "");
    scratch.commit("one");
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    let linked = scratch.at(scratch.beside("linked"));
    let git_dir = linked.place().layout().unwrap().git_dir.clone();
    let journal = git_dir.join("cairn/chant/write.json");
    let target = scratch.beside("linked/notes/n-001.md");
    let staged = scratch.beside("linked/notes/n-001.md.chant-1-00000000.tmp");
    fs::write(&staged, "---\nid: n-001\ntitle: Finished\nstate: proposed\n---\n").unwrap();
    fs::create_dir_all(journal.parent().unwrap()).unwrap();
    let steps = json!({ "appends": [], "renames": [{ "from": staged, "to": target }], "record": null });
    fs::write(&journal, steps.to_string()).unwrap();
    // Another process holds the linked work tree's lock: the main one does not wait, and touches nothing there.
    let lock = crate::lock::WriteLock::new(&scratch.beside("linked"), linked.place().layout(), &linked.world);
    let held = lock.acquire(crate::lock::Writer { verb: "records amend", by: None }).unwrap();
    amend_note("n-001", r#"{"x": 1}"#).run(&scratch.place()).unwrap();
    assert!(journal.exists() && staged.exists());
    drop(held);
    amend_note("n-001", r#"{"x": 2}"#).run(&linked.place()).unwrap();
    assert!(!journal.exists() && !staged.exists());
    let text = fs::read_to_string(&target).unwrap();
    assert!(text.contains("Finished") && text.contains("x: 2"), "{text}");
    assert!(git_dir.join("chant-writes.json").is_file());
    assert!(!scratch.read("notes/n-001.md").contains("Finished"));
}

#[test]
fn where_history_is_cut_no_commit_is_said_to_have_decided() {
    let scratch = Scratch::notes();
    scratch.write("asset", "1");
    let pin = format!("evidence: [{{ title: x, path: asset, sha256: {} }}]", Sha256::of("1"));
    scratch.note("n-001", "decided", &pin);
    scratch.note("n-002", "proposed", "");
    scratch.commit("one");
    scratch.note("n-001", "decided", &format!("more: 1\n{pin}"));
    scratch.commit("two");
    scratch.note("n-002", "decided", &format!("supersedes: [n-001]\n{pin}"));
    scratch.commit("three");
    let source = format!("file://{}", scratch.root.display());
    let read = |depth: &str| {
        let folder = format!("../depth-{depth}");
        scratch.git(&["clone", "-q", "--depth", depth, &source, &folder]);
        let clone = scratch.at(scratch.beside(&format!("depth-{depth}")));
        let found = listed(&clone.place(), &query());
        let decided = |at: usize| found["records"][at]["decidedIn"]["subject"].clone();
        ([decided(0), decided(1)], found["records"][1]["assets"][0]["state"].clone())
    };
    assert_eq!(read("1"), ([Value::Null, Value::Null], json!("stale")));
    assert_eq!(read("2"), ([Value::Null, json!("three")], json!("stale")));
    assert_eq!(read("3"), ([json!("one"), json!("three")], json!("stale")));
}

#[test]
fn a_workspace_may_lie_below_another_and_in_any_folder() {
    let scratch = Scratch::notes();
    let declaration = |name: &str, quorum: u64| {
        json!({ "name": name, "schema": 1, "members": [], "quorum": quorum, "records": [{ "kind": KIND }] })
            .to_string()
    };
    scratch.write("chant.workspace.json", declaration("outer", 3));
    let pin =
        |content: &str| format!("evidence: [{{ title: x, path: asset, sha256: {} }}]", Sha256::of(content));
    scratch.write("asset", "outer");
    scratch.note("n-001", "decided", &pin("outer"));
    for (path, text) in [
        ("a/b/notes/note.kind.mjs", NOTE.to_owned()),
        ("a/b/notes/note.schema.json", note_schema().to_string()),
        ("a/b/chant.workspace.json", declaration("inner", 1)),
        ("a/b/asset", "inner".to_owned()),
        ("a/b/notes/n-001.md", format!("---\nid: n-001\ntitle: t\nstate: decided\n{}\n---\n", pin("inner"))),
        ("a/b/c/x", String::new()),
    ] {
        scratch.write(path, text);
    }
    scratch.commit("both");
    for (folder, root, need) in
        [("", ".", 3), ("notes", ".", 3), ("a", ".", 3), ("a/b", "a/b", 1), ("a/b/c", "a/b", 1)]
    {
        let place = scratch.at(scratch.root.join(folder));
        for at in [None, Some("HEAD")] {
            let found = listed(&place.place(), &Query { at, ..Query::default() });
            let one = &found["kinds"][0];
            assert_eq!(one["workspaceRoot"], root, "{folder}");
            let record = &one["records"][0];
            assert_eq!(record["assets"][0]["state"], "pinned", "{folder}");
            assert_eq!(record["quorum"]["need"], need, "{folder}");
            let file =
                if root == "." { "notes/n-001.md".to_owned() } else { format!("{root}/notes/n-001.md") };
            assert_eq!(record["path"], json!(file), "{folder}");
        }
    }
    let inner = scratch.at(scratch.root.join("a/b/c"));
    let created = serde_json::to_value(new_note("note").run(&inner.place()).unwrap()).unwrap();
    assert_eq!(created["path"], "a/b/notes/n-002-t.md");
}

#[test]
fn names_of_any_bytes_stand_in_no_way() {
    let scratch = Scratch::new();
    let folder = "odd \"q\"\nline/\u{939}\u{93f}";
    let kind = format!("{folder}/note.kind.mjs");
    scratch.write(&kind, NOTE);
    scratch.write(&format!("{folder}/note.schema.json"), note_schema().to_string());
    scratch.write("an asset/-n \u{fc}", "1");
    let pins = ["an asset/-n \u{fc}", "an asset/none"]
        .map(|path| format!("  - {{ title: x, path: \"{path}\", sha256: {} }}\n", Sha256::of("1")));
    let text = format!("---\nid: n-001\ntitle: t\nstate: decided\nevidence:\n{}---\n", pins.concat());
    scratch.write(&format!("{folder}/n-001 a\u{fc}.md"), text);
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        let name = std::ffi::OsStr::from_bytes(b"n-002-\xff.md");
        fs::write(scratch.root.join(folder).join(name), "---\nid: n-002\n---\n").unwrap();
    }
    scratch.commit("odd");
    let query = Query { kind: Some(&kind), ..Query::default() };
    for at in [None, Some("HEAD")] {
        let found = listed(&scratch.place(), &Query { at, ..query });
        let [record] = &found["records"].as_array().unwrap()[..] else { panic!("{found:#}") };
        assert_eq!(record["path"], json!(format!("{folder}/n-001 a\u{fc}.md")));
        assert_eq!(record["decidedIn"]["subject"], "odd");
        let states: Vec<&Value> =
            record["assets"].as_array().unwrap().iter().map(|asset| &asset["state"]).collect();
        assert_eq!(states, ["pinned", "missing"]);
    }
    let created = serde_json::to_value(new_note(&kind).run(&scratch.place()).unwrap()).unwrap();
    assert_eq!(created["path"], json!(format!("{folder}/n-002-t.md")));
    let found = listed(&scratch.place(), &query);
    assert_eq!(found["records"][1]["lastWrite"]["verb"], "records new");
    assert_eq!(found["records"][0]["worktree"], "committed");
    fs::remove_file(scratch.root.join(folder).join("n-001 a\u{fc}.md")).unwrap();
    let found = listed(&scratch.place(), &query);
    assert_eq!(found["checkout"]["deleted"], json!([format!("{folder}/n-001 a\u{fc}.md")]));
}

#[cfg(target_os = "linux")]
#[test]
fn a_repository_itself_may_have_any_name() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    scratch.commit("one");
    let name = Path::new(std::ffi::OsStr::from_bytes(b"re po\n\xff"));
    let root = scratch.root.parent().unwrap().join(name);
    fs::rename(&scratch.root, &root).unwrap();
    let moved = scratch.at(root);
    read_all(&moved.place(), "HEAD");
    new_note(KIND).run(&moved.place()).unwrap();
    let found = listed(&moved.place(), &query());
    assert_eq!(found["records"][1]["lastWrite"]["verb"], "records new");
}

#[test]
fn a_checkout_with_crlf_has_the_same_digests_and_stays_one() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "proposed", "reviews: []\nother:   kept   # so");
    scratch.commit("one");
    let digest = records(&scratch)[0]["digest"].clone();
    scratch.git(&["clone", "-q", "-c", "core.autocrlf=true", ".", "../crlf"]);
    let crlf = scratch.at(scratch.beside("crlf"));
    let file = scratch.beside("crlf/notes/n-001.md");
    assert!(fs::read_to_string(&file).unwrap().contains("\r\n"));
    let found = listed(&crlf.place(), &query());
    assert_eq!(
        (&found["records"][0]["digest"], &found["records"][0]["worktree"]),
        (&digest, &json!("committed"))
    );
    let expect = digest.as_str().unwrap();
    let amend = AmendRequest { expect: Some(expect), ..amend_note("n-001", r#"{"state": "decided"}"#) };
    amend.run(&crlf.place()).unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    let found = listed(&crlf.place(), &query());
    assert_eq!(
        (&found["records"][0]["digest"], &found["records"][0]["worktree"]),
        (&digest, &json!("modified"))
    );
    let numbers = scratch.git_in(&scratch.beside("crlf"), &["diff", "--numstat"]);
    assert_eq!(numbers, "1\t1\tnotes/n-001.md");
    let conflict = AmendRequest { expect: Some(&digest.as_str().unwrap().replace('0', "1")), ..amend };
    assert_eq!(conflict.run(&crlf.place()).unwrap_err().refusal.code, codes::RECORD_CONFLICT);
}
