//! The content digest of a tree, as every bound result of Chalk names it.

use std::path::Path;

use gate::Refusal;
use store::digest::{ContentDigest, content_digest};
use store::git::RepoPath;

use crate::codes;
use crate::model::Config;
use crate::session::{self, Session};

/// Files below `.chalk/` that are state and no content: they change with every command.
const STATE_FILES: &[&str] = &[
    "tasks.json",
    "chalk.json",
    "updates.jsonl",
    "questions.json",
    "decisions.md",
    "director.jsonl",
    "lessons.md",
    ".lock",
    "local/cost.jsonl",
    "local/spine.hashes.json",
    "local/telemetry.json",
    "local/autopilot.lock",
    "local/retro-last.json",
];

/// The state that has a folder of its own, with how the names in it end. Whatever else lies there is content: a gate
/// could run it. So is all of `.chalk/tests`, `.chalk/evidence` and `.chalk/runs`.
const STATE_FOLDERS: &[(&str, &[&str])] = &[
    ("skills", &[".md"]),
    ("boards", &[".json"]),
    ("plans", &[".md"]),
    ("handoffs", &[".md"]),
    ("analysis", &[".md", ".json"]),
    ("archive", &[".json", ".jsonl"]),
    ("backups", &[".json"]),
];

/// Whether a path relative to the root is state of the spine or part of the held-out set, which no bound
/// result covers: the one changes with every command, and the other has a digest of its own.
pub fn is_left_out(path: &[u8], held_out: Option<&[u8]>) -> bool {
    if held_out.is_some_and(|folder| is_within(path, folder)) {
        return true;
    }
    path.strip_prefix(b".chalk/")
        .is_some_and(|rest| is_state(rest) || before_rename(rest).is_some_and(is_state))
}

/// Whether a path relative to the spine is one of its state.
fn is_state(path: &[u8]) -> bool {
    STATE_FILES.iter().any(|name| path == name.as_bytes())
        || STATE_FOLDERS.iter().any(|(folder, ends)| {
            is_within(path, folder.as_bytes()) && ends.iter().any(|end| path.ends_with(end.as_bytes()))
        })
}

/// The file that a temporary one was to become, `<name>.<process>.tmp`: that of a writer at work, or of one killed.
fn before_rename(path: &[u8]) -> Option<&[u8]> {
    let rest = path.strip_suffix(b".tmp")?;
    let dot = rest.iter().rposition(|&byte| byte == b'.')?;
    let (name, process) = (&rest[..dot], &rest[dot + 1..]);
    (!process.is_empty() && process.iter().all(u8::is_ascii_digit)).then_some(name)
}

/// The files and folders that [`is_left_out`] leaves out and that have a fixed name, as git takes them.
pub fn left_out(held_out: Option<&str>) -> Vec<RepoPath> {
    let state = STATE_FILES.iter().map(|name| RepoPath::new(format!(".chalk/{name}")));
    state.chain(held_out.map(RepoPath::new)).collect()
}

/// The others, as patterns in which `*` and `**` have git's meaning.
pub fn left_out_patterns() -> impl Iterator<Item = String> {
    let each = |(folder, ends): &(&'static str, &'static [&'static str])| {
        let folder = *folder;
        ends.iter().map(move |end| format!(".chalk/{folder}/**/*{end}"))
    };
    STATE_FOLDERS.iter().flat_map(each)
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
        for path in [
            ".chalk/tasks.json",
            ".chalk/.lock",
            ".chalk/plans/todo/01_a.plan.md",
            ".chalk/boards/chalk-protocol.board.json",
            ".chalk/archive/tasks-2030.json",
            ".chalk/archive/updates-2030.jsonl",
            ".chalk/backups/2030-01-01/tasks.json",
            ".chalk/skills/how.md",
            ".chalk/local/cost.jsonl",
            ".chalk/held-out/a.test.mjs",
            ".chalk/tasks.json.77.tmp",
            ".chalk/plans/todo/01_a.plan.md.9.tmp",
        ] {
            assert!(out(path), "{path}");
        }
        for path in [
            ".chalk/tests/a.mjs",
            ".chalk/evidence/x.png",
            ".chalk/runs/x.test.yaml",
            ".chalk/spec.md",
            "src/tasks.json",
            ".chalk/held-outs",
            ".chalk/plans",
            ".chalk/plans/gate.mjs",
            ".chalk/archive/gate.sh",
            ".chalk/backups/x/gate.py",
            ".chalk/local/gate.sh",
            ".chalk/skills/gate",
            ".chalk/x.tmp",
            ".chalk/x.9.tmp",
            ".chalk/gate.sh.tmp",
            ".chalk/tasks.json.tmp",
            ".chalk/tasks.json.x.tmp",
        ] {
            assert!(!out(path), "{path}");
        }
    }

    #[test]
    fn patterns_and_names_are_the_same_rule() {
        for pattern in left_out_patterns() {
            let path = pattern.replace("**/*", "x/y");
            assert!(is_left_out(path.as_bytes(), None), "{path}");
        }
        for path in left_out(Some("held")) {
            assert!(is_left_out(path.as_bytes(), Some(b"held")), "{path}");
        }
    }
}
