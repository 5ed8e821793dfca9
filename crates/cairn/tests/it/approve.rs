use serde_json::json;

use crate::scratch::Scratch;

fn protected() -> Scratch {
    let scratch = Scratch::repository();
    let protect = json!([{ "path": "locked/**", "because": "it is settled" }]);
    let policy = json!({ "schema": 1, "protect": protect });
    scratch.write(".governance/policy.json", policy.to_string());
    scratch
}

fn shell(scratch: &Scratch) -> serde_json::Value {
    let args = json!({ "command": "echo x > locked/a" });
    scratch.hook(json!({ "event": "pre_tool", "tool": "bash", "args": args }))
}

#[test]
fn a_person_lets_one_call_pass_once() {
    let scratch = protected();
    assert_eq!(scratch.run(&["cairn", "approve"]).ok().out, "no call waits for a person\n");
    let denied = shell(&scratch);
    assert!(denied["reason"].as_str().unwrap().contains("cairn approve "), "{denied}");
    insta::assert_snapshot!(scratch.run(&["cairn", "approve"]).all(), @"
    exit 0
    --- out
    TICKET    TOOL  CALL
    0b8b4d87  bash  echo x > locked/a
      locked/a: the policy keeps agents from locked/**: it is settled
      next: cairn approve <ticket>
    --- err
    ");
    let list = scratch.run(&["cairn", "approve", "--json"]).ok().json();
    let id = list["tickets"][0]["id"].as_str().unwrap().to_owned();
    scratch.run(&["cairn", "approve", &id]).refused(1, "no-terminal");
    scratch.person("yes", &["cairn", "approve", &id]).refused(1, "not-confirmed");
    assert_eq!(shell(&scratch)["decision"], "deny");
    insta::assert_snapshot!(scratch.person(&id, &["cairn", "approve", &id]).all(), @"
    exit 0
    --- out
    ✓ the call of ticket 0b8b4d87 may be made once, within ten minutes
    --- err
    ");
    assert_eq!(scratch.edit("locked/a")["decision"], "deny", "another call is not this one");
    assert_eq!(shell(&scratch)["decision"], "allow");
    assert_eq!(shell(&scratch)["decision"], "deny", "once");
    scratch.person(&id, &["cairn", "approve", &id]).ok();
    scratch.wait(700);
    assert_eq!(shell(&scratch)["decision"], "deny", "ten minutes");
}

#[test]
fn a_ticket_that_is_none_is_refused() {
    let scratch = protected();
    insta::assert_snapshot!(scratch.person("x", &["cairn", "approve", "x"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ no ticket `x` waits for an answer (ticket-gone)
      next: cairn approve
    ");
    assert!(!scratch.govern().exists());
}

/// An agent made a terminal of its own and typed the word that was asked for.
#[test]
fn what_an_agent_started_is_no_person_s_terminal() {
    let scratch = Scratch::repository();
    let pause = ["cairn", "hook", "pause", "--for", "10m", "--why", "x"];
    for variable in agents::VARIABLES.iter().map(|variable| variable.name) {
        let said = scratch.person_below(variable, "pause", &pause).refused(1, "agent-started");
        assert!(said.err.contains(variable), "{}", said.err);
    }
    scratch.person("pause", &pause).ok();
}
