#![cfg(unix)]

mod break_it;
mod copy;
mod mutation;

use std::fs;
use std::path::{Path, PathBuf};

use canon::Sha256;
use gate::ReasonCode;
use serde_json::{Value, json};

use super::{Outcome, Report, run};
use crate::change::fixture::{Fixture, ID};
use crate::codes;

/// A repository in which the work below begins at the present commit.
struct Bed {
    fixture: Fixture,
    protocol: Value,
    fields: Value,
}

impl Bed {
    /// With files of before the change.
    fn with(files: &[(&str, &str)]) -> Self {
        let fixture = Fixture::new();
        for (name, content) in files {
            fixture.write(name, content);
        }
        let base = fixture.commit("before");
        Self { fixture, protocol: json!({}), fields: json!({ "cairn": { "base": base } }) }
    }

    fn set(mut self, key: &str, value: Value) -> Self {
        self.protocol[key] = value;
        self
    }

    fn write(&self, name: impl AsRef<Path>, content: &str) {
        self.fixture.write(name, content);
    }

    /// Writes a test and locks it.
    fn lock(mut self, path: &str, content: &str) -> Self {
        self.fixture.write(path, content);
        let lock = json!({ "path": path, "sha256": Sha256::of(content) });
        match self.fields["tests"].as_array_mut() {
            Some(tests) => tests.push(lock),
            None => self.fields["tests"] = json!([lock]),
        }
        self
    }

    fn run(&self) -> Report {
        self.fixture.configure(self.protocol.clone());
        self.fixture.task(self.fields.clone());
        let session = self.fixture.session();
        let report =
            run(&session, &session.config().unwrap(), &session.task(ID).unwrap(), &session.spine.tree)
                .unwrap();
        let left: Vec<_> = fs::read_dir(self.fixture.beside("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?} is left behind");
        report
    }

    fn break_it(&self) -> Outcome {
        self.run().break_it
    }
}

/// A repository with a script that printed 1 and prints 2, and a locked test.
fn script(test: &str) -> Bed {
    let bed = Bed::with(&[("sum.sh", "echo 1\n")]).set("breakTest", json!("sh {test}"));
    bed.write("sum.sh", "echo 2\n");
    bed.lock("tests/sum.test.sh", test)
}

const REAL: &str = "test \"$(sh sum.sh)\" = 2\n";

fn is_vacuous(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Finding { code, .. } if *code == codes::VACUOUS_TEST)
}

fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Inconclusive { why } => why.join("\n"),
        Outcome::Off { why } | Outcome::Idle { why, .. } => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_feature_without_a_test_is_found() {
    let bed = Bed::with(&[("sum.sh", "echo 1\n"), ("tests/old.test.sh", "true\n")]);
    bed.write("sum.sh", "echo 2\n");
    bed.fixture.commit("committed before");
    let report = bed.run();
    let refusal = report.refusal().unwrap();
    assert_eq!((refusal.code, refusal.facts[0].as_str()), (codes::NO_TEST_CHANGE, "changed: `sum.sh`"));
    fs::remove_file(bed.fixture.root.join("tests/old.test.sh")).unwrap();
    assert!(bed.run().require_test.is_finding(), "a test that is gone is none");
    bed.write("tests/sum.test.sh", "true\n");
    assert_eq!(bed.run().require_test, Outcome::Held);
}

#[test]
fn what_needs_no_test_is_let_through() {
    for (fields, protocol, said) in [
        (json!({ "branchType": "docs" }), json!({}), "`docs`"),
        (json!({ "labels": ["bug", "no-test"] }), json!({}), "`no-test`"),
        (json!({ "acceptanceCriteria": [{ "text": " " }] }), json!({}), "no criteria"),
        (json!({}), json!({ "requireTest": false }), "false"),
        (json!({ "tests": [{ "path": "sum.sh", "sha256": Sha256::of("") }] }), json!({}), "locked tests"),
    ] {
        let mut bed = Bed::with(&[]);
        bed.write("sum.sh", "echo 2\n");
        bed.protocol = protocol;
        for (key, value) in fields.as_object().unwrap() {
            bed.fields[key] = value.clone();
        }
        assert!(why(&bed.run().require_test).contains(said), "{fields}");
    }
}

/// The code under which a lever that had nothing to judge refuses where policy is strict.
fn unjudged(report: &Report) -> Option<ReasonCode> {
    report.unjudged().map(|refusal| refusal.code)
}

