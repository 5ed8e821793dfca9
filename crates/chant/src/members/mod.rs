//! The members of a workspace as they lie in a tree: what kind reads each, why one can't be read, and which
//! directories the example groups match.
//!
//! A kind is data: a name and a probe that looks at a directory's files. Five are built in; packages that the
//! declaration pins supply others, as a JSON file. Nothing of a package is run.

pub(crate) mod classes;
mod glob;
mod groups;
mod kinds;
mod packages;
mod pinned;
mod probe;

use gate::ReasonCode;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use crate::declaration::{Member, Workspace};
use crate::{Problem, codes};

pub use glob::expand;
pub use groups::{Matches, groups};
pub use kinds::{Field, FieldType, Kind, Kinds, Outputs, PinProblem, Probe};
pub use pinned::{Installed, integrity};
pub use probe::{holds_project, probe};
pub(crate) use probe::{is_skipped, needs_chant};

/// Why a member can't be read; none where its kind reads it.
pub fn reason(
    tree: &dyn Tree,
    workspace: &Workspace,
    member: &Member,
    kinds: &Kinds,
) -> Result<Option<Problem>, TreeError> {
    let folder = workspace.at(member.folder());
    let problem = |code: ReasonCode, message: String| Ok(Some(Problem::new(code, message)));
    if !tree.is_folder(&folder)? {
        return problem(codes::DIR_MISSING, format!("{} is no directory{}", member.dir, at(tree)));
    }
    let Some(kind) = kinds.get(&member.kind) else {
        let known = kinds.names().join(", ");
        let message =
            format!("no built-in kind and no pinned package is {}; known kinds: {known}", member.kind);
        return problem(codes::UNKNOWN_KIND, message);
    };
    if !probe(tree, kind, &folder)? {
        return problem(codes::KIND_PROBE_FAILED, format!("{} is not {}", member.dir, kind.description));
    }
    Ok(None)
}

/// Which tree was read, for the end of a message.
pub(crate) fn at(tree: &dyn Tree) -> String {
    tree.commit().map_or_else(String::new, |commit| format!(" at {}", short(commit.as_str())))
}

fn short(oid: &str) -> &str {
    oid.get(..8).unwrap_or(oid)
}

/// A folder from the workspace root, as documents have it.
fn from_root(workspace: &Workspace, folder: &RepoPath) -> Option<String> {
    let inner = folder.as_bytes().get(workspace.root.as_bytes().len()..)?;
    let inner = inner.strip_prefix(b"/").unwrap_or(inner);
    std::str::from_utf8(inner).ok().map(str::to_owned)
}

#[cfg(test)]
mod tests;
