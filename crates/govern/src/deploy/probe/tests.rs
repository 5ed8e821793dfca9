use super::*;
use crate::deploy::contract::Provided;
use crate::deploy::contract::tests::{whole, without};

/// A target on which every check passes.
pub(crate) fn complete() -> Observed {
    Observed {
        target: "/w/project".to_owned(),
        engine: "cairn 0.1.0".to_owned(),
        asked: Asked {
            folder: None,
            vault: Some("/w/vault".to_owned()),
            agent: None,
            run: true,
            model: Some("some-model-4".to_owned()),
        },
        os: "linux".to_owned(),
        arch: "x86_64".to_owned(),
        node: Some("22.6.0".to_owned()),
        npm: Some("10.1.0".to_owned()),
        git: Some("2.47.0".to_owned()),
        toolsets: vec![whole("claude")],
        workspace: true,
        governance: true,
        vault: Some(Source { readable: true, missing: Vec::new() }),
        target_vault: true,
        key: true,
        evidence: true,
        state: true,
        engine_at: Start::OnPath,
        conflicts: Vec::new(),
        obstacles: Vec::new(),
    }
}

type Spoil = fn(&mut Observed);

/// What each check is about, taken away.
const ABSENT: &[(&str, Spoil)] = &[
    ("DP-001", |o| o.os = "windows".to_owned()),
    ("DP-002", |o| o.node = Some("22.5.9".to_owned())),
    ("DP-003", |o| o.npm = None),
    ("DP-004", |o| o.toolsets = vec![without(Id::PlanGate, Provided::Missing)]),
    ("DP-005", |o| o.workspace = false),
    ("DP-006", |o| o.governance = false),
    ("DP-007", |o| o.vault = Some(Source { readable: false, missing: Vec::new() })),
    ("DP-008", |o| o.target_vault = false),
    ("DP-009", |o| o.key = false),
    ("DP-010", |o| o.evidence = false),
    ("DP-011", |o| o.state = false),
    ("DP-012", |o| o.engine_at = Start::Nowhere),
    ("DP-013", |o| o.vault = Some(Source { readable: true, missing: vec!["Index.md".to_owned()] })),
    ("DP-014", |o| o.git = None),
    ("DP-015", |o| o.asked.model = None),
    ("DP-016", |o| o.toolsets[0].version = None),
    ("DP-017", |o| o.toolsets.clear()),
    ("DP-018", |o| o.toolsets[0].observed = false),
    ("DP-019", |o| o.conflicts = vec!["AGENTS.md".to_owned()]),
];

fn spoiled(spoil: Spoil) -> Report {
    let mut observed = complete();
    spoil(&mut observed);
    report(&observed)
}

fn fails(report: &Report) -> Vec<&str> {
    report.vectors.iter().filter(|vector| !vector.pass).map(|vector| vector.id.as_str()).collect()
}

#[test]
fn each_check_fails_without_what_it_is_about() {
    assert_eq!(fails(&report(&complete())), [""; 0]);
    assert_eq!(ABSENT.len(), CHECKS.len());
    for ((id, spoil), check) in ABSENT.iter().zip(CHECKS) {
        assert_eq!(*id, check.id);
        let report = spoiled(*spoil);
        assert!(fails(&report).contains(id), "{id}: {:?}", fails(&report));
        let expected = match check.weight {
            Weight::Required => Verdict::Blocked,
            Weight::Optional => Verdict::Partial,
            Weight::Informational if *id == "DP-017" => Verdict::Blocked,
            Weight::Informational => Verdict::Implementable,
        };
        assert_eq!(report.verdict, expected, "{id}");
    }
}

#[test]
fn the_required_checks_are_those_of_the_text() {
    let required: Vec<&str> =
        CHECKS.iter().filter(|check| check.weight == Weight::Required).map(|check| check.id).collect();
    assert_eq!(required, ["DP-004", "DP-005", "DP-006", "DP-007", "DP-008", "DP-013"]);
}

#[test]
fn dv_1_all_pass_with_a_shipped_bridge() {
    assert_eq!(report(&complete()).verdict, Verdict::Implementable);
}

#[test]
fn dv_2_a_bridge_to_be_written_is_partial() {
    let report = spoiled(|o| o.toolsets[0].bridge = Bridge::ToBeWritten);
    assert_eq!((report.verdict, fails(&report).len()), (Verdict::Partial, 0));
    assert!(report.adaptations.iter().any(|told| told.contains("bridge for claude")));
}

#[test]
fn dv_3_one_optional_check_or_contract_is_partial() {
    for check in CHECKS.iter().filter(|check| check.weight == Weight::Optional) {
        let spoil = ABSENT.iter().find(|(id, _)| *id == check.id).unwrap().1;
        let report = spoiled(spoil);
        assert_eq!((report.verdict, fails(&report)), (Verdict::Partial, vec![check.id]));
        assert!(report.adaptations.iter().any(|told| told.starts_with(check.id)), "{:?}", report.adaptations);
    }
    let report = spoiled(|o| o.toolsets = vec![without(Id::Pinning, Provided::Missing)]);
    assert_eq!(report.verdict, Verdict::Partial);
    assert!(report.adaptations.iter().any(|told| told.contains("C-7")));
}

#[test]
fn dv_4_the_reference_s_runtime_never_blocks() {
    let report = spoiled(|o| (o.node, o.npm) = (None, None));
    assert_eq!((report.verdict, fails(&report)), (Verdict::Partial, vec!["DP-002", "DP-003"]));
}

