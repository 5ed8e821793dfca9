//! What a deployment has on record: what is reported beside something newer, and the way on where it was edited.

use std::fs;

use serde_json::Value;

use crate::deploy::Target;

const RECEIPTS: &str = ".governance/deploy-receipts.jsonl";

fn done() -> Target {
    let target = Target::new();
    target.approved();
    target.run(&["deploy", "run"]).ok();
    target
}

fn again(target: &Target) {
    let vault = target.vault.to_str().unwrap();
    let args = ["probe", "--vault", vault, "--agent", "claude", "--no-run", "--model", "another"];
    target.run(&args).ok();
}

#[track_caller]
fn is(report: &Value, first: &Value, newer: &str, next: &str) {
    let done = (&"done".into(), &1.into(), first);
    assert_eq!((&report["phase"], &report["run"], &report["completion"]), done);
    assert_eq!((&report["newer"]["phase"], &report["newer"]["next"]), (&newer.into(), &next.into()));
}

/// A probe or a plan after a deployment that was done left it without a report.
#[test]
fn what_is_done_is_reported_until_the_next_one_begins() {
    let target = done();
    let report = |target: &Target| target.run(&["deploy", "report", "--json"]).ok().json();
    let first = report(&target)["completion"].clone();
    again(&target);
    is(&report(&target), &first, "unprobed", "cairn govern deploy plan");
    let told = target.run(&["deploy", "report"]).ok();
    insta::assert_snapshot!(told.out.lines().rev().take(2).collect::<Vec<_>>().join("\n"), @"
      next: cairn govern deploy plan
    ! beside it lies a newer analysis: partial
    ");
    let plan = target.run(&["deploy", "plan", "--json"]).ok().json();
    is(&report(&target), &first, "planned", "cairn govern deploy approve");
    assert_eq!(report(&target)["newer"]["notice"]["id"], "N-4");
    target.run(&["deploy", "approve", "--deny"]).ok();
    is(&report(&target), &first, "reported", "cairn govern probe");
    // What is missing now is said beside it.
    let vault = target.vault.with_file_name("moved");
    fs::rename(&target.vault, &vault).unwrap();
    target.run(&["probe", "--vault", target.vault.to_str().unwrap(), "--agent", "claude", "--no-run"]).ok();
    target.run(&["deploy", "plan"]).refused(2, "N-3");
    is(&report(&target), &first, "blocked", "cairn govern probe");
    assert_eq!(report(&target)["newer"]["missing"]["notice"]["id"], "N-3");
    fs::rename(&vault, &target.vault).unwrap();
    // One that ran is reported, also where it failed.
    target.approved();
    is(&report(&target), &first, "approved", "cairn govern deploy run");
    fs::write(target.vault.join("Rules/verify.md"), "changed since\n").unwrap();
    target.run(&["deploy", "run"]).refused(2, "N-5");
    let failed = target.run(&["deploy", "report", "--json"]).refused(2, "N-5").json();
    assert_eq!((&failed["run"], &failed["completion"]), (&4.into(), &Value::Null));
    assert_eq!(plan["run"], 2);
    // Nothing that was kept of it can be another.
    let rule = target.scratch.read(".governance/vault/Rules/verify.md");
    fs::write(target.vault.join("Rules/verify.md"), rule).unwrap();
    target.plan();
    let kept = ".governance/evidence/run-1/deploy-plan.json";
    target.scratch.write(kept, target.scratch.read(kept).replace("AGENTS.md", "README.md"));
    target.run(&["deploy", "report"]).refused(1, "not-complete");
}

/// Each command but `report` and `approve` went on behind receipts that were edited.
#[test]
fn no_command_goes_on_behind_edited_receipts() {
    for edit in [
        |text: &str| text.replacen("partial", "perfect", 1),
        |text: &str| text.split_inclusive('\n').skip(1).collect(),
        |text: &str| text.split_inclusive('\n').take(2).collect(),
    ] {
        let target = Target::new();
        target.plan();
        let written = target.scratch.read(RECEIPTS);
        target.scratch.write(RECEIPTS, edit(&written));
        let report = target.probe();
        let dp_006 = &report["vectors"][5];
        assert_eq!(
            (&report["verdict"], &dp_006["id"], &dp_006["pass"]),
            (&"blocked".into(), &"DP-006".into(), &false.into())
        );
        assert!(dp_006["obstacles"][0]["how"].as_str().unwrap().contains("cairn govern deploy mend"));
        for args in [
            &["plan"][..],
            &["approve"],
            &["approve", "--deny"],
            &["run"],
            &["resume"],
            &["rollback"],
            &["report"],
        ] {
            let ran =
                target.run(&[&["deploy"], args, &["--json"]].concat()).refused(1, "deploy-damaged").json();
            assert_eq!(ran["error"]["next"], "cairn govern deploy mend", "{args:?}");
        }
        // The first cure: the file as it was.
        target.scratch.write(RECEIPTS, written);
        target.run(&["deploy", "report"]).ok();
        target.run(&["deploy", "mend"]).refused(1, "nothing to mend");
    }
}

/// The hint of the refusal led nowhere.
#[test]
fn a_person_begins_a_new_chain_that_says_so() {
    let target = done();
    let edited = target.scratch.read(RECEIPTS).replacen("partial", "perfect", 1);
    target.scratch.write(RECEIPTS, &edited);
    target.run(&["deploy", "mend"]).refused(1, "no-terminal");
    target.scratch.person("yes", &["cairn", "govern", "deploy", "mend"]).refused(1, "not-confirmed");
    assert_eq!(target.scratch.read(RECEIPTS), edited);
    let mended = target.scratch.person("mend", &["cairn", "govern", "deploy", "mend", "--json"]).ok().json();
    assert_eq!((&mended["new_chain"], &mended["next"]), (&true.into(), &"cairn govern probe".into()));
    let aside = format!("{}/deploy-receipts.jsonl", mended["aside"].as_str().unwrap());
    assert_eq!(target.scratch.read(&aside), edited, "what was there is kept");
    let lines = target.receipts();
    assert_eq!((lines.len(), &lines[0]["kind"]), (1, &"mend".into()));
    assert_eq!(lines[0]["args_hash"], canon::Sha256::of(&edited).to_string());
    let signed = target.scratch.run(&["cairn", "receipts", "list", "--json"]).ok();
    assert!(signed.out.contains("deploy-mend"), "{}", signed.out);
    // What can't be proved is not claimed, and the way on is open.
    let report = target.run(&["deploy", "report", "--json"]).ok().json();
    assert_eq!(report["completion"], Value::Null);
    target.approved();
    let ran = target.run(&["deploy", "run", "--json"]).ok().json();
    assert_eq!((&ran["phase"], &ran["run"]), (&"done".into(), &2.into()));
    target.run(&["deploy", "report"]).ok();
}

#[test]
fn edited_evidence_comes_back_from_its_receipt() {
    let target = done();
    let name = ".governance/evidence/analysis.json";
    let written = target.scratch.read(name);
    target.scratch.write(name, "{}\n");
    target.run(&["deploy", "report"]).refused(1, "evidence/analysis.json");
    let mended = target.scratch.person("mend", &["cairn", "govern", "deploy", "mend", "--json"]).ok().json();
    assert_eq!((&mended["new_chain"], target.scratch.read(name)), (&false.into(), written));
    let report = target.run(&["deploy", "report", "--json"]).ok().json();
    assert_eq!(report["completion"]["evidence"], "VERIFIED", "what was done is proved as before");
}

/// A deployment that runs rests on its report: a new one left it nowhere to go but back.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_probe_leaves_the_report_of_a_deployment_that_runs() {
    let target = Target::new();
    let before = target.tree();
    target.approved();
    assert!(!target.broken_off(&["run"], "appended:3:kill").status.success());
    let vault = target.vault.to_str().unwrap();
    let probe = ["probe", "--vault", vault, "--agent", "claude", "--no-run", "--model", "another", "--json"];
    let refused = target.run(&probe).refused(1, "deploy-state").json();
    assert_eq!(refused["error"]["next"], "cairn govern deploy resume");
    target.run(&[&probe[..], &["--dry-run"]].concat()).ok();
    // Receipts that are edited meanwhile leave the way back.
    target.scratch.write(RECEIPTS, target.scratch.read(RECEIPTS).replacen("partial", "perfect", 1));
    target.run(&["deploy", "resume"]).refused(1, "deploy-damaged");
    let mended = target.scratch.person("mend", &["cairn", "govern", "deploy", "mend", "--json"]).ok().json();
    assert_eq!(mended["next"], "cairn govern deploy rollback");
    let refused = target.run(&["deploy", "resume", "--json"]).refused(1, "no receipt").json();
    assert_eq!(refused["error"]["next"], "cairn govern deploy rollback");
    target.scratch.person("rollback", &["cairn", "govern", "deploy", "rollback"]).ok();
    assert_eq!(target.tree(), before);
}

