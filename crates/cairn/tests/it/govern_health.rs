use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn nothing_is_counted_where_there_is_no_receipt() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "health"]).all(), @"
    exit 0
    --- out
    there is no receipt yet, so nothing is counted
    no agent calls cairn here
    --- err
    ");
    let all = scratch.run(&["cairn", "govern", "health", "--all", "--json"]).ok().json();
    assert_eq!(all["agents"].as_array().unwrap().len(), agents::AgentId::ALL.len());
}

#[test]
fn what_happened_is_counted_and_each_installed_agent_says_how_far_it_carries() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "plan": true } }"#);
    scratch.run(&["cairn", "hook", "install", "cursor", "--yes"]).ok();
    for n in 0..2 {
        let args = json!({ "command": format!("make {n}") });
        scratch.hook(json!({ "event": "pre_tool", "call": format!("{n}"), "tool": "bash", "args": args }));
    }
    scratch.hook(json!({ "event": "stop", "text": "3 tests passed." }));
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "health"]).all(), @"
    exit 0
    --- out
    Counted
      claims verified: 0 of 1 (invalid 0, unverifiable 1, labelled 0)
      calls denied: 2 of 2
        plan: 2
      calls made again after they succeeded: 0
      pins said: 0 (0 after 0 compactions), dropped: 0
      prompts against a pin: 0, final messages with findings: 1 (pins they go against: 0)
      token budget crossed: 0, told to plan first: 0, lessons skipped: 0
    AGENT    SESSION  DENIED
    generic  s        2 of 2
      plan PL-001: 2
    cursor
      C-1 plan gate: native: preToolUse
    ! C-2 commitment gate: degraded: ask on shell and MCP calls; else a ticket
      C-3 receipts: native: postToolUse, postToolUseFailure
      C-4 completion evidence: native: stop, sessionEnd
      C-5 knowledge lifecycle: native: the receipts of its calls
      C-6 vault seeding: native: cairn itself, without the agent
    ! C-7 constraint pinning: degraded: the pins are said again with the next tool call
      C-8 directive priority: native: beforeSubmitPrompt, afterAgentResponse
    ! C-9 re-injection: degraded: prohibitions are said again on the tool boundary
      ask in part (C-2): where a person can't be asked in the agent, the call is denied with a ticket
      stop in part (C-4): the end of a turn can't always be refused: what is missing is put on record
      context_at_call in part (C-9): what is said with a call that goes on may not reach the agent
    --- err
    ");
    let health = scratch.run(&["cairn", "govern", "health", "--json"]).ok().json();
    assert_eq!(health["sessions"][0]["blocks"], json!({ "plan PL-001": 2 }));
    assert_eq!(
        (&health["counts"]["claims_total"], &health["counts"]["claims_unverifiable"]),
        (&json!(1), &json!(1))
    );
    let agents = health["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 1);
    assert_eq!(
        agents[0]["contracts"][6],
        json!({ "contract": "C-7", "standing": "degraded",
        "by": "the pins are said again with the next tool call" })
    );
}
