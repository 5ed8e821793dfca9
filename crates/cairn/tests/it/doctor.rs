use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::scratch::{Ran, Scratch};

/// The findings of an area, as `level: message`.
fn findings(ran: &Ran, area: &str) -> Vec<String> {
    let results = ran.json()["results"].as_array().unwrap().clone();
    let of_area = results.iter().filter(|finding| finding["area"] == area);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    of_area.map(|finding| format!("{}: {}", text(&finding["level"]), text(&finding["msg"]))).collect()
}

fn examine(scratch: &Scratch) -> Ran {
    scratch.run(&["chalk", "doctor", "--json"])
}

/// A healthy project that a person looks after.
fn healthy() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("true"));
    scratch.write("test/a.mjs", "1\n");
    scratch.run(&["chalk", "agents"]).ok();
    scratch.commit("a test");
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "specd",
        "acceptanceCriteria": [{ "text": "adds" }],
        "tests": [{ "path": "test/a.mjs", "sha256": canon::Sha256::of("1\n") }] }]));
    scratch.commit("a task");
    scratch
}

#[test]
fn a_healthy_manual_project_is_ready_without_executor_and_remote() {
    let scratch = healthy();
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "doctor"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ spine: schema 1.0
    ✓ tasks: 1 task
    ✓ log: 2 events
    ✓ tampering: the spine is as the last write left it
    ✓ record of writes: 3 records, unbroken, the last of 2026-12-01T00:00:04.000Z
    ✓ record of results: 0 records, unbroken
    ✓ git: on branch main
    ✓ state: git tracks the spine
    ✓ ignore: git ignores what is local or held out
    ✓ verify: gates: test
    · levers: off: review, breakTest, mutation, regression.required, integrity all-locks, tamperEvident refuse
    ✓ contract: agents find the contract

    ✓ ready
    --- err
    ");
    assert_eq!(scratch.spine(), before, "it changes nothing");
}

#[test]
fn nobody_there_needs_executor_reviewer_and_remote() {
    let scratch = healthy();
    let ran = scratch.run(&["chalk", "doctor", "--unattended", "--json"]);
    assert_eq!(ran.code, 2);
    assert_eq!(findings(&ran, "executor"), ["fail: no executor is set"]);
    assert_eq!(
        findings(&ran, "review"),
        ["fail: no review is required, so nobody but the executor judges the change"]
    );
    assert_eq!(
        findings(&ran, "remote"),
        ["fail: there is no remote `origin`: the work exists on this machine alone"]
    );
    scratch.configure("/protocol/executor/command", json!("codex exec"));
    scratch.configure("/protocol/review/command", json!("claude -p"));
    scratch.configure("/protocol/review/requiredAt", json!(["per-task"]));
    scratch.commit("configured");
    scratch.git(&["init", "-q", "--bare", "../origin.git"]);
    scratch.git(&["remote", "add", "origin", "../origin.git"]);
    scratch.git(&["push", "-q", "origin", "main"]);
    let ran = scratch.run(&["chalk", "doctor", "--unattended", "--json"]).ok();
    assert_eq!(findings(&ran, "remote"), ["ok: changes are measured against `origin/main`"]);
}

#[test]
fn the_document_has_the_keys_that_other_programs_print() {
    let document = examine(&healthy()).json();
    for key in ["at", "node", "platform", "results"] {
        assert!(!document[key].is_null(), "{key}");
    }
    assert!(document["node"].as_str().unwrap().starts_with("cairn "));
    assert_eq!(document["profile"], "manual");
}

#[test]
fn a_state_folder_that_was_put_on_the_ignore_list_fails() {
    let scratch = healthy();
    scratch.git(&["rm", "-r", "-q", "--cached", ".chalk"]);
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "state")[0].starts_with("fail: taken out of git's index: "), "{}", ran.out);
    scratch.write(".gitignore", ".chalk\n");
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "state")[0].starts_with("fail: git ignores `.chalk/chalk.json`"), "{}", ran.out);
    scratch.commit("gone");
    assert_eq!(examine(&scratch).code, 2);
}

