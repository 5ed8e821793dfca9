//! Where a command stands: the repository, or the folder that is no repository, and what can be read there.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gate::Refusal;
use store::World;
use store::git::{Git, Layout, Objects, Oid, RepoPath};
use store::tree::{Asked, Revision, Traced, Tree, TreeError, WorkTree};
use trust::Trust;

use crate::codes;
use crate::declaration::{self, Found};

/// Where a command stands.
pub struct Place<'w> {
    /// The machine.
    pub world: &'w World,
    layout: Option<Layout>,
    root: PathBuf,
    folder: RepoPath,
    git: Git,
    objects: OnceCell<Option<Arc<Objects>>>,
    asked: OnceCell<Arc<Asked>>,
}

impl<'w> Place<'w> {
    /// Finds the repository around `dir`, a path that is relative to the current folder; none is the current folder.
    ///
    /// # Errors
    /// The folder does not exist, or a repository's own files are damaged.
    pub fn open(world: &'w World, dir: Option<&Path>) -> Result<Self, Refusal> {
        let start = dir.map_or_else(|| world.cwd.clone(), |dir| world.cwd.join(dir));
        let failed = |error: std::io::Error| Refusal::new(codes::NOT_A_GIT_REPOSITORY, error.to_string());
        let start = std::fs::canonicalize(&start).map_err(|error| {
            failed(std::io::Error::new(error.kind(), format!("cannot use `{}`: {error}", start.display())))
        })?;
        let layout = Layout::discover(&start).map_err(failed)?;
        let root = layout.as_ref().map_or_else(|| start.clone(), |layout| layout.work_tree.clone());
        let folder = RepoPath::from_path(start.strip_prefix(&root).unwrap_or(Path::new("")));
        let git = Git::new(&root, &world.env);
        Ok(Self { world, layout, root, folder, git, objects: OnceCell::new(), asked: OnceCell::new() })
    }

    /// The repository; none outside of one, and in one without a working tree.
    pub fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// The top: of the repository, or outside of one the folder that the command stands in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the command stands in, from the top.
    pub fn folder(&self) -> &RepoPath {
        &self.folder
    }

    /// The user's git, at the top.
    pub fn git(&self) -> &Git {
        &self.git
    }

    /// A path that the user typed, from the top.
    pub fn typed(&self, path: &str) -> RepoPath {
        match Path::new(path).strip_prefix(&self.root) {
            Ok(inside) if Path::new(path).is_absolute() => RepoPath::from_path(inside),
            _ => self.folder.join(path),
        }
    }

    /// The files on disk.
    pub fn work_tree(&self) -> WorkTree {
        WorkTree::new(&self.root)
    }

    /// The objects of the repository; none outside of one.
    pub fn objects(&self) -> Result<Option<&Arc<Objects>>, Refusal> {
        if let Some(objects) = self.objects.get() {
            return Ok(objects.as_ref());
        }
        let is_repository = self.layout.is_some() || self.is_bare();
        let objects =
            if is_repository { Some(Arc::new(self.git.objects().map_err(git_failed)?)) } else { None };
        Ok(self.objects.get_or_init(|| objects).as_ref())
    }

    /// Whether the folder lies in a repository without a working tree.
    fn is_bare(&self) -> bool {
        self.root.join("objects").is_dir() && self.git.output(["rev-parse", "--git-dir"]).is_ok()
    }

    /// The objects, which the command needs.
    ///
    /// # Errors
    /// `not-a-git-repository`.
    pub fn repository(&self) -> Result<&Arc<Objects>, Refusal> {
        self.objects()?.ok_or_else(|| {
            let message = format!("{} is in no git repository", self.root.display());
            Refusal::new(codes::NOT_A_GIT_REPOSITORY, message)
        })
    }

    /// The tree of a revision.
    ///
    /// # Errors
    /// `not-a-git-repository`, `revision-unknown`.
    pub fn revision(&self, rev: &str) -> Result<Revision, Refusal> {
        let objects = self.repository()?;
        Revision::open(Arc::clone(objects), rev).map_err(tree_failed)?.ok_or_else(|| {
            let message = format!("`{}` names no commit of this repository", rev.escape_debug());
            Refusal::new(codes::REVISION_UNKNOWN, message)
        })
    }

    /// The tree that `--at` names, or the working tree.
    pub fn tree(&self, at: Option<&str>) -> Result<Box<dyn Tree>, Refusal> {
        Ok(match at {
            Some(rev) => Box::new(self.revision(rev)?),
            None => self.disk(),
        })
    }

    fn disk(&self) -> Box<dyn Tree> {
        match self.asked.get() {
            Some(asked) => Box::new(Traced::new(self.work_tree(), Arc::clone(asked))),
            None => Box::new(self.work_tree()),
        }
    }

    /// From here on, what is asked of the working tree through [`Place::tree`] and [`Place::kinds`] is noted.
    pub(crate) fn traced(&self) -> &Arc<Asked> {
        self.asked.get_or_init(Arc::default)
    }

    /// The tree that kind files are read from: the working tree, or where there is none what is read itself.
    pub fn kinds(&self, at: Option<&str>) -> Result<Box<dyn Tree>, Refusal> {
        if self.layout.is_none() && at.is_some() { self.tree(at) } else { Ok(self.disk()) }
    }

    /// The commit that `HEAD` names; none before the first, and outside a repository.
    pub fn head(&self) -> Result<Option<Oid>, Refusal> {
        match self.objects()? {
            Some(objects) => objects.commit("HEAD").map_err(git_failed),
            None => Ok(None),
        }
    }

    /// What is believed at base.
    pub fn trust(&self, base: Option<&str>) -> Result<Trust, Refusal> {
        match self.objects()? {
            Some(objects) => Trust::read(&self.git, Arc::clone(objects), base).map_err(tree_failed),
            None => Ok(Trust::empty()),
        }
    }

    /// A workspace root as documents name it: from the top of the repository, with `.` for the top itself, or outside of
    /// one the whole path.
    pub fn named_root(&self, root: &RepoPath) -> String {
        if self.layout.is_none() && !self.is_bare() {
            let folder = if root.is_empty() { self.root.clone() } else { self.root.join(root.to_path()) };
            return folder.display().to_string();
        }
        if root.is_empty() { ".".to_owned() } else { root.legible().into_owned() }
    }

    /// The declaration around the folder that the command stands in.
    pub fn declared(&self, tree: &dyn Tree) -> Result<Found, Refusal> {
        declaration::discover(tree, &self.folder)
    }
}

/// A question that git did not answer.
pub(crate) fn git_failed(error: store::git::GitError) -> Refusal {
    Refusal::new(codes::REVISION_UNKNOWN, error.to_string())
}

/// A tree that can't be read.
pub(crate) fn tree_failed(error: TreeError) -> Refusal {
    Refusal::new(codes::REVISION_UNKNOWN, error.to_string())
}
