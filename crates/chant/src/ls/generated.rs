//! The files of a member that a command writes.

use std::collections::BTreeMap;

use serde::Deserialize;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use super::document::Generated;
use super::jobs;
use crate::declaration::{Member, Workspace};

/// What a member's own commands wrote, noted by them.
const NOTED: &str = ".chant/generated.json";

#[derive(Deserialize)]
struct Note {
    files: Vec<NotedFile>,
}

/// A file that a member's own command wrote.
#[derive(Deserialize)]
pub(crate) struct NotedFile {
    /// From the top of the repository.
    pub path: String,
    command: Option<String>,
    /// The environment that it deploys.
    pub env: Option<String>,
}

/// What the commands of the member in `folder` noted. A note that can't be read notes nothing.
pub(crate) fn noted(tree: &dyn Tree, folder: &RepoPath) -> Result<Vec<NotedFile>, TreeError> {
    let note = tree.read(&folder.join(NOTED))?;
    Ok(note.and_then(|bytes| canon::json::read::<Note>(&bytes).ok()).map_or_else(Vec::new, |note| note.files))
}

/// The declared files and those that the member's commands noted, sorted by path; what is kept by hand is left out.
/// A file in both lists has the declared command.
pub(super) fn files(
    tree: &dyn Tree,
    workspace: &Workspace,
    member: &Member,
) -> Result<Vec<Generated>, TreeError> {
    let folder = workspace.at(member.folder());
    let mut files: BTreeMap<String, (String, Option<String>)> = BTreeMap::new();
    for file in noted(tree, &folder)? {
        files.insert(file.path, (file.command.unwrap_or_default(), file.env));
    }
    for declared in &member.generated {
        let Some(path) = folder.join(&declared.path).as_str().map(str::to_owned) else { continue };
        if declared.hand_written.is_some() {
            files.remove(&path);
            continue;
        }
        let env = files.get(&path).and_then(|(_, env)| env.clone());
        files.insert(path, (declared.generator.clone(), env));
    }
    let mut listed = Vec::new();
    for (path, (command, env)) in files {
        let jobs = jobs::of(tree, &RepoPath::from(path.as_str()))?;
        listed.push(Generated { path, command, env, jobs });
    }
    Ok(listed)
}
