//! What each agent can do, as data.

use schemars::JsonSchema;
use serde::Serialize;

use crate::agent::AgentId;
use gate::contract::Contract;

/// How far an ability reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Everywhere.
    Full,
    /// At some events, in some modes, or without a promise; the notes say where.
    Partial,
    /// Nowhere.
    None,
}

/// What an agent does with a call when its hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// The call goes on.
    Open,
    /// The call is denied, or a person is asked.
    Closed,
    /// It depends on how the hook fails; the notes say how.
    Mixed,
}

/// What one agent can do for a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Capabilities {
    /// The agent.
    pub agent: AgentId,
    /// The version that the facts are of.
    pub version: &'static str,
    /// The month of the facts.
    pub since: &'static str,
    /// A call can be denied.
    pub deny: Reach,
    /// A person can be asked in the agent itself.
    pub ask: Reach,
    /// The result of a call is shown to a hook, and can be answered.
    pub result: Reach,
    /// The end of a turn can be refused.
    pub stop: Reach,
    /// What the agent says at the end of a turn is told.
    pub final_message: Reach,
    /// The end of a session is told.
    pub session_end: Reach,
    /// Text can be added to the context before a call.
    pub context_at_call: Reach,
    /// What happens to a call when the hook fails, as cairn installs it.
    pub failure: Direction,
    /// The setting that makes a failing hook deny, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fail_closed: Option<&'static str>,
    /// How long the agent waits for a hook when nothing else is set, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u32>,
    /// What the other fields can't say.
    pub notes: &'static [&'static str],
}

/// Something that an agent can't give a gate, or not everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lack {
    /// The ability, by the name of its field.
    pub ability: &'static str,
    /// The contract that rests on it.
    pub contract: Contract,
    /// How far it reaches.
    pub reach: Reach,
    /// What that means, in one sentence.
    pub meaning: &'static str,
}

impl Capabilities {
    /// What the agent can't give, or not everywhere, each with the contract of
    /// [`AgentId::contracts`] that rests on it. Empty where it can give everything.
    pub fn lacks(&self) -> Vec<Lack> {
        let failure = match self.failure {
            Closed => Full,
            Mixed => Partial,
            Open => No,
        };
        let all = [
            (
                "deny",
                Contract::PlanGate,
                self.deny,
                "where a call can't be denied, what it did is found after it alone",
            ),
            (
                "ask",
                Contract::CommitmentGate,
                self.ask,
                "where a person can't be asked in the agent, the call is denied with a ticket",
            ),
            (
                "result",
                Contract::Receipts,
                self.result,
                "not every result is shown: what such a call did is found by comparing files",
            ),
            (
                "stop",
                Contract::CompletionEvidence,
                self.stop,
                "the end of a turn can't always be refused: what is missing is put on record",
            ),
            (
                "final_message",
                Contract::DirectivePriority,
                self.final_message,
                "what the agent says at the end of a turn is not told, or not always: then it is not reviewed",
            ),
            (
                "session_end",
                Contract::CompletionEvidence,
                self.session_end,
                "the end of a session may not be told: each stop seals the receipts",
            ),
            (
                "context_at_call",
                Contract::Reinjection,
                self.context_at_call,
                "what is said with a call that goes on may not reach the agent",
            ),
            ("failure", Contract::PlanGate, failure, "a call may go on when the hook fails or is late"),
        ];
        let lacking = all.into_iter().filter(|(_, _, reach, _)| *reach != Full);
        lacking
            .map(|(ability, contract, reach, meaning)| Lack { ability, contract, reach, meaning })
            .collect()
    }
}

use Direction::{Closed, Mixed, Open};
use Reach::{Full, None as No, Partial};

