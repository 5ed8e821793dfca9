//! Of which model family a configured agent is, and whether two of them are of the same.
//!
//! A reviewer of the executor's own family shares its blind spots (Chalk's P5). The command line is
//! read without running anything: through launchers (`env`, `npx`, `timeout`, `sh -c`), paths, lists
//! of commands, and wrapper scripts as far as the caller lets them be read. What stays unclear is
//! said to be unclear.

mod launch;
mod names;
mod script;
mod search;

#[cfg(test)]
mod tests;

use std::path::Path;

/// Reads a wrapper script: its text, or nothing when there is no such file or it is no text. A
/// relative path is relative to the folder that the command would run in. A program without a slash
/// may be looked up in `PATH`.
pub type Read<'a> = dyn Fn(&Path) -> Option<String> + 'a;

/// Who made the model behind an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// The maker's name in lower case: `anthropic`, `openai`, `google`, ...
    Known(&'static str),
    /// The command doesn't tell.
    Unknown,
}

/// Whether two agents are of one family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Same {
    /// They are.
    Yes,
    /// They are not.
    No,
    /// At least one command doesn't tell.
    CannotTell,
}

/// The agent that a command line starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Its usual name (`claude` for `/usr/bin/claude` and for `npx @anthropic-ai/claude-code`). For a
    /// program that is no known agent: its name or path and, where the arguments decide what runs
    /// (`make review`), these too.
    pub program: String,
    /// The model that is asked for, as written.
    pub model: Option<String>,
    /// The family, as far as program and model tell.
    pub family: Family,
}

/// The agent in a command line. `None` for a blank one, and for one that starts several that differ.
pub fn agent(command: &str, read: &Read) -> Option<Agent> {
    let mut search = search::Search::new(read);
    search.look_into(command);
    search.found()
}

/// Whether the executor's and the reviewer's command lines start agents of one model family.
///
/// Known families decide by themselves. Otherwise the same program with the same model is the same,
/// whatever it may be, and anything else can't be told.
pub fn compare(executor: &str, reviewer: &str, read: &Read) -> Same {
    let (Some(executor), Some(reviewer)) = (agent(executor, read), agent(reviewer, read)) else {
        return Same::CannotTell;
    };
    match (executor.family, reviewer.family) {
        (Family::Known(one), Family::Known(other)) if one == other => Same::Yes,
        (Family::Known(_), Family::Known(_)) => Same::No,
        _ if executor == reviewer => Same::Yes,
        _ => Same::CannotTell,
    }
}
