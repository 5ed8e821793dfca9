use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A repository in which the plan gate denied enough for a proposal.
fn blocked() -> Scratch {
    let scratch = Scratch::repository();
    let policy = json!({ "schema": 1, "gates": { "plan": true }, "discipline": { "planFirstAfter": 2, "queueCap": 1 } });
    scratch.write(".governance/policy.json", policy.to_string());
    block(&scratch, "s");
    scratch
}

fn block(scratch: &Scratch, agent: &str) {
    for n in 0..2 {
        let args = json!({ "command": format!("make {n}") });
        scratch.hook(json!({ "event": "pre_tool", "agent": agent, "call": format!("{agent}-{n}"), "tool": "bash", "args": args }));
    }
    scratch.hook(json!({ "event": "prompt", "agent": agent, "text": "go on" }));
}

fn list(scratch: &Scratch) -> Value {
    scratch.run(&["cairn", "govern", "queue", "list", "--json"]).ok().json()
}

#[test]
fn what_waits_is_listed_shown_and_resolved_by_a_person() {
    let empty = Scratch::repository();
    assert_eq!(empty.run(&["cairn", "govern", "queue", "list"]).ok().out, "nothing waits for a person\n");
    let scratch = blocked();
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "queue", "list"]).all(), @r#"
    exit 0
    --- out
    ID        KIND             AGENT  SESSION
    d66cc1b6  repeated_blocks  s      s
      2 calls of this session were denied, 2 of them by plan PL-001
      next: cairn govern queue resolve <id> --why "..."
    --- err
    "#);
    let id = list(&scratch)["open"][0]["id"].as_str().unwrap().to_owned();
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "queue", "show", &id]).all(), @"
    exit 0
    --- out
    d66cc1b6  repeated_blocks
      s (s), 2026-12-01T00:00:03.000Z
      2 calls of this session were denied, 2 of them by plan PL-001
      hint: cairn receipts list --decision deny
    --- err
    ");
    scratch.run(&["cairn", "govern", "queue", "show", &id, "--json"]).ok();
    let resolve = ["cairn", "govern", "queue", "resolve", &id, "--why", "the task was split"];
    scratch.run(&resolve).refused(1, "no-terminal");
    scratch.person("yes", &resolve).refused(1, "not-confirmed");
    assert_eq!(list(&scratch)["open"].as_array().unwrap().len(), 1);
    insta::assert_snapshot!(scratch.person(&id, &resolve).all(), @"
    exit 0
    --- out
    ✓ proposal d66cc1b6 is accepted
    --- err
    ");
    let after = list(&scratch);
    assert_eq!((&after["open"], &after["resolved"]), (&json!([]), &json!(1)));
    scratch.person(&id, &resolve).refused(1, "no proposal");
    scratch.run(&["cairn", "govern", "queue", "show", "nothing"]).refused(1, "proposal-gone");
    let receipts = scratch.run(&["cairn", "receipts", "list", "--json"]).ok().json();
    let last = receipts["receipts"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["marker"], &last["figures"]), (&json!("queue-resolve"), &json!({ "accepted": 1 })));
}

#[test]
fn the_budget_counts_what_finds_no_room() {
    let scratch = blocked();
    block(&scratch, "another");
    block(&scratch, "third");
    let queue = list(&scratch);
    assert_eq!((queue["open"].as_array().unwrap().len(), &queue["cap"]), (1, &json!(1)));
    assert_eq!(queue["dropped"], json!({ "repeated_blocks": 2 }));
    let shown = scratch.run(&["cairn", "govern", "queue", "list"]).ok();
    assert!(shown.out.contains("no room for 2 repeated_blocks: 1 wait at most"), "{}", shown.all());
    let id = queue["open"][0]["id"].as_str().unwrap();
    scratch
        .person(id, &["cairn", "govern", "queue", "resolve", id, "--reject", "--why", "meant", "--json"])
        .ok();
    // A session that goes on as before is proposed again where there is room.
    for n in 2..4 {
        let args = json!({ "command": format!("make {n}") });
        scratch.hook(json!({ "event": "pre_tool", "agent": "third", "call": format!("third-{n}"), "tool": "bash", "args": args }));
    }
    scratch.hook(json!({ "event": "prompt", "agent": "third", "text": "go on" }));
    let queue = list(&scratch);
    assert_eq!(
        (&queue["open"][0]["agent"], &queue["dropped"]),
        (&json!("third"), &json!({ "repeated_blocks": 1 }))
    );
}

#[test]
fn whoever_is_judged_resolves_nothing() {
    let scratch = Scratch::repository();
    let args = json!({ "command": "cairn govern queue resolve 12345678 --why x" });
    let denied = scratch.hook(json!({ "event": "pre_tool", "tool": "bash", "args": args }));
    assert_eq!((&denied["decision"], &denied["rule"]), (&json!("deny"), &json!("person-only")));
    let args = json!({ "command": "cairn govern queue list" });
    assert_eq!(
        scratch.hook(json!({ "event": "pre_tool", "tool": "bash", "args": args }))["decision"],
        "allow"
    );
}
