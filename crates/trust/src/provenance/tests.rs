use super::*;
use crate::fixture::Fixture;
use crate::rotation::{self, Version};
use crate::{BaseFrom, NameForm};

const SIGNERS: &str = ".chant/allowed_signers";
const ROTATION: &str = ".chant/allowed_signers.rotation.json";
const POLICY: &str = ".chant/trust.json";

fn levels(trust: &Trust, commits: &[&Oid]) -> Vec<Level> {
    let commits: Vec<Oid> = commits.iter().map(|oid| (*oid).clone()).collect();
    trust.commits(&commits).unwrap().iter().map(|provenance| provenance.level).collect()
}

fn of_file(trust: &Trust, path: &str) -> Provenance {
    trust.files("HEAD", &[RepoPath::from(path)], &|_| false).unwrap().remove(0)
}

#[test]
fn the_base_is_never_the_work() {
    let fixture = Fixture::new();
    assert!(fixture.trust().base().is_none());
    assert_eq!(fixture.trust().problems().len(), 1);
    let one = fixture.commit(None, "one");
    fixture.git(&["branch", "-m", "trunk"]);
    assert!(fixture.trust().base().is_none());
    fixture.git(&["branch", "master"]);
    let from = |flag| fixture.trust_at(flag).base().map(|base| (base.from, base.commit.clone()));
    assert_eq!(from(None), Some((BaseFrom::Master, one.clone())));
    fixture.git(&["branch", "main"]);
    assert_eq!(from(None), Some((BaseFrom::Main, one.clone())));
    fixture.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk"]);
    assert_eq!(from(None), Some((BaseFrom::Main, one.clone())));
    fixture.git(&["update-ref", "refs/remotes/origin/trunk", "HEAD"]);
    assert_eq!(from(None), Some((BaseFrom::OriginHead, one.clone())));
    assert_eq!(from(Some("trunk")), Some((BaseFrom::Flag, one)));
    for rev in ["none", "", "-x", "HEAD:", "a\nb", "a\0b"] {
        let trust = fixture.trust_at(Some(rev));
        assert!(trust.base().is_none() && !trust.problems().is_empty(), "{rev:?}");
    }
    // A tag or a branch elsewhere that is called main is not the branch.
    let other = Fixture::new();
    other.commit(None, "one");
    other.git(&["branch", "-m", "trunk"]);
    other.git(&["tag", "main"]);
    assert!(other.trust().base().is_none());
}

