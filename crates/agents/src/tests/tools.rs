//! What the tools of the agents do.

use gate::event::{Todo, Tool};
use serde_json::{Value, json};

use super::*;

fn call(agent: AgentId, name: &str, input: &Value) -> Tool {
    let payload = match agent {
        AgentId::Claude | AgentId::Droid | AgentId::Qwen => {
            json!({ "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": input })
        }
        AgentId::Codex => {
            json!({ "hook_event_name": "PreToolUse", "turn_id": "t", "tool_name": name, "tool_input": input })
        }
        AgentId::Gemini => json!({ "hook_event_name": "BeforeTool", "tool_name": name, "tool_input": input }),
        AgentId::Cursor => {
            json!({ "hook_event_name": "preToolUse", "cursor_version": "1", "tool_name": name, "tool_input": input })
        }
        AgentId::Copilot => json!({ "sessionId": "s", "toolName": name, "toolArgs": input.to_string() }),
        AgentId::VsCode => json!({ "hookEventName": "PreToolUse", "tool_name": name, "tool_input": input }),
        AgentId::Grok => json!({ "hookEventName": "PreToolUse", "toolName": name, "toolInput": input }),
        AgentId::Antigravity => json!({ "toolCall": { "name": name, "args": input } }),
        AgentId::OpenCode | AgentId::OpenCode2 | AgentId::Generic => {
            json!({ "event": "pre_tool", "tool": name, "args": input })
        }
    };
    heard(agent, "pre-tool", &payload.to_string()).event.call.unwrap().tool
}

fn steps(tool: Tool) -> Vec<(Option<String>, Option<String>, Option<String>)> {
    let Tool::Plan { todos, .. } = tool else { panic!("{tool:?}") };
    todos.into_iter().map(|Todo { content, status, priority }| (content, status, priority)).collect()
}

#[test]
fn every_carrier_of_a_plan_is_one() {
    let todo = json!({ "content": "a", "status": "pending" });
    let a = (Some("a".to_owned()), Some("pending".to_owned()), None);
    let plain = [
        (AgentId::Claude, "TodoWrite", json!({ "todos": [todo] })),
        (
            AgentId::Codex,
            "update_plan",
            json!({ "plan": [{ "step": "a", "status": "pending" }], "explanation": "why" }),
        ),
        (AgentId::Gemini, "write_todos", json!({ "todos": [{ "description": "a", "status": "pending" }] })),
        (AgentId::Cursor, "TodoWrite", json!({ "todos": [todo], "merge": false })),
        (AgentId::OpenCode, "todowrite", json!({ "todos": [todo] })),
        (AgentId::VsCode, "manage_todo_list", json!({ "todoList": [{ "title": "a", "status": "pending" }] })),
        (AgentId::Qwen, "todo_write", json!({ "todos": [todo] })),
    ];
    for (agent, name, input) in plain {
        assert_eq!(steps(call(agent, name, &input)), std::slice::from_ref(&a), "{agent} {name}");
    }
    let odd =
        call(AgentId::OpenCode, "todowrite", &json!({ "todos": [{ "content": 7, "priority": "high" }, 8] }));
    assert_eq!(steps(odd), [(None, None, Some("high".to_owned())), (None, None, None)]);
    for (agent, name, input) in [
        (AgentId::Claude, "ExitPlanMode", json!({ "plan": "# a" })),
        (AgentId::Copilot, "update_todo", json!({ "todos": "# a" })),
        (AgentId::Copilot, "exit_plan_mode", json!({ "summary": "# a" })),
        (AgentId::Droid, "ExitSpecMode", json!({ "plan": "# a" })),
    ] {
        let expected = Tool::Plan { todos: Vec::new(), text: Some("# a".to_owned()) };
        assert_eq!(call(agent, name, &input), expected, "{agent} {name}");
    }
}

#[test]
fn shells_are_told_apart() {
    let shell = |command: &str, cwd: Option<&str>, shell: &str, background| Tool::Shell {
        command: command.to_owned(),
        cwd: cwd.map(str::to_owned),
        shell: shell.to_owned(),
        background,
    };
    let line = json!({ "command": "ls", "run_in_background": true });
    assert_eq!(call(AgentId::Claude, "Bash", &line), shell("ls", None, "bash", true));
    assert_eq!(call(AgentId::Claude, "PowerShell", &line), shell("ls", None, "powershell", true));
    let words = json!({ "command": ["sh", "-c", "echo $x > a"], "workdir": "/w" });
    assert_eq!(
        call(AgentId::Codex, "shell", &words),
        shell("sh -c 'echo $x > a'", Some("/w"), "bash", false)
    );
    let gemini = json!({ "command": "ls", "directory": "sub", "is_background": true });
    assert_eq!(call(AgentId::Gemini, "run_shell_command", &gemini), shell("ls", Some("sub"), "bash", true));
}

