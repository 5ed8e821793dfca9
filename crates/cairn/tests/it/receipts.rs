use std::fs;

use serde_json::json;

use crate::scratch::Scratch;

fn session() -> Scratch {
    let scratch = Scratch::repository();
    let read = |event: &str| {
        let args = json!({ "path": "README" });
        json!({ "event": event, "call": "c1", "tool": "read", "args": args, "result": "a project" })
    };
    scratch.hook(read("pre_tool"));
    scratch.hook(read("post_tool"));
    assert_eq!(scratch.edit(".git/config")["decision"], "deny");
    scratch.hook(json!({ "event": "stop", "text": "done" }));
    scratch
}

#[test]
fn calls_are_listed_shown_and_exported() {
    let scratch = session();
    insta::assert_snapshot!(scratch.run(&["cairn", "receipts", "list"]).all(), @"
    exit 0
    --- out
    NO  AT                        AGENT    WHAT        DECISION  OUTCOME
    1   2026-12-01T00:00:01.000Z  generic  read        allow     unknown
    3   2026-12-01T00:00:03.000Z  generic  edit        deny      not_executed cairn:git
    4   2026-12-01T00:00:04.000Z  generic  evidence
    5   2026-12-01T00:00:04.000Z  generic  checkpoint
    4 of 5 lines
    --- err
    ");
    let denied = scratch.run(&["cairn", "receipts", "list", "--decision", "deny", "--json"]).ok().json();
    assert_eq!(denied["receipts"].as_array().unwrap().len(), 1);
    let shown = scratch.run(&["cairn", "receipts", "show", "1", "--json"]).ok().json();
    assert_eq!(shown["lines"].as_array().unwrap().len(), 2);
    assert_eq!(scratch.run(&["cairn", "receipts", "show", "c1", "--json"]).ok().json(), shown);
    scratch.run(&["cairn", "receipts", "show", "99"]).refused(1, "no-receipt");
    let export = scratch.run(&["cairn", "receipts", "export"]).ok().json();
    assert_eq!(export["lines"], export["receipts"].as_array().unwrap().len());
    assert_eq!(export["keys"].as_object().unwrap().len(), 1);
}

#[test]
fn the_first_line_that_was_changed_is_named() {
    let scratch = session();
    let whole = scratch.run(&["cairn", "receipts", "verify"]).ok();
    assert!(whole.out.starts_with("✓ the chain of receipts is whole: "), "{}", whole.all());
    let log = scratch.govern().join("receipts.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"deny\"", "\"allow\"", 1)).unwrap();
    let ran = scratch.run(&["cairn", "receipts", "verify"]).refused(2, "");
    assert!(
        ran.out.starts_with("✗ the chain of receipts is broken at line 3 (receipt 3): a byte of it"),
        "{}",
        ran.all()
    );
    let document = scratch.run(&["cairn", "receipts", "verify", "--json"]).refused(2, "").json();
    assert_eq!(document["fault"]["line"], 3);
    let cut: String = text.split_inclusive('\n').take(2).collect();
    fs::write(&log, cut).unwrap();
    scratch.run(&["cairn", "receipts", "verify"]).refused(2, "cut off");
}

#[test]
fn a_repository_without_receipts_has_a_whole_chain_of_none() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(scratch.run(&["cairn", "receipts", "verify"]).all(), @"
    exit 0
    --- out
    ✓ the chain of receipts is whole: 0 lines, head 000000000000
      0 checkpoints, 0 lines since the last
    --- err
    ");
    assert!(!scratch.govern().exists(), "looking makes nothing");
}
