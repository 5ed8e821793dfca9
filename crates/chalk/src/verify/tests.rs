use canon::Sha256;
use serde_json::json;

use super::*;
use crate::change::fixture::{Fixture, ID};
use crate::content;

fn verify(fixture: &Fixture) -> Report {
    run(&fixture.session(), Request::default()).unwrap()
}

/// The last run on record, judged against what lies there now.
fn last_now(fixture: &Fixture) -> Last {
    let session = fixture.session();
    let config = session.config().unwrap();
    let digest = content::digest(&session, &config, &session.spine.tree).unwrap().digest;
    last(&session, digest).unwrap().unwrap()
}

fn green() -> Fixture {
    let fixture = Fixture::new();
    fixture.configure(json!({ "verify": { "test": "test -f README" } }));
    assert!(verify(&fixture).green);
    fixture
}

#[test]
fn a_result_is_fresh_until_the_content_moves() {
    let fixture = green();
    assert_eq!(last_now(&fixture).standing, Standing::Fresh);
    assert!(last_now(&fixture).is_green_for(ID));
    // State of the spine and a commit move nothing.
    fixture.commit("more");
    assert_eq!(last_now(&fixture).standing, Standing::Fresh);
    fixture.write("README", "another project\n");
    assert_eq!(last_now(&fixture).standing, Standing::ContentMoved);
    assert!(!last_now(&fixture).is_green_for(ID));
}

#[test]
fn a_green_result_is_no_evidence_for_another_task_or_other_commands() {
    let fixture = green();
    assert!(!last_now(&fixture).is_green_for("task-bbbbbbbb"));
    fixture.configure(json!({ "verify": { "test": "false" } }));
    assert_eq!(last_now(&fixture).standing, Standing::CommandsChanged);
}

#[test]
fn a_run_that_died_takes_the_green_of_the_one_before() {
    let fixture = green();
    let session = fixture.session();
    stored::begin(&session, Sha256::of("x"), &[ID.to_owned()]).unwrap();
    assert_eq!(last_now(&fixture).standing, Standing::Interrupted);
    assert!(!last_now(&fixture).is_green_for(ID));
    verify(&fixture);
    assert_eq!(last_now(&fixture).standing, Standing::Fresh);
}

#[test]
fn what_the_toolchain_left_behind_is_still_what_it_judged() {
    let fixture = Fixture::new();
    fixture.configure(json!({ "verify": { "test": "echo x > coverage" } }));
    let report = verify(&fixture);
    assert_eq!(report.changed, ["coverage"]);
    assert_eq!(last_now(&fixture).standing, Standing::Fresh);
    fixture.write("coverage", "y");
    assert_eq!(last_now(&fixture).standing, Standing::ContentMoved);
}

#[test]
fn a_later_red_result_wins() {
    let fixture = green();
    std::fs::remove_file(fixture.root.join("README")).unwrap();
    assert_eq!(verify(&fixture).red, ["test failed"]);
    assert_eq!((last_now(&fixture).standing, last_now(&fixture).stored.green), (Standing::Fresh, false));
}

#[test]
fn nothing_on_record_is_nothing() {
    let fixture = Fixture::new();
    assert_eq!(last(&fixture.session(), Sha256::of("")).unwrap(), None);
}

#[test]
fn the_task_asked_for_is_judged_whatever_its_state() {
    let fixture = Fixture::new();
    fixture.write("t.test.js", "new");
    fixture
        .task(json!({ "state": "specd", "tests": [{ "path": "t.test.js", "sha256": Sha256::of("old") }] }));
    assert!(verify(&fixture).green);
    let session = fixture.session();
    let task = session.task(ID).unwrap();
    let report = run(&session, Request { task: Some(&task) }).unwrap();
    assert_eq!(report.red, ["a broken lock"]);
}

#[test]
fn more_deciders_than_a_task_keeps_are_cut_and_raise_no_alarm() {
    let fixture = Fixture::new();
    let many = crate::deciders::LIMIT + 50;
    let names: Vec<String> = (0..many).map(|n| format!("read('fixtures/{n}.json');\n")).collect();
    for n in 0..many {
        fixture.write(format!("test/fixtures/{n}.json"), "[]");
    }
    fixture.write("test/a.test.js", names.concat());
    fixture.task(json!({ "state": "todo" }));
    let session = fixture.session();
    let request = crate::spec::Request { tests: vec!["test/a.test.js".to_owned()], ..Default::default() };
    let specified = crate::spec::spec(&session, ID, &request).unwrap();
    assert_eq!(specified.deciders_cut, specified.tests[0].deciders - crate::deciders::LIMIT);
    assert!(specified.deciders_cut >= 50);
    let task = session.task(ID).unwrap();
    let config = session.config().unwrap();
    assert_eq!(crate::deciders::moved(&session, &config, &task, &fixture.root).unwrap(), []);
    // Those that were kept are still watched.
    let kept = fixture.stored()["cairn"]["deciders"][0]["what"].as_str().unwrap().to_owned();
    fixture.write(&kept, "[1]");
    let moved = crate::deciders::moved(&session, &config, &task, &fixture.root).unwrap();
    assert!(moved.iter().any(|it| it.what == kept), "{moved:?}");
}
