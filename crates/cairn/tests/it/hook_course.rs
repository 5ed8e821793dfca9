//! The hook of a coding agent, through a whole session and against the tricks that it is there for.

use std::fs;
use std::path::PathBuf;
use std::thread;

use agents::AgentId;
use govern::State;
use serde_json::{Value, json};
use store::{Env, SystemClock, SystemEntropy, World};

use crate::scratch::Scratch;

/// What the hook said.
#[derive(Debug)]
pub struct Said {
    code: u8,
    out: String,
    err: String,
}

impl Said {
    /// The reason of a denial in Claude's form; none where the call goes its way.
    pub fn denial(&self) -> Option<String> {
        if self.out.is_empty() {
            assert_eq!((self.code, &*self.err), (0, ""), "{self:?}");
            return None;
        }
        let document: Value = serde_json::from_str(&self.out).unwrap();
        let answer = &document["hookSpecificOutput"];
        (answer["permissionDecision"] == "deny")
            .then(|| answer["permissionDecisionReason"].as_str().unwrap().to_owned())
    }
}

fn hear(env: Env, cwd: PathBuf, agent: AgentId, payload: &[u8]) -> Said {
    let world = World { cwd, env, clock: Box::new(SystemClock), entropy: Box::new(SystemEntropy) };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let input = std::io::Cursor::new(payload.to_vec());
    let code = cairn::hook::run(agent, None, world, input, &mut out, &mut err);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said { code, out: text(out), err: text(err) }
}

/// One event in Claude's form.
pub fn claude(scratch: &Scratch, event: &str, more: Value) -> Said {
    let mut payload = json!({
        "session_id": "s1", "transcript_path": "/t", "cwd": scratch.root(), "permission_mode": "default",
        "hook_event_name": event,
    });
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    hear(scratch.env(), scratch.root(), AgentId::Claude, payload.to_string().as_bytes())
}

pub fn before(scratch: &Scratch, id: &str, tool: &str, input: Value) -> Option<String> {
    claude(scratch, "PreToolUse", json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id }))
        .denial()
}

pub fn shell(scratch: &Scratch, id: &str, command: &str) -> Option<String> {
    before(scratch, id, "Bash", json!({ "command": command }))
}

pub fn after(scratch: &Scratch, id: &str, tool: &str, input: Value, response: Value) -> Said {
    let more =
        json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": response });
    claude(scratch, "PostToolUse", more)
}

/// A spine with one locked test, and a held-out file.
fn project() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("tests/locked_test.py", "assert add(1, 1) == 2\n");
    scratch.write("src/add.py", "def add(a, b):\n    return a - b\n");
    scratch.commit("test");
    let task = scratch.task("add");
    scratch.run(&["chalk", "spec", &task, "--criterion", "adds", "--test", "tests/locked_test.py"]).ok();
    scratch.write(".chalk/held-out/held_test.py", "assert add(2, 2) == 4\n");
    scratch
}

fn state(scratch: &Scratch) -> State {
    State::find(&scratch.root(), &scratch.env()).unwrap()
}

/// The number of receipts of a chain that holds.
fn receipts(scratch: &Scratch) -> u64 {
    let state = state(scratch);
    let keys = govern::receipts::key::known(state.keys()).unwrap();
    let found = govern::receipts::verify::verify(&state, &keys).unwrap();
    assert!(found.sound, "{:?}", found.fault);
    found.lines
}

#[test]
fn a_whole_session_ends_with_a_chain_that_holds() {
    let scratch = project();
    let quiet = |said: Said| assert_eq!((said.code, &*said.out), (0, ""), "{said:?}");
    quiet(claude(&scratch, "SessionStart", json!({ "source": "startup" })));
    quiet(claude(&scratch, "UserPromptSubmit", json!({ "prompt": "add it" })));
    let read = json!({ "file_path": scratch.path("src/add.py") });
    assert_eq!(before(&scratch, "u1", "Read", read.clone()), None);
    quiet(after(&scratch, "u1", "Read", read, json!({ "ok": true })));
    let edit = json!({ "file_path": scratch.path("src/add.py"), "old_string": "-", "new_string": "+", "replace_all": false });
    assert_eq!(before(&scratch, "u2", "Edit", edit.clone()), None);
    scratch.write("src/add.py", "def add(a, b):\n    return a + b\n");
    quiet(after(&scratch, "u2", "Edit", edit, json!({})));
    assert_eq!(shell(&scratch, "u3", "python3 -m pytest -q"), None);
    quiet(after(
        &scratch,
        "u3",
        "Bash",
        json!({ "command": "python3 -m pytest -q" }),
        json!({ "stdout": "1 passed in 0.01s" }),
    ));
    quiet(claude(
        &scratch,
        "Stop",
        json!({ "stop_hook_active": false, "last_assistant_message": "Done: 1 test passed." }),
    ));
    quiet(claude(&scratch, "SessionEnd", json!({ "reason": "other" })));
    assert!(receipts(&scratch) >= 10);
}

