use std::collections::BTreeSet;

use canon::Sha256;
use serde_json::{Value, json};

use super::*;
use crate::fixture::{NOTE, Scratch, note_schema};
use crate::published;

/// What `check` finds at the top of a repository, checked against the published schema.
fn report(scratch: &Scratch, query: &Query<'_>) -> Value {
    let report = check(&scratch.place(), query).unwrap();
    published::check("check", &Document::Report(Box::new(report)));
    let report = check(&scratch.place(), query).unwrap();
    serde_json::to_value(report).unwrap()
}

fn asked(kinds: &[String]) -> Query<'_> {
    Query { kinds, ..Query::default() }
}

fn declare(scratch: &Scratch, more: Value) {
    let mut value = json!({ "name": "acme", "schema": 1, "members": [] });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    scratch.write("chant.workspace.json", format!("{value:#}\n"));
}

/// A repository with a declaration and files.
fn workspace(more: Value, files: &[(&str, &str)]) -> Scratch {
    let scratch = Scratch::new();
    declare(&scratch, more);
    for (path, text) in files {
        scratch.write(path, text);
    }
    scratch
}

fn ids(report: &Value) -> Vec<String> {
    let list = report["declaration"]["diagnostics"].as_array().unwrap();
    list.iter().map(|diagnostic| diagnostic["ruleId"].as_str().unwrap().to_owned()).collect()
}

fn of<'r>(report: &'r Value, id: &str) -> Vec<&'r Value> {
    let list = report["declaration"]["diagnostics"].as_array().unwrap();
    list.iter().filter(|diagnostic| diagnostic["ruleId"] == id).collect()
}

/// A member named after its directory; `more` are further fields.
fn member(kind: &str, dir: &str, more: Value) -> Value {
    let mut value = json!({ "name": dir.replace('/', "-"), "dir": dir, "kind": kind });
    if kind == "other" {
        value["because"] = json!("reasons");
    }
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

/// A package in `plugins/` that supplies these kinds.
fn kinds(kinds: Value) -> [(&'static str, String); 2] {
    [
        ("plugins/package.json", json!({ "exports": { "./workspace-kinds": "./kinds.json" } }).to_string()),
        ("plugins/kinds.json", json!({ "schema": 1, "kinds": kinds }).to_string()),
    ]
}

fn kind(name: &str, precedence: u64, file: &str) -> Value {
    json!({ "name": name, "description": "one", "precedence": precedence, "probe": { "anyFile": [file] } })
}

const WORK: &str = r#"export const recordKind = {
  name: "work", location: { dir: ".", match: "^w-.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:work:1", path: "work.schema.json" }, idField: "id",
  stateField: "state", states: ["open", "done"], closedStates: ["done"], pins: { field: "evidence" },
  work: { needs: "needs", implements: "implements", decisions: "../notes/note.kind.mjs", open: "open", done: "done",
    acceptance: { field: "acceptance" } },
};
"#;

const ANSWER: &str = r#"export const recordKind = {
  name: "answer", location: { dir: ".", match: "^a-.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:work:1", path: "../work/work.schema.json" }, idField: "id",
  answers: { points: "points.json" },
};
"#;

const ANY_SCHEMA: &str = r#"{ "$id": "urn:test:work:1", "type": "object", "required": ["id"] }"#;

const POINTS: &str = r#"{ "points": { "p": { "title": "t", "question": { "type": "boolean", "instructions": "i",
  "criteria": { "true": "", "false": "" } }, "inputs": { "ask": "" }, "deciders": [{ "kind": "quorum", "count": 1 }] } } }"#;

/// A note that pins `file` at a hash.
fn pinning(id: &str, more: &str, hash: &str) -> String {
    format!(
        "---\nid: {id}\ntitle: T\nstate: ratified\n{more}evidence:\n  - {{ path: file, sha256: \"{hash}\" }}\n---\n"
    )
}

fn item(state: &str) -> String {
    format!(
        "---\nid: w-1\nstate: {state}\nacceptance:\n  - {{ id: ac-1, text: t, verification: unit }}\nevidence: []\n---\n"
    )
}

