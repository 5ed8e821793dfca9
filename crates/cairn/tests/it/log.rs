use crate::scratch::Scratch;

fn with_events(n: usize) -> Scratch {
    let scratch = Scratch::chalk();
    for number in 1..=n {
        scratch.run(&["chalk", "update", &format!("event {number}")]).ok();
    }
    scratch
}

#[test]
fn the_newest_come_first() {
    let scratch = with_events(3);
    insta::assert_snapshot!(scratch.run(&["chalk", "log", "--n", "2"]).all(), @"
    exit 0
    --- out
    2026-12-01 00:00  progress-update       event 3
    2026-12-01 00:00  progress-update       event 2
    --- err
    ");
    let titles = |args: &[&str]| -> Vec<String> {
        let ran = scratch.run(&[&["chalk", "log", "--json"], args].concat()).ok();
        ran.json().as_array().unwrap().iter().map(|e| e["title"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(titles(&[]), ["event 3", "event 2", "event 1"]);
    assert_eq!(titles(&["--reverse", "--n", "2"]), ["event 2", "event 3"]);
    assert_eq!(titles(&["--grep", "EVENT 1"]), ["event 1"]);
    assert_eq!(titles(&["--type", "milestone-hit"]), [] as [&str; 0]);
}

#[test]
fn a_count_that_is_none_is_refused() {
    let scratch = with_events(1);
    scratch.run(&["chalk", "log", "--n", "0"]).refused(1, "0");
    scratch.run(&["chalk", "log", "--n", "many"]).refused(1, "many");
    scratch.run(&["chalk", "log", "--type", "all"]).refused(1, "possible values");
}

/// One bad line made every reader fail; conflict markers were skipped one by one without a word.
#[test]
fn damaged_lines_are_passed_over_and_named() {
    let scratch = with_events(2);
    let log = scratch.read(".chalk/updates.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let damaged = format!("{}\n<<<<<<< HEAD\n{{\"id\": 7\nnot json\n{}\n", lines[0], lines[1]);
    scratch.write(".chalk/updates.jsonl", &damaged);
    let ran = scratch.run(&["chalk", "log", "--json"]).ok();
    assert_eq!(ran.json().as_array().unwrap().len(), 2);
    for text in ["line 2", "conflict marker", "line 3", "line 4"] {
        assert!(ran.err.contains(text), "{}", ran.err);
    }
    scratch.run(&["chalk", "status"]).ok();
    assert_eq!(scratch.read(".chalk/updates.jsonl"), damaged, "the bytes are kept");
}

#[test]
fn a_log_longer_than_the_tail_is_read_as_far_as_asked() {
    let scratch = Scratch::chalk();
    let line = |n: usize| {
        format!("{{\"id\":\"evt-{n}\",\"title\":\"event {n}\",\"description\":\"{}\"}}\n", "x".repeat(4000))
    };
    scratch.write(".chalk/updates.jsonl", (0..100).map(line).collect::<String>());
    assert_eq!(
        scratch.run(&["chalk", "log", "--n", "90", "--json"]).ok().json().as_array().unwrap().len(),
        90
    );
}
