use serde_json::json;

use crate::scratch::Scratch;

fn event(at: &str, title: &str, description: &str, task: &str) -> String {
    let event = json!({ "id": format!("evt-{title}"), "at": at, "type": "progress-update", "title": title,
        "description": description, "phase": "build", "actorRole": "agent", "taskId": task });
    format!("{}\n", canon::json::compact(&event))
}

fn logged() -> Scratch {
    let scratch = Scratch::chalk();
    let (early, late) = ("2026-11-01T00:00:00.000Z", "2026-11-20T00:00:00.000Z");
    let lines = [
        event(early, "Review (block): Add", "", "task-aaaaaaaa"),
        event(early, "Blocked: Add (needs human-input)", "verify RED after 3 attempts", "task-aaaaaaaa"),
        event(early, "Blocked: Sub (needs decision)", "which one", "task-bbbbbbbb"),
        event(late, "Audit red (held-out regression)", "", "task-bbbbbbbb"),
        event(late, "Audit green (held-out regression)", "", "task-bbbbbbbb"),
        event(late, "Decision: Overrode review gate for Add", "", "task-aaaaaaaa"),
        event(late, "Handoff written: Add", "", "task-aaaaaaaa"),
        event(late, "Done: Add", "", "task-aaaaaaaa"),
        event(late, "Review (pass): Add", "", "task-aaaaaaaa"),
    ];
    scratch.write(".chalk/updates.jsonl", lines.concat());
    let tasks = json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "done" }]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    scratch
}

#[test]
fn the_log_says_what_the_gates_caught() {
    let scratch = logged();
    let ran = scratch.run(&["chalk", "stats"]);
    insta::assert_snapshot!(ran.out, @r"
    the gates caught 3
      verify red: 1
      reviews: 1 blocked, 1 passed
      audits: 1 red, 1 green
      passed by force: 1
      tasks: done 1, blocked 1, handed over 1
    2  task-aaaaaaa  Add
    1  task-bbbbbbb
    ");
    let stats = scratch.run(&["chalk", "stats", "--json"]).ok().json();
    assert_eq!(stats["caught"], 3);
    assert_eq!(stats["tasks"][0]["id"], "task-aaaaaaaa");
    assert_eq!(stats["tasks"][0]["caught"], 2);
}

#[test]
fn only_what_came_since_counts() {
    let scratch = logged();
    let stats = scratch.run(&["chalk", "stats", "--since", "2026-11-10", "--json"]).ok().json();
    assert_eq!(stats["caught"], 1);
    assert_eq!(stats["reviewBlock"], 0);
    scratch.run(&["chalk", "stats", "--since", "yesterday"]).refused(1, "--since");
}

#[test]
fn the_public_figures_name_no_task() {
    let scratch = logged();
    let ran = scratch.run(&["chalk", "stats", "--public"]).ok();
    assert!(!ran.out.contains("Add") && !ran.out.contains("task-"), "{}", ran.out);
    let ran = scratch.run(&["chalk", "stats", "--public", "--json"]).ok();
    assert!(!ran.out.contains("Add") && !ran.out.contains("task-"), "{}", ran.out);
}

#[test]
fn a_badge_is_one_line_and_nothing_else() {
    let scratch = logged();
    assert_eq!(scratch.run(&["chalk", "stats", "--badge"]).ok().out, "chalk: 3 caught\n");
    let badge = scratch.run(&["chalk", "stats", "--badge", "--json"]).ok().json();
    assert_eq!(
        badge,
        json!({ "schemaVersion": 1, "label": "chalk", "message": "3 caught", "color": "blue" })
    );
    scratch.run(&["chalk", "stats", "--badge", "--public"]).refused(1, "--public");
}
