//! How far each agent lets the capability contracts hold as cairn is installed in it.

use gate::contract::Contract;
use schemars::JsonSchema;
use serde::Serialize;

use crate::agent::AgentId;

/// How a contract stands with an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// By the agent's own means.
    Native,
    /// In a weaker form.
    Degraded,
    /// Not at all.
    Absent,
}

/// How one contract stands with one agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Provision {
    /// The contract.
    pub contract: Contract,
    /// How it stands.
    pub standing: Standing,
    /// The agent's events or answers that carry it; of a weaker or missing one, what happens instead.
    pub by: &'static str,
}

const TICKET: &str = "a ticket that a person grants in another terminal";
const AT_TOOLS: &str = "prohibitions are said again on the tool boundary";
const UNTOLD: &str =
    "prompts are monitored; the final message is where `Stop` tells it, which is not documented";
const UNPINNED: &str = "nothing is added to the context: pins are not enforced across a compaction";
const UNSAID: &str = "nothing is added to the context: prohibitions are not said again";

impl AgentId {
    /// How every contract stands with this agent, C-1 first.
    pub fn contracts(self) -> [Provision; 9] {
        use Standing::Native;
        let [plan, commit, receipts, end, pins, priority, again] = self.wired();
        let feed = (Native, "the receipts of its calls");
        let seeding = (Native, "cairn itself, without the agent");
        let of = [plan, commit, receipts, end, feed, seeding, pins, priority, again];
        std::array::from_fn(|at| {
            let (standing, by) = of[at];
            Provision { contract: Contract::ALL[at], standing, by }
        })
    }

    /// The contracts that do not stand natively: the short list that people are told.
    pub fn degraded(self) -> Vec<Provision> {
        self.contracts().into_iter().filter(|provision| provision.standing != Standing::Native).collect()
    }

    /// C-1 to C-4 and C-7 to C-9: those that depend on the agent.
    const fn wired(self) -> [(Standing, &'static str); 7] {
        use Standing::{Absent, Degraded, Native};
        match self {
            Self::Claude | Self::Qwen => [
                (Native, "PreToolUse"),
                (Native, "permissionDecision ask, where a person sits there; else a ticket"),
                (Native, "PostToolUse, PostToolUseFailure"),
                (Native, "Stop, SessionEnd"),
                (Native, "PreCompact, SessionStart (compact)"),
                (Native, "UserPromptSubmit, Stop"),
                (Native, "UserPromptSubmit, PreToolUse context"),
            ],
            Self::Codex => [
                (Native, "PreToolUse"),
                (Degraded, TICKET),
                (Native, "PostToolUse"),
                (Native, "Stop, SessionEnd"),
                (Native, "PreCompact, SessionStart (compact)"),
                (Native, "UserPromptSubmit, Stop"),
                (Native, "UserPromptSubmit, PreToolUse context"),
            ],
            Self::Gemini => [
                (Native, "BeforeTool"),
                (Degraded, TICKET),
                (Native, "AfterTool"),
                (Native, "AfterAgent, SessionEnd"),
                (
                    Degraded,
                    "PreCompress carries no text: the pins are said again with the next prompt or tool result",
                ),
                (Native, "BeforeAgent, AfterAgent"),
                (Native, "BeforeAgent, AfterTool context"),
            ],
            Self::Antigravity => [
                (Native, "PreToolUse"),
                (Native, "ask"),
                (Native, "PostToolUse"),
                (Native, "Stop"),
                (Absent, UNPINNED),
                (Absent, "neither prompts nor final messages are told"),
                (Absent, UNSAID),
            ],
            Self::OpenCode => [
                (Native, "tool.execute.before"),
                (Degraded, TICKET),
                (Native, "tool.execute.after"),
                (Native, "session.idle, session.deleted"),
                (Native, "experimental.session.compacting, experimental.chat.system.transform"),
                (Native, "chat.message, experimental.text.complete"),
                (Native, "experimental.chat.system.transform, tool.execute.after"),
            ],
            Self::OpenCode2 => [
                (Native, "execute.before"),
                (Native, "permission evaluate"),
                (Native, "execute.after"),
                (Native, "session.execution.succeeded, session.deleted"),
                (Native, "compaction and context hooks"),
                (Native, "prompt hook, session.text.ended"),
                (Native, "context hook"),
            ],
            Self::Cursor => [
                (Native, "preToolUse"),
                (Degraded, "ask on shell and MCP calls; else a ticket"),
                (Native, "postToolUse, postToolUseFailure"),
                (Native, "stop, sessionEnd"),
                (Degraded, "the pins are said again with the next tool call"),
                (Native, "beforeSubmitPrompt, afterAgentResponse"),
                (Degraded, AT_TOOLS),
            ],
            Self::Copilot => [
                (Native, "preToolUse"),
                (Native, "ask, in interactive sessions; else it denies"),
                (Native, "postToolUse, postToolUseFailure"),
                (Native, "agentStop, sessionEnd"),
                (Degraded, "the pins are said again with the next tool result"),
                (Degraded, "prompts alone are monitored: `agentStop` does not tell the final message"),
                (Degraded, AT_TOOLS),
            ],
            Self::VsCode => [
                (Native, "PreToolUse"),
                (Native, "permissionDecision ask"),
                (Native, "PostToolUse"),
                (Native, "Stop"),
                (Degraded, "the pins are said again with the next prompt or tool call"),
                (Degraded, UNTOLD),
                (Native, "UserPromptSubmit, PreToolUse context"),
            ],
            Self::Grok => [
                (Native, "PreToolUse"),
                (Degraded, TICKET),
                (Native, "PostToolUse, PostToolUseFailure"),
                (Native, "Stop, SessionEnd"),
                (Absent, UNPINNED),
                (Degraded, "conflicts are put on record and never said to the agent"),
                (Absent, UNSAID),
            ],
            Self::Droid => [
                (Native, "PreToolUse"),
                (Native, "permissionDecision ask"),
                (Native, "PostToolUse"),
                (Native, "Stop, SessionEnd"),
                (Degraded, "the pins are said again with the next prompt or tool result"),
                (Degraded, UNTOLD),
                (Native, "UserPromptSubmit, PostToolUse context"),
            ],
            Self::Generic => [
                (Native, "pre_tool"),
                (Native, "ask"),
                (Native, "post_tool"),
                (Native, "stop, session_end"),
                (Native, "compact, session_start"),
                (Native, "prompt, stop"),
                (Native, "prompt, pre_tool"),
            ],
        }
    }
}
