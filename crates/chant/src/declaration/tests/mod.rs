//! What is read, in which order, and how it is refused.

mod place;
mod rules;
mod shape;

use std::fs;
use std::path::{Path, PathBuf};

use gate::{ReasonCode, Refusal};
use serde_json::{Value, json};
use store::git::RepoPath;
use store::tree::WorkTree;

use super::*;
use crate::codes;

fn found(file: &'static str) -> Found {
    Found { root: RepoPath::from(""), file }
}

fn judged(text: &str) -> Result<Workspace, Refusal> {
    parse(text.as_bytes(), &found(FILES[0]), Reader::Root)
}

/// A declaration with these fields beside the required ones.
fn with(more: Value) -> Value {
    let mut value = json!({ "name": "acme", "schema": 1, "members": [] });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    value
}

/// A declaration with these members.
fn members(members: Value) -> Value {
    with(json!({ "members": members }))
}

/// A member `app` with these fields.
fn member(more: Value) -> Value {
    let mut value = json!({ "name": "app", "dir": "app", "kind": "chant" });
    if let (Value::Object(value), Value::Object(more)) = (&mut value, more) {
        value.extend(more);
    }
    members(json!([value]))
}

/// A member `app` with this box, on host `mac`, which has ports for two boxes.
fn boxed(block: Value) -> Value {
    let mut value = member(json!({ "box": block }));
    value["hosts"] = json!([{ "name": "mac", "ports": { "from": 9000, "to": 9019, "perBox": 10 } }]);
    value
}

/// How `value` is refused: the code, the message, and what stands in the file where the refusal points.
fn refused(value: &Value) -> (ReasonCode, String, String) {
    let text = format!("{value:#}");
    let refusal = judged(&text).expect_err(&text);
    let at = refusal.at.expect("a place");
    let line = text.lines().nth(at.line.unwrap() - 1).unwrap();
    let rest = &line[at.column.unwrap() - 1..];
    (refusal.code, refusal.message, rest.trim_end_matches(',').to_owned())
}

#[test]
fn a_small_declaration_has_its_defaults() {
    let workspace =
        judged(&members(json!([{ "name": "app", "dir": ".", "kind": "chant" }])).to_string()).unwrap();
    let declaration = &workspace.declaration;
    assert_eq!((declaration.name.as_str(), declaration.schema, declaration.quorum), ("acme", 1, None));
    assert_eq!(declaration.changes.severity, ChangeSeverity::Warn);
    assert_eq!(declaration.identity.attribution, Attribution::Any);
    assert!(declaration.write_scope.is_none() && declaration.ci.green.is_none());
    let (index, member) = declaration.member("app").unwrap();
    assert_eq!((index, member.folder(), member.travel), (0, "", false));
    assert!(member.outputs.is_none() && member.box_block.is_none());
    assert_eq!(
        (member.ledger_prefix(""), member.ledger_prefix("_members/p/")),
        (String::new(), "_members/p/".into())
    );
}

