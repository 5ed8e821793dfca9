use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_task_begins_as_todo_with_the_published_keys() {
    let scratch = Scratch::chalk();
    let ran = scratch.run(&["chalk", "task", "add", "Größe & \"quoted\"\ttitle", "--milestone", "m1"]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    ✓ task-a6ead51  Größe & "quoted" title
      next: chalk spec task-a6ead519 --criterion "..."
    --- err
    "#);
    insta::assert_snapshot!(scratch.read(".chalk/tasks.json"), @r#"
    [
      {
        "id": "task-a6ead519",
        "title": "Größe & \"quoted\" title",
        "state": "todo",
        "acceptanceCriteria": [],
        "tests": [],
        "heldOut": [],
        "milestone": "m1",
        "after": [],
        "createdAt": "2026-12-01T00:00:02.000Z",
        "reviews": []
      }
    ]
    "#);
    assert!(
        scratch
            .read(".chalk/updates.jsonl")
            .contains("\"type\":\"work-item-started\",\"title\":\"Task created: Größe")
    );
}

#[test]
fn order_names_tasks_exactly_or_is_refused() {
    let scratch = Scratch::chalk();
    let first = scratch.task("first");
    let second = scratch.task("second");
    let before = scratch.spine();
    scratch.run(&["chalk", "task", "add", "x", "--after", "task-"]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "task", "add", "x", "--after", "nothing"]).refused(1, "not-found");
    scratch.run(&["chalk", "task", "add", "x", "--after"]).refused(1, "--after");
    assert_eq!(scratch.spine(), before);
    let added = scratch
        .run(&["chalk", "task", "add", "x", "--after", &first[..12], "--after", &second, "--json"])
        .ok();
    assert_eq!(added.json()["after"], json!([first, second]));
}

#[test]
fn an_edit_changes_its_own_fields_and_is_logged() {
    let scratch = Scratch::chalk();
    let first = scratch.task("first");
    let second = scratch.task("second");
    let ran = scratch.run(&[
        "chalk",
        "task",
        "edit",
        &second,
        "--title",
        "better",
        "--milestone",
        "m",
        "--after",
        &first,
    ]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ task-af9e308  better
      title was: second
      milestone: m
      after task-a6ead51
    --- err
    ");
    let task = scratch.json(".chalk/tasks.json")[1].clone();
    assert_eq!((task["title"].as_str(), task["milestone"].as_str()), (Some("better"), Some("m")));
    assert_eq!(task["after"], json!([first]));
    assert!(scratch.read(".chalk/updates.jsonl").contains("Task edited: better"));
    scratch.run(&["chalk", "task", "edit", &first, "--after", &second]).refused(1, "come before itself");
    scratch.run(&["chalk", "task", "edit", &second, "--no-milestone", "--not-after", &first]).ok();
    let task = scratch.json(".chalk/tasks.json")[1].clone();
    assert!(task.get("milestone").is_none());
    assert_eq!(task["after"], json!([]));
    let before = scratch.spine();
    scratch.run(&["chalk", "task", "edit", &second, "--title", "better"]).ok();
    assert_eq!(scratch.spine(), before, "an edit that changes nothing writes nothing");
}

#[test]
fn a_dropped_task_moves_to_the_archive_whole() {
    let scratch = Scratch::chalk();
    let first = scratch.task("first");
    let second =
        scratch.run(&["chalk", "task", "add", "second", "--after", &first, "--json"]).ok().json()["id"]
            .clone();
    let second = second.as_str().unwrap();
    let before = scratch.spine();
    scratch.run(&["chalk", "task", "drop", &first]).refused(1, "--why");
    scratch.run(&["chalk", "task", "drop", &first, "--why", "x"]).refused(1, "still-needed");
    assert_eq!(scratch.spine(), before);
    let whole = scratch.json(".chalk/tasks.json")[1].clone();
    let ran = scratch.run(&["chalk", "task", "drop", second, "--why", "a duplicate"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ dropped task-af9e308  second
      its record is in `.chalk/archive/tasks-2026.json`
    --- err
    ");
    let archived = scratch.json(".chalk/archive/tasks-2026.json")[0].clone();
    assert_eq!(archived["droppedWhy"], "a duplicate");
    for (key, value) in whole.as_object().unwrap() {
        assert_eq!(&archived[key], value, "{key}");
    }
    assert_eq!(scratch.json(".chalk/tasks.json").as_array().unwrap().len(), 1);
    assert!(scratch.read(".chalk/decisions.md").contains("## Dropped task \"second\""));
    scratch.run(&["chalk", "task", "drop", &first, "--why", "another", "--json"]).ok();
    assert_eq!(scratch.json(".chalk/archive/tasks-2026.json").as_array().unwrap().len(), 2);
}

#[test]
fn a_task_is_shown_as_the_file_has_it() {
    let scratch = Scratch::chalk();
    let id = scratch.task("first");
    let ran = scratch.run(&["chalk", "task", "show", &id[..12]]).ok();
    assert!(ran.out.contains("state: todo"), "{}", ran.out);
    let document = scratch.run(&["chalk", "task", "show", &id, "--json"]).ok().json();
    assert_eq!(document["task"], scratch.json(".chalk/tasks.json")[0]);
    scratch.run(&["chalk", "task"]).refused(1, "usage");
    scratch.run(&["chalk", "task", "list"]).refused(1, "usage");
}

#[test]
fn null_means_absent_in_what_people_write_by_hand() {
    let scratch = Scratch::chalk();
    scratch.write(
        ".chalk/tasks.json",
        "[{\"id\": \"task-aaaaaaaa\", \"tests\": null, \"after\": null, \"milestone\": null}]\n",
    );
    scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    scratch.run(&["chalk", "status"]).ok();
    scratch.run(&["chalk", "spec", "task-aaaaaaaa", "--criterion", "works"]).ok();
    scratch.run(&["chalk", "start", "task-aaaaaaaa"]).ok();
    let config = scratch.read(".chalk/chalk.json").replace("\"review\": {", "\"review\": null, \"x\": {");
    scratch.write(".chalk/chalk.json", config);
    scratch.run(&["chalk", "next"]).ok();
}

#[test]
fn unknown_fields_and_odd_layout_survive_a_write() {
    let scratch = Scratch::chalk();
    let text = "[\n    {\"id\": \"task-aaaaaaaa\", \"title\": \"by hand\", \"x-mine\": [1.0, \"cut \\ud83d\"],\n     \"state\": \"todo\"},\n    { \"id\": \"task-bbbbbbbb\",\n      \"title\": \"other\" }\n]";
    scratch.write(".chalk/tasks.json", text);
    scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    scratch.run(&["chalk", "task", "edit", "task-bbbbbbbb", "--title", "new"]).ok();
    assert_eq!(scratch.read(".chalk/tasks.json"), text.replace("\"other\"", "\"new\""));
    scratch.run(&["chalk", "task", "edit", "task-aaaaaaaa", "--title", "mine"]).ok();
    assert_eq!(
        scratch.read(".chalk/tasks.json"),
        text.replace("\"other\"", "\"new\"").replace("by hand", "mine")
    );
}

#[test]
fn damage_is_named_with_its_place_and_nothing_is_changed() {
    let scratch = Scratch::chalk();
    scratch.task("one");
    let good = scratch.read(".chalk/tasks.json");
    for (text, reason) in [
        (good.replace("\"state\":", "\"state\""), "spine-damaged"),
        (good.replace("\"todo\"", "7"), "spine-damaged"),
        (good.replace("  {", "<<<<<<< HEAD\n  {"), "spine-conflict"),
        (
            good.replace("\"state\": \"todo\"", "\"state\": \"todo\",\n    \"state\": \"done\""),
            "spine-damaged",
        ),
        (String::new(), "spine-damaged"),
        ("{}\n".to_owned(), "spine-damaged"),
    ] {
        scratch.write(".chalk/tasks.json", &text);
        let before = scratch.spine();
        let ran = scratch.run(&["chalk", "task", "add", "x"]).refused(1, reason);
        assert!(ran.err.contains("tasks.json` line "), "{}", ran.err);
        scratch.run(&["chalk", "status"]).refused(1, reason);
        scratch.run(&["chalk", "next", "--json"]).refused(1, reason);
        assert_eq!(scratch.spine(), before);
    }
    std::fs::remove_file(scratch.path(".chalk/tasks.json")).unwrap();
    scratch.run(&["chalk", "task", "add", "x"]).refused(1, "`.chalk/tasks.json` is missing");
    scratch.run(&["chalk", "next"]).refused(1, "`.chalk/tasks.json` is missing");
}

/// A refactoring had no way to say that it is one, so the lever asked it for a test.
#[test]
fn kind_and_labels_are_set_and_taken_off() {
    let scratch = Scratch::chalk();
    let id = scratch.task("Tidy");
    let edit = |args: &[&str]| scratch.run(&[&["chalk", "task", "edit", &id], args].concat()).ok();
    edit(&["--branch-type", "refactor", "--label", "core", "--label", "no-test", "--label", "core"]);
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!((&task["branchType"], &task["labels"]), (&json!("refactor"), &json!(["core", "no-test"])));
    let shown = scratch.run(&["chalk", "task", "show", &id]).ok().out;
    assert!(shown.contains("kind: refactor") && shown.contains("labels: core, no-test"), "{shown}");
    assert!(edit(&["--label", "core"]).out.contains("nothing to change"));
    let ran = edit(&["--no-branch-type", "--not-label", "core", "--not-label", "no-test", "--json"]);
    assert_eq!(ran.json()["changes"], json!(["no kind", "no labels"]));
    assert_eq!(scratch.json(".chalk/tasks.json")[0].get("branchType"), None);
    assert!(scratch.read(".chalk/updates.jsonl").contains("kind: refactor; labels: core, no-test"));
}
