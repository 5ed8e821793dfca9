//! What a tool call touches, as far as that can be said before it is made.
//!
//! [`classify`] turns a tool call into [`Effects`]: the files that it writes, deletes and reads, the folders that it
//! reads through, the commands that it runs, and how certain all of that is. It opens no file and starts no process.
//!
//! Three answers are possible. *Known*: nothing is touched but what is listed. *Opaque*: the call was understood, and
//! what it does can't be told from its text (an interpreter, a build tool, a path in a variable); what is listed is
//! touched, and more may be. *Unparsable*: the text was not understood, or two readers disagree about it.

mod diff;
mod effects;
mod own;
mod patch;
mod path;
mod pattern;
mod powershell;
mod shell;
mod text;

use std::path::{Path, PathBuf};

use gate::event::Tool;
use serde_json::Value;

pub use effects::{Alone, Argv, Certainty, Effects, Fed, Place, Spares, Target, Walk};
pub use own::NAMES as OWN;
pub use patch::{Change, PatchError, changes};
pub use pattern::escape;

use path::Base;
use text::Text;

/// What is known about the place where the call is made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The absolute folder that the call is made in; none where the agent does not say, which leaves every relative
    /// path open.
    pub cwd: Option<&'a Path>,
    /// The absolute roots of the repositories or workspaces that are open.
    pub roots: &'a [PathBuf],
    /// The home folder.
    pub home: Option<&'a Path>,
}

/// The longest text that is taken for a path.
const LONGEST_NAME: usize = 1024;

/// How many texts of one call are taken for paths.
const MOST_NAMED: usize = 64;

/// What `tool` touches when it runs in `context`.
pub fn classify(tool: &Tool, context: Context<'_>) -> Effects {
    let mut effects = Effects::default();
    match tool {
        Tool::Shell { command, cwd, shell, background: _ } => {
            return shell_command(command, cwd.as_deref(), shell, context);
        }
        Tool::Write { path, .. } | Tool::Edit { path, .. } | Tool::Notebook { path } => {
            effects.writes = targets(path, context);
        }
        Tool::Edits { paths } => {
            effects.writes = paths.iter().flat_map(|path| targets(path, context)).collect();
        }
        Tool::Patch { text } => match changes(text) {
            Ok(changes) => {
                for change in changes {
                    change.add_to(&mut effects, |path| targets(path, context));
                }
            }
            Err(error) => effects.certainty = error.certainty(),
        },
        Tool::Read { path, .. } => effects.reads = targets(path, context),
        Tool::Search { path, content, .. } => {
            let path = path.as_deref().unwrap_or(".");
            effects.recursive_reads = targets(path, context)
                .into_iter()
                .map(|root| Walk {
                    root,
                    excludes: Vec::new(),
                    content: *content,
                    skips_hidden: false,
                    skips_ignored: false,
                })
                .collect();
        }
        Tool::Fetch { .. } => effects.network = true,
        Tool::Plan { .. } | Tool::Ask | Tool::Harmless => {}
        Tool::Subagent { .. } => {
            effects.starts_agent = true;
            effects.acts = true;
            effects.certainty = Certainty::Opaque;
        }
        Tool::Mcp { .. } | Tool::Other => {
            effects.acts = true;
            effects.certainty = Certainty::Opaque;
        }
    }
    effects.settle();
    effects
}

/// The paths that the arguments of a tool name which nothing is known of: it may read them.
pub fn named(input: &Value, context: Context<'_>) -> Vec<Target> {
    let (mut found, mut waiting) = (Vec::new(), vec![input]);
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) => {
                let path = text.strip_prefix("file://").unwrap_or(text);
                if !path.is_empty() && path.len() <= LONGEST_NAME && !path.contains(['\n', '\0']) {
                    found.extend(targets(path, context));
                }
            }
            Value::Array(values) => waiting.extend(values),
            Value::Object(fields) => waiting.extend(fields.values()),
            _ => {}
        }
        if found.len() >= MOST_NAMED {
            break;
        }
    }
    found
}

fn shell_command(command: &str, cwd: Option<&str>, shell: &str, context: Context<'_>) -> Effects {
    let bases: Vec<Base> = match cwd {
        Some(cwd) if cwd.starts_with('~') => vec![Base::Unknown],
        Some(cwd) => path::bases(&Base::of(context.cwd), &Text::literal(cwd)),
        None => vec![Base::of(context.cwd)],
    };
    let shell = gate::words::base_name(shell);
    let shell = shell.strip_suffix(".exe").unwrap_or(shell);
    match shell {
        "" | "bash" | "sh" | "zsh" | "dash" | "ksh" | "ash" => shell::classify(command, bases, context),
        "powershell" | "pwsh" => powershell::classify(command, bases, context),
        _ => Effects::unparsable(
            format!("`{shell}` is no shell whose commands can be read here"),
            "run the command with bash, or change the file with a file tool".to_owned(),
        ),
    }
}

/// The path that a file tool names. It is taken as it is: no shell expands it.
fn targets(path: &str, context: Context<'_>) -> Vec<Target> {
    let expanded = match (path.strip_prefix("~/"), context.home) {
        (Some(rest), Some(home)) => Text::literal(home.join(rest).to_string_lossy()),
        _ => Text::literal(path),
    };
    path::targets(&[Base::of(context.cwd)], &expanded, false)
}

#[cfg(test)]
mod tests;
