//! Files that nobody wrote in good faith: each is a clear answer, soon, and nothing else happens.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::*;
use crate::fixture::{NOTE, note_schema};

/// Longer than any answer may take on a busy machine, and far shorter than for ever.
const SOON: Duration = Duration::from_secs(20);

#[track_caller]
fn soon<T>(act: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = act();
    assert!(begun.elapsed() < SOON, "it took {:?}", begun.elapsed());
    result
}

/// The code with which the listing of the kind fails; empty where it doesn't.
fn failure(scratch: &Scratch) -> String {
    let found = soon(|| document(scratch, &query()));
    found["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[cfg(unix)]
fn pipe(scratch: &Scratch, path: &str) {
    let made = std::process::Command::new("mkfifo").arg(scratch.root.join(path)).status().unwrap();
    assert!(made.success());
}

#[test]
fn front_matter_is_read_within_bounds_or_named() {
    let million = "x".repeat(1 << 20);
    let head = "id: n-001\ntitle: t\nstate: decided\n";
    let lines =
        |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<Vec<_>>().concat();
    let laughs = lines(30, &|n| format!("b{n}: &b{n} [*b{0}, *b{0}]\n", n.saturating_sub(1)));
    let deep = lines(1500, &|n| format!("{}k:\n", " ".repeat(n)));
    let many = lines(20_000, &|n| format!("k{n}: {n}\n"));
    let valid = [
        format!("{head}a: {million}\n"),
        format!("{head}a: '{million}'\n"),
        format!("{head}a: |\n  {million}\n"),
        format!("{head}a: >-\n  {}\n", "x y\n  ".repeat(100_000)),
        format!("{head}# {million}\n"),
        format!("{head}a: [{}1]\n", "1, ".repeat(100_000)),
        format!("{head}{many}"),
    ];
    let broken = [
        format!("{head}{laughs}"),
        format!("{head}{deep}"),
        format!("{head}a: {}\n", "- ".repeat(10_000)),
        format!("{head}a:\n  {}x\n", "- ".repeat(10_000)),
        format!("{head}a: {}\n", "{a: ".repeat(10_000)),
        format!("{head}a: {}{}\n", "[".repeat(10_000), "]".repeat(10_000)),
        format!("{head}a: \"{million}\n"),
        format!("{head}a: '{million}\n"),
        format!("{head}b: &b 1\n<<: *b\n"),
        format!("{head}a: 1e999\n"),
        format!("{head}\ta: 1\n"),
        format!("{head}a: 1\na: 2\n"),
        format!("{head}a: {{b: 1, b: 2}}\n"),
        format!("{head}a: \u{0}\n"),
    ];
    let scratch = Scratch::notes();
    for (texts, expected) in [(&valid[..], ""), (&broken[..], "record-unparseable")] {
        for text in texts {
            scratch.write("notes/n-001.md", format!("---\n{text}---\n"));
            let found = soon(|| records(&scratch));
            let code = found[0]["reasons"][0]["code"].as_str().unwrap_or_default();
            let start: String = text.chars().skip(head.len()).take(60).collect();
            assert_eq!(code, expected, "{start:?}: {}", found[0]["reasons"]);
        }
    }
    scratch.write("notes/n-001.md", format!("\u{feff}---\n{head}---\n"));
    assert_eq!(codes(&scratch), ["notes/n-001.md: record-unparseable | "]);
    // Line ends of every sort, and a body that looks like another front matter.
    scratch.write("notes/n-001.md", format!("---\n{head}---\n---\n\u{0}\t{million}").replace('\n', "\r"));
    assert_eq!(codes(&scratch), ["n-001:  | "]);
}

#[test]
fn a_kind_file_is_read_within_bounds_or_named() {
    let scratch = Scratch::notes();
    let million = "x".repeat(1 << 20);
    for (text, expected) in [
        (format!("/* {million} */ {NOTE}"), ""),
        (NOTE.replace("name: \"note\"", &format!("name: \"{million}\"")), ""),
        (format!("export const recordKind = {}", "{ a: ".repeat(10_000)), "kind-unreadable"),
        (format!("export const recordKind = {}", "[".repeat(10_000)), "kind-unreadable"),
        (format!("export const recordKind = \"{million}"), "kind-unreadable"),
        (format!("{}\n{NOTE}", "{".repeat(10_000)), "kind-unreadable"),
        (NOTE.replace("name: \"note\"", "name: `${process.exit(1)}`"), "kind-unreadable"),
        (NOTE.replace("name: \"note\"", "...{}"), "kind-unreadable"),
        (NOTE.replace("name: \"note\"", "__proto__: {}, name: \"note\""), "kind-unreadable"),
        (NOTE.replace("name: \"note\"", "name: \"note\", name: \"other\""), "kind-unreadable"),
        (NOTE.replace("dir: \".\"", "dir: \"../../..\""), "kind-invalid"),
        (NOTE.replace("dir: \".\"", "dir: \"a\\u0000b\""), "location-missing"),
        (NOTE.replace("^n-[0-9]", "^((n{1,1000}){1,1000}){1,1000}-[0-9]"), "kind-invalid"),
        (String::new(), "kind-invalid"),
    ] {
        scratch.write(KIND, &text);
        let start: String = text.chars().take(80).collect();
        assert_eq!(failure(&scratch), expected, "{start:?}");
    }
    scratch.write(KIND, b"export const recordKind = \"\xff\";");
    assert_eq!(failure(&scratch), "kind-unreadable");
}

#[test]
fn a_pattern_of_names_is_bounded() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    for n in 0..2000 {
        scratch.write(&format!("notes/{}{n}!", "a".repeat(200)), "");
    }
    for (pattern, expected) in
        [("^(?=(a+)+$)", ""), ("^(?=(a|a)*b)(?!x)", ""), ("^(?:(?:a|(?!x)a)*)*(?=b)", "kind-invalid")]
    {
        scratch.write(KIND, NOTE.replace("^n-[0-9]{3,}.*\\\\.md$", pattern));
        assert_eq!(failure(&scratch), expected, "{pattern}");
    }
}

/// A schema that asks for others asks nobody but the kind file.
#[test]
fn a_schema_is_never_fetched() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let remote = format!("http://{}/s.json", listener.local_addr().unwrap());
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", "");
    scratch.write("secret.json", "{}");
    let local = format!("file://{}", scratch.root.join("secret.json").display());
    for reference in [remote.as_str(), &local, "secret.json", "../secret.json"] {
        for schema in [
            json!({ "$id": "urn:test:note:1", "$ref": reference }),
            json!({ "$id": "urn:test:note:1", "allOf": [{ "$ref": reference }] }),
            json!({ "$id": "urn:test:note:1", "properties": { "never": { "$ref": reference } } }),
        ] {
            scratch.write("notes/note.schema.json", schema.to_string());
            assert_eq!(failure(&scratch), "schema-invalid", "{schema}");
        }
    }
    // A dialect that nobody knows is no reason to look it up.
    let schema = json!({ "$id": "urn:test:note:1", "$schema": remote });
    scratch.write("notes/note.schema.json", schema.to_string());
    soon(|| document(&scratch, &query()));
    assert!(listener.accept().is_err(), "somebody called");
}

