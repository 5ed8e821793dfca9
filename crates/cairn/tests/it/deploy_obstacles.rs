//! What a step of a deployment would refuse is found before anyone approves it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::deploy::Target;
use crate::probe::programs;

const SECRET: &str = "kX9vQ2mL7pRt4wZs";

/// What is in the way by a report: check and finding.
fn obstacles(report: &Value) -> Vec<(String, String)> {
    let vectors = report["vectors"].as_array().unwrap().iter();
    let found = vectors.filter_map(|vector| vector["obstacles"].as_array()).flatten();
    found
        .map(|one| {
            assert!(!one["how"].as_str().unwrap().is_empty(), "{one}");
            (one["check"].as_str().unwrap().to_owned(), one["what"].as_str().unwrap().to_owned())
        })
        .collect()
}

type Spoil = fn(&Target);

/// What stands in the way, the check that finds it, and what of the finding.
const CASES: &[(Spoil, &str, &str)] = &[
    (
        |target| fs::create_dir(target.scratch.path(".governance.bak")).unwrap(),
        "DP-005",
        ".governance.bak` is in the way",
    ),
    (|target| target.scratch.write(".governance.bak", "x"), "DP-005", ".governance.bak` is in the way"),
    (
        |target| {
            fs::rename(target.scratch.path("AGENTS.md"), target.scratch.path("other.md")).unwrap();
            symlink("other.md", target.scratch.path("AGENTS.md")).unwrap();
        },
        "DP-005",
        "AGENTS.md` is a link",
    ),
    (
        |target| {
            fs::remove_file(target.scratch.path("AGENTS.md")).unwrap();
            fs::create_dir(target.scratch.path("AGENTS.md")).unwrap();
        },
        "DP-005",
        "AGENTS.md`: it is a folder",
    ),
    (
        |target| target.scratch.write("AGENTS.md", "<!-- cairn-knowledge:begin (x) -->\n"),
        "DP-005",
        "`AGENTS.md` line 1",
    ),
    (
        |target| symlink("/etc/hosts", target.scratch.path(".governance/link")).unwrap(),
        "DP-006",
        "link` is a link",
    ),
    (|target| target.scratch.write(".governance/evidence", "x"), "DP-006", "a file is in the way"),
    (|target| target.scratch.write(".governance/health.json", "{"), "DP-006", "health.json` can't be read"),
    (
        |target| target.scratch.write(".governance/deploy-state.json", "{"),
        "DP-006",
        "deploy-state.json` can't be read",
    ),
    (
        |target| target.scratch.write(".governance/deploy-receipts.jsonl", "{}\n"),
        "DP-006",
        "deploy-receipts.jsonl` line 1",
    ),
    (
        |target| {
            let policy = r#"{ "schema": 1, "knowledge": { "vault": "kb" } }"#;
            target.scratch.write(".governance/policy.json", policy);
        },
        "DP-008",
        "has its vault in `kb`",
    ),
    (
        |target| target.scratch.write(".governance/vault/Rules/verify.md", "mine\n"),
        "DP-008",
        "other files of these names: Rules/verify.md",
    ),
    (|target| target.scratch.write(".governance/vault/Rules", "a file\n"), "DP-008", "a file is in the way"),
    (
        |target| target.scratch.write(".governance/vault/Rules/mine.md", "---\nstatus: [\n---\n"),
        "DP-008",
        "Rules/mine.md` can't be read",
    ),
    (
        |target| fs::write(target.vault.join("Rules/theirs.md"), b"---\nstatus: [\n---\n").unwrap(),
        "DP-013",
        "vault/Rules/theirs.md` can't be read",
    ),
    (
        |target| symlink("nowhere", target.vault.join("Lessons/link.md")).unwrap(),
        "DP-007",
        "link.md` is a link",
    ),
    (
        |target| fs::write(target.vault.join("Lessons/l.md"), format!("password = \"{SECRET}\"\n")).unwrap(),
        "DP-013",
        "Lessons/l.md` holds a literal value for password (line 1",
    ),
    (
        |target| {
            for n in 0..220 {
                let text = format!("---\nstatus: permanent\ntitle: Rule number {n}\n---\n");
                fs::write(target.vault.join(format!("Rules/r{n}.md")), text).unwrap();
            }
        },
        "DP-013",
        "AGENTS.md would have",
    ),
    (
        |target| target.scratch.write(".claude/settings.json", "{ \"hooks\": ["),
        "DP-004",
        "claude can't be wired",
    ),
    (
        |target| {
            fs::remove_dir_all(target.scratch.path(".claude")).unwrap();
            symlink("/tmp", target.scratch.path(".claude")).unwrap();
        },
        "DP-004",
        "it is a symbolic link",
    ),
];