#[test]
fn records_that_a_union_merge_doubled_are_named() {
    let scratch = healthy();
    scratch.write(".gitattributes", ".chalk/* merge=union\n");
    let line = "{\"id\":\"evt-1\",\"at\":\"2026-12-01T00:00:00.000Z\",\"type\":\"progress-update\",\"title\":\"x\"}\n";
    scratch.write(".chalk/updates.jsonl", line.repeat(2));
    let tasks = json!([{ "id": "task-a", "title": "x", "state": "done" }, { "id": "task-a", "title": "x", "state": "todo" }]);
    scratch.write(".chalk/tasks.json", canon::json::pretty(&tasks));
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert_eq!(findings(&ran, "log")[0], "warn: 1 event is there more than once: `evt-1`");
    assert_eq!(findings(&ran, "tasks"), ["fail: several tasks have the same id: `task-a`"]);
    assert!(findings(&ran, "merge")[0].contains("`.chalk/tasks.json`"), "{}", ran.out);
    let question = json!({ "id": "q-1", "question": "x" });
    scratch.write(".chalk/questions.json", canon::json::pretty(&json!([question, question])));
    assert_eq!(
        findings(&examine(&scratch), "questions"),
        ["warn: several questions have the same id: `q-1`"]
    );
}

#[test]
fn the_markers_of_an_unfinished_merge_are_no_damaged_lines() {
    let markers = "<<<<<<< HEAD\n{\"id\":\"a\"}\n=======\n{\"id\":\"b\"}\n>>>>>>> theirs\n";
    for (name, area) in [
        ("updates.jsonl", "log"),
        ("tasks.json", "tasks"),
        ("questions.json", "questions"),
        ("decisions.md", "files"),
        ("chalk.json", "spine"),
    ] {
        let scratch = healthy();
        scratch.write(&format!(".chalk/{name}"), markers);
        let ran = examine(&scratch);
        assert_eq!(ran.code, 2, "{name}: {}", ran.out);
        let found = findings(&ran, area);
        let named =
            |found: &String| found.starts_with("fail:") && found.contains(name) && found.contains("merge");
        assert!(found.iter().any(named), "{name}: {found:?}");
        assert_eq!(scratch.read(&format!(".chalk/{name}")), markers);
    }
}

#[test]
fn a_shallow_clone_is_said_to_have_its_history_cut() {
    let scratch = healthy();
    scratch.git(&[
        "clone",
        "-q",
        "--depth",
        "1",
        &format!("file://{}", scratch.root().display()),
        "../shallow",
    ]);
    let shallow = scratch.root().with_file_name("shallow");
    let ran = scratch.run_in(&shallow, &["chalk", "doctor", "--json"]);
    assert!(findings(&ran, "history")[0].contains("history is cut"), "{}", ran.out);
}

#[test]
fn a_detached_head_and_a_repository_without_a_commit_are_named() {
    let scratch = healthy();
    scratch.git(&["checkout", "-q", "--detach"]);
    assert!(findings(&examine(&scratch), "git")[0].starts_with("warn: HEAD is detached"));
    let scratch = Scratch::plain();
    assert!(findings(&examine(&scratch), "git")[0].starts_with("info: no repository"));
    scratch.git(&["init", "-q", "-b", "main"]);
    let ran = examine(&scratch).ok();
    assert!(findings(&ran, "git")[0].starts_with("info: branch main has no commit yet"), "{}", ran.out);
}

#[test]
fn a_spine_that_cannot_be_opened_is_examined_all_the_same() {
    let scratch = healthy();
    scratch.write(".chalk/chalk.json", "{\n");
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "spine")[0].contains("`.chalk/chalk.json`"), "{}", ran.out);
    assert_eq!(findings(&ran, "tasks"), ["ok: 1 task"]);
    scratch.git(&["checkout", "-q", ".chalk/chalk.json"]);
    let mut config = scratch.json(".chalk/chalk.json");
    config["writerVersion"] = json!("9.0.0");
    scratch.write(".chalk/chalk.json", canon::json::pretty(&config));
    let ran = examine(&scratch);
    assert!(findings(&ran, "spine")[0].contains("9.0.0"), "{}", ran.out);
    let ran = Scratch::repository().run(&["chalk", "doctor"]);
    ran.refused(1, "no `.chalk/` here");
}

