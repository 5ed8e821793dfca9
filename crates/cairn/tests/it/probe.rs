//! `govern probe`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::scratch::{Ran, Scratch};

/// A folder of programs that is the whole `PATH`, each of which says this of its version.
pub fn programs(scratch: &Scratch, said: &[(&str, &str)]) -> PathBuf {
    let bin = scratch.home().join("bin");
    fs::create_dir_all(&bin).unwrap();
    for (name, version) in said {
        let program = bin.join(name);
        fs::write(&program, format!("#!/bin/sh\n[ \"$*\" = --version ] && echo '{version}'\n")).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    bin
}

/// A vault with all five parts, beside the project.
pub fn vault(scratch: &Scratch) -> PathBuf {
    let vault = fs::canonicalize(scratch.home()).unwrap().with_file_name("vault");
    for name in ["Rules/verify.md", "Lessons/l.md", "Research/r.md", "Templates/t.md", "Index.md"] {
        let path = vault.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("# {name}\n\nRun the tests before saying done.\n")).unwrap();
    }
    vault
}

const SAID: &[(&str, &str)] = &[
    ("git", "git version 2.47.1"),
    ("claude", "2.1.332 (Claude Code) token=sk-ant-secret"),
    ("cairn", concat!("cairn ", env!("CARGO_PKG_VERSION"))),
];

#[track_caller]
fn probe(scratch: &Scratch, args: &[&str]) -> Ran {
    let bin = programs(scratch, SAID);
    scratch.run_with("PATH", bin, &[&["cairn", "govern", "probe"], args].concat())
}

const REPORT: &str = ".governance/portability-report.json";

#[test]
fn a_target_is_observed_and_not_changed() {
    let scratch = Scratch::repository();
    let vault = vault(&scratch);
    let ran = probe(&scratch, &["--vault", vault.to_str().unwrap(), "--dry-run"]).ok();
    insta::assert_snapshot!(ran.all(), @"");
    assert!(!scratch.path(".governance").exists());
}

/// DV-7 and DV-8, and that the report is what is printed.
#[test]
fn two_runs_give_the_same_bytes_and_no_secret() {
    let scratch = Scratch::repository();
    scratch.write(".claude/settings.json", r#"{ "env": { "ANTHROPIC_API_KEY": "sk-ant-secret" } }"#);
    let vault = vault(&scratch);
    let args = ["--vault", vault.to_str().unwrap(), "--json"];
    let first = probe(&scratch, &args).ok();
    let written = scratch.read(REPORT);
    let second = probe(&scratch, &args).ok();
    assert_eq!(first.out, second.out);
    assert_eq!(scratch.read(REPORT), written);
    assert!(!written.contains("secret"), "{written}");
    let report = first.json();
    assert_eq!((&report["verdict"], &report["selected"]), (&"partial".into(), &"claude".into()));
    assert_eq!(report["toolsets"][0]["version"], "2.1.332");
}

#[test]
fn what_is_missing_blocks_and_is_a_report_all_the_same() {
    let scratch = Scratch::repository();
    let bin = programs(&scratch, &[]);
    let ran = scratch.run_with("PATH", bin, &["cairn", "govern", "probe"]).ok();
    insta::assert_snapshot!(ran.all(), @"");
    assert_eq!(scratch.json(REPORT)["verdict"], "blocked");
}

#[test]
fn no_program_is_run_where_none_may_be() {
    let scratch = Scratch::repository();
    let bin = programs(&scratch, SAID);
    let trap = "#!/bin/sh\ntouch \"$HOME/ran\"\n";
    fs::write(bin.join("claude"), trap).unwrap();
    let ran = scratch.run_with("PATH", bin, &["cairn", "govern", "probe", "--no-run", "--json"]).ok();
    assert_eq!(ran.json()["toolsets"][0]["version"], serde_json::Value::Null);
    assert!(!scratch.home().join("ran").exists());
}

/// A program of the target's own is never run: who prepares a repository would have it run by whoever probes it.
#[test]
fn a_program_in_the_target_is_not_run() {
    let scratch = Scratch::repository();
    scratch.write("bin/claude", "#!/bin/sh\ntouch \"$HOME/ran\"\n");
    fs::set_permissions(scratch.path("bin/claude"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::join_paths([scratch.path("bin"), PathBuf::from("bin")]).unwrap();
    let ran = scratch.run_with("PATH", path, &["cairn", "govern", "probe", "--json"]).ok();
    assert_eq!(ran.json()["toolsets"].as_array().unwrap().len(), 0);
    assert!(!scratch.home().join("ran").exists());
}

#[test]
fn an_agent_that_was_used_here_is_observed() {
    let scratch = Scratch::repository();
    let observed = |scratch: &Scratch| {
        let report = probe(scratch, &["--dry-run", "--json"]).ok().json();
        report["toolsets"][0]["observed"].as_bool().unwrap()
    };
    assert!(!observed(&scratch));
    let payload = serde_json::json!({
        "session_id": "s", "permission_mode": "default", "hook_event_name": "PreToolUse", "cwd": scratch.root(),
        "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "u",
    });
    scratch.hook_of(agents::AgentId::Claude, "pre-tool", &payload);
    assert!(observed(&scratch));
}

#[test]
fn a_report_is_not_written_through_a_link() {
    let scratch = Scratch::repository();
    fs::create_dir(scratch.home().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(scratch.home().join("elsewhere"), scratch.path(".governance")).unwrap();
    let ran = probe(&scratch, &["--json"]).refused(1, "symbolic link");
    assert_eq!(ran.json()["error"]["code"], "not-written");
    let report = probe(&scratch, &["--dry-run", "--json"]).ok().json();
    assert_eq!(report["vectors"][5]["pass"], false, "DP-006 fails");
    assert_eq!(fs::read_dir(scratch.home().join("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_target_that_is_not_there_is_refused() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "probe", "--target", "nothing"]).all(), @"");
}
