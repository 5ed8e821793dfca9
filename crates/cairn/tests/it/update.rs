use crate::scratch::Scratch;

#[test]
fn an_event_is_one_line() {
    let scratch = Scratch::chalk();
    let ran =
        scratch.run(&["chalk", "update", "half\nway", "--desc", "two\nlines", "--type", "milestone-hit"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ milestone-hit: half way
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".chalk/updates.jsonl"), @r#"{"id":"evt-a6ead519","at":"2026-12-01T00:00:02.000Z","type":"milestone-hit","title":"half way","description":"two\nlines","phase":"discovery","actorRole":"agent"}"#);
}

#[test]
fn an_unknown_kind_is_refused_with_the_known_ones() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "update", "x", "--type", "note"]).refused(1, "note");
    assert!(ran.err.contains("lesson-learned"), "{}", ran.err);
    scratch.run(&["chalk", "update"]).refused(1, "usage");
    assert_eq!(scratch.spine(), before);
    assert_eq!(scratch.run(&["chalk", "update", "x", "--json"]).ok().json()["type"], "progress-update");
}

#[test]
fn a_last_line_without_its_end_is_not_continued() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/updates.jsonl", "{\"id\":\"evt-1\",\"title\":\"torn\"}");
    scratch.run(&["chalk", "update", "next"]).ok();
    let log = scratch.read(".chalk/updates.jsonl");
    assert_eq!(log.lines().count(), 2);
    assert!(log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{log}");
}

#[test]
fn a_checkout_with_crlf_stays_one() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/decisions.md", "# Decisions (ADR-lite)\r\n");
    scratch.write(".chalk/updates.jsonl", "{\"id\":\"evt-1\",\"title\":\"a\"}\r\n");
    scratch.run(&["chalk", "decision", "x", "--why", "y"]).ok();
    for name in [".chalk/decisions.md", ".chalk/updates.jsonl"] {
        let text = scratch.read(name);
        assert_eq!(text.matches('\n').count(), text.matches("\r\n").count(), "{text:?}");
    }
    assert_eq!(scratch.run(&["chalk", "log", "--json"]).ok().json().as_array().unwrap().len(), 2);
}
