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

#[test]
fn the_deepest_problem_is_told_and_the_others_are_counted() {
    let (code, message, at) =
        refused(&with(json!({ "members": [{ "name": "Bad", "kind": "chant", "dir": "a" }], "new": 1 })));
    assert_eq!(code, codes::DECLARATION_INVALID);
    assert!(message.starts_with("\"Bad\" is not a name"), "{message}");
    assert!(message.ends_with(" (at /members/0/name); 1 more problem after this one"), "{message}");
    assert_eq!(at, "\"Bad\"");
    let (_, message, at) = refused(&json!({ "new": 1, "newer": 2 }));
    assert_eq!(message, "missing required field \"name\"; 4 more problems after this one");
    assert_eq!(at, "{");
    let (_, message, at) = refused(&with(json!({ "new": 1 })));
    assert_eq!(message, "unknown field \"new\"; only fields named x-... may be added");
    assert_eq!(at, "\"new\": 1");
    let (_, message, at) = refused(&with(json!({ "schema": 2 })));
    assert_eq!(message, "schema must be 1, the only declaration format this chant reads (at /schema)");
    assert_eq!(at, "2");
    let (_, message, at) = refused(&members(json!([{ "name": "a", "dir": "a", "kind": "other" }])));
    assert_eq!(message, "a member of kind other needs \"because\", saying why it is there (at /members/0)");
    assert_eq!(at, "{");
}

