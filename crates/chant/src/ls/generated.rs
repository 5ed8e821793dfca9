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

#[derive(Deserialize)]
struct NotedFile {
    /// From the top of the repository.
    path: String,
    command: Option<String>,
    env: Option<String>,
}

/// The declared files and those that the member's commands noted, sorted by path; what is kept by hand is left out.
/// A file in both lists has the declared command. A note that can't be read notes nothing.
pub(super) fn files(
    tree: &dyn Tree,
    workspace: &Workspace,
    member: &Member,
) -> Result<Vec<Generated>, TreeError> {
    let folder = workspace.at(member.folder());
    let mut files: BTreeMap<String, (String, Option<String>)> = BTreeMap::new();
    let note = tree.read(&folder.join(NOTED))?;
    let note = note.and_then(|bytes| canon::json::read::<Note>(&bytes).ok());
    for file in note.into_iter().flat_map(|note| note.files) {
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
