use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::scratch::Scratch;

const DAY: i64 = 24 * 60 * 60;
const VAULT: &str = ".governance/vault";

fn add(scratch: &Scratch, title: &str, more: &[&str]) -> String {
    let args = ["cairn", "govern", "knowledge", "add", title, "--label", "fact", "--by", "ada"];
    let evidence = ["--evidence", "https://example.org/1"];
    let ran = scratch.run(&[&args[..], &evidence, more, &["--json"]].concat()).ok();
    ran.json()["entry"]["id"].as_str().unwrap().to_owned()
}

fn know(scratch: &Scratch, words: &[&str]) -> crate::scratch::Ran {
    scratch.run(&[&["cairn", "govern", "knowledge"], words].concat())
}

fn evidence(scratch: &Scratch, id: &str, reference: &str, more: &[&str]) {
    know(scratch, &[&["evidence", id, "--ref", reference, "--by", "grace", "--json"], more].concat()).ok();
}

/// Every file of the vault, and AGENTS.md.
fn files(scratch: &Scratch) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![scratch.path(VAULT)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push((path.clone(), fs::read(&path).unwrap()));
            }
        }
    }
    found.extend(fs::read(scratch.path("AGENTS.md")).ok().map(|bytes| (scratch.path("AGENTS.md"), bytes)));
    found.sort();
    found
}

/// A lesson that two pieces of evidence promoted.
fn promoted(scratch: &Scratch, title: &str) -> String {
    let id = add(scratch, title, &[]);
    evidence(scratch, &id, "https://example.org/again", &[]);
    know(scratch, &["pass", "--json"]).ok();
    id
}

