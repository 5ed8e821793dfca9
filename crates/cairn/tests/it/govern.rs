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

#[test]
fn commits_past_the_hooks_are_looked_for() {
    let scratch = Scratch::repository();
    let call = |event: &str, id: &str, command: &str| {
        let args = json!({ "command": command });
        scratch.hook(json!({ "event": event, "call": id, "tool": "bash", "args": args, "exit": 0 }))
    };
    let points = |code: u8, what: &str| -> Vec<(String, String)> {
        let ran =
            scratch.run(&["cairn", "govern", "audit", "--since", "HEAD~1", "--json"]).refused(code, "points");
        let all = ran.json()["points"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let those = all.iter().filter(|point| point["what"] == what);
        those.map(|point| (text(&point["shown"]), text(&point["fact"]))).collect()
    };
    let past = "git commit --no-verify -m x";
    assert_eq!(call("pre_tool", "c1", past)["rule"], "git-hooks");
    scratch.commit("second");
    assert_eq!(
        points(0, "hook bypass"),
        [("proved".into(), "1 call that would go past git's hooks got a denial".into())]
    );
    // Without a hook there is nothing to go past.
    assert_eq!(points(0, "hooks of commits"), []);
    scratch.write(".git/hooks/pre-commit", "#!/bin/sh\n");
    assert_eq!(points(0, "hooks of commits"), []);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let rights = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(scratch.path(".git/hooks/pre-commit"), rights).unwrap();
        let found = points(0, "hooks of commits");
        assert_eq!(found[0].0, "not_shown");
        assert!(found[0].1.starts_with("whether `pre-commit` ran at 1 commit is not known"), "{found:?}");
        assert!(found[0].1.ends_with("0 calls on record ran `git commit`"), "{found:?}");
    }
    // The person lets the call pass once.
    let id = scratch.run(&["cairn", "approve", "--json"]).ok().json()["tickets"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    scratch.person(&id, &["cairn", "approve", &id]).ok();
    assert_eq!(call("pre_tool", "c2", past)["decision"], "allow");
    call("post_tool", "c2", past);
    let found = points(0, "hook bypass");
    assert_eq!(found[0].0, "not_shown");
    assert!(
        found[0].1.starts_with("1 call went past git's hooks because a person let it: line "),
        "{found:?}"
    );
    // A result of a call that nobody judged.
    call("post_tool", "c3", "cd sub && git commit -n -m y");
    let found = points(2, "hook bypass");
    assert_eq!(found[0].0, "contradicts");
    assert!(found[0].1.starts_with("1 call went past git's hooks, and no person let it: line "), "{found:?}");
}
