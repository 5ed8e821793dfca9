//! The held-out set (P7): where it lies, which files are locked, and whether they are as they were locked.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use canon::{Hasher, Sha256};
use gate::Refusal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Env;
use store::file;
use store::git::{Git, RepoPath};

use crate::codes;
use crate::locks::{self, Integrity};
use crate::model::{Config, Lock};
use crate::session::{self, Session};

/// The variable that tells the runner and the author of the set where it lies.
pub const FOLDER_VARIABLE: &str = "CHALK_HELD_OUT_DIR";

/// Lines of code for each held-out test where the configured number is none.
const LOC_PER_TEST: f64 = 2000.0;

/// Folders that tools fill beside tests.
const TOOL_FOLDERS: &[&str] = &["__pycache__", "node_modules", "target"];

/// The held-out set of a spine.
#[derive(Debug, Clone)]
pub struct HeldOut {
    /// Where the set lies, absolute. It need not exist.
    pub folder: PathBuf,
    /// The locked files: relative to the root of the spine, or absolute for what lies outside of it.
    pub locks: Vec<Lock>,
    root: PathBuf,
    home: Option<PathBuf>,
}

/// A locked file of the set and how it stands to its lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct HeldOutFile {
    /// As the lock has it.
    pub path: String,
    /// The digest that was locked.
    pub sha256: Sha256,
    /// Whether the lock holds.
    pub state: Integrity,
}

impl HeldOutFile {
    /// Whether the file is as it was locked.
    pub fn holds(&self) -> bool {
        self.state == Integrity::Intact
    }

    /// What became of the file, as a sentence.
    pub fn sentence(&self) -> String {
        let path = &self.path;
        match self.state {
            Integrity::Intact | Integrity::IntactByGit => format!("`{path}` is as it was locked"),
            Integrity::LineEnds | Integrity::Changed => format!("`{path}` was modified since it was locked"),
            Integrity::Missing => format!("`{path}` is gone"),
            Integrity::Unreadable => format!("`{path}` can't be read"),
        }
    }
}

/// The locked files as they are, and the digest over all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// Every locked file, in the order of the locks.
    pub files: Vec<HeldOutFile>,
    /// Moves when a file is locked or let go, when the content of one changes, and when one that is not locked
    /// comes, changes or goes: the runner may run it all the same.
    pub digest: Sha256,
}

impl Examined {
    /// The files that are not as they were locked.
    pub fn broken(&self) -> impl Iterator<Item = &HeldOutFile> {
        self.files.iter().filter(|file| !file.holds())
    }
}

impl HeldOut {
    /// The set as `config` has it.
    ///
    /// # Errors
    /// `not-configured` where the folder begins with a `~` that can't be resolved.
    pub fn of(session: &Session<'_>, config: &Config) -> Result<Self, Refusal> {
        let regression = &config.protocol.regression;
        let root = session.spine.root.clone();
        let folder = resolve(&regression.dir, &root, &session.world.env)?;
        Ok(Self { folder, locks: regression.tests.clone(), root, home: home(&session.world.env) })
    }

