//! The folder that an agent stands in decides nothing: a governed repository judges what is done to its files.

use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A repository with a locked test, beside it a linked work tree, and in it a repository of its own.
fn project() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("tests/locked_test.py", "assert True\n");
    scratch.write("docs/a.md", "a\n");
    scratch.commit("test");
    let task = scratch.task("add");
    scratch.run(&["chalk", "spec", &task, "--criterion", "adds", "--test", "tests/locked_test.py"]).ok();
    scratch.commit("locked");
    scratch.git(&["worktree", "add", "-q", "../beside"]);
    scratch.git(&["init", "-q", "vendor"]);
    scratch
}

/// What rule shuts the call; none where it passes.
fn rule(scratch: &Scratch, cwd: &std::path::Path, tool: &str, args: &Value) -> Option<String> {
    let payload = json!({ "event": "pre_tool", "tool": tool, "args": args, "cwd": cwd, "session": "s" });
    let answer = scratch.hook_of(agents::AgentId::Generic, None, &payload);
    (answer["decision"] == "deny").then(|| answer["rule"].as_str().unwrap().to_owned())
}

#[test]
fn rules_hold_wherever_the_agent_stands() {
    let scratch = project();
    let top = scratch.root();
    let beside = top.parent().unwrap().join("beside");
    let outside = scratch.home();
    let ours = [
        ("tests/locked_test.py", "chalk:locked-test"),
        (".chalk/tasks.json", "chalk:spine"),
        (".governance/policy.json", "cairn:policy"),
        (".claude/settings.json", "cairn:agent-settings"),
        (".git/hooks/pre-commit", "cairn:git"),
    ];
    for cwd in [&top, &top.join("vendor"), &beside, &outside] {
        for (name, expected) in ours {
            let path = top.join(name);
            let args = json!({ "path": path, "content": "x" });
            let found = rule(&scratch, cwd, "write", &args);
            assert!(found.is_some(), "{} from {}", path.display(), cwd.display());
            if name != ".chalk/tasks.json" {
                assert_eq!(found.as_deref(), Some(expected), "{} from {}", path.display(), cwd.display());
            }
        }
        let free = json!({ "path": top.join("docs/a.md"), "content": "x" });
        assert_eq!(rule(&scratch, cwd, "write", &free), None, "from {}", cwd.display());
        let command = format!("rm -f {}/tests/locked_*.py", top.display());
        assert!(rule(&scratch, cwd, "bash", &json!({ "command": command })).is_some(), "{}", cwd.display());
        let command = format!("rm -rf {}", top.display());
        assert!(rule(&scratch, cwd, "bash", &json!({ "command": command })).is_some(), "{}", cwd.display());
    }
    let theirs = json!({ "path": beside.join("tests/locked_test.py"), "content": "x" });
    assert_eq!(rule(&scratch, &top, "write", &theirs).as_deref(), Some("chalk:locked-test"));
    let command = json!({ "command": "git -C ../beside rm -f tests/locked_test.py" });
    assert!(rule(&scratch, &top, "bash", &command).is_some());
}

/// On a commit from before the lock the test is free, and what was done to it there came back unseen.
#[test]
fn a_test_that_was_changed_before_its_lock_is_found_when_the_lock_is_back() {
    let scratch = Scratch::chalk();
    scratch.write("tests/locked_test.py", "assert True\n");
    scratch.commit("test");
    let task = scratch.task("add");
    scratch.commit("before");
    scratch.run(&["chalk", "spec", &task, "--criterion", "adds", "--test", "tests/locked_test.py"]).ok();
    scratch.commit("locked");
    let branch = scratch.git(&["branch", "--show-current"]);
    let runs = |id: &str, command: &str, act: &dyn Fn()| {
        let call = json!({ "tool": "bash", "call": id, "args": { "command": command } });
        let event = |name: &str| {
            let mut event = call.clone();
            event["event"] = name.into();
            event
        };
        scratch.hook(event("pre_tool"));
        act();
        let mut seen = event("post_tool");
        seen["ok"] = true.into();
        scratch.hook(seen)
    };
    runs("1", "git checkout -q HEAD~1", &|| {
        scratch.git(&["checkout", "-q", "HEAD~1"]);
    });
    // There and back with nothing done is nothing.
    let back = runs("2", "git checkout -q -", &|| {
        scratch.git(&["checkout", "-q", branch.trim()]);
    });
    assert_ne!(back["decision"], "deny", "{back}");
    runs("3", "git checkout -q HEAD~1", &|| {
        scratch.git(&["checkout", "-q", "HEAD~1"]);
    });
    runs("4", "make", &|| {
        scratch.write("tests/locked_test.py", "assert 1\n");
        scratch.git(&["commit", "-qam", "weaker"]);
    });
    let back = runs("5", "git checkout -q main && git cherry-pick HEAD@{1}", &|| {
        let made = scratch.git(&["rev-parse", "HEAD"]);
        scratch.git(&["checkout", "-q", branch.trim()]);
        scratch.git(&["cherry-pick", made.trim()]);
    });
    assert_eq!(back["rule"], "chalk:locked-test", "{back}");
}

/// What an unknown tool read nobody finds afterwards: the paths among its arguments are held against the rules.
#[test]
fn a_tool_that_nothing_is_known_of_is_given_no_hidden_path() {
    let scratch = project();
    let top = scratch.root();
    scratch.write(".chalk/held-out/x.sh", "secret\n");
    for args in [
        json!({ "path": ".chalk/held-out/x.sh" }),
        json!({ "uri": format!("file://{}/.chalk/held-out/x.sh", top.display()) }),
        json!({ "files": [{ "name": "docs/a.md" }, { "name": "docs/../.chalk/held-out/x.sh" }] }),
    ] {
        assert!(rule(&scratch, &top, "mcp__files__read", &args).is_some(), "{args}");
        assert!(rule(&scratch, &top, "something_new", &args).is_some(), "{args}");
    }
    let free =
        json!({ "path": "docs/a.md", "query": "where is the held-out set?", "text": "tests/locked_test.py" });
    assert_eq!(rule(&scratch, &top, "mcp__files__read", &free), None);
}

/// What nobody governs is nobody's: a clone that an agent made is its own to take away.
#[test]
fn a_repository_that_nobody_governs_is_left_alone() {
    let scratch = project();
    let outside = scratch.home().join("clone");
    std::fs::create_dir_all(&outside).unwrap();
    scratch.git_in(&outside, &["init", "-q"]);
    let top = scratch.root();
    let command = json!({ "command": format!("rm -rf {}", outside.display()) });
    assert_eq!(rule(&scratch, &top, "bash", &command), None);
    let path = json!({ "path": outside.join("a"), "content": "x" });
    assert_eq!(rule(&scratch, &top, "write", &path), None);
    assert_eq!(rule(&scratch, &top, "bash", &json!({ "command": "touch vendor/x" })), None);
}

/// The gate was asked for an edit below the folder's own `.git/`, where there is none, and said to be dead.
#[test]
fn the_gate_lives_in_a_subfolder() {
    let scratch = project();
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).ok();
    let ran = scratch.run_in(&scratch.path("docs"), &["cairn", "hook", "status", "claude"]);
    assert!(ran.ok().out.contains("the gate lives"));
}
