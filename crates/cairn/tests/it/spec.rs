use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn criteria_and_tests_are_attached_locked_and_logged() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("node --test"));
    scratch.write("test/add.test.js", "import '../src/add.js';\n");
    let id = scratch.task("Add");
    let ran = scratch.run(&[
        "chalk",
        "spec",
        &id,
        "--criterion",
        "add(1, 2) is 3",
        "--criterion=--negative works",
        "--test",
        "test/add.test.js",
        "--held-out",
        ".chalk/held-out/add.test.js",
    ]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-af9e308  Add  (specd)
      criterion added: add(1, 2) is 3
      criterion added: --negative works
      test locked: test/add.test.js  sha256 f76190b4d204, with 1 thing that decides it
      held-out test attached: .chalk/held-out/add.test.js
      next: chalk start task-af9e3081
    --- err
    ");
    let task = &scratch.json(".chalk/tasks.json")[0];
    assert_eq!(task["state"], "specd");
    assert_eq!(
        task["acceptanceCriteria"],
        json!([{ "text": "add(1, 2) is 3" }, { "text": "--negative works" }])
    );
    let sha256 = canon::Sha256::of("import '../src/add.js';\n").to_string();
    assert_eq!(task["tests"], json!([{ "path": "test/add.test.js", "sha256": sha256 }]));
    assert_eq!(task["heldOut"], json!([".chalk/held-out/add.test.js"]));
    let whats: Vec<&str> =
        task["cairn"]["deciders"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(whats, ["verify.test"]);
    let log = scratch.read(".chalk/updates.jsonl");
    for title in [
        "Criterion added: add(1, 2) is 3",
        "Criterion added: --negative works",
        "Test locked: test/add.test.js",
    ] {
        assert!(log.contains(title), "{title}: {log}");
    }
    scratch.run(&["chalk", "spec", &id, "--criterion", "more", "--json"]).ok();
}

#[test]
fn what_is_there_already_is_said_and_not_repeated() {
    let scratch = Scratch::chalk();
    scratch.write("t.test.js", "a\n");
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--criterion", "it  adds", "--test", "t.test.js"]).ok();
    let before = scratch.spine();
    let ran = scratch.run(&[
        "chalk",
        "spec",
        &id,
        "--criterion",
        " it adds ",
        "--test",
        "./t.test.js",
        "--test",
        "t.test.js",
    ]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-a6ead51  Add  (specd)
      criterion there already: it adds
      already locked: t.test.js  sha256 87428fc52280
      next: chalk start task-a6ead519
    --- err
    ");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_locked_path_with_another_content_keeps_its_lock() {
    let scratch = Scratch::chalk();
    scratch.write("t.test.js", "a\n");
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--test", "t.test.js"]).ok();
    scratch.write("t.test.js", "b\n");
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "spec", &id, "--criterion", "x", "--test", "t.test.js"]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ `t.test.js` is locked with another content (test-locked)
      locked: 87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7
      found:  0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f
      hint: the lock stays as it was; a changed test needs a reason
      next: chalk amend-spec task-a6ead519 --test t.test.js --why "..."
    "#);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn refusals_change_nothing() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add");
    scratch.write("folder/x", "");
    let before = scratch.spine();
    scratch.run(&["chalk", "spec", &id]).refused(1, "nothing to attach");
    scratch.run(&["chalk", "spec", &id, "--criterion", " \t"]).refused(1, "empty");
    scratch.run(&["chalk", "spec", &id, "--criterion"]).refused(1, "--criterion");
    scratch
        .run(&["chalk", "spec", &id, "--criterion", "x", "--test", "folder"])
        .refused(1, "`folder` is a folder");
    scratch.run(&["chalk", "spec", &id, "--criterion", "x", "--test", "none.js"]).refused(1, "doesn't exist");
    scratch.run(&["chalk", "spec", "zzz", "--criterion", "x"]).refused(1, "no task has the id");
    scratch.run(&["chalk", "spec", &id, "--test", "none.js", "--json"]).refused(1, "test-unreadable");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_done_task_is_not_respecified() {
    let scratch = Scratch::chalk();
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Old", "state": "done" }]));
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--criterion", "x"]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ task-aaaaaaa is done (wrong-state)
      hint: what is asked of a done task doesn't change; a changed test of it is for `chalk amend-spec task-aaaaaaaa --test <path> --why "..."`
      next: chalk task add "..."
    "#);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_lock_that_another_program_took_gets_its_deciders() {
    let scratch = Scratch::chalk();
    scratch.write("t.test.js", "a\n");
    let lock = json!({ "path": "t.test.js", "sha256": canon::Sha256::of("a\n") });
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Old", "state": "specd", "tests": [lock] }]));
    scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--test", "t.test.js"]).ok();
    let own = &scratch.json(".chalk/tasks.json")[0]["cairn"];
    assert_eq!(own["deciders"][0]["what"], "verify.test");
}

#[test]
fn a_file_that_only_this_checkout_has_is_named() {
    let scratch = Scratch::chalk();
    scratch.write(".gitignore", "*.local.js\n");
    scratch.write("t.local.js", "a\n");
    let id = scratch.task("Add");
    let ran = scratch.run(&["chalk", "spec", &id, "--test", "t.local.js"]).ok();
    insta::assert_snapshot!(ran.err, @"warning: git ignores `t.local.js`, so nobody else gets it, and `done` will refuse");
}

#[test]
fn a_held_out_test_is_never_a_tasks_own() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/held-out/h.test.js", "a\n");
    std::fs::create_dir(scratch.home().join("kept")).unwrap();
    std::fs::write(scratch.home().join("kept/k.test.js"), "a\n").unwrap();
    let id = scratch.task("Add");
    let before = scratch.spine();
    let held_out = ["--test", ".chalk/held-out/h.test.js"];
    insta::assert_snapshot!(scratch.run(&[&["chalk", "spec", &id], &held_out[..]].concat()).all(), @"
    exit 1
    --- out
    --- err
    ✗ `.chalk/held-out/h.test.js` is of the held-out set, which a task must not show (test-unreadable)
      hint: `spec --held-out <path>` says which task it belongs to, and shows nothing
    ");
    scratch
        .run(&[&["chalk", "amend-spec", &id, "--why", "x"], &held_out[..]].concat())
        .refused(1, "test-unreadable");
    assert_eq!(scratch.spine(), before);
    // Wherever it lies.
    scratch.configure("/protocol/regression/dir", json!("~/kept"));
    scratch.run(&["chalk", "spec", &id, "--test", "../home/kept/k.test.js"]).refused(1, "held-out set");
}

#[test]
fn a_path_is_the_same_in_every_checkout() {
    let scratch = Scratch::chalk();
    scratch.write("test/Größe ü\n-x.js", "a\n");
    scratch.commit("test");
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    let linked = std::fs::canonicalize(scratch.root().join("../linked")).unwrap();
    let id = scratch.task("Add");
    scratch.run_in(&linked.join("test"), &["chalk", "spec", &id, "--test", "Größe ü\n-x.js"]).ok();
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["tests"][0]["path"], "test/Größe ü\n-x.js");
    scratch.run(&["chalk", "spec", &id, "--test", "test/Größe ü\n-x.js"]).ok();
}