#[test]
fn a_locked_test_is_not_written_whatever_the_tool_and_the_agent() {
    let scratch = project();
    let test = scratch.path("tests/locked_test.py");
    for (tool, input) in [
        ("Edit", json!({ "file_path": test, "old_string": "2", "new_string": "3" })),
        ("Write", json!({ "file_path": test, "content": "" })),
        ("Bash", json!({ "command": "sed -i s/2/3/ tests/locked_test.py" })),
        ("Bash", json!({ "command": "cd tests && echo > locked_test.py" })),
        ("Bash", json!({ "command": "git checkout HEAD~1 -- tests" })),
        ("Write", json!({ "file_path": scratch.path("src/../tests/locked_test.py"), "content": "" })),
    ] {
        let denial = before(&scratch, "u", tool, input.clone()).unwrap_or_else(|| panic!("{tool} {input}"));
        assert!(denial.contains("chalk:locked-test") && denial.contains("amend-spec"), "{denial}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("tests", scratch.path("link")).unwrap();
        assert!(shell(&scratch, "u", "echo x > link/locked_test.py").is_some());
    }
    let patch = "*** Begin Patch\n*** Update File: tests/locked_test.py\n@@\n-assert add(1, 1) == 2\n+assert True\n*** End Patch\n";
    let codex = json!({
        "session_id": "s1", "turn_id": "t1", "transcript_path": null, "cwd": scratch.root(),
        "hook_event_name": "PreToolUse", "model": "m", "permission_mode": "default", "tool_name": "apply_patch",
        "tool_input": { "command": patch }, "tool_use_id": "u1",
    });
    let said = hear(scratch.env(), scratch.root(), AgentId::Codex, codex.to_string().as_bytes());
    assert!(said.denial().unwrap().contains("chalk:locked-test"));
    // Reading it is no matter, and neither is the code.
    assert_eq!(shell(&scratch, "u", "cat tests/locked_test.py && echo x > src/b.py"), None);
    receipts(&scratch);
}

#[test]
fn a_write_that_no_one_announced_is_found_afterwards() {
    let scratch = project();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    let sneaky = json!({ "command": "python3 fix.py" });
    assert_eq!(before(&scratch, "u1", "Bash", sneaky.clone()), None);
    scratch.write("tests/locked_test.py", "assert True\n");
    let said = after(&scratch, "u1", "Bash", sneaky, json!({ "stdout": "" }));
    let document: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(document["decision"], "block");
    let reason = document["reason"].as_str().unwrap();
    assert!(reason.contains("tests/locked_test.py changed during the last call"), "{reason}");
}

/// Every protected file was looked at after every call, however many there were.
#[test]
fn of_many_protected_files_a_call_that_runs_nothing_looks_at_those_it_wrote() {
    let scratch = project();
    let names: Vec<String> = (0..300).map(|n| format!("tests/of_a_long_spine/locked_test_{n}.py")).collect();
    for name in &names {
        scratch.write(name, "assert True\n");
    }
    let task = scratch.task("many");
    let mut spec = vec!["chalk", "spec", &task, "--criterion", "holds"];
    spec.extend(names.iter().flat_map(|name| ["--test", name]));
    scratch.run(&spec).ok();
    let seen = || fs::metadata(state(&scratch).folder().join("seen.json")).unwrap().modified().unwrap();

    let edit = json!({ "file_path": scratch.path("src/add.py"), "content": "1\n" });
    assert_eq!(before(&scratch, "u1", "Write", edit.clone()), None);
    let first = seen();
    scratch.write(&names[7], "assert False\n");
    assert_eq!(after(&scratch, "u1", "Write", edit, json!({})).out, "");
    assert_eq!(seen(), first, "nothing was looked at");
    // The next call that runs something finds it.
    assert_eq!(shell(&scratch, "u2", "make"), None);
    let said = after(&scratch, "u2", "Bash", json!({ "command": "make" }), json!({ "stdout": "" }));
    assert!(said.out.contains("locked_test_7.py changed during the last call"), "{said:?}");
}

#[test]
fn what_was_changed_before_the_first_look_is_no_ones_doing() {
    let scratch = project();
    scratch.write("src/add.py", "changed by the person\n");
    let input = json!({ "command": "touch made" });
    assert_eq!(before(&scratch, "t1", "Bash", input.clone()), None);
    let count = receipts(&scratch);
    after(&scratch, "t1", "Bash", input, json!({ "stdout": "" }));
    assert_eq!(receipts(&scratch), count + 1);
}

#[test]
fn the_held_out_set_is_not_read() {
    let scratch = project();
    for command in ["cat .chalk/held-out/held_test.py", "grep -r add .", "cp -r .chalk /elsewhere"] {
        assert!(shell(&scratch, "u", command).unwrap().contains("chalk:held-out"), "{command}");
    }
    let hint = shell(&scratch, "u", "grep -r add .").unwrap();
    assert!(hint.contains("--exclude-dir=held-out"), "{hint}");
    assert_eq!(shell(&scratch, "u", "grep -r --exclude-dir=held-out add ."), None);
    assert_eq!(shell(&scratch, "u", "grep -r add src"), None);
}

#[test]
fn a_person_lets_one_exact_call_pass_once() {
    let scratch = project();
    let edit =
        json!({ "file_path": scratch.path("tests/locked_test.py"), "old_string": "2", "new_string": "3" });
    let denial = before(&scratch, "u1", "Edit", edit.clone()).unwrap();
    let id = denial.split("cairn approve ").nth(1).unwrap().split('`').next().unwrap().to_owned();
    // Whoever is judged does not judge.
    assert!(shell(&scratch, "u2", &format!("cairn approve {id}")).unwrap().contains("person"));
    let now = SystemClock;
    let state = state(&scratch);
    cairn::hook::ticket::grant(&state, &id, canon::Clock::now(&now)).unwrap();
    let other =
        json!({ "file_path": scratch.path("tests/locked_test.py"), "old_string": "2", "new_string": "4" });
    assert!(before(&scratch, "u3", "Edit", other).is_some());
    assert_eq!(before(&scratch, "u4", "Edit", edit.clone()), None);
    assert!(before(&scratch, "u5", "Edit", edit).is_some());
}

#[test]
fn what_the_gates_rest_on_can_be_read_or_nothing_acts() {
    for (file, content) in [
        (".chalk/tasks.json", "{"),
        (".governance/policy.json", "{ \"schema\": 9 }"),
        ("chant.workspace.json", "{ nonsense"),
    ] {
        let scratch = project();
        assert_eq!(shell(&scratch, "u", "ls"), None);
        scratch.write(file, content);
        let denial = shell(&scratch, "u", "ls").unwrap_or_else(|| panic!("{file}"));
        assert!(denial.contains("what can't be judged is not allowed"), "{denial}");
        // At every other moment it is let go.
        let said = claude(&scratch, "Stop", json!({ "stop_hook_active": false }));
        assert_eq!((said.code, &*said.out), (0, ""), "{said:?}");
    }
}

#[test]
fn the_stricter_of_head_and_working_tree_applies() {
    let scratch = project();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "plan": true } }"#);
    scratch.commit("policy");
    assert!(shell(&scratch, "u1", "touch x").unwrap().contains("PL-001"));
    scratch.write(".governance/policy.json", r#"{ "schema": 1 }"#);
    assert!(shell(&scratch, "u2", "touch x").unwrap().contains("PL-001"));
    let todos = json!({ "todos": [{ "content": "touch the file x", "status": "in_progress", "activeForm": "touching" }] });
    assert_eq!(before(&scratch, "u1", "TodoWrite", todos.clone()), None);
    after(&scratch, "u1", "TodoWrite", todos, json!({}));
    assert_eq!(shell(&scratch, "u3", "touch x"), None);
    // The plan counts for one turn.
    claude(&scratch, "Stop", json!({ "stop_hook_active": false }));
    assert!(shell(&scratch, "u4", "touch x").unwrap().contains("PL-001"));
}

