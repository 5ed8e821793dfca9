use std::sync::Arc;

use super::*;
use crate::fixture::Fixture;
use crate::signers::Unproven;

const SIGNERS: &str = ".chant/allowed_signers";
const ROTATION: &str = ".chant/allowed_signers.rotation.json";

impl Fixture {
    /// The rotation file that lets `set` follow `current`, signed with these keys.
    pub(crate) fn rotation(
        &self,
        current: &Version,
        set: &str,
        threshold: Option<u64>,
        keys: &[&str],
    ) -> String {
        let mut text = rotate(current, set.as_bytes(), threshold).unwrap();
        for key in keys {
            let statement = statement_to_sign(current, set.as_bytes(), Some(text.as_bytes())).unwrap();
            let armor = self.sign(key, NAMESPACE, &statement);
            text = countersign(current, set.as_bytes(), Some(text.as_bytes()), &armor).unwrap().text;
        }
        text
    }

    fn history(&self) -> History {
        let objects = Arc::new(self.ask().objects().unwrap());
        let base = objects.commit("main").unwrap().unwrap();
        History::read(&self.ask(), &objects, &base, &RepoPath::from(SIGNERS)).unwrap()
    }
}

fn first(set: &str, rotation: Option<&str>) -> Version {
    next(None, set.as_bytes(), rotation.map(str::as_bytes)).unwrap().unwrap()
}

fn broken(previous: Option<&Version>, set: &str, rotation: Option<&str>) -> Break {
    next(previous, set.as_bytes(), rotation.map(str::as_bytes)).unwrap_err().kind
}

#[test]
fn one_set_hands_over_to_the_next() {
    let fixture = Fixture::new();
    let (old, new) = (fixture.signers(&["a", "b"]), fixture.signers(&["b", "c"]));
    let one = first(&old, None);
    assert_eq!((one.version, one.threshold), (1, 1));
    let text = fixture.rotation(&one, &new, Some(2), &["b"]);
    let two = next(Some(&one), new.as_bytes(), Some(text.as_bytes())).unwrap().unwrap();
    assert_eq!((two.version, two.threshold), (2, 2));
    assert_eq!(two.signed_by[0].as_str(), "b@example.org");
    assert_eq!(two.digest(), Some(Signers::read(new.as_bytes()).digest()));
    // A signature made by hand with the standard tool over bytes written by hand.
    let statement = format!(
        r#"{{"previous":"{}","signers":"{}","threshold":2,"type":"chant-signer-set","version":2}}"#,
        one.digest().unwrap(),
        two.digest().unwrap()
    );
    let by_hand = fixture.sign("a", "chant-signers", statement.as_bytes());
    let both = countersign(&one, new.as_bytes(), Some(text.as_bytes()), &by_hand).unwrap();
    assert_eq!((both.have, both.need, both.principal.as_str()), (2, 1, "a@example.org"));
    let keys: Vec<_> = both.text.lines().filter_map(|line| line.strip_prefix("  \"")).collect();
    assert!(
        keys[0].starts_with("schema") && keys[1].starts_with("version") && keys[2].starts_with("previous")
    );
    // With a threshold of two, one signature is too few.
    let last = fixture.signers(&["b"]);
    let text = fixture.rotation(&two, &last, Some(1), &["c"]);
    assert_eq!(broken(Some(&two), &last, Some(&text)), Break::ThresholdNotMet);
    let text = fixture.rotation(&two, &last, Some(1), &["c", "b"]);
    assert_eq!(next(Some(&two), last.as_bytes(), Some(text.as_bytes())).unwrap().unwrap().version, 3);
}

