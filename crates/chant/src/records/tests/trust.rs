//! Who counts, and whose seals hold.

use std::process::Command;

use super::*;
use crate::write::{AmendRequest, ReviewRequest, SignWith};

/// A workspace, the private keys of these people beside it, and a file with the public ones of `listed`.
fn workspace(people: &[&str], listed: &[&str]) -> Scratch {
    let scratch = Scratch::notes();
    let mut signers = String::new();
    for name in people {
        let key = scratch.beside(name);
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-C", name, "-f"])
            .arg(&key)
            .status()
            .unwrap();
        assert!(made.success());
        let public = fs::read_to_string(key.with_extension("pub")).unwrap();
        if listed.contains(name) {
            signers.extend([name, " ", public.as_str()]);
        }
    }
    if !listed.is_empty() {
        scratch.write(".chant/allowed_signers", signers);
    }
    scratch.note("n-001", "proposed", "decided_by: ann\nreviews: []");
    scratch.commit("start");
    scratch
}

fn review(scratch: &Scratch, by: &str, key: Option<&str>) {
    let key = key.map(|key| scratch.beside(key).to_str().unwrap().to_owned());
    let sign = key.as_deref().map(SignWith::File);
    let request = ReviewRequest {
        id: "n-001",
        kind: Some(KIND),
        verdict: "agree",
        by,
        sign,
        ..ReviewRequest::default()
    };
    request.run(&scratch.place()).unwrap();
}

/// What the quorum says of each verdict: who, the reason that it doesn't count, and the code of its seal.
fn verdicts(scratch: &Scratch) -> Vec<String> {
    let record = &records(scratch)[0];
    let quorum = &record["quorum"];
    let mut all: Vec<(u64, String)> = Vec::new();
    for list in ["counted", "notCounted"] {
        for verdict in quorum[list].as_array().unwrap() {
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let line = format!(
                "{} {} {}",
                text(&verdict["reviewer"]),
                text(&verdict["reason"]["code"]),
                text(&verdict["attestation"]["code"])
            );
            all.push((verdict["index"].as_u64().unwrap(), line));
        }
    }
    all.sort();
    all.into_iter().map(|(_, line)| line).collect()
}

#[test]
fn without_signers_a_seal_can_only_be_wrong() {
    let scratch = workspace(&["bob"], &[]);
    review(&scratch, "bob", Some("bob"));
    review(&scratch, "cid", None);
    review(&scratch, "dan", Some("bob"));
    let text = scratch.read("notes/n-001.md");
    // Dan's verdict is sealed by a key that says it is Dan's, and Eve's is Bob's with another name.
    let eve = text.replace("reviewer: \"dan\"", "reviewer: \"eve\"");
    scratch.write("notes/n-001.md", eve);
    assert_eq!(
        verdicts(&scratch),
        ["bob - seal-unverifiable", "cid - seal-missing", "eve - seal-signature-invalid"]
    );
    let record = &records(&scratch)[0];
    assert_eq!((&record["attested"], &record["attestation"]["code"]), (&Value::Null, &json!("seal-missing")));
}

#[test]
fn with_signers_only_their_seals_count() {
    let scratch = workspace(&["ann", "bob", "cid"], &["ann", "bob"]);
    scratch.write(".chant/trust.json", r#"{ "schema": 1, "roles": { "agent": ["robot"] } }"#);
    scratch.commit("roles");
    review(&scratch, "bob", Some("bob"));
    review(&scratch, "cid", Some("cid"));
    review(&scratch, "dan", None);
    review(&scratch, "robot", None);
    review(&scratch, "ann", Some("ann"));
    review(&scratch, "bob", Some("cid"));
    assert_eq!(
        verdicts(&scratch),
        [
            "bob - -",
            "cid review-unattested seal-signer-unlisted",
            "dan review-unattested seal-missing",
            "robot review-agent seal-missing",
            "ann review-decider -",
            "bob review-unattested seal-signature-invalid",
        ]
    );
    let warnings = |scratch: &Scratch| codes(scratch)[0].clone();
    assert!(warnings(&scratch).contains("record-unattested"), "{}", warnings(&scratch));
    let key = scratch.beside("ann").to_str().unwrap().to_owned();
    let sign = AmendRequest {
        id: "n-001",
        kind: Some(KIND),
        fields: b"{}",
        from: "-",
        sign: Some(SignWith::File(&key)),
        ..AmendRequest::default()
    };
    sign.run(&scratch.place()).unwrap();
    assert!(!warnings(&scratch).contains("record-unattested"), "{}", warnings(&scratch));
    // The text moves: the author's seal and every verdict speak of another one.
    let text = scratch.read("notes/n-001.md").replace("title: \"T n-001\"", "title: \"Moved\"");
    scratch.write("notes/n-001.md", text);
    assert!(warnings(&scratch).contains("record-unattested"), "{}", warnings(&scratch));
    assert_eq!(verdicts(&scratch)[0], "bob review-older-digest -");
}
