//! The closed shape, value by value, and against the published schema.

use super::*;

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
