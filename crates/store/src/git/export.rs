//! The files of a revision in a folder of their own.

use std::fs;
use std::path::{Path, PathBuf};

use super::listing::records;
use super::process::Call;
use super::scratch::Scratch;
use super::{Git, GitError, RepoPath};

impl Git {
    /// Writes the files of a revision into `dest`, as a checkout would: with line ends, filters and permissions, and
    /// without touching work tree, index or stash.
    ///
    /// `dest` stands for the top of the work tree, and is made if it is not there; a file in the way is replaced. The
    /// answer is the folder within `dest` that stands for this one. `only` limits the export to these files and
    /// folders, named as everywhere relative to this folder; what the revision does not have is left out. A submodule
    /// becomes an empty folder.
    ///
    /// # Errors
    ///
    /// [`GitError::Revision`] when there is no such revision.
    pub fn export(&self, rev: &str, dest: &Path, only: Option<&[RepoPath]>) -> Result<PathBuf, GitError> {
        let commit = self.resolve(rev)?.ok_or_else(|| GitError::Revision { rev: rev.to_owned() })?;
        let prefix = self.prefix()?;
        let git_dir = self.layout()?.git_dir;
        let file_error = |source| GitError::File { path: dest.to_owned(), source };
        fs::create_dir_all(dest).map_err(file_error)?;
        let dest = super::layout::canonical(dest).map_err(file_error)?;

        let scratch = Scratch::new(self.env())?;
        let there = Git::new(&dest, self.env());
        // With `dest` as the work tree, attributes come from the revision and not from the files of today.
        let call = |args: &[&str]| {
            with_index(there.call(args), &scratch).env("GIT_DIR", &git_dir).env("GIT_WORK_TREE", &dest)
        };
        call(&["read-tree", commit.as_str()]).run()?;
        match only {
            None => call(&["checkout-index", "--force", "--all"]).run()?,
            Some(only) => {
                let only: Vec<RepoPath> = only.iter().map(|path| path.below(&prefix)).collect();
                let (_, all) = call(&["ls-files", "-z"]).answer()?;
                let mut wanted = Vec::new();
                for name in records(&all) {
                    let path = RepoPath::new(name);
                    if only.iter().any(|folder| path.is_within(folder)) {
                        wanted.extend_from_slice(name);
                        wanted.push(0);
                    }
                }
                call(&["checkout-index", "--force", "-z", "--stdin"]).input(&wanted).run()?
            }
        };
        Ok(dest.join(prefix.to_path()))
    }
}

/// Makes `call` use the index in `scratch` and write nothing else.
fn with_index<'a>(call: Call<'a>, scratch: &Scratch) -> Call<'a> {
    call.env("GIT_INDEX_FILE", scratch.path("index"))
        // Writing any index, even this one, would run the repository's `post-index-change` hook ...
        .setting("core.hooksPath=/dev/null")
        // ... and could put a new shared part of it into the git directory.
        .setting("core.splitIndex=false")
}

#[cfg(test)]
mod tests;