/// What a case finds: every id, each once.
fn run(scratch: &Scratch, kinds: &[String]) -> BTreeSet<String> {
    ids(&report(scratch, &asked(kinds))).into_iter().collect()
}

/// One check: a workspace where it finds something, and one where it finds nothing.
struct Case {
    id: &'static str,
    fires: Scratch,
    silent: Scratch,
    asked: Vec<String>,
}

fn case(id: &'static str, fires: Scratch, silent: Scratch) -> Case {
    Case { id, fires, silent, asked: Vec::new() }
}

fn members(members: Value, files: &[(&str, &str)]) -> Scratch {
    workspace(json!({ "members": members }), files)
}

fn plugged(list: Value, the_members: Value, files: &[(&str, &str)]) -> Scratch {
    let scratch = workspace(json!({ "members": the_members, "pins": [{ "path": "plugins" }] }), files);
    for (path, text) in kinds(list) {
        scratch.write(path, text);
    }
    scratch
}

fn member_cases() -> Vec<Case> {
    let other = |dir: &str| members(json!([member("other", dir, json!({}))]), &[("a/f", "")]);
    let chant = |files: &[(&str, &str)]| members(json!([member("chant", "a", json!({}))]), files);
    let config = ("a/chant.config.ts", "");
    vec![
        case("WSP001", members(json!([{}]), &[]), other("a")),
        case(
            "WSP002",
            workspace(json!({ "pins": [{ "path": "plugins" }] }), &[]),
            plugged(json!([kind("tf", 5, "a.tf")]), json!([]), &[]),
        ),
        case("WSP003", members(json!([member("tf", "a", json!({}))]), &[("a/f", "")]), other("a")),
        case("WSP004", other("b"), other("a")),
        case("WSP005", chant(&[("a/f", "")]), chant(&[config])),
        case(
            "WSP006",
            plugged(
                json!([kind("tf", 5, "a.tf"), kind("tg", 5, "a.tf")]),
                json!([member("tf", "a", json!({}))]),
                &[("a/a.tf", "")],
            ),
            plugged(
                json!([kind("tf", 5, "a.tf"), kind("tg", 4, "a.tf")]),
                json!([member("tf", "a", json!({}))]),
                &[("a/a.tf", "")],
            ),
        ),
        case(
            "WSP007",
            plugged(
                json!([kind("tf", 5, "a.tf"), kind("tg", 6, "a.tf")]),
                json!([member("tf", "a", json!({}))]),
                &[("a/a.tf", "")],
            ),
            chant(&[config]),
        ),
        case(
            "WSP008",
            members(json!([member("other", "a", json!({}))]), &[config]),
            // The workspace's own declaration claims its root for nobody.
            members(json!([member("other", ".", json!({ "name": "root" }))]), &[]),
        ),
        case("WSP009", other("a"), members(json!([member("design", "a", json!({}))]), &[("a/f", "")])),
        case(
            "WSP010",
            members(json!([{ "name": "g", "kind": "examples", "glob": "samples/*" }]), &[]),
            members(
                json!([{ "name": "g", "kind": "examples", "glob": "samples/*" }]),
                &[("samples/x/chant.config.ts", "")],
            ),
        ),
        case(
            "WSP011",
            workspace(json!({ "checks": { "WSP003": "off" } }), &[]),
            workspace(json!({ "checks": { "WSP004": "off" } }), &[]),
        ),
    ]
}

