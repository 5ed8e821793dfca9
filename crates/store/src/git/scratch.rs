//! A private folder for files that another program needs while it answers.

use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::GitError;
use crate::Env;

/// A new folder below the temporary one, readable by its owner alone, removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Makes the folder.
    pub fn new(env: &Env) -> Result<Self, GitError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let above =
            ["TMPDIR", "TEMP", "TMP"].iter().find_map(|name| env.get(name)).unwrap_or("/tmp".as_ref());
        // Relative to nowhere: git runs in another folder than this process.
        let above = super::layout::canonical(Path::new(above))
            .map_err(|source| GitError::File { path: above.into(), source })?;
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = above.join(format!("cairn-git-{}-{number}", std::process::id()));
            match builder.create(&path) {
                Ok(()) => return Ok(Self(path)),
                // Left by a process that was killed, or laid there as a trap: making it anew is what keeps it ours.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(GitError::File { path, source }),
            }
        }
    }

    /// Where a file of this name lies in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
