use serde_json::{Value, json};

use crate::scratch::Scratch;

/// A task in progress with one locked test that holds.
fn working() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("test/add it.test.mjs", "// adds\n");
    scratch.commit("a test");
    scratch.plant(&json!([task(json!({}))]));
    scratch
}

fn task(more: Value) -> Value {
    let mut task = json!({
        "id": "task-aaaaaaaa", "title": "Add two numbers", "state": "in-progress",
        "acceptanceCriteria": [{ "text": "1+2 is 3" }],
        "tests": [{ "path": "test/add it.test.mjs", "sha256": canon::Sha256::of("// adds\n") }],
        "startedAt": "2026-12-01T00:00:00.500Z"
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        task[key] = value.clone();
    }
    task
}

fn specd(id: &str, title: &str) -> Value {
    json!({ "id": id, "title": title, "state": "specd", "acceptanceCriteria": [{ "text": "x" }] })
}

fn reason(scratch: &Scratch) -> (String, Option<String>) {
    let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
    let word = |key: &str| next[key].as_str().map(str::to_owned);
    (word("reason").unwrap_or_default(), word("command"))
}

#[test]
fn an_empty_spine_asks_for_a_task() {
    let scratch = Scratch::chalk();
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    there are no tasks
      next: chalk task add "..."
    --- err
    "#);
    insta::assert_snapshot!(scratch.run(&["cairn", "next", "--json"]).all(), @r#"
    exit 0
    --- out
    {
      "task": null,
      "freshSession": true,
      "handoff": null,
      "action": null,
      "reason": "no-tasks",
      "message": "there are no tasks",
      "about": null,
      "facts": [],
      "command": "cairn task add \"...\"",
      "counts": {
        "inProgress": 0,
        "ready": 0,
        "waiting": 0,
        "needsCriteria": 0,
        "rework": 0,
        "blocked": 0,
        "done": 0,
        "unknown": 0
      }
    }
    --- err
    "#);
}

#[test]
fn the_published_keys_mean_what_they_mean_elsewhere() {
    let scratch = Scratch::chalk();
    let handoff = json!({ "path": ".chalk/handoffs/task-bbbbbbb-2.md", "seq": 2 });
    let mut second = specd("task-bbbbbbbb", "b");
    second["handoff"] = handoff;
    scratch.plant(&json!([{ "id": "task-00000000", "title": "todo" }, second, specd("task-cccccccc", "c")]));
    let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
    assert_eq!(next["task"], json!({ "id": "task-bbbbbbbb", "title": "b", "state": "specd" }));
    assert_eq!(next["freshSession"], true);
    assert_eq!(next["handoff"], ".chalk/handoffs/task-bbbbbbb-2.md");
    assert_eq!(next["action"], "start");
    scratch.plant(&json!([{ "id": "task-00000000", "title": "todo" }]));
    let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
    assert_eq!(
        (&next["task"], &next["action"], &next["handoff"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(next["about"]["id"], "task-00000000");
}

#[test]
fn a_task_in_progress_is_worked_on_and_verified() {
    let scratch = working();
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @"
    exit 0
    --- out
    work on the task in progress, then verify
      task-aaaaaaaa  Add two numbers  (in-progress)
      1. 1+2 is 3
      next: chalk verify
      hint: read first: `chalk context task-aaaaaaaa`
      1 in progress
    --- err
    ");
    let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
    assert_eq!(
        (next["action"].as_str(), next["task"]["state"].as_str()),
        (Some("work"), Some("in-progress"))
    );
}

#[test]
fn a_broken_lock_comes_before_everything_and_git_restores_it() {
    let scratch = working();
    scratch.write("test/add it.test.mjs", "// weakened\n");
    let ran = scratch.run(&["chalk", "next"]).ok();
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    ✗ a locked test is not what was locked
      task-aaaaaaaa  Add two numbers  (in-progress)
      `test/add it.test.mjs` was modified since it was locked
      next: git restore --source=HEAD -- 'test/add it.test.mjs'
      hint: only where the test itself is wrong: `chalk amend-spec task-aaaaaaaa --test 'test/add it.test.mjs' --why "..."`
      1 in progress
    --- err
    "#);
    // The command does what it says.
    scratch.git(&["restore", "--source=HEAD", "--", "test/add it.test.mjs"]);
    assert_eq!(reason(&scratch).0, "verify-missing");
    std::fs::remove_file(scratch.path("test/add it.test.mjs")).unwrap();
    assert_eq!(reason(&scratch).0, "lock-broken");
}

#[test]
fn a_broken_lock_that_git_has_not_got_asks_for_a_reason() {
    let scratch = Scratch::plain();
    scratch.write("t.mjs", "new");
    let lock = json!([{ "path": "t.mjs", "sha256": canon::Sha256::of("old") }]);
    scratch.plant(&json!([task(json!({ "tests": lock }))]));
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ✗ a locked test is not what was locked
      task-aaaaaaaa  Add two numbers  (in-progress)
      `t.mjs` was modified since it was locked
      there is no git to bring back what was locked
      next: chalk amend-spec task-aaaaaaaa --test t.mjs --why "..."
      hint: better: bring `t.mjs` back as it was
      1 in progress
    --- err
    "#);
    std::fs::remove_file(scratch.path("t.mjs")).unwrap();
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ✗ a locked test is not what was locked
      task-aaaaaaaa  Add two numbers  (in-progress)
      `t.mjs` is gone
      there is no git to bring back what was locked
      hint: bring `t.mjs` back as it was; where it is meant to go, say so with `chalk question add "..."`
      1 in progress
    --- err
    "#);
}

#[test]
fn line_ends_that_git_put_there_are_no_break() {
    let scratch = working();
    scratch.git(&["config", "core.autocrlf", "true"]);
    std::fs::remove_file(scratch.path("test/add it.test.mjs")).unwrap();
    scratch.git(&["checkout", "--", "test"]);
    assert_eq!(scratch.read("test/add it.test.mjs"), "// adds\r\n");
    assert_eq!(reason(&scratch).0, "verify-missing");
}

#[test]
fn locks_are_hashed_in_the_tree_of_their_task() {
    let scratch = working();
    scratch.commit("spine");
    scratch.git(&["worktree", "add", "-q", "../work", "-b", "work"]);
    scratch.plant(&json!([task(json!({ "worktree": "../work" }))]));
    scratch.write("test/add it.test.mjs", "// weakened on main\n");
    assert_eq!(reason(&scratch).0, "verify-missing", "the task's own tree is intact");
    std::fs::write(scratch.root().parent().unwrap().join("work/test/add it.test.mjs"), "// weakened\n")
        .unwrap();
    let (reason, command) = reason(&scratch);
    assert_eq!(reason, "lock-broken");
    assert!(command.unwrap().contains("/work restore "), "the command names the other tree");
}

#[test]
fn an_edited_spine_stops_the_work_only_where_policy_says_so() {
    let scratch = working();
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["title"] = json!("Edited");
    scratch.write(".chalk/tasks.json", tasks.to_string());
    let ran = scratch.run(&["chalk", "next"]).ok();
    assert!(ran.err.contains("was changed past the program"), "{}", ran.all());
    assert_eq!(reason(&scratch).0, "verify-missing");
    scratch.configure("/protocol/tamperEvident", json!("refuse"));
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["title"] = json!("Edited again");
    scratch.write(".chalk/tasks.json", tasks.to_string());
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ✗ `.chalk/tasks.json` was changed past the program, and not committed either
      next: chalk accept --why "..."
      hint: look at the change (`git diff .chalk`), then accept it with a reason or restore the file
      1 in progress
    --- err
    warning: `.chalk/tasks.json` was changed past the program, and not committed either; accept it with `chalk accept --why "..."`
    "#);
    // The contract is looked at first.
    scratch.write("test/add it.test.mjs", "// weakened\n");
    assert_eq!(reason(&scratch).0, "lock-broken");
}

#[test]
fn verify_review_and_done_follow_each_other() {
    let scratch = working();
    scratch.configure("/protocol/review", json!({ "command": "reviewer", "requiredAt": ["per-task"] }));
    let verify = |command: &str| {
        scratch.configure("/protocol/verify/lint", json!(command));
        scratch.run(&["chalk", "verify"]);
    };
    let id = "task-aaaaaaaa";
    assert_eq!(reason(&scratch), ("verify-missing".into(), Some("chalk verify".into())));
    verify("false");
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @"
    exit 0
    --- out
    ✗ the last verify was red: mend it and verify again
      task-aaaaaaaa  Add two numbers  (in-progress)
      lint failed
      next: chalk verify
      hint: read first: `chalk context task-aaaaaaaa`
      1 in progress
    --- err
    ");
    verify("true");
    assert_eq!(reason(&scratch), ("review-missing".into(), Some(format!("chalk review {id}"))));
    let review = |verdict: &str| {
        json!([{ "at": scratch.now(), "by": "adversary", "verdict": verdict,
            "findings": [{ "severity": "high", "area": "test-adequacy", "note": "no test\nof zero" }] }])
    };
    scratch.wait(1);
    scratch.plant(&json!([task(json!({ "reviews": review("block") }))]));
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @"
    exit 0
    --- out
    ✗ the reviewer blocks: mend what was found, then verify
      task-aaaaaaaa  Add two numbers  (in-progress)
      high test-adequacy: no test of zero
      next: chalk verify
      hint: read first: `chalk context task-aaaaaaaa`
      1 in progress
    --- err
    ");
    verify("false");
    assert_eq!(reason(&scratch).0, "verify-red", "the newer word counts");
    verify("true");
    assert_eq!(reason(&scratch), ("review-blocked".into(), Some(format!("chalk review {id}"))));
    scratch.plant(&json!([task(json!({ "reviews": review("stale") }))]));
    assert_eq!(reason(&scratch).0, "review-stale");
    scratch.plant(&json!([task(json!({ "reviews": review("pass") }))]));
    assert_eq!(reason(&scratch), ("ready-to-finish".into(), Some(format!("chalk done {id}"))));
    // What was measured with other commands, or before the task was started anew, counts no more.
    scratch.configure("/protocol/verify/lint", json!("true || true"));
    assert_eq!(reason(&scratch).0, "verify-missing");
    verify("true");
    scratch.wait(60);
    scratch.plant(&json!([task(json!({ "startedAt": scratch.now(), "reviews": review("pass") }))]));
    assert_eq!(reason(&scratch).0, "verify-missing");
}

#[test]
fn only_the_last_task_of_a_milestone_needs_its_review() {
    let scratch = working();
    scratch.configure("/protocol/review/requiredAt", json!("milestone-boundary"));
    let review = json!([{ "verdict": "block", "at": "2026-12-01T00:00:01.000Z" }]);
    let mine = task(json!({ "milestone": "m", "reviews": review }));
    let mut other = specd("task-bbbbbbbb", "b");
    other["milestone"] = json!("m");
    scratch.plant(&json!([mine, other]));
    assert_eq!(reason(&scratch).0, "verify-missing");
    other["state"] = json!("done");
    scratch.plant(&json!([mine, other]));
    assert_eq!(reason(&scratch).0, "review-blocked");
}

#[test]
fn an_open_fork_waits_for_a_person() {
    let scratch = working();
    scratch.plant(&json!([task(
        json!({ "raised": [{ "id": "raise-1", "fork": "floats or `integers`?", "status": "open" }] })
    )]));
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ! a person has to decide something about the task in progress
      task-aaaaaaaa  Add two numbers  (in-progress)
      floats or `integers`?
      next: chalk block task-aaaaaaaa --needs decision --reason "floats or 'integers'?"
      hint: the answer is given with the program that raised it
      1 in progress
    --- err
    "#);
}

#[test]
fn one_action_and_the_rest_as_counts() {
    let scratch = Scratch::chalk();
    let blocked = |id: &str, needs: &str| json!({ "id": id, "title": format!("needs {needs}"), "state": "blocked", "block": { "needs": needs, "reason": "why" } });
    let mut tasks = vec![
        json!({ "id": "task-todo0000", "title": "no criteria" }),
        blocked("task-creds000", "creds"),
        specd("task-ready000", "first"),
        specd("task-ready001", "second"),
        blocked("task-rework00", "review"),
    ];
    scratch.plant(&json!(tasks));
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @"
    exit 0
    --- out
    the task waits for your own work: mend what the review found, then review again
      task-rework00  needs review  (blocked)
      why
      next: chalk review task-rework00
      hint: read first: `chalk context task-rework00`
      2 ready, 1 without criteria, 1 to rework, 1 blocked
    --- err
    ");
    insta::assert_snapshot!(scratch.run(&["chalk", "next", "--all"]).all(), @"
    exit 0
    --- out
    the task waits for your own work: mend what the review found, then review again
      task-rework00  needs review  (blocked)
      why
      next: chalk review task-rework00
      hint: read first: `chalk context task-rework00`
      2 ready, 1 without criteria, 1 to rework, 1 blocked
      Ready to start   task-ready000  first
      Ready to start   task-ready001  second
      Without criteria task-todo0000  no criteria
      Blocked          task-creds000  needs creds  needs creds: why
    --- err
    ");
    let mut seen = Vec::new();
    while !tasks.is_empty() {
        scratch.plant(&json!(tasks));
        let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
        let about = next["about"]["id"].as_str().unwrap().to_owned();
        seen.push(format!("{} {}", next["reason"].as_str().unwrap(), next["command"].as_str().unwrap()));
        tasks.retain(|task| task["id"] != about.as_str());
    }
    insta::assert_snapshot!(seen.join("\n"), @r#"
    rework chalk review task-rework00
    ready-to-start chalk start task-ready000
    ready-to-start chalk start task-ready001
    needs-criteria chalk spec task-todo0000 --criterion "..."
    awaits-person chalk unblock task-creds000 --why "..."
    "#);
}

#[test]
fn what_waits_for_a_person_names_the_open_questions() {
    let scratch = Scratch::chalk();
    scratch.plant(&json!([
        { "id": "task-aaaaaaaa", "title": "a", "state": "done" },
        { "id": "task-bbbbbbbb", "title": "b", "state": "blocked", "block": { "needs": "decision", "reason": "rounding" } }
    ]));
    scratch.run(&["chalk", "question", "add", "Which rounding?", "--for", "client"]).ok();
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ! what is left waits for somebody else
      task-bbbbbbbb  b: needs decision: rounding
      open question q-af9e3081: Which rounding?
      next: chalk unblock task-bbbbbbbb --why "..."
      hint: that is for the one who has what is needed; until then there is nothing to do
      1 blocked, 1 done
    --- err
    "#);
}

#[test]
fn tasks_that_wait_for_each_other_are_named() {
    let scratch = Scratch::chalk();
    let mut first = specd("task-aaaaaaaa", "a");
    first["after"] = json!(["task-bbbbbbbb"]);
    let mut second = specd("task-bbbbbbbb", "b");
    second["after"] = json!(["task-aaaaaaaa"]);
    scratch.plant(&json!([first, second]));
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @"
    exit 0
    --- out
    ! no task can go on
      task-aaaaaaaa  a  (specd)
      it comes after task-bbbbbbbb
      next: chalk task edit task-aaaaaaaa --not-after ID
      hint: see `chalk backlog`
      2 waiting
    --- err
    ");
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "a", "state": "paused" }]));
    assert_eq!(reason(&scratch), ("stuck".into(), Some("chalk task show task-aaaaaaaa".into())));
}

#[test]
fn a_required_audit_comes_when_nothing_else_is_left() {
    let scratch = Scratch::chalk();
    scratch.write("src/a.js", "1\n");
    let done = json!([{ "id": "task-aaaaaaaa", "title": "a", "state": "done" }]);
    scratch.plant(&done);
    insta::assert_snapshot!(scratch.run(&["chalk", "next"]).all(), @r#"
    exit 0
    --- out
    ✓ the one task is done
      next: chalk task add "..."
      1 done
    --- err
    "#);
    scratch.configure("/protocol/regression/required", json!(true));
    assert_eq!(reason(&scratch), ("audit-missing".into(), Some("chalk audit".into())));
    scratch.configure(
        "/protocol/regression/lastAudit",
        json!({ "at": "t", "green": false, "size": { "loc": 2, "files": 1 } }),
    );
    assert_eq!(reason(&scratch).0, "audit-red");
    scratch.configure(
        "/protocol/regression/lastAudit",
        json!({ "at": "t", "green": true, "size": { "loc": 1, "files": 1 } }),
    );
    assert_eq!(reason(&scratch).0, "audit-stale");
    scratch.configure(
        "/protocol/regression/lastAudit",
        json!({ "at": "t", "green": true, "size": { "loc": 2, "files": 1 } }),
    );
    assert_eq!(reason(&scratch).0, "all-done");
    scratch.configure("/protocol/regression/locPerTest", json!(1));
    assert_eq!(reason(&scratch), ("held-out-small".into(), Some("chalk guard add PATH".into())));
}

#[test]
fn ids_that_share_their_beginning_are_named_whole() {
    let scratch = Scratch::chalk();
    scratch.plant(&json!([specd("task-aaaaaaa1", "one"), specd("task-aaaaaaa2", "two")]));
    let (_, command) = reason(&scratch);
    assert_eq!(command.unwrap(), "chalk start task-aaaaaaa1", "the display id would be ambiguous");
}

#[test]
fn a_task_is_read_whole_whatever_its_layout() {
    let scratch = Scratch::chalk();
    for text in [
        r#"[{"title":"one","tests":[{"path":"a","sha256":"HASH"}],"state":"in-progress","id":"task-aaaaaaaa"}]"#,
        r#"[{"id" : "task-00000000","x":{"id":"task-aaaaaaaa"}},  {"id":"task-\u0061aaaaaaa","state":"in-progress","tests":[{"path":"a","sha256":"HASH"}]}]"#,
        r#"[{"x":"\ud83d"},{"id":"task-aaaaaaaa","state":"in-progress","tests":[{"path":"a","sha256":"HASH"}]}]"#,
    ] {
        let hash = canon::Sha256::of("").to_string();
        scratch.write(
            ".chalk/tasks.json",
            text.replace("HASH", &hash).replace(r#"{"x""#, r#"{"id":"task-0","x""#),
        );
        let next = scratch.run(&["chalk", "next", "--json"]).ok().json();
        assert_eq!(next["reason"], "lock-broken", "{text}");
        assert_eq!(next["about"]["id"], "task-aaaaaaaa", "{text}");
    }
}

#[test]
fn ten_thousand_tasks_give_a_short_answer() {
    let scratch = Scratch::plain();
    let tasks: Vec<Value> = (0..10_000).map(|n| specd(&format!("task-{n:08x}"), &format!("t{n}"))).collect();
    scratch.plant(&json!(tasks));
    let ran = scratch.run(&["chalk", "next"]).ok();
    assert!(ran.out.lines().count() <= 6, "{}", ran.out);
    assert!(ran.out.contains("10000 ready"), "{}", ran.out);
    assert!(scratch.run(&["chalk", "status"]).ok().out.lines().count() < 20);
    let all = scratch.run(&["chalk", "next", "--all"]).ok();
    assert_eq!(all.out.matches("task-00000000").count(), 3, "what comes next is not listed again");
    assert_eq!(all.out.lines().count(), ran.out.lines().count() + 9_999);
}

#[test]
fn a_spine_that_is_gone_is_no_empty_spine() {
    let scratch = working();
    std::fs::remove_file(scratch.path(".chalk/tasks.json")).unwrap();
    scratch.run(&["chalk", "next"]).refused(1, "spine-damaged");
    scratch.write(".chalk/tasks.json", "<<<<<<< HEAD\n[]\n=======\n[]\n>>>>>>> x\n");
    scratch.run(&["chalk", "next"]).refused(1, "spine-conflict");
    std::fs::remove_dir_all(scratch.path(".chalk")).unwrap();
    scratch.run(&["chalk", "next"]).refused(1, "no-spine");
}

#[test]
fn a_detached_or_unborn_head_is_no_obstacle() {
    let scratch = working();
    scratch.git(&["checkout", "-q", "--detach"]);
    scratch.write("test/add it.test.mjs", "// weakened\n");
    assert_eq!(reason(&scratch).0, "lock-broken");
    let unborn = Scratch::empty();
    unborn.git(&["init", "-q"]);
    unborn.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    unborn.write("test/add it.test.mjs", "// weakened\n");
    unborn.plant(&json!([task(json!({}))]));
    let (reason, command) = reason(&unborn);
    assert_eq!(reason, "lock-broken");
    assert!(command.unwrap().starts_with("chalk amend-spec"), "git has nothing to restore");
}

#[test]
fn spines_of_the_node_implementation_are_understood() {
    for (name, expected) in
        [("shelf", "needs-criteria"), ("widgets", "all-done"), ("schema-1.0", "audit-missing")]
    {
        let Some(scratch) = Scratch::node(name) else { return };
        assert_eq!(reason(&scratch).0, expected, "{name}");
        scratch.run(&["chalk", "next", "--all"]).ok();
    }
}

/// A started task whose locked test asserts nothing, everything committed.
fn started(test: &str) -> (Scratch, String) {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("sh tests/add.test.sh"));
    scratch.configure("/protocol/breakTest", json!("sh {test}"));
    scratch.write("add.sh", "echo 0\n");
    scratch.commit("before");
    let id = scratch.task("Add");
    scratch.write("tests/add.test.sh", test);
    scratch.run(&["chalk", "spec", &id, "--criterion", "1 and 2 is 3", "--test", "tests/add.test.sh"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("add.sh", "echo $(($1 + $2))\n");
    scratch.commit("work");
    (scratch, id)
}

#[test]
fn what_done_refused_is_not_asked_of_it_again() {
    let (scratch, id) = started("sh add.sh 1 2 >/dev/null\n");
    scratch.configure("/protocol/doneLevers", json!("refuse"));
    scratch.run(&["chalk", "done", &id]).refused(1, "vacuous-test");
    let refused = reason(&scratch);
    assert_eq!(refused.0, "done-refused");
    assert_eq!(refused.1.unwrap(), format!("chalk amend-spec {id} --test tests/add.test.sh --why \"...\""));
    scratch.run(&["chalk", "verify"]).ok();
    assert_eq!(reason(&scratch).0, "done-refused", "a green verify of the same files changes nothing");
    scratch.run(&["chalk", "review", &id, "--note", "fine"]).ok();
    assert_eq!(reason(&scratch).0, "done-refused", "nor does a review");
    scratch.configure("/protocol/doneLevers", json!("warn"));
    assert_eq!(reason(&scratch).0, "ready-to-finish", "what only warns refuses no more");
    scratch.configure("/protocol/doneLevers", json!("refuse"));
    scratch.write("tests/add.test.sh", "test \"$(sh add.sh 1 2)\" = 3\n");
    scratch.run(&["chalk", "amend-spec", &id, "--test", "tests/add.test.sh", "--why", "asserts"]).ok();
    scratch.run(&["chalk", "verify"]).ok();
    assert_eq!(reason(&scratch), ("ready-to-finish".into(), Some(format!("chalk done {id}"))));
}

#[test]
fn an_untracked_test_that_done_refused_is_added() {
    let (scratch, id) = started("test \"$(sh add.sh 1 2)\" = 3\n");
    scratch.git(&["rm", "-q", "--cached", "tests/add.test.sh"]);
    scratch.run(&["chalk", "done", &id]).refused(1, "test-untracked");
    assert_eq!(reason(&scratch), ("done-refused".into(), Some("git add tests/add.test.sh".into())));
    scratch.git(&["add", "tests/add.test.sh"]);
    assert_eq!(reason(&scratch).0, "ready-to-finish");
}

#[test]
fn a_review_that_policy_does_not_take_is_not_finished_with() {
    let (scratch, id) = started("test \"$(sh add.sh 1 2)\" = 3\n");
    scratch.configure("/protocol/review", json!({ "command": "", "requiredAt": ["per-task"] }));
    let verify = || {
        let ran = scratch.run(&["chalk", "verify", "--json"]).ok().json();
        ran["next"].as_str().unwrap().to_owned()
    };
    assert_eq!(verify(), format!("chalk review {id} --note \"...\""));
    scratch.run(&["chalk", "review", &id, "--note", "looked"]).ok();
    assert_eq!(verify(), format!("chalk done {id}"));
    assert_eq!(reason(&scratch).0, "ready-to-finish");
    scratch.configure("/protocol/reviewFindings", json!("refuse"));
    assert_eq!(reason(&scratch), ("review-missing".into(), None));
    scratch.run(&["chalk", "done", &id]).refused(1, "review-missing");
    scratch.configure("/protocol/review/command", json!("reviewer"));
    assert_eq!(reason(&scratch), ("review-missing".into(), Some(format!("chalk review {id}"))));
    scratch.configure("/protocol/reviewFindings", json!("warn"));
    scratch.wait(1);
    scratch.write("add.sh", "echo $(( $1 + $2 ))\n");
    assert_eq!(verify(), format!("chalk review {id}"), "the pass was for other files");
    assert_eq!(reason(&scratch).0, "review-stale");
}

#[test]
fn a_blocked_review_is_mended_by_a_change_and_not_by_time() {
    let (scratch, id) = started("test \"$(sh add.sh 1 2)\" = 3\n");
    scratch.configure("/protocol/review", json!({ "command": "", "requiredAt": ["per-task"] }));
    scratch.run(&["chalk", "review", &id, "--block", "--note", "negative numbers"]);
    scratch.wait(1);
    let verified = scratch.run(&["chalk", "verify", "--json"]).ok().json();
    assert_eq!(verified["next"], "chalk next");
    let next = scratch.run(&["chalk", "next"]).ok();
    assert!(
        next.out.contains("the reviewer blocks") && next.out.contains("negative numbers"),
        "{}",
        next.out
    );
    scratch.write("add.sh", "echo $(( $1 + $2 ))\n");
    scratch.run(&["chalk", "verify"]).ok();
    let next = scratch.run(&["chalk", "next"]).ok();
    assert!(next.out.contains("ask for the review again"), "{}", next.out);
}

#[test]
fn a_decider_that_moved_on_purpose_is_said_so() {
    let (scratch, id) = started("test \"$(sh add.sh 1 2)\" = 3\n");
    scratch.configure("/protocol/lockDeciders", json!("refuse"));
    scratch.configure("/protocol/verify/test", json!("sh tests/add.test.sh && true"));
    let amend = format!("chalk amend-spec {id} --test tests/add.test.sh --why \"...\"");
    let verified = scratch.run(&["chalk", "verify", "--json"]).json();
    assert_eq!(verified["next"], amend.as_str());
    assert_eq!(reason(&scratch), ("verify-red".into(), Some(amend)));
    scratch.run(&["chalk", "amend-spec", &id, "--test", "tests/add.test.sh", "--why", "meant"]).ok();
    assert_eq!(reason(&scratch), ("verify-red".into(), Some("chalk verify".into())));
}

#[test]
fn a_broken_lock_of_a_done_task_comes_first_where_all_locks_count() {
    let scratch = working();
    let mut old = task(json!({}));
    old["id"] = json!("task-bbbbbbbb");
    old["state"] = json!("done");
    scratch.plant(&json!([old, specd("task-cccccccc", "c")]));
    scratch.write("test/add it.test.mjs", "// weakened\n");
    assert_eq!(reason(&scratch).0, "ready-to-start");
    scratch.configure("/protocol/integrity", json!("all-locks"));
    let (why, command) = reason(&scratch);
    assert_eq!(why, "lock-broken");
    assert_eq!(command.unwrap(), "git restore --source=HEAD -- 'test/add it.test.mjs'");
    // A task that locked the path anew speaks for it.
    let mut anew = task(json!({}));
    anew["tests"][0]["sha256"] = json!(canon::Sha256::of("// weakened\n"));
    scratch.plant(&json!([old, anew]));
    assert_eq!(reason(&scratch).0, "verify-missing");
}

#[test]
fn what_was_locked_is_brought_back_from_where_the_task_began() {
    let scratch = working();
    let base = scratch.git(&["rev-parse", "HEAD"]);
    scratch.plant(&json!([task(json!({ "cairn": { "base": base.trim() } }))]));
    scratch.write("test/add it.test.mjs", "// weakened\n");
    scratch.commit("weakened");
    let (why, command) = reason(&scratch);
    assert_eq!(why, "lock-broken");
    assert_eq!(command.unwrap(), format!("git restore --source={} -- 'test/add it.test.mjs'", base.trim()));
    scratch.plant(&json!([task(json!({}))]));
    let next = scratch.run(&["chalk", "next"]).ok();
    assert!(next.out.contains("the last commit doesn't have what was locked"), "{}", next.out);
}
