//! The rules that hold in every repository: git's own folder, the agents' settings, and what this program judges by.

use std::path::{Path, PathBuf};

use gate::protected::{Access, GIT_FOLDER, Guard, Protected, Scope};
use store::Env;

/// Files and folders in which agents keep their hooks, from the top of a repository and from the home folder.
const SETTINGS: &[&str] = &[
    ".agents/hooks.json",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".codex/config.toml",
    ".codex/hooks.json",
    ".copilot/hooks",
    ".cursor/hooks.json",
    ".factory/hooks.json",
    ".gemini/config/hooks.json",
    ".gemini/settings.json",
    ".github/hooks",
    ".grok/hooks",
    ".opencode/plugin",
    ".opencode/plugins",
    ".config/opencode/plugin",
    ".config/opencode/plugins",
    ".qwen/settings.json",
];

/// What a deployment keeps below its target.
const DEPLOYMENT: &[&str] = &[
    ".governance/deploy-plan.json",
    ".governance/deploy-receipts.jsonl",
    ".governance/deploy-receipts.jsonl.head",
    ".governance/deploy-state.json",
    ".governance/evidence",
    ".governance/health.json",
    ".governance/portability-report.json",
    ".governance.bak",
];

/// Where a deployment of the repository keeps its own files.
pub(super) fn deployment(top: &Path) -> impl Iterator<Item = PathBuf> {
    DEPLOYMENT.iter().map(|name| top.join(name))
}

/// Where agents keep their settings in a repository.
pub(super) fn settings(top: &Path) -> impl Iterator<Item = PathBuf> {
    SETTINGS.iter().map(|name| top.join(name))
}

/// The rules, relative to `top` where they lie below it, else absolute.
pub(super) fn rules(top: &Path, env: &Env, git_dirs: &[&Path]) -> Protected {
    let mut rules = Protected::new();
    let mut add = |path: PathBuf, rule: &str, fact: &str, next: &str, ticket: bool| {
        let name = path.strip_prefix(top).unwrap_or(&path).to_string_lossy().into_owned();
        rules.push(Guard {
            scope: Scope::Below(name),
            access: Access::Write,
            rule: rule.to_owned(),
            fact: fact.to_owned(),
            next: next.to_owned(),
            ticket,
        });
    };
    let git = (GIT_FOLDER, "it is git's own folder", "use git's commands");
    add(top.join(".git"), git.0, git.1, git.2, false);
    for folder in git_dirs {
        add((*folder).to_owned(), git.0, git.1, git.2, false);
    }
    let home = env.get("HOME").map(PathBuf::from);
    for base in [Some(top.to_owned()), home.clone()].into_iter().flatten() {
        for name in SETTINGS {
            add(
                base.join(name),
                "cairn:agent-settings",
                "it decides which hooks an agent runs",
                "say which change you need, and let the person make it",
                true,
            );
        }
    }
    let next = "ask the person; this is what you are judged by";
    add(top.join(govern::policy::PATH), "cairn:policy", "it says how agents are judged here", next, true);
    for path in deployment(top) {
        add(
            path,
            "cairn:deployment",
            "it is what a deployment has on record",
            "use `cairn govern deploy`",
            true,
        );
    }
    let folder = |name: &str, fallback: &str| {
        let base = env.get(name).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(fallback)));
        base.map(|base| base.join("cairn"))
    };
    let own = [folder("XDG_CONFIG_HOME", ".config"), folder("XDG_STATE_HOME", ".local/state")];
    for path in own.into_iter().flatten() {
        add(path, "cairn:state", "this program keeps its own state there", next, false);
    }
    rules
}