fn generated_cases() -> Vec<Case> {
    let pair = |first: &str, second: &str, links: Value| {
        members(
            json!([
                member("design", "a", json!({ "links": links, "outputs": ["url"] })),
                member("design", "b", json!({ "outputs": ["url"] })),
            ]),
            &[("a/.chant/generated.json", first), ("b/.chant/generated.json", second)],
        )
    };
    let note = |path: &str, env: &str| json!({ "files": [{ "path": path, "env": env }] }).to_string();
    let link = json!([{ "member": "b", "output": "url" }]);
    let file = |more: Value, files: &[(&str, &str)]| {
        let mut entry = json!({ "path": "out.txt", "generator": "make out" });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        members(json!([member("design", "a", json!({ "generated": [entry] }))]), files)
    };
    let out = ("a/out.txt", "");
    let by_hand = json!({ "handWritten": { "because": "b" } });
    vec![
        case(
            "WSP081",
            pair(&note(".gitlab-ci.yml", "p"), &note(".gitlab-ci.yml", "p"), json!([])),
            pair(&note("a/x", "p"), &note("b/x", "p"), json!([])),
        ),
        case(
            "WSP082",
            pair(&note("b/x", "p"), "{}", json!([])),
            pair(&note(".github/workflows/x.yml", "p"), "no json", json!([])),
        ),
        case(
            "WSP083",
            pair(&note("a/x", "prod"), &note("b/x", "production"), link.clone()),
            pair(&note("a/x", "prod"), &note("b/x", "prod"), link),
        ),
        case("WSP102", file(json!({}), &[("a/f", "")]), file(json!({}), &[out])),
        case("WSP104", file(by_hand.clone(), &[out]), file(json!({}), &[out])),
        case("WSP105", file(json!({}), &[out]), file(by_hand, &[out])),
        case(
            "WSP106",
            file(json!({ "sources": ["in.txt"] }), &[out]),
            file(json!({ "sources": ["in.txt"] }), &[out, ("in.txt", "")]),
        ),
    ]
}

fn link_cases() -> Vec<Case> {
    let linked = |links: Value| {
        members(
            json!([
                member("design", "a", json!({ "links": links })),
                member("design", "b", json!({ "outputs": ["url"] })),
                member("chant", "c", json!({})),
            ]),
            &[("a/f", ""), ("b/f", ""), ("c/chant.config.ts", "")],
        )
    };
    let good = || linked(json!([{ "member": "b", "output": "url" }, { "member": "c", "output": "any" }]));
    let listing = |kind: &str| {
        members(json!([member(kind, "a", json!({ "outputs": ["x"] }))]), &[("a/chant.config.ts", "")])
    };
    vec![
        case("WSP091", linked(json!([{ "member": "none", "output": "url" }])), good()),
        case("WSP092", linked(json!([{ "member": "b", "output": "url", "kind": "wire" }])), good()),
        case("WSP093", linked(json!([{ "member": "b", "output": "URL" }])), good()),
        case(
            "WSP094",
            linked(json!([{ "member": "b", "output": "traces", "kind": "telemetry", "protocol": "grpc" }])),
            good(),
        ),
        case(
            "WSP096",
            linked(json!([{ "member": "b", "output": "url" }, { "member": "b", "output": "url" }])),
            good(),
        ),
        case("WSP097", listing("chant"), listing("design")),
        case("WSP098", linked(json!([{ "member": "b", "output": "url", "protocol": "grpc" }])), good()),
    ]
}

/// A workspace with kinds of notes, work and answers.
fn records(files: &[(&str, &str)]) -> Scratch {
    let scratch = workspace(
        json!({ "records": [
            { "kind": "notes/note.kind.mjs", "name": "decision" }, { "kind": "work/work.kind.mjs" },
            { "kind": "answers/answer.kind.mjs" },
        ] }),
        &[
            ("notes/note.kind.mjs", NOTE),
            ("notes/note.schema.json", &note_schema().to_string()),
            ("work/work.kind.mjs", WORK),
            ("work/work.schema.json", ANY_SCHEMA),
            ("answers/answer.kind.mjs", ANSWER),
            ("answers/points.json", POINTS),
            ("file", "x"),
        ],
    );
    for (path, text) in files {
        scratch.write(path, text);
    }
    scratch
}

