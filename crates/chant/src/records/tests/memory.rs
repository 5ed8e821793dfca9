//! A kept answer is given only while it is the answer.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use canon::{Clock, Timestamp};

use super::*;

/// Answers as the command does: the text, and whether it was remembered.
fn ask(scratch: &Scratch, query: &Query) -> (String, bool) {
    let place = scratch.place();
    let mut memory = Memory::open(&place, query).unwrap();
    let mut printed = Vec::new();
    let kept = memory.recall(&place, query);
    let is_kept = kept.is_some();
    if let Some(text) = kept {
        text.write(&mut printed).unwrap();
    } else {
        let document = list(&place, query).unwrap();
        match memory.keep(&place, &document) {
            Some(keep) => keep.write(&mut printed, |out| document.write(out)).unwrap(),
            None => document.write(&mut printed).unwrap(),
        }
    }
    (String::from_utf8(printed).unwrap(), is_kept)
}

fn fresh(scratch: &Scratch, query: &Query) -> String {
    serde_json::to_string_pretty(&list(&scratch.place(), query).unwrap()).unwrap()
}

fn many() -> Scratch {
    let scratch = Scratch::notes();
    scratch.write("chant.workspace.json", r#"{ "name": "w", "schema": 1, "members": [], "quorum": 1 }"#);
    scratch.write("src/a.txt", "pinned");
    let pin = format!("evidence:\n  - path: \"src/a.txt\"\n    sha256: \"{}\"\n", Sha256::of("pinned"));
    for n in 1..=600 {
        scratch.note(&format!("n-{n:03}"), "decided", if n == 7 { &pin } else { "" });
    }
    scratch.commit("one");
    scratch
}

/// Something that changes the answer.
type Change<'a> = (&'a str, Box<dyn Fn(&Scratch)>);

