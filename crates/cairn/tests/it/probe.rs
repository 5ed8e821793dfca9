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
    for (name, front) in [
        ("Rules/verify.md", "status: permanent\ntitle: Run the tests before saying done"),
        ("Rules/theirs.md", "status: promoted\ntitle: Ask before a release\nscope: project:source"),
        ("Index.md", "project: source"),
    ] {
        fs::write(vault.join(name), format!("---\n{front}\n---\n# {name}\n")).unwrap();
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

/// What is shown, without what is of this machine.
fn shown(scratch: &Scratch, ran: &Ran) -> String {
    let platform = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
    let base = fs::canonicalize(scratch.home()).unwrap();
    ran.all().replace(&platform, "[platform]").replace(base.parent().unwrap().to_str().unwrap(), "[scratch]")
}

const REPORT: &str = ".governance/portability-report.json";

#[test]
fn a_target_is_observed_and_not_changed() {
    let scratch = Scratch::repository();
    let vault = vault(&scratch);
    let ran = probe(&scratch, &["--vault", vault.to_str().unwrap(), "--dry-run"]).ok();
    insta::assert_snapshot!(shown(&scratch, &ran), @"
    exit 0
    --- out
    ! partial on [root]
    CHECK   STANDS  WEIGHT    ABOUT                               FOUND
    DP-001  holds   optional  platform                            [platform]
    DP-002  fails   optional  Node 22.6 for the reference engine  not found
    DP-003  fails   optional  npm for the reference engine        not found
    DP-004  holds   required  suitable toolset                    claude meets C-1 to C-6
    DP-005  holds   required  target workspace                    writable
    DP-006  holds   required  governance folder                   writable
    DP-007  holds   required  source vault                        readable
    DP-008  holds   required  target vault                        writable
    DP-009  holds   optional  signing key                         there, or can be made
    DP-010  holds   optional  evidence of sessions                the receipts have a place
    DP-011  holds   optional  earlier state and room              readable, and there is room
    DP-012  holds   optional  modules at hand                     the engine is whole and on the `PATH`
    DP-013  holds   required  vault content                       all five parts are there
    DP-014  holds   optional  git                                 2.47.1
    DP-015  fails   told      model                               not told
    DP-016  holds   optional  toolset inventory                   claude 2.1.332
    DP-017  holds   told      selected toolset                    claude
    DP-018  fails   optional  capability observed                 what claude can do is declared, not observed here
    DP-019  holds   told      conflict scan                       nothing
    N-2: work goes on
      what is needed: DP-002 Node 22.6 for the reference engine: not found
        why: the reference engine runs on it; this engine does not
        what it blocks: the reference engine, which is not used here
        how to obtain it: install it where the reference engine is wanted, and not for this one
      what is needed: DP-003 npm for the reference engine: not found
        why: the reference engine is installed with it; this engine is not
        what it blocks: the installation of the reference engine, which is not used here
        how to obtain it: install it where the reference engine is wanted, and not for this one
      what is needed: DP-018 capability observed: what claude can do is declared, not observed here
        why: what a toolset can do is declared until it was seen
        what it blocks: a claim of conformance before the verification
        how to obtain it: deploy, and let the verification observe it
      plan:
        1. DP-002 Node 22.6 for the reference engine: install it where the reference engine is wanted, and not for this one
        2. DP-003 npm for the reference engine: install it where the reference engine is wanted, and not for this one
        3. DP-018 capability observed: deploy, and let the verification observe it
        4. Run `cairn govern probe` again with the same target and vault
      rests on: .governance/portability-report.json
      next: cairn govern deploy plan
    --- err
    ");
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
    insta::assert_snapshot!(shown(&scratch, &ran), @"
    exit 0
    --- out
    ✗ blocked on [root]
    CHECK   STANDS  WEIGHT    ABOUT                               FOUND
    DP-001  holds   optional  platform                            [platform]
    DP-002  fails   optional  Node 22.6 for the reference engine  not found
    DP-003  fails   optional  npm for the reference engine        not found
    DP-004  fails   required  suitable toolset                    no toolset was found
    DP-005  holds   required  target workspace                    writable
    DP-006  holds   required  governance folder                   writable
    DP-007  fails   required  source vault                        no source vault is named
    DP-008  holds   required  target vault                        writable
    DP-009  holds   optional  signing key                         there, or can be made
    DP-010  holds   optional  evidence of sessions                the receipts have a place
    DP-011  holds   optional  earlier state and room              readable, and there is room
    DP-012  fails   optional  modules at hand                     `cairn` is not on the `PATH`
    DP-013  fails   required  vault content                       no source vault is named
    DP-014  fails   optional  git                                 not found
    DP-015  fails   told      model                               not told
    DP-016  fails   optional  toolset inventory                   none
    DP-017  fails   told      selected toolset                    none
    DP-018  fails   optional  capability observed                 no toolset is selected
    DP-019  holds   told      conflict scan                       nothing
    N-3: work rests until a person acts
      what is needed: DP-004 suitable toolset: no toolset was found
        why: the gates act through a toolset that is there already
        what it blocks: the whole deployment
        how to obtain it: install a tool that has a hook before each call that can deny it (C-1), an approval outside the agent (C-2), the results of calls (C-3) and a signal at the end (C-4); opencode and Claude Code are examples
      what is needed: DP-007 source vault: no source vault is named
        why: the rules and lessons come from there
        what it blocks: seeding the vault
        how to obtain it: name the vault with `--vault <folder>`, and make it readable
      what is needed: DP-013 vault content: no source vault is named
        why: what it holds is given to the target, whole and without a secret
        what it blocks: seeding the vault
        how to obtain it: complete the source vault: Rules/, Lessons/, Research/, Templates/ and Index.md
      plan:
        1. DP-004 suitable toolset: install a tool that has a hook before each call that can deny it (C-1), an approval outside the agent (C-2), the results of calls (C-3) and a signal at the end (C-4); opencode and Claude Code are examples
        2. DP-007 source vault: name the vault with `--vault <folder>`, and make it readable
        3. DP-013 vault content: complete the source vault: Rules/, Lessons/, Research/, Templates/ and Index.md
        4. Run `cairn govern probe` again with the same target and vault
      rests on: .governance/portability-report.json
      next: cairn govern probe --vault <folder>
    --- err
    ");
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
    scratch.hook_of(agents::AgentId::Claude, Some("pre-tool"), &payload);
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

/// An agent that nobody knows was said not to be found, and to be installed.
#[test]
fn an_agent_that_is_not_known_is_wrong_usage() {
    let scratch = Scratch::repository();
    probe(&scratch, &["--agent", "cloude"]).refused(2, "the agents are claude");
    assert!(!scratch.path(".governance").exists());
}

#[test]
fn a_target_that_is_not_there_is_refused() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(scratch.run(&["cairn", "govern", "probe", "--target", "nothing"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ there is no folder `[root]/nothing` (no-target)
      hint: name the folder of the target with `--target`
    ");
}