#[test]
fn values_that_have_the_wrong_shape() {
    let hash = "A".repeat(64);
    let diagram = |more: Value| {
        let mut value = json!({ "name": "d", "title": "D", "render": "d.svg", "renderer": { "tool": "d2", "version": "1.0.0" } });
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        with(json!({ "diagrams": [value] }))
    };
    let cases: Vec<(Value, &str, &str)> = vec![
        (json!({ "name": "", "schema": 1, "members": [] }), "/name", "is not a name"),
        (json!({ "name": "a".repeat(41), "schema": 1, "members": [] }), "/name", "is not a name"),
        (json!({ "name": "_members", "schema": 1, "members": [] }), "/name", "is not a name"),
        (json!({ "name": 7, "schema": 1, "members": [] }), "/name", "must be a string"),
        (json!({ "name": "a", "schema": 1, "members": {} }), "/members", "must be a list"),
        (
            json!({ "name": "a", "schema": 1, "members": [7] }),
            "/members/0",
            "must be a member or an example group",
        ),
        (with(json!({ "minReader": null })), "/minReader", "must be a string"),
        (with(json!({ "quorum": -1 })), "/quorum", "a whole number, at least 0"),
        (with(json!({ "quorum": 1.5 })), "/quorum", "a whole number"),
        (with(json!({ "collectors": [] })), "", "unknown field \"collectors\""),
        (with(json!({ "spec": [] })), "", "unknown field \"spec\""),
        (
            with(json!({ "checks": { "WSP9": "off" } })),
            "/checks",
            "the key \"WSP9\" is not the id of a check",
        ),
        (
            with(json!({ "checks": { "WSP009": "no" } })),
            "/checks/WSP009",
            "must be error, warning, info or off",
        ),
        (with(json!({ "changes": { "x-a": 1 } })), "/changes", "unknown field \"x-a\""),
        (
            with(json!({ "changes": { "severity": "error" } })),
            "/changes/severity",
            "must be off, warn or fail",
        ),
        (with(json!({ "changes": { "ignore": ["../a"] } })), "/changes/ignore/0", "is not a glob"),
        (with(json!({ "pins": [{}] })), "/pins/0", "missing required field \"package\""),
        (
            with(json!({ "pins": [{ "package": "A", "version": "1.0.0" }] })),
            "/pins/0/package",
            "is not the name of a package",
        ),
        (
            with(json!({ "pins": [{ "package": "a", "version": "^1.0.0" }] })),
            "/pins/0/version",
            "is not a version",
        ),
        (
            with(json!({ "pins": [{ "path": "a", "integrity": "md5-x" }] })),
            "/pins/0/integrity",
            "is not an integrity value",
        ),
        (with(json!({ "pins": [{ "path": "../a" }] })), "/pins/0/path", "is not a directory"),
        (with(json!({ "records": [{ "kind": "/a" }] })), "/records/0/kind", "is not a path"),
        (with(json!({ "records": [{ "kind": "a/../b" }] })), "/records/0/kind", "is not a path"),
        (with(json!({ "records": [{ "kind": "a\\b" }] })), "/records/0/kind", "is not a path"),
        (
            with(json!({ "records": [{ "kind": "a", "name": "9a" }] })),
            "/records/0/name",
            "is not a name of a kind",
        ),
        (
            with(json!({ "hosts": [{ "name": "h", "ports": { "from": 0, "to": 1, "perBox": 1 } }] })),
            "/hosts/0/ports/from",
            "from 1 to 65535",
        ),
        (
            with(
                json!({ "hosts": [{ "name": "h", "ports": { "from": 1, "to": 1, "perBox": 1, "x-a": 1 } }] }),
            ),
            "/hosts/0/ports",
            "unknown field \"x-a\"",
        ),
        (diagram(json!({ "render": null })), "/diagrams/0", "missing required field \"render\""),
        (
            diagram(json!({ "renderer": { "tool": "mermaid", "version": "1.0.0" } })),
            "/diagrams/0",
            "needs a \"source\"",
        ),
        (
            diagram(json!({ "renderer": { "tool": "excalidraw", "version": "1.0.0" }, "source": null })),
            "/diagrams/0",
            "needs a \"source\"",
        ),
        (
            diagram(json!({ "renderer": { "tool": "dot", "version": "1.0.0" } })),
            "/diagrams/0/renderer/tool",
            "must be d2,",
        ),
        (diagram(json!({ "sourceHash": hash })), "/diagrams/0/sourceHash", "is not a SHA-256"),
        (member(json!({ "dir": "a/" })), "/members/0/dir", "is not a directory"),
        (member(json!({ "dir": "./a" })), "/members/0/dir", "is not a directory"),
        (member(json!({ "kind": "Chant" })), "/members/0/kind", "is not a name of a kind"),
        (member(json!({ "roles": [7] })), "/members/0/roles/0", "must be a name or {name, path}"),
        (member(json!({ "outputs": ["a", "a"] })), "/members/0/outputs", "holds \"a\" twice"),
        (member(json!({ "outputs": ["a\n"] })), "/members/0/outputs/0", "is not the name of an output"),
        (
            member(json!({ "fields": { "a": [1] } })),
            "/members/0/fields/a",
            "must be a string, a whole number",
        ),
        (
            member(json!({ "fields": { "a": { "b": { "c": 1 } } } })),
            "/members/0/fields/a/b",
            "must be a string",
        ),
        (member(json!({ "fields": { "a": 1.5 } })), "/members/0/fields/a", "must be a string"),
        (member(json!({ "travel": "yes" })), "/members/0/travel", "must be true or false"),
        (
            member(json!({ "links": [{ "member": "b", "output": "o", "protocol": "udp" }] })),
            "/members/0/links/0/protocol",
            "must be grpc",
        ),
        (
            member(json!({ "suppress": [{ "check": "WSP009" }] })),
            "/members/0/suppress/0",
            "missing required field \"because\"",
        ),
        (
            member(json!({ "generated": [{ "path": "a", "generator": "g", "handWritten": {} }] })),
            "/members/0/generated/0/handWritten",
            "missing required field \"because\"",
        ),
        (
            members(json!([{ "name": "e", "kind": "examples" }])),
            "/members/0",
            "missing required field \"glob\"",
        ),
        (
            members(json!([{ "name": "e", "kind": "examples", "glob": [] }])),
            "/members/0/glob",
            "must hold at least 1",
        ),
        (
            members(json!([{ "name": "e", "kind": "examples", "glob": "a", "dir": "b" }])),
            "/members/0",
            "unknown field \"dir\"",
        ),
        (with(json!({ "writeScope": { "x-a": {} } })), "/writeScope", "is not the name of a class"),
        (
            with(json!({ "writeScope": { "agent": { "members": "*" } } })),
            "/writeScope/agent",
            "unknown field \"members\"",
        ),
        (
            with(json!({ "writeScope": { "human": { "members": "all" } } })),
            "/writeScope/human/members",
            "must be *",
        ),
        (
            with(json!({ "writeScope": { "human": { "records": { "a": ["edit"] } } } })),
            "/writeScope/human/records/a/0",
            "must be new,",
        ),
        (
            with(json!({ "writeScope": { "human": { "protected": [{ "path": "a", "except": [] }] } } })),
            "/writeScope/human/protected/0/except",
            "must hold at least 1",
        ),
        (with(json!({ "agents": [{ "name": "a" }] })), "/agents/0", "needs \"member\" or \"members\""),
        (
            with(json!({ "agents": [{ "name": "a", "member": "b", "members": ["b"] }] })),
            "/agents/0",
            "either \"member\" or \"members\"",
        ),
        (
            with(json!({ "identity": { "attribution": "all" } })),
            "/identity/attribution",
            "must be any or identified",
        ),
        (
            with(json!({ "ci": { "green": { "branch": "m", "phases": {}, "require": [] } } })),
            "/ci/green/require",
            "must hold at least 1",
        ),
        (
            with(
                json!({ "ci": { "green": { "branch": "m", "window": "24", "phases": {}, "require": ["a"] } } }),
            ),
            "/ci/green/window",
            "is not a time",
        ),
        (boxed(json!({ "host": "mac" })), "/members/0/box", "needs \"slot\""),
        (boxed(json!({ "cookies": [] })), "/members/0/box", "needs \"host\""),
        (
            boxed(json!({ "ports": { "a": 65_535 }, "host": "mac", "slot": 0 })),
            "/members/0/box/ports/a",
            "from 0 to 65534",
        ),
        (
            boxed(json!({ "state": { "9": "a" }, "host": "mac", "slot": 0 })),
            "/members/0/box/state",
            "is not a name such as",
        ),
        (boxed(json!({ "publisher": "sh 'a" })), "/members/0/box/publisher", "is not one command line"),
        (boxed(json!({ "publisher": ["sh"] })), "/members/0/box/publisher", "must be a string"),
        (
            boxed(json!({ "services": [{ "name": "a" }] })),
            "/members/0/box/services/0",
            "missing required field \"cmd\"",
        ),
        (
            boxed(json!({ "services": [{ "name": "a", "cmd": "b", "duration": "3" }] })),
            "/members/0/box/services/0/duration",
            "is not a duration",
        ),
        (boxed(json!({ "factory": {} })), "/members/0/box/factory", "missing required field \"builds\""),
        (
            boxed(json!({ "factory": { "builds": ["app"], "check": { "run": "a", "kind": "any" } } })),
            "/members/0/box/factory/check/kind",
            "must be test,",
        ),
        (
            boxed(json!({ "factory": { "builds": ["app"], "publish": { "repo": "a" } } })),
            "/members/0/box/factory/publish/repo",
            "is not a repository",
        ),
        (
            boxed(json!({ "listing": { "title": "a".repeat(61) } })),
            "/members/0/box/listing/title",
            "at most 60",
        ),
        (boxed(json!({ "listing": { "line": "a\u{85}" } })), "/members/0/box/listing/line", "at most 140"),
        (
            boxed(json!({ "listing": { "cover": "a.gif" } })),
            "/members/0/box/listing/cover",
            "PNG, JPEG or WebP",
        ),
        (boxed(json!({ "ship": {} })), "/members/0/box/ship", "missing required field \"op\""),
        (
            boxed(json!({ "replicate": { "refs": ["all"] } })),
            "/members/0/box/replicate/refs/0",
            "must be work,",
        ),
        (
            boxed(json!({ "replicate": { "remote": "--upload-pack=x" } })),
            "/members/0/box/replicate/remote",
            "is not the name of a git remote",
        ),
    ];
    for (value, pointer, message) in cases {
        let text = value.to_string();
        let refusal = judged(&text).expect_err(&text);
        assert_eq!(refusal.code, codes::DECLARATION_INVALID, "{text}");
        let place = if pointer.is_empty() { String::new() } else { format!(" (at {pointer})") };
        assert!(
            refusal.message.contains(message) && refusal.message.contains(&place),
            "{text}\n{}",
            refusal.message
        );
    }
}