#[test]
fn files_are_named_in_every_spelling() {
    for (agent, name, input) in [
        (AgentId::Claude, "Write", json!({ "file_path": "a", "content": "c" })),
        (AgentId::Gemini, "write_file", json!({ "file_path": "a", "content": "c" })),
        (AgentId::Antigravity, "write_to_file", json!({ "TargetFile": "a", "CodeContent": "c" })),
        (AgentId::OpenCode, "write", json!({ "filePath": "a", "content": "c" })),
        (AgentId::Cursor, "Write", json!({ "path": "a", "contents": "c" })),
        (AgentId::Copilot, "create", json!({ "path": "a", "file_text": "c" })),
        (AgentId::Droid, "Create", json!({ "file_path": "a", "content": "c" })),
    ] {
        let expected = Tool::Write { path: "a".to_owned(), content: Some("c".to_owned()) };
        assert_eq!(call(agent, name, &input), expected, "{agent} {name}");
    }
    let chunks = json!({ "TargetFile": "a", "ReplacementChunks": [{ "TargetContent": "x" }, { "TargetContent": "y" }] });
    assert_eq!(
        call(AgentId::Antigravity, "multi_replace_file_content", &chunks),
        Tool::Edit { path: "a".to_owned(), replaced: vec!["x".to_owned(), "y".to_owned()] }
    );
    let several = json!({ "replacements": [{ "filePath": "a" }, { "filePath": "b" }] });
    assert_eq!(
        call(AgentId::VsCode, "multi_replace_string_in_file", &several),
        Tool::Edits { paths: vec!["a".to_owned(), "b".to_owned()] }
    );
    assert_eq!(
        call(AgentId::Claude, "NotebookEdit", &json!({ "notebook_path": "n.ipynb", "new_source": "" })),
        Tool::Notebook { path: "n.ipynb".to_owned() }
    );
    let gone = Tool::Write { path: "a".to_owned(), content: None };
    assert_eq!(call(AgentId::Cursor, "Delete", &json!({ "path": "a" })), gone);
}

#[test]
fn lines_read_are_counted_from_one() {
    let read = |first, lines| Tool::Read { path: "a".to_owned(), first, lines };
    let claude = json!({ "file_path": "a", "offset": 10, "limit": 5 });
    assert_eq!(call(AgentId::Claude, "Read", &claude), read(Some(10), Some(5)));
    let gemini = json!({ "file_path": "a", "offset": 10, "limit": 5 });
    assert_eq!(call(AgentId::Gemini, "read_file", &gemini), read(Some(11), Some(5)));
    let copilot = json!({ "path": "a", "view_range": [3, 7] });
    assert_eq!(call(AgentId::Copilot, "view", &copilot), read(Some(3), Some(5)));
    let whole = json!({ "path": "a", "view_range": [3, -1] });
    assert_eq!(call(AgentId::Copilot, "view", &whole), read(Some(3), None));
    let antigravity = json!({ "AbsolutePath": "a", "StartLine": 2, "EndLine": 4 });
    assert_eq!(call(AgentId::Antigravity, "view_file", &antigravity), read(Some(2), Some(3)));
}

#[test]
fn servers_tools_are_named_and_act() {
    let mcp = |server: &str, tool: &str| Tool::Mcp { server: server.to_owned(), tool: tool.to_owned() };
    let input = json!({});
    assert_eq!(call(AgentId::Claude, "mcp__files__write_it", &input), mcp("files", "write_it"));
    assert_eq!(call(AgentId::Claude, "mcp__plugin_p_s__t", &input), mcp("plugin_p_s", "t"));
    assert_eq!(call(AgentId::Claude, "mcp__odd", &input), Tool::Other);
    assert_eq!(call(AgentId::Gemini, "mcp_files_write_it", &input), mcp("files", "write_it"));
    assert_eq!(call(AgentId::Cursor, "MCP:write_it", &input), mcp("", "write_it"));
    assert_eq!(call(AgentId::Claude, "Cron", &input), Tool::Other);
    assert_eq!(call(AgentId::Codex, "write_stdin", &json!({ "chars": "x" })), Tool::Other);
}

#[test]
fn searches_say_where_and_how() {
    let grep = json!({ "pattern": "x", "path": "src", "output_mode": "content" });
    assert_eq!(
        call(AgentId::Claude, "Grep", &grep),
        Tool::Search { path: Some("src".to_owned()), pattern: "x".to_owned(), content: true }
    );
    assert_eq!(
        call(AgentId::Claude, "Glob", &json!({ "pattern": "**/*.rs" })),
        Tool::Search { path: None, pattern: "**/*.rs".to_owned(), content: false }
    );
    assert_eq!(
        call(AgentId::Antigravity, "grep_search", &json!({ "SearchPath": "s", "Query": "q" })),
        Tool::Search { path: Some("s".to_owned()), pattern: "q".to_owned(), content: true }
    );
}
