//! `govern spec-lint`: what it prints and how it ends. Each check has its tests beside the code.

use serde_json::json;

use crate::scratch::Scratch;

const DOOR: &str = include_str!("../../../govern/src/spec_lint/tests/door-spec-v1.0.md");

fn lint<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&["cairn", "govern", "spec-lint"], rest].concat()
}

#[test]
fn a_spec_without_a_fault() {
    let scratch = Scratch::empty();
    scratch.write("specs/door-spec-v1.0.md", DOOR);
    insta::assert_snapshot!(scratch.run(&lint(&["specs/door-spec-v1.0.md"])).all(), @"
    exit 0
    --- out
    ✓ specs/door-spec-v1.0.md: nothing found
    1 spec under sfs-1.1: 0 errors, 0 warnings, 0 not checked
    --- err
    ");
    let found = scratch.run(&lint(&["specs/door-spec-v1.0.md", "--json"])).ok().json();
    assert_eq!(found["files"][0]["findings"], json!([]));
}

#[test]
fn findings_are_grouped_by_file_and_counted() {
    let scratch = Scratch::empty();
    let text = DOOR
        .replace("supersedes: []", "supersedes: []\nsuperseded_by: \"1.1\"")
        .replace("A door opens", "As sec 19 says, a turnstile lost 9% of **riders**. A door opens")
        .replace("[principles](#1-design-principles)", "[RFC 8785](https://www.rfc-editor.org/rfc/rfc8785)");
    scratch.write("specs/door-spec-v1.0.md", text);
    scratch.write("specs/gate-spec-v1.0.md", DOOR);
    scratch.write("specs/README.md", "# About the specs\n");
    insta::assert_snapshot!(scratch.run(&lint(&["specs"])).all(), @"
    exit 2
    --- out
    specs/door-spec-v1.0.md
    ✗ 6: SFS-001 the field `superseded_by` has no place in a spec that is canonical
      hint: take the field out, or change the status
    ✗ 14:4: SFS-008 `sec 19` is no link
      hint: write `[sec 19](#19-glossary)`
    ! 14:34: SFS-011 `9%` looks like a measurement, and nothing says what it holds for
      hint: add the domain, model and caveat: `(scoped: ...)`
    ! 14:42: SFS-012 the glossary does not define `riders`
      hint: define it there, or write plain words
    · 26: SFS-015 1 external link not checked, the first here: nothing was asked of the network
      hint: look them up, and give the answers with `--links FILE`
    ✓ specs/gate-spec-v1.0.md: nothing found
    · specs/README.md: skipped, it is no spec
    2 specs under sfs-1.1: 2 errors, 2 warnings, 1 not checked
    --- err
    ");
    let found = scratch.run(&lint(&["specs", "--json"])).refused(2, "").json();
    assert_eq!(found["files"][0]["findings"][0]["check"], "SFS-001");
    assert_eq!(
        (&found["errors"], &found["warnings"], &found["not_checked"]),
        (&json!(2), &json!(2), &json!(1))
    );
    // A warning alone, and what nobody looked at, are no reason to stop.
    scratch.write("specs/door-spec-v1.0.md", DOOR.replace("A door opens", "A **turnstile** opens"));
    scratch.run(&lint(&["specs/door-spec-v1.0.md"])).ok();
}

#[test]
fn the_other_files_of_the_folder_count() {
    let scratch = Scratch::empty();
    scratch.write("door-spec-v1.0.md", DOOR);
    scratch.write(
        "door-spec-v1.1.md",
        DOOR.replace("1.0", "1.1").replace("supersedes: []", "supersedes: [\"1.0\"]"),
    );
    let found = scratch.run(&lint(&["door-spec-v1.1.md", "./door-spec-v1.1.md"])).refused(2, "canonical too");
    assert!(found.out.contains("`door-spec-v1.0.md` is canonical too"), "{}", found.all());
}

#[test]
fn a_long_list_is_cut_for_people_alone() {
    let scratch = Scratch::empty();
    scratch.write("door-spec-v1.0.md", format!("{DOOR}\n{}", "\u{2014}\n\n".repeat(50)));
    let text = scratch.run(&lint(&["door-spec-v1.0.md"])).refused(2, "and 30 more of SFS-004");
    assert_eq!(text.out.matches("U+2014").count(), 20);
    let found = scratch.run(&lint(&["door-spec-v1.0.md", "--json"])).refused(2, "").json();
    assert_eq!(
        found["files"][0]["findings"].as_array().unwrap().iter().filter(|f| f["check"] == "SFS-004").count(),
        50
    );
}

#[test]
fn profiles_and_answers_of_links_come_from_files() {
    let scratch = Scratch::empty();
    scratch.write(
        "door-spec-v1.0.md",
        DOOR.replace("[principles](#1-design-principles)", "<https://example.org/>"),
    );
    scratch.write(
        "links.json",
        r#"{"schema":1,"at":"2026-11-01T00:00:00.000Z","links":{"https://example.org/":{"status":200}}}"#,
    );
    let ran = scratch.run(&lint(&["door-spec-v1.0.md", "--links", "links.json"])).ok();
    assert!(
        ran.out.ends_with("  external links as they were at 2026-11-01T00:00:00.000Z\n"),
        "{}",
        ran.all()
    );
    scratch.run(&lint(&["door-spec-v1.0.md", "--links", "links.json", "--json"])).ok();
    scratch.write("links.json", "{\n  \"schema\": 1 }");
    scratch.run(&lint(&["door-spec-v1.0.md", "--links", "links.json"])).refused(1, "links.json:2:");
    scratch.write("profile.json", r#"{"schema":1,"name":"ours","sections":[{"name":"Design principles"}]}"#);
    let ran = scratch.run(&lint(&["door-spec-v1.0.md", "--profile", "profile.json"])).refused(2, "SFS-003");
    assert!(ran.out.contains("1 spec under ours:"), "{}", ran.all());
    scratch.write("profile.json", r#"{"schema":1,"name":"ours"}"#);
    scratch
        .run(&lint(&["door-spec-v1.0.md", "--profile", "profile.json"]))
        .refused(1, "cairn schema govern/spec-profile");
    scratch
        .run(&lint(&["door-spec-v1.0.md", "--profile", "sfs-9"]))
        .refused(1, "`sfs-1.1` and `workflow-1.1` are built in");
}

#[test]
fn what_is_not_there_is_refused() {
    let scratch = Scratch::empty();
    scratch.run(&lint(&[])).refused(2, "PATH");
    scratch.run(&lint(&["nothing.md"])).refused(1, "there is no file `nothing.md`");
    scratch.write("notes/a.md", "# Notes\n");
    scratch.run(&lint(&["notes"])).refused(1, "there is no spec in `notes`");
    scratch.write("large-v1.0.md", vec![b'a'; 4 * 1024 * 1024 + 1]);
    scratch.run(&lint(&["large-v1.0.md", "--json"])).refused(1, "larger than");
}

#[test]
fn a_plan_is_judged_as_the_gate_would() {
    let scratch = Scratch::empty();
    let step = |content: &str, priority: &str| json!([{ "content": content, "status": "pending", "priority": priority }]);
    for (plan, rule) in [
        (json!([]), "PL-003"),
        (step("fix", "high"), "PL-005"),
        (step("TODO: step 1", "high"), "PL-006"),
        (step("Add the parser", "urgent"), "PL-010"),
        (json!([{ "content": "Add the parser", "status": "doing", "priority": "low" }]), "PL-004"),
    ] {
        scratch.write("plan.json", plan.to_string());
        let ran = scratch.run(&lint(&["--plan", "plan.json"])).refused(2, rule);
        assert!(ran.out.starts_with(&format!("✗ plan.json: {rule}: ")), "{}", ran.all());
        let found = scratch.run(&lint(&["--plan", "plan.json", "--json"])).refused(2, rule).json();
        assert_eq!(found["plan"]["rule"], rule);
    }
    scratch.write("plan.json", step("Add the parser", "high").to_string());
    let ran = scratch.run(&lint(&["--plan", "plan.json"])).ok();
    assert_eq!(ran.out, "✓ plan.json: the plan is valid\n");
    scratch.run(&lint(&["--plan", "nothing.json"])).refused(1, "no file");
    scratch.write("plan.json", "{}");
    scratch.run(&lint(&["--plan", "plan.json"])).refused(1, "plan-unreadable");
}
