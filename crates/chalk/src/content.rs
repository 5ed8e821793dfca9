//! The content digest of a tree, as every bound result of Chalk names it.

use std::path::Path;

use gate::Refusal;
use store::digest::{ContentDigest, content_digest};
use store::git::RepoPath;

use crate::codes;
use crate::model::Config;
use crate::session::{self, Session};

/// What below `.chalk/` is state or output, not content (facts 2.7). `.chalk/tests` and `.chalk/evidence`
/// are content on purpose.
const STATE_FILES: &[&str] = &[
    "tasks.json",
    "chalk.json",
    "updates.jsonl",
    "questions.json",
    "decisions.md",
    "director.jsonl",
    "lessons.md",
    ".lock",
];
const STATE_FOLDERS: &[&str] =
    &["skills", "boards", "plans", "handoffs", "analysis", "archive", "backups", "local", "runs"];

/// Whether a path relative to the root is state of the spine or part of the held-out set, which no bound
/// result covers: the one changes with every command, and the other has a digest of its own.
pub fn is_left_out(path: &[u8], held_out: Option<&[u8]>) -> bool {
    if held_out.is_some_and(|folder| is_within(path, folder)) {
        return true;
    }
    let Some(rest) = path.strip_prefix(b".chalk/") else { return false };
    STATE_FILES.iter().any(|name| rest == name.as_bytes())
        || STATE_FOLDERS.iter().any(|folder| is_within(rest, folder.as_bytes()))
        || rest.ends_with(b".tmp")
}

/// The files and folders that [`is_left_out`] leaves out, as git takes them.
pub fn left_out(held_out: Option<&str>) -> Vec<RepoPath> {
    let state = STATE_FILES.iter().chain(STATE_FOLDERS).map(|name| RepoPath::new(format!(".chalk/{name}")));
    state.chain(held_out.map(RepoPath::new)).collect()
}

fn is_within(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

/// The folder of the held-out set relative to the root; none where it lies outside.
pub fn held_out_folder(config: &Config) -> Option<String> {
    let dir = config.protocol.regression.dir.trim().trim_start_matches("./").trim_end_matches('/');
    let outside = dir.is_empty() || dir.starts_with(['/', '~']) || dir.split('/').any(|part| part == "..");
    (!outside).then(|| dir.to_owned())
}

/// The folder that digest and change of `tree` leave out: that of the held-out set, where it lies below the root and git
/// tracks nothing in it but a readme.
///
/// What git tracks is held out from nobody. Left out all the same, a source folder that the configuration calls the
/// held-out one would be judged by no gate.
pub fn unjudged_folder(
    session: &Session<'_>,
    config: &Config,
    tree: &Path,
) -> Result<Option<String>, Refusal> {
    let Some(folder) = held_out_folder(config) else { return Ok(None) };
    let Some(git) = session.git(tree) else { return Ok(Some(folder)) };
    let within = RepoPath::new(&folder);
    let is_readme = |path: &RepoPath| path.to_string().to_lowercase().contains("readme");
    let tracked = git.tracked().map_err(session::git)?;
    let visible = tracked.iter().any(|path| path.is_within(&within) && !is_readme(path));
    Ok((!visible).then_some(folder))
}

/// The content digest of `tree`, which is the root or the matching folder of a linked work tree.
pub fn digest(session: &Session<'_>, config: &Config, tree: &Path) -> Result<ContentDigest, Refusal> {
    let held_out = unjudged_folder(session, config, tree)?;
    let held_out = held_out.as_ref().map(String::as_bytes);
    content_digest(tree, &session.world.env, &|path| is_left_out(path, held_out))
        .map_err(|error| Refusal::new(codes::IO, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_left_out_and_content_is_not() {
        let out = |path: &str| is_left_out(path.as_bytes(), Some(b".chalk/held-out"));
        for path in
            [".chalk/tasks.json", ".chalk/plans/todo/1.md", ".chalk/held-out/a.test.mjs", ".chalk/x.9.tmp"]
        {
            assert!(out(path), "{path}");
        }
        for path in [
            ".chalk/tests/a.mjs",
            ".chalk/evidence/x.png",
            ".chalk/spec.md",
            "src/tasks.json",
            ".chalk/held-outs",
        ] {
            assert!(!out(path), "{path}");
        }
    }
}
