use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scratch::{Ran, Scratch};

/// A spine with this test command, and a task in progress with `t.test.sh` locked.
fn project(test: &str) -> (Scratch, String) {
    let scratch = Scratch::chalk();
    scratch.write("t.test.sh", "true\n");
    scratch.commit("test");
    scratch.configure("/protocol/verify/test", json!(test));
    let id = scratch.started("Add", &["t.test.sh"]);
    (scratch, id)
}

fn linked(scratch: &Scratch) -> PathBuf {
    scratch.git(&["worktree", "add", "-q", "../linked"]);
    fs::canonicalize(scratch.root().join("../linked")).unwrap()
}

fn verify(scratch: &Scratch) -> Ran {
    scratch.run(&["chalk", "verify"])
}

fn document(scratch: &Scratch) -> Value {
    scratch.run(&["chalk", "verify", "--json"]).json()
}

/// Findings as `level area`.
fn findings(document: &Value) -> Vec<String> {
    let findings = document["findings"].as_array().unwrap();
    findings
        .iter()
        .map(|it| format!("{} {}", it["level"].as_str().unwrap(), it["area"].as_str().unwrap()))
        .collect()
}

fn messages(document: &Value) -> String {
    let findings = document["findings"].as_array().unwrap();
    findings.iter().flat_map(|it| [it["msg"].as_str().unwrap(), "\n"]).collect()
}

