use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn criteria_and_tests_are_attached_locked_and_logged() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("node --test"));
    scratch.write("test/add.test.js", "import '../src/add.js';\n");
    let id = scratch.task("Add");
    let ran = scratch.run(&[
        "chalk", "spec", &id, "--criterion", "add(1, 2) is 3", "--criterion=--negative works", "--test",
        "test/add.test.js", "--held-out", ".chalk/held-out/add.test.js",
    ]);
    insta::assert_snapshot!(ran.all(), @"");
    let task = &scratch.json(".chalk/tasks.json")[0];
    assert_eq!(task["state"], "specd");
    assert_eq!(task["acceptanceCriteria"], json!([{ "text": "add(1, 2) is 3" }, { "text": "--negative works" }]));
    let sha256 = canon::Sha256::of("import '../src/add.js';\n").to_string();
    assert_eq!(task["tests"], json!([{ "path": "test/add.test.js", "sha256": sha256 }]));
    assert_eq!(task["heldOut"], json!([".chalk/held-out/add.test.js"]));
    let whats: Vec<&str> =
        task["cairn"]["deciders"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert_eq!(whats, ["verify.test"]);
    let log = scratch.read(".chalk/updates.jsonl");
    for title in ["Criterion added: add(1, 2) is 3", "Criterion added: --negative works", "Test locked: test/add.test.js"] {
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
    let ran =
        scratch.run(&["chalk", "spec", &id, "--criterion", " it adds ", "--test", "./t.test.js", "--test", "t.test.js"]);
    insta::assert_snapshot!(ran.all(), @"");
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
    insta::assert_snapshot!(scratch.run(&["chalk", "spec", &id, "--criterion", "x", "--test", "t.test.js"]).all(), @"");
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
    scratch.run(&["chalk", "spec", &id, "--criterion", "x", "--test", "folder"]).refused(1, "`folder` is a folder");
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
    insta::assert_snapshot!(scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--criterion", "x"]).all(), @"");
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
fn files_that_only_this_checkout_has_are_named() {
    let scratch = Scratch::chalk();
    scratch.write(".gitignore", "*.local.js\n");
    scratch.write("t.local.js", "a\n");
    scratch.write(".chalk/held-out/h.test.js", "a\n");
    let id = scratch.task("Add");
    let ran = scratch.run(&["chalk", "spec", &id, "--test", "t.local.js", "--test", ".chalk/held-out/h.test.js"]).ok();
    insta::assert_snapshot!(ran.err, @"");
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
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Old", "state": "blocked", "blockedFrom": "todo" }]));
    scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--criterion", "x"]).ok();
    let task = &scratch.json(".chalk/tasks.json")[0];
    assert_eq!((task["state"].as_str(), task["blockedFrom"].as_str()), (Some("blocked"), Some("specd")));
}
