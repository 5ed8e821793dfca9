//! One ownership stack for each chant member.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fancy_regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use store::tree::{Tree, TreeError};

use crate::declaration::{Member, Workspace};

/// The stack of a member, as it is and as it should be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Stack {
    /// The member.
    pub member: String,
    /// The configuration file, from the workspace root.
    pub config: String,
    /// The stack that the configuration names; none where it names none, or works it out.
    pub current: Option<String>,
    /// The stack that the member should have.
    pub proposed: String,
    /// What there is to do.
    pub change: Change,
}

/// What there is to do about a stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// Nothing.
    Keep,
    /// Another member has it: name it anew.
    Rename,
    /// There is none that can be read: set it.
    Set,
}

/// A stack in the text of a configuration: within the braces of `ownership`, a `stack` that is a string.
static STACK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"\bownership\s*:\s*\{[^{}]*?\bstack\s*:\s*(?:"([^"\\\n]*)"|'([^'\\\n]*)'|`([^`$\\]*)`)"#)
        .ok()
});

/// Proposes stacks that are all distinct. The first member in the declaration's order keeps a stack that several have;
/// the others take their own names, with a number where that is taken.
pub(super) fn propose(tree: &dyn Tree, workspace: &Workspace) -> Result<Vec<Stack>, TreeError> {
    let mut read = Vec::new();
    for (_, member) in workspace.declaration.members().filter(|(_, member)| member.kind == "chant") {
        if let Some((config, current)) = current(tree, workspace, member)? {
            read.push((member, config, current));
        }
    }
    let set: BTreeSet<String> = read.iter().filter_map(|(_, _, current)| current.clone()).collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut stacks = Vec::new();
    for (member, config, current) in read {
        let (proposed, change) = match &current {
            Some(stack) if !taken.contains(stack) => (stack.clone(), Change::Keep),
            Some(_) => (free(&member.name, &taken, &set), Change::Rename),
            None => (free(&member.name, &taken, &set), Change::Set),
        };
        taken.insert(proposed.clone());
        stacks.push(Stack { member: member.name.clone(), config, current, proposed, change });
    }
    Ok(stacks)
}

fn free(name: &str, taken: &BTreeSet<String>, set: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    names.find(|name| !taken.contains(name) && !set.contains(name)).unwrap_or_else(|| name.to_owned())
}

/// A member's configuration file and the stack that it names.
fn current(
    tree: &dyn Tree,
    workspace: &Workspace,
    member: &Member,
) -> Result<Option<(String, Option<String>)>, TreeError> {
    for file in ["chant.config.ts", "chant.config.json"] {
        let path = crate::declaration::below(&member.dir, file);
        let Some(bytes) = tree.read(&workspace.at(&path))? else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let stack = if file == "chant.config.json" {
            let value: Option<Value> = canon::json::read(&bytes).ok();
            value.and_then(|value| value.get("ownership")?.get("stack")?.as_str().map(str::to_owned))
        } else {
            let captures = STACK.as_ref().and_then(|stack| stack.captures(&*text).ok().flatten());
            captures
                .and_then(|found| (1..=3).find_map(|at| found.get(at)).map(|stack| stack.as_str().to_owned()))
        };
        return Ok(Some((path, stack.filter(|stack| !stack.is_empty()))));
    }
    Ok(None)
}