impl AgentId {
    /// What this agent can do.
    pub const fn capabilities(self) -> Capabilities {
        let base = Capabilities {
            agent: self,
            version: "",
            since: "2026-10",
            deny: Full,
            ask: No,
            result: Full,
            stop: No,
            final_message: Full,
            session_end: Full,
            context_at_call: No,
            failure: Open,
            fail_closed: None,
            timeout_ms: None,
            notes: &[],
        };
        match self {
            Self::Claude => Capabilities {
                version: "2.1.332",
                ask: Partial,
                stop: Partial,
                session_end: Partial,
                context_at_call: Full,
                failure: Closed,
                fail_closed: Some("onFailure"),
                timeout_ms: Some(600_000),
                notes: &[
                    "clients before 2.1.295 ignore `onFailure` and let a call go on when the hook fails",
                    "nobody is asked with permissions bypassed, in `dontAsk` and in unattended runs: a ticket is given",
                    "a stop is refused at most 8 times in a row",
                    "all hooks together have 1.5 s at the end of a session, unless the settings give more",
                ],
                ..base
            },
            Self::Codex => Capabilities {
                version: "0.171.0",
                stop: Full,
                session_end: Partial,
                context_at_call: Full,
                timeout_ms: Some(600_000),
                notes: &[
                    "each hook is skipped until a person accepts it in `/hooks`",
                    "input written to a running process and hosted tools are not shown to a hook",
                    "the end of a session is told for the root thread alone, with 1 to 3 s",
                ],
                ..base
            },
            Self::Gemini => Capabilities {
                version: "0.64.0",
                stop: Full,
                session_end: Partial,
                timeout_ms: Some(60_000),
                notes: &["text for the context is taken after a call alone"],
                ..base
            },
            Self::Antigravity => Capabilities {
                version: "1.4.3",
                final_message: No,
                ask: Full,
                stop: Full,
                session_end: No,
                failure: Closed,
                timeout_ms: Some(30_000),
                notes: &["a failing hook makes it ask the person", "not proved against a running agent"],
                ..base
            },
            Self::OpenCode => Capabilities {
                version: "1.18.33",
                session_end: Partial,
                failure: Closed,
                notes: &["the bridge file denies when the program is missing, late or not understood"],
                ..base
            },
            Self::OpenCode2 => Capabilities {
                version: "2.0.26",
                ask: Partial,
                session_end: Partial,
                failure: Closed,
                notes: &[
                    "the bridge file denies when the program is missing, late or not understood",
                    "a person is asked at the permission hook alone",
                    "not proved against a running agent",
                ],
                ..base
            },
            Self::Cursor => Capabilities {
                version: "2026.10.08",
                ask: Partial,
                stop: Partial,
                context_at_call: Partial,
                failure: Closed,
                fail_closed: Some("failClosed"),
                notes: &[
                    "a person is asked at `beforeShellExecution` and `beforeMCPExecution` alone",
                    "a stop is answered with a follow-up message",
                    "not proved against a running agent",
                ],
                ..base
            },
            Self::Copilot => Capabilities {
                version: "1.0.102",
                final_message: No,
                ask: Partial,
                stop: Partial,
                failure: Mixed,
                timeout_ms: Some(30_000),
                notes: &[
                    "a hook that fails denies, a hook that is late lets the call go on",
                    "autopilot and the cloud agent deny instead of asking",
                    "`agentStop` names the transcript and not the last message (copilot-sdk, 2026-10)",
                    "a stop is refused at most 8 times in a row",
                    "not proved against a running agent",
                ],
                ..base
            },
            Self::VsCode => Capabilities {
                version: "2026-10",
                final_message: Partial,
                ask: Full,
                stop: Full,
                session_end: No,
                context_at_call: Full,
                timeout_ms: Some(30_000),
                notes: &[
                    "it runs the hook files of Copilot and Claude Code",
                    "not proved against a running agent",
                ],
                ..base
            },
            Self::Grok => Capabilities {
                version: "1.0.62",
                final_message: Partial,
                context_at_call: No,
                timeout_ms: Some(5_000),
                notes: &["only the event before a call blocks", "not proved against a running agent"],
                ..base
            },
            Self::Droid => Capabilities {
                version: "0.245",
                final_message: Partial,
                ask: Full,
                stop: Full,
                timeout_ms: Some(60_000),
                notes: &[
                    "text for the context is taken after a call alone",
                    "hooks in its `settings.json` are not read where there is a `hooks.json`",
                    "not proved against a running agent",
                ],
                ..base
            },
            Self::Qwen => Capabilities {
                version: "0.25",
                ask: Partial,
                stop: Full,
                context_at_call: Full,
                notes: &["not proved against a running agent"],
                ..base
            },
            Self::Generic => Capabilities {
                version: "1",
                since: "2026-12",
                ask: Full,
                stop: Full,
                context_at_call: Full,
                failure: Closed,
                notes: &["what is said here binds the program that speaks the neutral JSON"],
                ..base
            },
        }
    }
}
