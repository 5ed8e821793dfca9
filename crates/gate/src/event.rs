//! What a coding agent is about to do, has done, or says: the neutral event, and the verdict on it.
//!
//! An adapter turns an agent's own payload into an [`Event`] and a [`Verdict`] into the agent's own answer. A gate
//! knows neither: it judges the event alone.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The moments at which an agent asks or tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// A tool call is about to be made: the one moment at which it can be prevented.
    PreTool,
    /// A tool call was made, or failed.
    PostTool,
    /// A person said something.
    Prompt,
    /// The agent's turn ends: what the governance text calls idle.
    Stop,
    /// A session begins, or goes on after a compaction.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The context is about to be compacted.
    Compact,
}

/// One event of a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Event {
    /// The agent whose payload it was, as in `claude`.
    pub agent: String,
    /// When in the session.
    pub event: Moment,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The subagent that acts, where one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subagent: Option<String>,
    /// The folder that the agent stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// The tool call, at `pre_tool` and `post_tool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Call>,
    /// What became of the call, at `post_tool`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// What the person said at `prompt`; the agent's last message at `stop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why the session begins (`startup`, `resume`, `clear`, `compact`) or ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The turn goes on because a stop was refused before.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stop_refused_before: bool,
}

/// A tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// The agent's own id of the call, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The tool as the agent names it.
    pub name: String,
    /// What the tool does.
    pub tool: Tool,
    /// The call's arguments as the agent gave them.
    pub input: Value,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// Whether the tool did what it was asked; none where the agent does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ok: Option<bool>,
    /// The exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit: Option<i64>,
    /// The result as the agent gave it.
    pub result: Value,
}

/// What a tool does, whatever the agent calls it. A tool that is not known is [`Tool::Other`], which acts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Tool {
    /// Runs a shell command.
    Shell {
        /// The command line.
        command: String,
        /// The folder that it names itself, where it does.
        #[serde(skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        /// The shell, as in `bash` or `powershell`.
        shell: String,
        /// It goes on after the call.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        background: bool,
    },
    /// Writes a whole file.
    Write {
        /// The file.
        path: String,
        /// The content.
        content: Option<String>,
    },
    /// Changes part of a file.
    Edit {
        /// The file.
        path: String,
        /// What is replaced, where it is said.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        replaced: Vec<String>,
    },
    /// Changes several files with one call.
    Edits {
        /// The files.
        paths: Vec<String>,
    },
    /// Applies a patch in the `*** Begin Patch` form.
    Patch {
        /// The patch.
        text: String,
    },
    /// Changes a cell of a notebook.
    Notebook {
        /// The notebook.
        path: String,
    },
    /// Reads a file.
    Read {
        /// The file.
        path: String,
        /// The first line, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        first: Option<u64>,
        /// How many lines.
        #[serde(skip_serializing_if = "Option::is_none")]
        lines: Option<u64>,
    },
    /// Looks for files or text.
    Search {
        /// Where; none is the folder that the agent stands in.
        #[serde(skip_serializing_if = "Option::is_none")]
        path: Option<String>,
        /// What for.
        pattern: String,
        /// It looks into files and not at names alone.
        content: bool,
    },
    /// Says what will be done.
    Plan {
        /// The steps, where the tool has them.
        #[serde(default)]
        todos: Vec<Todo>,
        /// The plan as text, where it is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    /// Starts another agent.
    Subagent {
        /// What it is told.
        prompt: String,
    },
    /// Fetches from the network.
    Fetch {
        /// The address, or the words looked for.
        target: String,
    },
    /// Asks the person.
    Ask,
    /// A tool of an MCP server.
    Mcp {
        /// The server.
        server: String,
        /// Its tool.
        tool: String,
    },
    /// Another tool that changes nothing.
    Harmless,
    /// Any other tool, which is taken to act.
    Other,
}

/// One step of a plan, as its carrier writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    /// What is done; none where it is no text.
    pub content: Option<String>,
    /// `pending`, `in_progress`, `completed`, `cancelled`, or what the carrier wrote.
    pub status: Option<String>,
    /// `high`, `medium`, `low`, or what the carrier wrote; none where the carrier has none.
    pub priority: Option<String>,
}

/// What is decided, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// No gate has anything to say.
    Allow,
    /// It goes on, and something is noted.
    Observe,
    /// A person decides.
    Ask,
    /// It does not happen.
    Deny,
}

/// The answer of the gates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verdict {
    /// What is decided.
    pub decision: Decision,
    /// The gate that decided, as in `protected` or `G1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<String>,
    /// The rule within it, as in `PL-003`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The reason, one code of the closed list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The rule, the fact and the one allowed next step, for the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// What is added to the agent's context.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<String>,
}

impl Verdict {
    /// No opinion.
    pub fn allow() -> Self {
        Self {
            decision: Decision::Allow,
            gate: None,
            rule: None,
            reason: None,
            message: None,
            context: Vec::new(),
        }
    }

    /// The stronger of two verdicts; of equals the first, with the context of both.
    pub fn or_stronger(self, other: Self) -> Self {
        let (mut strong, weak) = if other.decision > self.decision { (other, self) } else { (self, other) };
        strong.context.extend(weak.context);
        strong
    }
}