#[test]
fn a_hand_edit_is_named_and_fails_where_policy_refuses() {
    let scratch = healthy();
    scratch.write(".chalk/tasks.json", "[]\n");
    let ran = examine(&scratch).ok();
    assert!(
        findings(&ran, "tampering")[0].starts_with("warn: `.chalk/tasks.json` was changed"),
        "{}",
        ran.out
    );
    scratch.run(&["chalk", "accept", "--why", "meant"]).ok();
    scratch.configure("/protocol/tamperEvident", json!("refuse"));
    scratch.write(".chalk/tasks.json", "[]");
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "tampering")[0].starts_with("fail: "), "{}", ran.out);
}

fn chain(scratch: &Scratch, name: &str) -> std::path::PathBuf {
    scratch.path(".git/cairn/chalk/root").join(name)
}

#[test]
fn a_record_that_was_edited_anywhere_fails() {
    for (name, area) in [("spine.jsonl", "record of writes"), ("results.jsonl", "record of results")] {
        let scratch = healthy();
        scratch.run(&["chalk", "audit"]).ok();
        scratch.run(&["chalk", "audit"]).ok();
        let path = chain(&scratch, name);
        let text = fs::read_to_string(&path).unwrap();
        let (first, rest) = text.split_once('\n').unwrap();
        // The end still fits the head: only a look at the whole chain finds it.
        fs::write(&path, format!("{}\n{rest}", first.replacen("2026", "2025", 1))).unwrap();
        let ran = examine(&scratch);
        assert_eq!(ran.code, 2, "{name}");
        assert!(findings(&ran, area)[0].contains("line 1"), "{}", ran.out);
    }
}

#[test]
fn what_a_killed_command_left_behind_is_named() {
    let scratch = healthy();
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    scratch.write(".chalk/.lock", format!("{} 2026-12-01T00:00:00.000Z", child.id()));
    fs::write(chain(&scratch, "journal.json"), "{}").unwrap();
    let ran = examine(&scratch).ok();
    assert!(findings(&ran, "lock")[0].contains("left behind by process"), "{}", ran.out);
    assert_eq!(findings(&ran, "journal"), ["warn: a command was killed while it wrote"]);
}

#[test]
fn a_tracked_held_out_set_always_fails() {
    let scratch = healthy();
    scratch.write(".chalk/held-out/a.mjs", "1\n");
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/a.mjs"]).ok();
    assert!(!findings(&examine(&scratch).ok(), "held-out")[0].starts_with("fail"));
    scratch.git(&["add", "-f", ".chalk/held-out/a.mjs"]);
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "held-out")[0].contains("held-out-tracked"), "{}", ran.out);
    // A work tree of its own makes no difference.
    let tree = scratch.root().with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    assert_eq!(scratch.run_in(&tree, &["chalk", "doctor"]).code, 2);
}

#[test]
fn a_held_out_set_that_moved_or_is_in_sight_is_named() {
    let scratch = healthy();
    scratch.write(".chalk/held-out/a.mjs", "1\n");
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/a.mjs"]).ok();
    scratch.write(".chalk/held-out/b.mjs", "1\n");
    let ran = examine(&scratch).ok();
    let found = findings(&ran, "held-out");
    assert!(found[0].starts_with("warn: files of the set that are not locked"), "{found:?}");
    assert!(found[1].starts_with("info: the set lies inside the repository"), "{found:?}");
    scratch.write(".chalk/held-out/a.mjs", "2\n");
    assert_eq!(examine(&scratch).code, 2);
}

#[test]
fn held_out_files_that_git_would_commit_are_named() {
    let scratch = healthy();
    fs::remove_file(scratch.path(".chalk/.gitignore")).unwrap();
    let ran = examine(&scratch).ok();
    let found = findings(&ran, "ignore");
    assert!(found[0].contains("held-out/*") && found[0].contains("local/"), "{found:?}");
}