/// A deployment whose state was lost had what it put aside removed by the next one.
#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn what_was_put_aside_outlives_a_state_that_is_lost() {
    let target = Target::new();
    target.approved();
    assert!(!target.broken_off(&["run"], "appended:6:kill").status.success());
    assert!(target.scratch.path(".governance.bak/list.json").exists());
    fs::remove_file(target.scratch.path(".governance/deploy-state.json")).unwrap();
    let report = target.probe();
    let found = &report["vectors"][4]["obstacles"][0];
    assert!(found["what"].as_str().unwrap().contains("no state tells of it"), "{report:#}");
    target.run(&["deploy", "plan"]).refused(2, "list.json");
    assert!(target.scratch.path(".governance.bak/list.json").exists());
    // What one leaves that was killed after its end is no such thing.
    let target = Target::new();
    target.approved();
    target.run(&["deploy", "run"]).ok();
    target.scratch.write(".governance.bak/list.json", "{}");
    target.approved();
    target.run(&["deploy", "run"]).ok();
    assert!(!target.scratch.path(".governance.bak").exists());
}

/// Signed receipts that were edited before their end were found when the steps began, and no command mended them.
#[test]
fn edited_signed_receipts_are_found_beforehand_and_mended() {
    let target = done();
    let log = ".git/cairn/govern/root/receipts.jsonl";
    let edited = target.scratch.read(log).replacen("claude", "cursor", 1);
    target.scratch.write(log, &edited);
    let report = target.probe();
    assert_eq!((&report["verdict"], &report["vectors"][5]["pass"]), (&"blocked".into(), &false.into()));
    let found = &report["vectors"][5]["obstacles"][0];
    assert!(found["what"].as_str().unwrap().contains("signed receipts are broken"), "{found}");
    let refused = target.run(&["deploy", "report", "--json"]).refused(1, "receipts-unreadable").json();
    assert_eq!(refused["error"]["next"], "cairn govern deploy mend");
    let mended = target.scratch.person("mend", &["cairn", "govern", "deploy", "mend", "--json"]).ok().json();
    assert_eq!((&mended["new_chain"], &mended["aside"]), (&false.into(), &Value::Null));
    let name = mended["signed"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    assert_eq!(target.scratch.read(&format!(".git/cairn/govern/root/{name}")), edited);
    target.scratch.run(&["cairn", "receipts", "verify"]).ok();
    target.run(&["deploy", "report"]).refused(1, "do not hold its end");
    target.approved();
    target.run(&["deploy", "run"]).ok();
    target.run(&["deploy", "report"]).ok();
}