#[test]
fn a_schema_is_used_within_bounds_or_named() {
    let scratch = Scratch::notes();
    scratch.note("n-001", "decided", &format!("a: {}", "a".repeat(50_000)));
    let with = |more: Value| {
        let mut schema = json!({ "$id": "urn:test:note:1" });
        schema.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        schema.to_string()
    };
    let deep = format!("{{\"$id\": \"urn:test:note:1\", \"not\": {}", "{\"not\": ".repeat(10_000));
    for (schema, expected) in [
        (with(json!({ "properties": { "a": { "pattern": "^(?=(a+)+$)(a|a)*b$" } } })), ""),
        (with(json!({ "patternProperties": { "^(?=(a+)+$)(a|a)*b": false } })), ""),
        (with(json!({ "propertyNames": { "pattern": "^(a|a)*(?!b)" } })), ""),
        (
            with(json!({ "properties": { "a": { "pattern": "((a{1,1000}){1,1000}){1,1000}" } } })),
            "schema-invalid",
        ),
        (with(json!({ "properties": { "a": { "pattern": "(" } } })), "schema-invalid"),
        (with(json!({ "$ref": "#" })), ""),
        (with(json!({ "allOf": [{ "$ref": "#" }] })), ""),
        (with(json!({ "properties": { "a": { "$ref": "#" } } })), ""),
        (
            with(json!({ "anyOf": [{ "$ref": "#/definitions/a" }], "definitions": {
                "a": { "not": { "$ref": "#/definitions/b" } }, "b": { "if": { "$ref": "#/definitions/a" } } } })),
            "",
        ),
        (deep, "schema-unreadable"),
        ("\u{feff}{}".to_owned(), "schema-unreadable"),
        ("{\"$id\": \"urn:test:note:1\"}\0".to_owned(), "schema-unreadable"),
        ("[]".to_owned(), "schema-id-mismatch"),
    ] {
        scratch.write("notes/note.schema.json", &schema);
        let start: String = schema.chars().take(120).collect();
        assert_eq!(failure(&scratch), expected, "{start}");
    }
}