#[test]
fn the_ways_to_break() {
    let fixture = Fixture::new();
    let (old, new) = (fixture.signers(&["a", "b"]), fixture.signers(&["b", "c"]));
    let one = first(&old, None);
    let good = fixture.rotation(&one, &new, None, &["a"]);
    let changed = |from: &str, to: &str| good.replacen(from, to, 1);
    assert!(next(Some(&one), new.as_bytes(), Some(good.as_bytes())).is_ok());
    for (rotation, kind) in [
        (None, Break::Missing),
        (Some(String::new()), Break::Unparseable),
        (Some("{\"schema\": 1".into()), Break::Unparseable),
        (Some("[]".into()), Break::Invalid),
        (Some(changed("\"schema\": 1", "\"schema\": 2")), Break::Invalid),
        (Some(changed("\"schema\": 1", "\"schema\": 1, \"extra\": 1")), Break::Invalid),
        (Some(changed("\"threshold\": 1", "\"threshold\": 0")), Break::Invalid),
        (Some(changed("\"threshold\": 1", "\"threshold\": 18446744073709551615")), Break::Invalid),
        (Some(changed("sha256:", "sha1:")), Break::Invalid),
        (Some(changed("\"version\": 2", "\"version\": 3")), Break::VersionSkew),
        (Some(changed("\"version\": 2", "\"version\": 1")), Break::VersionSkew),
        (
            Some(changed(one.digest().unwrap(), &format!("sha256:{}", "0".repeat(64)))),
            Break::PreviousMismatch,
        ),
        (Some(changed("\"threshold\": 1", "\"threshold\": 3")), Break::ThresholdUnsatisfiable),
        (Some(changed("\"threshold\": 1", "\"threshold\": 2")), Break::ThresholdNotMet),
        (Some(changed("a@example.org", "b@example.org")), Break::ThresholdNotMet),
    ] {
        assert_eq!(broken(Some(&one), &new, rotation.as_deref()), kind, "{rotation:?}");
    }
    // Another new set under the same signatures, and a signature by someone who is only in the new set.
    assert_eq!(broken(Some(&one), &fixture.signers(&["mallory"]), Some(&good)), Break::ThresholdNotMet);
    let statement = statement_to_sign(&one, new.as_bytes(), Some(good.as_bytes())).unwrap();
    let outsider = fixture.sign("c", NAMESPACE, &statement);
    assert!(matches!(
        countersign(&one, new.as_bytes(), Some(good.as_bytes()), &outsider),
        Err(RotationFault::Signature(Unproven::Unlisted))
    ));
    // A commit's signature is none of a rotation.
    let foreign = fixture.sign("b", "git", &statement);
    assert!(countersign(&one, new.as_bytes(), Some(good.as_bytes()), &foreign).is_err());

    assert_eq!(broken(None, &new, Some(&good)), Break::FirstVersion);
    let of_first = r#"{"schema":1,"version":1,"previous":null,"threshold":2,"signatures":[]}"#;
    assert_eq!(first(&old, Some(of_first)).threshold, 2);
    assert_eq!(broken(None, &fixture.signers(&["a"]), Some(of_first)), Break::ThresholdUnsatisfiable);
    assert_eq!(broken(None, &old, Some(&of_first.replace("\"previous\":null,", ""))), Break::Invalid);
    // Taking the file with the higher threshold away lowers the threshold.
    assert_eq!(broken(Some(&first(&old, Some(of_first))), &old, None), Break::Missing);
}

