use serde_json::{Value, json};

use crate::scratch::Scratch;

#[test]
fn an_empty_project_has_a_status() {
    let scratch = Scratch::plain();
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"");
}

#[test]
fn the_board_shows_groups_milestones_questions_and_events() {
    let scratch = Scratch::chalk();
    scratch.configure("/project", json!({ "name": "shelf", "description": "a library\nof sums" }));
    scratch.configure("/protocol/regression/required", json!(true));
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "a", "state": "done", "milestone": "m1" },
        { "id": "task-bbbbbbbb", "title": "b", "state": "in-progress", "milestone": "m2" },
        { "id": "task-cccccccc", "title": "c", "state": "specd", "milestone": "m2", "tests": [{ "path": "t" }] },
        { "id": "task-dddddddd", "title": "d", "state": "blocked", "block": { "needs": "creds", "reason": "a key" } }
    ]));
    for n in 1..=6 {
        scratch.run(&["chalk", "question", "add", &format!("question {n}?")]).ok();
    }
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"");
    let status = scratch.run(&["chalk", "status", "--all", "--json"]).ok().json();
    assert_eq!(status["questions"]["shown"].as_array().unwrap().len(), 6);
    assert_eq!(status["milestones"]["shown"][1], json!({ "name": "m1", "done": 1, "total": 1 }));
}

#[test]
fn long_lists_are_cut_and_counted() {
    let scratch = Scratch::chalk();
    let task = |n: usize, state: &str| {
        json!({ "id": format!("task-{n:08x}"), "title": format!("t{n}"), "state": state, "milestone": format!("m{n}") })
    };
    let tasks: Vec<Value> = (0..30).map(|n| task(n, "done")).chain((30..60).map(|n| task(n, "todo"))).collect();
    scratch.plant(&json!(tasks));
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"");
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
    insta::assert_snapshot!(scratch.run(&["chalk", "status"]).all(), @"");
    for name in ["widgets", "schema-1.0"] {
        let Some(scratch) = Scratch::node(name) else { return };
        scratch.run(&["chalk", "status", "--json"]).ok();
        scratch.run(&["chalk", "backlog", "--json"]).ok();
        scratch.run(&["chalk", "lesson", "--json"]).ok();
        scratch.run(&["chalk", "skill", "--json"]).ok();
    }
}