fn record_cases() -> Vec<Case> {
    let notes = || vec!["notes/note.kind.mjs".to_owned()];
    let hash = Sha256::of("x").to_string();
    let pinned = || records(&[("notes/n-001.md", &pinning("n-001", "", &hash))]);
    let drifted = records(&[("notes/n-001.md", &pinning("n-001", "", &"0".repeat(64)))]);
    let missing = pinned();
    std::fs::remove_file(missing.root.join("file")).unwrap();
    let stale = records(&[
        ("notes/n-001.md", &pinning("n-001", "", &hash)),
        ("notes/n-002.md", &pinning("n-002", "supersedes: [n-001]\n", &hash)),
    ]);
    let mut cases = vec![
        case("WSP111", drifted, pinned()),
        case("WSP112", missing, pinned()),
        case("WSP113", stale, pinned()),
        case("WSP114", records(&[("notes/n-001.md", "nothing")]), pinned()),
    ];
    for case in &mut cases {
        case.asked = notes();
    }
    let invalid = records(&[("answers/points.json", "{ \"points\": 1 }")]);
    let unloadable = records(&[("notes/note.kind.mjs", "export const recordKind = 1;")]);
    cases.extend([
        case("WSP115", unloadable, records(&[])),
        case("WSP116", invalid, records(&[])),
        case(
            "WSP117",
            records(&[("work/w-1.md", &item("done")), ("notes/n", "")]),
            records(&[("work/w-1.md", &item("open")), ("notes/n", "")]),
        ),
    ]);
    cases
}

fn box_cases() -> Vec<Case> {
    let boxed = |block: Value, files: &[(&str, &str)]| {
        members(json!([member("design", "a", json!({ "box": block }))]), &[&[("a/f", "")], files].concat())
    };
    let hosted = |root: &str, slots: [u64; 2]| {
        let block = |slot: u64| json!({ "box": { "host": "mac", "slot": slot, "ports": { "web": 0 } } });
        workspace(
            json!({
                "hosts": [{ "name": "mac", "ports": { "from": 9000, "to": 9099, "perBox": 10 }, "stateRoot": root }],
                "members": [member("design", "a", block(slots[0])), member("design", "b", block(slots[1]))],
            }),
            &[("a/f", ""), ("b/f", "")],
        )
    };
    let intent = |constrains: &str| {
        let text = format!("---\nid: n-001\ntitle: T\nstate: proposed\nconstrains: [{constrains}]\n---\n");
        let scratch = records(&[("notes/n-001.md", &text), ("a/f", "")]);
        let mut value: Value = serde_json::from_str(&scratch.read("chant.workspace.json")).unwrap();
        value["members"] = json!([member("design", "a", json!({ "box": { "intent": "n-001" } }))]);
        declare(&scratch, value);
        scratch
    };
    let shared = hosted("${STATE}/x", [0, 0]);
    let apart = || hosted("${STATE}/x", [0, 1]);
    vec![
        case(
            "WSP121",
            boxed(json!({}), &[("a/.env", "API_KEY=hunter2\n")]),
            boxed(
                json!({}),
                &[("a/.env", "API_KEY=${KEY}\n"), ("a/node_modules/x/.env", "API_KEY=hunter2\n")],
            ),
        ),
        case(
            "WSP122",
            boxed(json!({ "capabilities": [{ "name": "mail" }] }), &[]),
            boxed(json!({ "capabilities": [{ "name": "mail", "broker": "lobby" }] }), &[]),
        ),
        case("WSP123", shared, apart()),
        case("WSP124", hosted("/var/x", [0, 1]), apart()),
        case("WSP126", boxed(json!({ "intent": "n-001" }), &[]), intent("\"member:a\"")),
        case("WSP127", intent("\"member:none\", \"path:b\""), intent("\"path:a/f\"")),
    ]
}

fn diagram_cases() -> Vec<Case> {
    let drawn = |more: Value, files: &[(&str, &str)]| {
        let mut diagram = json!({
            "name": "d", "title": "D", "source": "d.mmd", "render": "d.svg",
            "renderer": { "tool": "mermaid", "version": "1.0.0" },
        });
        diagram.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        workspace(json!({ "diagrams": [diagram] }), files)
    };
    let (source, render) = (("d.mmd", "x"), ("d.svg", ""));
    let hash = json!({ "sourceHash": Sha256::of("x").to_string() });
    vec![
        case("WSP131", drawn(json!({}), &[render]), drawn(json!({}), &[source, render])),
        case("WSP132", drawn(json!({}), &[source]), drawn(json!({ "render": null }), &[source])),
        case(
            "WSP133",
            drawn(json!({ "sourceHash": "0".repeat(64) }), &[source, render]),
            drawn(hash, &[source, render]),
        ),
    ]
}

