//! Where a repository keeps its parts, found the way git finds them but without starting git.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::path::os_string;
use super::settings::Settings;

/// The folders of a repository, all absolute and free of symbolic links.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// The top of the checked-out files.
    pub work_tree: PathBuf,
    /// What belongs to this work tree alone: `HEAD`, the index.
    pub git_dir: PathBuf,
    /// What all work trees share: objects, refs, the configuration. The same as `git_dir` except in a linked
    /// worktree.
    pub common_dir: PathBuf,
    main_work_tree: Option<PathBuf>,
}

impl Layout {
    /// Finds the repository whose work tree holds `start`, a file or folder that exists.
    ///
    /// Walks up to the root of the file system for a `.git`: a folder that is a repository, or a file that names
    /// one, as in linked worktrees, submodules and after `git init --separate-git-dir`. A `.git` folder that is no
    /// repository is passed over, as git does, and so is a bare repository on the way. `None` where there is no
    /// repository, or where the one found has no work tree (`core.bare`).
    ///
    /// # Errors
    ///
    /// Names the `.git` file that is damaged or points nowhere, or the file that cannot be read.
    pub fn discover(start: &Path) -> io::Result<Option<Self>> {
        let start = canonical(start)?;
        for folder in start.ancestors() {
            if let Some(git_dir) = repository_at(&folder.join(".git"))? {
                return Self::open(folder, git_dir);
            }
        }
        Ok(None)
    }

    /// Whether this is a worktree made by `git worktree add`.
    pub fn is_linked_worktree(&self) -> bool {
        self.git_dir != self.common_dir
    }

    /// The work tree that was there first: of a linked worktree the one it was made from, otherwise its own.
    ///
    /// `None` where the first repository is bare, or was made with `--separate-git-dir`: git itself keeps no way
    /// back from there.
    pub fn main_work_tree(&self) -> Option<&Path> {
        self.main_work_tree.as_deref()
    }

    fn open(folder: &Path, git_dir: PathBuf) -> io::Result<Option<Self>> {
        let common_dir = common_dir_of(&git_dir)?;
        let linked = common_dir != git_dir;

        let mut shared = Settings::default();
        shared.read(&common_dir.join("config"))?;
        let mut main = shared.clone();
        if shared.worktree_config {
            main.read(&common_dir.join("config.worktree"))?;
        }
        // Without the extension `core.bare` and `core.worktree` speak of the main work tree alone.
        let own = match (linked, shared.worktree_config) {
            (false, _) => main.clone(),
            (true, false) => Settings::default(),
            (true, true) => {
                let mut own = shared;
                own.read(&git_dir.join("config.worktree"))?;
                own
            }
        };

        let work_tree = match &own.work_tree {
            Some(path) => resolve(&git_dir, path),
            None if own.bare => return Ok(None),
            None => folder.to_owned(),
        };
        let main_work_tree = match &main.work_tree {
            _ if !linked => Some(work_tree.clone()),
            Some(path) => Some(resolve(&common_dir, path)),
            None if main.bare => None,
            None if common_dir.file_name().is_some_and(|name| name == ".git") => {
                common_dir.parent().map(Path::to_owned)
            }
            None => None,
        };
        Ok(Some(Self { work_tree, git_dir, common_dir, main_work_tree }))
    }
}

/// The repository that `dot_git` is or names.
fn repository_at(dot_git: &Path) -> io::Result<Option<PathBuf>> {
    let Some(metadata) = present(dot_git, fs::metadata(dot_git))? else { return Ok(None) };
    if metadata.is_dir() {
        return if is_repository(dot_git)? { canonical(dot_git).map(Some) } else { Ok(None) };
    }
    if !metadata.is_file() {
        return Ok(None);
    }
    let text = fs::read(dot_git).map_err(|error| named("read", dot_git, error))?;
    let damaged = |fact: String| {
        io::Error::new(ErrorKind::InvalidData, format!("the git file `{}` {fact}", dot_git.display()))
    };
    let Some(target) = text.strip_prefix(b"gitdir: ").map(trim_line_end).filter(|target| !target.is_empty())
    else {
        return Err(damaged("is damaged: no line `gitdir: <path>`".to_owned()));
    };
    let folder = dot_git.parent().unwrap_or(Path::new(""));
    let target = folder.join(os_string(target));
    match canonical(&target) {
        Ok(git_dir) if is_repository(&git_dir)? => Ok(Some(git_dir)),
        Ok(_) => Err(damaged(format!("points to `{}`, which is no repository", target.display()))),
        Err(error) => Err(damaged(format!("points to `{}`: {error}", target.display()))),
    }
}

/// Git's own test for a repository: a `HEAD`, objects and refs.
fn is_repository(git_dir: &Path) -> io::Result<bool> {
    let head = git_dir.join("HEAD");
    // Not followed: a `HEAD` that is a symbolic link to an unborn branch dangles.
    if present(&head, fs::symlink_metadata(&head))?.is_none_or(|metadata| metadata.is_dir()) {
        return Ok(false);
    }
    let common_dir = match common_dir_of(git_dir) {
        Ok(common_dir) => common_dir,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    for name in ["objects", "refs"] {
        let part = common_dir.join(name);
        if !present(&part, fs::metadata(&part))?.is_some_and(|metadata| metadata.is_dir()) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn common_dir_of(git_dir: &Path) -> io::Result<PathBuf> {
    let file = git_dir.join("commondir");
    match present(&file, fs::read(&file))? {
        Some(text) => canonical(&git_dir.join(os_string(trim_line_end(&text)))),
        None => Ok(git_dir.to_owned()),
    }
}

/// A path from a settings file: relative to the repository's folder, and perhaps not there.
fn resolve(git_dir: &Path, path: &[u8]) -> PathBuf {
    let path = git_dir.join(os_string(path));
    canonical(&path).unwrap_or(path)
}

fn trim_line_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|byte| !matches!(byte, b'\n' | b'\r')).map_or(0, |last| last + 1);
    &text[..end]
}

/// Absence as `None`; a file on the way where a folder is expected is absence too.
fn present<T>(path: &Path, result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(named("read", path, error)),
    }
}

fn named(doing: &str, path: &Path, error: io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot {doing} `{}`: {error}", path.display()))
}

/// The absolute path without links, in a form that git understands too.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path).map_err(|error| named("find", path, error))?;
    #[cfg(windows)]
    if let Some(plain) = path.to_str().and_then(|path| path.strip_prefix(r"\\?\")) {
        if plain.as_bytes().get(1) == Some(&b':') {
            return Ok(PathBuf::from(plain));
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests;
