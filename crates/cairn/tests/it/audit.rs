use std::fs;

use serde_json::{Value, json};

use crate::scratch::Scratch;

const ONE: &str = ".chalk/held-out/one.sh";

fn last(scratch: &Scratch) -> Value {
    scratch.json(".chalk/chalk.json")["protocol"]["regression"]["lastAudit"].clone()
}

/// A project with one held-out test, which `runner` runs.
fn guarded(runner: &str) -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("src/add.mjs", "export const add = 1\n");
    scratch.configure("/protocol/regression/command", json!(runner));
    scratch.write(ONE, "grep -q 'add = 1' src/add.mjs\n");
    scratch.run(&["chalk", "guard", "add", ONE]).ok();
    scratch.commit("guarded");
    scratch
}

#[test]
fn a_green_audit_is_recorded_with_what_it_judged() {
    let scratch = guarded("echo assertion; sh .chalk/held-out/one.sh");
    scratch.configure(
        "/protocol/verify",
        json!({ "test": "true", "build": { "cmd": "touch built", "when": "phase" } }),
    );
    let ran = scratch.run(&["chalk", "audit"]);
    insta::assert_snapshot!(ran.steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ test: `true` passed, [time]
    ✓ build: `touch built` passed, [time]
    · skipped, without a command: typecheck, lint
    ✓ 1 held-out test: pass
    ! the audit changed built
    ✓ GREEN
      next: chalk next
    --- err
    ");
    assert!(scratch.path("built").exists(), "gates that wait for a phase run");
    let last = last(&scratch);
    assert_eq!(last["green"], true);
    assert_eq!(last["count"], 1);
    assert_eq!(last["size"], json!({ "loc": 2, "files": 1 }));
    assert!(last["digest"].is_string() && last["heldOutDigest"].is_string());
    assert!(scratch.read(".chalk/updates.jsonl").contains("\"title\":\"Audit green (held-out regression)\""));
    let ran = scratch.run(&["chalk", "audit", "--json"]).ok();
    assert_eq!(ran.json()["vacuous"], false);
}

#[test]
fn a_red_audit_names_neither_assertion_nor_output() {
    let scratch = guarded("echo SECRET assertion; sh .chalk/held-out/one.sh");
    scratch.write("src/add.mjs", "export const add = 2\n");
    let ran = scratch.run(&["chalk", "audit"]);
    insta::assert_snapshot!(ran.steady(), @"
    exit 2
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    ✗ 1 held-out test: fail
      hint: something that the specification asks for is broken; the tests stay withheld
    ✗ RED
      next: chalk next
    --- err
    ");
    assert_eq!(last(&scratch)["green"], false);
    let ran = scratch.run(&["chalk", "audit", "--json"]);
    assert_eq!(ran.code, 2);
    assert!(!ran.out.contains("SECRET"));
    // Nor is it kept anywhere.
    let kept = scratch.git(&["rev-parse", "--git-common-dir"]);
    let mut folders = vec![scratch.root().join(kept.trim()).join("cairn")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                assert!(
                    !fs::read_to_string(&path).unwrap().contains("SECRET assertion\n"),
                    "{}",
                    path.display()
                );
            }
        }
    }
    assert!(scratch.read(".chalk/updates.jsonl").contains("\"title\":\"Audit red (held-out regression)\""));
}

#[test]
fn a_runner_that_cannot_run_is_red_and_says_so() {
    let scratch = guarded("no-such-runner");
    let ran = scratch.run(&["chalk", "audit"]).refused(2, "could not run");
    assert!(ran.out.contains("127"), "{}", ran.out);
}

#[test]
fn a_changed_or_missing_held_out_file_is_red() {
    let scratch = guarded("true");
    scratch.write(ONE, "true\n");
    scratch.run(&["chalk", "audit"]).refused(2, "was modified since it was locked");
    fs::remove_file(scratch.path(ONE)).unwrap();
    scratch.run(&["chalk", "audit"]).refused(2, "is gone");
}

#[test]
fn a_runner_that_rewrites_the_set_is_red() {
    let scratch = guarded("echo true > .chalk/held-out/one.sh");
    scratch.run(&["chalk", "audit"]).refused(2, "was modified since it was locked");
}

