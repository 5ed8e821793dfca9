use std::fs;

use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_spine_is_made_with_the_published_files() {
    let scratch = Scratch::repository();
    let ran = scratch.run(&[
        "chalk",
        "init",
        "--name",
        "shelf",
        "--goal",
        "a small\nlibrary",
        "--bare",
        "--no-agents",
    ]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    ✓ made `.chalk/` for shelf
      .chalk/.gitignore
      .chalk/held-out/README.md
      .chalk/spec.md
      .chalk/decisions.md
      .chalk/updates.jsonl
      .chalk/questions.json
      .chalk/tasks.json
      .chalk/chalk.json
      next: chalk task add "<title>"
    --- err
    "#);
    let config = scratch.json(".chalk/chalk.json");
    assert_eq!(config["version"], "1.0");
    assert!(config.get("writerVersion").is_none(), "a stamp would lock users of other programs out");
    assert_eq!(config["project"], json!({ "name": "shelf", "description": "a small library" }));
    let keys: Vec<&String> = config.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["version", "project", "protocol", "createdAt", "updatedAt"]);
    let protocol: Vec<&str> = config["protocol"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        protocol,
        [
            "version",
            "phase",
            "status",
            "runner",
            "verify",
            "review",
            "regression",
            "planner",
            "plan",
            "director",
            "executor",
            "requireTest",
            "contextBudget",
            "integrity",
            "tamperEvident",
            "breakTest",
            "mutation",
            "handoff",
            "prbody",
            "github",
            "worktree",
            "e2e",
            "retro",
            "feedback",
            "discovery",
            "portal",
            "telemetry"
        ]
    );
    assert_eq!(scratch.read(".chalk/tasks.json"), "[]\n");
    assert_eq!(scratch.read(".chalk/decisions.md"), "# Decisions (ADR-lite)\n");
    scratch.run(&["chalk", "next"]).ok();
}

#[test]
fn what_must_not_be_committed_is_ignored() {
    let scratch = Scratch::chalk();
    for name in ["held-out/secret.test.mjs", ".lock", "tasks.json.7.tmp", "local/cost.jsonl"] {
        scratch.write(&format!(".chalk/{name}"), "x");
    }
    scratch.git(&["add", "-A"]);
    assert_eq!(scratch.git(&["status", "--porcelain"]), "");
    assert!(scratch.git(&["ls-files", ".chalk/held-out"]).contains("README.md"));
}

#[test]
fn it_refuses_to_run_twice_and_changes_nothing() {
    let scratch = Scratch::chalk();
    let before = scratch.spine();
    scratch.run(&["chalk", "init"]).refused(1, "spine-exists");
    scratch.run(&["cairn", "init", "--json"]).refused(1, "spine-exists");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn files_that_people_wrote_before_are_kept() {
    let scratch = Scratch::empty();
    scratch.write(".chalk/spec.md", "ours\n");
    scratch.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    assert_eq!(scratch.read(".chalk/spec.md"), "ours\n");
}

#[test]
fn the_strict_set_up_is_that_of_cairn_alone() {
    let scratch = Scratch::empty();
    scratch.run(&["cairn", "init", "--bare", "--no-agents"]).ok();
    let protocol = scratch.json(".chalk/chalk.json")["protocol"].clone();
    assert_eq!(protocol["doneLevers"], "refuse");
    assert_eq!(protocol["lockDeciders"], "refuse");
    for called in [&["chalk", "init"][..], &["cairn", "chalk", "init"]] {
        let scratch = Scratch::empty();
        scratch.run(&[called, &["--bare", "--no-agents"]].concat()).ok();
        assert!(scratch.json(".chalk/chalk.json")["protocol"].get("doneLevers").is_none());
    }
}

#[test]
fn an_empty_folder_has_no_test_command_and_is_told_so() {
    let scratch = Scratch::empty();
    let ran = scratch.run(&["chalk", "init", "--no-agents"]).ok();
    assert!(ran.err.contains("VACUOUS"), "{}", ran.all());
    assert_eq!(scratch.json(".chalk/chalk.json")["protocol"]["verify"]["test"], "");
}

#[test]
fn the_toolchain_is_recognised() {
    let scratch = Scratch::empty();
    scratch.write("Cargo.toml", "");
    scratch.write("package.json", "{}");
    let ran = scratch.run(&["chalk", "init", "--no-agents"]).ok();
    assert!(ran.out.contains("toolchain: node") && ran.out.contains("also found: rust"), "{}", ran.all());
    let scratch = Scratch::empty();
    scratch
        .run(&["chalk", "init", "--preset", "rust", "--no-agents", "--verify-test", "cargo nextest run"])
        .ok();
    let verify = scratch.json(".chalk/chalk.json")["protocol"]["verify"].clone();
    assert_eq!(verify["test"], "cargo nextest run");
    assert_eq!(verify["build"]["when"], "phase");
    scratch.run(&["chalk", "init", "--preset", "cobol"]).refused(1, "exists");
    let scratch = Scratch::empty();
    scratch.run(&["chalk", "init", "--preset", "cobol"]).refused(1, "no preset is called `cobol`");
    assert!(!scratch.path(".chalk/chalk.json").exists());
}

#[test]
fn an_executor_brings_its_reviewer_and_cadence() {
    let scratch = Scratch::empty();
    scratch.run(&["chalk", "init", "--bare", "--no-agents", "--executor", "claude", "--telemetry"]).ok();
    let protocol = scratch.json(".chalk/chalk.json")["protocol"].clone();
    assert_eq!(protocol["executor"]["command"], "claude -p");
    assert_eq!(protocol["review"], json!({ "command": "claude -p", "requiredAt": ["per-task"] }));
    assert_eq!(protocol["telemetry"]["enabled"], false, "nothing is ever sent");
}

#[test]
fn a_linked_work_tree_uses_the_main_spine_and_gets_none_of_its_own() {
    let scratch = Scratch::chalk();
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    let linked = scratch.root().parent().unwrap().join("linked");
    scratch.run_in(&linked, &["chalk", "init"]).refused(1, "main checkout");
}

#[test]
#[cfg(unix)]
fn nothing_is_written_through_a_link() {
    let scratch = Scratch::empty();
    let outside = scratch.home().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, scratch.path(".chalk")).unwrap();
    scratch.run(&["chalk", "init", "--bare"]).refused(1, "symbolic link");
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}
