//! `workspace verify`.

use insta::assert_snapshot;
use serde_json::json;

use crate::scratch::{Ran, Scratch};

const SIGNERS: &str = ".chant/allowed_signers";

fn verify(scratch: &Scratch, args: &[&str]) -> Ran {
    scratch.run(&[&["chant", "workspace", "verify"], args].concat())
}

/// Everything, with the names of commits and keys taken out.
fn text(scratch: &Scratch, ran: &Ran) -> String {
    let mut text = ran.all();
    for (n, commit) in scratch.git(&["log", "--reverse", "--format=%H"]).lines().enumerate() {
        text = text.replace(&commit[..8], &format!("[commt{n}]"));
    }
    text
}

/// A repository in which ann signs, on a branch beside `main`.
fn work() -> Scratch {
    let scratch = Scratch::repository();
    scratch.write(SIGNERS, scratch.signers(&["ann"]));
    scratch.commit("signers");
    scratch.git(&["checkout", "-q", "-b", "work"]);
    scratch
}

#[test]
fn every_commit_is_judged() {
    let scratch = work();
    scratch.write("a", "1");
    scratch.commit_as("ann", "signed");
    scratch.write("a", "2");
    scratch.commit("bare");
    assert_snapshot!(text(&scratch, &verify(&scratch, &[])), @"
    exit 0
    --- out
    COMMIT    LEVEL       SIGNED BY        SUBJECT
    [commt2]  attested    ann@example.org  signed
    [commt3]  unattested  -                bare
      the commit is not signed
    2 commits: 1 attested, 1 unattested; 0 failures
    --- err
    ");
    assert_snapshot!(text(&scratch, &verify(&scratch, &["--require", "attested"])), @"
    exit 1
    --- out
    --- err
    COMMIT    LEVEL       SIGNED BY        SUBJECT
    [commt2]  attested    ann@example.org  signed
    [commt3]  unattested  -                bare
      the commit is not signed
    ✗ [commt3] is unattested: the commit is not signed (require-attested)
    2 commits: 1 attested, 1 unattested; 1 failure
    ");
    let document =
        verify(&scratch, &["--require", "attested", "--json"]).refused(1, "require-attested").json();
    assert_eq!(document["failures"][0]["check"], "require-attested");
    assert_eq!(document["commits"][0]["provenance"]["principal"], "ann@example.org");
    verify(&scratch, &["--require", "attested", "--head", "HEAD~1"]).ok();
}

#[test]
fn a_change_of_the_policy_needs_a_signature() {
    let scratch = work();
    scratch.write(".chant/trust.json", json!({ "schema": 1 }).to_string());
    scratch.commit("policy");
    assert_snapshot!(text(&scratch, &verify(&scratch, &[])), @"
    exit 1
    --- out
    --- err
    COMMIT    LEVEL       SIGNED BY  SUBJECT
    [commt2]  unattested  -          policy
      the commit is not signed
      changes .chant/trust.json
    ✗ [commt2] changes `.chant/trust.json` without the signature of someone listed at base: the commit is not signed (protected-write)
    1 commit: 1 unattested; 1 failure
    ");
    scratch.git(&["reset", "-q", "--soft", "HEAD~1"]);
    scratch.commit_as("ann", "policy");
    verify(&scratch, &["--json"]).ok();
    scratch.write(SIGNERS, scratch.signers(&["ann", "bob"]));
    scratch.commit_as("ann", "signers");
    let document = verify(&scratch, &["--json"]).refused(1, "rotation-missing").json();
    assert_eq!(document["failures"][0]["check"], "rotation");
    scratch.run(&["chant", "workspace", "signers", "rotate"]).ok();
    scratch.run(&["chant", "workspace", "signers", "sign", "--key", &scratch.key("ann")]).ok();
    scratch.commit_as("ann", "rotation");
    assert_snapshot!(text(&scratch, &verify(&scratch, &[])), @"
    exit 0
    --- out
    COMMIT    LEVEL     SIGNED BY        SUBJECT
    [commt2]  attested  ann@example.org  policy
      changes .chant/trust.json
    [commt3]  attested  ann@example.org  signers
      changes .chant/allowed_signers
    [commt4]  attested  ann@example.org  rotation
      changes .chant/allowed_signers.rotation.json
    ✓ the signers go from version 1 to 2, signed by ann@example.org
    3 commits: 3 attested; 0 failures
    --- err
    ");
}

#[test]
fn without_signers_nothing_is_checked() {
    let scratch = Scratch::repository();
    assert_snapshot!(text(&scratch, &verify(&scratch, &[])), @"
    exit 0
    --- out
    ! there is no signers file (`.chant/allowed_signers`) at base [commt0]: attestation is off and nothing was checked
    0 commits; 0 failures
    --- err
    ");
    verify(&scratch, &["--require", "attested", "--json"]).refused(1, "require-attested");
}

#[test]
fn what_can_t_be_judged_fails() {
    let codes = |ran: Ran| -> Vec<String> {
        assert_eq!(ran.code, 1, "{}", ran.all());
        let failures = ran.json()["failures"].as_array().unwrap().clone();
        failures.iter().map(|failure| failure["code"].as_str().unwrap().to_owned()).collect()
    };
    let scratch = work();
    assert_eq!(codes(verify(&scratch, &["--base", "none", "--json"])), ["revision-unknown"]);
    assert_eq!(codes(verify(&scratch, &["--head", "none", "--json"])), ["revision-unknown"]);
    assert_eq!(codes(verify(&Scratch::empty(), &["--json"])), ["not-a-git-repository"]);
    assert_snapshot!(verify(&Scratch::empty(), &[]).all(), @"
    exit 1
    --- out
    --- err
    ✗ this is no git repository (not-a-git-repository)
    0 commits; 1 failure
    ");
    scratch.git(&["checkout", "-q", "main"]);
    scratch.write(".chant/trust.json", "{");
    scratch.commit("damaged");
    assert_eq!(codes(verify(&scratch, &["--json"])), ["trust-policy-unreadable"]);
    std::fs::remove_file(scratch.path(".chant/trust.json")).unwrap();
    std::fs::remove_file(scratch.path(SIGNERS)).unwrap();
    scratch.commit("removed");
    assert_eq!(codes(verify(&scratch, &["--json"])), ["signers-removed"]);
    verify(&scratch, &["--require", "signed"]).refused(1, "--require");
}