#[test]
fn a_red_gate_makes_the_audit_red_and_the_others_run() {
    let scratch = guarded("true");
    scratch.configure("/protocol/verify", json!({ "lint": "exit 1", "deploy": "touch ran" }));
    let ran = scratch.run(&["chalk", "audit"]).refused(2, "lint: `exit 1` failed: exit code 1");
    assert!(ran.out.contains("deploy: `touch ran` passed"), "{}", ran.out);
    assert!(ran.out.contains("lint.log"), "{}", ran.out);
}

#[test]
fn a_vacuous_audit_is_green_says_so_and_opens_the_phase() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/regression/required", json!(true));
    let ran = scratch.run(&["chalk", "audit"]);
    insta::assert_snapshot!(ran.steady(), @"
    exit 0
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    · no held-out test
    ✓ GREEN, but VACUOUS: nothing is held out
      next: chalk phase <phase>
    --- err
    ");
    scratch.run(&["chalk", "phase", "build"]).ok();
}

#[test]
fn held_out_files_that_nothing_runs_are_red_and_keep_the_phase_shut() {
    let scratch = guarded("");
    scratch.configure("/protocol/regression/required", json!(true));
    scratch.configure("/protocol/verify/test", json!("true"));
    let ran = scratch.run(&["chalk", "audit"]);
    insta::assert_snapshot!(ran.steady(), @"
    exit 2
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    ✓ test: `true` passed, [time]
    · skipped, without a command: typecheck, lint, build
    ✗ 1 held-out test: not run, as `protocol.regression.command` is empty
      hint: set `protocol.regression.command` in `.chalk/chalk.json`; what did not run did not pass
    ✗ RED
      next: chalk audit
    --- err
    ");
    assert_eq!(last(&scratch)["green"], false);
    scratch.run(&["chalk", "phase", "build"]).refused(1, "is red");
}

#[test]
fn a_set_command_over_no_held_out_test_is_vacuous() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/regression/command", json!("true"));
    scratch.run(&["chalk", "audit"]).ok();
    let ran = scratch.run(&["chalk", "audit"]);
    assert!(ran.out.contains("GREEN, but VACUOUS: nothing is held out"), "{}", ran.out);
}

#[test]
fn a_green_over_held_out_tests_is_not_called_vacuous() {
    let scratch = guarded("true");
    let ran = scratch.run(&["chalk", "audit"]).ok();
    assert!(!ran.all().contains("VACUOUS"), "{}", ran.all());
}

#[test]
fn a_small_set_is_named() {
    let scratch = guarded("true");
    scratch.write("big.rs", "x\n".repeat(6000));
    scratch.run(&["chalk", "audit"]).ok();
    let ran = scratch.run(&["chalk", "audit"]).ok();
    assert!(ran.out.contains("1 held-out test locked, and 6003 lines of code ask for 3"), "{}", ran.out);
}

#[test]
fn keys_of_other_programs_stay_in_the_record() {
    let scratch = guarded("true");
    let other = json!({ "at": "2026-01-01T00:00:00.000Z", "green": false, "size": { "loc": 1, "files": 1, "words": 5 },
        "count": 0, "by": "another program" });
    scratch.configure("/protocol/regression/lastAudit", other);
    scratch.run(&["chalk", "audit"]).ok();
    assert_eq!(last(&scratch)["by"], "another program");
    assert_eq!(last(&scratch)["green"], true);
    assert_eq!(last(&scratch)["size"]["loc"], 2);
}

#[test]
fn a_set_configured_anew_while_the_audit_ran_is_refused() {
    let scratch = guarded("");
    let config = scratch.path(".chalk/chalk.json").display().to_string();
    scratch.configure(
        "/protocol/regression/command",
        json!(format!("sed -i 's/\"dir\": \".chalk.held-out\"/\"dir\": \"elsewhere\"/' '{config}'")),
    );
    scratch.run(&["chalk", "audit"]).refused(1, "configured anew while the audit ran");
    assert_eq!(last(&scratch), Value::Null);
}