#[test]
fn an_end_of_turn_that_contradicts_the_receipts_is_refused_once() {
    let scratch = project();
    scratch.write(".governance/policy.json", r#"{ "schema": 1, "gates": { "completion": true } }"#);
    scratch.commit("policy");
    let run = json!({ "command": "python3 -m pytest -q" });
    assert_eq!(before(&scratch, "u1", "Bash", run.clone()), None);
    after(&scratch, "u1", "Bash", run, json!({ "stdout": "3 passed in 0.01s" }));
    let stop = |active: bool| {
        claude(
            &scratch,
            "Stop",
            json!({ "stop_hook_active": active, "last_assistant_message": "All 12 tests passed." }),
        )
    };
    let document: Value = serde_json::from_str(&stop(false).out).unwrap();
    assert_eq!(document["decision"], "block");
    assert!(document["reason"].as_str().unwrap().contains("12"), "{document}");
    assert_eq!(stop(true).out, "");
}

#[test]
fn calls_in_parallel_lose_no_receipt() {
    let scratch = project();
    assert_eq!(shell(&scratch, "first", "ls"), None);
    let before = receipts(&scratch);
    thread::scope(|scope| {
        for n in 0..20 {
            let scratch = (scratch.env(), scratch.root());
            scope.spawn(move || {
                let payload = json!({
                    "session_id": format!("s{n}"), "transcript_path": "/t", "cwd": scratch.1, "permission_mode": "default",
                    "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": format!("p{n}"),
                });
                let said = hear(scratch.0, scratch.1, AgentId::Claude, payload.to_string().as_bytes());
                assert_eq!(said.denial(), None);
            });
        }
    });
    assert_eq!(receipts(&scratch), before + 20);
}

#[test]
fn nothing_that_cannot_be_read_is_allowed() {
    let scratch = project();
    for payload in [
        &b""[..],
        b"{",
        b"noise {}",
        b"[]",
        b"null",
        b"{\"hook_event_name\":\"PreToolUse\"}",
        b"\xff{}",
        b"{\"a\":1,\"a\":2}",
    ] {
        for agent in AgentId::ALL {
            let said = hear(scratch.env(), scratch.root(), agent, payload);
            let denies = said.code == 2 || said.out.contains("deny") || said.out.contains("block");
            assert!(denies, "{agent:?} {payload:?}: {said:?}");
        }
    }
    assert!(fs::read_dir(scratch.path(".git/cairn")).is_ok());
}

/// A person ran `cairn` in another terminal while the agent worked, and the agent was told to put the file back.
#[test]
fn what_commands_change_is_no_tampering() {
    let scratch = project();
    let tasks: Value = serde_json::from_str(&scratch.read(".chalk/tasks.json")).unwrap();
    let task = tasks[0]["id"].as_str().unwrap().to_owned();
    let edit = |id: &str| {
        let input = json!({ "file_path": scratch.path("src/a.txt"), "content": id });
        assert_eq!(before(&scratch, id, "Write", input.clone()), None);
        scratch.write("src/a.txt", id);
        after(&scratch, id, "Write", input, json!({})).out
    };
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    assert_eq!(edit("u1"), "");
    scratch.run(&["cairn", "task", "add", "One more"]).ok();
    assert_eq!(edit("u2"), "");

    // The agent itself, in a shell.
    let command = json!({ "command": "cairn task add Another" });
    assert_eq!(before(&scratch, "u3", "Bash", command.clone()), None);
    scratch.run(&["cairn", "task", "add", "Another"]).ok();
    assert_eq!(after(&scratch, "u3", "Bash", command, json!({})).out, "");

    // A test that a person changed the sanctioned way.
    let test = scratch.read("tests/locked_test.py");
    scratch.write("tests/locked_test.py", format!("{test}more\n"));
    scratch.run(&["cairn", "amend-spec", &task, "--test", "tests/locked_test.py", "--why", "more"]).ok();
    assert_eq!(edit("u4"), "");

    // Past every command.
    let tasks = scratch.read(".chalk/tasks.json");
    scratch.write(".chalk/tasks.json", tasks.replace("Another", "Others"));
    assert!(edit("u5").contains(".chalk/tasks.json changed during the last call"));
    scratch.write(".chalk/tasks.json", &tasks);
    scratch.write("tests/locked_test.py", "easier\n");
    assert!(edit("u6").contains("tests/locked_test.py changed during the last call"));
}

/// An agent that added a lesson by the command was told to put `Index.md` back as it was.
#[test]
fn what_a_command_wrote_below_governance_is_in_order_and_a_write_past_it_is_found() {
    let scratch = Scratch::repository();
    scratch.write(".governance/policy.json", "{ \"schema\": 1 }");
    scratch.commit("first");
    let add = |title: &str| {
        let words = ["cairn", "govern", "knowledge", "add", title, "--label", "fact", "--by", "ada"];
        scratch.run(&[&words[..], &["--evidence", "https://example.org/1"]].concat()).ok();
    };
    add("The first");
    scratch.commit("vault");
    let shell = |id: &str, command: &str, change: &dyn Fn()| {
        let input = json!({ "command": command });
        assert_eq!(before(&scratch, id, "Bash", input.clone()), None);
        change();
        after(&scratch, id, "Bash", input, json!({})).out
    };
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    assert_eq!(shell("u1", "cairn govern knowledge add Other", &|| add("The second")), "");
    let regen = &|| drop(scratch.run(&["cairn", "govern", "knowledge", "regen"]).ok());
    assert_eq!(shell("u2", "cairn govern knowledge regen", regen), "");
    let more = &|| {
        scratch
            .run(&[
                "cairn",
                "govern",
                "knowledge",
                "evidence",
                "the-first",
                "--ref",
                "receipt:1",
                "--by",
                "ada",
            ])
            .ok();
        scratch.run(&["cairn", "govern", "knowledge", "pass"]).ok();
        scratch.run(&["cairn", "govern", "knowledge", "quarantine", "the-first", "--why", "risky"]).ok();
    };
    assert_eq!(shell("u3", "cairn govern knowledge pass", more), "");
    // In a person's terminal, between two calls.
    add("The third");
    assert_eq!(shell("u4", "make", &|| ()), "");
    let probe = &|| drop(scratch.run(&["cairn", "govern", "probe"]));
    let said = shell("u5", "cairn govern probe", probe);
    assert!(!said.contains("changed during the last call"), "{said}");
    let index = scratch.read(".governance/vault/Index.md");
    let edit = &|| scratch.write(".governance/vault/Index.md", format!("{index}more\n"));
    assert!(shell("u6", "python3 fix.py", edit).contains("vault/Index.md changed during the last call"));
}

/// The record of a deployment could be written by whoever is judged by it.
#[test]
fn a_deployment_s_own_files_are_not_written_by_an_agent() {
    let scratch = Scratch::repository();
    for name in [
        "deploy-state.json",
        "deploy-plan.json",
        "deploy-receipts.jsonl",
        "deploy-receipts.jsonl.head",
        "evidence/analysis.json",
        "health.json",
        "portability-report.json",
    ] {
        let path = format!(".governance/{name}");
        let input = json!({ "file_path": scratch.path(&path), "content": "{}" });
        let said = before(&scratch, "u", "Write", input).unwrap_or_default();
        assert!(said.contains("cairn:deployment"), "{path}: {said}");
        assert!(shell(&scratch, "u", &format!("echo x > {path}")).is_some(), "{path}");
    }
    assert!(shell(&scratch, "u", "rm -r .governance.bak").is_some());
    assert_eq!(shell(&scratch, "u", "cat .governance/deploy-state.json"), None);
}

/// No lock was broken, and so a written file of the held-out set was taken for one that is as it was locked.
#[test]
fn a_write_in_the_held_out_set_is_found_after_the_call() {
    let scratch = project();
    let mut config: Value = serde_json::from_str(&scratch.read(".chalk/chalk.json")).unwrap();
    config["protocol"]["regression"]["dir"] = json!("held");
    scratch.write(".chalk/chalk.json", config.to_string());
    scratch.run(&["chalk", "accept", "--why", "another folder"]).ok();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    let command = json!({ "command": "python3 tool.py" });
    assert_eq!(before(&scratch, "u1", "Bash", command.clone()), None);
    scratch.write("held/held_test.py", "assert True\n");
    let said = after(&scratch, "u1", "Bash", command, json!({})).out;
    assert!(said.contains("held") && said.contains("changed during the last call"), "{said}");
}