#[test]
fn names_that_must_be_there_or_stand_once() {
    let two = |first: Value, second: Value| {
        let (mut a, mut b) = (member(first), member(second));
        b["members"][0]["name"] = json!("web");
        b["members"][0]["dir"] = json!("web");
        a["members"].as_array_mut().unwrap().push(b["members"][0].clone());
        a
    };
    let service = |name: &str, needs: &[&str]| json!({ "name": name, "cmd": "x", "needs": needs });
    let renderer = json!({ "tool": "d2", "version": "1.0.0" });
    let diagram = json!({ "name": "d", "title": "D", "render": "r", "renderer": renderer });
    let factory = |more: Value| {
        let mut value = json!({ "builds": ["app"] });
        value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        boxed(json!({ "factory": value }))
    };
    let mut reversed = boxed(json!({}));
    reversed["hosts"][0]["ports"] = json!({ "from": 9, "to": 8, "perBox": 1 });
    let mut same_host = boxed(json!({}));
    let host = same_host["hosts"][0].clone();
    same_host["hosts"].as_array_mut().unwrap().push(host);
    let cases: Vec<(Value, &str, &str)> = vec![
        (
            two(json!({}), json!({ "records": [{ "kind": "a" }, { "kind": "a" }] })),
            "\"a\"",
            "record kind web/a is already",
        ),
        (
            with(json!({ "records": [{ "kind": "a", "name": "k" }, { "kind": "b", "name": "k" }] })),
            "\"k\"",
            "kind name \"k\" is already given at /records/0",
        ),
        (
            with(
                json!({ "records": [{ "kind": "app/a" }], "members": member(json!({ "records": [{ "kind": "a" }] }))["members"] }),
            ),
            "\"a\"",
            "record kind app/a is already",
        ),
        (
            boxed(json!({ "capabilities": [{ "name": "a" }, { "name": "a" }] })),
            "\"a\"",
            "the capability a twice",
        ),
        (
            boxed(json!({ "services": [service("a", &[]), service("a", &[])] })),
            "\"a\"",
            "the service a twice",
        ),
        (
            boxed(json!({ "services": [service("a", &["c"]), service("b", &[])] })),
            "\"c\"",
            "\"c\", which its box does not declare; declared services: a, b",
        ),
        (
            boxed(json!({ "services": [service("z", &["a"]), service("a", &["b"]), service("b", &["a"])] })),
            "[",
            "circle: a -> b -> a",
        ),
        (boxed(json!({ "services": [service("a", &["a"])] })), "[", "circle: a -> a"),
        (
            boxed(
                json!({ "services": [{ "name": "a", "cmd": "x", "httpPort": 1 }, { "name": "b", "cmd": "x", "httpPort": 2 }] }),
            ),
            "2",
            "both set httpPort",
        ),
        (
            two(
                json!({ "box": { "factory": { "builds": ["app"] } } }),
                json!({ "box": { "factory": { "builds": ["app"] } } }),
            ),
            "{",
            "app and web both have a factory",
        ),
        (
            factory(json!({ "builds": ["web"] })),
            "\"web\"",
            "the factory builds \"web\", which is no declared member",
        ),
        (factory(json!({ "builders": "web" })), "\"web\"", "\"web\", which is no declared member"),
        (factory(json!({ "tiers": [{ "tier": "t", "agent": "a" }] })), "[", "needs builders"),
        (
            factory(
                json!({ "builders": "app", "tiers": [{ "tier": "t", "agent": "a" }, { "tier": "t", "agent": "b" }] }),
            ),
            "{",
            "tiers/0 already names the agent of tier t for every other kind",
        ),
        (
            factory(
                json!({ "builders": "app", "tiers": [{ "tier": "t", "agent": "a", "kinds": ["chant", "other"] }, { "tier": "t", "agent": "b", "kinds": ["other"] }] }),
            ),
            "{",
            "for kind other",
        ),
        (
            factory(json!({ "builders": "app", "tiers": [{ "tier": "t", "agent": "a", "session": "s" }] })),
            "\"s\"",
            "no declared agent session; declared sessions: none",
        ),
        (
            two(json!({ "box": { "replicate": {} } }), json!({ "box": { "replicate": {} } })),
            "{}",
            "both say where work in progress goes",
        ),
        (
            with(
                json!({ "diagrams": [diagram], "members": member(json!({ "diagrams": [diagram] }))["members"] }),
            ),
            "\"d\"",
            "diagram name \"d\" is already",
        ),
        (reversed, "{", "behind their end"),
        (same_host, "\"mac\"", "host name \"mac\" is already"),
        (
            boxed(json!({ "host": "pc", "slot": 0 })),
            "\"pc\"",
            "\"pc\" is no declared host; declared hosts: mac",
        ),
        (boxed(json!({ "host": "mac", "slot": 2 })), "2", "slot 2 lies behind the ports"),
        (boxed(json!({ "host": "mac", "slot": u64::MAX })), "18446744073709551615", "lies behind the ports"),
        (boxed(json!({ "host": "mac", "slot": 1, "ports": { "web": 10 } })), "10", "offset 10 of port web"),
        (
            with(json!({ "writeScope": { "human": { "members": ["nobody"] } } })),
            "\"nobody\"",
            "writeScope.human names \"nobody\", which is no declared member; declared members: none",
        ),
        (
            with(json!({ "agents": [{ "name": "a", "member": "nobody" }] })),
            "\"nobody\"",
            "agent a is bound to",
        ),
        (
            with(
                json!({ "members": [{ "name": "e", "kind": "examples", "glob": "a" }], "agents": [{ "name": "a", "members": ["e"] }] }),
            ),
            "\"e\"",
            "no declared member",
        ),
        (
            with(
                json!({ "members": member(json!({}))["members"], "agents": [{ "name": "a", "member": "app" }, { "name": "a", "member": "app" }] }),
            ),
            "\"a\"",
            "agent name \"a\" is already",
        ),
        (
            with(
                json!({ "members": member(json!({}))["members"], "agents": [{ "name": "a", "member": "app", "principals": ["p"] }, { "name": "b", "member": "app", "principals": ["p"] }] }),
            ),
            "\"p\"",
            "principal \"p\" is already listed at /agents/0/principals/0",
        ),
        (
            with(
                json!({ "ci": { "green": { "branch": "m", "phases": { "unit": ["u"] }, "require": ["e2e"] } } }),
            ),
            "\"e2e\"",
            "no declared phase; declared phases: unit",
        ),
        (
            member(
                json!({ "generated": [{ "path": "a", "generator": "g" }, { "path": "a", "generator": "g" }] }),
            ),
            "\"a\"",
            "the generated file a twice",
        ),
    ];
    for (value, at, message) in cases {
        let (code, found, place) = refused(&value);
        assert_eq!(code, codes::DECLARATION_INVALID, "{found}");
        assert!(found.contains(message), "{found}");
        assert!(place.ends_with(at), "{found}: {place}");
    }
    let (code, message, at) = refused(&members(json!([
        { "name": "a", "dir": "a", "kind": "chant" },
        { "name": "a", "kind": "examples", "glob": "b" },
    ])));
    assert_eq!((code, at.as_str()), (codes::DECLARATION_INVALID, "\"a\""));
    assert_eq!(message, "the name \"a\" is already used by the entry at /members/0");
}

