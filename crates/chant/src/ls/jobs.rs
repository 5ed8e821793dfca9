//! The jobs of a file for continuous integration, by the names that a forge shows.

use serde_json::Value;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

/// Keys at the top of a GitLab file that are no jobs.
const GITLAB_KEYS: [&str; 13] = [
    "after_script",
    "before_script",
    "cache",
    "default",
    "image",
    "include",
    "pages_domain",
    "services",
    "spec",
    "stages",
    "types",
    "variables",
    "workflow",
];

enum Forge {
    /// GitHub, Forgejo and Gitea.
    Workflow,
    GitLab,
}

fn forge(path: &str) -> Option<Forge> {
    let workflows = [".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/"];
    if workflows.iter().any(|folder| path.starts_with(folder)) {
        return Some(Forge::Workflow);
    }
    (path == ".gitlab-ci.yml" || path.starts_with(".gitlab/ci/")).then_some(Forge::GitLab)
}

/// Whether a forge looks for a pipeline in exactly this file.
pub(crate) fn is_pipeline(path: &str) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folders = ["", ".github/workflows", ".forgejo/workflows", ".gitea/workflows", ".gitlab/ci"];
    forge(path).is_some() && folders.contains(&folder)
}

/// The names of a file's jobs; none for other files, and where the file is missing or can't be read.
pub(super) fn of(tree: &dyn Tree, path: &RepoPath) -> Result<Option<Vec<String>>, TreeError> {
    let Some(forge) = path.as_str().and_then(forge) else { return Ok(None) };
    let Some(bytes) = tree.read(path)? else { return Ok(None) };
    let text = String::from_utf8(bytes).ok();
    Ok(text.and_then(|text| canon::outline(&text)).and_then(|file| names(&forge, &file)))
}

fn names(forge: &Forge, file: &Value) -> Option<Vec<String>> {
    let jobs = match forge {
        Forge::Workflow => file.get("jobs")?.as_object()?,
        Forge::GitLab => file.as_object()?,
    };
    let is_job = |key: &str, job: &Value| match forge {
        Forge::Workflow => true,
        Forge::GitLab => job.is_object() && !key.starts_with('.') && !GITLAB_KEYS.contains(&key),
    };
    let name = |key: &String, job: &Value| match (forge, job.get("name").and_then(Value::as_str)) {
        (Forge::Workflow, Some(name)) if !name.is_empty() => name.to_owned(),
        _ => key.clone(),
    };
    Some(jobs.iter().filter(|(key, job)| is_job(key, job)).map(|(key, job)| name(key, job)).collect())
}
