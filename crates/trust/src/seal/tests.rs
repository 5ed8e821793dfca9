use serde_json::json;

use super::*;
use crate::fixture::Fixture;

const SIGNERS: &str = ".chant/allowed_signers";

fn verdict(reviewer: &str) -> Subject {
    Subject::verdict(Some("d-001"), Some("abc"), "agree", reviewer, Some("2030-01-01"))
}

fn sealed(fixture: &Fixture, subject: &Subject, key: &str) -> Value {
    let made = seal(subject, &SigningKey::File(fixture.key(key)), &fixture.env).unwrap();
    serde_json::to_value(made).unwrap()
}

#[test]
fn what_is_signed() {
    let text =
        |subject: Subject| subject.payload().map(|payload| String::from_utf8(payload.to_vec()).unwrap());
    assert_eq!(text(verdict("Alice")).unwrap(), "d-001\nabc\nagree\nAlice\n2030-01-01");
    let record = |state| Subject::record(Some("d-001"), "abc", Some("alice"), state);
    assert_eq!(text(record(Some("decided"))).unwrap(), "d-001\nabc\nalice\ndecided");
    assert_eq!(text(record(None)).unwrap(), "d-001\nabc\nalice\n");
    let approval = Approval {
        op: "deploy",
        gate: "ship",
        environment: None,
        plan_digest: Some("p"),
        resolved_by: "alice",
        timestamp: "t",
        relayed_by: None,
    };
    assert_eq!(text(Subject::gate(&approval)).unwrap(), "deploy\nship\n\np\nalice\nt");
    let relayed = Approval { relayed_by: Some("bob"), ..approval };
    assert_eq!(text(Subject::gate(&relayed)).unwrap(), "deploy\nship\n\np\nalice\nt\nrelayed-by bob");
    // Parts can't be shifted by a line break in one of them.
    assert_eq!(text(Subject::record(Some("d\nabc"), "x", Some("alice"), None)), None);
    assert_eq!(text(Subject::record(None, "x", Some("alice"), None)), None);
    assert_eq!(text(Subject::verdict(Some("d"), None, "agree", "a", Some("x"))), None);
}

#[test]
fn the_order_of_the_checks() {
    let fixture = Fixture::new();
    fixture.write(SIGNERS, fixture.signers(&["a", "b"]));
    fixture.commit(None, "signers");
    let trust = fixture.trust();
    let subject = verdict("A@example.org");
    let good = sealed(&fixture, &verdict("A@example.org"), "a");
    let check = |subject: &Subject, seal: &Value| {
        let attestation = trust.check_seal(subject, Some(seal));
        assert_eq!(attestation.problem.is_none(), attestation.is_attested());
        (attestation.attested, attestation.problem, attestation.key.is_some())
    };
    let invalid = |checked| (Some(false), Some(SealProblem::SignatureInvalid), checked);
    assert_eq!(check(&subject, &good), (Some(true), None, true));
    assert_eq!(check(&subject, &Value::Null), (Some(false), Some(SealProblem::Missing), false));
    for malformed in
        [json!("x"), json!([]), json!({"signer": "A@example.org"}), json!({"signer": 1, "signature": "x"})]
    {
        assert_eq!(check(&subject, &malformed), invalid(false));
    }
    let with = |name: &str, value: Value| {
        let mut seal = good.clone();
        seal[name] = value;
        seal
    };
    assert_eq!(check(&subject, &with("signer", json!("b@example.org"))), invalid(false));
    assert_eq!(check(&subject, &with("signature", json!("-----BEGIN SSH SIGNATURE-----"))), invalid(false));
    assert_eq!(check(&subject, &with("key", json!("SHA256:mine"))), (Some(true), None, true));
    assert_eq!(check(&subject, &with("signer", json!(" ａ@EXAMPLE.org"))), (Some(true), None, true));
    let undated = Subject::verdict(Some("d-001"), Some("abc"), "agree", "A@example.org", None);
    assert_eq!(check(&undated, &good), invalid(false));
    let unlisted = verdict("mallory");
    let seal = sealed(&fixture, &unlisted, "mallory");
    assert_eq!(check(&unlisted, &seal), (Some(false), Some(SealProblem::SignerUnlisted), false));
    // Another listed person's key, other content, another kind of seal.
    assert_eq!(check(&subject, &sealed(&fixture, &subject, "b")), invalid(true));
    let other = Subject::verdict(Some("d-001"), Some("abc"), "dissent", "A@example.org", Some("2030-01-01"));
    assert_eq!(check(&other, &good), invalid(true));
    let payload = String::from_utf8(subject.payload().unwrap().to_vec()).unwrap();
    let as_commit = fixture.sign("a", "git", payload.as_bytes());
    assert_eq!(check(&subject, &with("signature", json!(as_commit))), invalid(true));
    // The standard tool agrees.
    let armor = good["signature"].as_str().unwrap();
    let signers = fixture.signers(&["a"]);
    assert!(fixture.keygen_verifies(&signers, "a@example.org", "chant-review", armor, payload.as_bytes()));
}