#[test]
fn every_check_finds_what_it_is_for_and_nothing_else() {
    let cases =
        [member_cases(), generated_cases(), link_cases(), record_cases(), box_cases(), diagram_cases()];
    let mut covered = BTreeSet::new();
    for case in cases.into_iter().flatten() {
        assert!(run(&case.fires, &case.asked).contains(case.id), "{} finds nothing", case.id);
        let silent = run(&case.silent, &case.asked);
        assert!(!silent.contains(case.id), "{} finds something in {silent:?}", case.id);
        covered.insert(case.id);
    }
    let here: BTreeSet<&str> =
        CATALOGUE.iter().filter(|check| !check.is_foreign).map(|check| check.id).collect();
    assert_eq!(covered, here);
}

#[test]
fn the_catalogue_is_in_order() {
    let ids: Vec<&str> = CATALOGUE.iter().map(|check| check.id).collect();
    assert!(ids.is_sorted());
    let names: BTreeSet<&str> = CATALOGUE.iter().map(|check| check.name).collect();
    assert_eq!(names.len(), CATALOGUE.len());
    assert_eq!(Id::BoxIntentUnknown.check().id, "WSP126");
}

#[test]
fn without_a_declaration_the_lock_alone_is_checked() {
    let scratch = Scratch::new();
    let found = report(&scratch, &Query::default());
    assert_eq!((found["lock"].clone(), found["ok"].clone()), (Value::Null, json!(true)));
    assert_eq!((found["workspace"].clone(), found.get("declaration")), (Value::Null, None));

    let lineage = |steps: Value| {
        json!({
            "kind": "template", "template": "github.com/a/b", "address": null, "parameters": {}, "migrations": [],
            "source": { "type": "git", "repo": "a/b", "url": "https://example.org/a/b" }, "files": {},
            "manualSteps": steps,
        })
    };
    let step = json!([{ "path": "src/a", "reason": "changed-locally", "upstream": null }]);
    let lock = |scopes: Value| json!({ "lockVersion": 1, "scopes": scopes }).to_string();
    scratch.write(LOCK, lock(json!({ ".": lineage(json!([])), "vendor/x": lineage(step) })));
    let found = report(&scratch, &Query::default());
    assert_eq!((found["lock"].clone(), found["ok"].clone()), (json!(LOCK), json!(false)));
    let finding = &found["findings"][0];
    assert_eq!(
        (&finding["code"], &finding["scope"], &finding["path"]),
        (&json!("manual-step-open"), &json!("vendor/x"), &json!("vendor/x/src/a"))
    );

    scratch.write(LOCK, lock(json!({ ".": lineage(json!([])) })));
    assert_eq!(report(&scratch, &Query::default())["ok"], true);
    let commit = scratch.commit("a lock");
    for broken in [
        "",
        "[]",
        "{}",
        &lock(json!({ "../x": lineage(json!([])) })),
        &lock(json!({ ".": {} })),
        r#"{ "lockVersion": 2, "scopes": {} }"#,
        r#"{ "lockVersion": 1, "scopes": {}, "more": 1 }"#,
    ] {
        scratch.write(LOCK, broken);
        let found = report(&scratch, &Query::default());
        assert_eq!(found["findings"][0]["code"], "lock-invalid", "{broken}");
        assert_eq!(found["findings"][0]["scope"], Value::Null);
    }
    let query = Query { at: Some(&commit), ..Query::default() };
    assert_eq!(report(&scratch, &query)["ok"], true, "the lock is read at the revision");
}

