//! Planned edits of the agents' settings, and what is installed there.
//!
//! [`targets`] says which files; [`plan_install`] and [`plan_uninstall`] say what becomes of each, and [`status`] what
//! is there. Nothing is written here: an [`Edit`] is shown to a person first. The [`Undo`] of an installation is kept
//! by the caller; with it everything goes back to the byte, without it all but empty containers and empty files.

mod bridge;
mod diff;
mod form;
mod ours;
mod place;
mod settings;
mod status;

use std::collections::BTreeMap;

use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::AgentId;

pub use place::{Base, Scope, Target, targets};
pub use status::{State, Status, status};

use place::Kind;

/// The name under which a shared installation calls the program.
pub const SHARED_PROGRAM: &str = "cairn";

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The file.
    pub target: Target,
    /// Its bytes now; none where there is no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes then; none where it is removed.
    pub after: Option<Vec<u8>>,
    /// The change for people, as a unified diff; empty where there is none.
    pub diff: String,
    /// What brings the bytes from before back; none behind an uninstallation.
    pub undo: Option<Undo>,
}

impl Edit {
    /// Whether anything changes.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }

    fn new(target: &Target, before: Option<&[u8]>, after: Option<Vec<u8>>, undo: Option<Undo>) -> Self {
        let diff = diff::unified(target.path, before, after.as_deref());
        Self { target: target.clone(), before: before.map(<[u8]>::to_vec), after, diff, undo }
    }
}

/// What an installation found, and what it made beside its own entries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Undo {
    file: Origin,
    /// JSON pointers of members that were not there.
    made: Vec<String>,
    /// What stood in containers that had no part.
    inside: BTreeMap<String, String>,
}

/// The file before an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Origin {
    /// There was none.
    Absent,
    /// It said nothing.
    Blank(String),
    /// It had settings.
    Present,
}

/// What installing makes of a file. `program` is the path of cairn, which a shared installation does not take; `undo`
/// is that of the installation before, where one is known.
///
/// # Errors
/// The file can't be read, or holds something at the place of the hooks that the agent would not take.
pub fn plan_install(
    target: &Target,
    existing: Option<&[u8]>,
    program: &str,
    undo: Option<&Undo>,
) -> Result<Edit, Refusal> {
    let program = called(target, program);
    let (after, undo) = match target.kind {
        Kind::Bridge { version } => bridge::install(target, existing, program, version)?,
        _ => settings::install(target, existing, program, undo)?,
    };
    Ok(Edit::new(target, existing, Some(after), undo))
}

/// What uninstalling makes of a file: what was there before, with what others added since.
///
/// # Errors
/// The file can't be read.
pub fn plan_uninstall(
    target: &Target,
    existing: Option<&[u8]>,
    undo: Option<&Undo>,
) -> Result<Edit, Refusal> {
    let Some(bytes) = existing else { return Ok(Edit::new(target, None, None, None)) };
    let after = match target.kind {
        Kind::Bridge { .. } => bridge::uninstall(bytes),
        _ => settings::uninstall(target, bytes, undo)?,
    };
    Ok(Edit::new(target, existing, after, None))
}

/// The command that an installation in the file of `target` runs at an event, word by word; none where none does.
/// `event` is the neutral word for it, as in `pre-tool`.
pub fn installed_call(target: &Target, existing: &[u8], event: &str) -> Option<Vec<String>> {
    match target.kind {
        Kind::Bridge { .. } => {
            let program = bridge::program(existing)?;
            Some([&program, "hook", target.agent.as_str(), event].map(str::to_owned).to_vec())
        }
        Kind::Plugins(_) => None,
        Kind::Hooks(_) => {
            let editor = settings::open(target, settings::utf8(target, existing).ok()?).ok()?;
            let is_it = |words: &Vec<String>| {
                words.get(2).is_some_and(|agent| agent == target.agent.as_str())
                    && words.get(3).is_some_and(|word| {
                        // Of two entries that one call reaches, the first one denies.
                        word == event || event == "pre-tool" && target.agent.is_first(word)
                    })
            };
            ours::calls(target, editor.document()).into_iter().find(is_it)
        }
    }
}

fn called<'a>(target: &Target, program: &'a str) -> &'a str {
    if target.scope == Scope::Shared { SHARED_PROGRAM } else { program }
}

/// The command that installs for `target`.
fn install_command(agent: AgentId, scope: Scope) -> String {
    let shared = if scope == Scope::Shared { " --shared" } else { "" };
    format!("cairn hook install {agent}{shared}")
}

#[cfg(test)]
mod tests;
