//! The bridges, run by Node where there is one.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::*;

/// A program that answers `answer`, and keeps what it is asked beside itself.
fn program(folder: &Path, answer: &str) -> String {
    let path = folder.join("cairn");
    let script =
        format!("#!/bin/sh\necho \"$@\" >> '{0}/asked'\ncat >> '{0}/asked'\n{answer}\n", folder.display());
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}

/// What a call of a tool came to through the bridge of `version`: `ran`, or why not.
fn call(folder: &Path, version: u8, program: &str) -> Option<String> {
    fs::write(folder.join("bridge.mjs"), text(version, program)).unwrap();
    let driver = match version {
        1 => {
            "import { Cairn } from './bridge.mjs'
             const hooks = await Cairn({ directory: process.cwd() })
             const before = () => hooks['tool.execute.before']({ tool: 'edit', sessionID: 's', callID: 'c' }, { args: { filePath: 'a' } })"
        }
        _ => {
            "import bridge from './bridge.mjs'
             const hooks = {}
             const tool = { hook: async (name, run) => { hooks[name] = run } }
             await bridge.setup({ tool, location: { directory: process.cwd() } })
             const before = () => hooks['execute.before']({ tool: 'edit', sessionID: 's', id: 'c', input: { filePath: 'a' } })"
        }
    };
    let driver = format!(
        "{driver}\ntry {{ await before(); console.log('ran') }} catch (error) {{ console.log(error.message) }}\n"
    );
    fs::write(folder.join("driver.mjs"), driver).unwrap();
    match Command::new("node").arg("driver.mjs").current_dir(folder).output() {
        Ok(output) if output.status.success() => {
            Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
        }
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => {
            eprintln!("skipped: there is no node");
            None
        }
    }
}

#[test]
fn the_bridges_let_only_an_allowed_call_through() {
    for version in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let run = |answer: &str| call(folder.path(), version, &program(folder.path(), answer));
        let Some(allowed) = run("echo '{\"decision\":\"allow\"}'") else { return };
        assert_eq!(allowed, "ran");
        let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
        let (words, payload) = asked.split_once('\n').unwrap();
        let agent = if version == 1 { "opencode" } else { "opencode2" };
        assert_eq!(words, format!("hook {agent} pre-tool"));
        let agent = crate::AgentId::parse(agent).unwrap();
        let heard = crate::read(agent, Some("pre-tool"), payload.as_bytes());
        assert!(matches!(heard, Ok(crate::Heard::Event(_))), "{heard:?}");

        assert_eq!(run("echo '{\"decision\":\"deny\",\"reason\":\"no\"}'").unwrap(), "no");
        assert_eq!(run("echo '{\"decision\":\"ask\",\"reason\":\"may I\"}'").unwrap(), "may I");
        for answer in ["", "echo not json", "echo null", "echo '{\"decision\":\"maybe\"}'", "kill -9 $$"] {
            let said = run(answer).unwrap();
            assert!(said.contains("cairn hook status"), "{answer}: {said}");
        }
        assert!(run("exec sleep 20").unwrap().contains("no answer in time"));
        let missing = call(folder.path(), version, "/nowhere/cairn").unwrap();
        assert!(missing.contains("cairn could not judge this"), "{missing}");
    }
}