#[test]
fn a_record_that_names_nobody_needs_no_seal() {
    let fixture = Fixture::new();
    fixture.write(SIGNERS, fixture.signers(&["a"]));
    fixture.commit(None, "signers");
    let trust = fixture.trust();
    let nobody = Subject::record(Some("d-001"), "abc", None, None);
    let answer = trust.check_seal(&nobody, None);
    assert_eq!((answer.attested, answer.problem), (None, Some(SealProblem::Missing)));
    let somebody = Subject::record(Some("d-001"), "abc", Some("a@example.org"), None);
    assert_eq!(trust.check_seal(&somebody, None).attested, Some(false));
    let seal = sealed(&fixture, &somebody, "a");
    assert_eq!(trust.check_seal(&somebody, Some(&seal)).attested, Some(true));
    assert_eq!(trust.check_seal(&nobody, Some(&seal)).attested, Some(false));
    assert!(matches!(
        super::seal(&nobody, &SigningKey::File(fixture.key("a")), &fixture.env),
        Err(SealError::Incomplete { .. })
    ));
}

#[test]
fn without_signers_only_damage_shows() {
    let fixture = Fixture::new();
    fixture.commit(None, "one");
    fixture.write(SIGNERS, fixture.signers(&["a"]));
    let trust = fixture.trust();
    let subject = verdict("a@example.org");
    let seal = sealed(&fixture, &subject, "a");
    let answer = trust.check_seal(&subject, None);
    assert_eq!((answer.attested, answer.problem), (None, Some(SealProblem::Missing)));
    let answer = trust.check_seal(&subject, Some(&seal));
    assert_eq!((answer.attested, answer.problem), (None, Some(SealProblem::Unverifiable)));
    assert_eq!(answer.key, Some(fixture.public_key("a").fingerprint()));
    let other = Subject::verdict(Some("d-002"), Some("abc"), "agree", "a@example.org", Some("2030-01-01"));
    let answer = trust.check_seal(&other, Some(&seal));
    assert_eq!((answer.attested, answer.problem), (Some(false), Some(SealProblem::SignatureInvalid)));
}

#[test]
fn a_broken_history_proves_nobody() {
    let fixture = Fixture::new();
    fixture.write(SIGNERS, fixture.signers(&["a"]));
    fixture.commit(None, "signers");
    fixture.write(SIGNERS, fixture.signers(&["a", "b"]));
    fixture.commit(None, "no rotation");
    let subject = verdict("a@example.org");
    let answer = fixture.trust().check_seal(&subject, Some(&sealed(&fixture, &subject, "a")));
    assert_eq!((answer.attested, answer.problem), (None, Some(SealProblem::Unverifiable)));
}

#[test]
fn a_kind_of_key_that_cannot_be_checked() {
    let fixture = Fixture::new();
    fixture.key_of("weak", &["-t", "rsa", "-b", "1024"]);
    fixture.write(SIGNERS, fixture.signers(&["weak"]));
    fixture.commit(None, "signers");
    let subject = verdict("weak@example.org");
    let answer = fixture.trust().check_seal(&subject, Some(&sealed(&fixture, &subject, "weak")));
    assert_eq!((answer.attested, answer.problem), (None, Some(SealProblem::Unverifiable)));
}
