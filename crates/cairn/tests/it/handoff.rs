use serde_json::json;

use crate::scratch::Scratch;

fn working() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("test/add.test.mjs", "// adds\n");
    scratch.commit("a test");
    let lock = canon::Sha256::of("// adds\n");
    scratch.plant(&json!([{
        "id": "task-aaaaaaaa", "title": "Add two numbers", "state": "in-progress", "attempts": 2,
        "acceptanceCriteria": [{ "text": "1+2 is 3" }, { "text": " " }, "commutes"],
        "tests": [{ "path": "test/add.test.mjs", "sha256": lock }],
        "directives": [{ "choice": "floats", "instead": "use integers", "resolved": false }],
        "reviews": [{ "at": "2026-12-01T00:00:00.000Z", "by": "adversary", "verdict": "block",
            "findings": [{ "severity": "high", "area": "correctness", "note": "overflow" }] }]
    }]));
    scratch.commit("spine");
    scratch.write("src/add.mjs", "export const add = 1;\n");
    scratch
}

#[test]
fn a_handoff_says_where_the_work_stands() {
    let scratch = working();
    scratch.write("test/add.test.mjs", "// weakened\n");
    let ran = scratch.run(&["chalk", "handoff", "aaaa"]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ .chalk/handoffs/task-aaaaaaa-1.md  Add two numbers
      to take task-aaaaaaaa up again: chalk context task-aaaaaaaa
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".chalk/handoffs/task-aaaaaaa-1.md"), @"
    # Handoff: Add two numbers

    - task: `task-aaaaaaaa` (in-progress)
    - written: 2026-12-01T00:00:03.000Z
    - reason: manual
    - executor runs: 2

    ## Acceptance criteria

    1. 1+2 is 3
    2. commutes

    ## Open corrections

    - use integers

    ## Changed files

    - `src/add.mjs` (untracked)
    - `test/add.test.mjs` (modified)

    ## Locked tests

    - **broken** `test/add.test.mjs` was modified since it was locked

    ## Last review

    block by adversary, 2026-12-01T00:00:00.000Z
    - high correctness: overflow

    ## Notes

    (none)

    ## Going on

    In a fresh session: `chalk context task-aaaaaaaa`, then `chalk next`.
    ");
    let handoff = scratch.json(".chalk/tasks.json")[0]["handoff"].clone();
    assert_eq!(handoff["path"], ".chalk/handoffs/task-aaaaaaa-1.md");
    assert_eq!(handoff["seq"], 1);
    assert_eq!(handoff["reason"], "manual");
}

#[test]
fn the_configured_writer_adds_its_notes_to_the_facts() {
    let scratch = working();
    scratch.configure(
        "/protocol/handoff",
        json!({ "command": "grep -c 'Acceptance criteria'; echo AGENT-SAYS" }),
    );
    let ran = scratch.run(&["chalk", "handoff", "aaaa", "--reason", "end of day", "--json"]).ok();
    assert_eq!(ran.json()["narrated"], true);
    let text = scratch.read(".chalk/handoffs/task-aaaaaaa-1.md");
    assert!(text.contains("- reason: end of day\n"));
    assert!(text.contains("## Notes\n\n1\nAGENT-SAYS\n"), "{text}");
}

#[test]
fn a_writer_that_fails_leaves_the_facts_and_a_warning() {
    let scratch = working();
    for (command, why) in [("exit 3", "exit code 3"), ("true", "printed nothing")] {
        scratch.configure("/protocol/handoff", json!({ "command": command }));
        let ran = scratch.run(&["chalk", "handoff", "aaaa"]).ok();
        assert!(ran.err.contains(why), "{}", ran.all());
    }
    assert!(scratch.read(".chalk/handoffs/task-aaaaaaa-2.md").contains("## Notes\n\n(none)\n"));
}

#[test]
fn no_document_of_another_task_with_the_same_display_id_is_overwritten() {
    let scratch = Scratch::chalk();
    scratch.plant(
        &json!([{ "id": "task-aaaaaaa1", "title": "one" }, { "id": "task-aaaaaaa2", "title": "two" }]),
    );
    scratch.run(&["chalk", "handoff", "task-aaaaaaa1"]).ok();
    scratch.run(&["chalk", "handoff", "task-aaaaaaa2"]).ok();
    assert!(scratch.read(".chalk/handoffs/task-aaaaaaa-1.md").contains("# Handoff: one"));
    assert!(scratch.read(".chalk/handoffs/task-aaaaaaa-2.md").contains("# Handoff: two"));
}

#[test]
fn what_moved_while_the_writer_ran_is_kept() {
    let scratch = working();
    let meanwhile = "chalk=$(cat .chalk/tasks.json); printf '%s' \"$chalk\" | sed 's/Add two/Sum two/' > .chalk/tasks.json; echo notes";
    scratch.configure("/protocol/handoff", json!({ "command": meanwhile }));
    scratch.run(&["chalk", "handoff", "aaaa"]).ok();
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["title"], "Sum two numbers", "the change that was made meanwhile");
    assert_eq!(task["handoff"]["seq"], 1);
    scratch.configure("/protocol/handoff", json!({ "command": "echo '[]' > .chalk/tasks.json; echo notes" }));
    scratch.run(&["chalk", "handoff", "aaaa"]).refused(1, "spine-moved");
}

#[test]
fn a_handoff_of_nothing_is_refused() {
    let scratch = working();
    let before = scratch.spine();
    scratch.run(&["chalk", "handoff", "none"]).refused(1, "not-found");
    scratch.run(&["chalk", "handoff"]).refused(1, "usage");
    scratch.run(&["chalk", "handoff", "aaaa", "--reason", ""]).refused(1, "empty");
    assert_eq!(scratch.spine(), before);
}
