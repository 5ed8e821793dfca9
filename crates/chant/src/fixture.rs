//! A repository with record kinds, for tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use canon::{Clock, Timestamp};
use serde_json::{Value, json};
use store::{Entropy, Env, World};

use crate::Place;

/// Always the same moment, and bytes that never repeat within a run.
pub(crate) struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_893_456_000_000)
    }
}

impl Entropy for Still {
    fn fill(&self, bytes: &mut [u8]) {
        let seed = canon::Sha256::of(format!("{:?} {}", std::time::Instant::now(), std::process::id()));
        for (byte, from) in bytes.iter_mut().zip(seed.as_bytes().iter().cycle()) {
            *byte = *from;
        }
    }
}

/// A temporary folder with a repository in it.
pub(crate) struct Scratch {
    temp: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) world: World,
}

/// A kind of notes with every option that needs no other kind.
pub(crate) const NOTE: &str = r#"export const recordKind = {
  name: "note", location: { dir: ".", match: "^n-[0-9]{3,}.*\\.md$" }, format: "markdown-front-matter",
  schema: { id: "urn:test:note:1", path: "note.schema.json" }, idField: "id",
  stateField: "state", states: ["proposed", "decided", "ratified", "superseded"], closedStates: ["ratified", "superseded"],
  approval: { proposed: 0, decided: 1, ratified: 2, superseded: 2 },
  supersedes: { field: "supersedes" }, remediates: { field: "remediates" }, pins: { field: "evidence" },
  constrains: { field: "constrains" }, proposedBy: { field: "proposed_by" }, source: { field: "source" },
  reviews: { field: "reviews", decider: "decided_by", ratified: "ratified" }, seal: { field: "closed_digest" },
};
"#;

/// Its schema: an id, a title and a state, anything else.
pub(crate) fn note_schema() -> Value {
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "$id": "urn:test:note:1", "type": "object",
        "required": ["id", "title", "state"],
        "properties": {
            "id": { "type": "string", "pattern": "^n-[0-9]{3,}$" }, "title": { "type": "string", "minLength": 1 },
            "state": { "enum": ["proposed", "decided", "ratified", "superseded"] },
            "supersedes": { "type": "array", "items": { "type": "string" } }, "reviews": { "type": "array" },
            "evidence": { "type": "array" }, "decided_by": { "type": ["string", "null"] }, "seal": { "type": "object" },
            "proposed_by": { "type": ["string", "null"] }, "closed_digest": { "type": "string" },
        },
    })
}

impl Scratch {
    /// An empty repository on branch `main`.
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// An empty repository made with these options of `git init`.
    pub(crate) fn with(options: &[&str]) -> Self {
        let scratch = Self::outside();
        scratch.git(&[&["init", "-q", "-b", "main"], options].concat());
        scratch
    }

    /// A folder that is no repository.
    pub(crate) fn outside() -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let root = top.join("repo");
        for folder in [&root, &top.join("home"), &top.join("tmp")] {
            fs::create_dir(folder).unwrap();
        }
        let mut env = Env::default();
        env.set("PATH", std::env::var_os("PATH").unwrap());
        env.set("HOME", top.join("home"));
        env.set("XDG_CONFIG_HOME", top.join("home"));
        env.set("TMPDIR", top.join("tmp"));
        env.set("CHANT_WRITE_LOCK_WAIT_MS", "60000");
        let world = World { cwd: root.clone(), env, clock: Box::new(Still), entropy: Box::new(Still) };
        Self { temp, root, world }
    }

    /// A repository with the kind of notes in `notes/`.
    pub(crate) fn notes() -> Self {
        let scratch = Self::new();
        scratch.write("notes/note.kind.mjs", NOTE);
        scratch.write("notes/note.schema.json", note_schema().to_string());
        scratch
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
            .envs(self.world.env.iter())
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
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// Writes a file of the repository.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    /// What a file of the repository holds.
    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Writes a note: its id, its state, and more lines of front matter.
    pub(crate) fn note(&self, id: &str, state: &str, more: &str) {
        let more =
            if more.is_empty() || more.ends_with('\n') { more.to_owned() } else { format!("{more}\n") };
        self.write(
            &format!("notes/{id}.md"),
            format!("---\nid: \"{id}\"\ntitle: \"T {id}\"\nstate: \"{state}\"\n{more}---\n\n# T\n"),
        );
    }

    /// Commits everything that is not ignored; the commit's name.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// A repository at another folder, with the machine of this one.
    pub(crate) fn at(&self, root: impl Into<PathBuf>) -> Elsewhere {
        let root = root.into();
        let env = self.world.env.clone();
        Elsewhere { world: World { cwd: root, env, clock: Box::new(Still), entropy: Box::new(Still) } }
    }

    /// Checks that `act` changes nothing in the git directory and leaves nothing in the temporary folder.
    pub(crate) fn untouched_by<T>(&self, act: impl FnOnce() -> T) -> T {
        let state = || {
            let mut found = Vec::new();
            let mut folders = vec![self.root.join(".git"), self.beside("tmp")];
            while let Some(folder) = folders.pop() {
                for entry in fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    let modified = fs::symlink_metadata(&path).unwrap().modified().unwrap();
                    if path.is_dir() {
                        folders.push(path.clone());
                    }
                    found.push((path.clone(), modified, fs::read(&path).ok()));
                }
            }
            found.sort();
            found
        };
        let before = state();
        let result = act();
        let after = state();
        let changed = after.iter().filter(|entry| !before.contains(entry)).map(|(path, ..)| path);
        let changed: Vec<_> = changed
            .chain(before.iter().filter(|entry| !after.contains(entry)).map(|(path, ..)| path))
            .collect();
        assert!(changed.is_empty(), "changed: {changed:?}");
        result
    }

    /// Where a command at the top of the repository stands.
    pub(crate) fn place(&self) -> Place<'_> {
        Place::open(&self.world, None).unwrap()
    }
}

/// A folder beside the repository, or within it.
pub(crate) struct Elsewhere {
    pub(crate) world: World,
}

impl Elsewhere {
    /// Where a command in the folder stands.
    pub(crate) fn place(&self) -> Place<'_> {
        Place::open(&self.world, None).unwrap()
    }
}
