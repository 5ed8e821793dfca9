//! The directories that example groups match.

use std::collections::{BTreeSet, HashMap};

use gate::Refusal;
use store::tree::{Tree, TreeError};

use super::{expand, from_root, holds_project};
use crate::codes;
use crate::declaration::{Group, Workspace, is_inside};

/// What one group matches; directories are named from the workspace root and sorted.
#[derive(Debug, Clone)]
pub struct Matches<'a> {
    /// The group's place in `members`.
    pub index: usize,
    /// The group.
    pub group: &'a Group,
    /// Directories that hold a project.
    pub projects: Vec<String>,
    /// Directories that hold none, and are left alone.
    pub skipped: Vec<String>,
}

/// What every group matches.
///
/// # Errors
/// `placement-invalid` where a match is a member's directory, holds one, lies in a nested workspace, or is another
/// group's as well; `declaration-unparseable` where the tree can't be read.
pub fn groups<'a>(tree: &dyn Tree, workspace: &'a Workspace) -> Result<Vec<Matches<'a>>, Refusal> {
    let mut owners: HashMap<String, &str> = HashMap::new();
    let mut resolved = Vec::new();
    for (index, group) in workspace.declaration.groups() {
        let at = format!("/members/{index}/glob");
        let unreadable =
            |error: TreeError| workspace.refuse(codes::DECLARATION_UNPARSEABLE, error.to_string(), &at);
        let mut matches = Matches { index, group, projects: Vec::new(), skipped: Vec::new() };
        let mut folders = BTreeSet::new();
        for glob in &group.glob {
            folders.extend(expand(tree, &workspace.root, glob).map_err(unreadable)?);
        }
        for folder in folders {
            let Some(dir) = from_root(workspace, &folder) else { continue };
            if !holds_project(tree, &folder).map_err(unreadable)? {
                matches.skipped.push(dir);
                continue;
            }
            let clash = clash(workspace, &dir).or_else(|| {
                let other = owners.get(&dir).filter(|other| **other != group.name)?;
                Some(format!("which group {other} matches too"))
            });
            if let Some(clash) = clash {
                let message = format!("group {} matches {dir}, {clash}", group.name);
                return Err(workspace.refuse(codes::PLACEMENT_INVALID, message, &at));
            }
            owners.insert(dir.clone(), &group.name);
            matches.projects.push(dir);
        }
        resolved.push(matches);
    }
    Ok(resolved)
}

/// Why a member stands in the way of a match.
fn clash(workspace: &Workspace, dir: &str) -> Option<String> {
    workspace.declaration.members().map(|(_, member)| member).filter(|member| member.dir != ".").find_map(
        |member| {
            if member.dir == dir {
                return Some(format!("which is the directory of member {}", member.name));
            }
            if is_inside(&member.dir, dir) {
                return Some(format!("which holds member {} ({})", member.name, member.dir));
            }
            (member.kind == "workspace" && is_inside(dir, &member.dir)).then(|| {
                format!(
                    "which lies in the nested workspace {}; that one declares its own examples",
                    member.name
                )
            })
        },
    )
}