#[test]
fn a_folder_may_hold_any_number_of_other_files() {
    let scratch = Scratch::notes();
    for n in 0..10_000 {
        scratch.write(&format!("notes/other-{n}"), "");
    }
    scratch.note("n-001", "decided", "");
    assert_eq!(soon(|| records(&scratch)).len(), 1);
}

#[cfg(unix)]
#[test]
fn nothing_is_read_through_a_link_or_from_a_pipe() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::notes();
    let outside = scratch.beside("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("n-001.md"), "---\nid: n-001\ntitle: t\nstate: decided\n---\n").unwrap();
    fs::write(outside.join("note.kind.mjs"), NOTE).unwrap();
    fs::write(outside.join("note.schema.json"), note_schema().to_string()).unwrap();
    fs::write(outside.join("chant.workspace.json"), r#"{"name": "w", "schema": 1, "members": []}"#).unwrap();
    let root = &scratch.root;
    let swap = |path: &str, replace: &dyn Fn(&std::path::Path)| {
        let path = root.join(path);
        let aside = root.join("aside");
        let was_there = fs::rename(&path, &aside).is_ok();
        replace(&path);
        let code = failure(&scratch);
        fs::remove_file(&path).unwrap();
        if was_there {
            fs::rename(&aside, &path).unwrap();
        }
        code
    };
    let link = |to: &'static str| {
        let to = outside.join(to);
        move |path: &std::path::Path| symlink(&to, path).unwrap()
    };
    assert_eq!(swap(KIND, &link("note.kind.mjs")), "kind-unreadable");
    assert_eq!(swap("notes/note.schema.json", &link("note.schema.json")), "schema-unreadable");
    assert_eq!(swap("notes", &link(".")), "kind-unreadable");
    let fifo = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    assert_eq!(swap(KIND, &fifo), "kind-unreadable");
    assert_eq!(swap("notes/note.schema.json", &fifo), "schema-unreadable");
    scratch.write(KIND, NOTE.replace("dir: \".\"", "dir: \"../records\""));
    symlink(&outside, root.join("records")).unwrap();
    assert_eq!(failure(&scratch), "location-missing");
    scratch.write(KIND, NOTE);

    // Records, and what they pin.
    for name in ["n-001.md", "n-002.md"] {
        symlink(outside.join(name), root.join("notes").join(name)).unwrap();
    }
    symlink("n-003.md", root.join("notes/n-003.md")).unwrap();
    pipe(&scratch, "notes/n-004.md");
    fs::create_dir(root.join("notes/n-005.md")).unwrap();
    pipe(&scratch, "pipe");
    symlink(&outside, root.join("folder")).unwrap();
    symlink(outside.join("n-001.md"), root.join("file")).unwrap();
    let pins: String = ["pipe", "folder/n-001.md", "file", "notes"]
        .map(|path| format!("  - {{ title: x, path: {path}, sha256: {} }}\n", Sha256::of("x")))
        .concat();
    scratch.note("n-006", "decided", &format!("evidence:\n{pins}"));
    let source =
        format!("source: {{ transcript: {{ path: folder/n-001.md, sha256: {} }} }}", Sha256::of("x"));
    scratch.note("n-007", "decided", &source);
    let missing = ["asset-missing"; 4].join(", ");
    for rev in ["the working tree", "HEAD"] {
        let found = soon(|| codes(&scratch));
        assert_eq!(
            found,
            [
                "notes/n-001.md: record-unparseable | ".to_owned(),
                "notes/n-002.md: record-unparseable | ".to_owned(),
                "notes/n-003.md: record-unparseable | ".to_owned(),
                format!("n-006:  | {missing}"),
                "n-007:  | ".to_owned(),
            ],
            "{rev}"
        );
        scratch.commit("links");
    }
    let at = document(&scratch, &Query { at: Some("HEAD"), ..query() });
    assert_eq!(at["summary"], json!({ "total": 5, "valid": 2, "invalid": 3, "superseded": 0 }));

    symlink(outside.join("chant.workspace.json"), root.join("chant.workspace.json")).unwrap();
    assert_eq!(
        list(&scratch.place(), &Query::default()).unwrap_err().code.as_str(),
        "declaration-unparseable"
    );
    fs::remove_file(root.join("chant.workspace.json")).unwrap();
    pipe(&scratch, "chant.workspace.json");
    assert!(soon(|| list(&scratch.place(), &Query::default())).is_err());
}

