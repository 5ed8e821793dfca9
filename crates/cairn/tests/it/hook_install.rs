//! `hook install`, `status` and `uninstall` for every agent, in settings of every kind that people have.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use agents::AgentId;
use agents::install::{Base, Scope, targets};
use serde_json::Value;

use crate::scratch::{PROGRAM, Scratch};

fn installable() -> Vec<AgentId> {
    AgentId::ALL.into_iter().filter(|agent| *agent != AgentId::Generic).collect()
}

/// The files that an installation writes, and whether each may hold what others wrote.
fn files(scratch: &Scratch, agent: AgentId, scope: Scope) -> Vec<(PathBuf, bool)> {
    let place = |base| match base {
        Base::Project => scratch.root(),
        Base::Home => scratch.home(),
        Base::Config => PathBuf::from(scratch.env().get("XDG_CONFIG_HOME").unwrap()),
    };
    let targets = targets(agent, scope).unwrap();
    targets
        .iter()
        .map(|target| {
            (
                place(target.base).join(target.path),
                !target.path.contains("cairn.js") && !target.path.contains("opencode2.js"),
            )
        })
        .collect()
}

fn shared(scope: Scope) -> &'static [&'static str] {
    if scope == Scope::Shared { &["--shared"] } else { &[] }
}

fn words<'a>(verb: &'a str, agent: AgentId, more: &[&'a str]) -> Vec<&'a str> {
    [&["cairn", "hook", verb, agent.as_str()], more].concat()
}

fn install(scratch: &Scratch, agent: AgentId, scope: Scope) -> Value {
    let ran = scratch.run(&words("install", agent, &[&["--yes", "--json"], shared(scope)].concat()));
    ran.ok().json()
}

fn uninstall(scratch: &Scratch, agent: AgentId, scope: Scope) {
    scratch.person(agent.as_str(), &words("uninstall", agent, shared(scope))).ok();
}

fn state(scratch: &Scratch, agent: AgentId, scope: Scope) -> Vec<String> {
    let ran = scratch.run(&words("status", agent, &["--json"]));
    let scope = if scope == Scope::Shared { "shared" } else { "private" };
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    let all = document["files"].as_array().unwrap_or_else(|| panic!("{document}"));
    let of = all.iter().filter(|one| one["scope"] == scope);
    of.map(|one| one["state"].as_str().unwrap().to_owned()).collect()
}

fn lay(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// What people have in their settings; each is valid, and none of it is cairn's.
const SETTINGS: [&str; 9] = [
    "",
    "\r\n",
    "\u{feff}",
    "{}",
    "{\r\n  \"mine\": 1\r\n}\r\n",
    "\u{feff}{ \"mine\": 1 }\n",
    "// mine\n{\n\t\"mine\": [1, 2], // two\n\t/* and */ \"deep\": { \"a\": null }\n}\n",
    "{\"mine\":1}",
    "{\n  \"mine\": \"\\u00e9\",\n}\n",
];

#[test]
fn an_installation_is_made_once_and_goes_to_the_byte_for_every_agent() {
    for agent in installable() {
        for scope in [Scope::Private, Scope::Shared] {
            for settings in SETTINGS {
                let scratch = Scratch::repository();
                let files = files(&scratch, agent, scope);
                let theirs = files.iter().filter(|(_, is_theirs)| *is_theirs);
                theirs.for_each(|(path, _)| lay(path, settings.as_bytes()));
                let context = format!("{agent} {scope:?} {settings:?}");

                install(&scratch, agent, scope);
                let written: Vec<_> = files.iter().map(|(path, _)| fs::read(path).unwrap()).collect();
                let again = install(&scratch, agent, scope);
                let changes: Vec<_> =
                    again["files"].as_array().unwrap().iter().map(|file| &file["change"]).collect();
                assert!(changes.iter().all(|change| *change == "none"), "{context}: {changes:?}");
                for ((path, is_theirs), bytes) in files.iter().zip(&written) {
                    assert_eq!(&fs::read(path).unwrap(), bytes, "{context}");
                    let text = String::from_utf8(bytes.clone()).unwrap();
                    let is_crlf = *is_theirs && settings.contains("\r\n");
                    assert!(
                        !is_crlf || text.matches('\n').count() == text.matches("\r\n").count(),
                        "{context}"
                    );
                }
                uninstall(&scratch, agent, scope);
                for (path, is_theirs) in &files {
                    let left = fs::read(path).ok();
                    let expected = is_theirs.then(|| settings.as_bytes().to_vec());
                    assert_eq!(left, expected, "{context} {}", path.display());
                }
            }
        }
    }
}

#[test]
fn what_can_not_be_changed_is_refused_and_nothing_is_written() {
    for agent in installable() {
        let scratch = Scratch::repository();
        let files = files(&scratch, agent, Scope::Private);
        let Some((path, _)) = files.iter().find(|(_, is_theirs)| *is_theirs) else { continue };
        for settings in ["{ \"mine\": ", "{ \"mine\": 1, \"mine\": 2 }", "[]", "{} {}"] {
            lay(path, settings.as_bytes());
            let refused = scratch.run(&words("install", agent, &["--yes"])).refused(1, "settings-");
            assert!(
                refused.err.contains("hint:") || refused.err.contains("next:"),
                "{agent}: {}",
                refused.err
            );
            assert_eq!(fs::read_to_string(path).unwrap(), settings, "{agent}");
            if settings != "[]" {
                scratch.person(agent.as_str(), &words("uninstall", agent, &[])).refused(1, "settings-");
            }
            assert_eq!(fs::read_to_string(path).unwrap(), settings, "{agent}");
        }
    }
}

/// A file is replaced by another one, for which it need not be writable.
#[test]
fn a_file_that_is_read_only_stays_as_it_is() {
    for agent in installable() {
        let scratch = Scratch::repository();
        let files = files(&scratch, agent, Scope::Private);
        let Some((path, _)) = files.iter().find(|(_, is_theirs)| *is_theirs) else { continue };
        lay(path, b"{}\n");
        let mut mode = fs::metadata(path).unwrap().permissions();
        mode.set_readonly(true);
        fs::set_permissions(path, mode).unwrap();
        scratch.run(&words("install", agent, &["--yes"])).refused(1, "read only");
        assert_eq!(fs::read(path).unwrap(), b"{}\n", "{agent}");
    }
}

#[test]
#[cfg(unix)]
fn settings_behind_a_link_are_left_alone_for_every_agent() {
    for agent in installable() {
        let scratch = Scratch::repository();
        let (path, _) = files(&scratch, agent, Scope::Shared).remove(0);
        scratch.write("mine", "{}\n");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(scratch.path("mine"), &path).unwrap();
        scratch.run(&words("install", agent, &["--yes", "--shared"])).refused(1, "symbolic link");
        assert_eq!(scratch.read("mine"), "{}\n", "{agent}");
    }
}

/// An installation by a cairn that asked at fewer events and in other words was added to.
#[test]
fn an_installation_of_an_older_cairn_is_replaced_and_nothing_stands_twice() {
    for agent in installable() {
        let scratch = Scratch::repository();
        let files = files(&scratch, agent, Scope::Private);
        let theirs = "{\n  // mine\n  \"mine\": 1\n}\n";
        files.iter().filter(|(_, is_theirs)| *is_theirs).for_each(|(path, _)| lay(path, theirs.as_bytes()));
        install(&scratch, agent, Scope::Private);
        let wanted: Vec<_> = files.iter().map(|(path, _)| fs::read_to_string(path).unwrap()).collect();
        // Where its one entry is the name of a bridge, the bridge is what grows old.
        let (path, now) = files
            .iter()
            .zip(&wanted)
            .map(|((path, _), text)| (path, text))
            .find(|(_, text)| text.contains("hook"))
            .unwrap();
        let older = now
            .replace("session-start", "begin")
            .replace(PROGRAM, "/opt/older/bin/cairn")
            .replace("30", "25")
            .replace("DEADLINE_MS = 2000", "DEADLINE_MS = 1000");
        assert_ne!(&older, now, "{agent}");
        fs::write(path, older).unwrap();
        let found = state(&scratch, agent, Scope::Private);
        assert!(
            found.contains(&"broken".to_owned()) || found.contains(&"stale".to_owned()),
            "{agent}: {found:?}"
        );

        install(&scratch, agent, Scope::Private);
        assert!(state(&scratch, agent, Scope::Private).iter().all(|state| state == "installed"), "{agent}");
        for ((path, _), wanted) in files.iter().zip(&wanted) {
            assert_eq!(&fs::read_to_string(path).unwrap(), wanted, "{agent}");
        }
        uninstall(&scratch, agent, Scope::Private);
        for (path, is_theirs) in &files {
            let expected = is_theirs.then(|| theirs.to_owned());
            assert_eq!(fs::read_to_string(path).ok(), expected, "{agent}");
        }
    }
}

#[test]
#[cfg(unix)]
fn a_program_that_is_gone_or_can_not_be_started_is_named_with_the_cure() {
    use std::os::unix::fs::PermissionsExt as _;
    for agent in installable() {
        let scratch = Scratch::repository();
        let idle = scratch.path("bin/cairn");
        lay(&idle, b"#!/bin/sh\n");
        fs::set_permissions(&idle, fs::Permissions::from_mode(0o644)).unwrap();
        for program in ["/gone/cairn", idle.to_str().unwrap()] {
            install(&scratch, agent, Scope::Private);
            let files = files(&scratch, agent, Scope::Private);
            for (path, _) in &files {
                let text = fs::read_to_string(path).unwrap();
                fs::write(path, text.replace(PROGRAM, program)).unwrap();
            }
            let ran = scratch.run(&words("status", agent, &[])).refused(2, "can't be started");
            let shown = program.rsplit_once("/bin").map_or(program, |_| "[root]/bin/cairn");
            assert!(ran.out.contains(&format!("`{shown}` can't be started")), "{agent}: {}", ran.out);
            assert!(ran.out.contains(&format!("hint: cairn hook install {agent}")), "{agent}: {}", ran.out);
            install(&scratch, agent, Scope::Private);
            assert!(
                state(&scratch, agent, Scope::Private).iter().all(|state| state == "installed"),
                "{agent}"
            );
        }
    }
}

fn start(scratch: &Scratch, agent: AgentId, more: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.current_dir(scratch.root()).env_clear().envs(scratch.env().iter());
    command.args(["hook", "install", agent.as_str(), "--yes"]).args(more);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn installations_at_once_end_with_one_of_each() {
    let scratch = Scratch::repository();
    let mine = "{\n  \"mine\": 1\n}\n";
    scratch.write(".claude/settings.local.json", mine);
    let agents = [AgentId::Claude, AgentId::Copilot, AgentId::VsCode, AgentId::Claude, AgentId::Claude];
    let running: Vec<_> = agents.into_iter().map(|agent| start(&scratch, agent, &[])).collect();
    for child in running {
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || err.contains("settings-moved"), "{err}");
    }
    for agent in [AgentId::Claude, AgentId::Copilot, AgentId::VsCode] {
        for (path, _) in files(&scratch, agent, Scope::Private) {
            let text = fs::read_to_string(&path).unwrap();
            let word = if agent == AgentId::Claude { "\"pre-tool\"" } else { "pre-tool" };
            let entries = text.lines().filter(|line| line.contains(word)).count();
            assert_eq!(entries, 1, "{agent}: {text}");
        }
    }
    // What undoes it is that of the one that wrote.
    uninstall(&scratch, AgentId::Claude, Scope::Private);
    assert_eq!(scratch.read(".claude/settings.local.json"), mine);
}
