//! What an installation adds to an agent's settings.

use gate::words::quote;
use serde_json::{Map, Value, json};

use crate::AgentId;

/// The form of an agent's hook settings.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Form {
    agent: AgentId,
    /// The member at the top that holds the events; none where they stand at the top themselves.
    pub parent: Option<&'static str>,
    /// Whether the file says its version.
    pub version: bool,
    /// Each event, with the word for it and the deadline in seconds.
    events: &'static [(&'static str, &'static str, u32)],
    entry: Entry,
}

#[derive(Debug, PartialEq, Eq)]
enum Entry {
    Claude,
    Codex,
    Gemini,
    Antigravity,
    Cursor,
    Copilot,
    VsCode,
    Qwen,
}

const CLAUDE_EVENTS: &[(&str, &str, u32)] = &[
    ("PreToolUse", "pre-tool", 5),
    ("PostToolUse", "post-tool", 10),
    ("PostToolUseFailure", "post-tool", 10),
    ("UserPromptSubmit", "prompt", 5),
    ("Stop", "stop", 30),
    ("SessionStart", "session-start", 10),
    ("SessionEnd", "session-end", 10),
    ("PreCompact", "compact", 10),
];

pub(super) const CLAUDE: Form = Form {
    agent: AgentId::Claude,
    parent: Some("hooks"),
    version: false,
    events: CLAUDE_EVENTS,
    entry: Entry::Claude,
};

/// Those of agents that tell of a failed call by no event of its own.
const CODEX_EVENTS: &[(&str, &str, u32)] = &[
    ("PreToolUse", "pre-tool", 5),
    ("PostToolUse", "post-tool", 10),
    ("UserPromptSubmit", "prompt", 5),
    ("Stop", "stop", 30),
    ("SessionStart", "session-start", 10),
    ("SessionEnd", "session-end", 3),
    ("PreCompact", "compact", 10),
];

pub(super) const CODEX: Form = Form {
    agent: AgentId::Codex,
    parent: Some("hooks"),
    version: false,
    events: CODEX_EVENTS,
    entry: Entry::Codex,
};

pub(super) const GROK: Form = Form {
    agent: AgentId::Grok,
    parent: Some("hooks"),
    version: false,
    events: CLAUDE_EVENTS,
    entry: Entry::Codex,
};

pub(super) const GEMINI: Form = Form {
    agent: AgentId::Gemini,
    parent: Some("hooks"),
    version: false,
    events: &[
        ("BeforeTool", "pre-tool", 5),
        ("AfterTool", "post-tool", 10),
        ("BeforeAgent", "prompt", 5),
        ("AfterAgent", "stop", 30),
        ("SessionStart", "session-start", 10),
        ("SessionEnd", "session-end", 10),
        ("PreCompress", "compact", 10),
    ],
    entry: Entry::Gemini,
};

pub(super) const ANTIGRAVITY: Form = Form {
    agent: AgentId::Antigravity,
    parent: Some("cairn"),
    version: false,
    events: &[("PreToolUse", "pre-tool", 5), ("PostToolUse", "post-tool", 10), ("Stop", "stop", 30)],
    entry: Entry::Antigravity,
};

pub(super) const CURSOR: Form = Form {
    agent: AgentId::Cursor,
    parent: Some("hooks"),
    version: true,
    events: &[
        // A person is asked at the two events that follow it alone.
        ("preToolUse", "pre-tool-first", 5),
        ("beforeShellExecution", "beforeShellExecution", 5),
        ("beforeMCPExecution", "beforeMCPExecution", 5),
        ("postToolUse", "post-tool", 10),
        ("postToolUseFailure", "post-tool", 10),
        ("beforeSubmitPrompt", "prompt", 5),
        // What the agent said last: `stop` does not tell it.
        ("afterAgentResponse", "afterAgentResponse", 5),
        ("stop", "stop", 30),
        ("sessionStart", "session-start", 10),
        ("sessionEnd", "session-end", 10),
        ("preCompact", "compact", 10),
    ],
    entry: Entry::Cursor,
};