/// The whole file was brought into memory, which ended the program.
#[cfg(unix)]
#[test]
fn a_transcript_of_any_size_is_no_matter() {
    let scratch = Scratch::notes();
    let huge = fs::File::create(scratch.beside("huge")).unwrap();
    huge.set_len(8 << 40).unwrap();
    let path = scratch.beside("huge");
    let source =
        format!("source: {{ transcript: {{ path: \"{}\", sha256: {} }} }}", path.display(), Sha256::of("x"));
    scratch.note("n-001", "decided", &source);
    assert_eq!(soon(|| codes(&scratch)), ["n-001:  | "]);
}

#[test]
fn a_declaration_is_read_within_bounds_or_named() {
    let scratch = Scratch::notes();
    let million = "x".repeat(1 << 20);
    for text in [
        format!("{{\"a\": {}", "[".repeat(10_000)),
        format!("{}{}", "[".repeat(10_000), "]".repeat(10_000)),
        format!("{{\"name\": \"{million}"),
        format!("{{\"name\": \"{million}\", \"schema\": 1, \"members\": []}}"),
        "{\"name\": \"w\", \"schema\": 1, \"members\": []}\0".to_owned(),
        "{\"name\": \"w\", \"name\": \"w\", \"schema\": 1, \"members\": []}".to_owned(),
        String::new(),
    ] {
        scratch.write("chant.workspace.json", &text);
        let start: String = text.chars().take(60).collect();
        let refused = soon(|| list(&scratch.place(), &Query::default())).unwrap_err();
        let code = refused.code.as_str();
        assert!(matches!(code, "declaration-unparseable" | "declaration-invalid"), "{start:?}: {refused}");
        // A kind that is asked for by its file is read all the same.
        assert_eq!(failure(&scratch), "", "{start:?}");
    }
}