    /// The file of a locked path.
    pub fn file(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => locks::on_disk(&self.root, path),
        }
    }

    /// Reads every locked file and compares it with its lock.
    pub fn examine(&self) -> Examined {
        let mut files = Vec::with_capacity(self.locks.len());
        let mut lines = Vec::with_capacity(self.locks.len());
        for lock in &self.locks {
            let (state, found) = match file::read(&self.file(&lock.path)) {
                Ok(Some(bytes)) => {
                    let found = Sha256::of(&bytes);
                    let state = if found == lock.sha256 { Integrity::Intact } else { Integrity::Changed };
                    (state, found.to_string())
                }
                Ok(None) => (Integrity::Missing, "missing".to_owned()),
                Err(_) => (Integrity::Unreadable, "unreadable".to_owned()),
            };
            lines.push((&lock.path, lock.sha256, found));
            files.push(HeldOutFile { path: lock.path.clone(), sha256: lock.sha256, state });
        }
        lines.sort();
        let mut hasher = Hasher::new();
        for (path, locked, found) in lines {
            hasher.update(format!("{locked} {found} {path}\0"));
        }
        for name in self.beside() {
            let found = match file::read(&self.file(&name)) {
                Ok(Some(bytes)) => Sha256::of(&bytes).to_string(),
                _ => "unreadable".to_owned(),
            };
            hasher.update(format!("unlocked {found} {name}\0"));
        }
        Examined { files, digest: hasher.finish() }
    }

    /// The name under which a file is locked: relative to the root of the spine where it lies below it,
    /// else absolute, with forward slashes. None for a name that is not UTF-8.
    pub fn name(&self, file: &Path) -> Option<String> {
        let name = file.strip_prefix(&self.root).unwrap_or(file);
        Some(name.to_str()?.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// The files in the folder that are meant as tests and are not locked, by the name that a lock
    /// would have.
    pub fn unlocked(&self) -> Result<Vec<String>, Refusal> {
        let names =
            test_files(&self.folder)?.into_iter().filter_map(|file| self.name(&self.folder.join(file)));
        Ok(names.filter(|name| !self.is_locked(name)).collect())
    }

    /// The unlocked files, as far as the folder can be listed. A folder that holds the project itself is none of
    /// the set's own: there the digest of the tree moves.
    fn beside(&self) -> Vec<String> {
        if self.root.starts_with(&self.folder) { Vec::new() } else { self.unlocked().unwrap_or_default() }
    }

    /// Whether `path`, in any spelling, is locked.
    pub fn is_locked(&self, path: &str) -> bool {
        self.locks.iter().any(|lock| locks::is_same(&lock.path, path))
    }

    /// Whether the set lies in a work tree that the implementer works in.
    pub fn is_inside(&self, session: &Session<'_>) -> bool {
        let trees = [&self.root, &session.spine.tree];
        trees.into_iter().chain(tops(session).iter()).any(|tree| self.folder.starts_with(tree))
    }

    /// The files of the set that git tracks in this repository, so that every clone and every work tree
    /// holds them. A set that is kept in a repository of its own is not meant.
    pub fn tracked(&self, session: &Session<'_>) -> Result<Vec<String>, Refusal> {
        let mut found = Vec::new();
        for top in tops(session) {
            let below = |path: &Path| path.strip_prefix(&top).ok().map(RepoPath::from_path);
            let folder = below(&self.folder);
            let locked: Vec<RepoPath> =
                self.locks.iter().filter_map(|lock| below(&self.file(&lock.path))).collect();
            if folder.is_none() && locked.is_empty() {
                continue;
            }
            let tracked = Git::new(&top, &session.world.env).tracked().map_err(session::git)?;
            let of_set = |path: &RepoPath| {
                let name = String::from_utf8_lossy(path.as_bytes());
                let is_in_folder = folder.as_ref().is_some_and(|folder| path.is_within(folder));
                (is_in_folder && !is_readme(name.rsplit('/').next().unwrap_or_default()))
                    || locked.contains(path)
            };
            let names = tracked
                .iter()
                .filter(|path| of_set(path))
                .filter_map(|path| self.name(&top.join(path.to_path())));
            found.extend(names);
        }
        found.sort();
        found.dedup();
        Ok(found)
    }
}

/// The tops of the main work tree and of the caller's one; none outside git.
fn tops(session: &Session<'_>) -> Vec<PathBuf> {
    let Some(layout) = &session.spine.layout else { return Vec::new() };
    let mut tops: Vec<PathBuf> = layout.main_work_tree().map(Path::to_owned).into_iter().collect();
    if !tops.contains(&layout.work_tree) {
        tops.push(layout.work_tree.clone());
    }
    tops
}

fn home(env: &Env) -> Option<PathBuf> {
    env.get("HOME").or_else(|| env.get("USERPROFILE")).map(PathBuf::from)
}

/// The folder that `dir` names: relative to the root, absolute, or below the home folder.
pub(crate) fn resolve(dir: &str, root: &Path, env: &Env) -> Result<PathBuf, Refusal> {
    let dir = dir.trim();
    let below_home = |rest: &str| {
        // `~name` is another one's home.
        let home = home(env).filter(|_| rest.is_empty() || rest.starts_with(['/', '\\']));
        home.map(|home| home.join(rest.trim_start_matches(['/', '\\'])))
    };
    let folder = match dir.strip_prefix('~') {
        Some(rest) => below_home(rest).ok_or_else(|| {
            Refusal::new(
                codes::NOT_CONFIGURED,
                format!("`protocol.regression.dir` is `{dir}`, and no home folder is known for it"),
            )
            .hint("give an absolute path")
        })?,
        None if dir.is_empty() => root.join(".chalk/held-out"),
        None => root.join(dir),
    };
    Ok(file::plain(&folder))
}

/// The files below `folder` that are meant as tests, relative to it and sorted: everything but what is
/// hidden, what tools leave behind and files that explain the folder. Links are not followed, nor listed.
pub(crate) fn test_files(folder: &Path) -> Result<Vec<PathBuf>, Refusal> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let at = folder.join(&below);
        let fail =
            |error: io::Error| Refusal::new(codes::IO, format!("cannot list `{}`: {error}", at.display()));
        let entries = match fs::read_dir(&at) {
            Ok(entries) => entries,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                continue;
            }
            Err(error) => return Err(fail(error)),
        };
        for entry in entries {
            let entry = entry.map_err(fail)?;
            let kind = entry.file_type().map_err(fail)?;
            let name = entry.file_name();
            let shown = name.to_string_lossy();
            if shown.starts_with('.') {
                continue;
            }
            if kind.is_dir() && !TOOL_FOLDERS.contains(&&*shown) {
                folders.push(below.join(&name));
            } else if kind.is_file() && !is_readme(&shown) {
                files.push(below.join(&name));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file explains the folder it lies in instead of testing anything.
pub(crate) fn is_readme(name: &str) -> bool {
    name.to_ascii_lowercase().contains("readme")
}

/// How many held-out tests a code base of `loc` lines needs: one for each `loc_per_test` whole lines. A
/// number that is not positive counts as 2000.
pub fn floor(loc: u64, loc_per_test: f64) -> u64 {
    let per_test = if loc_per_test > 0.0 { loc_per_test } else { LOC_PER_TEST };
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "line counts are far below 2^52, and the quotient is neither negative nor fractional"
    )]
    {
        (loc as f64 / per_test).floor() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(root: &Path, locks: &[(&str, &str)]) -> HeldOut {
        let lock =
            |(path, content): &(&str, &str)| Lock { path: (*path).to_owned(), sha256: Sha256::of(content) };
        HeldOut {
            folder: root.join(".chalk/held-out"),
            locks: locks.iter().map(lock).collect(),
            root: root.to_owned(),
            home: Some("/home/a".into()),
        }
    }

    fn write(root: &Path, name: &str, content: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[test]
    fn the_folder_may_be_relative_absolute_or_below_home() {
        let env: Env = [("HOME", "/home/a")].into_iter().collect();
        let folder = |dir| resolve(dir, Path::new("/r"), &env).unwrap();
        assert_eq!(folder(".chalk/held-out"), Path::new("/r/.chalk/held-out"));
        assert_eq!(folder("./x/"), Path::new("/r/x"));
        assert_eq!(folder("../sets/r"), Path::new("/sets/r"));
        assert_eq!(folder("/sets/r"), Path::new("/sets/r"));
        assert_eq!(folder("~/sets"), Path::new("/home/a/sets"));
        assert_eq!(folder("~"), Path::new("/home/a"));
        assert_eq!(folder(" "), Path::new("/r/.chalk/held-out"));
        for (dir, env) in [("~/sets", Env::default()), ("~b/sets", env)] {
            assert_eq!(resolve(dir, Path::new("/r"), &env).unwrap_err().code, codes::NOT_CONFIGURED);
        }
    }

    #[test]
    fn every_way_to_lose_a_file_breaks_its_lock() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "a", "1");
        write(root, "b", "2, changed");
        write(root, "d/e", "");
        let set = set(root, &[("a", "1"), ("b", "2"), ("c", "3"), ("d", "4")]);
        let states: Vec<Integrity> = set.examine().files.iter().map(|file| file.state).collect();
        assert_eq!(
            states,
            [Integrity::Intact, Integrity::Changed, Integrity::Missing, Integrity::Unreadable]
        );
        assert_eq!(set.examine().broken().count(), 3);
    }

    #[test]
    fn the_digest_moves_with_locks_and_content_and_not_with_their_order() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, "a", "1");
        write(root, "b", "2");
        let digest = |locks: &[(&str, &str)]| set(root, locks).examine().digest;
        let both = digest(&[("a", "1"), ("b", "2")]);
        assert_eq!(digest(&[("b", "2"), ("a", "1")]), both);
        assert_ne!(digest(&[("a", "1")]), both);
        assert_ne!(digest(&[("a", "1"), ("b", "old")]), both);
        write(root, "b", "3");
        assert_ne!(digest(&[("a", "1"), ("b", "2")]), both);
    }

    #[test]
    fn the_digest_moves_with_files_that_are_not_locked() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(root, ".chalk/held-out/a", "1");
        let digest = || set(root, &[(".chalk/held-out/a", "1")]).examine().digest;
        let alone = digest();
        write(root, ".chalk/held-out/README.md", "about the folder");
        assert_eq!(digest(), alone);
        write(root, ".chalk/held-out/b", "2");
        let with = digest();
        assert_ne!(with, alone);
        write(root, ".chalk/held-out/b", "3");
        assert_ne!(digest(), with);
        fs::remove_file(root.join(".chalk/held-out/b")).unwrap();
        assert_eq!(digest(), alone);
    }

    #[test]
    fn names_are_relative_inside_the_root_and_absolute_outside() {
        let set = set(Path::new("/r"), &[("h/a.mjs", "")]);
        assert_eq!(set.name(Path::new("/r/h/a.mjs")).unwrap(), "h/a.mjs");
        assert_eq!(set.name(Path::new("/sets/a.mjs")).unwrap(), "/sets/a.mjs");
        assert!(set.is_locked("./h/a.mjs"));
        assert!(set.is_locked("h\\a.mjs"));
        assert!(!set.is_locked("h/b.mjs"));
        assert_eq!(set.file("h/a.mjs"), Path::new("/r/h/a.mjs"));
        assert_eq!(set.file("~/sets/a.mjs"), Path::new("/home/a/sets/a.mjs"));
    }

    #[test]
    fn only_what_is_meant_as_a_test_is_listed() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        for name in
            ["a.mjs", "deep/b.py", "README.md", "deep/ReadMe", ".hidden", ".git/x", "__pycache__/b.pyc"]
        {
            write(root, name, "");
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc/passwd", root.join("link.mjs")).unwrap();
        assert_eq!(test_files(root).unwrap(), [Path::new("a.mjs"), Path::new("deep/b.py")]);
        assert!(test_files(&root.join("none")).unwrap().is_empty());
    }

    #[test]
    fn the_floor_is_one_test_for_each_whole_share() {
        assert_eq!(floor(1999, 2000.0), 0);
        assert_eq!(floor(2000, 2000.0), 1);
        assert_eq!(floor(6001, 1500.0), 4);
        assert_eq!(floor(4000, 0.0), 2);
        assert_eq!(floor(4000, -1.0), 2);
        assert_eq!(floor(4000, f64::NAN), 2);
        assert_eq!(floor(1, 0.5), 2);
    }
}