#[test]
fn a_lesson_lives_from_candidate_to_archive() {
    let scratch = Scratch::repository();
    scratch.write("AGENTS.md", "# Mine\r\n\r\nKeep it.\r\n");
    insta::assert_snapshot!(know(&scratch, &["list"]).all(), @"
    exit 0
    --- out
    nothing is kept in `.governance/vault`
      next: cairn govern knowledge add <title> --label fact --evidence <reference>
    --- err
    ");
    insta::assert_snapshot!(
        know(
            &scratch,
            &[
                "add",
                "Run the check before the commit",
                "--label",
                "fact",
                "--signature",
                "late-check",
                "--evidence",
                "https://example.org/0",
                "--text",
                "The hook runs it again.\nIt takes a minute.",
                "--by",
                "ada",
            ]
        )
        .all(), @"
    exit 0
    --- out
    ✓ kept as a candidate: Lessons/run-the-check-before-the-commit.md
      hint: a second piece of evidence in the same window promotes it, if somebody else adds it
      next: cairn govern knowledge evidence run-the-check-before-the-commit --ref <reference>
    --- err
    ");
    insta::assert_snapshot!(scratch.read(".governance/vault/Lessons/run-the-check-before-the-commit.md"), @r#"
    ---
    title: "Run the check before the commit"
    label: "fact"
    status: "candidate"
    signature: "late-check"
    scope: "project:project"
    provenance:
      writer: "ada"
      evidence: "https://example.org/0"
      validTime: "2026-12-01T00:00:02.000Z"
      transactionTime: "2026-12-01T00:00:02.000Z"
    trust:
      relevance: 50
      reliability: 50
      staleness: 0
    ---
    The hook runs it again.
    It takes a minute.
    "#);
    assert_eq!(scratch.read("AGENTS.md"), "# Mine\r\n\r\nKeep it.\r\n", "a candidate is not read every time");
    know(&scratch, &["pass"]).ok();
    evidence(&scratch, "run-the-check", "https://example.org/2", &["--note", "again"]);
    insta::assert_snapshot!(know(&scratch, &["pass"]).all(), @"
    exit 0
    --- out
    ✓ run-the-check-before-the-commit: promoted: window 2969 has 2 pieces of evidence: https://example.org/0, https://example.org/2
      AGENTS.md: 463 bytes of 25000 and 15 lines of 200
    --- err
    ");
    insta::assert_snapshot!(scratch.read("AGENTS.md").replace('\r', "\\r"), @r"
    # Mine\r
    \r
    Keep it.\r
    \r
    <!-- cairn-knowledge:begin (managed by `cairn govern knowledge regen`; edits inside are overwritten) -->\r
    ## What was learned here\r
    \r
    Read the note behind a line before you work on what it is about.\r
    \r
    ### Lessons\r
    \r
    - Run the check before the commit ([run-the-check-before-the-commit](.governance/vault/Lessons/run-the-check-before-the-commit.md))\r
    \r
    The archive is in [Index.md](.governance/vault/Index.md).\r
    <!-- cairn-knowledge:end -->\r
    ");
    insta::assert_snapshot!(scratch.read(".governance/vault/Index.md"), @r#"
    ---
    project: "project"
    ---
    # Knowledge

    <!-- cairn-index:begin (managed by `cairn govern knowledge`; edits inside are overwritten) -->
    ## Entries

    ### In force

    - [Run the check before the commit](Lessons/run-the-check-before-the-commit.md) (project)
    <!-- cairn-index:end -->
    "#);
    insta::assert_snapshot!(know(&scratch, &["show", "run"]).all(), @"
    exit 0
    --- out
    Run the check before the commit
      Lessons/run-the-check-before-the-commit.md: promoted, signature `late-check`
      by ada at 2026-12-01T00:00:02.000Z, shown by https://example.org/0

    The hook runs it again.
    It takes a minute.

    2026-12-01T00:00:02.000Z  for  https://example.org/0
    2026-12-01T00:00:04.000Z  for  https://example.org/2
    --- err
    ");
    // Idle passes change no byte.
    let before = files(&scratch);
    for _ in 0..3 {
        scratch.wait(DAY);
        assert_eq!(know(&scratch, &["pass"]).ok().out.lines().next(), Some("nothing changes"));
        assert_eq!(files(&scratch), before);
    }
    insta::assert_snapshot!(know(&scratch, &["archive", "run-the-check", "--why", "the hook does it"]).all(), @"
    exit 0
    --- out
    ✓ run-the-check-before-the-commit: in the archive
      .governance/vault/Lessons/run-the-check-before-the-commit.md
      .governance/vault/Index.md
      AGENTS.md
    --- err
    ");
    assert!(scratch.read("AGENTS.md").contains("Nothing is in force."));
    assert!(scratch.read(".governance/vault/Index.md").contains("### Archive\n\n- [Run the check"));
    know(&scratch, &["archive", "run", "--why", "x"]).refused(1, "wrong-status");
    // Dated before the archive it stays there, dated after it comes back.
    evidence(&scratch, "run", "https://example.org/3", &["--at", "2026-12-01"]);
    assert_eq!(know(&scratch, &["pass", "--json"]).ok().json()["changes"], json!([]));
    evidence(&scratch, "run", "https://example.org/4", &[]);
    let passed = know(&scratch, &["pass", "--json"]).ok().json();
    assert_eq!(passed["changes"][0]["event"], "revived");
    assert_eq!(know(&scratch, &["pass", "--json"]).ok().json()["changes"], json!([]));
    insta::assert_snapshot!(know(&scratch, &["check"]).all(), @"
    exit 0
    --- out
    ✓ vault: `.governance/vault` is whole, with 1 note
    ✓ AGENTS.md: 463 bytes of 25000 and 15 lines of 200
    ✓ lessons: every lesson is where it belongs, once
    --- err
    ");
}

#[test]
fn a_held_out_window_that_contradicts_demotes_and_takes_it_out_of_agents_md() {
    let scratch = Scratch::repository();
    let id = promoted(&scratch, "Restart the server first");
    assert!(scratch.read("AGENTS.md").contains("Restart the server first"));
    scratch.wait(8 * DAY);
    evidence(&scratch, &id, "https://example.org/no", &["--contradicts"]);
    let dry = know(&scratch, &["pass", "--dry-run"]).ok();
    assert!(dry.out.contains("nothing was written"), "{}", dry.all());
    assert!(scratch.read("AGENTS.md").contains("Restart the server first"));
    let ran = know(&scratch, &["pass"]).ok();
    assert!(ran.out.contains("demoted: https://example.org/no in window"), "{}", ran.all());
    assert!(!scratch.read("AGENTS.md").contains("Restart the server first"));
    let before = files(&scratch);
    assert_eq!(know(&scratch, &["pass", "--json"]).ok().json()["files"], json!([]));
    assert_eq!(files(&scratch), before);
}

#[test]
fn the_write_gate_says_what_is_missing() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(know(&scratch, &["add", "x"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ the entry has no label (no-label)
      hint: say `--label fact`, `inferred` or `rule`
    ");
    know(&scratch, &["add", "x", "--label", "fact"]).refused(1, "no-provenance");
    know(&scratch, &["add", "x", "--label", "fact", "--by", "ada"]).refused(1, "no-evidence");
    let secret =
        ["add", "x", "--label", "fact", "--by", "ada", "--evidence", "y", "--text", "a\npassword=hunter2"];
    insta::assert_snapshot!(know(&scratch, &secret).all(), @"
    exit 1
    --- out
    --- err
    ✗ the text holds a literal value for password (holds-secret)
      line 2, column 10: a literal value for password
      hint: put a placeholder such as `<password>` in its place; if it was real, change it where it is used
    ");
    let word = ["add", "x", "--label", "validated-override", "--by", "ada", "--evidence", "y"];
    know(&scratch, &word).refused(1, "needs-person");
    assert!(!scratch.path(VAULT).exists(), "nothing was written");
    let mail =
        ["add", "x", "--label", "fact", "--by", "ada", "--evidence", "y", "--text", "ask ada@lovelace.uk"];
    assert!(know(&scratch, &mail).ok().out.contains("holds an email address"));
    know(&scratch, &mail).refused(1, "known-already");
    know(&scratch, &["evidence", "x", "--ref", "z"]).refused(1, "no-provenance");
    let note = ["evidence", "x", "--ref", "z", "--by", "ada", "--note", "token=abcdef123"];
    know(&scratch, &note).refused(1, "holds-secret");
    know(&scratch, &["quarantine", "x", "--why", "password=hunter2"]).refused(1, "holds-secret");
    let again = ["evidence", "x", "--ref", "y", "--by", "ada", "--json"];
    assert_eq!(know(&scratch, &again).ok().json()["known"], true, "what shows it is its first piece");
    let future = ["evidence", "x", "--ref", "z", "--by", "ada", "--at", "2099-01-01"];
    know(&scratch, &future).refused(1, "no-evidence");
    know(&scratch, &["show", "nothing"]).refused(1, "no-entry");
    scratch.write("notes.md", "From a file.\n");
    add(&scratch, "y", &["--from", "notes.md", "--research"]);
    assert!(scratch.read(".governance/vault/Research/y.md").ends_with("From a file.\n"));
    know(&scratch, &["add", "z", "--from", "gone.md"]).refused(1, "there is no file `gone.md`");
}

#[test]
fn what_recurs_in_receipts_is_evidence() {
    let scratch = Scratch::repository();
    let ran = know(&scratch, &["pass"]).ok();
    assert!(ran.out.contains("no evidence is fed"), "{}", ran.all());
    let title = "Leave what the policy protects to a person";
    let id = add(&scratch, title, &["--signature", "reason:protected-path"]);
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    assert_eq!(scratch.edit(".governance/policy.json")["decision"], "deny");
    assert_eq!(scratch.edit(".governance/policy.json")["decision"], "deny");
    let passed = know(&scratch, &["pass", "--json"]).ok().json();
    assert_eq!((&passed["receipted"], &passed["changes"][0]["event"]), (&json!(2), &json!("promoted")));
    let shown = know(&scratch, &["show", &id, "--json"]).ok().json();
    assert_eq!(shown["evidence"].as_array().unwrap().len(), 2, "a session is one piece");
}

#[test]
fn a_person_decides_on_overrides_and_on_scope() {
    let scratch = Scratch::repository();
    scratch.write(
        ".governance/vault/Rules/theirs.md",
        "---\ntitle: \"Deploy on Fridays\"\nlabel: rule\nstatus: promoted\nscope: \"project:other\"\n---\n",
    );
    know(&scratch, &["regen"]).ok();
    assert!(!scratch.path("AGENTS.md").exists(), "a rule of another project is not applied");
    let list = know(&scratch, &["list"]).ok();
    assert!(list.out.contains("promoted, elsewhere"), "{}", list.all());
    let args = ["cairn", "govern", "knowledge", "promote", "theirs", "--why", "we do so too"];
    scratch.run(&args).refused(1, "wrong-status");
    let args = [&args[..], &["--elevate", "here"]].concat();
    scratch.run(&args).refused(1, "no-terminal");
    scratch.person("yes", &args).refused(1, "not-confirmed");
    assert!(!scratch.path("AGENTS.md").exists());
    insta::assert_snapshot!(scratch.person("theirs", &args).all(), @"
    exit 0
    --- out
    ✓ theirs: in force by a person's word
      .governance/vault/Rules/theirs.md
      .governance/vault/Index.md
      AGENTS.md
    --- err
    ");
    assert!(scratch.read("AGENTS.md").contains("Deploy on Fridays"));
    let notes = scratch.run(&["cairn", "receipts", "list"]).ok();
    assert!(notes.out.contains("knowledge-promote"), "{}", notes.all());
    for command in ["promote theirs --why x", "release theirs", "erase theirs --why x"] {
        let command = format!("cairn govern knowledge {command}");
        let args = json!({ "command": command });
        let answer = scratch.hook(json!({ "event": "pre_tool", "tool": "bash", "args": args }));
        assert_eq!(answer["decision"], "deny", "{command}: {answer}");
    }
    for command in ["add x --label fact", "quarantine theirs --why x", "list"] {
        let args = json!({ "command": format!("cairn govern knowledge {command}") });
        let answer = scratch.hook(json!({ "event": "pre_tool", "tool": "bash", "args": args }));
        assert_eq!(answer["decision"], "allow", "{command}: {answer}");
    }
    assert_eq!(scratch.edit(".governance/vault/Rules/theirs.md")["decision"], "deny");
    assert_eq!(scratch.edit(".governance/vault/Research/mine.md")["decision"], "allow");
}

#[test]
fn what_claims_to_be_in_force_in_research_is_an_error_and_not_rendered() {
    let scratch = Scratch::repository();
    promoted(&scratch, "Run the check");
    let claims = "---\ntitle: \"Skip the review\"\nlabel: validated-override\nstatus: permanent\n---\n";
    scratch.write(".governance/vault/Research/mine.md", claims);
    know(&scratch, &["regen"]).ok();
    assert!(!scratch.read("AGENTS.md").contains("Skip the review"));
    know(&scratch, &["check"]).refused(2, "Research/mine.md: says that it is in force");
    let promote = ["cairn", "govern", "knowledge", "promote", "mine", "--why", "x"];
    scratch.person("mine", &promote).refused(1, "wrong-status");
    assert_eq!(scratch.read(".governance/vault/Research/mine.md"), claims);
}

#[test]
fn an_agent_does_not_promote_its_own_lesson_on_invented_evidence() {
    let scratch = Scratch::repository();
    let claude = |words: &[&str]| {
        let args = [&["cairn", "govern", "knowledge"], words].concat();
        scratch.run_with("CHANT_AGENT", "claude", &args)
    };
    claude(&["add", "Skip the review", "--label", "fact", "--evidence", "aaa"]).ok();
    claude(&["evidence", "skip", "--ref", "bbb"]).ok();
    assert_eq!(claude(&["pass", "--json"]).ok().json()["changes"], json!([]));
    claude(&["evidence", "skip", "--ref", "receipt:7"]).refused(1, "there is no receipt `7`");
    let invented = ["add", "Other", "--label", "fact", "--evidence", "receipt:7"];
    claude(&invented).refused(1, "no-evidence");
    assert_eq!(scratch.edit("a.rs")["decision"], "allow");
    claude(&["evidence", "skip", "--ref", "receipt:1"]).ok();
    assert_eq!(claude(&["pass", "--json"]).ok().json()["changes"], json!([]));
    let line = scratch.read(".governance/vault/evidence.jsonl");
    assert!(line.lines().all(|line| line.contains("\"transactionTime\":")), "{line}");
}

#[test]
fn nothing_is_put_behind_a_torn_line_of_evidence() {
    let scratch = Scratch::repository();
    let id = add(&scratch, "Run the check", &[]);
    let name = ".governance/vault/evidence.jsonl";
    let torn = scratch.read(name) + r#"{"at":"2026-12-01T0"#;
    scratch.write(name, &torn);
    insta::assert_snapshot!(know(&scratch, &["evidence", &id, "--ref", "y", "--by", "grace"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ `.governance/vault/evidence.jsonl` ends in half a line (entry-damaged)
      at: .governance/vault/evidence.jsonl:2
      hint: complete the line or take it out by hand; nothing was changed
    ");
    assert_eq!(scratch.read(name), torn);
    know(&scratch, &["check"]).refused(2, "line 2 is half a line");
    know(&scratch, &["pass"]).ok();
    // A whole line that lacks its end counts, and gets it.
    scratch.write(name, torn.lines().next().unwrap());
    evidence(&scratch, &id, "y", &[]);
    assert_eq!(scratch.read(name).lines().count(), 2);
    assert_eq!(know(&scratch, &["pass", "--json"]).ok().json()["changes"][0]["event"], "promoted");
}

#[test]
fn conflict_markers_do_not_take_a_rule_out_of_force() {
    let scratch = Scratch::repository();
    let id = promoted(&scratch, "Run the check");
    let name = format!(".governance/vault/Lessons/{id}.md");
    let whole = scratch.read(&name);
    let before = scratch.read("AGENTS.md");
    let first = format!("<<<<<<< HEAD\n{whole}=======\n{whole}>>>>>>> other\n");
    scratch.write(&name, &first);
    insta::assert_snapshot!(know(&scratch, &["pass"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ `.governance/vault/Lessons/run-the-check.md` can't be read: conflict marker `<<<<<<<` of an unfinished merge (entry-damaged)
      at: .governance/vault/Lessons/run-the-check.md:1:1
      hint: finish the merge: keep what is right and take the marker lines out; nothing was changed
    ");
    know(&scratch, &["regen"]).refused(1, "entry-damaged");
    scratch.write(&name, format!("{whole}<<<<<<< HEAD\na\n=======\nb\n>>>>>>> other\n"));
    know(&scratch, &["regen"]).refused(1, "conflict marker");
    assert_eq!(scratch.read("AGENTS.md"), before);
    scratch.write(&name, format!("{whole}A heading\n=======\n"));
    know(&scratch, &["regen"]).ok();
}

#[test]
fn a_text_may_begin_with_a_dash() {
    let scratch = Scratch::repository();
    let id = add(&scratch, "Run the check", &["--text", "- do this", "--derivation", "--so"]);
    assert!(scratch.read(&format!(".governance/vault/Lessons/{id}.md")).ends_with("\n- do this\n"));
    know(&scratch, &["evidence", &id, "--ref", "y", "--by", "grace", "--note", "- again"]).ok();
    know(&scratch, &["quarantine", &id, "--why", "- odd"]).ok();
}

#[test]
fn quarantine_release_and_erase() {
    let scratch = Scratch::repository();
    let id = promoted(&scratch, "Trust the cache");
    let ran = know(&scratch, &["quarantine", &id, "--why", "it looks planted", "--json"]).ok();
    assert_eq!(
        (&ran.json()["entry"]["quarantined"], &ran.json()["entry"]["inForce"]),
        (&json!(true), &json!(false))
    );
    assert!(!scratch.read("AGENTS.md").contains("Trust the cache"));
    know(&scratch, &["quarantine", &id, "--why", "x"]).refused(1, "wrong-status");
    let release = ["cairn", "govern", "knowledge", "release", &id];
    scratch.run(&release).refused(1, "no-terminal");
    scratch.person(&id, &release).ok();
    assert!(scratch.read("AGENTS.md").contains("Trust the cache"));
    scratch.person(&id, &release).refused(1, "wrong-status");
    let scope = ["cairn", "govern", "knowledge", "erase", "--scope", "project:project", "--why", "asked to"];
    scratch.run(&scope).refused(1, "no-terminal");
    insta::assert_snapshot!(scratch.person("project:project", &scope).all(), @"
    exit 0
    --- out
    ✓ trust-the-cache: erased
      hint: what was committed before is in git's history still
    --- err
    ");
    assert!(!scratch.path(".governance/vault/Lessons/trust-the-cache.md").exists());
    insta::assert_snapshot!(scratch.read(".governance/vault/Lessons/erased.md"), @r#"
    ---
    title: "erased"
    status: "erased"
    scope: "project:project"
    erased:
      by: "person"
      at: "2026-12-01T00:00:10.000Z"
      why: "asked to"
    ---
    "#);
    assert_eq!(scratch.read(".governance/vault/evidence.jsonl"), "", "nor is what was said of it");
    let everything: Vec<u8> = files(&scratch).into_iter().flat_map(|(_, bytes)| bytes).collect();
    let everything = String::from_utf8_lossy(&everything).to_lowercase();
    assert!(!everything.contains("trust the cache") && !everything.contains("trust-the-cache"));
    // The next one gets a name of its own, and one with the name of old is taken for unfinished.
    let id = promoted(&scratch, "Ada Lovelace, 12 High Street");
    scratch.person(&id, &["cairn", "govern", "knowledge", "erase", &id, "--why", "asked to"]).ok();
    assert!(scratch.path(".governance/vault/Lessons/erased-2.md").exists());
    let old = scratch.read(".governance/vault/Lessons/erased-2.md");
    scratch.write(".governance/vault/Lessons/ada-lovelace.md", &old);
    let again = ["cairn", "govern", "knowledge", "erase", "ada", "--why", "asked to"];
    scratch.person("ada-lovelace", &again).ok();
    assert!(!scratch.read(".governance/vault/Index.md").contains("ada"));
    assert!(!scratch.path(".governance/vault/Lessons/ada-lovelace.md").exists());
    scratch.person("project:project", &scope).refused(1, "nothing to erase");
    know(&scratch, &["check"]).ok();
}

#[test]
fn a_file_over_its_budget_says_what_to_move() {
    let scratch = Scratch::repository();
    let long = format!("# Mine\n\n## History\n\n{}", "a line\n".repeat(190));
    scratch.write("AGENTS.md", &long);
    let id = add(&scratch, "Run the check", &[]);
    evidence(&scratch, &id, "https://example.org/again", &[]);
    // The lesson waits for room, and nothing else does.
    let passed = know(&scratch, &["pass", "--json"]).ok().json();
    assert_eq!(passed["heldBack"], json!([id]));
    assert_eq!(scratch.read("AGENTS.md"), long);
    let promote = ["cairn", "govern", "knowledge", "promote", &id, "--why", "x"];
    insta::assert_snapshot!(scratch.person(&id, &promote).all(), @"
    exit 1
    --- out
    --- err
    ✗ AGENTS.md would have 1727 bytes and 206 lines; 25000 bytes and 200 lines are the most, whoever wrote them (over-budget)
      from line 3: History, 1343 bytes, 193 lines
      from line 196: the lessons in force, 376 bytes, 11 lines
      from line 1: Mine, 8 bytes, 2 lines
      hint: move long sections into notes that are read on demand, or archive lessons; no file was changed
      next: cairn govern knowledge archive <id> --why <text>
    ");
    assert_eq!(scratch.read("AGENTS.md"), long);
    scratch.write("AGENTS.md", "a line\n".repeat(201));
    insta::assert_snapshot!(know(&scratch, &["check"]).refused(2, "").all(), @"
    exit 2
    --- out
    ✓ vault: `.governance/vault` is whole, with 1 note
    ✗ AGENTS.md: 1407 bytes of 25000 and 201 lines of 200; the largest part is `text without a heading` from line 1, 1407 bytes
      hint: move long sections into notes that are read on demand, or archive lessons
    ✓ lessons: every lesson is where it belongs, once
    --- err
    ");
    scratch.write("AGENTS.md", "# Mine\n");
    let passed = know(&scratch, &["pass", "--json"]).ok().json();
    assert_eq!(passed["changes"][0]["event"], "promoted");
}

#[test]
fn the_blocks_of_two_programs_live_in_one_file() {
    let scratch = Scratch::chalk();
    scratch.run(&["chalk", "agents"]).ok();
    let id = promoted(&scratch, "Run the check");
    let both = scratch.read("AGENTS.md");
    assert!(both.contains("<!-- chalk:begin") && both.contains("<!-- cairn-knowledge:begin"), "{both}");
    scratch.run(&["chalk", "agents"]).ok();
    know(&scratch, &["regen"]).ok();
    assert_eq!(scratch.read("AGENTS.md"), both);
    know(&scratch, &["archive", &id, "--why", "x"]).ok();
    let chalk = |text: &str| text.split_once("<!-- cairn-knowledge").unwrap().0.to_owned();
    assert_eq!(chalk(&scratch.read("AGENTS.md")), chalk(&both));
}

#[test]
fn regen_is_checked_in_memory_first() {
    let scratch = Scratch::repository();
    promoted(&scratch, "Run the check");
    let whole = scratch.read("AGENTS.md");
    let edited = whole.replace("- Run", "- By hand\n- Run");
    scratch.write("AGENTS.md", &edited);
    insta::assert_snapshot!(know(&scratch, &["regen"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ 1 line of AGENTS.md have no entry in the vault, and would be lost (lesson-lost)
      - By hand
      hint: put the entry back, add what the line says with `cairn govern knowledge add`, or take the line out by hand
    ");
    assert_eq!(scratch.read("AGENTS.md"), edited);
    know(&scratch, &["check"]).refused(2, "would be lost");
    scratch.write("AGENTS.md", whole.replace("Read the note", "Skip the note"));
    let dry = know(&scratch, &["regen", "--dry-run", "--json"]).ok().json();
    assert_eq!((&dry["files"], &dry["dryRun"]), (&json!(["AGENTS.md"]), &json!(true)));
    assert!(scratch.read("AGENTS.md").contains("Skip the note"));
    know(&scratch, &["check"]).refused(2, "is not what the entries say");
    know(&scratch, &["regen"]).ok();
    assert_eq!(scratch.read("AGENTS.md"), whole);
    scratch.write("AGENTS.md", whole.replace("<!-- cairn-knowledge:end -->\n", ""));
    know(&scratch, &["regen"]).refused(1, "block-damaged");
    scratch.write("AGENTS.md", &whole);
    scratch.write(".governance/vault/Lessons/odd.md", "---\nlabel: gossip\n---\n");
    let ran = know(&scratch, &["regen"]).refused(1, "entry-damaged");
    assert!(ran.err.contains("at: .governance/vault/Lessons/odd.md:1"), "{}", ran.all());
    assert!(know(&scratch, &["list"]).ok().out.contains("odd.md"));
}

#[test]
#[cfg(unix)]
fn a_vault_behind_a_link_is_refused() {
    let scratch = Scratch::repository();
    let outside = scratch.home().join("vault");
    fs::create_dir_all(&outside).unwrap();
    fs::create_dir_all(scratch.path(".governance")).unwrap();
    std::os::unix::fs::symlink(&outside, scratch.path(VAULT)).unwrap();
    let ran = know(&scratch, &["add", "x", "--label", "fact", "--by", "ada", "--evidence", "y"]);
    ran.refused(1, "is a symbolic link, which is not followed");
    know(&scratch, &["list"]).refused(1, "vault-place");
    assert_eq!(fs::read_dir(outside).unwrap().count(), 0);
    scratch.write("policy", "");
    fs::remove_file(scratch.path(VAULT)).unwrap();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "knowledge": { "vault": "../out" } }"#);
    know(&scratch, &["list"]).refused(1, "vault-place");
    scratch.write(
        ".governance/policy.json",
        r#"{ "schema": 1, "knowledge": { "vault": "notes", "project": "p" } }"#,
    );
    add(&scratch, "x", &[]);
    assert!(scratch.read("notes/Index.md").starts_with("---\nproject: \"p\"\n---\n"));
    scratch.write(".governance/policy.json", "{");
    know(&scratch, &["list"]).refused(1, "unreadable");
}

/// The real program, in the project.
fn program(scratch: &Scratch, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear().args(["govern", "knowledge"]).args(args);
    for (name, value) in scratch.env().iter() {
        command.env(name, value);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn writers_at_once_lose_nothing() {
    let scratch = Scratch::repository();
    let title = |number: usize| format!("Lesson {number}");
    let children: Vec<_> = (0..6)
        .map(|number| {
            let title = title(number);
            let args = ["add", &title, "--label", "fact", "--evidence", "x", "--by", "ada"];
            program(&scratch, &args).spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let list = know(&scratch, &["list", "--json"]).ok().json();
    assert_eq!(list["entries"].as_array().unwrap().len(), 6);
    assert_eq!(scratch.read(".governance/vault/Index.md").matches("- [Lesson ").count(), 6);
    assert_eq!(scratch.read(".governance/vault/evidence.jsonl").lines().count(), 6);
    know(&scratch, &["check"]).ok();
}

#[test]
#[cfg_attr(not(debug_assertions), ignore = "fault points exist in debug builds alone")]
fn a_writer_killed_at_any_step_leaves_the_old_file_or_the_new_one() {
    let points = ["stage", "staged", "journal", "journaled", "rename", "renamed", "clear"];
    for (how, point) in ["kill", "full"].into_iter().flat_map(|how| points.map(|point| (how, point))) {
        for nth in 1..=3 {
            let scratch = Scratch::repository();
            scratch.write("AGENTS.md", "# Mine\n");
            let id = promoted(&scratch, "Run the check");
            let old = scratch.read("AGENTS.md");
            let mut command = program(&scratch, &["archive", &id, "--why", "over"]);
            let output = command.env("CAIRN_FAULT", format!("{point}:{nth}:{how}")).output().unwrap();
            let context = format!("{point}:{nth}:{how}");
            let found = scratch.read("AGENTS.md");
            let is_new = found.contains("Nothing is in force.");
            assert!(found == old || is_new, "{context}: {found}");
            // The next writer finishes it, or begins from the old state.
            know(&scratch, &["regen", "--json"]).ok();
            let archived =
                scratch.read(".governance/vault/Lessons/run-the-check.md").contains("\"archived\"");
            let in_force = scratch.read("AGENTS.md").contains("- Run the check");
            assert_ne!(archived, in_force, "{context}");
            assert!(scratch.read("AGENTS.md").starts_with("# Mine\n"), "{context}");
            know(&scratch, &["check", "--json"]).ok();
            let left = |folder: PathBuf| {
                let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
                names.filter(|name| name.to_string_lossy().ends_with(".tmp")).collect::<Vec<_>>()
            };
            let folders =
                [scratch.govern(), scratch.root(), scratch.path(VAULT), scratch.path(VAULT).join("Lessons")];
            let left: Vec<_> = folders.into_iter().flat_map(left).collect();
            assert!(left.is_empty(), "{context} leaves {left:?}");
            if output.status.success() {
                break;
            }
        }
    }
}
