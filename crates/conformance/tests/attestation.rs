//! Attestations: what was signed is checked whole, and what is changed afterwards is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use canon::{Sha256, Timestamp, base64};
use conformance::attest;
use conformance::{Class, Corpus, Count, Report, Tested, Under, codes};
use serde_json::{Value, json};
use trust::ed25519::SigningKey;

const VECTORS: &str = r#"{"family":"x","about":"","vectors":[
  {"id":"X-1","version":1,"contract":"x","title":"t","mark":"stated","level":"core","requires":["a"],
   "steps":[{"op":"x"}],"expect":{"outputs":[{}]}}]}"#;

fn corpus() -> Corpus {
    Corpus::read([("x", VECTORS.as_bytes())]).unwrap()
}

fn report(class: Class, output: &str) -> Report {
    let one = Tested {
        id: "X-1".to_owned(),
        version: 1,
        family: "x".to_owned(),
        title: "t".to_owned(),
        class,
        level: None,
        runs: 3,
        output: Some(Sha256::of(output)),
        problem: None,
    };
    Report {
        ok: true,
        corpus: corpus().digest(),
        subject: Under {
            name: "script".to_owned(),
            version: "1".to_owned(),
            command: "script".to_owned(),
            files: BTreeMap::from([("script".to_owned(), Sha256::of("program"))]),
            claims: Vec::new(),
        },
        level: None,
        family: None,
        repeat: 3,
        fresh: 0,
        count: Count::of([class]),
        families: BTreeMap::new(),
        levels: Vec::new(),
        problems: Vec::new(),
        control: None,
        vectors: vec![one],
    }
}

fn key(byte: u8) -> SigningKey {
    SigningKey::from_seed(&[byte; 32])
}

fn signed() -> Value {
    let statement = attest::statement(&report(Class::Pass, "a"), Timestamp::from_millis(0), "harness 1");
    serde_json::to_value(attest::sign(&statement, &key(1)).unwrap()).unwrap()
}

fn open(attestation: &Value, by: Option<u8>) -> Result<attest::Opened, gate::Refusal> {
    let by = by.map(|byte| key(byte).public().ssh());
    attest::open(attestation.to_string().as_bytes(), by.as_ref())
}

#[test]
fn what_was_signed_is_opened() {
    let attestation = signed();
    assert_eq!(attestation["form"], "dsse");
    let opened = open(&attestation, Some(1)).unwrap();
    assert_eq!(opened.signer, key(1).public().id());
    opened.is_about(&corpus()).unwrap();
    let payload = base64::decode(attestation["envelope"]["payload"].as_str().unwrap()).unwrap();
    let statement: Value = serde_json::from_slice(&payload).unwrap();
    assert_eq!(statement["_type"], "https://in-toto.io/Statement/v1");
    let names: Vec<&str> =
        statement["subject"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["vectors", "script"]);
}

#[test]
fn a_tampered_attestation_is_refused() {
    let attestation = signed();
    let payload = base64::decode(attestation["envelope"]["payload"].as_str().unwrap()).unwrap();
    let text = String::from_utf8(payload).unwrap();
    for (from, to) in [("PASS", "FAIL"), ("\"repeat\":3", "\"repeat\":9"), ("script", "another")] {
        let mut forged = attestation.clone();
        forged["envelope"]["payload"] = json!(base64::encode(text.replace(from, to).as_bytes()));
        assert_eq!(open(&forged, None).unwrap_err().code, codes::ATTESTATION_FORGED, "{from}");
    }
    let mut forged = attestation.clone();
    forged["publicKey"] = json!(key(2).public().ssh().to_string());
    assert_eq!(open(&forged, None).unwrap_err().code, codes::ATTESTATION_FORGED);
    let refusal = open(&attestation, Some(2)).unwrap_err();
    assert_eq!(refusal.code, codes::ATTESTATION_FORGED);
    assert!(refusal.message.contains("and not by"), "{}", refusal.message);
    for damage in [json!({}), json!({ "form": "dsse" }), json!({ "form": "other" }), json!([])] {
        assert_eq!(open(&damage, None).unwrap_err().code, codes::ATTESTATION_DAMAGED, "{damage}");
    }
}

/// Whoever has the key could sign a statement whose subjects are other files than its own result names.
#[test]
fn a_statement_that_contradicts_itself_is_refused() {
    let mut statement = attest::statement(&report(Class::Pass, "a"), Timestamp::from_millis(0), "harness 1");
    statement.subject[1].digest.insert("sha256".to_owned(), Sha256::of("other").to_string());
    let attestation = serde_json::to_value(attest::sign(&statement, &key(1)).unwrap()).unwrap();
    let refusal = open(&attestation, None).unwrap_err();
    assert!(refusal.message.contains("two digests"), "{}", refusal.message);
    let mut statement = attest::statement(&report(Class::Pass, "a"), Timestamp::from_millis(0), "harness 1");
    "urn:other".clone_into(&mut statement.predicate_type);
    let attestation = serde_json::to_value(attest::sign(&statement, &key(1)).unwrap()).unwrap();
    assert_eq!(open(&attestation, None).unwrap_err().code, codes::ATTESTATION_DAMAGED);
}

#[test]
fn other_vectors_and_other_answers_are_told() {
    let opened = open(&signed(), None).unwrap();
    let other = VECTORS.replace("\"outputs\":[{}]", "\"outputs\":[{\"n\":1}]");
    let other = Corpus::read([("x", other.as_bytes())]).unwrap();
    assert_eq!(opened.is_about(&other).unwrap_err().code, codes::OTHER_CORPUS);
    assert!(opened.differences(&report(Class::Pass, "a")).is_empty());
    let failed = opened.differences(&report(Class::Fail, "b"));
    assert_eq!((failed[0].attested, failed[0].found), (Some(Class::Pass), Some(Class::Fail)));
    let answered = opened.differences(&report(Class::Pass, "b"));
    assert!(answered[0].answer);
    let mut none = report(Class::Pass, "a");
    none.vectors.clear();
    assert_eq!(opened.differences(&none)[0].found, None);
}