#[test]
fn every_block_is_read_with_its_defaults() {
    let text = r#"{
        "$schema": "x", "$comment": "y", "x-own": [1],
        "name": "acme", "schema": 1.0, "minReader": "0.108.0", "quorum": 0,
        "members": [
            {
                "name": "app", "dir": "apps/app", "kind": "chant", "x-colour": "red",
                "roles": ["design-app", { "name": "api", "path": "src" }],
                "generated": [{ "path": "out.yml", "generator": "make", "sources": ["a"], "handWritten": { "because": "b" } }],
                "outputs": ["url"], "fields": { "port": 3, "deep": { "on": true } },
                "links": [{ "member": "other", "output": "x" }, { "member": "other", "output": "p", "kind": "telemetry", "protocol": "grpc" }],
                "records": [{ "kind": "work/work.kind.mjs" }], "upstream": "u", "travel": true, "because": "c",
                "diagrams": [{ "name": "flow", "title": "Flow", "source": "f.mmd", "renderer": { "tool": "mermaid", "version": "1.0.0" } }],
                "suppress": [{ "check": "WSP009", "because": "d" }],
                "box": {
                    "intent": "D-1", "host": "mac", "slot": 1, "ports": { "http": 0 }, "state": { "DB": "db" }, "cookies": ["sid"],
                    "capabilities": [{ "name": "inference", "broker": "lobby", "scope": ["agent"] }, { "name": "mail" }],
                    "services": [{ "name": "db", "cmd": "pg" }, { "name": "web", "cmd": "node .", "needs": ["db"], "httpPort": 80, "duration": "1.5s", "health": "http://x", "optional": true }],
                    "factory": {
                        "builds": ["app"], "check": "make test", "checks": "checks", "builders": "app",
                        "tiers": [{ "tier": "low", "agent": "a", "kinds": ["chant"], "session": "builder" }, { "tier": "low", "agent": "b" }],
                        "publish": { "repo": "acme/app" }
                    },
                    "listing": { "title": "A box" }, "publisher": "sh -c 'a b'", "replicate": { "refs": ["ledger", "work"], "on": [] },
                    "ship": { "op": "ship" }
                }
            },
            { "name": "other", "dir": "other", "kind": "other", "because": "no kind yet" },
            { "name": "samples", "kind": "examples", "glob": "samples/*" },
            { "name": "more", "kind": "examples", "glob": ["a/*", "b/**"] }
        ],
        "pins": [{ "package": "@intentius/chant", "version": "0.108.0" }, { "path": ".", "integrity": "sha256-abc=" }],
        "records": [{ "kind": "decisions/decision.kind.mjs", "name": "decision" }],
        "hosts": [{ "name": "mac", "ports": { "from": 9000, "to": 9019, "perBox": 10 }, "stateRoot": "${X}/y" }],
        "diagrams": [{ "name": "all", "title": "All", "render": "a.svg", "source": null, "renderer": { "tool": "d2", "version": "0.7.0", "args": ["--x"] }, "sourceHash": null }],
        "checks": { "WSP009": "off" },
        "changes": { "severity": "fail", "ignore": ["*.lock"] },
        "writeScope": {
            "human": { "members": "*" }, "runner": { "members": ["app"], "records": { "work": ["new"] } }, "auditor": {},
            "agent": { "protected": ["chant.workspace.json", { "path": "kinds", "except": ["/x/*"] }], "records": {} }
        },
        "agents": [{ "name": "builder", "member": "app", "principals": ["b@x"] }, { "name": "both", "members": ["app", "other"] }],
        "identity": { "attribution": "identified", "gates": { "Go live": { "class": "human" }, "any": {} } },
        "ci": { "green": { "branch": "main", "phases": { "unit": ["test*"], "e2e": { "runs": ["e"], "skipped": "pass" } }, "require": ["unit"] } }
    }"#;
    let workspace = judged(text).unwrap();
    let declaration = &workspace.declaration;
    assert_eq!(declaration.extensions(), *json!({ "x-own": [1] }).as_object().unwrap());
    let kinds: Vec<_> = declaration
        .kinds()
        .into_iter()
        .map(|kind| (kind.member.map(str::to_owned), kind.path, kind.pointer))
        .collect();
    assert_eq!(
        kinds,
        [
            (None, "decisions/decision.kind.mjs".to_owned(), "/records/0".to_owned()),
            (
                Some("app".to_owned()),
                "apps/app/work/work.kind.mjs".to_owned(),
                "/members/0/records/0".to_owned()
            ),
        ]
    );
    assert_eq!(declaration.all_diagrams().iter().map(|d| d.member).collect::<Vec<_>>(), [None, Some("app")]);
    assert_eq!(declaration.groups().map(|(_, group)| group.glob.len()).collect::<Vec<_>>(), [1, 2]);
    let (_, app) = declaration.member("app").unwrap();
    assert_eq!(app.links.iter().map(|link| link.kind.as_str()).collect::<Vec<_>>(), ["output", "telemetry"]);
    assert_eq!(app.roles[1], Role { name: "api".into(), path: Some("src".into()) });
    assert_eq!(app.extensions(), *json!({ "x-colour": "red" }).as_object().unwrap());
    assert_eq!(
        (app.ledger_prefix(""), app.ledger_prefix("_members/p/")),
        ("_members/app/".into(), "_members/p/_members/app/".into())
    );
    let block = app.box_block.as_ref().unwrap();
    let factory = block.factory.as_ref().unwrap();
    assert_eq!(factory.check, Some(FactoryCheck { run: "make test".into(), kind: "test".into() }));
    let publish = factory.publish.as_ref().unwrap();
    assert_eq!((publish.forge.as_str(), publish.branch_prefix.as_str()), ("github", "chant/work/"));
    let replicate = block.replicate.as_ref().unwrap();
    assert_eq!((replicate.remote.as_str(), replicate.refs.join(" ")), ("origin", "work ledger".to_owned()));
    assert!(replicate.on.is_empty());
    let ship = block.ship.as_ref().unwrap();
    assert_eq!((ship.gate.as_str(), ship.env.as_str()), ("ship", "box"));
    assert!(block.listing.as_ref().unwrap().published);
    assert_eq!(words(block.publisher.as_ref().unwrap()).unwrap(), ["sh", "-c", "a b"]);
    let scope = declaration.scope_of("runner").unwrap();
    assert_eq!(scope.members, Reach::Members(vec!["app".into()]));
    assert_eq!(scope.records.unwrap()["work"], [Verb::New]);
    assert_eq!(declaration.scope_of("human").unwrap().members, Reach::Every);
    assert_eq!(declaration.scope_of("auditor").unwrap().members, Reach::Unrestricted);
    assert_eq!(declaration.scope_of("agent").unwrap().protected[1].except, ["/x/*"]);
    assert_eq!(declaration.scope_of("service"), None);
    assert_eq!(declaration.agents[0].members, ["app"]);
    let green = declaration.ci.green.as_ref().unwrap();
    assert!(
        green.window == "24h" && green.phases["e2e"].skipped_passes && !green.phases["unit"].skipped_passes
    );
    assert_eq!(declaration.owner("apps/app/src/a.ts").unwrap().name, "app");
    assert!(declaration.owner("apps/application").is_none());
}