#[test]
fn members_that_lie_in_the_wrong_place() {
    let at = |name: &str, dir: &str| json!({ "name": name, "dir": dir, "kind": "chant" });
    for (value, message) in [
        (members(json!([at("a", "x"), at("b", "x")])), "member b has the directory of member a (x)"),
        (members(json!([at("a", "."), at("b", ".")])), "member b has the directory of member a (.)"),
        (members(json!([at("a", "x/y"), at("b", "x")])), "member a (x/y) lies inside member b (x)"),
        (
            members(json!([
                { "name": "a", "dir": ".", "kind": "chant", "generated": [{ "path": "x/f", "generator": "g" }] },
                at("b", "x"),
            ])),
            "member a lists the generated file x/f, which lies in member b (x)",
        ),
    ] {
        let (code, found, _) = refused(&value);
        assert_eq!(code, codes::PLACEMENT_INVALID);
        assert!(found.starts_with(message), "{found}");
    }
    // The root member holds others, and a name is not a folder's beginning.
    assert!(judged(&members(json!([at("r", "."), at("a", "x"), at("b", "xy")])).to_string()).is_ok());
}

#[test]
fn the_nearest_folder_with_a_declaration_wins() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let tree = WorkTree::new(&top);
    fs::create_dir_all(top.join("a/b/c")).unwrap();
    let find = |start: &str| discover(&tree, &RepoPath::from(start));
    assert_eq!(find("a/b").unwrap_err().code, codes::DECLARATION_MISSING);
    fs::write(top.join(FILES[0]), "{}").unwrap();
    fs::write(top.join("a/b").join(FILES[1]), "{}").unwrap();
    assert_eq!(find("a").unwrap(), found(FILES[0]));
    assert_eq!(find("a/b/c").unwrap(), Found { root: "a/b".into(), file: FILES[1] });
    assert_eq!(at_root(&tree, &"a".into()).unwrap_err().code, codes::DECLARATION_MISSING);
    fs::write(top.join("a/b").join(FILES[0]), "{}").unwrap();
    let refusal = find("a/b/c").unwrap_err();
    assert_eq!(refusal.code, codes::DECLARATION_AMBIGUOUS);
    let at = refusal.at.unwrap();
    assert_eq!((at.path, at.line, at.column), (PathBuf::from("a/b/chant.workspace.jsonc"), Some(1), Some(1)));
    // A folder of that name is no declaration.
    fs::create_dir_all(top.join("a").join(FILES[0])).unwrap();
    assert_eq!(find("a").unwrap(), found(FILES[0]));
}