#[test]
fn a_required_audit_that_is_missing_or_empty_is_named() {
    let scratch = healthy();
    scratch.configure("/protocol/regression/required", json!(true));
    let ran = examine(&scratch).ok();
    assert!(findings(&ran, "held-out")[0].contains("nothing to audit"), "{}", ran.out);
    assert_eq!(findings(&ran, "audit"), ["warn: the phase was never audited"]);
    scratch.run(&["chalk", "audit"]).ok();
    assert_eq!(findings(&examine(&scratch), "audit"), ["ok: green and fresh"]);
}

#[test]
fn a_task_without_a_locked_test_fails_unless_somebody_reviews() {
    let scratch = healthy();
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "specd", "acceptanceCriteria": [{ "text": "adds" }] }]));
    scratch.configure("/protocol/verify", json!({}));
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "tests")[0].starts_with("fail: "), "{}", ran.out);
    assert!(findings(&ran, "verify")[0].starts_with("fail: no gate has a command"), "{}", ran.out);
    scratch.configure(
        "/protocol/review",
        json!({ "command": "codex exec", "requiredAt": ["per-task", "weekly"] }),
    );
    let ran = examine(&scratch).ok();
    assert!(findings(&ran, "tests")[0].starts_with("warn: "), "{}", ran.out);
    assert!(findings(&ran, "review")[0].contains("`weekly`"), "{}", ran.out);
}

#[test]
fn a_locked_test_that_git_does_not_track_fails() {
    let scratch = healthy();
    scratch.git(&["rm", "-q", "--cached", "test/a.mjs"]);
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert_eq!(findings(&ran, "locks"), ["fail: locked tests that git doesn't track: `test/a.mjs`"]);
}

#[test]
fn a_changed_locked_test_is_a_warning_in_progress_and_worth_knowing_when_done() {
    let scratch = healthy();
    scratch.run(&["chalk", "start", "aaaaaaaa"]).ok();
    scratch.write("test/a.mjs", "2\n");
    let found = findings(&examine(&scratch), "locks");
    assert_eq!(found, ["warn: locked test `test/a.mjs` was modified since it was locked"]);
    let tasks = scratch.read(".chalk/tasks.json").replace("in-progress", "done");
    scratch.write(".chalk/tasks.json", tasks);
    let found = findings(&examine(&scratch), "locks");
    assert_eq!(found, ["info: done tasks whose locked tests changed since: `task-aaaaaaa`"]);
}

#[test]
fn executor_and_reviewer_of_one_family_are_named_through_wrappers() {
    let scratch = healthy();
    scratch.write("bin/review.sh", "#!/bin/sh\nexec claude -p --model opus \"$@\"\n");
    scratch.configure("/protocol/executor/command", json!("/usr/local/bin/claude -p"));
    scratch.configure("/protocol/review/command", json!("bin/review.sh"));
    let ran = examine(&scratch).ok();
    assert_eq!(findings(&ran, "family"), ["warn: executor and reviewer are of the same model family"]);
    scratch.configure("/protocol/review/command", json!("codex exec"));
    assert!(findings(&examine(&scratch), "family")[0].starts_with("ok: "));
    scratch.configure("/protocol/review/command", json!("./ask-somebody"));
    assert!(findings(&examine(&scratch), "family")[0].starts_with("info: the commands don't tell"));
}

#[test]
fn browser_specs_lost_work_trees_and_odd_states_are_named() {
    let scratch = healthy();
    scratch.write("e2e/a.test.yaml", "1\n");
    scratch.commit("a browser spec");
    let lock = json!([{ "path": "e2e/a.test.yaml", "sha256": canon::Sha256::of("1\n") }]);
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "a", "state": "in-progress", "acceptanceCriteria": [{ "text": "x" }],
          "tests": lock, "worktree": "../gone", "block": { "needs": "creds" } },
        { "id": "task-bbbbbbbb", "title": "b", "state": "dreaming", "after": ["task-none"] },
    ]));
    let ran = examine(&scratch);
    assert!(findings(&ran, "browser specs")[0].starts_with("warn: "), "{}", ran.out);
    assert!(findings(&ran, "work trees")[0].contains("task-aaaaaaa"), "{}", ran.out);
    let found = findings(&ran, "tasks");
    assert!(
        found.iter().any(|found| found.contains("wait for one that is not there: `task-bbbbbbb`")),
        "{found:?}"
    );
    assert!(found.iter().any(|found| found.contains("state that the protocol doesn't have")), "{found:?}");
    assert!(found.iter().any(|found| found.contains("in progress and blocked at once")), "{found:?}");
}