#[test]
fn a_declaration_that_cannot_be_read_is_one_finding() {
    for (text, code, at) in [
        ("{ \"name\": 1, }", "declaration-unparseable", (1, 12)),
        (
            "{\n  \"name\": \"a\", \"schema\": 1, \"members\": [], \"more\": 1\n}",
            "declaration-invalid",
            (2, 44),
        ),
        ("{ \"minReader\": \"9.0.0\" }", "reader-too-old", (1, 16)),
        (
            "{ \"pins\": [{ \"package\": \"@intentius/chant\", \"version\": \"0.1.0\" }] }",
            "root-chant-required",
            (1, 56),
        ),
    ] {
        let scratch = Scratch::new();
        scratch.write("chant.workspace.json", text);
        let found = report(&scratch, &Query::default());
        assert_eq!(found["workspace"], json!({ "name": null, "root": "." }), "{code}");
        let list = found["declaration"]["diagnostics"].as_array().unwrap();
        assert_eq!(list.len(), 1);
        assert_eq!((&list[0]["code"], &list[0]["ruleId"]), (&json!(code), &json!("WSP001")), "{text}");
        assert_eq!((&list[0]["line"], &list[0]["column"]), (&json!(at.0), &json!(at.1)), "{text}");
        let message = list[0]["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("{code}: ")), "{message}");
        assert_eq!(found["ok"], false);
    }
    let scratch = members(json!([]), &[("chant.workspace.jsonc", "{}")]);
    let found = report(&scratch, &Query::default());
    assert_eq!(found["declaration"]["file"], "chant.workspace.jsonc");
    assert_eq!(found["declaration"]["diagnostics"][0]["code"], "declaration-ambiguous");
    let group = json!({ "name": "g", "kind": "examples", "glob": "*" });
    let scratch = members(json!([member("chant", "a", json!({})), group]), &[("a/chant.config.ts", "")]);
    assert_eq!(
        report(&scratch, &Query::default())["declaration"]["diagnostics"][0]["code"],
        "placement-invalid"
    );
}

#[test]
fn settings_and_suppressions_count_where_a_check_may_be_set() {
    let suppress = |id: &str| json!({ "suppress": [{ "check": id, "because": "we know" }] });
    let with = |checks: Value, more: Value| {
        workspace(json!({ "checks": checks, "members": [member("other", "gone", more)] }), &[])
    };
    let found = report(&with(json!({}), json!({})), &Query::default());
    assert_eq!(ids(&found), ["WSP009", "WSP004"]);
    assert_eq!(found["ok"], false);

    let found = report(&with(json!({ "WSP004": "warning", "WSP009": "off" }), json!({})), &Query::default());
    assert_eq!(ids(&found), ["WSP004"]);
    assert_eq!(
        (&found["ok"], &found["declaration"]["diagnostics"][0]["severity"]),
        (&json!(true), &json!("warning"))
    );

    let found = report(&with(json!({ "WSP009": "off" }), suppress("WSP004")), &Query::default());
    assert_eq!((ids(&found), &found["ok"]), (Vec::new(), &json!(true)));
    let suppressed = &found["declaration"]["suppressed"][0];
    assert_eq!((&suppressed["ruleId"], &suppressed["reason"]), (&json!("WSP004"), &json!("we know")));

    // What is fixed stays as it is, and the attempt is a finding of its own.
    let scratch = workspace(
        json!({ "checks": { "WSP003": "off" }, "members": [member("tf", "a", suppress("WSP003"))] }),
        &[("a/f", "")],
    );
    let found = report(&scratch, &Query::default());
    assert_eq!(ids(&found).iter().filter(|id| *id == "WSP003").count(), 1);
    assert_eq!(ids(&found).iter().filter(|id| *id == "WSP011").count(), 2);
    let found = report(&workspace(json!({ "checks": { "WSP500": "off" } }), &[]), &Query::default());
    assert!(
        found["declaration"]["diagnostics"][0]["message"].as_str().unwrap().contains("known checks: WSP001")
    );
}

#[test]
fn a_finding_stands_at_what_it_is_about() {
    let scratch = members(
        json!([member("other", "a", json!({})), member("tf", "b", json!({}))]),
        &[("a/f", ""), ("b/f", "")],
    );
    let found = report(&scratch, &Query::default());
    let text = scratch.read("chant.workspace.json");
    let line_of = |needle: &str| text.lines().position(|line| line.contains(needle)).unwrap() + 1;
    assert_eq!(of(&found, "WSP003")[0]["line"], line_of("\"tf\""));
    assert_eq!(of(&found, "WSP009")[0]["entity"], "a");

    // Files are named from the folder that the command stands in.
    let inner = Place::open(&scratch.world, Some(std::path::Path::new("a"))).unwrap();
    let report = check(&inner, &Query::default()).unwrap();
    assert_eq!(report.declaration.unwrap().file, "../chant.workspace.json");
}

#[test]
fn an_id_that_two_records_have_after_a_merge_is_found() {
    let note = |title: &str| format!("---\nid: n-001\ntitle: {title}\nstate: proposed\n---\n");
    let scratch = records(&[("notes/n-001-left.md", &note("L")), ("notes/n-001-right.md", &note("R"))]);
    let commit = scratch.commit("merged");
    for at in [None, Some(commit.as_str())] {
        let found = report(&scratch, &Query { at, ..Query::default() });
        let list = of(&found, "WSP114");
        assert_eq!(list.len(), 1);
        assert_eq!(list[0]["file"], "notes/n-001-right.md");
        let message = list[0]["message"].as_str().unwrap();
        for part in ["record-id-duplicate", "notes/n-001-left.md", "notes/n-001-right.md", "--prefix"] {
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(found["ok"], false);
    }
    let notes = ["notes/note.kind.mjs".to_owned()];
    assert_eq!(of(&report(&scratch, &asked(&notes)), "WSP114").len(), 1, "told once, asked for or not");
    let missing = ["none.kind.mjs".to_owned()];
    let found = report(&scratch, &asked(&missing));
    let message = of(&found, "WSP114")[0]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("none.kind.mjs") && message.contains("kind-unreadable"), "{message}");
}

#[test]
fn a_revision_leaves_out_what_belongs_to_the_checkout() {
    let scratch = workspace(
        json!({ "members": [member("other", "a", json!({
            "generated": [{ "path": "out", "generator": "make" }], "box": { "intent": "n-001" },
        }))] }),
        &[("a/.env", "TOKEN=hunter2\n")],
    );
    let commit = scratch.commit("one");
    scratch.write("a/.env", "");
    assert_eq!(run(&scratch, &[]).into_iter().collect::<Vec<_>>(), ["WSP009", "WSP102", "WSP126"]);
    let found = report(&scratch, &Query { at: Some(&commit), ..Query::default() });
    assert_eq!(found["at"], commit);
    let ids: BTreeSet<String> = ids(&found).into_iter().collect();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["WSP009", "WSP121"]);

    let refusal = check(&scratch.place(), &Query { at: Some("none"), ..Query::default() }).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    published::check("check", &Document::Failure(Failure::of(&refusal)));
    let outside = Scratch::outside();
    let refusal = check(&outside.place(), &Query { at: Some("HEAD"), ..Query::default() }).unwrap_err();
    assert_eq!(refusal.code, codes::NOT_A_GIT_REPOSITORY);
    declare(&outside, json!({}));
    assert_eq!(report(&outside, &Query::default())["workspace"]["root"], outside.root.to_str().unwrap());
}