/// Work that was committed before the start left every lever off, and the task passed as if it was judged.
#[test]
fn work_from_before_the_start_is_nothing_to_judge() {
    let bed = Bed::with(&[("sum.sh", "echo 2\n")]).set("mutation", json!("false {file}"));
    let report = bed.run();
    assert!(matches!(report.require_test, Outcome::Idle { .. }), "{:?}", report.require_test);
    assert!(why(&report.mutation).contains("nothing changed since"));
    assert_eq!(unjudged(&report), Some(codes::LEVER_INCONCLUSIVE));
    // A person may say that there is nothing to test.
    let bed = Bed { fields: json!({ "labels": ["no-test"], "cairn": bed.fields["cairn"] }), ..bed };
    let report = bed.run();
    assert!(matches!(report.mutation, Outcome::Idle { code: None, .. }));
    assert_eq!(unjudged(&report), None);
}

#[test]
fn an_implementation_where_tests_lie_is_nothing_to_judge() {
    let bed = Bed::with(&[("tests/sum.sh", "echo 1\n")]).set("mutation", json!("false {file}"));
    bed.write("tests/sum.sh", "echo 2\n");
    let report = bed.run();
    assert!(
        why(&report.require_test).contains("tests alone") && why(&report.mutation).contains("tests alone")
    );
    assert_eq!(unjudged(&report), Some(codes::LEVER_INCONCLUSIVE));
}

#[test]
fn an_empty_test_is_none() {
    let bed = Bed::with(&[("sum.sh", "echo 1\n")]);
    bed.write("sum.sh", "echo 2\n");
    bed.write("tests/sum.test.sh", "#!/bin/sh\n# later\n");
    assert_eq!(unjudged(&bed.run()), Some(codes::NO_TEST_CHANGE));
    let bed = bed.lock("tests/sum.test.sh", "#!/bin/sh\n");
    assert!(why(&bed.run().require_test).contains("locked tests are empty"));
    let bed = bed.lock("tests/more.test.sh", "sh sum.sh\n");
    assert!(matches!(bed.run().require_test, Outcome::Off { .. }));
}

#[test]
fn unit_tests_in_a_rust_file_are_tests() {
    let code = "pub fn f() -> u8 { 1 }\n";
    let tests = "#[cfg(test)]\nmod tests { #[test] fn f() { assert_eq!(super::f(), 1) } }\n";
    let bed = Bed::with(&[("src/lib.rs", &format!("{code}{tests}"))]);
    bed.write("src/lib.rs", &format!("pub fn g() {{}}\n{code}{tests}"));
    assert!(bed.run().require_test.is_finding(), "the tests are the same");
    bed.write("src/lib.rs", &format!("pub fn g() {{}}\n{code}{}", tests.replace(", 1)", ", 2)")));
    assert_eq!(bed.run().require_test, Outcome::Held);
}

#[test]
fn outside_git_and_beyond_a_cut_nothing_is_claimed() {
    let fixture = Fixture::without_git();
    fixture.write("sum.sh", "echo 2\n");
    let bed = Bed { fixture, protocol: json!({ "mutation": "true {file}" }), fields: json!({}) };
    let report = bed.run();
    assert!(
        why(&report.require_test).contains("outside git") && why(&report.mutation).contains("outside git")
    );

    let origin = Fixture::new();
    origin.git(&["checkout", "-q", "-b", "feature"]);
    origin.commit("one");
    let mut bed = Bed { fixture: Fixture::without_git(), ..bed };
    let folder = bed.fixture.beside("clone");
    let url = format!("file://{}", origin.root.display());
    bed.fixture.git_in(
        &bed.fixture.root,
        &["clone", "-q", "--depth", "1", "-b", "feature", &url, folder.to_str().unwrap()],
    );
    bed.fixture.root.clone_from(&folder);
    bed.fixture.world.cwd = folder;
    let report = bed.run();
    assert!(report.refusal().is_none());
    assert!(report.unclear().iter().all(|line| line.contains("shallow")) && report.unclear().len() == 2);
}

#[test]
fn what_is_off_leaves_no_record() {
    let bed = Bed::with(&[]).set("requireTest", json!(false));
    bed.run();
    assert!(bed.fixture.session().results().unwrap().last().unwrap().is_none());
}