#[test]
fn a_damaged_contract_fails_and_telemetry_is_named() {
    let scratch = healthy();
    let text = scratch.read("AGENTS.md");
    scratch.write("AGENTS.md", text.replace("<!-- chalk:end -->", ""));
    scratch.configure("/protocol/telemetry", json!({ "enabled": true }));
    let ran = examine(&scratch);
    assert_eq!(ran.code, 2);
    assert!(findings(&ran, "contract")[0].starts_with("fail: "), "{}", ran.out);
    assert!(findings(&ran, "telemetry")[0].contains("nothing is ever sent"), "{}", ran.out);
}

#[test]
fn many_tasks_start_no_process_each() {
    let scratch = healthy();
    let tasks: Vec<Value> = (0..2000)
        .map(|n| {
            json!({ "id": format!("task-{n:08x}"), "title": "x", "state": if n % 2 == 0 { "done" } else { "specd" },
                "acceptanceCriteria": [{ "text": "x" }],
                "tests": [{ "path": "test/a.mjs", "sha256": canon::Sha256::of("1\n") }] })
        })
        .collect();
    scratch.plant(&json!(tasks));
    // A `git` that counts its calls stands before the real one.
    let real = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .map(|folder| folder.join("git"))
        .find(|git| git.is_file())
        .unwrap();
    let calls = |scratch: &Scratch| {
        let counted = scratch.home().join("calls");
        let _ = fs::remove_file(&counted);
        let script =
            format!("#!/bin/sh\necho . >> '{}'\nexec '{}' \"$@\"\n", counted.display(), real.display());
        let bin = scratch.home().join("bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("git"), script).unwrap();
        make_executable(&bin.join("git"));
        let path = std::env::join_paths(
            [bin].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
        );
        scratch.run_with("PATH", path.unwrap(), &["chalk", "doctor", "--json"]).ok();
        fs::read_to_string(counted).unwrap_or_default().lines().count()
    };
    let many = calls(&scratch);
    assert!(many > 0 && many < 60, "{many} processes");
}

#[cfg(unix)]
fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A commit made a hand edit look like a colleague's work, and nothing said otherwise.
#[test]
fn a_task_that_no_gate_closed_is_named() {
    let scratch = healthy();
    let id = scratch.task("Sub");
    scratch.run(&["chalk", "spec", &id, "--criterion", "subtracts"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.run(&["chalk", "done", &id]).ok();
    assert_eq!(findings(&examine(&scratch), "done"), [""; 0]);
    let tasks = scratch.read(".chalk/tasks.json").replace("\"specd\"", "\"done\"");
    scratch.write(".chalk/tasks.json", tasks);
    scratch.commit("finished");
    let ran = examine(&scratch);
    let unrecorded = "warn: tasks that are done, but by no gate that is on record: `task-aaaaaaa`";
    assert_eq!(findings(&ran, "done"), [unrecorded]);
    assert_eq!(ran.code, 0, "it only warns");
}

#[test]
fn spines_of_other_programs_are_examined() {
    for name in ["shelf", "widgets", "schema-1.0"] {
        let Some(scratch) = Scratch::node(name) else { return };
        let before = scratch.spine();
        let ran = examine(&scratch);
        assert!(findings(&ran, "spine")[0].starts_with("ok: schema 1."), "{name}: {}", ran.out);
        assert!(findings(&ran, "tasks").iter().all(|found| found.starts_with("ok")), "{name}: {}", ran.out);
        assert_eq!(findings(&ran, "done"), [""; 0], "{name}");
        assert_eq!(scratch.spine(), before);
    }
}