/// Each of these came up only after the approval, as a step that failed.
#[test]
fn what_a_step_would_refuse_is_found_by_probe_and_plan() {
    for (spoil, check, finding) in CASES {
        let target = Target::new();
        spoil(&target);
        let before = target.tree();
        let report = target.probe();
        assert_eq!(report["verdict"], "blocked", "{finding}");
        let found = obstacles(&report);
        let is_it = |(by, what): &(String, String)| by == check && what.contains(finding);
        assert!(found.len() == 1 && is_it(&found[0]), "{finding}: {found:?}");
        assert!(!report.to_string().contains(SECRET));
        let planned = target.run(&["deploy", "plan", "--json"]);
        if planned.code == 1 {
            // Behind what is not as it was written nothing is put on record, and where nothing can be written either.
            let code = planned.json()["error"]["code"].as_str().unwrap().to_owned();
            assert!(["deploy-damaged", "not-written"].contains(&code.as_str()), "{}", planned.all());
        } else {
            let planned = planned.refused(2, "N-3").json();
            let issue = &planned["missing"]["notice"]["issues"][0];
            assert!(issue["what"].as_str().unwrap().contains(finding), "{planned:#}");
            assert_eq!(planned["phase"], "blocked");
        }
        assert_eq!(target.tree(), before, "{finding}");
    }
}

