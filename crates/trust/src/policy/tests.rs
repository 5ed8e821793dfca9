use super::*;
use crate::fixture::Fixture;

#[test]
fn a_whole_policy() {
    let fixture = Fixture::new();
    let oid = "a".repeat(40);
    let text = format!(
        r#"{{"schema": 1, "signers": "trust/signers",
            "roles": {{"admin": ["Alice"], "agent": ["claude", "both"], "service": ["both"], "clinician": ["dr"]}},
            "adopted": [{{"to": "{oid}", "note": "before"}}, {{"from": "{oid}", "to": "{oid}"}}],
            "runners": [{{"principal": "ci", "class": "runner", "key": "{}"}}]}}"#,
        fixture.public("ci")
    );
    let mut policy = Policy::read(text.as_bytes()).unwrap();
    assert_eq!(policy.signers, RepoPath::from("trust/signers"));
    assert!(policy.holds("admin", " ALICE"));
    let domain = [DomainClass { name: "doctor".into(), role: "clinician".into() }];
    for (name, class) in [
        ("claude", Class::Agent),
        ("both", Class::Agent),
        ("dr", Class::Domain("doctor".into())),
        ("alice", Class::Human),
        ("ci", Class::Human),
    ] {
        assert_eq!(policy.class(name, &domain), class, "{name}");
    }
    assert_eq!(policy.classes("both", &domain), [Class::Agent, Class::Service]);
    assert_eq!(policy.adopted.len(), 2);

    let set = Signers::read(fixture.signers(&["bob"]).as_bytes());
    assert!(policy.may_write(&set, "alice") && !policy.may_write(&set, "bob@example.org"));
    assert!(Policy::default().may_write(&set, "BOB@example.org"));
    assert!(policy.refuse_signers(&set).is_empty());
    let person = Signers::read(format!("someone {}\n", fixture.public("ci")).as_bytes());
    assert!(policy.clone().refuse_signers(&person)[0].by_key);
    let namesake = Signers::read(format!("CI {}\n", fixture.public("x")).as_bytes());
    assert!(!policy.refuse_signers(&namesake)[0].by_key);
    assert!(policy.runners.is_empty());
}

#[test]
fn whatever_else_is_named_and_refused() {
    let fixture = Fixture::new();
    let key = fixture.public("ci");
    for (text, place) in [
        ("", "line 1"),
        ("{", "line 1"),
        ("[]", "invalid"),
        ("{}", "schema"),
        (r#"{"schema": 2}"#, "`schema`"),
        (r#"{"schema": 1, "extra": 1}"#, "extra"),
        (r#"{"schema": 1, "signers": "../x"}"#, "`signers`"),
        (r#"{"schema": 1, "signers": "/x"}"#, "`signers`"),
        (r#"{"schema": 1, "signers": "a//b"}"#, "`signers`"),
        (r#"{"schema": 1, "signers": ""}"#, "`signers`"),
        (r#"{"schema": 1, "signers": "a\\b"}"#, "`signers`"),
        (r#"{"schema": 1, "roles": {"admin": "alice"}}"#, "line 1"),
        (r#"{"schema": 1, "roles": {"admin": [" "]}}"#, "`roles.admin`"),
        (r#"{"schema": 1, "adopted": [{"to": "abc"}]}"#, "`adopted[0].to`"),
        (r#"{"schema": 1, "adopted": [{"from": "abc"}]}"#, "to"),
        (r#"{"schema": 1, "runners": [{"principal": "ci", "class": "human", "key": "x"}]}"#, "human"),
        (
            r#"{"schema": 1, "runners": [{"principal": "ci", "class": "runner", "key": "x"}]}"#,
            "`runners[0].key`",
        ),
        (
            &format!(
                r#"{{"schema": 1, "runners": [{{"principal": "ci", "class": "runner", "key": "{key} c"}}]}}"#
            ),
            "key",
        ),
        (r#"{"schema": 1, "schema": 1}"#, "schema"),
    ] {
        let problem = Policy::read(text.as_bytes()).unwrap_err();
        assert!(problem.contains(place), "{text}: {problem}");
    }
    assert!(Policy::read(b"\xff\xfe").is_err());
}

proptest::proptest! {
    #[test]
    fn no_text_is_too_odd(text: Vec<u8>, path in "[a./\\\\]{0,6}") {
        let _ = Policy::read(&text);
        let policy = Policy::read(serde_json::json!({"schema": 1, "signers": path}).to_string().as_bytes());
        if let Ok(policy) = policy {
            proptest::prop_assert_eq!(policy.signers.as_bytes(), path.as_bytes());
            proptest::prop_assert_ne!(policy.signers.first(), b"..");
        }
    }
}
