//! Names for the workspace and its members.

use std::collections::BTreeSet;

use serde_json::Value;
use store::git::RepoPath;
use store::tree::{Tree, TreeError};

use crate::declaration::is_name;

/// Where the workspace's name may come from, the best first.
#[derive(Debug, Clone, Copy)]
pub struct Names<'a> {
    /// The name that was asked for.
    pub given: Option<&'a str>,
    /// The address of the remote `origin`.
    pub origin: Option<&'a str>,
    /// The name of the folder.
    pub folder: &'a str,
}

impl Names<'_> {
    /// The workspace's name: as asked for, else the repository's at `origin`, else the root package's, else the
    /// folder's.
    pub(super) fn workspace(&self, tree: &dyn Tree) -> Result<String, TreeError> {
        if let Some(given) = self.given {
            return Ok(given.to_owned());
        }
        let origin = self.origin.map(|url| url.trim_end_matches('/').trim_end_matches(".git"));
        let repository = origin.and_then(|url| url.rsplit(['/', ':']).next()).and_then(plain);
        if let Some(name) = repository {
            return Ok(name);
        }
        let package = package_name(tree, "")?.and_then(|name| plain(&name));
        Ok(package.or_else(|| plain(self.folder)).unwrap_or_else(|| "workspace".to_owned()))
    }
}

/// A member's name: its package's without the workspace's own name in front, else its folder's.
pub(super) fn member(tree: &dyn Tree, dir: &str, workspace: &str) -> Result<String, TreeError> {
    let package = package_name(tree, dir)?.and_then(|name| {
        let own = name.strip_prefix(workspace).and_then(|rest| rest.strip_prefix('-')).unwrap_or(&name);
        plain(own).filter(|name| name != workspace)
    });
    let folder = dir.rsplit('/').next().unwrap_or(dir);
    Ok(package.or_else(|| plain(folder)).unwrap_or_else(|| "member".to_owned()))
}

/// The name of a folder's package, without its scope.
fn package_name(tree: &dyn Tree, dir: &str) -> Result<Option<String>, TreeError> {
    let name = package(tree, dir)?.and_then(|package| package.get("name")?.as_str().map(str::to_owned));
    Ok(name.map(|name| match name.strip_prefix('@').and_then(|scoped| scoped.split_once('/')) {
        Some((_, name)) => name.to_owned(),
        None => name,
    }))
}

/// A folder's `package.json`; none where there is none, or none that is JSON.
pub(super) fn package(tree: &dyn Tree, dir: &str) -> Result<Option<Value>, TreeError> {
    let bytes = tree.read(&RepoPath::from(dir).join("package.json"))?;
    Ok(bytes.and_then(|bytes| canon::json::read(&bytes).ok()))
}

/// The name that is closest to some text; none where nothing is left of it.
pub(super) fn plain(text: &str) -> Option<String> {
    let mut name = String::new();
    for char in text.to_lowercase().chars() {
        let char = if char.is_ascii_lowercase() || char.is_ascii_digit() { char } else { '-' };
        if char != '-' || !(name.is_empty() || name.ends_with('-')) {
            name.push(char);
        }
    }
    name.truncate(40);
    let name = name.trim_end_matches('-');
    is_name(name).then(|| name.to_owned())
}

/// The names that entries have.
#[derive(Default)]
pub(super) struct Taken(BTreeSet<String>);

impl Taken {
    /// The name itself, or with a number where another entry has it.
    pub fn free(&mut self, name: String) -> String {
        let numbered = (2..).map(|number| {
            let ending = format!("-{number}");
            let kept: String = name.chars().take(40 - ending.len()).collect();
            format!("{}{ending}", kept.trim_end_matches('-'))
        });
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !self.0.contains(name));
        let free = free.unwrap_or_else(|| name.clone());
        self.0.insert(free.clone());
        free
    }
}