#[test]
#[cfg(unix)]
fn whatever_changes_the_answer_is_seen() {
    let scratch = many();
    let changes: [Change<'_>; 15] = [
        ("an edit of the same size", Box::new(|s| s.note("n-001", "decidef", ""))),
        ("it is put right", Box::new(|s| s.note("n-001", "decided", ""))),
        ("a record more", Box::new(|s| s.note("n-601", "proposed", ""))),
        ("it is committed", Box::new(|s| drop(s.commit("two")))),
        ("a record less", Box::new(|s| fs::remove_file(s.root.join("notes/n-002.md")).unwrap())),
        ("one that git forgets", Box::new(|s| drop(s.git(&["rm", "-q", "--cached", "notes/n-003.md"])))),
        ("a pinned file", Box::new(|s| s.write("src/a.txt", "PINNED"))),
        ("a pinned file that is gone", Box::new(|s| fs::remove_file(s.root.join("src/a.txt")).unwrap())),
        (
            "the quorum",
            Box::new(|s| {
                s.write(
                    "chant.workspace.json",
                    r#"{ "name": "w", "schema": 1, "members": [], "quorum": 2 }"#,
                );
            }),
        ),
        (
            "a nearer declaration",
            Box::new(|s| {
                s.write("notes/chant.workspace.json", r#"{ "name": "n", "schema": 1, "members": [] }"#);
            }),
        ),
        (
            "the schema",
            Box::new(|s| {
                s.write(
                    "notes/note.schema.json",
                    s.read("notes/note.schema.json").replace("urn:test:note:1", "urn:test:note:2"),
                );
                s.write("notes/note.kind.mjs", s.read("notes/note.kind.mjs").replace("note:1", "note:2"));
            }),
        ),
        ("another branch", Box::new(|s| drop(s.git(&["checkout", "-q", "-b", "side"])))),
        (
            "a link for a record",
            Box::new(|s| {
                let at = s.root.join("notes/n-004.md");
                fs::rename(&at, s.beside("n-004.md")).unwrap();
                std::os::unix::fs::symlink(s.beside("n-004.md"), at).unwrap();
            }),
        ),
        ("everything is committed", Box::new(|s| drop(s.commit("three")))),
        ("base moves", Box::new(|s| drop(s.git(&["branch", "-q", "-f", "main", "side"])))),
    ];
    let query = query();
    for (name, change) in changes {
        for _ in 0..3 {
            ask(&scratch, &query);
        }
        let (before, remembered) = ask(&scratch, &query);
        assert!(remembered, "before {name}");
        // So that the change gets other times.
        std::thread::sleep(Duration::from_millis(20));
        change(&scratch);
        let now = fresh(&scratch, &query);
        assert!(before != now, "{name} changes nothing");
        assert!(ask(&scratch, &query) == (now, false), "{name} was not seen");
    }
}

/// The machine's own clock.
struct Real;

impl Clock for Real {
    fn now(&self) -> Timestamp {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Timestamp::from_millis(i64::try_from(now.as_millis()).unwrap())
    }
}

#[test]
fn an_edit_within_one_tick_of_the_clock_is_seen() {
    let mut scratch = many();
    scratch.world.clock = Box::new(Real);
    for n in 0..6 {
        let (text, _) = ask(&scratch, &query());
        let now = if text.contains("T n-001") { "U" } else { "T" };
        let note = scratch
            .read("notes/n-001.md")
            .replace("\"T n-001", "\"X n-001")
            .replace("\"U n-001", "\"X n-001");
        scratch.write("notes/n-001.md", note.replace("\"X n-001", &format!("\"{now} n-001")));
        let (text, _) = ask(&scratch, &query());
        assert!(text.contains(&format!("{now} n-001")), "edit {n} was missed");
    }
}

#[test]
fn a_damaged_memory_is_no_answer() {
    let scratch = many();
    let query = query();
    for _ in 0..2 {
        ask(&scratch, &query);
    }
    let (whole, remembered) = ask(&scratch, &query);
    assert!(remembered);
    let folder = scratch.root.join(".git/cairn/records/root");
    let file = fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let kept = fs::read(&file).unwrap();
    for damaged in [&kept[..kept.len() - 1], &kept[..100], b"", b"notes\n", b"\xff\n1 2 3\n"] {
        fs::write(&file, damaged).unwrap();
        assert!(ask(&scratch, &query) == (whole.clone(), false), "{} bytes", damaged.len());
    }
}

#[test]
fn questions_do_not_answer_each_other() {
    let scratch = many();
    scratch.note("n-001", "proposed", "");
    let all = query();
    let uncommitted = Query { uncommitted: true, ..query() };
    for _ in 0..3 {
        for query in [&all, &uncommitted] {
            assert_eq!(ask(&scratch, query).0, fresh(&scratch, query));
        }
    }
    assert!(Memory::open(&scratch.place(), &Query { at: Some("HEAD"), ..query() }).is_none());
}

#[test]
fn it_is_written_as_if_in_one_go() {
    let scratch = many();
    for name in ["note.kind.mjs", "note.schema.json", "n-007.md"] {
        scratch.write(
            &format!("others/{name}"),
            &fs::read_to_string(scratch.root.join("notes").join(name)).unwrap(),
        );
    }
    let kinds = json!([{ "kind": KIND }, { "kind": "none.kind.mjs" }, { "kind": "others/note.kind.mjs" }]);
    let declaration = json!({ "name": "w", "schema": 1, "members": [], "records": kinds });
    scratch.write("chant.workspace.json", &declaration.to_string());
    let kind = Some(KIND);
    for query in [
        Query::default(),
        Query { kind, ..Query::default() },
        Query { current: true, ..Query::default() },
        Query { uncommitted: true, ..Query::default() },
        Query { kind: Some("none.kind.mjs"), ..Query::default() },
    ] {
        let document = list(&scratch.place(), &query).unwrap();
        let text = serde_json::to_string_pretty(&document).unwrap();
        let mut written = Vec::new();
        document.write(&mut written).unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), text);
    }
}
