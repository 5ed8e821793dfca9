//! Which files of a change are its implementation.

use store::git::{Change, ChangeKind, RepoPath};

use super::Subject;
use crate::change::ChangeSet;
use crate::source::language::{Language, is_test_path};

/// Files that say how a project is built and what it needs. A test without them fails for reasons of its own.
const MANIFESTS: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "Gemfile",
    "Gemfile.lock",
    "Pipfile",
    "Pipfile.lock",
    "bun.lock",
    "composer.json",
    "composer.lock",
    "go.mod",
    "go.sum",
    "go.work",
    "go.work.sum",
    "mix.exs",
    "mix.lock",
    "package-lock.json",
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "poetry.lock",
    "pubspec.lock",
    "pubspec.yaml",
    "pyproject.toml",
    "requirements.txt",
    "setup.cfg",
    "setup.py",
    "tsconfig.json",
    "uv.lock",
    "yarn.lock",
];

/// What a lever says of a change that has no implementation.
pub(super) const TESTS_ALONE: &str = "the change is tests alone";

/// A path as text; bytes that are no UTF-8 are U+FFFD, which no language's extension has.
pub(super) fn text(path: &RepoPath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}

/// The changed files that do the work: neither tests nor locked nor below `.chalk/`. Prose, and what only says how the
/// project is built, counts where nothing else changed.
pub(super) fn implementation<'a>(subject: &Subject<'_, '_>, set: &'a ChangeSet) -> Vec<&'a Change> {
    let chalk = RepoPath::new(".chalk");
    let works = |change: &&Change| {
        let path = text(&change.path);
        !is_test_path(&path) && !subject.is_locked(&path) && !change.path.is_within(&chalk)
    };
    let (aside, rest): (Vec<&Change>, Vec<&Change>) =
        set.files.iter().filter(works).partition(|change| is_aside(&text(&change.path)));
    if rest.is_empty() { aside } else { rest }
}

/// Those of them that are there and are programs.
pub(super) fn sources<'a>(subject: &Subject<'_, '_>, set: &'a ChangeSet) -> Vec<&'a Change> {
    let is_program = |change: &&Change| {
        change.kind != ChangeKind::Deleted
            && Language::of(&text(&change.path)).is_some_and(Language::holds_tests)
            && subject.tree.join(change.path.to_path()).is_file()
    };
    implementation(subject, set).into_iter().filter(is_program).collect()
}

fn is_aside(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let prose = [".md", ".markdown", ".rst", ".adoc"].iter().any(|ending| name.ends_with(ending));
    prose
        || MANIFESTS.contains(&name)
        || matches!(name, ".gitignore" | ".gitattributes" | "LICENSE" | "README")
}
