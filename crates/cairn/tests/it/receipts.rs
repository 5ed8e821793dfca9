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

#[test]
fn an_exported_log_is_checked_without_the_repository() {
    let scratch = session();
    let export = scratch.run(&["cairn", "receipts", "export"]).ok();
    let elsewhere = Scratch::empty();
    let verify = ["cairn", "receipts", "verify", "--from", "log.json"];
    elsewhere.run(&verify).refused(1, "there is no file `log.json`");
    elsewhere.write("log.json", &export.out);
    let whole = elsewhere.run(&verify).ok();
    assert!(whole.out.starts_with("✓ the chain of receipts is whole: 5 lines"), "{}", whole.all());
    assert!(whole.out.contains("compare their fingerprints"), "{}", whole.all());
    assert_eq!(elsewhere.run(&[&verify[..], &["--json"]].concat()).ok().json()["sound"], true);
    // The first line that is not as it was written is named.
    let tampered = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut log = export.json();
        change(&mut log);
        elsewhere.write("log.json", log.to_string());
    };
    tampered(&|log| log["receipts"][2]["decision"] = "allow".into());
    let ran = elsewhere.run(&verify).refused(2, "");
    assert!(ran.out.starts_with("✗ the chain of receipts is broken at line 3 (receipt 3)"), "{}", ran.all());
    assert!(!ran.out.contains("puts this log aside"), "{}", ran.all());
    tampered(&|log| {
        log["receipts"].as_array_mut().unwrap().remove(1);
    });
    elsewhere.run(&verify).refused(2, "at line 2 ");
    tampered(&|log| {
        log["receipts"].as_array_mut().unwrap().pop();
    });
    elsewhere.run(&verify).refused(2, "cut off");
    // A key under another's name, a key that is none, and what is no log.
    tampered(&|log| {
        let key = log["keys"].as_object().unwrap().values().next().unwrap().clone();
        log["keys"] = json!({ "SHA256:another": key });
    });
    elsewhere.run(&verify).refused(1, "has the fingerprint");
    tampered(&|log| log["keys"] = json!({ "SHA256:none": "none" }));
    elsewhere.run(&verify).refused(1, "the key `SHA256:none`");
    elsewhere.write("log.json", "{\n  \"lines\": x }");
    elsewhere.run(&verify).refused(1, "log.json:2:");
}

/// A line of a later version was called changed.
#[test]
fn a_line_of_a_later_version_is_not_called_broken() {
    let scratch = session();
    let log = scratch.govern().join("receipts.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let later = text.lines().last().unwrap().replace("\"v\":1", "\"v\":2");
    fs::write(&log, format!("{text}{later}\n")).unwrap();
    let verify = ["cairn", "receipts", "verify"];
    let ran = scratch.run(&verify).refused(1, "");
    insta::assert_snapshot!(
        ran.out.lines().next().unwrap(),
        @"! the chain of receipts can't be judged from line 6 (receipt 6): a later cairn wrote it, or it was made to look so"
    );
    assert!(ran.out.contains("install that version"), "{}", ran.all());
    let document = scratch.run(&[&verify[..], &["--json"]].concat()).refused(1, "").json();
    assert_eq!((&document["fault"]["why"], &document["lines"]), (&"newer".into(), &5.into()));
    let audit = scratch.run(&["cairn", "govern", "audit", "--json"]).json();
    let chain = audit["points"].as_array().unwrap().iter().find(|point| point["what"] == "receipts").unwrap();
    assert_eq!(chain["shown"], "not_shown");
    assert!(chain["fact"].as_str().unwrap().starts_with("the chain can't be judged from line 6"), "{chain}");
}

/// The end of the log was cut off behind the last checkpoint, and the head file rewritten: nothing told.
#[test]
fn a_head_file_that_was_rewritten_is_found() {
    let scratch = session();
    scratch.edit("after.rs");
    let log = scratch.govern().join("receipts.jsonl");
    let text = fs::read_to_string(&log).unwrap();
    let short: Vec<&str> = text.lines().take(5).collect();
    let hash = canon::Sha256::of(short[4]);
    fs::write(&log, short.join("\n") + "\n").unwrap();
    fs::write(scratch.govern().join("receipts.jsonl.head"), format!("5 {hash}\n")).unwrap();
    let ran = scratch.run(&["cairn", "receipts", "verify"]).refused(2, "");
    insta::assert_snapshot!(
        ran.out.lines().next().unwrap(),
        @"✗ the chain of receipts is broken at line 5 (receipt 5): the head file is not signed with the key of the line that it names"
    );
    let audit = scratch.run(&["cairn", "govern", "audit", "--json"]).json();
    assert!(audit.to_string().contains("the head file is not signed"), "{audit}");
}
