//! Where this layer keeps its state: outside the work tree, found without starting git.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use canon::Sha256;
use store::Env;
use store::git::Layout;

/// The places of one repository's state. All work trees of a repository share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    root: PathBuf,
    folder: PathBuf,
    keys: PathBuf,
}

/// There is no place for state.
#[derive(Debug)]
pub enum NoState {
    /// The repository can't be read.
    Repository(io::Error),
    /// No home folder is set.
    NoHome,
}

impl fmt::Display for NoState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(error) => error.fmt(f),
            Self::NoHome => f.write_str(
                "there is no place for the key that receipts are signed with: set `XDG_STATE_HOME` or `HOME`",
            ),
        }
    }
}

impl std::error::Error for NoState {}

impl State {
    /// The state of the repository around `start`, or outside git of the folder `start` itself. Nothing is created.
    ///
    /// A `start` that is gone is looked for from the nearest folder that is there.
    pub fn find(start: &Path, env: &Env) -> Result<Self, NoState> {
        let there = start.ancestors().find(|folder| folder.exists()).unwrap_or(start);
        let layout = Layout::discover(there).map_err(NoState::Repository)?;
        let root = layout.as_ref().map_or(start, |layout| &layout.work_tree);
        Self::of(layout.as_ref(), root, env)
    }

    /// The state of a repository that is found already, or of the folder `root` outside git.
    pub fn of(layout: Option<&Layout>, root: &Path, env: &Env) -> Result<Self, NoState> {
        let folder = store::state::folder(layout, root, "govern", env).ok_or(NoState::NoHome)?;
        let home = store::state::home(env).ok_or(NoState::NoHome)?;
        // Somebody's home folder may be a work tree. What lies in one can be committed.
        let base = match layout {
            Some(layout) if home.starts_with(&layout.work_tree) => layout.common_dir.join("cairn"),
            _ => home,
        };
        let keys = base.join("keys");
        Ok(Self { root: root.to_owned(), folder, keys })
    }

    /// The work tree, or the folder outside git.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder for this repository's state. It may not exist yet.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of the keys that sign receipts: the person's own, outside the work tree.
    pub fn keys(&self) -> &Path {
        &self.keys
    }

    /// The log of receipts.
    pub fn receipts(&self) -> PathBuf {
        self.folder.join("receipts.jsonl")
    }

    /// What waits for a person.
    pub fn queue(&self) -> PathBuf {
        self.folder.join("queue.jsonl")
    }

    /// Where the last checkpoint is remembered apart from the repository, so that a log which is cut off together with
    /// its head file does not pass for a whole one.
    pub fn witness(&self) -> PathBuf {
        let name = Sha256::of(self.folder.as_os_str().as_encoded_bytes()).short();
        self.keys.with_file_name("witness").join(name)
    }

    /// What is known of a session.
    pub fn session(&self, agent: &str, session: &str) -> PathBuf {
        let name = Sha256::of(format!("{agent}\0{session}")).short();
        self.folder.join("sessions").join(format!("{name}.jsonl"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::Command;

    use super::*;

    fn git(folder: &Path, args: &[&str]) {
        let status = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(args)
            .current_dir(folder)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .status();
        assert!(status.unwrap().success(), "{args:?}");
    }

    fn env(home: &Path) -> Env {
        [("HOME", home.as_os_str())].into_iter().collect()
    }

    /// Receipts that were written in a linked work tree were looked for below `.git/`, which is a file there.
    #[test]
    fn every_work_tree_has_the_same_state() {
        let folder = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(folder.path()).unwrap();
        let (main, linked) = (base.join("main"), base.join("linked"));
        fs::create_dir_all(main.join("sub")).unwrap();
        git(&main, &["init", "-q", "."]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "first"]);
        git(&main, &["worktree", "add", "-q", "../linked"]);
        let env = env(&base.join("home"));
        let state = State::find(&main, &env).unwrap();
        assert_eq!(state.receipts(), main.join(".git/cairn/govern/root/receipts.jsonl"));
        assert_eq!(state.keys(), base.join("home/.local/state/cairn/keys"));
        assert_eq!(State::find(&main.join("sub"), &env).unwrap(), state);
        assert_eq!(State::find(&main.join("gone/deep"), &env).unwrap(), state);
        let other = State::find(&linked, &env).unwrap();
        assert_eq!((other.folder(), other.witness()), (state.folder(), state.witness()));
        assert!(!state.folder().exists(), "finding it makes nothing");
        let own = State::find(&main, &self::env(&main)).unwrap();
        assert_eq!(own.keys(), main.join(".git/cairn/keys"), "the home folder is the work tree");
    }

    #[test]
    fn outside_git_it_is_the_person_s() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        let state = State::find(folder.path(), &env(&home)).unwrap();
        assert!(state.folder().starts_with(home.join(".local/state/cairn/govern")), "{state:?}");
        assert!(matches!(State::find(folder.path(), &Env::default()), Err(NoState::NoHome)));
    }
}
