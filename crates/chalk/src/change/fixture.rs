//! A repository with a spine in a temporary folder, untouched by the machine's settings.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use canon::{Clock, Timestamp};
use gate::Silent;
use serde_json::{Value, json};
use store::{Entropy, Env, World};

use super::Change;
use crate::Session;
use crate::model::Task;

pub(crate) const ID: &str = "task-aaaaaaaa";

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_796_126_400_000)
    }
}

struct Zeros;

impl Entropy for Zeros {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

pub(crate) struct Fixture {
    _temp: tempfile::TempDir,
    top: PathBuf,
    pub root: PathBuf,
    pub world: World,
}

impl Fixture {
    /// A folder with a spine of one task in progress, outside git.
    pub fn without_git() -> Self {
        let temp = tempfile::Builder::new().prefix("chalk-test-").tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        for name in ["home", "tmp", "project"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        let root = top.join("project");
        let mut env = Env::default();
        env.set("PATH", std::env::var_os("PATH").unwrap());
        env.set("HOME", top.join("home"));
        env.set("XDG_STATE_HOME", top.join("home/state"));
        env.set("TMPDIR", top.join("tmp"));
        let world = World { cwd: root.clone(), env, clock: Box::new(Noon), entropy: Box::new(Zeros) };
        let fixture = Self { _temp: temp, top, root, world };
        fixture.configure(json!({}));
        fixture.task(json!({}));
        fixture
    }

    /// The same in a repository on branch `main`, all of it committed.
    pub fn new() -> Self {
        let fixture = Self::without_git();
        fixture.git(&["init", "-q", "-b", "main"]);
        fixture.write("README", "a project\n");
        fixture.commit("first");
        fixture
    }

    /// Writes `chalk.json` with this `protocol` block.
    pub fn configure(&self, protocol: Value) {
        let config = json!({ "version": "1.0", "project": { "name": "p", "description": "a goal" }, "protocol": protocol });
        self.write(".chalk/chalk.json", config.to_string());
    }

    /// Writes `tasks.json` with one task that has these fields too.
    pub fn task(&self, fields: Value) {
        let mut task = json!({
            "id": ID, "title": "Add two numbers", "state": "in-progress",
            "acceptanceCriteria": [{ "text": "adds" }], "tests": [], "reviews": [],
        });
        for (key, value) in fields.as_object().unwrap() {
            task[key] = value.clone();
        }
        self.write(".chalk/tasks.json", canon::json::pretty(&json!([task])));
    }

    /// The task as the file has it.
    pub fn stored(&self) -> Value {
        serde_json::from_slice::<Value>(&fs::read(self.root.join(".chalk/tasks.json")).unwrap()).unwrap()[0]
            .clone()
    }

    pub fn session(&self) -> Session<'_> {
        Session::open(&self.world, |rest| format!("chalk {rest}"), &Silent).unwrap()
    }

    pub fn beside(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    pub fn write(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes an executable script beside the project and gives its path.
    pub fn script(&self, name: &str, body: &str) -> String {
        let path = self.beside(name);
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub fn git(&self, args: &[&str]) -> String {
        self.git_in(&self.root, args)
    }

    pub fn git_in(&self, dir: &Path, args: &[&str]) -> String {
        let output = Command::new("git")
            .current_dir(dir)
            .env_clear()
            .envs(self.world.env.iter())
            .envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")])
            .args(["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"])
            .args(args)
            .output()
            .unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Commits everything; the commit's name.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// The change of the task in the caller's tree.
    pub fn change(&self) -> Result<Change, gate::Refusal> {
        let session = self.session();
        let task: Task = session.task(ID)?;
        super::of(&session, &session.config()?, &task, &session.spine.tree)
    }
}
