//! Finding the spine, and the tree that the caller stands in.

use std::fs;
use std::path::{Path, PathBuf};

use store::git::Layout;

/// Where the spine lies and which tree is looked at.
#[derive(Debug, Clone)]
pub struct Spine {
    /// The folder that holds `.chalk/`.
    pub root: PathBuf,
    /// The caller's tree: the folder of a linked work tree that matches the root, otherwise the root.
    pub tree: PathBuf,
    /// The repository around the root; none outside git.
    pub layout: Option<Layout>,
}

impl Spine {
    /// Looks for the spine from `start` upwards. In a linked work tree the main checkout's spine wins,
    /// where it has one in the same subfolder (facts 2.1). None where there is no spine.
    ///
    /// # Errors
    /// A `.git` that can't be understood.
    pub fn find(start: &Path) -> std::io::Result<Option<Self>> {
        let start = fs::canonicalize(start)?;
        let layout = Layout::discover(&start)?;
        let linked = layout.as_ref().filter(|layout| layout.is_linked_worktree());
        for folder in start.ancestors() {
            if let Some(layout) = linked
                && let Some(main) = layout.main_work_tree()
                && let Ok(within) = folder.strip_prefix(&layout.work_tree)
            {
                let root = join(main, within);
                if has_spine(&root) {
                    return Ok(Some(Self { root, tree: folder.to_owned(), layout: Some(layout.clone()) }));
                }
            }
            if has_spine(folder) {
                let inside = layout.as_ref().filter(|layout| folder.starts_with(&layout.work_tree));
                let layout = match inside {
                    Some(layout) => Some(layout.clone()),
                    // The spine lies above the repository that the caller stands in.
                    None => Layout::discover(folder)?,
                };
                return Ok(Some(Self { root: folder.to_owned(), tree: folder.to_owned(), layout }));
            }
        }
        Ok(None)
    }

    /// The spine at exactly `root`, for a caller that is about to create it.
    pub fn at(root: &Path) -> std::io::Result<Self> {
        let root = fs::canonicalize(root)?;
        let layout = Layout::discover(&root)?;
        Ok(Self { tree: root.clone(), root, layout })
    }

    /// `.chalk/`.
    pub fn folder(&self) -> PathBuf {
        self.root.join(".chalk")
    }

    /// Whether the caller stands in a linked work tree.
    pub fn is_linked(&self) -> bool {
        self.tree != self.root
    }
}

/// `base` joined with `within`, without the trailing slash that joining nothing leaves.
fn join(base: &Path, within: &Path) -> PathBuf {
    if within.as_os_str().is_empty() { base.to_owned() } else { base.join(within) }
}

fn has_spine(folder: &Path) -> bool {
    folder.join(".chalk").join("chalk.json").is_file()
}
