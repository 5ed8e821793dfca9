use serde_json::{Value, json};

use crate::scratch::Scratch;

fn shown(scratch: &Scratch, code: u8) -> Vec<(String, String, Value)> {
    let ran = scratch.run(&["cairn", "govern", "audit", "--since", "HEAD", "--json"]).refused(code, "points");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let points = ran.json()["points"].as_array().unwrap().clone();
    points.iter().map(|point| (text(&point["what"]), text(&point["shown"]), point["paths"].clone())).collect()
}

#[test]
fn files_are_held_against_the_receipts() {
    let scratch = Scratch::repository();
    assert_eq!(scratch.edit("a.rs")["decision"], "allow");
    let args = json!({ "path": "a.rs" });
    scratch.hook(json!({ "event": "post_tool", "tool": "edit", "args": args, "result": "" }));
    scratch.write("a.rs", "by the agent\n");
    scratch.write("b.rs", "by a person\n");
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "audit", "--since", "HEAD"]).all(), @"
    exit 0
    --- out
    ✓ receipts: proved: the chain of 2 lines is whole
    ✓ files: proved: 1 changed file with a receipt of the write
      a.rs
    ! files: not shown: 1 changed file without a receipt: a person or another program wrote there
      b.rs
    ✓ git hooks: proved: they are those of the repository
    --- err
    ");
    // What a call was denied to write is there all the same.
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    assert_eq!(scratch.edit(".governance/policy.json")["decision"], "deny");
    scratch.commit("all");
    let ran = scratch.run(&["cairn", "govern", "audit", "--since", "HEAD~1"]).refused(2, "");
    assert!(ran.out.contains("files: contradicted: 1 changed file that a call was denied"), "{}", ran.all());
    scratch.run(&["cairn", "govern", "audit", "--since", "nothing"]).refused(1, "names no commit");
}

#[test]
fn hooks_settings_and_ignored_state_are_named() {
    let scratch = Scratch::repository();
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).ok();
    let is = |points: &[(String, String, Value)], what: &str, shown: &str| {
        assert!(points.iter().any(|point| point.0 == what && point.1 == shown), "{what}: {points:?}");
    };
    let points = shown(&scratch, 0);
    is(&points, "receipts", "proved");
    is(&points, "git hooks", "proved");
    is(&points, "agent settings", "proved");
    scratch.git(&["config", "core.hooksPath", "/dev/null"]);
    scratch.write(".gitignore", ".governance/\n");
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    let points = shown(&scratch, 0);
    is(&points, "git hooks", "not_shown");
    is(&points, "state", "not_shown");
    scratch.write(".claude/settings.local.json", "{}\n");
    is(&shown(&scratch, 2), "agent settings", "contradicts");
    std::fs::remove_file(scratch.govern().join("receipts.jsonl")).unwrap();
    is(&shown(&scratch, 2), "receipts", "contradicts");
}
