//! By what it is seen that an agent is there: the programs that start it, and the folders in which it keeps its settings.

use schemars::JsonSchema;
use serde::Serialize;

use crate::agent::AgentId;

/// How it is known that an agent sets a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The documents of the agent say so.
    Documented,
    /// Its published source does so.
    Source,
    /// Others saw it, and the agent itself does not say so where we looked.
    Reported,
    /// A protocol of this program says so.
    Protocol,
}

/// A variable that shows that an agent started this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Variable {
    /// Its name. What counts is that it holds something.
    pub name: &'static str,
    /// How it is known.
    pub basis: Basis,
    /// Where it is written.
    pub source: &'static str,
    /// When that was looked up, as year and month.
    pub since: &'static str,
}

const fn variable(name: &'static str, basis: Basis, source: &'static str) -> Variable {
    Variable { name, basis, source, since: "2026-12" }
}

/// Variables that agents set for what they start, and the one that gives an agent its name in a workspace. An agent that
/// sets none is not seen, and one that clears its own hides. Variables that editors set in a person's terminal too, and
/// those that a person sets to configure an agent, are none of them.
pub const VARIABLES: &[Variable] = &[
    variable("ANTIGRAVITY_AGENT", Basis::Reported, "vercel/vercel, packages/detect-agent"),
    variable("CHANT_AGENT", Basis::Protocol, "the Chant workspace"),
    variable("CLAUDECODE", Basis::Documented, "code.claude.com/docs/en/env-vars"),
    variable("CODEX_CI", Basis::Source, "openai/codex, codex-rs/core/src/unified_exec"),
    variable("CODEX_SANDBOX", Basis::Source, "openai/codex, codex-rs/core/src/spawn.rs"),
    variable("CODEX_SANDBOX_NETWORK_DISABLED", Basis::Source, "openai/codex, codex-rs/core/src/spawn.rs"),
    variable("CODEX_THREAD_ID", Basis::Source, "openai/codex, codex-rs/protocol/src/shell_environment.rs"),
    variable("COPILOT_CLI", Basis::Reported, "changes of Copilot CLI, as others list them: git hooks see it"),
    variable("CURSOR_AGENT", Basis::Reported, "seen in the code of Cursor 3.18.9 by others, 2026-09"),
    variable("GEMINI_CLI", Basis::Documented, "google-gemini/gemini-cli, docs/tools/shell.md"),
    variable("OPENCODE", Basis::Source, "anomalyco/opencode, packages/opencode/src/index.ts"),
    variable("QWEN_CODE", Basis::Source, "QwenLM/qwen-code, the shell execution service"),
];

/// The variable that tells that an agent started this program; `is_set` says whether a variable holds something.
pub fn started_by(is_set: impl Fn(&str) -> bool) -> Option<&'static str> {
    VARIABLES.iter().map(|variable| variable.name).find(|name| is_set(name))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_says_how_it_is_known() {
        let names: Vec<&str> = VARIABLES.iter().map(|variable| variable.name).collect();
        assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
        for variable in VARIABLES {
            let name = variable.name;
            assert!(name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'), "{name}");
            assert!(!variable.source.is_empty() && variable.since.len() == 7, "{name}");
            assert_eq!(started_by(|asked| asked == name), Some(name));
        }
        // What a person sets to configure an agent, or an editor in every terminal, shows nothing.
        for other in
            ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "TERM_PROGRAM", "CURSOR_TRACE_ID", "GEMINI_API_KEY", "CI"]
        {
            assert_eq!(started_by(|asked| asked == other), None, "{other}");
        }
    }
}
