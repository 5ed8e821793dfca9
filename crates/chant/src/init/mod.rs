//! `workspace init`: a declaration proposed from what lies in a repository.
//!
//! Names of files, `package.json` and the text of chant's configuration are read, and nothing is run. The proposal has
//! passed the whole read order before anyone sees it; writing it is a step of its own.

mod command;
mod document;
mod examples;
mod names;
mod projects;
mod stacks;

use std::collections::BTreeMap;
use std::path::Path;

use gate::Refusal;
use schemars::JsonSchema;
use serde::Serialize;
use store::file;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use crate::codes;
use crate::declaration::{self, FILES, Found, Reader, Workspace, is_inside, is_name};
use crate::members;

pub use command::Plan;
pub use document::Document;
pub use names::Names;
pub use stacks::{Change, Stack};

/// A declaration that nobody has agreed to yet.
#[derive(Debug)]
pub struct Proposal {
    /// The file's text.
    pub text: String,
    /// The text as it would be read.
    pub workspace: Workspace,
    /// What leaves the root project: an owner and its directories.
    pub leaving: Vec<Leaving>,
    /// One ownership stack for each chant member. Advice: it is never written.
    pub stacks: Vec<Stack>,
}

/// The directories of one entry, which the root project no longer holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Leaving {
    /// The member or example group.
    pub owner: String,
    /// Whether it is an example group, whose directories are summed where the list is short.
    pub group: bool,
    /// The directories.
    pub directories: Vec<Directory>,
}

/// A directory that leaves the root project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Directory {
    /// The directory, from the workspace root.
    pub dir: String,
    /// Its TypeScript files, tests left out.
    pub files: Vec<String>,
}

/// The file that is proposed.
#[derive(Serialize)]
struct Written {
    name: String,
    schema: u32,
    members: Vec<Entry>,
}

/// One entry of `members`, its fields in the order in which they are written.
#[derive(Debug, Clone, Serialize)]
struct Entry {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dir: Option<String>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    because: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    glob: Option<Glob>,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Glob {
    One(String),
    Several(Vec<String>),
}

/// Proposes a declaration for the folder at the top of `tree`, whose files are `files`.
///
/// # Errors
/// A declaration that is there already, a name that is none, or a proposal that the read order refuses.
pub fn propose(tree: &dyn Tree, files: &[RepoPath], names: &Names<'_>) -> Result<Proposal, Refusal> {
    refuse_present(tree)?;
    if let Some(name) = names.given.filter(|name| !is_name(name)) {
        return Err(Refusal::new(codes::WRITE_USAGE_INVALID, format!("{name:?} is no name of a workspace"))
            .hint("use lowercase letters, digits and hyphens, first a letter or digit, at most 40"));
    }
    let unreadable = |error: TreeError| Refusal::new(codes::DECLARATION_UNPARSEABLE, error.to_string());
    let name = names.workspace(tree).map_err(unreadable)?;
    let found = projects::find(tree, files).map_err(unreadable)?;

    let mut taken = names::Taken::default();
    let mut entries = Vec::new();
    for project in &found.members {
        let own = if project.dir.is_empty() {
            "root".to_owned()
        } else {
            names::member(tree, &project.dir, &name).map_err(unreadable)?
        };
        entries.push(Entry {
            name: taken.free(own),
            dir: Some(if project.dir.is_empty() { ".".to_owned() } else { project.dir.clone() }),
            kind: project.kind,
            because: project.because,
            glob: None,
        });
    }
    for (group, mut globs) in examples::groups(tree, files, &found).map_err(unreadable)? {
        let glob = if globs.len() == 1 { Glob::One(globs.remove(0)) } else { Glob::Several(globs) };
        entries.push(Entry {
            name: taken.free(group),
            dir: None,
            kind: "examples",
            because: None,
            glob: Some(glob),
        });
    }
    let written = Written { name, schema: 1, members: entries };
    let value = serde_json::to_value(&written)
        .map_err(|error| Refusal::new(codes::DECLARATION_INVALID, error.to_string()))?;
    let text = format!("{}\n", canon::json::pretty(&value));

    let place = Found { root: RepoPath::from(""), file: FILES[0] };
    let workspace = declaration::parse(text.as_bytes(), &place, Reader::Root)?;
    let leaving = leaving(tree, &workspace, files)?;
    let stacks = stacks::propose(tree, &workspace).map_err(unreadable)?;
    Ok(Proposal { text, workspace, leaving, stacks })
}

/// Writes the proposal into the folder that it was made for.
///
/// # Errors
/// A declaration that came meanwhile, or a file that can't be written.
pub fn write(tree: &dyn Tree, folder: &Path, proposal: &Proposal) -> Result<(), Refusal> {
    refuse_present(tree)?;
    file::replace(&folder.join(FILES[0]), proposal.text.as_bytes())
        .map_err(|error| Refusal::new(codes::WRITE_INPUT_INVALID, error.to_string()))
}

fn refuse_present(tree: &dyn Tree) -> Result<(), Refusal> {
    for file in FILES {
        let present = tree.kind(&RepoPath::from(file));
        if present.map_err(|error| Refusal::new(codes::DECLARATION_UNPARSEABLE, error.to_string()))?.is_some()
        {
            return Err(Refusal::new(codes::WRITE_USAGE_INVALID, format!("there is a {file} already"))
                .at(file, None, None)
                .hint("change it, or remove it first"));
        }
    }
    Ok(())
}

fn leaving(tree: &dyn Tree, workspace: &Workspace, files: &[RepoPath]) -> Result<Vec<Leaving>, Refusal> {
    let sources: Vec<&str> =
        files.iter().filter_map(RepoPath::as_str).filter(|file| is_source(file)).collect();
    let inside = |dir: &str| {
        let sources = sources.iter().filter(|file| is_inside(file, dir));
        Directory { dir: dir.to_owned(), files: sources.map(|file| (*file).to_owned()).collect() }
    };
    let members =
        || workspace.declaration.members().map(|(_, member)| member).filter(|member| member.dir != ".");
    let mut by_owner: BTreeMap<usize, Leaving> = BTreeMap::new();
    for (index, member) in workspace.declaration.members().filter(|(_, member)| member.dir != ".") {
        let directories = vec![inside(&member.dir)];
        by_owner.insert(index, Leaving { owner: member.name.clone(), group: false, directories });
    }
    for matches in members::groups(tree, workspace)? {
        // What lies in a member left with it.
        let own = matches.projects.iter().filter(|dir| !members().any(|member| is_inside(dir, &member.dir)));
        let directories: Vec<_> = own.map(|dir| inside(dir)).collect();
        if !directories.is_empty() {
            by_owner.insert(
                matches.index,
                Leaving { owner: matches.group.name.clone(), group: true, directories },
            );
        }
    }
    Ok(by_owner.into_values().collect())
}

/// Whether a file is TypeScript and no test.
fn is_source(file: &str) -> bool {
    let Some(stem) = file.strip_suffix(".ts") else { return false };
    let is_test = [".test", ".spec"].iter().any(|ending| stem.ends_with(ending));
    !is_test && !file.split('/').any(|part| part == "__tests__")
}

#[cfg(test)]
mod tests;
