//! By what it is seen that an agent is there: the programs that start it, and the folders in which it keeps its settings.

use crate::agent::AgentId;

/// Variables that agents are seen to set for what they start, and the one that gives an agent its name in a workspace. An
/// agent that sets none is not seen, and one that clears its own hides.
const STARTED: &[&str] = &[
    "CHANT_AGENT",
    "CLAUDECODE",
    "CODEX_CI",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID",
    "CURSOR_AGENT",
    "GEMINI_CLI",
    "OPENCODE",
    "QWEN_CODE",
];

/// The variable that tells that an agent started this program; `is_set` says whether a variable holds something.
pub fn started_by(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    STARTED.iter().copied().find(|name| is_set(name))
}

impl AgentId {
    /// The programs that start it, by their names on a `PATH`; none where no program of its own is known.
    pub const fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &["claude"],
            Self::Codex => &["codex"],
            Self::Gemini => &["gemini"],
            Self::Antigravity => &["antigravity", "agy"],
            Self::OpenCode | Self::OpenCode2 => &["opencode"],
            Self::Cursor => &["cursor-agent"],
            Self::Copilot => &["copilot"],
            Self::Grok => &["grok"],
            Self::Droid => &["droid"],
            Self::Qwen => &["qwen"],
            Self::VsCode | Self::Generic => &[],
        }
    }

    /// The folders of its settings, below a project and below a home folder. A folder that several agents share is of
    /// none.
    pub const fn folders(self) -> &'static [&'static str] {
        match self {
            Self::Claude => &[".claude"],
            Self::Codex => &[".codex"],
            Self::Gemini => &[".gemini"],
            Self::OpenCode => &[".opencode", ".config/opencode"],
            Self::Cursor => &[".cursor"],
            Self::Copilot => &[".copilot"],
            Self::Grok => &[".grok"],
            Self::Droid => &[".factory"],
            Self::Qwen => &[".qwen"],
            Self::Antigravity | Self::OpenCode2 | Self::VsCode | Self::Generic => &[],
        }
    }

    /// Which agent a program of this name and version is: both versions of opencode are started by one name.
    pub fn of_program(self, version: Option<&str>) -> Self {
        let is_second = version.is_some_and(|version| version.starts_with("2."));
        match self {
            Self::OpenCode | Self::OpenCode2 if is_second => Self::OpenCode2,
            Self::OpenCode2 => Self::OpenCode,
            other => other,
        }
    }
}
