//! Kinds whose records say more: work items, answers and sessions.

use super::*;

const WORK: &str = r#"export const recordKind = {
  name: "work", location: { dir: ".", match: "^W-.+\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:work:1", path: "work.schema.json" }, idField: "id", stateField: "state",
  states: ["proposed", "open", "done", "dropped"], closedStates: ["done", "dropped"],
  pins: { field: "evidence" }, supersedes: { field: "supersedes" },
  work: { needs: "needs", implements: "implements", decisions: "../notes/note.kind.mjs", open: "open", done: "done",
          closedOn: "closed_on", acceptance: { field: "acceptance", implementer: "owner" },
          tier: { field: "tier", tiers: ["small", "large"] }, answers: "../answers/answer.kind.mjs",
          contract: { field: "contract", kind: "../notes/note.kind.mjs" } },
};"#;

const ANSWER: &str = r#"export const recordKind = {
  name: "answer", location: { dir: ".", match: "\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:answer:1", path: "answer.schema.json" }, idField: "id", stateField: "state",
  states: ["escalated", "answered"], closedStates: ["answered"], answers: { points: "points.json" },
};"#;

const SESSION: &str = r#"export const recordKind = {
  name: "session", location: { dir: ".", match: "^S-.+\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:session:1", path: "session.schema.json" }, idField: "id", stateField: "state",
  states: ["open", "closed"], closedStates: ["closed"],
  session: { verdicts: "verdicts", seal: "closed_digest", subjects: { kind: "../notes/note.kind.mjs" },
             openedRev: "opened_rev", closedRev: "closed_rev", closedOn: "closed" },
};"#;

fn workspace() -> Scratch {
    let scratch = Scratch::notes();
    for (folder, name, kind) in
        [("work", "work", WORK), ("answers", "answer", ANSWER), ("sessions", "session", SESSION)]
    {
        scratch.write(&format!("{folder}/{name}.kind.mjs"), kind);
        let schema = json!({ "$id": format!("urn:test:{name}:1") });
        scratch.write(&format!("{folder}/{name}.schema.json"), schema.to_string());
    }
    scratch
}

fn item(scratch: &Scratch, id: &str, state: &str, more: &str) {
    scratch.write(&format!("work/W-{id}.md"), format!("---\nid: W-{id}\nstate: {state}\n{more}\n---\n"));
}

/// The records of a kind, by their ids.
fn read(scratch: &Scratch, kind: &str) -> serde_json::Map<String, Value> {
    let found = document(scratch, &Query { kind: Some(kind), ..Query::default() });
    let records = found["records"].as_array().unwrap().iter();
    records.map(|record| (record["id"].as_str().unwrap().to_owned(), record.clone())).collect()
}