/// DV-8: what a parser says of a file quotes it.
#[test]
fn what_a_damaged_file_says_is_not_told() {
    for (name, text) in [
        (".governance/policy.json", format!(r#"{{ "schema": "{SECRET}" }}"#)),
        (".governance/health.json", format!(r#""{SECRET}""#)),
        (".governance/deploy-state.json", format!(r#"{{ "schema": "{SECRET}" }}"#)),
        (".claude/settings.json", format!(r#"{{ "hooks": "{SECRET}" }}"#)),
        (".governance/vault/Rules/mine.md", format!("---\nstatus: \"{SECRET}\"\n---\n")),
        (".governance/vault/Rules/mine.md", format!("---\nscope: \"{SECRET}\"\n---\n")),
        (".governance/policy.json", format!(r#"{{ "schema": 1, "{SECRET}": 1 }}"#)),
    ] {
        let target = Target::new();
        target.scratch.write(name, text);
        let report = target.probe();
        assert!(!report.to_string().contains(SECRET), "{name}: {report:#}");
        assert!(!obstacles(&report).is_empty(), "{name}");
    }
}

#[test]
fn what_is_in_the_way_is_told_with_its_cure() {
    let target = Target::new();
    fs::create_dir(target.scratch.path(".governance.bak")).unwrap();
    fs::write(target.vault.join("Lessons/l.md"), format!("password = \"{SECRET}\"\n")).unwrap();
    target.probe();
    let planned = target.run(&["deploy", "plan"]).refused(2, "");
    let shown = planned.out.replace(target.vault.to_str().unwrap(), "[vault]");
    insta::assert_snapshot!(shown, @"
    ✗ nothing can be deployed on this target
    N-3: work rests until a person acts
      what is needed: DP-005 target workspace: `[root]/.governance.bak` is in the way, and no deployment put it there
        why: everything that is deployed lies there
        what it blocks: the whole deployment
        how to obtain it: move it out of the target, or give it another name
      what is needed: DP-013 vault content: `[scratch]/vault/Lessons/l.md` holds a literal value for password (line 1, column 12)
        why: what it holds is given to the target, whole and without a secret
        what it blocks: seeding the vault
        how to obtain it: write something like `<password>` in its place; if it was real, change it where it is used
      plan:
        1. DP-005 target workspace: `[root]/.governance.bak` is in the way, and no deployment put it there: move it out of the target, or give it another name
        2. DP-013 vault content: `[scratch]/vault/Lessons/l.md` holds a literal value for password (line 1, column 12): write something like `<password>` in its place; if it was real, change it where it is used
        3. Run `cairn govern probe` again with the same target and vault
      rests on: .governance/portability-report.json, .governance/evidence/analysis.json
      weaker as well: DP-002 Node 22.6 for the reference engine: not found
      weaker as well: DP-003 npm for the reference engine: not found
      weaker as well: DP-012 modules at hand: `[scratch]/home/bin/cairn` is another file than this program, and `--no-run` keeps it from being asked for its version
      weaker as well: DP-014 git: not found
      weaker as well: DP-016 toolset inventory: claude (version not known)
      weaker as well: DP-018 capability observed: what claude can do is declared, not observed here
      next: cairn govern probe
    ");
    // The cure works.
    fs::remove_dir(target.scratch.path(".governance.bak")).unwrap();
    fs::write(target.vault.join("Lessons/l.md"), "password = \"<password>\"\n").unwrap();
    target.approved();
    target.run(&["deploy", "run"]).ok();
}

/// A vault that lies in the target's own is not copied into itself; one beside it in the repository is copied.
#[test]
fn a_vault_in_the_target() {
    let target = Target::new();
    let copy = |to: &Path| {
        for part in ["Rules", "Lessons", "Research", "Templates"] {
            fs::create_dir_all(to.join(part)).unwrap();
            for entry in fs::read_dir(target.vault.join(part)).unwrap() {
                let entry = entry.unwrap();
                fs::copy(entry.path(), to.join(part).join(entry.file_name())).unwrap();
            }
        }
        fs::copy(target.vault.join("Index.md"), to.join("Index.md")).unwrap();
    };
    let probe = |vault: &str| {
        let args = ["probe", "--vault", vault, "--agent", "claude", "--no-run", "--json"];
        target.run(&args).ok().json()
    };
    copy(&target.scratch.path("kb"));
    assert_eq!(probe("kb")["verdict"], "partial");
    copy(&target.scratch.path(".governance/vault"));
    for vault in [".governance/vault", "."] {
        let found = obstacles(&probe(vault));
        assert!(
            found.iter().any(|(check, what)| check == "DP-007" && what.contains("in each other")),
            "{found:?}"
        );
    }
}

/// A user whom a file's mode keeps out; the one who runs the tests may be one whom it does not.
#[test]
fn what_can_not_be_read_or_written_is_found() {
    const NOBODY: u32 = 65534;
    let target = Target::new();
    let base = target.vault.parent().unwrap().to_owned();
    let is_root = fs::metadata(&base).unwrap().uid() == 0;
    let program = base.join("cairn");
    fs::copy(env!("CARGO_BIN_EXE_cairn"), &program).unwrap();
    let claude = base.join("home/bin/claude");
    assert!(claude.exists());
    if is_root {
        give(&base, NOBODY);
    }
    let probe = || {
        let mut command = Command::new(&program);
        command
            .args(["govern", "probe", "--agent", "claude", "--no-run", "--json", "--vault"])
            .arg(&target.vault);
        command.current_dir(target.scratch.root()).env_clear().envs(target.scratch.env().iter());
        command.env("PATH", &target.path);
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        let out = command.output().unwrap();
        serde_json::from_slice::<Value>(&out.stdout)
            .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&out.stderr)))
    };
    assert_eq!(probe()["verdict"], "partial");
    let vault = target.scratch.path(".governance/vault/Rules");
    fs::create_dir_all(&vault).unwrap();
    if is_root {
        give(&base, NOBODY);
    }
    for (path, shut, check) in [
        (target.vault.join("Rules/verify.md"), 0o000, "DP-007"),
        (target.vault.join("Lessons"), 0o000, "DP-007"),
        (vault, 0o555, "DP-008"),
        (target.scratch.path("AGENTS.md"), 0o000, "DP-005"),
        (target.scratch.path(".claude"), 0o555, "DP-004"),
        (target.scratch.path(".governance/policy.json"), 0o000, "DP-006"),
    ] {
        let mode = fs::metadata(&path).unwrap().permissions();
        fs::set_permissions(&path, fs::Permissions::from_mode(shut)).unwrap();
        let report = probe();
        let found = obstacles(&report);
        assert!(found.iter().any(|(by, _)| by == check), "{}: {found:?}", path.display());
        assert_eq!(report["verdict"], "blocked");
        fs::set_permissions(&path, mode).unwrap();
    }
    assert_eq!(probe()["verdict"], "partial");
}

/// Gives a folder and all that it holds to a user.
fn give(path: &Path, user: u32) {
    let metadata = fs::symlink_metadata(path).unwrap();
    if metadata.is_symlink() {
        return;
    }
    chown(path, Some(user), Some(user)).unwrap();
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            give(&entry.unwrap().path(), user);
        }
    }
}

/// `cairn` on the `PATH` inside of the target was said not to be on the `PATH`, and one of another version was found by the
/// first step.
#[test]
fn a_program_that_no_hook_may_start_is_named() {
    let target = Target::new();
    let bin = target.scratch.home().join("bin");
    let found = |path: &std::ffi::OsStr| {
        let vault = target.vault.to_str().unwrap();
        let args = ["cairn", "govern", "probe", "--vault", vault, "--agent", "claude", "--json"];
        let report = target.scratch.run_with("PATH", path, &args).ok().json();
        let dp_012 = report["vectors"][11]["actual"].as_str().unwrap().to_owned();
        (dp_012, obstacles(&report))
    };
    fs::create_dir(target.scratch.path("bin")).unwrap();
    fs::rename(bin.join("cairn"), target.scratch.path("bin/cairn")).unwrap();
    for inside in [target.scratch.path("bin"), "bin".into()] {
        let path = std::env::join_paths([&inside, &bin]).unwrap();
        let (dp_012, obstacles) = found(&path);
        assert!(dp_012.contains("bin/cairn`, which lies in the target"), "{dp_012}");
        assert!(
            obstacles.iter().any(|(check, what)| check == "DP-004" && what.contains(&dp_012)),
            "{obstacles:?}"
        );
    }
    let (dp_012, obstacles) = found(bin.as_os_str());
    assert_eq!(dp_012, "`cairn` is not on the `PATH`");
    assert_eq!(obstacles.len(), 1);
    programs(&target.scratch, &[("cairn", "cairn 0.0.9")]);
    let (dp_012, obstacles) = found(bin.as_os_str());
    assert!(dp_012.contains("says that it is version 0.0.9"), "{dp_012}");
    assert_eq!(obstacles[0].0, "DP-004");
    programs(&target.scratch, &[("cairn", concat!("cairn ", env!("CARGO_PKG_VERSION")))]);
    assert!(found(bin.as_os_str()).1.is_empty());
}

/// The top of the repository was taken without a word.
#[test]
fn a_target_below_the_top_is_said_to_stand_for_it() {
    let target = Target::new();
    fs::create_dir(target.scratch.path("sub")).unwrap();
    let probe = |folder: &str| target.run(&["probe", "--no-run", "--target", folder, "--json"]).ok().json();
    let report = probe("sub");
    assert_eq!((&report["target"], &report["asked"]["folder"]), (&"[root]".into(), &"[root]/sub".into()));
    assert_eq!(probe(".")["asked"]["folder"], Value::Null);
    let told = target.run(&["probe", "--no-run", "--target", "sub"]).ok();
    assert!(
        told.out.lines().next().unwrap().ends_with("[root], the repository around [root]/sub"),
        "{}",
        told.out
    );
    // A plan rests on what was said, and looks again at the same.
    let vault = target.vault.to_str().unwrap();
    target.run(&["probe", "--vault", vault, "--agent", "claude", "--no-run", "--target", "sub"]).ok();
    target.run(&["deploy", "plan", "--target", "sub"]).ok();
}

#[test]
fn a_second_deployment_comes_to_the_same() {
    let target = Target::new();
    target.approved();
    target.run(&["deploy", "run"]).ok();
    let without = |target: &Target| {
        let mut tree = target.tree();
        tree.retain(|(path, _)| !path.ends_with("health.json"));
        tree
    };
    let first = without(&target);
    target.approved();
    let ran = target.run(&["deploy", "run", "--json"]).ok().json();
    assert_eq!((&ran["phase"], &ran["run"]), (&"done".into(), &2.into()));
    assert_eq!(without(&target), first);
    let report = target.run(&["deploy", "report", "--json"]).ok().json();
    assert_eq!((&report["run"], &report["newer"]), (&2.into(), &Value::Null));
    // An entry that the target changed since is the target's, and is not written over.
    target.run(&["knowledge", "archive", "l", "--why", "it is old"]).ok();
    let found = obstacles(&target.probe());
    assert_eq!(found[0].0, "DP-008");
    assert!(found[0].1.contains("Lessons/l.md"), "{found:?}");
}

#[test]
fn a_repository_that_kept_knowledge_keeps_it() {
    let target = Target::new();
    let add = ["knowledge", "add", "--label", "rule", "--by", "me", "--evidence", "https://example.org/why"];
    target.run(&[&add[..], &["Never push on a Friday"]].concat()).ok();
    let promote =
        ["cairn", "govern", "knowledge", "promote", "never-push-on-a-friday", "--why", "we said so"];
    target.scratch.person("never-push-on-a-friday", &promote).ok();
    let index = target.scratch.read(".governance/vault/Index.md");
    target.approved();
    target.run(&["deploy", "run"]).ok();
    let agents = target.scratch.read("AGENTS.md");
    for line in ["My own words.", "Never push on a Friday", "Run the tests before saying done"] {
        assert_eq!(agents.matches(line).count(), 1, "{line}: {agents}");
    }
    let both = target.scratch.read(".governance/vault/Index.md");
    assert!(both.contains("Never push on a Friday") && both.contains("Run the tests"), "{both}");
    assert_eq!(both.lines().next(), index.lines().next(), "the index stays the target's own");
    target.run(&["knowledge", "check"]).ok();
    let made = target.run(&["knowledge", "regen", "--json"]).ok().json();
    assert_eq!(made["files"], serde_json::json!([]), "{made}");
    target.run(&["deploy", "report"]).ok();
}