pub(super) const VSCODE: Form = Form {
    agent: AgentId::VsCode,
    parent: Some("hooks"),
    version: false,
    events: &[
        ("PreToolUse", "pre-tool", 5),
        ("PostToolUse", "post-tool", 10),
        ("UserPromptSubmit", "prompt", 5),
        ("Stop", "stop", 30),
        ("SessionStart", "session-start", 10),
        ("PreCompact", "compact", 10),
    ],
    entry: Entry::VsCode,
};

pub(super) const DROID: Form =
    Form { agent: AgentId::Droid, parent: None, version: false, events: CODEX_EVENTS, entry: Entry::Codex };

pub(super) const QWEN: Form = Form {
    agent: AgentId::Qwen,
    parent: Some("hooks"),
    version: false,
    events: CLAUDE_EVENTS,
    entry: Entry::Qwen,
};

pub(super) const COPILOT: Form = Form {
    agent: AgentId::Copilot,
    parent: Some("hooks"),
    version: true,
    events: &[
        ("preToolUse", "pre-tool", 10),
        ("postToolUse", "post-tool", 10),
        ("postToolUseFailure", "post-tool", 10),
        ("userPromptSubmitted", "prompt", 10),
        ("agentStop", "stop", 30),
        ("sessionStart", "session-start", 10),
        ("sessionEnd", "session-end", 10),
        ("preCompact", "compact", 10),
    ],
    entry: Entry::Copilot,
};

impl Form {
    /// The events with what is added to the list of each.
    pub(super) fn entries(&self, program: &str) -> Vec<(&'static str, Value)> {
        self.events
            .iter()
            .map(|&(event, word, seconds)| (event, self.value(program, event, word, seconds)))
            .collect()
    }

    fn value(&self, program: &str, event: &str, word: &str, seconds: u32) -> Value {
        let line = format!("{} hook {} {word}", shell_word(program), self.agent);
        let of_tools = event.to_lowercase().contains("tool");
        let mut handler = json!({ "type": "command", "command": line, "timeout": seconds });
        match self.entry {
            Entry::Claude => {
                let mut handler = json!({
                    "type": "command",
                    "command": program,
                    "args": ["hook", self.agent.as_str(), word],
                    "timeout": seconds,
                });
                if word == "pre-tool" {
                    handler["onFailure"] = Value::from("block");
                }
                group(of_tools, handler)
            }
            Entry::Codex => group(false, handler),
            Entry::Gemini => {
                handler["timeout"] = Value::from(seconds * 1000);
                group(of_tools, handler)
            }
            Entry::Antigravity if of_tools => group(true, handler),
            Entry::Antigravity => handler,
            Entry::Cursor => {
                let mut entry = json!({ "command": line, "timeout": seconds });
                if word.starts_with("pre-tool") || word.starts_with("before") {
                    entry["failClosed"] = Value::Bool(true);
                }
                entry
            }
            // Some versions count seconds and some milliseconds; without a number it waits for a minute.
            Entry::Qwen => {
                if let Value::Object(handler) = &mut handler {
                    handler.remove("timeout");
                }
                group(of_tools, handler)
            }
            Entry::VsCode => {
                if line.starts_with('"') {
                    handler["windows"] = Value::from(format!("& {line}"));
                }
                handler
            }
            Entry::Copilot => {
                let mut entry = json!({ "type": "command" });
                let windows = is_windows(program);
                if !windows {
                    entry["bash"] = Value::from(line.as_str());
                }
                if windows || program == super::SHARED_PROGRAM {
                    let call = if line.starts_with('"') { "& " } else { "" };
                    entry["powershell"] = Value::from(format!("{call}{line}"));
                }
                entry["timeoutSec"] = Value::from(seconds);
                entry
            }
        }
    }
}

fn group(of_tools: bool, handler: Value) -> Value {
    let mut group = Map::new();
    if of_tools {
        group.insert("matcher".to_owned(), Value::from("*"));
    }
    group.insert("hooks".to_owned(), Value::from(vec![handler]));
    Value::Object(group)
}

/// The program as one word of a command line. Windows takes `/` in paths, while shells there eat `\`.
fn shell_word(program: &str) -> String {
    if !is_windows(program) {
        return quote(program);
    }
    let path = program.replace('\\', "/");
    if path.contains(' ') { format!("\"{path}\"") } else { path }
}

fn is_windows(program: &str) -> bool {
    program.contains('\\') || program.as_bytes().get(1) == Some(&b':')
}