#[test]
fn each_held_out_test_runs_by_itself_where_the_command_says_so() {
    let scratch = guarded("sh {test}");
    scratch.write(".chalk/held-out/two $(touch leak).sh", "false\n");
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/two $(touch leak).sh"]).ok();
    let tasks = json!([
        { "id": "task-aaaaaaaa", "title": "Add", "state": "done", "acceptanceCriteria": [{ "text": "adds" }],
          "heldOut": ["one.sh"] },
        { "id": "task-bbbbbbbb", "title": "Subtract", "state": "done", "acceptanceCriteria": [{ "text": "takes away" }],
          "heldOut": [".chalk/held-out/two $(touch leak).sh", "nowhere.sh"] },
    ]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.run(&["chalk", "accept", "--why", "set up"]).ok();
    let ran = scratch.run(&["chalk", "audit"]);
    insta::assert_snapshot!(ran.steady(), @"
    exit 2
    --- out
    checked the work tree at `[root]` (the folder of the spine)
    · skipped, without a command: typecheck, lint, test, build
    ✗ 2 held-out tests: fail
      hint: something that the specification asks for is broken; the tests stay withheld
    ✗ task-bbbbbbb  Subtract
      criterion: takes away
    ! tasks name 1 file as held out that the set doesn't lock
    ✗ RED
      next: chalk next
    --- err
    ");
    assert!(!scratch.path("leak").exists());
    let audit = scratch.run(&["chalk", "audit", "--json"]).json();
    assert_eq!(audit["tasks"][0]["outcome"], "pass");
    assert_eq!(audit["tasks"][1]["outcome"], "fail");
    assert_eq!(audit["tasks"][1]["unlocked"], 1);
}

#[test]
fn a_failure_of_the_whole_set_is_blamed_on_no_task() {
    let scratch = guarded("false");
    let tasks = json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "done", "heldOut": [ONE] }]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch.run(&["chalk", "accept", "--why", "set up"]).ok();
    let audit = scratch.run(&["chalk", "audit", "--json"]).json();
    assert_eq!(audit["tasks"][0]["outcome"], "unknown");
}

#[test]
fn an_audit_in_a_work_tree_judges_that_tree() {
    let scratch = guarded("sh .chalk/held-out/one.sh && sh \"$CHALK_HELD_OUT_DIR/one.sh\"");
    let tree = scratch.root().with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    assert!(!tree.join(".chalk/held-out/one.sh").exists(), "the set is not committed");
    scratch.run_in(&tree, &["chalk", "audit"]).ok();
    fs::write(tree.join("src/add.mjs"), "export const add = 2\n").unwrap();
    let ran = scratch.run_in(&tree, &["chalk", "audit"]).refused(2, "1 held-out test: fail");
    assert!(ran.out.contains("[scratch]/linked"), "{}", ran.out);
    assert!(!tree.join(".chalk/held-out/one.sh").exists(), "the set is lent for the run alone");
    scratch.run(&["chalk", "audit"]).ok();
}

#[test]
fn a_work_tree_with_a_held_out_file_of_its_own_is_red() {
    let scratch = guarded("true");
    let tree = scratch.root().with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    fs::create_dir_all(tree.join(".chalk/held-out")).unwrap();
    fs::write(tree.join(ONE), "true\n").unwrap();
    scratch.run_in(&tree, &["chalk", "audit"]).refused(2, "was modified since it was locked");
    assert_eq!(fs::read_to_string(tree.join(ONE)).unwrap(), "true\n");
}

#[test]
fn code_that_moves_under_an_audit_is_not_what_was_audited() {
    let scratch = guarded("echo 'export const add = 1 // new' > src/add.mjs");
    scratch.configure("/protocol/regression/required", json!(true));
    let ran = scratch.run(&["chalk", "audit"]).ok();
    assert!(ran.out.contains("the audit changed src/add.mjs"), "{}", ran.out);
    scratch.run(&["chalk", "phase", "build"]).refused(1, "stale");
}

#[test]
fn a_report_that_a_gate_writes_does_not_make_the_audit_stale() {
    let scratch = guarded("date > report.txt");
    scratch.configure("/protocol/regression/required", json!(true));
    scratch.run(&["chalk", "audit"]).ok();
    scratch.run(&["chalk", "phase", "build"]).ok();
}

#[test]
fn an_audit_outside_git_works() {
    let scratch = Scratch::empty();
    scratch.run(&["chalk", "init", "--bare", "--name", "demo", "--no-agents"]).ok();
    scratch.write("a.py", "1\n");
    scratch.configure("/protocol/verify/test", json!("true"));
    let ran = scratch.run(&["chalk", "audit", "--json"]).ok();
    assert_eq!(ran.json()["size"]["own"], json!({ "loc": 1, "files": 1 }));
}
