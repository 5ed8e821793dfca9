//! Which files an agent reads its hooks from.

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;

use super::form::{self, Form};
use crate::AgentId;
use crate::codes;

/// Whose settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The person's own, which nobody else gets.
    Private,
    /// The project's, which are committed.
    Shared,
}

/// Where a path begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Base {
    /// The root of the work tree.
    Project,
    /// The person's home.
    Home,
    /// The person's settings folder, `$XDG_CONFIG_HOME` or `~/.config`.
    Config,
}

/// One file that an installation writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The agent that reads it.
    pub agent: AgentId,
    /// Whose it is.
    pub scope: Scope,
    /// Where its path begins.
    pub base: Base,
    /// Its path from there, with `/`.
    pub path: &'static str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Settings with hooks among them.
    Hooks(&'static Form),
    /// Settings with a list of plugins, which names the bridge.
    Plugins(&'static str),
    /// A bridge file that is cairn's whole.
    Bridge { version: u8 },
}

impl Target {
    /// The file as a person knows it: from the top of the work tree, or with `~/` from the home.
    pub fn shown(&self) -> String {
        match self.base {
            Base::Project => self.path.to_owned(),
            Base::Home => format!("~/{}", self.path),
            Base::Config => format!("{CONFIG}{}", self.path),
        }
    }
}

/// The person's settings folder, where none is set.
const CONFIG: &str = "~/.config/";

/// The files that an installation writes, in the order in which they are written.
///
/// # Errors
/// The agent has no settings of its own.
pub fn targets(agent: AgentId, scope: Scope) -> Result<Vec<Target>, Refusal> {
    let target = |base, path, kind| Target { agent, scope, base, path, kind };
    let hooks = |form, (base, private), shared| {
        let (base, path) = if scope == Scope::Shared { (Base::Project, shared) } else { (base, private) };
        Ok(vec![target(base, path, Kind::Hooks(form))])
    };
    let shared = scope == Scope::Shared;
    let base = if shared { Base::Project } else { Base::Config };
    match agent {
        AgentId::Claude => {
            hooks(&form::CLAUDE, (Base::Project, ".claude/settings.local.json"), ".claude/settings.json")
        }
        AgentId::Codex => hooks(&form::CODEX, (Base::Home, ".codex/hooks.json"), ".codex/hooks.json"),
        AgentId::Gemini => {
            hooks(&form::GEMINI, (Base::Home, ".gemini/settings.json"), ".gemini/settings.json")
        }
        AgentId::Antigravity => {
            hooks(&form::ANTIGRAVITY, (Base::Home, ".gemini/config/hooks.json"), ".agents/hooks.json")
        }
        AgentId::Cursor => hooks(&form::CURSOR, (Base::Home, ".cursor/hooks.json"), ".cursor/hooks.json"),
        AgentId::Copilot => {
            hooks(&form::COPILOT, (Base::Home, ".copilot/hooks/cairn.json"), ".github/hooks/cairn.json")
        }
        AgentId::Grok => hooks(&form::GROK, (Base::Home, ".grok/hooks/cairn.json"), ".grok/hooks/cairn.json"),
        AgentId::OpenCode => {
            let path = if shared { ".opencode/plugin/cairn.js" } else { "opencode/plugin/cairn.js" };
            Ok(vec![target(base, path, Kind::Bridge { version: 1 })])
        }
        // Outside the folder from which version 1 loads whatever it finds.
        AgentId::OpenCode2 => {
            let (file, list, name) = if shared {
                (".opencode/cairn/opencode2.js", "opencode.json", "./.opencode/cairn/opencode2.js")
            } else {
                ("opencode/cairn/opencode2.js", "opencode/opencode.json", "./cairn/opencode2.js")
            };
            Ok(vec![target(base, file, Kind::Bridge { version: 2 }), target(base, list, Kind::Plugins(name))])
        }
        // Beside Copilot's own file in the same folders: each agent reads both, and a call is put on record once.
        AgentId::VsCode => hooks(
            &form::VSCODE,
            (Base::Home, ".copilot/hooks/cairn-vscode.json"),
            ".github/hooks/cairn-vscode.json",
        ),
        AgentId::Droid => hooks(&form::DROID, (Base::Home, ".factory/hooks.json"), ".factory/hooks.json"),
        AgentId::Qwen => hooks(&form::QWEN, (Base::Home, ".qwen/settings.json"), ".qwen/settings.json"),
        AgentId::Generic => {
            Err(none(agent).hint("let the program call `cairn hook generic <event>` with the neutral JSON"))
        }
    }
}

fn none(agent: AgentId) -> Refusal {
    Refusal::new(codes::NOT_INSTALLABLE, format!("cairn writes no settings of `{agent}`"))
}
