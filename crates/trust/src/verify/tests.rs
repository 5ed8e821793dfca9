use super::*;
use crate::fixture::Fixture;

const SIGNERS: &str = ".chant/allowed_signers";
const ROTATION: &str = ".chant/allowed_signers.rotation.json";
const POLICY: &str = ".chant/trust.json";

/// Signers a and b on main, and a branch `work`.
fn with_signers() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("file", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    fixture.write(SIGNERS, fixture.signers(&["a", "b"]));
    fixture.commit(None, "signers");
    fixture.git(&["checkout", "-q", "-b", "work"]);
    fixture
}

fn checks(fixture: &Fixture, require: bool) -> Vec<Check> {
    let report = fixture.trust().verify("HEAD", require).unwrap();
    report.failures.into_iter().map(|failure| failure.check).collect()
}

#[test]
fn a_change_without_signatures_passes_until_they_are_asked_for() {
    let fixture = with_signers();
    fixture.write("new", "x");
    fixture.commit(Some("a"), "signed\n\nbody");
    assert_eq!(checks(&fixture, true), []);
    let unsigned = fixture.commit(None, "unsigned");
    assert_eq!(checks(&fixture, false), []);
    let report = fixture.trust().verify("HEAD", true).unwrap();
    assert!(report.lacks_attestation_only());
    assert_eq!(report.failures[0].commit, Some(unsigned));
    let subjects: Vec<_> = report.commits.iter().map(|judged| judged.subject.as_str()).collect();
    assert_eq!(subjects, ["signed", "unsigned"]);
    assert_eq!(report.commits[0].provenance.principal.as_deref(), Some("a@example.org"));
}

#[test]
fn without_signers_at_base_nothing_is_checked() {
    let fixture = Fixture::new();
    fixture.commit(None, "one");
    fixture.git(&["checkout", "-q", "-b", "work"]);
    fixture.write(SIGNERS, fixture.signers(&["mallory"]));
    fixture.commit(Some("mallory"), "signers");
    let report = fixture.trust().verify("HEAD", false).unwrap();
    assert!(report.passes() && !report.is_active && report.notes.len() == 1);
    assert_eq!(checks(&fixture, true), [Check::RequireAttested]);
    for head in ["none", "", "-x", "HEAD:file"] {
        assert!(!fixture.trust().verify(head, false).unwrap().passes());
    }
    assert!(!fixture.trust_at(Some("none")).verify("HEAD", false).unwrap().passes());
    assert!(!Trust::empty().verify("HEAD", false).unwrap().passes());
}

