//! `cairn conformance`: the published vectors against this very program, as a process of its own.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::scratch::Scratch;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cairn");

/// The suite on every vector takes seconds; the thousand repeats belong to the command.
const QUICK: [&str; 6] = ["--repeat", "1", "--fresh", "1", "--deadline", PATIENT];

/// Milliseconds that no machine is too busy for.
const PATIENT: &str = "600000";

fn run(scratch: &Scratch, args: &[&str]) -> crate::scratch::Ran {
    scratch.run_built(PROGRAM, &[&["cairn", "conformance"][..], args].concat())
}

#[test]
fn this_program_conforms() {
    let scratch = Scratch::empty();
    let report = run(&scratch, &[&["run", "--json"][..], &QUICK].concat()).ok().json();
    for vector in report["vectors"].as_array().unwrap() {
        assert!(vector["runs"] == 2 && vector["problem"].is_null(), "{vector:#}");
    }
    let claimed = report["subject"]["claims"].as_array().unwrap();
    assert!(!claimed.is_empty());
    for level in report["levels"].as_array().unwrap() {
        assert_eq!(level["holds"], claimed.contains(&level["level"]), "{level:#}");
    }
}

#[test]
fn without_the_gates_every_denial_fails() {
    let scratch = Scratch::empty();
    let args = ["run", "--sabotage", "--repeat", "1", "--fresh", "0", "--deadline", PATIENT, "--json"];
    let report = run(&scratch, &args).ok().json();
    assert_eq!(report["control"]["unproved"], Value::Array(Vec::new()));
    let vectors = report["vectors"].as_array().unwrap();
    let passes = vectors.iter().filter(|vector| vector["class"] == "PASS").count();
    let denials = report["control"]["failed"].as_u64().unwrap();
    assert!(denials > 200 && passes > 50, "{denials} denials, {passes} others");
}

#[test]
fn a_run_is_told_to_people() {
    let scratch = Scratch::empty();
    let ran = run(&scratch, &["run", "--family", "g6", "--repeat", "20", "--fresh", "0"]).ok();
    let (_, told) = ran.out.split_once('\n').unwrap();
    insta::assert_snapshot!(told, @r"
    FAMILY  VECTORS  PASS  FAIL  UNSUPPORTED  NOT YET
    g6      5        5     -     -            -
    5 of 5 vectors pass, each sent 20 times to one process and once to each of 0 fresh ones
    ");
    run(&scratch, &["run", "--family", "none"]).refused(1, "no family of vectors is called `none`");
    run(&scratch, &["run", "--level", "high"]).refused(2, "core, extended and full");
    run(&scratch, &["run", "--subject", "no-such-program"]).refused(1, "`no-such-program` is not found");
    run(&scratch, &["run", "--key", "x"]).refused(2, "--sign");
}

#[test]
fn a_signed_result_is_checked_and_made_again() {
    let scratch = Scratch::empty();
    let quick = ["--family", "g6", "--repeat", "1", "--fresh", "0"];
    let pem = trust::ed25519::SigningKey::from_seed(&[7; 32]);
    scratch.write("key.pem", pem.to_pem().unwrap());
    scratch.write("key.pub", format!("{}\n", pem.public().ssh()));
    let ssh = scratch.key("me");
    for key in ["key.pem", &ssh] {
        let args = [&["run", "--sign", "--key", key, "--out", "a.json"][..], &quick].concat();
        assert!(run(&scratch, &args).ok().out.contains("✓ signed"));
        let verified = run(&scratch, &["verify", "a.json", "--rerun", "--json"]).ok().json();
        assert_eq!(verified["rerun"]["differences"], Value::Array(Vec::new()), "{verified:#}");
        assert_eq!((&verified["rerun"]["sameFiles"], &verified["expected"]), (&true.into(), &false.into()));
        let text = scratch.read("a.json");
        let broken = text.replacen("eyJ", "eyI", 1);
        assert_ne!(text, broken);
        scratch.write("b.json", broken);
        run(&scratch, &["verify", "b.json"]).refused(1, "attestation-forged");
    }
    scratch.write("other.pub", std::fs::read(format!("{ssh}.pub")).unwrap());
    run(&scratch, &["verify", "a.json", "--signer", "other.pub"]).ok();
    run(&scratch, &["verify", "a.json", "--signer", "key.pub"]).refused(1, "and not by");
    run(&scratch, &["verify", "none.json"]).refused(1, "there is no file `none.json`");
    // Another program than the attested one answers otherwise.
    scratch.write("liar.sh", "printf '%s\\n' '{\"protocol\":1,\"name\":\"liar\",\"version\":\"1\",\"capabilities\":[]}'\n[ \"$1\" = --capabilities ] || cat >/dev/null\n");
    let again = run(&scratch, &["verify", "a.json", "--rerun", "--subject", "/bin/sh", "liar.sh"]);
    again.refused(2, "found ERROR");
}

#[test]
fn vectors_are_listed() {
    let scratch = Scratch::empty();
    let list = run(&scratch, &["list", "--family", "pl", "--json"]).ok().json();
    assert!(list["vectors"].as_array().unwrap().iter().any(|one| one["id"] == "PL-009d"));
    let core = run(&scratch, &["list", "--level", "core"]).ok().out;
    assert!(core.contains("WS-006b") && !core.contains("WS-021"), "{core}");
    run(&scratch, &["list", "--family", "none"]).refused(1, "the families are pl, ");
}

/// What goes over the streams is what the schemas say, on both sides.
#[test]
fn cases_and_answers_follow_their_schemas() {
    let schema = |name: &str| {
        let entry = cairn::schema::ALL.iter().find(|entry| entry.name == name).unwrap();
        jsonschema::validator_for(&serde_json::to_value((entry.make)()).unwrap()).unwrap()
    };
    let (case, result) = (schema("cairn/conformance-case"), schema("cairn/conformance-result"));
    let corpus = conformance::published().unwrap();
    let mut lines = Vec::new();
    for (n, (_, vector)) in corpus.vectors().filter(|(family, _)| *family == "pl").enumerate() {
        let line = serde_json::to_value(conformance::protocol::Case {
            id: format!("n{n}"),
            requires: vector.requires.clone(),
            setup: vector.setup.clone(),
            steps: vector.steps.clone(),
        });
        let line = line.unwrap();
        assert!(case.is_valid(&line), "{line:#}");
        lines.push(line);
    }
    let input = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let mut child = Command::new(PROGRAM)
        .args(["conformance", "subject"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), lines.len());
    for answer in answers.lines() {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert!(result.is_valid(&answer), "{answer:#}");
    }
    let vector = schema("cairn/conformance-vector");
    for (_, one) in corpus.vectors() {
        assert!(vector.is_valid(&serde_json::to_value(one).unwrap()), "{}", one.id);
    }
}

#[test]
fn what_is_no_case_ends_the_subject() {
    let mut child = Command::new(PROGRAM)
        .args(["conformance", "subject"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"{}\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no case: line 1"));
    let said = Command::new(PROGRAM).args(["conformance", "subject", "--capabilities"]).output().unwrap();
    let said: conformance::protocol::Capabilities = serde_json::from_slice(&said.stdout).unwrap();
    assert!(said.sabotage && said.name == "cairn");
}
