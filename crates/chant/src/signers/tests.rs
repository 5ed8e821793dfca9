use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use super::*;
use crate::fixture::Scratch;
use crate::published;

const SIGNERS: &str = ".chant/allowed_signers";
const ROTATION: &str = ".chant/allowed_signers.rotation.json";

/// A line of a signers file, with a key of its own beside the repository.
fn line(scratch: &Scratch, name: &str) -> String {
    let path = scratch.beside(name);
    if !path.exists() {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-N", "", "-t", "ed25519", "-C", name, "-f"])
            .arg(&path)
            .status()
            .unwrap();
        assert!(made.success());
    }
    let public = fs::read_to_string(path.with_extension("pub")).unwrap();
    format!("{name}@example.org {public}")
}

fn lines(scratch: &Scratch, names: &[&str]) -> String {
    names.iter().map(|name| line(scratch, name)).collect()
}

/// A repository in which these sign.
fn signed_by(names: &[&str]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write(SIGNERS, lines(&scratch, names));
    scratch.commit("signers");
    scratch
}

fn listed(scratch: &Scratch) -> Result<Value, Refusal> {
    let listed = list(&scratch.place(), None);
    match &listed {
        Ok(listed) => published::check("signers", &listed.document),
        Err(refusal) => published::check("signers", &Failure::from(refusal)),
    }
    listed.map(|listed| serde_json::to_value(listed.document).unwrap())
}

fn broken(scratch: &Scratch) -> String {
    listed(scratch).unwrap()["broken"]["code"].as_str().unwrap().to_owned()
}

fn key(scratch: &Scratch, name: &str) -> String {
    scratch.beside(name).to_str().unwrap().to_owned()
}

#[test]
fn a_set_hands_over_to_the_next() {
    let scratch = signed_by(&["ann", "bob"]);
    scratch.write(SIGNERS, lines(&scratch, &["ann", "cid"]));
    let place = scratch.place();
    let rotated = rotate(&place, Some(2)).unwrap();
    assert_eq!((rotated.version, rotated.threshold, rotated.need, rotated.dropped), (2, 2, 1, 0));
    let refusal = sign(&place, &{
        line(&scratch, "eve");
        key(&scratch, "eve")
    });
    assert_eq!(refusal.unwrap_err().code, codes::WRITE_USAGE_INVALID);
    let signed = sign(&place, &key(&scratch, "bob")).unwrap();
    assert_eq!((&*signed.principal, signed.have, signed.need), ("bob@example.org", 1, 1));
    assert_eq!(sign(&place, &key(&scratch, "bob")).unwrap_err().code, codes::WRITE_USAGE_INVALID);
    assert_eq!(rotate(&place, Some(1)).unwrap().dropped, 1);
    sign(&place, &key(&scratch, "bob")).unwrap();
    let commit = scratch.commit("rotation");
    let document = listed(&scratch).unwrap();
    assert_eq!(document["broken"], Value::Null);
    assert_eq!(document["versions"][1]["commit"], commit);
    assert_eq!(document["versions"][1]["principals"], json!(["ann@example.org", "cid@example.org"]));
    assert_eq!(document["versions"][1]["signedBy"], json!(["bob@example.org"]));
}

#[test]
fn every_break_has_its_code() {
    let rotation = |change: &dyn Fn(&mut Value)| {
        let scratch = signed_by(&["ann"]);
        scratch.write(SIGNERS, lines(&scratch, &["ann", "bob"]));
        rotate(&scratch.place(), None).unwrap();
        sign(&scratch.place(), &key(&scratch, "ann")).unwrap();
        let mut file: Value = serde_json::from_str(&scratch.read(ROTATION)).unwrap();
        change(&mut file);
        scratch.write(ROTATION, file.to_string());
        scratch.commit("rotation");
        broken(&scratch)
    };
    assert_eq!(rotation(&|file| file["version"] = json!(3)), "rotation-version-skew");
    assert_eq!(rotation(&|file| file["schema"] = json!(2)), "rotation-invalid");
    assert_eq!(rotation(&|file| file["signatures"] = json!([])), "rotation-threshold-not-met");
    assert_eq!(rotation(&|file| file["threshold"] = json!(3)), "rotation-threshold-unsatisfiable");
    assert_eq!(
        rotation(&|file| file["previous"] = json!(format!("sha256:{}", "0".repeat(64)))),
        "rotation-previous-mismatch"
    );

    let scratch = signed_by(&["ann"]);
    scratch.write(SIGNERS, lines(&scratch, &["bob"]));
    scratch.commit("without a word");
    assert_eq!(broken(&scratch), "rotation-missing");
    assert_eq!(rotate(&scratch.place(), None).unwrap_err().code, codes::ROTATION_MISSING);

    let scratch = signed_by(&["ann"]);
    scratch.write(SIGNERS, lines(&scratch, &["bob"]));
    scratch.write(ROTATION, "{");
    scratch.commit("damaged");
    assert_eq!(broken(&scratch), "rotation-unparseable");

    let scratch = signed_by(&["ann"]);
    fs::remove_file(scratch.root.join(SIGNERS)).unwrap();
    scratch.commit("removed");
    assert_eq!(broken(&scratch), "signers-removed");
    assert_eq!(listed(&scratch).unwrap()["versions"][1]["version"], 0);
    assert_eq!(sign(&scratch.place(), "none").unwrap_err().code, codes::SIGNERS_REMOVED);

    let scratch = Scratch::new();
    scratch.write(SIGNERS, lines(&scratch, &["ann"]));
    scratch.write(
        ROTATION,
        json!({ "schema": 1, "version": 2, "previous": null, "threshold": 1, "signatures": [] }).to_string(),
    );
    scratch.commit("a first set that is none");
    assert_eq!(broken(&scratch), "rotation-first-version");
}

