//! Real repositories in temporary folders, untouched by the machine's settings.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::{Git, RepoPath};
use crate::Env;

/// A temporary folder with a repository `repo` in it and room beside it.
pub(crate) struct Fixture {
    temp: tempfile::TempDir,
    pub(crate) env: Env,
    pub(crate) root: PathBuf,
}

impl Fixture {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// An empty repository made with these options of `git init`.
    pub(crate) fn with(options: &[&str]) -> Self {
        let fixture = Self::bare_folder();
        fs::create_dir(&fixture.root).unwrap();
        fixture.git(&[&["init", "-q", "-b", "main"], options].concat());
        fixture
    }

    /// The folders and the environment alone; `root` does not exist.
    pub(crate) fn bare_folder() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        for name in ["home", "tmp"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        let mut env = Env::default();
        env.set("PATH", std::env::var_os("PATH").unwrap());
        env.set("HOME", top.join("home"));
        env.set("XDG_CONFIG_HOME", top.join("home"));
        env.set("TMPDIR", top.join("tmp"));
        Self { temp, env, root: top.join("repo") }
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    /// Runs git in the repository.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root, args)
    }

    /// Runs git in any folder.
    pub(crate) fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(dir)
            .env_clear()
            .envs(self.env.iter())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", "2030-01-01T00:00:00Z")]
                    .map(|(what, value)| (format!("GIT_{who}_{what}"), value))
            }))
            .args(["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"])
            // Or git tidies up behind the test's back.
            .args(["-c", "maintenance.auto=false"])
            .args(args)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, path: impl AsRef<[u8]>, content: impl AsRef<[u8]>) {
        let file = self.root.join(RepoPath::new(path).to_path());
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    /// Commits everything that is not ignored; the commit's name.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// What is under test, at the top of the repository.
    pub(crate) fn ask(&self) -> Git {
        Git::new(&self.root, &self.env)
    }

    /// Checks that `act` changes nothing in the git directory and leaves nothing in the temporary folder.
    pub(crate) fn untouched_by<T>(&self, act: impl FnOnce() -> T) -> T {
        let before = self.state();
        let result = act();
        let after = self.state();
        let paths: BTreeSet<_> = before.keys().chain(after.keys()).collect();
        let changed: Vec<_> =
            paths.into_iter().filter(|path| before.get(*path) != after.get(*path)).collect();
        assert!(changed.is_empty(), "changed: {changed:?}");
        result
    }

    fn state(&self) -> BTreeMap<PathBuf, (SystemTime, Vec<u8>)> {
        fn take(folder: &Path, into: &mut BTreeMap<PathBuf, (SystemTime, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let modified = fs::symlink_metadata(&path).unwrap().modified().unwrap();
                if path.is_dir() {
                    into.insert(path.clone(), (modified, Vec::new()));
                    take(&path, into);
                } else if path.to_string_lossy().contains("sharedindex.") {
                    // Git renews the time of this file whenever it reads the index, so that it is not cleaned up.
                    into.insert(path.clone(), (SystemTime::UNIX_EPOCH, fs::read(&path).unwrap()));
                } else {
                    into.insert(path.clone(), (modified, fs::read(&path).unwrap()));
                }
            }
        }
        let mut files = BTreeMap::new();
        take(&self.root.join(".git"), &mut files);
        take(&self.beside("tmp"), &mut files);
        files
    }
}

/// Names in their one form.
pub(crate) fn names(names: &[&str]) -> Vec<RepoPath> {
    names.iter().map(|name| RepoPath::from(*name)).collect()
}

/// Names that break a reader of lines, of quotes, of options or of UTF-8.
pub(crate) const ODD_NAMES: &[&[u8]] = &[
    b"-n",
    b" b/x",
    b":(glob)x",
    b"*",
    b"new\nline",
    b"quote\"d",
    b"tab\there",
    b"\xe0\xa4\xb9\xe0\xa4\xbf\xe0\xa4\x82\xe0\xa4\xa6\xe0\xa5\x80/leak.py",
    b"\xff\xfe",
];
