use std::fs;

use serde_json::json;

use crate::scratch::{PROGRAM, Scratch};

const PRIVATE: &str = ".claude/settings.local.json";

#[test]
fn a_change_of_settings_is_shown_and_written_when_someone_agrees() {
    let scratch = Scratch::repository();
    let ran = scratch.run(&["cairn", "hook", "install", "claude"]).refused(1, "--yes");
    assert!(ran.err.contains("+++ b/.claude/settings.local.json"), "{}", ran.all());
    assert!(ran.err.contains(PROGRAM) && !scratch.path(".claude").exists());
    scratch.run_asked(false, &["cairn", "hook", "install", "claude"]).refused(1, "not written");
    assert!(!scratch.path(".claude").exists());
    insta::assert_snapshot!(scratch.run_asked(true, &["cairn", "hook", "install", "claude"]).all(), @"
    exit 0
    --- out
    ✓ [root]/.claude/settings.local.json  created
      next: cairn hook status claude
    --- err
    ");
    let written = scratch.read(PRIVATE);
    assert!(written.contains(PROGRAM));
    let again = scratch.run(&["cairn", "hook", "install", "claude", "--json"]).ok().json();
    assert_eq!(again["files"][0]["change"], "none");
    assert_eq!(scratch.read(PRIVATE), written);
    insta::assert_snapshot!(scratch.run(&["cairn", "hook", "status", "claude"]).all(), @"
    exit 0
    --- out
    ✓ claude (private)  installed  .claude/settings.local.json
    · claude (shared)  absent  .claude/settings.json
      hint: cairn hook install claude --shared
    · what claude 2.1.332 can't give, or not everywhere:
      ask in part (C-2): where a person can't be asked in the agent, the call is denied with a ticket
      stop in part (C-4): the end of a turn can't always be refused: what is missing is put on record
      session_end in part (C-4): the end of a session may not be told: each stop seals the receipts
      note: clients before 2.1.295 ignore `onFailure` and let a call go on when the hook fails
      note: nobody is asked with permissions bypassed, in `dontAsk` and in unattended runs: a ticket is given
      note: a stop is refused at most 8 times in a row
      note: all hooks together have 1.5 s at the end of a session, unless the settings give more
    ✓ the gate lives: an edit below `.git/` is denied
    --- err
    ");
}

#[test]
fn uninstalling_needs_a_person_and_leaves_every_byte_as_it_was() {
    let scratch = Scratch::repository();
    let mine = "{\n\t\"model\": \"x\",   \"hooks\": {\"Stop\": []}}";
    scratch.write(".claude/settings.json", mine);
    for shared in [&[][..], &["--shared"]] {
        scratch.run(&[&["cairn", "hook", "install", "claude", "--yes"], shared].concat()).ok();
    }
    let installed = scratch.read(".claude/settings.json");
    assert!(installed.contains("\"command\": \"cairn\"") && !installed.contains(PROGRAM), "{installed}");
    let uninstall = ["cairn", "hook", "uninstall", "claude", "--shared"];
    insta::assert_snapshot!(scratch.run(&uninstall).all(), @"
    exit 1
    --- out
    --- err
    ✗ this needs a person at a terminal (no-terminal)
      hint: run the command yourself in a terminal; nothing was changed
    ");
    scratch.person("yes", &uninstall).refused(1, "not-confirmed");
    assert_eq!(scratch.read(".claude/settings.json"), installed);
    scratch.person("claude", &uninstall).ok();
    assert_eq!(scratch.read(".claude/settings.json"), mine);
    fs::remove_file(scratch.path(".claude/settings.json")).unwrap();
    scratch.person("claude", &["cairn", "hook", "uninstall", "claude"]).ok();
    assert!(!scratch.path(PRIVATE).exists());
    let list = scratch.run(&["cairn", "receipts", "list", "--json"]).ok().json();
    let markers: Vec<&str> =
        list["receipts"].as_array().unwrap().iter().map(|entry| entry["marker"].as_str().unwrap()).collect();
    assert_eq!(markers, ["hook-install", "hook-install", "hook-uninstall", "hook-uninstall"]);
}

/// The folders that an installation made went on standing empty.
#[test]
fn folders_that_were_made_go_again() {
    let scratch = Scratch::repository();
    scratch.run(&["cairn", "hook", "install", "copilot", "--yes"]).ok();
    let file = scratch.home().join(".copilot/hooks/cairn.json");
    assert!(file.exists());
    scratch.person("copilot", &["cairn", "hook", "uninstall", "copilot"]).ok();
    assert!(!scratch.home().join(".copilot").exists());
}

#[test]
fn what_is_wrong_is_named_with_its_cure() {
    let scratch = Scratch::repository();
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).ok();
    let text = scratch.read(PRIVATE).replace(PROGRAM, "/gone/cairn");
    scratch.write(PRIVATE, text);
    scratch.write(".cursor/hooks.json", "{ \"hooks\": [");
    insta::assert_snapshot!(scratch.run(&["cairn", "hook", "status"]).all(), @"
    exit 2
    --- out
    ✗ claude (private)  broken  .claude/settings.local.json
      `/gone/cairn` can't be started
      hint: cairn hook install claude
    ✗ cursor (shared)  damaged  .cursor/hooks.json
      line 1: the settings of `cursor` can't be read: expected a value, found the end of the file
      hint: repair `.cursor/hooks.json`, then run `cairn hook install cursor --shared`
    · what claude 2.1.332 can't give, or not everywhere:
      ask in part (C-2): where a person can't be asked in the agent, the call is denied with a ticket
      stop in part (C-4): the end of a turn can't always be refused: what is missing is put on record
      session_end in part (C-4): the end of a session may not be told: each stop seals the receipts
      note: clients before 2.1.295 ignore `onFailure` and let a call go on when the hook fails
      note: nobody is asked with permissions bypassed, in `dontAsk` and in unattended runs: a ticket is given
      note: a stop is refused at most 8 times in a row
      note: all hooks together have 1.5 s at the end of a session, unless the settings give more
    · what cursor 2026.10.08 can't give, or not everywhere:
      C-2 commitment gate: degraded: ask on shell and MCP calls; else a ticket
      C-7 constraint pinning: degraded: the pins are said again with the next tool call
      C-9 re-injection: degraded: prohibitions are said again on the tool boundary
      ask in part (C-2): where a person can't be asked in the agent, the call is denied with a ticket
      stop in part (C-4): the end of a turn can't always be refused: what is missing is put on record
      context_at_call in part (C-9): what is said with a call that goes on may not reach the agent
      note: a person is asked at `beforeShellExecution` and `beforeMCPExecution` alone
      note: a stop is answered with a follow-up message
      note: not proved against a running agent
    ✓ the gate lives: an edit below `.git/` is denied
    --- err
    ");
    scratch.run(&["cairn", "hook", "status", "--json"]).refused(2, "damaged");
    scratch.run(&["cairn", "hook", "install", "cursor", "--shared", "--yes"]).refused(1, "hooks.json");
    insta::assert_snapshot!(scratch.run(&["cairn", "hook", "install", "generic"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ cairn writes no settings of `generic` (not-installable)
      hint: let the program call `cairn hook generic <event>` with the neutral JSON
    ");
}

#[test]
#[cfg(unix)]
fn settings_behind_a_link_are_refused() {
    let scratch = Scratch::repository();
    scratch.write("mine.json", "{}\n");
    fs::create_dir(scratch.path(".claude")).unwrap();
    std::os::unix::fs::symlink("../mine.json", scratch.path(PRIVATE)).unwrap();
    scratch.run(&["cairn", "hook", "install", "claude", "--yes"]).refused(1, "symbolic link");
    assert_eq!(scratch.read("mine.json"), "{}\n");
}

/// A policy that asks for plans, protects a folder and hides another one.
fn policy(scratch: &Scratch) {
    let protect = json!([
        { "path": "locked/**", "because": "it is settled" },
        { "path": "hidden/**", "hidden": true, "because": "it is not for agents" },
    ]);
    let policy = json!({ "schema": 1, "gates": { "plan": true }, "protect": protect });
    scratch.write(".governance/policy.json", policy.to_string());
}

#[test]
fn a_pause_lets_pass_what_may_and_ends_by_itself() {
    let scratch = Scratch::repository();
    policy(&scratch);
    let pause = ["cairn", "hook", "pause", "--for", "10m", "--why", "a migration"];
    assert_eq!(scratch.edit("src/a.rs")["rule"], "PL-001");
    scratch.run(&pause).refused(1, "no-terminal");
    scratch.person("yes", &pause).refused(1, "not-confirmed");
    assert_eq!(scratch.edit("src/a.rs")["decision"], "deny");
    insta::assert_snapshot!(scratch.person("pause", &pause).all(), @"
    exit 0
    --- out
    ! paused until 2026-12-01T00:10:05.000Z: a migration
      what is kept from agents' eyes stays so, and git's folder and cairn's state stay shut
      next: cairn hook resume
    --- err
    ");
    for path in ["src/a.rs", "locked/a.rs"] {
        let answer = scratch.edit(path);
        assert_eq!(answer["decision"], "allow", "{answer}");
        assert!(answer["context"][0].as_str().unwrap().ends_with("a migration"), "{answer}");
    }
    let read = json!({ "event": "pre_tool", "tool": "read", "args": { "path": "hidden/a.rs" } });
    assert_eq!(scratch.hook(read)["code"], "hidden-path");
    // Whoever could write there could make the pause longer.
    assert_eq!(scratch.edit(".git/cairn/govern/root/pause.json")["rule"], "cairn:git");
    scratch.run(&["cairn", "hook", "status"]).ok();
    let log = fs::read_to_string(scratch.govern().join("receipts.jsonl")).unwrap();
    assert_eq!(log.matches("\"marker\":\"paused\"").count(), 2, "{log}");
    assert_eq!(log.matches("\"marker\":\"pause\"").count(), 1, "{log}");
    scratch.wait(600);
    assert_eq!(scratch.edit("src/a.rs")["rule"], "PL-001");
    scratch.run(&["cairn", "hook", "resume"]).refused(1, "not paused");
    scratch.person("pause", &pause).ok();
    scratch.run(&["cairn", "hook", "resume", "--json"]).ok();
    assert_eq!(scratch.edit("src/a.rs")["rule"], "PL-001");
}

#[test]
fn the_length_of_a_pause_is_bounded_and_wrong_usage_ends_with_2() {
    let scratch = Scratch::repository();
    for (length, what) in [("soon", "no duration"), ("0", "no time at all"), ("25h", "longer than a day")] {
        let ran = scratch.person("pause", &["cairn", "hook", "pause", "--for", length, "--why", "x"]);
        ran.refused(1, what);
    }
    assert!(!scratch.govern().exists());
    scratch.run(&["cairn", "hook", "pause", "--for", "1m"]).refused(2, "--why");
    scratch.run(&["cairn", "hook", "install", "nobody"]).refused(2, "the agents are claude, codex");
    scratch.run(&["cairn", "hook", "nonsense"]).refused(2, "nonsense");
    scratch.run(&["cairn", "approve", "a", "b"]).refused(2, "usage");
    scratch.run(&["cairn", "receipts"]).refused(2, "usage");
    scratch.run(&["cairn", "plan"]).refused(2, "usage");
    scratch.run(&["cairn", "chalk", "plan"]).refused(1, "not offered");
}

/// `.claude` was a link to a folder elsewhere, and the settings were written there.
#[test]
#[cfg(unix)]
fn settings_of_the_project_are_not_written_through_a_linked_folder() {
    let scratch = Scratch::repository();
    let outside = scratch.home().join("outside");
    fs::create_dir_all(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, scratch.path(".claude")).unwrap();
    for more in [&["--shared"][..], &[]] {
        let command = [&["cairn", "hook", "install", "claude", "--yes"], more].concat();
        scratch.run(&command).refused(1, "symbolic link");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

/// A policy that can't be read keeps every call from happening: which one it is, and where, is said.
#[test]
fn a_policy_that_cannot_be_read_is_named_with_its_line_and_cure() {
    let tree = ".governance/policy.json";
    let scratch = Scratch::repository();
    let person = scratch.home().join("config/cairn/policy.json");
    fs::create_dir_all(person.parent().unwrap()).unwrap();
    scratch.write(tree, "{ \"schema\": 1,\n  \"gates\": { \"plans\": true } }\n");
    let ran = scratch.run(&["cairn", "hook", "status"]).refused(2, "critical: the gate does not judge");
    insta::assert_snapshot!(
        ran.out.lines().last().unwrap(),
        @"✗ critical: the gate does not judge: every call is denied: cairn could not judge this call, and what can't be judged is not allowed: .governance/policy.json can't be read: line 2, column 20: unknown field `plans`, expected one of `plan`, `gain`, `verify`, `readBack`, `commitment`, `completion`; a person mends that file. A person finds the cause with `cairn hook status`"
    );
    let document = scratch.run(&["cairn", "hook", "status", "--json"]).refused(2, "").json();
    let said = document["gate"]["message"].as_str().unwrap().to_owned();
    assert!(said.contains(tree) && said.contains("line 2") && said.contains("mends that file"), "{said}");

    fs::remove_file(scratch.path(tree)).unwrap();
    fs::write(&person, "{ \"schema\": 1,\n\n  \"gates\": [ }\n").unwrap();
    let ran = scratch.run(&["cairn", "hook", "status"]).refused(2, "critical: the gate does not judge");
    assert!(ran.out.contains("/config/cairn/policy.json can't be read: "), "{}", ran.out);
    assert!(ran.out.contains("line 3") && ran.out.contains("mends that file"), "{}", ran.out);
    fs::remove_file(&person).unwrap();
    assert!(scratch.run(&["cairn", "hook", "status"]).ok().out.contains("the gate lives"));
}

/// A person mended the file, and was told to mend it: `HEAD` still held the broken one.
#[test]
fn a_broken_policy_in_head_is_mended_by_a_commit() {
    let tree = ".governance/policy.json";
    let broken =
        "{ \"schema\": 1,\n  \"checks\": { \"t\": { \"paths\": [\"**\"], \"command\": \"sh t.sh\" } } }\n";
    let scratch = Scratch::repository();
    scratch.write(tree, broken);
    scratch.commit("first");
    let said = || {
        let document = scratch.run(&["cairn", "hook", "status", "--json"]).json();
        document["gate"]["message"].as_str().unwrap().to_owned()
    };
    let wrong = "line 2, column 58: a command is a list of words and not shell text: write [\"sh\",\"t.sh\"]";
    assert!(
        said().contains(&format!("{tree} can't be read: {wrong}; a person mends that file")),
        "{}",
        said()
    );
    scratch.write(tree, broken.replace("\"sh t.sh\"", "[\"sh\", \"t.sh\"]"));
    let cure = format!("a person commits it, as with `git commit -m policy -- {tree}`");
    assert!(said().contains(&format!("{tree} in HEAD can't be read: {wrong}")), "{}", said());
    assert!(said().contains(&cure), "{}", said());
    fs::remove_file(scratch.path(tree)).unwrap();
    assert!(said().contains("writes .governance/policy.json anew, or takes it out of git"), "{}", said());
    scratch.write(tree, "{ \"schema\": 1 }");
    scratch.git(&["commit", "-qm", "policy", "--", tree]);
    scratch.run(&["cairn", "hook", "status"]).ok();
}

#[test]
fn the_policy_in_force_is_shown() {
    let scratch = Scratch::repository();
    let before = scratch.run(&["cairn", "hook", "status"]).ok().out;
    assert!(!before.contains("policy"), "{before}");
    scratch.write(
        ".governance/policy.json",
        json!({
            "schema": 1, "gates": { "verify": true, "completion": true },
            "checks": { "code": { "paths": ["src/**"], "command": ["sh", "-c", "make test"] } },
            "protect": [{ "path": "infra/**", "because": "it is live" }, { "path": "keys/*", "hidden": true, "because": "secret" }],
        })
        .to_string(),
    );
    insta::assert_snapshot!(scratch.run(&["cairn", "hook", "status"]).ok().out, @"
    ! no agent calls cairn here
      next: cairn hook install claude
    · the policy in force: on are verify, readBack, completion
      check code: sh -c 'make test' for src/**
      protected: infra/** (it is live)
      protected, hidden: keys/* (secret)
    ✓ the gate lives: an edit below `.git/` is denied
    ");
    let document = scratch.run(&["cairn", "hook", "status", "--json"]).ok().json();
    assert_eq!(document["policy"]["gates"], json!(["verify", "readBack", "completion"]));
}

/// Settings that are committed were written where nothing can be committed.
#[test]
fn shared_settings_need_a_work_tree_of_git() {
    let bare = Scratch::empty();
    bare.git(&["init", "-q", "--bare", "."]);
    for scratch in [Scratch::empty(), bare] {
        for agent in ["claude", "codex", "opencode"] {
            scratch.run(&["cairn", "hook", "install", agent, "--shared", "--yes"]).refused(1, "no-project");
        }
        assert!(!scratch.path(".claude").exists() && !scratch.path(".codex").exists());
        scratch.run(&["cairn", "hook", "install", "codex", "--yes"]).ok();
    }
    insta::assert_snapshot!(
        Scratch::empty().run(&["cairn", "hook", "install", "claude", "--shared", "--yes"]).err,
        @"
    ✗ [root] lies in no work tree of git, and shared settings are committed (no-project)
      hint: run the command in a checked-out repository, or without `--shared` for your own settings: `cairn hook install claude`
    "
    );
}

/// The person's file and that of the project had one name.
#[test]
fn a_file_of_the_home_is_told_from_one_of_the_project() {
    let scratch = Scratch::repository();
    insta::assert_snapshot!(
        scratch.run(&["cairn", "hook", "status", "codex"]).out.lines().filter(|line| line.contains("absent")).collect::<Vec<_>>().join("\n"),
        @"
    · codex (private)  absent  ~/.codex/hooks.json
    · codex (shared)  absent  .codex/hooks.json
    "
    );
    let out = scratch.run(&["cairn", "hook", "status", "opencode"]).out;
    assert!(out.contains("config/opencode/plugin/cairn.js") && !out.contains("~/.config"), "{out}");
}