#[test]
fn the_policy_is_changed_by_those_who_may() {
    let fixture = with_signers();
    for (signer, allowed) in [(None, false), (Some("mallory"), false), (Some("a"), true)] {
        fixture.git(&["checkout", "-q", "-B", "work", "main"]);
        fixture.write(POLICY, r#"{"schema": 1, "roles": {"admin": ["B@example.org"]}}"#);
        fixture.commit(signer, "policy");
        // What comes after doesn't heal it.
        fixture.commit(Some("a"), "after");
        assert_eq!(checks(&fixture, false).is_empty(), allowed, "{signer:?}");
    }
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["merge", "-q", "--ff-only", "work"]);
    for (signer, allowed) in [(Some("a"), false), (Some("b"), true)] {
        for path in [POLICY, SIGNERS] {
            fixture.git(&["checkout", "-q", "-B", "work", "main"]);
            fixture.git(&["rm", "-q", path]);
            fixture.commit(signer, "remove");
            let expected: &[Check] = if allowed { &[] } else { &[Check::ProtectedWrite] };
            assert_eq!(checks(&fixture, false), expected, "{signer:?} {path}");
        }
    }
    // Changed and changed back is changed.
    fixture.git(&["checkout", "-q", "-B", "work", "main"]);
    fixture.write(POLICY, r#"{"schema": 1}"#);
    fixture.commit(None, "there");
    fixture.git(&["revert", "--no-edit", "HEAD"]);
    assert_eq!(checks(&fixture, false), [Check::ProtectedWrite; 2]);
}

#[test]
fn a_merge_that_brings_an_old_policy_back_is_a_write() {
    let fixture = with_signers();
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["branch", "old"]);
    fixture.write(POLICY, r#"{"schema": 1, "roles": {"admin": ["b@example.org"]}}"#);
    fixture.commit(Some("a"), "policy");
    fixture.git(&["checkout", "-q", "-B", "work", "old"]);
    fixture.write("new", "x");
    fixture.commit(Some("a"), "work");
    // An ordinary merge of base into the work changes no policy.
    fixture.merge(None, "main");
    assert_eq!(checks(&fixture, true), []);
    fixture.git(&["reset", "-q", "--hard", "HEAD^"]);
    fixture.commit_with(Some("a"), &["merge", "-q", "-s", "ours", "-m", "ours", "main"]);
    assert_eq!(checks(&fixture, false), [Check::ProtectedWrite]);
}

#[test]
fn a_plain_merge_needs_no_signature_and_what_it_brings_does() {
    let fixture = with_signers();
    fixture.write("file", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    fixture.commit(Some("a"), "work");
    fixture.git(&["checkout", "-q", "-b", "side", "main"]);
    fixture.write("file", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    fixture.commit(Some("b"), "side");
    fixture.git(&["checkout", "-q", "work"]);
    fixture.merge(None, "side");
    assert_eq!(checks(&fixture, true), []);
    fixture.write("smuggled", "x");
    fixture.git(&["add", "-A"]);
    fixture.commit_with(None, &["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(checks(&fixture, true), [Check::RequireAttested]);
    fixture.git(&["reset", "-q", "--hard", "HEAD^"]);
    fixture.git(&["checkout", "-q", "side"]);
    fixture.commit(None, "unsigned");
    fixture.git(&["checkout", "-q", "work"]);
    fixture.merge(None, "side");
    let report = fixture.trust().verify("HEAD", true).unwrap();
    assert_eq!(report.failures.len(), 1);
    let unsigned = report.commits.iter().find(|judged| judged.subject == "unsigned").unwrap();
    assert_eq!(report.failures[0].commit.as_ref(), Some(&unsigned.commit));
}

#[test]
fn a_merge_of_many_is_no_way_round() {
    let fixture = with_signers();
    for side in ["x", "y"] {
        fixture.git(&["checkout", "-q", "-b", side, "main"]);
        fixture.write(side, "x");
        fixture.commit(Some("a"), side);
    }
    fixture.git(&["checkout", "-q", "-B", "work", "main"]);
    fixture.commit(Some("a"), "work");
    fixture.commit_with(None, &["merge", "-q", "-m", "many", "x", "y"]);
    assert_eq!(checks(&fixture, false), []);
    assert_eq!(checks(&fixture, true), [Check::RequireAttested]);
    fixture.write(SIGNERS, fixture.signers(&["mallory"]));
    fixture.git(&["add", "-A"]);
    fixture.commit_with(None, &["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(checks(&fixture, false), [Check::ProtectedWrite, Check::Rotation(Break::Missing)]);
}

#[test]
fn new_signers_follow_those_at_base() {
    let fixture = with_signers();
    let new = fixture.signers(&["b", "c"]);
    fixture.write(SIGNERS, &new);
    fixture.commit(Some("a"), "set");
    assert_eq!(checks(&fixture, false), [Check::Rotation(Break::Missing)]);
    let trust = fixture.trust();
    let current = trust.history().newest().unwrap();
    fixture.write(ROTATION, fixture.rotation(current, &new, None, &["b"]));
    fixture.commit(Some("a"), "rotation");
    let report = trust.verify("HEAD", true).unwrap();
    assert!(report.passes(), "{:?}", report.failures);
    let proposal = report.proposal.unwrap();
    assert_eq!((proposal.from, proposal.to, proposal.signed_by), (1, 2, vec!["b@example.org".into()]));
    // Work that began before the rotation has the old files and has not touched them.
    fixture.git(&["branch", "behind", "main"]);
    fixture.git(&["checkout", "-q", "main"]);
    fixture.merge(Some("a"), "work");
    fixture.git(&["checkout", "-q", "behind"]);
    fixture.write("new", "x");
    fixture.commit(Some("c"), "work");
    assert_eq!(checks(&fixture, true), []);
    fixture.commit(Some("a"), "by one who is out");
    assert_eq!(checks(&fixture, true), [Check::RequireAttested]);
    // The old set can't be put back by its own file.
    fixture.git(&["checkout", "-q", "-B", "work", "main"]);
    fixture.write(SIGNERS, fixture.signers(&["a", "b"]));
    fixture.git(&["rm", "-q", ROTATION]);
    fixture.commit(Some("c"), "roll back");
    assert_eq!(checks(&fixture, false), [Check::Rotation(Break::Missing)]);
}

#[test]
fn a_broken_or_ended_history_verifies_nothing() {
    let fixture = with_signers();
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write(SIGNERS, fixture.signers(&["mallory"]));
    let broken = fixture.commit(None, "taken over");
    fixture.git(&["checkout", "-q", "-B", "work", "main"]);
    fixture.commit(Some("mallory"), "work");
    let report = fixture.trust().verify("HEAD", false).unwrap();
    assert_eq!(report.failures[0].check, Check::History(Break::Missing));
    assert_eq!(report.failures[0].commit, Some(broken));
    fixture.git(&["checkout", "-q", "main"]);
    fixture.git(&["reset", "-q", "--hard", "HEAD^"]);
    fixture.git(&["rm", "-q", SIGNERS]);
    fixture.commit(Some("a"), "removed");
    assert_eq!(checks(&fixture, false), [Check::History(Break::SignersRemoved)]);
    fixture.git(&["reset", "-q", "--hard", "HEAD^"]);
    fixture.write(POLICY, "{");
    fixture.commit(Some("a"), "policy");
    assert_eq!(checks(&fixture, false), [Check::Policy]);
}

#[test]
fn a_listed_key_on_other_content_is_a_forgery() {
    let fixture = with_signers();
    fixture.write("new", "x");
    let signed = fixture.commit(Some("a"), "fine");
    let object = fixture.ask().objects().unwrap().read(&signed).unwrap().unwrap().content;
    let forged = String::from_utf8(object).unwrap().replace("\n\nfine", "\n\nforged");
    fixture.write("object", forged);
    let forged = fixture.git(&["hash-object", "-t", "commit", "-w", "object"]);
    fixture.git(&["update-ref", "HEAD", &forged]);
    assert_eq!(checks(&fixture, false), [Check::Attestation]);
}

#[test]
fn settings_of_git_and_replaced_objects_count_for_nothing() {
    let fixture = with_signers();
    let (allowed, fake) = (fixture.beside("allowed"), fixture.beside("fake"));
    std::fs::write(&allowed, fixture.signers(&["mallory"])).unwrap();
    std::fs::write(&fake, "#!/bin/sh\nexit 0\n").unwrap();
    fixture.write("new", "x");
    let good = fixture.commit(Some("a"), "good");
    let bad = fixture.commit(Some("mallory"), "bad");
    fixture.git(&["config", "gpg.ssh.allowedSignersFile", allowed.to_str().unwrap()]);
    fixture.git(&["config", "gpg.ssh.program", fake.to_str().unwrap()]);
    fixture.git(&["config", "log.showSignature", "true"]);
    fixture.git(&["replace", bad.as_str(), good.as_str()]);
    let report = fixture.trust().verify(bad.as_str(), true).unwrap();
    assert_eq!(report.failures.len(), 1);
    assert_eq!(report.failures[0].commit, Some(bad));
}
