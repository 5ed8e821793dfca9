//! Many processes at once, on the same files and on the same task.

use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::scratch::Scratch;

/// Starts the real program, called by the name `chalk`.
pub fn spawn(scratch: &Scratch, args: &[&str]) -> Child {
    let mut command = program(scratch);
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The real program in the project, with the scratch environment.
pub fn program(scratch: &Scratch) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear().arg("chalk");
    for (name, value) in scratch.env().iter() {
        command.env(name, value);
    }
    command
}

#[track_caller]
fn all_done(children: Vec<Child>) {
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn twenty_writers_of_different_files_lose_nothing() {
    let scratch = Scratch::chalk();
    let id = scratch.task("first");
    let mut children = Vec::new();
    for n in 0..5 {
        children.push(spawn(&scratch, &["task", "add", &format!("task {n}")]));
        children.push(spawn(&scratch, &["question", "add", &format!("question {n}")]));
        children.push(spawn(&scratch, &["decision", &format!("decision {n}")]));
        children.push(spawn(&scratch, &["spec", &id, "--criterion", &format!("criterion {n}")]));
    }
    all_done(children);
    assert_eq!(scratch.json(".chalk/tasks.json").as_array().unwrap().len(), 6);
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["acceptanceCriteria"].as_array().unwrap().len(), 5);
    assert_eq!(scratch.json(".chalk/questions.json").as_array().unwrap().len(), 5);
    assert_eq!(scratch.read(".chalk/decisions.md").matches("\n## decision ").count(), 5);
    let log = scratch.read(".chalk/updates.jsonl");
    assert!(
        log.ends_with('\n')
            && log.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
    );
    assert!(!scratch.path(".chalk/.lock").exists());
    assert!(scratch.run(&["chalk", "next"]).ok().err.is_empty(), "the record of writes is whole");
}

/// A reader without the lock took a writer at work for an edit past the program.
#[test]
fn writers_at_work_are_no_tampering() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/tamperEvident", json!("refuse"));
    let mut children: Vec<Child> =
        (0..12).map(|n| spawn(&scratch, &["task", "add", &format!("task {n}")])).collect();
    children.extend((0..8).map(|_| spawn(&scratch, &["next"])));
    for child in children {
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !err.contains("warning"), "{err}");
    }
    assert_eq!(scratch.json(".chalk/tasks.json").as_array().unwrap().len(), 12);
}

#[test]
fn two_starts_at_once_have_one_winner() {
    let scratch = Scratch::chalk();
    let ids: Vec<String> = (0..6).map(|n| scratch.task(&format!("task {n}"))).collect();
    for id in &ids {
        scratch.run(&["chalk", "spec", id, "--criterion", "works"]).ok();
    }
    let children: Vec<Child> = ids.iter().map(|id| spawn(&scratch, &["start", id])).collect();
    let won = children
        .into_iter()
        .filter_map(|child| child.wait_with_output().ok())
        .filter(|o| o.status.success())
        .count();
    assert_eq!(won, 1);
    let tasks = scratch.json(".chalk/tasks.json");
    assert_eq!(tasks.as_array().unwrap().iter().filter(|task| task["state"] == "in-progress").count(), 1);
}

#[test]
fn sixteen_writers_of_one_task_all_stay() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    let children: Vec<Child> =
        (0..16).map(|n| spawn(&scratch, &["spec", &id, "--criterion", &format!("criterion {n}")])).collect();
    all_done(children);
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["acceptanceCriteria"].as_array().unwrap().len(), 16);
}

#[test]
fn a_criterion_added_while_the_reviewer_runs_is_kept() {
    let scratch = Scratch::chalk();
    // The reviewer waits until the criterion is there, so the order is certain.
    scratch.write(
        "reviewer.sh",
        "cat >/dev/null\ntouch ../started\nuntil grep -q 'added meanwhile' .chalk/tasks.json; do sleep 0.02; done\n\
         echo '{\"verdict\":\"pass\",\"findings\":[]}'\n",
    );
    scratch.configure("/protocol/review/command", json!("sh reviewer.sh"));
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "first"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("code.sh", "echo\n");
    let review = spawn(&scratch, &["review", &id]);
    while !scratch.path("../started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    scratch.run(&["chalk", "spec", &id, "--criterion", "added meanwhile"]).ok();
    let output = review.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("changed"), "{output:?}");
    let task = scratch.json(".chalk/tasks.json")[0].clone();
    assert_eq!(task["acceptanceCriteria"].as_array().unwrap().len(), 2);
    assert_ne!(task["reviews"][0]["verdict"], "pass", "a pass over criteria that nobody reviewed: {task}");
}
