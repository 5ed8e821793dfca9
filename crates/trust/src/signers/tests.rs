use super::*;
use crate::fixture::Fixture;

fn reasons(text: &str) -> Vec<LineFault> {
    Signers::read(text.as_bytes()).refused().iter().map(|line| line.reason.clone()).collect()
}

#[test]
fn lines_with_names_options_and_comments() {
    let fixture = Fixture::new();
    let (a, b) = (fixture.public("a"), fixture.public("b"));
    let text = format!(
        "# people\r\n\r\nalice@example.org,Alice {a} her laptop\r\n\"bob@example.org\" namespaces=\"git,chant-review\" {b}\r\n  carol\t{b}\r\n"
    );
    let set = Signers::read(text.as_bytes());
    assert_eq!(set.refused(), []);
    let listed: Vec<_> =
        set.signers().iter().map(|signer| (signer.principal.as_str(), signer.line)).collect();
    assert_eq!(listed, [("alice@example.org", 3), ("Alice", 3), ("bob@example.org", 4), ("carol", 5)]);
    assert_eq!(set.principals().len(), 4);
    assert_eq!(set.distinct(), 2);
    assert!(set.lists(" ALICE ") && !set.lists("mallory"));
    let owners = |key: &str, namespace: &str| {
        let key = key.parse().unwrap();
        let names: Vec<String> =
            set.owners(&key, namespace).map(|signer| signer.principal.to_string()).collect();
        names
    };
    assert_eq!(owners(&b, "git"), ["bob@example.org", "carol"]);
    assert_eq!(owners(&b, "chant-record"), ["carol"]);
    assert_eq!(set.digest(), Signers::read(text.replace('\r', "").as_bytes()).digest());
    assert_eq!(set.digest(), Signers::read(text.replace("\r\n", "\r").as_bytes()).digest());
}

#[test]
fn the_digest_is_that_of_the_text() {
    let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(Signers::read(b"").digest(), empty);
}

#[test]
fn lines_that_would_say_too_much_are_not_used() {
    let fixture = Fixture::new();
    let key = fixture.public("a");
    for (line, reason) in [
        (format!("a valid-after=\"20200101\" {key}"), LineFault::Dated),
        (format!("a namespaces=\"git\",VALID-BEFORE=20300101 {key}"), LineFault::Dated),
        (format!("a cert-authority {key}"), LineFault::Authority),
        (format!("a no-touch-required {key}"), LineFault::Option("no-touch-required".into())),
        (format!("a namespaces=\"x\",namespaces=\"y\" {key}"), LineFault::Option("namespaces".into())),
        (format!("*@example.org {key}"), LineFault::Pattern("*@example.org".into())),
        (format!("a,!b {key}"), LineFault::Pattern("!b".into())),
        (format!("a? {key}"), LineFault::Pattern("a?".into())),
        (format!(", {key}"), LineFault::Incomplete),
        ("a".into(), LineFault::Incomplete),
        ("a ssh-ed25519".into(), LineFault::Incomplete),
        ("a ssh-ed25519 AAAA".into(), LineFault::Key),
        (format!("a namespaces=git ssh-rsa {}", key.split_once(' ').unwrap().1), LineFault::Key),
        ("a namespaces=git ssh-ed25519-cert-v01@openssh.com AAAA".into(), LineFault::Key),
        (format!("a\0b {key}"), LineFault::NotText),
        (format!("{} x y", "a".repeat(1 << 20)), LineFault::Incomplete),
    ] {
        assert_eq!(reasons(&format!("{line}\nb {key}\n")), [reason], "{line:.80}");
        assert_eq!(Signers::read(format!("{line}\nb {key}\n").as_bytes()).signers().len(), 1);
    }
    assert_eq!(Signers::read(b"a \xff\xfe\n").refused()[0].reason, LineFault::NotText);
}

#[test]
fn who_signed() {
    let fixture = Fixture::new();
    let text = format!(
        "alice {a}\nalias {a}\nbob namespaces=\"chant-*,!chant-gate\" {b}\n",
        a = fixture.public("a"),
        b = fixture.public("b")
    );
    let set = Signers::read(text.as_bytes());
    let signature =
        |name: &str, namespace: &str| Signature::parse(&fixture.sign(name, namespace, b"x")).unwrap();
    let by_a = signature("a", "git");
    assert_eq!(set.author(&by_a, "git", b"x").unwrap().principal.as_str(), "alice");
    assert!(set.proves("ALIAS", &by_a, "git", b"x").is_ok());
    assert_eq!(set.proves("bob", &by_a, "git", b"x"), Err(Unproven::Unlisted));
    assert_eq!(set.author(&by_a, "git", b"y"), Err(Unproven::Fault(Fault::Wrong)));
    assert!(matches!(set.author(&by_a, "chant-review", b"x"), Err(Unproven::Fault(Fault::Namespace { .. }))));
    for (namespace, counts) in [("chant-review", true), ("chant-gate", false), ("git", false)] {
        let armor = fixture.sign("b", namespace, b"x");
        let signature = Signature::parse(&armor).unwrap();
        assert_eq!(set.author(&signature, namespace, b"x").is_ok(), counts, "{namespace}");
        assert_eq!(fixture.keygen_verifies(&text, "bob", namespace, &armor, b"x"), counts, "{namespace}");
    }
    assert_eq!(set.author(&signature("c", "git"), "git", b"x"), Err(Unproven::Unlisted));
}

#[test]
fn patterns() {
    for (list, name, taken) in [
        ("git", "git", true),
        ("git", "gi", false),
        ("*", "", true),
        ("c*t-?eview", "chant-review", true),
        ("*a*a*b", "aaaaab", true),
        ("*a*a*c", "aaaaab", false),
        ("!git,*", "git", false),
        ("", "git", false),
    ] {
        assert_eq!(in_list(list, name), taken, "{list} {name}");
    }
    assert!(!in_list(&"*a".repeat(10_000), &"a".repeat(5_000)));
}

proptest::proptest! {
    #[test]
    fn no_file_is_too_odd(text: Vec<u8>, line in "[a-c,*\"= \t]{0,12}(namespaces=\"?|cert-authority |ssh-ed25519 ){0,3}[A-Z\"]{0,9}") {
        Signers::read(&text);
        let set = Signers::read(line.as_bytes());
        proptest::prop_assert!(set.signers().is_empty());
    }

    #[test]
    fn a_pattern_without_signs_is_the_name(name in "[a-z.-]{1,8}", other in "[a-z.-]{1,8}") {
        proptest::prop_assert!(in_list(&name, &name));
        proptest::prop_assert_eq!(in_list(&name, &other), name == other);
        let both = format!("{name}{other}");
        let longer = format!("{name}*");
        proptest::prop_assert!(in_list(&longer, &both));
    }
}