#[cfg(unix)]
#[test]
fn nothing_is_read_through_a_link() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    fs::create_dir(top.join("a")).unwrap();
    fs::write(top.join("elsewhere.json"), with(json!({})).to_string()).unwrap();
    std::os::unix::fs::symlink("../elsewhere.json", top.join("a").join(FILES[0])).unwrap();
    let refusal = discover(&WorkTree::new(&top), &"a".into()).unwrap_err();
    assert_eq!(refusal.code, codes::DECLARATION_UNPARSEABLE);
    assert!(refusal.message.contains("symbolic link"));
}

#[test]
fn another_version_is_handed_the_command_where_it_is_installed() {
    let temp = tempfile::tempdir().unwrap();
    let top = temp.path().canonicalize().unwrap();
    let root = top.join("w");
    let package = top.join("node_modules").join(CHANT);
    fs::create_dir_all(&root).unwrap();
    fs::create_dir_all(package.join("bin")).unwrap();
    let pins = json!({ "pins": [{ "package": CHANT, "version": "0.107.0" }], "new": 1 });
    fs::write(root.join(FILES[0]), with(pins).to_string()).unwrap();
    let tree = WorkTree::new(&top);
    let place = Found { root: "w".into(), file: FILES[0] };
    let ask = |manifest: &str| {
        fs::write(package.join("package.json"), manifest).unwrap();
        handover(&tree, &place, &root, &top)
    };
    let manifest = r#"{"version": "0.107.0", "bin": {"chant": "./bin/chant"}}"#;
    assert_eq!(ask(manifest), None, "the program is not there");
    fs::write(package.join("bin/chant"), "").unwrap();
    let program = package.join("./bin/chant");
    assert_eq!(ask(manifest), Some(Handover { program: program.clone(), version: "0.107.0".into() }));
    assert_eq!(ask(r#"{"version": "0.107.0", "bin": "bin/chant"}"#).unwrap().program, program);
    assert_eq!(ask(r#"{"version": "0.106.0", "bin": "bin/chant"}"#), None);
    assert_eq!(ask(r#"{"version": "0.107.0", "bin": "../../../w/chant.workspace.json"}"#), None);
    assert_eq!(ask("not json"), None);
    assert_eq!(handover(&tree, &place, &root, &root), None, "nothing above the repository is looked at");
}

#[test]
fn what_the_published_schema_accepts_is_accepted_and_nothing_else() {
    let Some(schema) = crate::published::schema("declaration") else { return };
    let Some(folder) = crate::published::data("reference-workspace") else { return };
    let read = |name: &str| {
        let bytes = fs::read(folder.join(name)).unwrap();
        serde_json::from_slice::<Value>(&bytes).unwrap()
    };
    for fixture in [read("chant.workspace.json"), read("profiles/app/chant.workspace.json")] {
        let mut pointers = Vec::new();
        all_pointers(&fixture, &mut String::new(), &mut pointers);
        assert!(judged(&fixture.to_string()).is_ok());
        for pointer in &pointers {
            for change in
                [json!(null), json!(""), json!(7), json!([]), json!({}), json!("a/../b"), json!({ "new": 1 })]
            {
                let mut changed = fixture.clone();
                *changed.pointer_mut(pointer).unwrap() = change;
                agree(&schema, &changed);
            }
            let mut changed = fixture.clone();
            match changed.pointer_mut(pointer).unwrap() {
                Value::Object(map) => {
                    for key in map.keys().cloned().collect::<Vec<_>>() {
                        let mut less = fixture.clone();
                        less.pointer_mut(pointer).and_then(Value::as_object_mut).unwrap().remove(&key);
                        agree(&schema, &less);
                    }
                    map.insert("new".into(), json!(1));
                    agree(&schema, &changed);
                    let map = changed.pointer_mut(pointer).unwrap().as_object_mut().unwrap();
                    map.remove("new");
                    map.insert("x-new".into(), json!(1));
                    agree(&schema, &changed);
                }
                Value::Array(items) => {
                    items.extend(items.first().cloned());
                    agree(&schema, &changed);
                }
                _ => {}
            }
        }
    }
}

fn all_pointers(value: &Value, at: &mut String, found: &mut Vec<String>) {
    found.push(at.clone());
    let length = at.len();
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(map) => {
            map.iter().map(|(key, value)| (canon::jsonc::pointer_step(key), value)).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect()
        }
        _ => Vec::new(),
    };
    for (step, value) in inner {
        at.push('/');
        at.push_str(&step);
        all_pointers(value, at, found);
        at.truncate(length);
    }
}

/// Ours refuses what the schema refuses; what the schema accepts is refused only by a rule that it can't state.
fn agree(schema: &jsonschema::Validator, value: &Value) {
    let text = value.to_string();
    match (schema.is_valid(value), judged(&text)) {
        (true, Err(refusal)) => {
            let beyond = [
                "already",
                "is no declared",
                "does not declare",
                "twice",
                "directory of member",
                "lies inside",
                "circle",
            ];
            assert!(beyond.iter().any(|word| refusal.message.contains(word)), "{text}\n{}", refusal.message);
        }
        (false, Ok(_)) => panic!("{text}"),
        _ => {}
    }
}