#[test]
fn levels_of_commits_and_files() {
    let fixture = Fixture::new();
    fixture.write("old", "x");
    fixture.write("later", "x");
    let adopted = fixture.commit(None, "adopted");
    let off = fixture.trust();
    assert!(!off.is_active() && off.problems().is_empty());
    assert!(of_file(&off, "old").reason.starts_with("no signers file (.chant/allowed_signers) at base"));
    assert_eq!(of_file(&off, "old").commit, None);

    fixture.write(SIGNERS, fixture.signers(&["a"]));
    fixture.write(POLICY, format!(r#"{{"schema": 1, "adopted": [{{"to": "{adopted}"}}]}}"#));
    let began = fixture.commit(Some("a"), "signers");
    fixture.write("signed", "x");
    let signed = fixture.commit(Some("a"), "signed");
    fixture.write("later", "y");
    let unsigned = fixture.commit(None, "unsigned");
    fixture.git(&["checkout", "-q", "-b", "work"]);
    fixture.write("work", "x");
    let work = fixture.commit(Some("a"), "work");
    let stranger = fixture.commit(Some("stranger"), "stranger");
    let trust = fixture.trust();
    assert!(trust.is_active() && trust.problems().is_empty());
    assert_eq!(
        levels(&trust, &[&adopted, &began, &signed, &unsigned, &work, &stranger, &work]),
        [
            Level::Adopted,
            // Signed by the one who is listed only from here on.
            Level::Unattested,
            Level::Attested,
            Level::Unattested,
            Level::Attested,
            Level::Unattested,
            Level::Attested,
        ]
    );
    let paths: Vec<RepoPath> = ["old", "signed", "later", "work", "none", "dirty"].map(RepoPath::from).into();
    let is_dirty = |path: &RepoPath| path.as_bytes() == b"dirty";
    let files = trust.files("HEAD", &paths, &is_dirty).unwrap();
    let found: Vec<_> = files.iter().map(|file| (file.level, file.commit.clone())).collect();
    assert_eq!(
        found,
        [
            (Level::Adopted, Some(adopted)),
            (Level::Attested, Some(signed)),
            (Level::Unattested, Some(unsigned)),
            (Level::Attested, Some(work)),
            (Level::Unattested, None),
            (Level::Unattested, None),
        ]
    );
    assert_eq!(files[1].principal.as_deref(), Some("a@example.org"));
    assert_eq!(files[1].key, Some(fixture.public_key("a").fingerprint()));
    assert_eq!(files[5], Provenance::uncommitted());
    assert_eq!(trust.files("none", &paths, &is_dirty).unwrap()[1].commit, None);
}

#[test]
fn only_base_says_who_is_listed() {
    let fixture = Fixture::new();
    fixture.write(SIGNERS, fixture.signers(&["a"]));
    fixture.commit(None, "signers");
    fixture.git(&["checkout", "-q", "-b", "work"]);
    fixture.write(SIGNERS, fixture.signers(&["a", "mallory"]));
    fixture.write(POLICY, r#"{"schema": 1, "roles": {"admin": ["mallory@example.org"]}}"#);
    let forged = fixture.commit(Some("mallory"), "let me in");
    fixture.write(SIGNERS, fixture.signers(&["mallory"]));
    let trust = fixture.trust();
    assert_eq!(levels(&trust, &[&forged]), [Level::Unattested]);
    assert!(!trust.policy().holds("admin", "mallory@example.org"));
    assert!(!trust.signers().unwrap().lists("mallory@example.org"));
    assert_eq!(trust.name_form("A@example.org", false), NameForm::Signer);
    assert_eq!(trust.name_form("mallory@example.org", false), NameForm::Name);
    assert_eq!(trust.name_form("mallory", true), NameForm::Role);
    assert_eq!(trust.name_form("github:mallory", false), NameForm::Forge);
}

#[test]
fn a_commit_is_judged_by_the_set_in_effect_when_it_came_in() {
    let fixture = Fixture::new();
    let (old, new) = (fixture.signers(&["a", "b"]), fixture.signers(&["b", "c"]));
    fixture.write(SIGNERS, &old);
    fixture.commit(None, "signers");
    let before = fixture.commit(Some("a"), "before");
    // Begun before the rotation, merged after it.
    fixture.git(&["checkout", "-q", "-b", "late"]);
    fixture.write("late", "x");
    let late = fixture.commit(Some("a"), "late");
    fixture.git(&["checkout", "-q", "-b", "early", "main"]);
    fixture.write("early", "x");
    let early = fixture.commit(Some("a"), "early");
    fixture.git(&["checkout", "-q", "main"]);
    let merged_early = fixture.merge(Some("b"), "early");
    let one: Version = rotation::next(None, old.as_bytes(), None).unwrap().unwrap();
    fixture.write(SIGNERS, &new);
    fixture.write(ROTATION, fixture.rotation(&one, &new, None, &["a"]));
    let rotated = fixture.commit(Some("a"), "rotate");
    let merged_late = fixture.merge(Some("c"), "late");
    let retired = fixture.commit(Some("a"), "backdated");
    let fresh = fixture.commit(Some("c"), "fresh");
    fixture.git(&["checkout", "-q", "-b", "work"]);
    let (work_a, work_c) = (fixture.commit(Some("a"), "work"), fixture.commit(Some("c"), "work"));
    let yes = Level::Attested;
    let no = Level::Unattested;
    let commits =
        [&before, &early, &merged_early, &rotated, &late, &merged_late, &retired, &fresh, &work_a, &work_c];
    assert_eq!(levels(&fixture.trust(), &commits), [yes, yes, yes, yes, no, yes, no, yes, no, yes]);
}

#[test]
fn a_broken_history_or_policy_attests_nothing() {
    let fixture = Fixture::new();
    fixture.write(SIGNERS, fixture.signers(&["a"]));
    fixture.commit(None, "signers");
    fixture.write("file", "x");
    let signed = fixture.commit(Some("a"), "signed");
    assert_eq!(levels(&fixture.trust(), &[&signed]), [Level::Attested]);
    fixture.write(POLICY, "{");
    fixture.commit(Some("a"), "policy");
    let trust = fixture.trust();
    assert!(trust.is_active() && trust.policy_problem().is_some());
    assert_eq!(levels(&trust, &[&signed]), [Level::Unattested]);
    assert!(of_file(&trust, "file").reason.contains("trust.json"));
    fixture.write(POLICY, r#"{"schema": 1}"#);
    fixture.write(SIGNERS, fixture.signers(&["a", "b"]));
    fixture.commit(Some("a"), "no rotation");
    let trust = fixture.trust();
    assert!(trust.problems()[0].contains("broken at"), "{:?}", trust.problems());
    assert_eq!(levels(&trust, &[&signed]), [Level::Unattested]);
}

#[test]
fn what_cannot_be_checked_here() {
    let fixture = Fixture::new();
    fixture.key_of("weak", &["-t", "rsa", "-b", "1024"]);
    fixture.write(SIGNERS, fixture.signers(&["weak"]));
    fixture.commit(None, "signers");
    let elsewhere = fixture.commit(Some("weak"), "weak");
    let object = fixture.ask().objects().unwrap().read(&elsewhere).unwrap().unwrap().content;
    let armored = String::from_utf8(object).unwrap().replace("SSH SIGNATURE", "PGP SIGNATURE");
    fixture.write("object", &armored);
    let openpgp = fixture.git(&["hash-object", "-t", "commit", "-w", "object"]);
    let openpgp = Oid::parse(&openpgp).unwrap();
    assert_eq!(levels(&fixture.trust(), &[&elsewhere, &openpgp]), [Level::Unverifiable; 2]);
}

#[test]
fn outside_a_repository_nothing_is_attested() {
    let trust = Trust::empty();
    let files = trust.files("HEAD", &[RepoPath::from("a")], &|_| false).unwrap();
    assert_eq!(files[0].level, Level::Unattested);
    assert!(trust.problems().is_empty() && !trust.is_active());
}
