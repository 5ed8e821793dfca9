use serde_json::Value;

use super::*;
use crate::deploy::probe::tests::complete;
use crate::deploy::{plan, probe};

fn json(notice: &Notice) -> Value {
    assert!(judge_plan(notice.steps()).is_none(), "the remedy passes the plan gate");
    serde_json::to_value(notice).unwrap()
}

#[track_caller]
fn is(notice: &Notice, id: &str, pauses: bool) {
    let document = json(notice);
    assert_eq!((&document["id"], &document["pauses"]), (&Value::from(id), &Value::from(pauses)));
    for issue in document["issues"].as_array().unwrap() {
        for part in ["what", "why", "blocks", "how"] {
            assert!(!issue[part].as_str().unwrap().is_empty(), "{document:#}");
        }
    }
    assert!(!document["approval"].as_str().unwrap().is_empty());
    assert!(!document["evidence"].as_array().unwrap().is_empty());
}

fn spoiled(spoil: fn(&mut probe::Observed)) -> Report {
    let mut observed = complete();
    spoil(&mut observed);
    probe::report(&observed)
}

#[test]
fn n_1_a_probe_that_failed_pauses() {
    is(&probe_failed("there is no report of a probe").unwrap(), "N-1", true);
}

#[test]
fn n_2_an_optional_check_that_fails_does_not_pause() {
    let report = spoiled(|o| (o.node, o.git) = (None, None));
    let notice = of_report(&report, &[]).unwrap().unwrap();
    is(&notice, "N-2", false);
    assert_eq!(notice.issues().len(), 2);
    assert_eq!(of_report(&probe::report(&complete()), &[]).unwrap(), None);
    // A failed check where the verdict is blocked pauses.
    assert!(Trigger::Analysis(Verdict::Blocked).pauses());
}

#[test]
fn n_3_blocked_names_what_is_missing_and_how_to_obtain_it() {
    let report = spoiled(|o| {
        o.toolsets.clear();
        o.vault = None;
    });
    let notice = of_report(&report, &["evidence/analysis.json".to_owned()]).unwrap().unwrap();
    is(&notice, "N-3", true);
    let named: Vec<&str> = notice.issues().iter().map(|issue| &issue.what[..6]).collect();
    assert_eq!(named, ["DP-004", "DP-007", "DP-013"]);
    assert!(notice.issues()[0].how.contains("install a tool that has a hook"), "no brand is forced");
}

#[test]
fn n_4_asks_for_an_approval_and_is_no_issue() {
    let plan = plan::tests::plan();
    let notice = Notice::approval(&plan, vec!["evidence/plan.json".to_owned()]).unwrap();
    let document = json(&notice);
    assert_eq!((&document["id"], &document["pauses"]), (&"N-4".into(), &true.into()));
    assert!(document.get("issues").is_none(), "{document:#}");
    let empty = Plan { todos: Vec::new(), ..plan };
    assert_eq!(Notice::approval(&empty, Vec::new()).unwrap_err().rule, "PL-003");
}

#[test]
fn n_5_and_n_6_tell_that_the_target_is_as_it_was() {
    for (trigger, id) in [(Trigger::StepFailed, "N-5"), (Trigger::VerifyFailed, "N-6")] {
        let notice = failed(trigger, "wire-bridge", "the disk is full", &[]).unwrap();
        is(&notice, id, true);
        assert!(notice.issues()[0].blocks.contains("are as they were"));
    }
}

#[test]
fn n_7_is_a_follow_up_and_does_not_pause() {
    let left = ["no C-7".to_owned()];
    is(&residue(&left, &["deploy-state.json".to_owned()]).unwrap().unwrap(), "N-7", false);
    assert_eq!(residue(&[], &[]).unwrap(), None);
}

#[test]
fn an_issue_has_a_plan_that_the_gate_accepts_or_there_is_no_notice() {
    assert_eq!(Remedy::new(Vec::new()).unwrap_err().rule, "PL-003");
    assert_eq!(Remedy::new(vec![todo("fix", "high")]).unwrap_err().rule, "PL-005");
    assert_eq!(Remedy::new(vec![todo("Mend the settings", "urgent")]).unwrap_err().rule, "PL-010");
    let ended = Todo { status: Some("completed".to_owned()), ..todo("Mend the settings", "high") };
    assert_eq!(Remedy::new(vec![ended]).unwrap_err().rule, "PL-004");
}

/// A file whose name has a word of the plan gate's left a failure without a notice, and the deployment where it stood.
#[test]
fn what_a_file_is_called_keeps_no_notice_from_being_made() {
    let fact = "`Lessons/placeholder.md` holds a password";
    let obstacle = probe::Obstacle {
        check: probe::CheckId::Content,
        what: fact.to_owned(),
        how: "take it out".to_owned(),
    };
    let report = probe::report(&probe::Observed { obstacles: vec![obstacle], ..complete() });
    let notices = [
        probe_failed(fact).unwrap(),
        of_report(&report, &[]).unwrap().unwrap(),
        failed(Trigger::StepFailed, "seed-vault", fact, &[]).unwrap(),
        residue(&[fact.to_owned()], &["deploy-state.json".to_owned()]).unwrap().unwrap(),
    ];
    for notice in notices {
        let document = json(&notice);
        assert!(
            document["issues"].to_string().contains("placeholder.md"),
            "the issue names it: {document:#}"
        );
    }
}
