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

/// What a session is told through the bridge of `version` while the program answers each event with its own name.
fn session(folder: &Path, version: u8) -> Option<String> {
    let answer = "case $3 in
           stop) echo '{\"decision\":\"deny\",\"reason\":\"say it again\"}' ;;
           *) echo \"{\\\"decision\\\":\\\"allow\\\",\\\"context\\\":\\\"at $3\\\"}\" ;;
         esac";
    let program = program(folder, answer);
    fs::write(folder.join("bridge.mjs"), text(version, &program)).unwrap();
    let driver = match version {
        1 => {
            "import { Cairn } from './bridge.mjs'
             const hooks = await Cairn({ directory: process.cwd() })
             const request = async () => {
               const output = { system: [] }
               await hooks['experimental.chat.system.transform']({ sessionID: 's' }, output)
               return output.system
             }
             await hooks.event({ event: { type: 'session.created', properties: { sessionID: 's' } } })
             console.log(await request())
             await hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text: 'hi' }] })
             console.log(await request())
             const output = { context: [] }
             await hooks['experimental.session.compacting']({ sessionID: 's' }, output)
             console.log(output.context, await request())
             await hooks['experimental.text.complete']({ sessionID: 's' }, { text: 'all done' })
             await hooks.event({ event: { type: 'session.idle', properties: { sessionID: 's' } } })
             console.log(await request())"
        }
        _ => {
            "import bridge from './bridge.mjs'
             const hooks = {}
             const hook = async (name, run) => { hooks[name] = run }
             const waiting = []
             const when = () => new Promise((resolve) => waiting.push(resolve))
             const started = when()
             const turn = when()
             const ended = when()
             const reach = () => waiting.shift()()
             const texts = (message, ...parts) => parts.map(([ordinal, text]) =>
               ({ type: 'session.text.ended', data: { sessionID: 's', assistantMessageID: message, ordinal, text } }))
             let prompted
             const until = new Promise((resolve) => { prompted = resolve })
             const subscribe = async function* () {
               yield { type: 'session.created', data: { sessionID: 's' } }
               reach()
               await until
               yield* texts('m1', [0, 'let me see'])
               yield* texts('m2', [1, 'done'], [0, 'all'])
               yield { type: 'session.execution.succeeded', data: { sessionID: 's' } }
               reach()
               yield { type: 'session.execution.succeeded', data: { sessionID: 's' } }
               reach()
             }
             await bridge.setup({ tool: { hook }, session: { hook }, event: { subscribe }, location: { directory: process.cwd() } })
             await started
             const request = () => {
               const event = { sessionID: 's', system: [] }
               hooks.context(event)
               return event.system.map((part) => part.text)
             }
             console.log(request())
             await hooks.prompt({ sessionID: 's', prompt: { text: 'hi' } })
             console.log(request())
             const event = { sessionID: 's', system: [] }
             await hooks.compaction(event)
             console.log(event.system.map((part) => part.text), request())
             prompted()
             await turn
             await ended
             console.log(request())"
        }
    };
    fs::write(folder.join("driver.mjs"), driver).unwrap();
    match Command::new("node").arg("driver.mjs").current_dir(folder).output() {
        Ok(output) if output.status.success() => Some(String::from_utf8(output.stdout).unwrap()),
        Ok(output) => panic!("{}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => {
            eprintln!("skipped: there is no node");
            None
        }
    }
}

#[test]
fn what_is_said_stands_in_every_request_and_in_what_a_compaction_keeps() {
    for version in [1, 2] {
        let folder = tempfile::tempdir().unwrap();
        let Some(told) = session(folder.path(), version) else { return };
        let end = "[ 'at compact', 'at prompt', 'say it again' ]\n";
        assert_eq!(
            told.strip_suffix(end).unwrap(),
            "[ 'at session-start' ]\n[ 'at session-start', 'at prompt' ]\n[ 'at compact' ] [ 'at compact', 'at prompt' ]\n",
            "{version}"
        );
        let asked = fs::read_to_string(folder.path().join("asked")).unwrap();
        assert!(asked.contains("\"text\":\"hi\""), "{asked}");
        let last = if version == 1 { "\"text\":\"all done\"" } else { "\"text\":\"all\\ndone\"" };
        assert_eq!(asked.matches(last).count(), 1, "the last message, once: {asked}");
        assert!(!asked.contains("let me see"), "{asked}");
    }
}
