//! Questions whose answer depends on what is committed and what is on disk, and on nobody's private rules.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::listing::Listed;
use super::machine::Machine;
use super::scratch::Scratch;
use super::settings::Settings;
use super::{Disk, Git, GitError, Layout, ObjectFormat, RepoPath};

/// A git directory of our own, in the temporary folder, over the user's objects, index and work tree.
///
/// It has no `info/exclude`, no `info/attributes`, no hooks, no filters and no programs to run, and git reads no
/// other settings with it. So `.gitignore` and `.gitattributes` of the work tree count, and nothing that one person
/// alone has.
pub(crate) struct Impartial {
    /// Git with this directory. Its refs are not the user's: ask for objects by their full names.
    pub(crate) git: Git,
    pub(crate) machine: Machine,
    pub(super) format: ObjectFormat,
    /// The folder's own name below the top of the work tree.
    pub(super) prefix: RepoPath,
    pub(super) layout: Layout,
    scratch: Scratch,
}

impl Impartial {
    pub(crate) fn new(git: &Git) -> Result<Self, GitError> {
        let layout = git.layout()?;
        let machine = Machine::of(git, &layout)?;
        let mut settings = Settings::default();
        let file = layout.common_dir.join("config");
        settings.read(&file).map_err(|source| GitError::File { path: file, source })?;
        let format = if settings.sha256 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 };
        let here = super::layout::canonical(git.dir());
        let here = here.map_err(|source| GitError::File { path: git.dir().to_owned(), source })?;
        let prefix = RepoPath::from_path(here.strip_prefix(&layout.work_tree).unwrap_or(Path::new("")));

        let scratch = Scratch::new(git.env())?;
        let git_dir = scratch.path("git");
        make(&git_dir, &layout.git_dir).map_err(|source| GitError::File { path: git_dir.clone(), source })?;
        let git = git.with([
            ("GIT_DIR", git_dir),
            ("GIT_WORK_TREE", layout.work_tree.clone()),
            ("GIT_OBJECT_DIRECTORY", layout.common_dir.join("objects")),
            ("GIT_INDEX_FILE", layout.git_dir.join("index")),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_CONFIG_GLOBAL", "/dev/null".into()),
            ("GIT_ATTR_NOSYSTEM", "1".into()),
        ]);
        let impartial = Self { git, machine, format, prefix, layout, scratch };
        impartial.write_config()?;
        Ok(impartial)
    }

    /// A name for a file of our own, beside the git directory.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path(name)
    }

    /// Every entry below the folder, sorted by path.
    ///
    /// Leaves out other worktrees of the same repository that stand within it: each is another checkout with its own
    /// state, not content of this one.
    pub(crate) fn listing(&mut self) -> Result<Vec<Listed>, GitError> {
        let listing = self.git.listed(&self.layout)?;
        let mut disk = Disk::new(self.git.dir());
        if self.machine.correct(&listing, &mut disk, &self.layout)? {
            self.write_config()?;
        }
        Ok(listing)
    }

    fn write_config(&self) -> Result<(), GitError> {
        let path = self.scratch.path("git").join("config");
        let text = self.machine.config(self.format == ObjectFormat::Sha256);
        fs::write(&path, text).map_err(|source| GitError::File { path, source })
    }
}

/// Makes what git takes for a repository. The index of `user` can have a part that lies beside it.
fn make(git_dir: &Path, user: &Path) -> io::Result<()> {
    fs::create_dir(git_dir)?;
    fs::create_dir(git_dir.join("refs"))?;
    fs::write(git_dir.join("HEAD"), "ref: refs/heads/none\n")?;
    for entry in fs::read_dir(user)? {
        let entry = entry?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b"sharedindex.") {
            #[cfg(unix)]
            std::os::unix::fs::symlink(entry.path(), git_dir.join(name))?;
            #[cfg(not(unix))]
            fs::copy(entry.path(), git_dir.join(name))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
