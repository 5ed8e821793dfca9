//! The knowledge lifecycle: a labelled store of lessons that a repository keeps, and what of it agents read every time.
//!
//! An [`Entry`] is a Markdown file in the [`vault`]. It comes in through a write gate ([`admit`], WS-007), is promoted on
//! evidence and demoted when a later window contradicts it ([`lifecycle`], WS-010 to WS-012), and stands in `AGENTS.md`
//! while it is in force ([`regen`], G14), as long as that file stays within its [`budget`]. An entry of another project
//! applies here only once a person said so (WS-008); what is risky is quarantined or erased, and leaves its name behind
//! (WS-009). Lessons that came up and that nobody read are those of [`session::lessons`](crate::session::lessons) (RG-1).
//!
//! Everything but [`vault`] is a function of values: entries, evidence, the present, the terms of the policy.

pub mod admit;
pub mod budget;
pub mod check;
pub mod codes;
mod entry;
mod evidence;
mod fields;
pub mod lifecycle;
pub mod regen;
mod render;
pub mod vault;

pub use entry::{Entry, Folder};
pub use evidence::{Evidence, of_receipts, read_lines, receipt_of, torn_line};
pub use fields::{
    Elevation, Fields, HeldOut, Judgement, Label, Override, Promotion, Provenance, Quarantine, Scope, Status,
    Trust,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the vault lies where the policy says nothing, from the top of the repository.
pub const VAULT: &str = ".governance/vault";

/// What the policy says of knowledge. Everything that is left out has a value of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Settings {
    /// The folder of the vault, from the top of the repository; `.governance/vault` where it is left out.
    pub vault: Option<String>,
    /// What this project is called in the scope of entries; else what `Index.md` says, else the name of the folder.
    pub project: Option<String>,
    /// How many days a window of evidence has; 7 where it is left out.
    pub window_days: Option<u32>,
    /// After how many days without evidence a lesson goes to the archive; 90 where it is left out, and never with 0.
    pub archive_after_days: Option<u32>,
}

impl Settings {
    /// These settings, and what `other` says where they say nothing.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            vault: self.vault.clone().or_else(|| other.vault.clone()),
            project: self.project.clone().or_else(|| other.project.clone()),
            window_days: self.window_days.or(other.window_days),
            archive_after_days: self.archive_after_days.or(other.archive_after_days),
        }
    }

    /// The folder of the vault, from the top of the repository.
    pub fn folder(&self) -> &str {
        self.vault.as_deref().map_or(VAULT, |folder| folder.trim_end_matches('/'))
    }

    /// The folder of the vault's lessons.
    pub fn lessons(&self) -> String {
        format!("{}/{}", self.folder(), Folder::Lessons.name())
    }
}

/// What decides about entries besides evidence and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Terms {
    /// What this project is called.
    pub project: String,
    /// How many days a window has.
    pub window_days: u32,
    /// After how many days without evidence a lesson is archived; none is never.
    pub archive_after_days: Option<u32>,
}

impl Terms {
    /// The terms that the settings give a project.
    pub fn new(settings: &Settings, project: String) -> Self {
        Self {
            project,
            window_days: settings.window_days.unwrap_or(7).max(1),
            archive_after_days: Some(settings.archive_after_days.unwrap_or(90)).filter(|days| *days > 0),
        }
    }
}

#[cfg(test)]
mod tests;
