//! The checks DP-001 to DP-019, one row each: what it is about, how it weighs, what a failure means, and how it is
//! judged.

use super::{Observed, Start, Weight, contracts, is_at_least};
use crate::deploy::contract::Toolset;

/// A check of the probe.
#[derive(Debug)]
pub struct Check {
    /// Its number.
    pub id: &'static str,
    /// What it is about.
    pub name: &'static str,
    /// How it weighs.
    pub weight: Weight,
    /// Why it matters.
    pub why: &'static str,
    /// What a failure keeps from being done.
    pub blocks: &'static str,
    /// How what is missing is obtained.
    pub how: &'static str,
    /// Whether it holds, and what was found.
    pub judge: fn(&Observed, Option<&Toolset>) -> (bool, String),
}

use Weight::{Informational, Optional, Required};

fn yes_no(holds: bool, yes: &str, no: &str) -> (bool, String) {
    (holds, if holds { yes } else { no }.to_owned())
}

fn version(found: Option<&str>) -> (bool, String) {
    (found.is_some(), found.unwrap_or("not found").to_owned())
}

fn node(observed: &Observed) -> (bool, String) {
    let found = observed.node.as_deref();
    (found.is_some_and(|version| is_at_least(version, 22, 6)), version(found).1)
}

fn suitable(observed: &Observed, selected: Option<&Toolset>) -> (bool, String) {
    if let Some(toolset) = selected {
        return (true, format!("{} meets C-1 to C-6", toolset.name));
    }
    if observed.toolsets.is_empty() {
        return (false, "no toolset was found".to_owned());
    }
    let wanted = observed.asked.agent.as_deref();
    let lacking = observed.toolsets.iter().filter(|toolset| !toolset.is_suitable());
    let mut found: Vec<String> =
        lacking.map(|toolset| format!("{} lacks {}", toolset.name, contracts(&toolset.lacks()))).collect();
    if let Some(wanted) =
        wanted.filter(|wanted| observed.toolsets.iter().all(|toolset| toolset.name != *wanted))
    {
        found.insert(0, format!("{wanted} was asked for and not found"));
    }
    (false, found.join("; "))
}

fn source(observed: &Observed) -> (bool, String) {
    match &observed.vault {
        None => (false, "no source vault is named".to_owned()),
        Some(source) => yes_no(source.readable, "readable", "it can't be read"),
    }
}

fn content(observed: &Observed) -> (bool, String) {
    match &observed.vault {
        None => (false, "no source vault is named".to_owned()),
        Some(source) if source.missing.is_empty() => (source.readable, "all five parts are there".to_owned()),
        Some(source) => (false, format!("missing: {}", source.missing.join(", "))),
    }
}

fn inventory(observed: &Observed) -> (bool, String) {
    let known = observed.toolsets.iter().all(|toolset| toolset.version.is_some());
    let told: Vec<String> = observed
        .toolsets
        .iter()
        .map(|toolset| {
            format!("{} {}", toolset.name, toolset.version.as_deref().unwrap_or("(version not known)"))
        })
        .collect();
    let actual = if told.is_empty() { "none".to_owned() } else { told.join(", ") };
    (known && !told.is_empty(), actual)
}

fn observed_capability(selected: Option<&Toolset>) -> (bool, String) {
    match selected {
        Some(toolset) if toolset.observed => (true, format!("receipts hold calls of {}", toolset.name)),
        Some(toolset) => (false, format!("what {} can do is declared, not observed here", toolset.name)),
        None => (false, "no toolset is selected".to_owned()),
    }
}

