use serde_json::json;

use crate::scratch::Scratch;

#[test]
fn a_question_is_asked_listed_and_answered() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    let ran =
        scratch.run(&["chalk", "question", "add", "Which\nrounding?", "--for", "client", "--task", &id]);
    insta::assert_snapshot!(ran.all(), @"
    exit 0
    --- out
    ✓ q-af9e3081  (client)  Which rounding?
    --- err
    ");
    let question = scratch.json(".chalk/questions.json")[0].clone();
    let keys: Vec<&String> = question.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["id", "question", "awaitingFrom", "status", "at", "taskId"]);
    assert_eq!(question["taskId"], json!(id));
    let list = scratch.run(&["chalk", "question"]).ok();
    assert!(list.out.contains("(client)  Which rounding?"), "{}", list.out);
    let q = question["id"].as_str().unwrap();
    scratch.run(&["chalk", "question", "resolve", q, "half even", "--json"]).ok();
    let question = scratch.json(".chalk/questions.json")[0].clone();
    assert_eq!(
        (question["status"].as_str(), question["answer"].as_str()),
        (Some("resolved"), Some("half even"))
    );
    assert_eq!(scratch.run(&["chalk", "question", "list"]).ok().out, "no open questions\n");
    assert_eq!(scratch.run(&["chalk", "question", "list", "--all", "--json"]).ok().json()["open"], 0);
    let log = scratch.read(".chalk/updates.jsonl");
    assert!(
        log.contains("\"type\":\"question-answered\"") && log.contains("Question asked: Which rounding?")
    );
    scratch.run(&["chalk", "question", "resolve", q, "again"]).refused(1, "answered already");
}

#[test]
fn what_is_not_known_is_refused_and_nothing_is_written() {
    let scratch = Scratch::chalk();
    scratch.run(&["chalk", "question", "add", "one?"]).ok();
    scratch.run(&["chalk", "question", "add", "two?"]).ok();
    let before = scratch.spine();
    scratch.run(&["chalk", "question", "resolve", "q-", "yes"]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "question", "resolve", "q-none", "yes"]).refused(1, "not-found");
    scratch.run(&["chalk", "question", "ask", "x"]).refused(1, "ask");
    scratch.run(&["chalk", "question", "add", ""]).refused(1, "empty");
    scratch.run(&["chalk", "question", "add", "x", "--for", " "]).refused(1, "empty");
    scratch.run(&["chalk", "question", "add", "x", "--task", "nothing"]).refused(1, "not-found");
    assert_eq!(scratch.spine(), before);
}

#[test]
fn a_damaged_file_is_named_and_kept() {
    let scratch = Scratch::chalk();
    scratch.write(".chalk/questions.json", "[\n  {\"id\": 7}\n]\n");
    let before = scratch.spine();
    scratch.run(&["chalk", "question", "add", "x"]).refused(1, "questions.json` line 2");
    scratch.run(&["chalk", "question", "list"]).refused(1, "questions.json` line 2");
    assert_eq!(scratch.spine(), before);
}