fn codes_of(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

#[test]
fn a_work_item_waits_for_what_it_needs() {
    let scratch = workspace();
    item(&scratch, "1", "open", "needs: []");
    item(&scratch, "2", "open", "needs: [W-1, W-404]");
    item(&scratch, "3", "open", "needs: [W-4]");
    item(&scratch, "4", "open", "needs: [W-5, W-3]");
    item(&scratch, "5", "open", "needs: [W-3]");
    item(&scratch, "6", "open", "needs: [W-6]");
    item(&scratch, "7", "open", "needs: [W-8]");
    item(&scratch, "8", "done", "evidence: [{}]\nclosed_on: 2030-01-01");
    let found = read(&scratch, "work/work.kind.mjs");
    let warnings = |id: &str| codes_of(&found[id]["warnings"]);
    assert_eq!(warnings("W-1"), [""; 0]);
    assert_eq!(warnings("W-2"), ["work-needs-unknown"]);
    for id in ["W-3", "W-4", "W-5", "W-6"] {
        assert_eq!(warnings(id), ["work-needs-cycle"], "{id}");
    }
    let ready: Vec<&String> =
        found.iter().filter(|(_, item)| item["ready"] == true).map(|(id, _)| id).collect();
    assert_eq!(ready, ["W-1", "W-7"]);
    assert_eq!(
        found["W-2"]["blockedBy"],
        json!([{ "id": "W-1", "state": "open" }, { "id": "W-404", "state": null }])
    );
}

#[test]
fn a_work_item_is_warned_of_what_it_lacks() {
    let scratch = workspace();
    scratch.note("n-001", "decided", "");
    scratch.note("n-002", "proposed", "");
    scratch.write("answers/points.json", "{}");
    scratch.write(
        "answers/a.md",
        "---\nid: a\nstate: answered\npoint: p\nanswer: true\nanswered_by: [ann]\nconstrains: [W-1, W-1]\n---\n",
    );
    let criteria = "acceptance:\n  - { id: a, verification: unit }\n  - { id: b, verification: manual }\n";
    item(&scratch, "1", "done", &format!("owner: Ann\n{criteria}evidence: []"));
    let evidence = |by: &str| {
        format!(
            "closed_on: 2030-01-01\nowner: Ann\n{criteria}evidence:\n  - {{ criterion: a, result: pass, verification: unit }}\n  \
             - {{ criterion: b, result: pass, verification: manual, by: \"{by}\" }}"
        )
    };
    item(&scratch, "2", "done", &evidence(" ann"));
    item(&scratch, "3", "done", &evidence("bob"));
    item(&scratch, "4", "open", "implements: [n-001, n-002, n-404]\ncontract: n-404\ntier: huge");
    item(&scratch, "5", "open", "implements: [n-001]\ncontract: n-002\ntier: small");
    item(&scratch, "6", "dropped", "evidence: []\nsupersedes: []");
    let found = read(&scratch, "work/work.kind.mjs");
    let warnings = |id: &str| codes_of(&found[id]["warnings"]);
    assert_eq!(warnings("W-1"), ["work-done-unpinned", "work-acceptance-unmet", "work-closed-without-date"]);
    assert_eq!(warnings("W-2"), ["work-acceptance-self-verified", "work-acceptance-unmet"]);
    assert_eq!(warnings("W-3"), [""; 0]);
    assert_eq!(
        warnings("W-4"),
        [
            "work-implements-unknown",
            "work-implements-undecided",
            "work-contract-unknown",
            "work-tier-unknown"
        ]
    );
    assert_eq!(warnings("W-5"), ["work-contract-undecided"]);
    assert_eq!(warnings("W-6"), ["work-closed-without-date"]);
    assert!(found.values().all(|item| item["valid"] == true));
    assert_eq!(found["W-2"]["acceptance"]["met"], 1);
    assert_eq!(found["W-5"]["contract"], json!({ "id": "n-002", "state": "proposed" }));
    assert_eq!(
        found["W-1"]["answers"],
        json!([{ "id": "a", "point": "p", "state": "answered", "answer": true, "answeredBy": ["ann"] }])
    );
    let listed = document(&scratch, &Query { kind: Some("work/work.kind.mjs"), ..Query::default() });
    assert_eq!(
        listed["decisions"][0]["implementedBy"],
        json!([{ "id": "W-4", "state": "open" }, { "id": "W-5", "state": "open" }])
    );
}

#[test]
fn an_answer_is_to_the_question_that_was_asked() {
    let scratch = workspace();
    let question = json!({ "type": "noul", "instructions": "i", "criteria": { "true": "t", "false": "f" } });
    let point = json!({
        "title": "t", "question": question, "inputs": { "ask.text": "x" },
        "deciders": [{ "kind": "quorum", "count": 1 }],
    });
    scratch.write("answers/points.json", json!({ "points": { "p": point } }).to_string());
    // The version by its definition: the hash of the declaration in the form of RFC 8785, written by hand.
    let version = Sha256::of(
        r#"{"deciders":[{"count":1,"kind":"quorum"}],"inputs":{"ask.text":"x"},"question":{"criteria":{"false":"f","true":"t"},"instructions":"i","type":"noul"},"title":"t"}"#,
    );
    for (id, point, version) in
        [("same", "p", version), ("other", "p", Sha256::of("older")), ("unknown", "q", version)]
    {
        let text = format!("---\nid: {id}\nstate: answered\npoint: {point}\npoint_version: {version}\n---\n");
        scratch.write(&format!("answers/{id}.md"), text);
    }
    let warnings = || {
        let found = read(&scratch, "answers/answer.kind.mjs");
        ["same", "other", "unknown"].map(|id| codes_of(&found[id]["warnings"]).join(" "))
    };
    assert_eq!(warnings(), ["", "answer-point-changed", "answer-point-unknown"]);
    scratch.write("answers/points.json", r#"{ "points": { "p": {} } }"#);
    assert_eq!(warnings(), ["answer-points-unreadable"; 3]);
}

#[test]
fn a_session_stays_as_it_was_closed_and_judges_what_is_there() {
    let scratch = workspace();
    scratch.note("n-001", "proposed", "reviews: [{ reviewer: ann, verdict: agree, session: S-1 }]");
    let text = "---\nid: S-1\nstate: open\nverdicts: [{ record: n-001 }, { record: n-404 }]\n---\n";
    scratch.write("sessions/S-1.md", text);
    let sealed = r#"{"body":"","core":{"id":"S-2","state":"closed","verdicts":[]}}"#;
    let closed = format!(
        "---\nid: S-2\nstate: closed\nverdicts: []\nclosed_digest: sha256:{}\n---\n",
        Sha256::of(sealed)
    );
    scratch.write("sessions/S-2.md", &closed);
    scratch.write("sessions/S-3.md", closed.replace("S-2", "S-3"));
    scratch.commit("sessions");
    let found = read(&scratch, "sessions/session.kind.mjs");
    assert_eq!(codes_of(&found["S-1"]["reasons"]), ["session-verdict-unknown-record"]);
    assert_eq!(codes_of(&found["S-2"]["reasons"]), [""; 0]);
    assert_eq!(codes_of(&found["S-3"]["reasons"]), ["session-seal-mismatch"]);
    assert_eq!(found["S-1"]["citedBy"][0]["reviewer"], "ann");

    scratch.write(
        "chant.workspace.json",
        json!({ "name": "w", "schema": 1, "members": [], "records": [{ "kind": KIND }, { "kind": "sessions/session.kind.mjs" }] })
            .to_string(),
    );
    let open = since(&scratch, "S-1", None);
    assert_eq!(codes_of(&open["session"]["reasons"]), ["since-session-open"]);
    let closed = since(&scratch, "S-2", None);
    assert_eq!(codes_of(&closed["session"]["reasons"]), [""; 0]);
}