#[test]
fn green_names_the_tree_each_gate_and_what_comes_next() {
    let (scratch, _) = project("sh t.test.sh");
    scratch.configure("/protocol/verify/build", json!({ "cmd": "exit 1", "when": "phase" }));
    let ran = verify(&scratch);
    insta::assert_snapshot!(ran.steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ test: `sh t.test.sh` passed, [time]
    · skipped, without a command: typecheck, lint
    · put off to the phase: build
    ✓ 1 of 1 locked tests intact
    ✓ GREEN
      next: chalk done task-af9e3081
    --- err
    ");
    assert!(!ran.all().contains("VACUOUS"));
    assert!(scratch.read(".chalk/updates.jsonl").contains("Verify GREEN"));
}

#[test]
fn red_shows_the_end_of_the_output_and_runs_the_rest() {
    let (scratch, _) = project("seq 1 30; echo gone wrong >&2; exit 3");
    scratch.configure("/protocol/verify/lint", json!("false"));
    scratch.configure("/protocol/verify/docs", json!("touch docs-ran"));
    scratch.write(".gitignore", "docs-ran\n");
    let ran = verify(&scratch);
    insta::assert_snapshot!(ran.steady(), @"
    exit 2
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✗ lint: `false` failed: exit code 1, [time]
      whole output: [log]
    ✗ test: `seq 1 30; echo gone wrong >&2; exit 3` failed: exit code 3, [time]
      | 20
      | 21
      | 22
      | 23
      | 24
      | 25
      | 26
      | 27
      | 28
      | 29
      | 30
      | gone wrong
      whole output: [log]
    ✓ docs: `touch docs-ran` passed, [time]
    · skipped, without a command: typecheck, build
    ✓ 1 of 1 locked tests intact
    ✗ RED: lint failed; test failed
      next: chalk verify
    --- err
    ");
    assert!(scratch.path("docs-ran").exists(), "a gate of another name is run");
    let document = scratch.run(&["chalk", "verify", "--json"]).refused(2, "").json();
    assert_eq!(document["red"], json!(["lint failed", "test failed"]));
    assert!(scratch.read(".chalk/updates.jsonl").contains("Verify RED: lint failed; test failed"));
}

#[test]
fn nothing_to_run_is_green_and_says_that_it_is_vacuous() {
    // R8: a task must not look finished because nothing looked at it.
    let scratch = Scratch::chalk();
    insta::assert_snapshot!(verify(&scratch).steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    · no locked test
    ✓ GREEN, but VACUOUS: no gate ran, so nothing was judged but the locks
      hint: set `protocol.verify.test` in `.chalk/chalk.json`
      next: chalk next
    --- err
    ");
    // A gate that is put off is none that ran.
    scratch.configure("/protocol/verify/test", json!({ "cmd": "true", "when": "phase" }));
    assert_eq!(document(&scratch)["vacuous"], true);
    scratch.configure("/protocol/verify/test", json!({ "cmd": "true", "when": "sometimes" }));
    assert_eq!(document(&scratch)["vacuous"], false);
}

#[test]
fn a_modified_a_missing_and_an_unreadable_test_are_red() {
    let (scratch, id) = project("true");
    for name in ["gone.test.sh", "folder.test.sh"] {
        scratch.write(name, "true\n");
        scratch.run(&["chalk", "spec", &id, "--test", name]).ok();
        fs::remove_file(scratch.path(name)).unwrap();
    }
    fs::create_dir(scratch.path("folder.test.sh")).unwrap();
    // R9: skipping the test is a change like another.
    scratch.write("t.test.sh", "exit 0 # skipped\ntrue\n");
    insta::assert_snapshot!(verify(&scratch).steady(), @r#"
    exit 2
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ test: `true` passed, [time]
    · skipped, without a command: typecheck, lint, build
    ✗ 0 of 3 locked tests intact
    ✗ lock-broken: `t.test.sh` was modified since it was locked
      hint: put it back as it was locked, or change the contract with a reason: `chalk amend-spec task-af9e3081 --test t.test.sh --why "..."`
    ✗ lock-broken: `gone.test.sh` is gone
      hint: put it back as it was locked, or change the contract with a reason: `chalk amend-spec task-af9e3081 --test gone.test.sh --why "..."`
    ✗ lock-broken: `folder.test.sh` can't be read: it is a folder
      hint: put it back as it was locked, or change the contract with a reason: `chalk amend-spec task-af9e3081 --test folder.test.sh --why "..."`
    ✗ RED: 3 broken locks
      next: chalk verify
    --- err
    "#);
}

#[test]
fn a_test_command_that_changes_the_locked_test_is_red() {
    let (scratch, _) = project("echo exit 0 > t.test.sh");
    let ran = scratch.run(&["chalk", "verify", "--json"]).refused(2, "while the toolchain ran");
    assert_eq!(ran.json()["changed"], json!(["t.test.sh"]));
}

#[test]
fn a_test_command_that_puts_a_modified_test_back_is_red() {
    let (scratch, _) = project("echo true > t.test.sh");
    scratch.write("t.test.sh", "exit 0\n");
    verify(&scratch).refused(2, "was put back while the toolchain ran");
    assert_eq!(scratch.read("t.test.sh"), "true\n");
    scratch.configure("/protocol/verify/test", json!("true"));
    verify(&scratch).ok();
}

#[test]
fn a_test_command_that_swaps_the_locked_test_and_puts_it_back_is_red() {
    for swap in [
        "cp t.test.sh kept; echo exit 0 > t.test.sh; sh t.test.sh; cp kept t.test.sh; rm kept",
        "cp -p t.test.sh kept; echo exit 0 > t.test.sh; sh t.test.sh; cp -p kept t.test.sh; rm kept",
        "mv t.test.sh kept; echo exit 0 > t.test.sh; sh t.test.sh; mv kept t.test.sh",
    ] {
        let (scratch, _) = project(swap);
        let ran = scratch.run(&["chalk", "verify", "--json"]);
        let ran = ran.refused(2, "`t.test.sh` was rewritten while the toolchain ran");
        assert_eq!(ran.json()["red"], json!(["a broken lock"]), "{swap}");
        assert_eq!(ran.json()["locks"], json!({ "checked": 1, "held": 0 }), "{swap}");
        assert_eq!(scratch.read("t.test.sh"), "true\n");
    }
}

#[test]
fn a_decider_that_is_swapped_and_put_back_is_named() {
    let scratch = Scratch::chalk();
    scratch.write("Makefile", "test:\n\tsh t.test.sh\n");
    scratch.write("t.test.sh", "cp Makefile kept; echo x > Makefile; mv kept Makefile\n");
    scratch.configure("/protocol/verify/test", json!("make -s test"));
    scratch.started("Add", &["t.test.sh"]);
    let ran = verify(&scratch).ok();
    let named = "`Makefile`, which decides `t.test.sh`, was rewritten while the toolchain ran";
    assert!(ran.out.contains(named), "{}", ran.out);
}

#[test]
fn a_locked_test_that_only_differs_by_an_autocrlf_checkout_holds() {
    // R21
    let (scratch, _) = project("true");
    scratch.git(&["config", "core.autocrlf", "true"]);
    fs::remove_file(scratch.path("t.test.sh")).unwrap();
    scratch.git(&["checkout", "--", "t.test.sh"]);
    assert_eq!(scratch.read("t.test.sh"), "true\r\n");
    let ran = verify(&scratch).ok();
    assert!(ran.out.contains("1 of 1 locked tests intact"), "{}", ran.all());
    // Without git behind them, other line ends are named as what they are.
    scratch.git(&["config", "core.autocrlf", "false"]);
    verify(&scratch)
        .refused(2, "has other line ends than when it was locked, and git doesn't have the file as it is");
}

#[test]
fn a_moved_decider_is_named_and_refused_where_policy_says_so() {
    // R9: the hash of the test alone does not see the target that runs it.
    let scratch = Scratch::chalk();
    scratch.write("Makefile", "VERSION = 1\ntest:\n\tsh t.test.sh\ndist:\n\ttrue\n");
    scratch.write("t.test.sh", "true\n");
    scratch.configure("/protocol/verify/test", json!("make -s test"));
    let id = scratch.started("Add", &["t.test.sh"]);
    // What the target does not rest on is no alarm.
    scratch.write("Makefile", "VERSION = 2\ntest:\n\tsh t.test.sh\ndist:\n\tfalse\n");
    assert_eq!(findings(&document(&scratch)), Vec::<String>::new());
    scratch.write("Makefile", "test:\n\ttrue\n");
    let ran = verify(&scratch).ok();
    insta::assert_snapshot!(ran.steady(), @r#"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ test: `make -s test` passed, [time]
    · skipped, without a command: typecheck, lint, build
    ✓ 1 of 1 locked tests intact
    ! decider-moved: `Makefile#test` changed since `t.test.sh` was locked, and decides what it says
      hint: look at the change; if it is meant, say why: `chalk amend-spec task-af9e3081 --test t.test.sh --why "..."`
    ✓ GREEN
      next: chalk done task-af9e3081
    --- err
    "#);
    scratch.configure("/protocol/lockDeciders", json!("refuse"));
    let ran = scratch.run(&["chalk", "verify", "--json"]).refused(2, "decider-moved");
    assert_eq!(ran.json()["red"], json!(["a moved decider"]));
    // The cure that it names.
    scratch.run(&["chalk", "amend-spec", &id, "--test", "t.test.sh", "--why", "no shell needed"]).ok();
    assert_eq!(findings(&document(&scratch)), Vec::<String>::new());
}

#[test]
fn deciders_that_change_appear_and_vanish() {
    let scratch = Scratch::chalk();
    scratch.write("tests/test_add.py", "from tests.helper import one\nopen('data/sums.json')\n");
    scratch.write("tests/helper.py", "one = 1\n");
    scratch.write("tests/data/sums.json", "[]\n");
    scratch.write("tests/conftest.py", "\n");
    scratch.write(
        "pyproject.toml",
        "[project]\ndependencies = ['a==1']\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    );
    scratch.write("package.json", "{}\n");
    scratch.configure("/protocol/verify/test", json!("true"));
    scratch.started("Add", &["tests/test_add.py"]);
    // None of these decides the test.
    scratch.write(
        "pyproject.toml",
        "[project]\ndependencies = ['a==2']\n[tool.pytest.ini_options]\naddopts = '-q'\n",
    );
    scratch.write("package.json", "{\"jest\": {}}\n");
    scratch.write("tests/test_other.py", "\n");
    scratch.write("tests/helper.py", "one = 1\r\n");
    assert_eq!(findings(&document(&scratch)), Vec::<String>::new());
    scratch.write("tests/helper.py", "one = 2\n");
    scratch.write("tests/data/sums.json", "[1]\n");
    scratch.write("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '-k nothing'\n");
    fs::remove_file(scratch.path("tests/conftest.py")).unwrap();
    scratch.write(".gitignore", "conftest.py\n");
    scratch.write("conftest.py", "collect_ignore = ['tests']\n");
    scratch.configure("/protocol/verify/test", json!({ "cmd": "true", "when": "phase" }));
    insta::assert_snapshot!(messages(&document(&scratch)), @"
    `conftest.py` appeared after `tests/test_add.py` was locked, and decides what it says
    `pyproject.toml#tool.pytest` changed since `tests/test_add.py` was locked, and decides what it says
    `tests/conftest.py` is gone since `tests/test_add.py` was locked, and decides what it says
    `tests/data/sums.json` changed since `tests/test_add.py` was locked, and decides what it says
    `tests/helper.py` changed since `tests/test_add.py` was locked, and decides what it says
    `verify.test` changed since `tests/test_add.py` was locked, and decides what it says
    ");
}

#[test]
fn locks_of_done_tasks_warn_and_refuse_only_under_all_locks() {
    let scratch = Scratch::chalk();
    scratch.write("t.test.sh", "new\n");
    let lock = |content: &str| json!([{ "path": "t.test.sh", "sha256": canon::Sha256::of(content) }]);
    let done = |id: &str, content: &str| json!({ "id": id, "title": "Old", "state": "done", "tests": lock(content) });
    scratch.plant(&json!([done("task-aaaaaaaa", "old\n")]));
    insta::assert_snapshot!(verify(&scratch).ok().steady(), @r#"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    · no locked test
    ! lock-broken: locked tests of done tasks are not as they were locked, judged in `[root]`: `t.test.sh` (task-aaaaaaaa)
      hint: put them back, or change the contract with a reason: `chalk amend-spec task-aaaaaaaa --test t.test.sh --why "..."`
    ✓ GREEN, but VACUOUS: no gate ran, so nothing was judged but the locks
      hint: set `protocol.verify.test` in `.chalk/chalk.json`
      next: chalk next
    --- err
    "#);
    scratch.configure("/protocol/integrity", json!("all-locks"));
    verify(&scratch).refused(2, "RED: a broken lock");
    // Another task locked the path anew, which says what counts.
    scratch.plant(&json!([done("task-aaaaaaaa", "old\n"), done("task-bbbbbbbb", "new\n")]));
    verify(&scratch).ok();
}

#[test]
fn held_out_files_that_moved_are_counted_and_not_named() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/held-out/rejects-negative.test.js", "changed\n");
    scratch.configure(
        "/protocol/regression/tests",
        json!([{ "path": ".chalk/held-out/rejects-negative.test.js", "sha256": canon::Sha256::of("locked\n") }]),
    );
    let ran = verify(&scratch).ok();
    insta::assert_snapshot!(ran.steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    · no locked test
    ! held-out-moved: 1 held-out file of 1 is not as it was locked
      hint: a person looks at `chalk guard list`
    ✓ GREEN, but VACUOUS: no gate ran, so nothing was judged but the locks
      hint: set `protocol.verify.test` in `.chalk/chalk.json`
      next: chalk next
    --- err
    ");
    assert!(!ran.all().contains("negative"));
}

#[test]
fn a_linked_work_tree_is_judged_where_the_caller_stands() {
    // R22, and a hand-made work tree whose broken code must not pass by the main checkout's.
    let (scratch, id) = project("sh code.sh");
    scratch.write("code.sh", "exit 0\n");
    scratch.commit("code");
    let linked = linked(&scratch);
    fs::write(linked.join("code.sh"), "exit 1\n").unwrap();
    verify(&scratch).ok();
    let ran = scratch.run_in(&linked, &["chalk", "verify"]).refused(2, "where you stand");
    insta::assert_snapshot!(ran.steady(), @r#"
    exit 2
    --- out
    checked the work tree at `[scratch]/linked` (where you stand)
    ✗ test: `sh code.sh` failed: exit code 1, [time]
      whole output: [log]
    · skipped, without a command: typecheck, lint, build
    ✓ 1 of 1 locked tests intact
    ! decider-moved: `code.sh` appeared after `t.test.sh` was locked, and decides what it says
      hint: look at the change; if it is meant, say why: `chalk amend-spec task-af9e3081 --test t.test.sh --why "..."`
    ✗ RED: test failed
      next: chalk verify
    --- err
    "#);
    // A lock that is broken there and nowhere else.
    fs::write(linked.join("code.sh"), "exit 0\n").unwrap();
    fs::write(linked.join("t.test.sh"), "exit 0\n").unwrap();
    scratch.run_in(&linked, &["chalk", "verify"]).refused(2, "was modified since it was locked");
    verify(&scratch).ok();
    // What was found there is on record for the main checkout too.
    let kinds: Vec<bool> = scratch
        .results()
        .iter()
        .filter(|record| record["kind"] == "verify")
        .map(|record| record["body"]["green"].as_bool().unwrap())
        .collect();
    assert_eq!(kinds, [true, false, false, true]);
    assert_eq!(scratch.results().last().unwrap()["body"]["tasks"], json!([id]));
}

#[test]
fn a_task_is_judged_in_its_recorded_work_tree() {
    let (scratch, _) = project("sh code.sh");
    scratch.write("code.sh", "exit 1\n");
    scratch.commit("code");
    let linked = linked(&scratch);
    fs::write(linked.join("code.sh"), "exit 0\n").unwrap();
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["worktree"] = json!("../linked");
    scratch.plant(&tasks);
    let ran = verify(&scratch).ok();
    assert!(
        ran.out.starts_with("checked the work tree at `[scratch]/linked` (recorded with the task)\n"),
        "{}",
        ran.all()
    );
    // Gone, or another repository: the root stands in, and it is said.
    scratch.git(&["worktree", "remove", "--force", "../linked"]);
    insta::assert_snapshot!(verify(&scratch).refused(2, "code.sh").err, @"warning: the work tree `../linked` is gone, which task-af9e308 records; the root is judged instead");
    fs::create_dir(&linked).unwrap();
    scratch.git_in(&linked, &["init", "-q"]);
    insta::assert_snapshot!(verify(&scratch).refused(2, "code.sh").err, @"warning: the work tree `../linked` is no work tree of this repository, which task-af9e308 records; the root is judged instead");
}

#[test]
fn tasks_side_by_side_are_judged_each_in_its_own_tree() {
    let (scratch, first) = project("true");
    scratch.write("u.test.sh", "true\n");
    scratch.commit("more");
    let linked = linked(&scratch);
    let second = scratch.task("Second");
    scratch.run(&["chalk", "spec", &second, "--test", "u.test.sh"]).ok();
    scratch.run_in(&linked, &["chalk", "start", &second, "--parallel"]).ok();
    // The first task's test is not in the second one's branch as it was locked.
    fs::remove_file(linked.join("t.test.sh")).unwrap();
    // The second one's is not at the root.
    fs::remove_file(scratch.path("u.test.sh")).unwrap();
    for cwd in [scratch.root(), linked.clone()] {
        let document = scratch.run_in(&cwd, &["chalk", "verify", "--json"]).ok().json();
        let trees: Vec<(&str, &str)> = document["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| (task["id"].as_str().unwrap(), task["tree"].as_str().unwrap()))
            .collect();
        assert_eq!(trees, [(first.as_str(), "[root]"), (second.as_str(), "[scratch]/linked")]);
    }
    fs::remove_file(linked.join("u.test.sh")).unwrap();
    verify(&scratch).refused(2, "`u.test.sh` is gone");
}

#[test]
fn work_trees_of_every_kind_keep_and_find_results() {
    // R22: `.git` is a file in work trees and submodules.
    let outer = Scratch::repository();
    let (inner, _) = project("true");
    inner.commit("spine");
    outer.git(&[
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        inner.root().to_str().unwrap(),
        "sub",
    ]);
    outer.commit("submodule");
    let module = outer.root().join("sub");
    outer.run_in(&module, &["chalk", "verify"]).ok();
    outer.git_in(&module, &["worktree", "add", "-q", "../of-sub"]);
    outer.run_in(&outer.root().join("of-sub"), &["chalk", "verify"]).ok();
    assert!(outer.git(&["status", "--porcelain", "--ignore-submodules=dirty"]).contains("of-sub"));
    let results = outer.root().join(".git/modules/sub/cairn/chalk/root/results.jsonl");
    let kept = fs::read_to_string(results).unwrap();
    assert_eq!(kept.lines().filter(|line| line.contains(r#""kind":"verify""#)).count(), 2);
}

#[test]
fn any_head_and_no_repository_at_all() {
    // R25 and R24
    let (scratch, _) = project("true");
    scratch.git(&["checkout", "-q", "--detach"]);
    verify(&scratch).ok();
    let unborn = Scratch::plain();
    unborn.git(&["init", "-q"]);
    unborn.write("t.test.sh", "true\n");
    unborn.configure("/protocol/verify/test", json!("sh t.test.sh"));
    unborn.started("Add", &["t.test.sh"]);
    verify(&unborn).ok();
    let plain = Scratch::plain();
    plain.write("t.test.sh", "true\n");
    plain.configure("/protocol/verify/test", json!("sh t.test.sh"));
    plain.started("Add", &["t.test.sh"]);
    verify(&plain).ok();
    assert!(!plain.path(".git").exists());
    scratch.commit("spine");
    let clone = Scratch::empty();
    clone.git(&["clone", "-q", "--depth", "1", &format!("file://{}", scratch.root().display()), "."]);
    verify(&clone).ok();
}

#[test]
fn names_that_git_quotes_are_neither_skipped_nor_run() {
    // R20, and a name that a shell would run.
    let scratch = Scratch::chalk();
    let names =
        ["हिंदी.test.sh", "a\nb.test.sh", "tab\t.test.sh", "-dash.test.sh", "x $(touch pwned).test.yaml"];
    for name in names {
        scratch.write(name, "locked\n");
    }
    scratch.configure("/protocol/verify/test", json!("echo new > 'ü\t'"));
    scratch.configure("/protocol/e2e", json!({ "command": "test -f" }));
    let id = scratch.task("Add");
    for name in names {
        scratch.run(&["chalk", "spec", &id, &format!("--test={name}")]).ok();
    }
    scratch.run(&["chalk", "start", &id]).ok();
    let green = scratch.run(&["chalk", "verify", "--json"]).ok().json();
    assert_eq!((green["locks"]["held"].as_u64(), &green["changed"]), (Some(5), &json!(["ü\t"])));
    assert_eq!(green["gates"].as_array().unwrap().last().unwrap()["spec"], names[4]);
    assert!(!scratch.path("pwned").exists());
    for name in names {
        scratch.write(name, "changed\n");
    }
    let red = scratch.run(&["chalk", "verify", "--json"]).refused(2, "").json();
    assert_eq!(red["locks"]["held"], 0);
}

#[test]
fn a_browser_spec_is_run_where_one_is_locked() {
    let scratch = Scratch::chalk();
    scratch.write("login.test.yaml", "steps\n");
    scratch.configure("/protocol/e2e", json!({ "command": "grep steps" }));
    scratch.started("Add", &["login.test.yaml"]);
    let ran = verify(&scratch).ok();
    insta::assert_snapshot!(ran.steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ e2e login.test.yaml: `grep steps` passed, [time]
    · skipped, without a command: typecheck, lint, test, build
    ✓ 1 of 1 locked tests intact
    ✓ GREEN
      next: chalk done task-af9e3081
    --- err
    ");
    scratch.configure("/protocol/e2e", json!({ "command": "grep nothing" }));
    verify(&scratch).refused(2, "RED: e2e login.test.yaml failed");
}

#[test]
fn much_output_and_a_straggler_harm_nobody() {
    let (scratch, _) = project("head -c 3000000 /dev/zero | tr '\\0' x; sleep 300 & echo started");
    let document = scratch.run(&["chalk", "verify", "--json"]).ok().json();
    assert_eq!(findings(&document), ["warn test"]);
    assert_eq!(messages(&document), "left processes behind, which were stopped\n");
    let log = document["gates"][2]["run"]["log"]
        .as_str()
        .unwrap()
        .replace("[root]", scratch.root().to_str().unwrap());
    assert_eq!(fs::metadata(log).unwrap().len(), 3_000_008);
}

#[test]
fn the_runner_stands_before_each_command() {
    let (scratch, _) = project("exit 0");
    scratch.configure("/protocol/runner", json!("eval echo run;"));
    let document = document(&scratch);
    assert_eq!(document["gates"][2]["run"]["command"], "eval echo run; exit 0");
}

#[test]
fn locks_that_are_rewritten_while_the_toolchain_runs_say_nothing() {
    let (scratch, _) = project("sh t.test.sh");
    // The implementer's code makes the lock fit its own version of the test.
    let sum = canon::Sha256::of("exit 0\n");
    scratch.configure(
        "/protocol/verify/test",
        json!(format!("sed -i 's/\"sha256\": \"[0-9a-f]*\"/\"sha256\": \"{sum}\"/' .chalk/tasks.json; echo exit 0 > t.test.sh")),
    );
    verify(&scratch).refused(1, "spine-moved");
    assert_eq!(scratch.results().last().unwrap()["kind"], "verify-begun");
}

#[test]
fn a_spine_without_tasks_is_no_empty_set() {
    // R7: gates that run against nothing must not pass.
    let (scratch, _) = project("true");
    scratch.git(&["rm", "-r", "-q", "--cached", "--ignore-unmatch", ".chalk"]);
    scratch.write(".gitignore", ".chalk\n");
    assert_eq!(findings(&document(&scratch)), ["warn spine"]);
    fs::remove_file(scratch.path(".chalk/tasks.json")).unwrap();
    verify(&scratch).refused(1, "spine-damaged");
    fs::remove_dir_all(scratch.path(".chalk")).unwrap();
    verify(&scratch).refused(1, "no-spine");
}

#[test]
fn a_result_is_kept_with_what_it_was_about() {
    let (scratch, id) = project("echo ok");
    let digest = document(&scratch)["digest"].clone();
    let record = scratch.results().pop().unwrap();
    assert_eq!(record["kind"], "verify");
    let body = &record["body"];
    assert_eq!((&body["digest"], &body["tasks"]), (&digest, &json!([id])));
    assert_eq!(body["gates"][2]["logSha256"], json!(canon::Sha256::of("ok\n")));
    assert_eq!(
        body["locks"],
        json!([{ "task": id, "path": "t.test.sh", "sha256": canon::Sha256::of("true\n"), "held": true }])
    );
    // Another content is another digest.
    scratch.write("code.sh", "x\n");
    assert_ne!(document(&scratch)["digest"], digest);
}

#[test]
fn a_broken_log_of_results_is_refused_before_minutes_are_spent() {
    let (scratch, _) = project("touch ran");
    verify(&scratch).ok();
    fs::remove_file(scratch.path("ran")).unwrap();
    let log = scratch.root().join(".git/cairn/chalk/root/results.jsonl");
    let text = fs::read_to_string(&log).unwrap().replace("\"green\":true", "\"green\":null");
    fs::write(&log, text).unwrap();
    verify(&scratch).refused(1, "the record of results is broken");
    assert!(!scratch.path("ran").exists());
}

#[test]
fn a_spine_of_the_node_implementation_is_verified() {
    let Some(scratch) = Scratch::node("shelf") else { return };
    scratch.configure("/protocol/verify", json!({ "test": "true" }));
    let document = document(&scratch);
    assert_eq!(document["green"], true, "{document:#}");
}