#[test]
fn without_a_set_there_is_nothing_to_list() {
    let scratch = Scratch::new();
    assert_eq!(listed(&scratch).unwrap_err().code, codes::REVISION_UNKNOWN);
    scratch.commit("first");
    assert_eq!(listed(&scratch).unwrap_err().code, codes::SIGNERS_FILE_MISSING);
    assert_eq!(rotate(&scratch.place(), None).unwrap_err().code, codes::SIGNERS_FILE_MISSING);
    assert_eq!(listed(&Scratch::outside()).unwrap_err().code, codes::NOT_A_GIT_REPOSITORY);
    assert_eq!(rotate(&Scratch::outside().place(), None).unwrap_err().code, codes::NOT_A_GIT_REPOSITORY);
}

#[test]
fn a_refused_write_of_the_rotation_changes_nothing() {
    let scratch = signed_by(&["ann"]);
    let place = scratch.place();
    let refusal = rotate(&place, None).unwrap_err();
    assert_eq!((refusal.code, refusal.message.contains("in effect")), (codes::WRITE_USAGE_INVALID, true));
    assert_eq!(rotate(&place, Some(2)).unwrap_err().code, codes::ROTATION_THRESHOLD_UNSATISFIABLE);
    assert_eq!(sign(&place, &key(&scratch, "ann")).unwrap_err().code, codes::ROTATION_MISSING);
    assert!(!scratch.root.join(ROTATION).exists());
    scratch.write(SIGNERS, lines(&scratch, &["ann", "bob"]));
    rotate(&place, None).unwrap();
    let text = scratch.read(ROTATION);
    let refusal = sign(&place, "none").unwrap_err();
    assert_eq!(refusal.code, codes::WRITE_USAGE_INVALID, "{refusal:?}");
    assert_eq!(scratch.read(ROTATION), text);
    scratch.write(ROTATION, text.replace("\"version\": 2", "\"version\": 7"));
    assert_eq!(sign(&place, &key(&scratch, "ann")).unwrap_err().code, codes::ROTATION_VERSION_SKEW);
    scratch.write(ROTATION, "{}");
    assert_eq!(sign(&place, &key(&scratch, "ann")).unwrap_err().code, codes::ROTATION_INVALID);
    fs::remove_file(scratch.root.join(ROTATION)).unwrap();
    fs::remove_file(scratch.root.join(SIGNERS)).unwrap();
    assert_eq!(rotate(&place, None).unwrap_err().code, codes::SIGNERS_FILE_MISSING);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link() {
    let scratch = signed_by(&["ann"]);
    scratch.write(SIGNERS, lines(&scratch, &["ann", "bob"]));
    let outside = scratch.beside("outside");
    fs::write(&outside, "mine\n").unwrap();
    std::os::unix::fs::symlink(&outside, scratch.root.join(ROTATION)).unwrap();
    rotate(&scratch.place(), None).unwrap_err();
    assert_eq!(fs::read_to_string(&outside).unwrap(), "mine\n");
}

#[test]
fn what_counts_for_nothing_is_said() {
    let scratch = Scratch::new();
    let ann = line(&scratch, "ann");
    let (_, key) = ann.trim_end().split_once(' ').unwrap();
    let key = key.rsplit_once(' ').unwrap().0;
    scratch.write(SIGNERS, format!("{ann}*@example.org {key}\n"));
    scratch.write(
        ".chant/trust.json",
        json!({ "schema": 1, "runners": [{ "principal": "ci", "class": "runner", "key": key }] }).to_string(),
    );
    scratch.commit("signers");
    let notes = list(&scratch.place(), None).unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(notes[0].contains("line 2 is not used") && notes[1].contains("runner `ci`"), "{notes:?}");
    scratch.write(".chant/trust.json", "{}");
    scratch.commit("damaged");
    assert_eq!(rotate(&scratch.place(), None).unwrap_err().code, codes::TRUST_POLICY_UNREADABLE);
}
