//! `workspace signers`, `signers rotate` and `signers sign`.

use insta::assert_snapshot;

use crate::scratch::{Ran, Scratch};

const SIGNERS: &str = ".chant/allowed_signers";
const ROTATION: &str = ".chant/allowed_signers.rotation.json";

fn signers(scratch: &Scratch, args: &[&str]) -> Ran {
    scratch.run(&[&["chant", "workspace", "signers"], args].concat())
}

/// Everything, with the names of commits taken out.
fn text(scratch: &Scratch, ran: &Ran) -> String {
    let mut text = ran.all();
    for (n, commit) in scratch.git(&["log", "--reverse", "--format=%H"]).lines().enumerate() {
        text = text.replace(&commit[..8], &format!("[commt{n}]"));
    }
    text
}

fn signed_by(names: &[&str]) -> Scratch {
    let scratch = Scratch::repository();
    scratch.write(SIGNERS, scratch.signers(names));
    scratch.commit("signers");
    scratch
}

#[test]
fn a_set_of_signers_hands_over() {
    let scratch = signed_by(&["ann", "bob"]);
    scratch.write(SIGNERS, format!("{}* ssh-ed25519 x\n", scratch.signers(&["ann", "cid"])));
    assert_snapshot!(signers(&scratch, &["rotate", "--threshold", "2"]).all(), @"
    exit 0
    --- out
    ✓ wrote .chant/allowed_signers.rotation.json: version 2
      signers: ann@example.org, cid@example.org
      signatures: 0 of 1 by signers of the set in effect
      next: chant workspace signers sign --key <file>
    --- err
    warning: `.chant/allowed_signers`: line 3 is not used: its public key can't be read
    ");
    let key = scratch.key("bob");
    assert_snapshot!(signers(&scratch, &["sign", "--key", &key]).all(), @"
    exit 0
    --- out
    ✓ bob@example.org signed version 2
      signatures: 1 of 1
      hint: commit the signers file and .chant/allowed_signers.rotation.json together, signed
    --- err
    ");
    assert_snapshot!(signers(&scratch, &["rotate"]).all(), @"
    exit 0
    --- out
    ✓ wrote .chant/allowed_signers.rotation.json: version 2
      signers: ann@example.org, cid@example.org
      signatures: 0 of 1 by signers of the set in effect
    ! 1 signature of an earlier rotation went
      next: chant workspace signers sign --key <file>
    --- err
    warning: `.chant/allowed_signers`: line 3 is not used: its public key can't be read
    ");
    scratch.run_in(&scratch.path(".chant"), &["chant", "workspace", "signers", "sign", "--key", &key]).ok();
    scratch.commit("rotation");
    assert_snapshot!(text(&scratch, &signers(&scratch, &[])), @"
    exit 0
    --- out
    .chant/allowed_signers  (at base [commt2])
    VERSION  COMMIT    THRESHOLD  PRINCIPALS                        SIGNED BY
    1        [commt1]  1          ann@example.org, bob@example.org  -
    2        [commt2]  1          ann@example.org, cid@example.org  bob@example.org
    --- err
    warning: `.chant/allowed_signers`: line 3 is not used: its public key can't be read
    ");
    scratch.wait(1);
    std::fs::remove_file(scratch.path(SIGNERS)).unwrap();
    scratch.commit("removed");
    assert_snapshot!(text(&scratch, &signers(&scratch, &[])), @"
    exit 1
    --- out
    --- err
    .chant/allowed_signers  (at base [commt3])
    VERSION  COMMIT    THRESHOLD  PRINCIPALS                        SIGNED BY
    1        [commt1]  1          ann@example.org, bob@example.org  -
    2        [commt2]  1          ann@example.org, cid@example.org  bob@example.org
    removed  [commt3]  -          -                                 -
    ✗ [commt3] signers-removed: the signers file `.chant/allowed_signers` was removed
    ");
    signers(&scratch, &["--base", "HEAD~1"]).ok();
}

#[test]
fn documents_follow_their_schemas() {
    let scratch = signed_by(&["ann"]);
    scratch.write(SIGNERS, scratch.signers(&["ann", "bob"]));
    assert_eq!(signers(&scratch, &["rotate", "--json"]).ok().json()["version"], 2);
    let key = scratch.key("ann");
    assert_eq!(signers(&scratch, &["sign", "--key", &key, "--json"]).ok().json()["have"], 1);
    scratch.commit("rotation");
    assert_eq!(signers(&scratch, &["--json"]).ok().json()["versions"][1]["version"], 2);
    scratch.write(ROTATION, "{");
    scratch.write(SIGNERS, "");
    scratch.commit("damaged");
    let broken = signers(&scratch, &["--json"]).refused(1, "rotation-unparseable").json();
    assert_eq!(broken["broken"]["code"], "rotation-unparseable");
}

#[test]
fn what_can_t_be_read_or_written_is_said() {
    let scratch = Scratch::repository();
    let failure = |scratch: &Scratch, args: &[&str]| {
        let document = signers(scratch, args).refused(1, "error").json();
        document["error"]["code"].as_str().unwrap().to_owned()
    };
    assert_eq!(failure(&scratch, &["--json"]), "signers-file-missing");
    assert_eq!(failure(&scratch, &["--base", "none", "--json"]), "revision-unknown");
    assert_eq!(failure(&Scratch::empty(), &["--json"]), "not-a-git-repository");
    assert_snapshot!(text(&scratch, &signers(&scratch, &[])), @"
    exit 1
    --- out
    --- err
    ✗ there is no signers file (`.chant/allowed_signers`) at base [commt0] (signers-file-missing)
      hint: commit one, a line `<principal> <key type> <public key>` for each signer, and merge it
    ");
    let scratch = signed_by(&["ann"]);
    assert_snapshot!(signers(&scratch, &["rotate"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ the signers and the threshold are those in effect (write-usage-invalid)
      hint: change `.chant/allowed_signers` first
    ");
    scratch.write(SIGNERS, scratch.signers(&["ann", "bob"]));
    assert_snapshot!(signers(&scratch, &["sign", "--key", "x"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ there is no rotation file to sign (rotation-missing)
      hint: write it with `chant workspace signers rotate`
    ");
    signers(&scratch, &["rotate"]).ok();
    signers(&scratch, &["sign", "--key", "x"]).refused(1, "made no signature");
    let key = scratch.key("bob");
    assert_snapshot!(signers(&scratch, &["sign", "--key", &key]).all(), @"
    exit 1
    --- out
    --- err
    ✗ the signature does not count for the set in effect: it is by a key that is not listed for this purpose (write-usage-invalid)
    ");
    signers(&scratch, &["--base", "HEAD", "rotate"]).refused(1, "--base");
    signers(&scratch, &["sign"]).refused(1, "--key");
    let held = scratch.run_with("CHANT_WRITE_LOCK", "none", &["chant", "workspace", "signers", "rotate"]);
    held.refused(1, "write-lock-not-held");
}
