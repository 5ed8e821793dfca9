use super::*;
use crate::fixture::Fixture;

fn read(fixture: &Fixture, commit: &Oid) -> SignedCommit {
    let object = fixture.ask().objects().unwrap().read(commit).unwrap().unwrap();
    SignedCommit::read(commit, &object.content)
}

#[test]
fn a_signed_commit_in_either_format() {
    for format in ["sha1", "sha256"] {
        let fixture = Fixture::with(&[&format!("--object-format={format}")]);
        let set = Signers::read(fixture.signers(&["a"]).as_bytes());
        let commit = fixture.commit(Some("a"), "one\n\ngpgsig in the message\n more");
        let signed = read(&fixture, &commit);
        let proof = signed.author(&set).unwrap();
        assert_eq!(proof.signer.principal.as_str(), "a@example.org");
        assert_eq!(proof.key, fixture.public_key("a").fingerprint());
        let Some(CommitSignature::Ssh(armor)) = &signed.signature else { panic!() };
        let signers = fixture.signers(&["a"]);
        assert!(fixture.keygen_verifies(&signers, "a@example.org", "git", armor, &signed.payload));

        let others = Signers::read(fixture.signers(&["b"]).as_bytes());
        assert!(matches!(signed.author(&others), Err(Unsigned::Unlisted { .. })));
        let reviews = format!("a namespaces=\"chant-review\" {}", fixture.public("a"));
        assert!(matches!(signed.author(&Signers::read(reviews.as_bytes())), Err(Unsigned::Unlisted { .. })));
        let unsigned = fixture.commit(None, "two");
        assert_eq!(read(&fixture, &unsigned).author(&set), Err(Unsigned::Not));
    }
}

#[test]
fn a_merged_tag_is_no_signature_of_the_commit() {
    let fixture = Fixture::new();
    fixture.commit(None, "one");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.commit(None, "side");
    let key = format!("user.signingkey={}", fixture.key("a").display());
    fixture.git(&["-c", "gpg.format=ssh", "-c", &key, "tag", "-s", "-m", "tag", "v1"]);
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["config", "gpg.ssh.allowedSignersFile", "/dev/null"]);
    let merge = fixture.merge(None, "v1");
    let object = fixture.ask().objects().unwrap().read(&merge).unwrap().unwrap().content;
    assert!(String::from_utf8_lossy(&object).contains("mergetag"));
    let commit = SignedCommit::read(&merge, &object);
    assert_eq!((commit.signature, commit.payload), (None, object));
}

#[test]
fn a_signature_moved_to_another_commit_is_none() {
    let fixture = Fixture::new();
    let set = Signers::read(fixture.signers(&["a"]).as_bytes());
    let commit = fixture.commit(Some("a"), "one");
    let object = fixture.ask().objects().unwrap().read(&commit).unwrap().unwrap().content;
    let text = String::from_utf8(object).unwrap();
    let author = |text: &str| SignedCommit::read(&commit, text.as_bytes()).author(&set).map(|_| ());
    assert_eq!(author(&text), Ok(()));
    assert_eq!(author(&text.replace("\n\none", "\n\ntwo")), Err(Unsigned::Invalid(Fault::Wrong)));
    assert_eq!(author(&text.replace("A <a@", "B <a@")), Err(Unsigned::Invalid(Fault::Wrong)));
    let (head, tail) = text.split_once("gpgsig ").unwrap();
    let (signature, body) = tail.split_once("\n\n").unwrap();
    // A second signature, and headers around the one.
    let twice = format!("{head}gpgsig {signature}\ngpgsig {signature}\n\n{body}");
    assert_eq!(author(&twice), Err(Unsigned::Invalid(Fault::Malformed)));
    let extra = format!("{head}x-extra 1\ngpgsig {signature}\n\n{body}");
    assert_eq!(author(&extra), Err(Unsigned::Invalid(Fault::Wrong)));
    // The signature of the other object format is not part of what is signed, and none that counts here.
    let foreign = format!("{head}gpgsig {signature}\ngpgsig-sha256 {signature}\n\n{body}");
    assert_eq!(author(&foreign), Ok(()));
    let only_foreign = format!("{head}gpgsig-sha256 {signature}\n\n{body}");
    assert_eq!(author(&only_foreign), Err(Unsigned::Not));
}

#[test]
fn odd_objects() {
    let oid = Oid::parse(&"a".repeat(40)).unwrap();
    let set = Signers::read(b"");
    let author = |object: &[u8]| SignedCommit::read(&oid, object).author(&set).map(|_| ());
    for object in [&b""[..], b"\n", b"\n\ngpgsig x", b"tree x\n\ngpgsig -----BEGIN SSH SIGNATURE-----\n"] {
        assert_eq!(author(object), Err(Unsigned::Not));
    }
    let malformed = Err(Unsigned::Invalid(Fault::Malformed));
    for object in
        [&b"gpgsig"[..], b"gpgsig \xff\n\n", b"gpgsig x", b"gpgsig -----BEGIN SSH SIGNATURE-----\n \0\n\n"]
    {
        assert_eq!(author(object), malformed);
    }
    for (object, what) in [
        (&b"gpgsig -----BEGIN PGP SIGNATURE-----\n x\n\n"[..], "OpenPGP"),
        (b"gpgsig -----BEGIN SIGNED MESSAGE-----\n x\n\n", "X.509"),
    ] {
        assert!(matches!(author(object), Err(Unsigned::Unchecked(text)) if text.contains(what)));
    }
}

proptest::proptest! {
    #[test]
    fn no_object_is_too_odd(object: Vec<u8>, lines in proptest::collection::vec("(gpgsig|gpgsig-sha256|tree| )? ?[a-z]{0,3}", 0..8)) {
        let oid = Oid::parse(&"a".repeat(40)).unwrap();
        SignedCommit::read(&oid, &object);
        let text = lines.join("\n");
        let commit = SignedCommit::read(&oid, text.as_bytes());
        // Nothing is lost but what belongs to a signature.
        let is_signed = text.split("\n\n").next().unwrap().lines().any(|line| line.starts_with("gpgsig"));
        proptest::prop_assert!(is_signed || commit.payload == text.as_bytes());
    }
}
