use serde_json::{Value, json};

use crate::scratch::Scratch;

#[test]
fn an_empty_project_has_a_status() {
    let scratch = Scratch::plain();
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"
    exit 0
    --- out
    demo (discovery)
    no tasks yet
    --- err
    ");
}

#[test]
fn the_board_shows_groups_milestones_questions_and_events() {
    let scratch = Scratch::chalk();
    scratch.configure("/project", json!({ "name": "shelf", "description": "a library\nof sums" }));
    scratch.configure("/protocol/regression/required", json!(true));
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "a", "state": "done", "milestone": "m1" },
        { "id": "task-bbbbbbbb", "title": "b", "state": "in-progress", "milestone": "m2" },
        { "id": "task-cccccccc", "title": "c", "state": "specd", "milestone": "m2", "acceptanceCriteria": [{ "text": "x" }] },
        { "id": "task-dddddddd", "title": "d", "state": "blocked", "block": { "needs": "creds", "reason": "a key" } }
    ]));
    for n in 1..=6 {
        scratch.run(&["chalk", "question", "add", &format!("question {n}?")]).ok();
    }
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"
    exit 0
    --- out
    shelf (discovery)
      a library of sums
    In progress (1)
      task-bbbbbbbb  b  [m2]
    Blocked (1)
      task-dddddddd  d  needs creds: a key
    Ready to start (1)
      task-cccccccc  c  [m2]
    Done (1)
      task-aaaaaaaa  a  [m1]
    Milestones
      m2  0 of 2 done
      m1  1 of 1 done
    Open questions (6)
      q-c104e751  (us)  question 1?
      q-c9b842b9  (us)  question 2?
      q-d26b9e21  (us)  question 3?
      q-db1ef989  (us)  question 4?
      q-e3d254f1  (us)  question 5?
      and 1 more (`--all`)
    Recent
      2026-12-01 00:00  Question asked: question 6?
      2026-12-01 00:00  Question asked: question 5?
      2026-12-01 00:00  Question asked: question 4?
    ! audit: required, and never ran
    --- err
    ");
    let status = scratch.run(&["chalk", "status", "--all", "--json"]).ok().json();
    assert_eq!(status["questions"]["shown"].as_array().unwrap().len(), 6);
    assert_eq!(status["milestones"]["shown"][1], json!({ "name": "m1", "done": 1, "total": 1 }));
}

#[test]
fn long_lists_are_cut_and_counted() {
    let scratch = Scratch::chalk();
    let task = |n: usize, state: &str| json!({ "id": format!("task-{n:08x}"), "title": format!("t{n}"), "state": state, "milestone": format!("m{n}") });
    let tasks: Vec<Value> =
        (0..30).map(|n| task(n, "done")).chain((30..60).map(|n| task(n, "todo"))).collect();
    scratch.plant(&json!(tasks));
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"
    exit 0
    --- out
    demo (discovery)
    Without criteria (30)
      task-0000001e  t30  [m30]
      task-0000001f  t31  [m31]
      task-00000020  t32  [m32]
      task-00000021  t33  [m33]
      task-00000022  t34  [m34]
      and 25 more (`--all`)
    Done (30)
      task-00000019  t25  [m25]
      task-0000001a  t26  [m26]
      task-0000001b  t27  [m27]
      task-0000001c  t28  [m28]
      task-0000001d  t29  [m29]
      and 25 more (`--all`)
    Milestones
      m30  0 of 1 done
      m31  0 of 1 done
      m32  0 of 1 done
      m33  0 of 1 done
      m34  0 of 1 done
      m35  0 of 1 done
      m36  0 of 1 done
      m37  0 of 1 done
      m38  0 of 1 done
      m39  0 of 1 done
      and 50 more (`--all`)
    Recent
      2026-12-01 00:00  Decision: Accepted a change of .chalk/tasks.json past the program
    --- err
    ");
}

#[test]
fn damaged_lines_of_the_log_are_passed_over() {
    let scratch = Scratch::chalk();
    let mut log = scratch.read(".chalk/updates.jsonl");
    log.push_str("{ half a line\n");
    scratch.write(".chalk/updates.jsonl", &log);
    let ran = scratch.run(&["chalk", "status"]).ok();
    assert!(ran.err.contains("`.chalk/updates.jsonl` line"), "{}", ran.all());
    assert_eq!(scratch.read(".chalk/updates.jsonl"), log);
}

#[test]
fn a_status_in_a_worktree_is_that_of_the_one_spine() {
    let scratch = Scratch::chalk();
    let id = scratch.task("only");
    scratch.commit("spine");
    scratch.git(&["worktree", "add", "-q", "../work"]);
    let work = scratch.root().parent().unwrap().join("work");
    scratch.run_in(&work, &["chalk", "block", &id, "--needs", "creds", "--reason", "x"]).ok();
    for folder in [scratch.root(), work] {
        let status = scratch.run_in(&folder, &["chalk", "status", "--json"]).ok().json();
        assert_eq!(status["counts"]["blocked"], 1, "{}", folder.display());
    }
}

#[test]
fn spines_of_the_node_implementation_are_shown() {
    let Some(scratch) = Scratch::node("shelf") else { return };
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @r#"
    exit 0
    --- out
    shelf (spec)
      a small library of sums
    Blocked (1)
      task-faad4b41  Größe & 日本語: "quoted" title  [m1]  needs decision: waiting for rounding
    Without criteria (1)
      task-cc10bf21  Multiply
    Done (1)
      task-eba9107b  Add two numbers
    Milestones
      m1  0 of 1 done
    Open questions (1)
      q-cb7dbb06  (client)  Which rounding?
    Recent
      2026-12-01 03:17  Handoff written: Größe & 日本語: "quoted" title
      2026-12-01 03:17  Blocked: Größe & 日本語: "quoted" title (needs decision)
      2026-12-01 03:17  Started: Größe & 日本語: "quoted" title
    audit: was green at 2026-12-01 03:17, for the files of then
    --- err
    "#);
    for name in ["widgets", "schema-1.0"] {
        let Some(scratch) = Scratch::node(name) else { return };
        scratch.run(&["chalk", "status", "--json"]).ok();
        scratch.run(&["chalk", "backlog", "--json"]).ok();
        scratch.run(&["chalk", "lesson", "--json"]).ok();
        scratch.run(&["chalk", "skill", "--json"]).ok();
    }
}

#[test]
fn a_result_that_may_be_old_is_not_shown_as_good() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/lint", json!("true"));
    scratch.run(&["chalk", "verify"]).ok();
    scratch.write("a.js", "1\n");
    let status = scratch.run(&["chalk", "status"]).ok();
    assert!(
        status.out.contains("\nverify: was green at 2026-12-01 00:00, for the files of then"),
        "{}",
        status.out
    );
    scratch.configure("/protocol/verify/lint", json!("true || true"));
    let status = scratch.run(&["chalk", "status"]).ok();
    assert!(
        status.out.contains("! verify: was green at 2026-12-01 00:00, but the gates' commands changed"),
        "{}",
        status.out
    );
}