#[test]
fn generators_that_were_asked_for_are_not_said_to_have_run() {
    let scratch = members(
        json!([member("chant", "a", json!({ "generated": [{ "path": "out", "generator": "make" }] }))]),
        &[("a/chant.config.ts", ""), ("a/out", ""), ("a/skills/x/SKILL.md", "")],
    );
    for generated in [false, true] {
        let found = report(&scratch, &Query { generated, ..Query::default() });
        assert_eq!(ids(&found), ["WSP105", "WSP105"]);
        assert_eq!(found["ok"], true);
    }
}

#[test]
fn fields_have_the_types_of_their_kind() {
    let mut tf = kind("tf", 5, "a.tf");
    tf["fields"] = json!({
        "health": { "type": "string" }, "retries": { "type": "integer" },
        "run": { "type": "object", "fields": { "fast": { "type": "boolean" } } },
    });
    let with = |fields: Value| {
        plugged(json!([tf]), json!([member("tf", "a", json!({ "fields": fields }))]), &[("a/a.tf", "")])
    };
    let good = with(json!({ "health": "/", "retries": 1, "run": { "fast": true } }));
    assert_eq!(run(&good, &[]).len(), 0);
    let found =
        report(&with(json!({ "health": 1, "retries": "1", "run": { "fast": "no" } })), &Query::default());
    assert_eq!(ids(&found), ["WSP005"; 3]);
    let found = of(&found, "WSP005");
    assert!(found[2]["message"].as_str().unwrap().contains("run.fast"));
}

