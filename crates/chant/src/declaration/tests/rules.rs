//! What must be unique, what must be there, and where members may lie.

use super::*;

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