#[test]
fn texts_that_are_no_declaration() {
    for (text, code, line, column, message) in [
        ("", codes::DECLARATION_UNPARSEABLE, 1, 1, "the file is empty"),
        (
            "{\n  \"name\": 1,\n  \"name\": 2\n}",
            codes::DECLARATION_UNPARSEABLE,
            3,
            3,
            "the key \"name\" stands twice",
        ),
        ("{ // c\n}", codes::DECLARATION_UNPARSEABLE, 1, 3, "comments are not allowed here"),
        ("{\"a\": 1,\n}", codes::DECLARATION_UNPARSEABLE, 1, 8, "a comma behind the last part"),
        ("{\"a\": \"\0\"}", codes::DECLARATION_UNPARSEABLE, 1, 8, "a control character"),
        (" []", codes::DECLARATION_INVALID, 1, 2, "the declaration must be a JSON object"),
        ("null", codes::DECLARATION_INVALID, 1, 1, "the declaration must be a JSON object"),
    ] {
        let refusal = judged(text).unwrap_err();
        let at = refusal.at.unwrap();
        assert_eq!((refusal.code, at.line, at.column), (code, Some(line), Some(column)), "{text}");
        assert!(refusal.message.starts_with(message), "{}", refusal.message);
        assert_eq!(at.path, Path::new("chant.workspace.json"));
    }
    let deep = format!("{{\"x-a\": {}1{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(judged(&deep).unwrap_err().code, codes::DECLARATION_UNPARSEABLE);
    assert_eq!(
        parse(b"{\"name\": \"\xff\"}", &found(FILES[0]), Reader::Root).unwrap_err().code,
        codes::DECLARATION_UNPARSEABLE
    );
    let huge = with(json!({ "x-text": "a".repeat(1 << 20), "x-list": vec![0; 100_000] })).to_string();
    assert!(judged(&huge).is_ok());
    assert!(judged(&format!("\u{feff}{}", with(json!({})))).is_ok());
}

#[test]
fn a_jsonc_file_may_have_comments() {
    let text = "// why\n{ \"name\": \"acme\", \"schema\": 1, /* all */ \"members\": [], }";
    assert!(parse(text.as_bytes(), &found(FILES[1]), Reader::Root).is_ok());
}

#[test]
fn the_pinned_program_comes_before_the_level_and_the_level_before_the_shape() {
    let pin = json!([{ "path": "kinds" }, { "package": CHANT, "version": "0.107.0" }]);
    let (code, _, at) = refused(&with(json!({ "pins": pin, "minReader": "9.0.0", "new": 1 })));
    assert_eq!((code, at.as_str()), (codes::ROOT_CHANT_REQUIRED, "\"0.107.0\""));
    let (code, _, at) = refused(&with(json!({ "minReader": "0.108.1", "new": 1 })));
    assert_eq!((code, at.as_str()), (codes::READER_TOO_OLD, "\"0.108.1\""));
    // What is no version is left to the shape.
    let (code, message, _) = refused(&with(json!({ "minReader": "next" })));
    assert_eq!(code, codes::DECLARATION_INVALID);
    assert_eq!(message, "\"next\" is not a version such as 1.2.3 (at /minReader)");
    for version in ["0.108.0", "0.108.0-rc.1", "0.9.9"] {
        assert!(judged(&with(json!({ "minReader": version })).to_string()).is_ok(), "{version}");
    }
    // Other commands read it all the same.
    let text = with(json!({ "pins": pin })).to_string();
    assert!(parse(text.as_bytes(), &found(FILES[0]), Reader::Any).is_ok());
    let same = json!([{ "package": CHANT, "version": crate::LEVEL }]);
    assert!(judged(&with(json!({ "pins": same })).to_string()).is_ok());
}