#[test]
fn dv_5_each_required_check_alone_blocks() {
    for (id, spoil) in ABSENT
        .iter()
        .filter(|(id, _)| CHECKS.iter().any(|check| check.id == *id && check.weight == Weight::Required))
    {
        assert_eq!(spoiled(*spoil).verdict, Verdict::Blocked, "{id}");
    }
    assert_eq!(fails(&spoiled(|o| o.workspace = false)), ["DP-005"]);
}

#[test]
fn dv_6_what_is_no_report_is_a_failure() {
    let whole = report(&complete());
    let text = whole.text();
    assert_eq!(Report::read(Some(text.as_bytes())).unwrap(), whole);
    for (bytes, why) in [
        (None, "there is no report"),
        (Some("{".to_owned()), "damaged"),
        (Some(text.replace("\"schema\": 1", "\"schema\": 2")), "another form"),
        (Some(text.replace("DP-013", "DP-113")), "every check"),
        (Some(text.replacen("\"required\"", "\"optional\"", 1)), "every check"),
        (Some(text.replace("\"implementable\"", "\"partial\"")), "does not follow"),
        (Some(text.replace("\"selected\": \"claude\"", "\"selected\": \"codex\"")), "does not follow"),
        (Some(text.replace("\"key\"", "\"token\"").replace("schema", "other")), "damaged"),
    ] {
        let failure = Report::read(bytes.as_deref().map(str::as_bytes)).unwrap_err();
        assert!(failure.0.contains(why), "{}", failure.0);
    }
    // A check that fails can't be written off as passed without the verdict going with it.
    let blocked = spoiled(|o| o.workspace = false).text().replace("\"blocked\"", "\"partial\"");
    assert!(Report::read(Some(blocked.as_bytes())).is_err());
}

#[test]
fn dv_7_the_same_observations_give_the_same_bytes() {
    let first = report(&complete()).text();
    assert!((0..1000).all(|_| report(&complete()).text() == first));
}

/// DV-8: a program that prints a secret beside its version has the version reported, and nothing else.
#[test]
fn dv_8_of_what_a_program_says_the_version_alone_is_kept() {
    for (said, version) in [
        ("2.1.332 (Claude Code)", Some("2.1.332")),
        ("git version 2.47.1.windows.2", Some("2.47.1")),
        ("git version 2.47.1", Some("2.47.1")),
        ("v22.6.0\n", Some("22.6.0")),
        ("codex-cli 0.171.0-alpha.sk-ant-secret", Some("0.171.0")),
        ("token=sk-ant-123 1.2", Some("1.2")),
        ("sk-ant-123", None),
        ("", None),
        ("7", None),
        ("1.2.3.4.5.6.7", None),
    ] {
        assert_eq!(version_in(said).as_deref(), version, "{said}");
    }
}

#[test]
fn a_toolset_that_was_asked_for_is_used_or_named_as_missing() {
    let report = spoiled(|o| o.asked.agent = Some("codex".to_owned()));
    assert_eq!((report.verdict, report.selected.as_deref()), (Verdict::Blocked, None));
    let dp_004 = report.vectors.iter().find(|vector| vector.id == "DP-004").unwrap();
    assert_eq!(dp_004.actual, "codex was asked for and not found");
}

/// What a step would refuse came up only after the approval.
#[test]
fn what_a_step_would_refuse_blocks_and_is_told_one_by_one() {
    let ids = [
        CheckId::Toolset,
        CheckId::Workspace,
        CheckId::Governance,
        CheckId::Source,
        CheckId::TargetVault,
        CheckId::Content,
    ];
    for check in ids {
        assert_eq!(serde_json::to_value(check).unwrap(), check.as_str());
        let obstacle = |what: &str| Obstacle { check, what: what.to_owned(), how: "mend it".to_owned() };
        let observed = Observed { obstacles: vec![obstacle("one"), obstacle("two")], ..complete() };
        let report = report(&observed);
        assert_eq!((report.verdict, fails(&report)), (Verdict::Blocked, vec![check.as_str()]));
        let vector = report.failed(Weight::Required).next().unwrap();
        assert_eq!((vector.actual.as_str(), vector.obstacles.len()), ("one; two", 2));
        let issues = crate::deploy::notice::Issue::of(vector);
        assert_eq!((issues.len(), issues[1].how.as_str()), (2, "mend it"));
        assert_eq!(Report::read(Some(report.text().as_bytes())).unwrap(), report);
        // What is in the way can't be written off as passed.
        let mut forged = report.clone();
        for vector in &mut forged.vectors {
            vector.pass = true;
        }
        forged.verdict = Verdict::Implementable;
        assert!(Report::read(Some(forged.text().as_bytes())).is_err());
    }
}

#[test]
fn what_a_check_finds_by_itself_is_told_with_what_a_step_would_refuse() {
    let obstacle = Obstacle { check: CheckId::Content, what: "a secret".to_owned(), how: "x".to_owned() };
    let missing = Source { readable: true, missing: vec!["Index.md".to_owned()] };
    let report = report(&Observed { vault: Some(missing), obstacles: vec![obstacle], ..complete() });
    let vector = report.failed(Weight::Required).next().unwrap();
    assert_eq!(vector.actual, "missing: Index.md; a secret");
    assert!(crate::deploy::notice::Issue::of(vector)[0].how.contains("complete the source vault"));
}