#[test]
fn a_blocked_task_remembers_that_it_has_criteria_now() {
    let scratch = Scratch::chalk();
    scratch.plant(
        &json!([{ "id": "task-aaaaaaaa", "title": "Old", "state": "blocked", "blockedFrom": "todo" }]),
    );
    scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--criterion", "x"]).ok();
    let task = &scratch.json(".chalk/tasks.json")[0];
    assert_eq!((task["state"].as_str(), task["blockedFrom"].as_str()), (Some("blocked"), Some("specd")));
}

#[test]
fn a_test_outside_the_project_is_locked_with_a_warning() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Add");
    std::fs::write(scratch.root().with_file_name("outside.sh"), "true\n").unwrap();
    let ran = scratch.run(&["chalk", "spec", &id, "--test", "../outside.sh"]);
    assert_eq!(ran.code, 0, "{}", ran.all());
    assert!(
        ran.all().contains("`../outside.sh` lies outside the project, so nobody else has it"),
        "{}",
        ran.all()
    );
    scratch.write("inside.sh", "true\n");
    let ran = scratch.run(&["chalk", "spec", &id, "--test", "inside.sh"]);
    assert!(!ran.all().contains("outside the project"), "{}", ran.all());
}

/// Another task could lock the weakened test of a done one, and nothing spoke of it again.
#[test]
fn the_test_of_a_done_task_is_locked_anew_with_a_reason_alone() {
    let scratch = Scratch::chalk();
    scratch.write("t.test.js", "weak\n");
    let lock = json!({ "path": "t.test.js", "sha256": canon::Sha256::of("strong\n") });
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "Old", "state": "done", "tests": [lock] },
        { "id": "task-bbbbbbbb", "title": "New", "state": "todo" },
        { "id": "task-cccccccc", "title": "Newer", "state": "todo" },
    ]));
    let before = scratch.spine();
    insta::assert_snapshot!(scratch.run(&["chalk", "spec", "task-b", "--test", "t.test.js"]).all(), @r#"
    exit 1
    --- out
    --- err
    ✗ `t.test.js` is not what the done task `task-aaaaaaaa` locked (test-locked)
      locked: 82a5c1ff1111e7bf58e29752d375bdb5111c8d08a1be61cc1011f1289ac8455b
      found:  12e7a218dba75ebfcf6e29648430774504c5e075634b4b1215855dc65522c853
      hint: put it back, or lock it as it is now with a reason, which is logged
      next: chalk amend-spec task-bbbbbbbb --test t.test.js --why "..."
    "#);
    assert_eq!(scratch.spine(), before);
    scratch
        .run(&["chalk", "amend-spec", "task-b", "--test", "t.test.js", "--why", "the format changed"])
        .ok();
    assert!(scratch.read(".chalk/decisions.md").contains("the format changed"));
    // What one task locked with a reason, the next one may lock without.
    scratch.run(&["chalk", "spec", "task-c", "--test", "t.test.js"]).ok();
}

#[test]
fn a_script_that_can_not_be_followed_is_named() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!(". $LIB/run.sh"));
    scratch.write("t.test.js", "a\n");
    let id = scratch.task("Add");
    let ran = scratch.run(&["chalk", "spec", &id, "--test", "t.test.js"]).ok();
    assert!(
        ran.err.contains("`. $LIB/run.sh` can't be followed, so what it runs is not watched"),
        "{}",
        ran.err
    );
    assert!(scratch.run(&["chalk", "doctor"]).out.contains("`. $LIB/run.sh`"));
}