#[test]
fn links_are_listed_with_their_status() {
    let scratch = members(
        json!([
            member(
                "design",
                "a",
                json!({ "links": [
                { "member": "b", "output": "url" }, { "member": "b", "output": "Url" },
                { "member": "c", "output": "x" }, { "member": "a", "output": "x" },
            ] })
            ),
            member("design", "b", json!({ "outputs": ["url"] })),
            member("chant", "c", json!({})),
        ]),
        &[("a/f", ""), ("b/f", ""), ("c/chant.config.ts", "")],
    );
    let found = report(&scratch, &Query::default());
    let rows = found["declaration"]["links"].as_array().unwrap();
    let status: Vec<&str> = rows.iter().map(|row| row["status"].as_str().unwrap()).collect();
    assert_eq!(status, ["resolved", "missing", "unresolved", "invalid"]);
    assert_eq!(rows[0]["pointer"], "/members/0/links/0");
    assert!(rows[1]["reason"].as_str().unwrap().contains("differs only in case"));
}

#[test]
fn a_secret_is_named_and_never_shown() {
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let code = format!(
        "// {token}\nexport const a = {{\n  apiKey: 'hunter2', other: process.env.TOKEN,\n  password: `${{x}}`,\n}};\n\
         const s = [{{ key: 'A', value: 'hunter3' }}];\n"
    );
    let scratch = members(
        json!([member("design", "a", json!({ "box": {} }))]),
        &[
            ("a/code.ts", &code),
            ("a/data.json", "{\n  \"token\": \"hunter4\", \"secretKey\": \"where\", \"url\": \"x\" }\n"),
            ("a/notes.md", &format!("password: hunter5\n\n{token}\n")),
            ("a/binary", "\0API_KEY=hunter6\n"),
            ("a/script.py", "token = get()\npassword = 'hunter7'\n"),
            ("a/.git/x", "API_KEY=hunter8\n"),
        ],
    );
    let found = report(&scratch, &Query::default());
    let places: Vec<String> = of(&found, "WSP121")
        .iter()
        .map(|found| {
            let message = found["message"].as_str().unwrap();
            assert!(!message.contains("hunter") && !message.contains(&token), "{message}");
            assert!(message.starts_with("box-credential-declared: "));
            format!("{}:{}:{}", found["file"].as_str().unwrap(), found["line"], found["column"])
        })
        .collect();
    let mut sorted = places.clone();
    sorted.sort();
    assert_eq!(
        sorted,
        [
            "a/code.ts:1:4",
            "a/code.ts:3:11",
            "a/code.ts:6:31",
            "a/data.json:2:12",
            "a/notes.md:3:1",
            "a/script.py:2:12"
        ]
    );
}

#[test]
fn a_log_has_every_finding_with_its_suppression() {
    let scratch = members(
        json!([member("other", "gone", json!({ "suppress": [{ "check": "WSP004", "because": "soon" }] }))]),
        &[(LOCK, "x")],
    );
    let place = scratch.place();
    let report = check(&place, &Query::default()).unwrap();
    let log = as_sarif(&place, &report, sarif::Tool { name: "cairn", version: "1" });
    let log = serde_json::to_value(log).unwrap();
    let results = log["runs"][0]["results"].as_array().unwrap();
    let rules: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(rules, ["lock-invalid", "WSP009", "WSP004"]);
    assert_eq!(results[2]["suppressions"][0]["justification"], "soon");
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        ".chant/workspace.lock.json"
    );
}