/// Every check, in order.
pub const CHECKS: &[Check] = &[
    Check {
        id: "DP-001",
        name: "platform",
        weight: Optional,
        why: "it decides which signal ends a turn",
        blocks: "the end of a turn is not told on this system as it is elsewhere",
        how: "look at the bridge's event for the end of a turn, and prove it with one turn",
        judge: |observed, _| {
            let known = matches!(observed.os.as_str(), "linux" | "macos" | "freebsd");
            (known, format!("{} {}", observed.os, observed.arch))
        },
    },
    Check {
        id: "DP-002",
        name: "Node 22.6 for the reference engine",
        weight: Optional,
        why: "the reference engine runs on it; this engine does not",
        blocks: "the reference engine, which is not used here",
        how: "install it where the reference engine is wanted, and not for this one",
        judge: |observed, _| node(observed),
    },
    Check {
        id: "DP-003",
        name: "npm for the reference engine",
        weight: Optional,
        why: "the reference engine is installed with it; this engine is not",
        blocks: "the installation of the reference engine, which is not used here",
        how: "install it where the reference engine is wanted, and not for this one",
        judge: |observed, _| version(observed.npm.as_deref()),
    },
    Check {
        id: "DP-004",
        name: "suitable toolset",
        weight: Required,
        why: "the gates act through a toolset that is there already",
        blocks: "the whole deployment",
        how: "install a tool that has a hook before each call that can deny it (C-1), an approval outside the agent (C-2), the \
              results of calls (C-3) and a signal at the end (C-4); opencode and Claude Code are examples",
        judge: suitable,
    },
    Check {
        id: "DP-005",
        name: "target workspace",
        weight: Required,
        why: "everything that is deployed lies there",
        blocks: "the whole deployment",
        how: "name a folder that is there, is no link and can be written",
        judge: |observed, _| yes_no(observed.workspace, "writable", "it is no folder that can be written"),
    },
    Check {
        id: "DP-006",
        name: "governance folder",
        weight: Required,
        why: "state, receipts and the vault lie there",
        blocks: "the whole deployment",
        how: "make `.governance` a folder that can be written, or remove what stands in its place",
        judge: |observed, _| yes_no(observed.governance, "writable", "it can't be made or written"),
    },
    Check {
        id: "DP-007",
        name: "source vault",
        weight: Required,
        why: "the rules and lessons come from there",
        blocks: "seeding the vault",
        how: "name the vault with `--vault <folder>`, and make it readable",
        judge: |observed, _| source(observed),
    },
    Check {
        id: "DP-008",
        name: "target vault",
        weight: Required,
        why: "the rules and lessons are seeded there",
        blocks: "seeding the vault",
        how: "make `.governance/vault` a folder that can be written, or remove what stands in its place",
        judge: |observed, _| yes_no(observed.target_vault, "writable", "it can't be made or written"),
    },
    Check {
        id: "DP-009",
        name: "signing key",
        weight: Optional,
        why: "receipts are signed with it",
        blocks: "signed receipts",
        how: "set `XDG_STATE_HOME` or `HOME` to a folder of your own that can be written",
        judge: |observed, _| yes_no(observed.key, "there, or can be made", "there is no place for it"),
    },
    Check {
        id: "DP-010",
        name: "evidence of sessions",
        weight: Optional,
        why: "lessons are promoted on what sessions show",
        blocks: "promotion, which runs on no evidence",
        how: "make the state folder of the repository writable",
        judge: |observed, _| {
            yes_no(observed.evidence, "the receipts have a place", "the receipts have no place")
        },
    },
    Check {
        id: "DP-011",
        name: "earlier state and room",
        weight: Optional,
        why: "a deployment that was broken off goes on from its state",
        blocks: "going on from an earlier deployment",
        how: "make room on the disk, or put `deploy-state.json` aside",
        judge: |observed, _| {
            yes_no(observed.state, "readable, and there is room", "it can't be read, or there is no room")
        },
    },
    Check {
        id: "DP-012",
        name: "modules at hand",
        weight: Optional,
        why: "the hooks start the engine by its name, and nothing is fetched",
        blocks: "the hooks, which can't start the engine",
        how: "put `cairn`, of this version and outside of the target, first on the `PATH` of the agent",
        judge: |observed, _| match &observed.engine_at {
            Start::OnPath => (true, "the engine is whole and on the `PATH`".to_owned()),
            Start::Unfit(why) => (false, why.clone()),
            Start::Nowhere => (false, "`cairn` is not on the `PATH`".to_owned()),
        },
    },
    Check {
        id: "DP-013",
        name: "vault content",
        weight: Required,
        why: "what it holds is given to the target, whole and without a secret",
        blocks: "seeding the vault",
        how: "complete the source vault: Rules/, Lessons/, Research/, Templates/ and Index.md",
        judge: |observed, _| content(observed),
    },
    Check {
        id: "DP-014",
        name: "git",
        weight: Optional,
        why: "provenance and comparison after a call use it",
        blocks: "the commit of the source vault in the provenance",
        how: "install git",
        judge: |observed, _| version(observed.git.as_deref()),
    },
    Check {
        id: "DP-015",
        name: "model",
        weight: Informational,
        why: "depths and rates are calibrated for a model",
        blocks: "nothing",
        how: "name it with `--model <name>`",
        judge: |observed, _| {
            let model = observed.asked.model.as_deref();
            (model.is_some(), model.unwrap_or("not told").to_owned())
        },
    },
    Check {
        id: "DP-016",
        name: "toolset inventory",
        weight: Optional,
        why: "the capabilities are those of a version",
        blocks: "saying whether the known capabilities are those of the version that is there",
        how: "let the probe ask the programs for their versions",
        judge: |observed, _| inventory(observed),
    },
    Check {
        id: "DP-017",
        name: "selected toolset",
        weight: Informational,
        why: "the bridge is for it",
        blocks: "nothing",
        how: "name one with `--agent <name>`",
        judge: |_, selected| {
            let name = selected.map(|toolset| toolset.name.as_str());
            (name.is_some(), name.unwrap_or("none").to_owned())
        },
    },
    Check {
        id: "DP-018",
        name: "capability observed",
        weight: Optional,
        why: "what a toolset can do is declared until it was seen",
        blocks: "a claim of conformance before the verification",
        how: "deploy, and let the verification observe it",
        judge: |_, selected| observed_capability(selected),
    },
    Check {
        id: "DP-019",
        name: "conflict scan",
        weight: Informational,
        why: "what lies there already is kept, and is changed with care",
        blocks: "nothing",
        how: "look at it before the plan is approved",
        judge: |observed, _| {
            let found = observed.conflicts.join(", ");
            (observed.conflicts.is_empty(), if found.is_empty() { "nothing".to_owned() } else { found })
        },
    },
];