#[test]
fn a_key_under_two_names_counts_once() {
    let fixture = Fixture::new();
    let old = format!("a {k}\nalias {k}\nb {}\n", fixture.public("b"), k = fixture.public("a"));
    let of_first = r#"{"schema":1,"version":1,"previous":null,"threshold":2,"signatures":[]}"#;
    let one = first(&old, Some(of_first));
    let new = fixture.signers(&["a", "b"]);
    let text = rotate(&one, new.as_bytes(), None).unwrap();
    let statement = statement_to_sign(&one, new.as_bytes(), Some(text.as_bytes())).unwrap();
    let armor = fixture.sign("a", NAMESPACE, &statement).replace('\n', "\\n");
    let entry = |name: &str| format!(r#"{{"principal": "{name}", "signature": "{armor}"}}"#);
    let twice = text.replace("[]", &format!("[{}, {}]", entry("a"), entry("alias")));
    assert_eq!(broken(Some(&one), &new, Some(&twice)), Break::ThresholdNotMet);
    let of_three = of_first.replace("\"threshold\":2", "\"threshold\":3");
    assert_eq!(broken(None, &old, Some(&of_three)), Break::ThresholdUnsatisfiable);
}

#[test]
fn what_is_not_written() {
    let fixture = Fixture::new();
    let (old, new) = (fixture.signers(&["a", "b"]), fixture.signers(&["b", "c"]));
    let one = first(&old, None);
    assert_eq!(rotate(&one, old.as_bytes(), None), Err(RotationFault::Unchanged));
    assert!(rotate(&one, old.as_bytes(), Some(2)).is_ok());
    for threshold in [0, 3] {
        assert!(matches!(
            rotate(&one, new.as_bytes(), Some(threshold)),
            Err(RotationFault::Threshold { .. })
        ));
    }
    assert_eq!(statement_to_sign(&one, new.as_bytes(), None), Err(RotationFault::NoFile));
    let good = fixture.rotation(&one, &new, None, &["a"]);
    let statement = statement_to_sign(&one, new.as_bytes(), Some(good.as_bytes())).unwrap();
    let again =
        countersign(&one, new.as_bytes(), Some(good.as_bytes()), &fixture.sign("a", NAMESPACE, &statement));
    assert!(matches!(again, Err(RotationFault::AlreadySigned(_))));
    let stale = good.replace("\"version\": 2", "\"version\": 7");
    assert!(matches!(
        statement_to_sign(&one, new.as_bytes(), Some(stale.as_bytes())),
        Err(RotationFault::Stale { next: 2, found: 7 })
    ));
    // What the key had signed before the set changed again is replaced.
    let newer = fixture.signers(&["c"]);
    let statement = statement_to_sign(&one, newer.as_bytes(), Some(good.as_bytes())).unwrap();
    let signed =
        countersign(&one, newer.as_bytes(), Some(good.as_bytes()), &fixture.sign("a", NAMESPACE, &statement));
    let signed = signed.unwrap();
    assert_eq!(signed.text.matches("BEGIN SSH").count(), 1);
    assert_eq!(signed.have, 1);
}

#[test]
fn the_history_of_a_branch() {
    let fixture = Fixture::new();
    fixture.write("readme", "x");
    fixture.commit(None, "before");
    let old = fixture.signers(&["a", "b"]);
    fixture.write(SIGNERS, &old);
    let began = fixture.commit(None, "signers");
    // A branch of its own, whose inner steps are not on the first-parent line.
    fixture.git(&["checkout", "-q", "-b", "side"]);
    let new = fixture.signers(&["b"]);
    fixture.write(SIGNERS, &new);
    fixture.commit(Some("a"), "set");
    fixture.write(ROTATION, fixture.rotation(&first(&old, None), &new, None, &["a"]));
    fixture.commit(Some("a"), "rotation");
    fixture.git(&["checkout", "-q", "main"]);
    let merged = fixture.merge(Some("a"), "side");
    fixture.write("readme", "y");
    fixture.commit(None, "after");
    let history = fixture.history();
    assert_eq!(history.broken, None);
    let versions: Vec<_> =
        history.versions.iter().map(|version| (version.version, version.commit.clone().unwrap())).collect();
    assert_eq!(versions, [(1, began), (2, merged)]);

    fixture.git(&["rm", "-q", SIGNERS, ROTATION]);
    let removed = fixture.commit(None, "removed");
    let history = fixture.history();
    assert_eq!(history.versions[2].version, 0);
    assert_eq!(history.newest(), None);
    let broken = history.broken.unwrap();
    assert_eq!((broken.kind, broken.commit), (Break::SignersRemoved, Some(removed)));

    fixture.write(SIGNERS, fixture.signers(&["c"]));
    fixture.commit(None, "anew");
    let history = fixture.history();
    assert_eq!(history.broken, None);
    assert_eq!(history.newest().unwrap().version, 1);

    fixture.write(SIGNERS, fixture.signers(&["mallory"]));
    let taken = fixture.commit(None, "taken over");
    let broken = fixture.history().broken.unwrap();
    assert_eq!((broken.kind, broken.commit), (Break::Missing, Some(taken)));
}

#[test]
fn a_shallow_clone_says_why_it_knows_nothing() {
    let fixture = Fixture::new();
    let (old, new) = (fixture.signers(&["a"]), fixture.signers(&["b"]));
    fixture.write(SIGNERS, &old);
    fixture.commit(None, "signers");
    fixture.write(SIGNERS, &new);
    fixture.write(ROTATION, fixture.rotation(&first(&old, None), &new, None, &["a"]));
    fixture.commit(Some("a"), "rotation");
    let clone = fixture.beside("clone");
    let from = format!("file://{}", fixture.root.display());
    fixture.git(&["clone", "-q", "--depth", "1", &from, clone.to_str().unwrap()]);
    let git = store::git::Git::new(&clone, &fixture.env);
    let objects = Arc::new(git.objects().unwrap());
    let base = objects.commit("main").unwrap().unwrap();
    let broken = History::read(&git, &objects, &base, &RepoPath::from(SIGNERS)).unwrap().broken.unwrap();
    assert_eq!(broken.kind, Break::FirstVersion);
    assert!(broken.message.contains("git fetch --unshallow"));
}
