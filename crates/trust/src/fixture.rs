//! Real keys and real repositories, untouched by the machine's settings.

use std::cell::Cell;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use store::Env;
use store::git::{Git, Oid};

use crate::keygen::{self, SigningKey};
use crate::{Key, Trust};

/// A temporary folder with a repository on branch `main`, and keys beside it.
pub(crate) struct Fixture {
    temp: tempfile::TempDir,
    pub(crate) env: Env,
    pub(crate) root: PathBuf,
    /// Seconds since the first commit, so that no two commits are one.
    clock: Cell<u32>,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    /// With these options of `git init`.
    pub(crate) fn with(options: &[&str]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        let top = temp.path().canonicalize().unwrap();
        let mut env = Env::default();
        env.set("PATH", std::env::var_os("PATH").unwrap());
        env.set("HOME", &top);
        env.set("XDG_CONFIG_HOME", &top);
        env.set("TMPDIR", &top);
        env.set("GIT_CONFIG_NOSYSTEM", "1");
        let root = top.join("repo");
        fs::create_dir(&root).unwrap();
        let fixture = Self { temp, env, root, clock: Cell::new(0) };
        fixture.git(&[&["init", "-q", "-b", "main"], options].concat());
        fixture
    }

    /// A path beside the repository.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join(name)
    }

    /// The private key of this name, made when first asked for.
    pub(crate) fn key(&self, name: &str) -> PathBuf {
        self.key_of(name, &["-t", "ed25519"])
    }

    pub(crate) fn key_of(&self, name: &str, kind: &[&str]) -> PathBuf {
        let path = self.beside(name);
        if !path.exists() {
            let file = path.to_str().unwrap();
            let args = [&["-q", "-N", "", "-C", name, "-f", file], kind].concat();
            let made = Self::keygen(&args, b"");
            assert!(made.status.success(), "{made:?}");
        }
        path
    }

    /// The public half, `type base64`.
    pub(crate) fn public(&self, name: &str) -> String {
        let text = fs::read_to_string(self.key(name).with_extension("pub")).unwrap();
        text.rsplit_once(' ').unwrap().0.to_owned()
    }

    pub(crate) fn public_key(&self, name: &str) -> Key {
        self.public(name).parse().unwrap()
    }

    /// A signers file in which each name has its own key.
    pub(crate) fn signers(&self, names: &[&str]) -> String {
        let lines: Vec<_> =
            names.iter().map(|name| format!("{name}@example.org {}\n", self.public(name))).collect();
        lines.concat()
    }

    pub(crate) fn sign(&self, name: &str, namespace: &str, message: &[u8]) -> String {
        keygen::sign(&SigningKey::File(self.key(name)), namespace, message, &self.env).unwrap().armor
    }

    /// The independent judge.
    pub(crate) fn keygen(args: &[&str], input: &[u8]) -> Output {
        let mut child = Command::new("ssh-keygen")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    /// Whether `ssh-keygen` takes this signature for this principal's.
    pub(crate) fn keygen_verifies(
        &self,
        signers: &str,
        who: &str,
        namespace: &str,
        armor: &str,
        message: &[u8],
    ) -> bool {
        let (allowed, signature) = (self.beside("judge.signers"), self.beside("judge.sig"));
        fs::write(&allowed, signers).unwrap();
        fs::write(&signature, armor).unwrap();
        let (allowed, signature) = (allowed.to_str().unwrap(), signature.to_str().unwrap());
        Self::keygen(&["-Y", "verify", "-f", allowed, "-I", who, "-n", namespace, "-s", signature], message)
            .status
            .success()
    }

    pub(crate) fn git(&self, args: &[&str]) -> String {
        let date = format!("{} +0000", 1_900_000_000 + self.clock.get());
        let output = Command::new("git")
            .current_dir(&self.root)
            .env_clear()
            .envs(self.env.iter())
            .envs(["AUTHOR", "COMMITTER"].iter().flat_map(|who| {
                [("NAME", "A"), ("EMAIL", "a@example.org"), ("DATE", date.as_str())]
                    .map(|(what, value)| (format!("GIT_{who}_{what}"), value.to_owned()))
            }))
            .args(["-c", "protocol.file.allow=always", "-c", "advice.detachedHead=false"])
            .args(args)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?}: {stderr}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let file = self.root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }

    /// Commits everything, signed with the key of this name.
    pub(crate) fn commit(&self, signer: Option<&str>, message: &str) -> Oid {
        self.git(&["add", "--all"]);
        self.commit_with(signer, &["commit", "-q", "--allow-empty", "-m", message])
    }

    /// Merges a branch, with a merge commit whatever its place.
    pub(crate) fn merge(&self, signer: Option<&str>, branch: &str) -> Oid {
        self.commit_with(signer, &["merge", "-q", "--no-ff", "-m", "merge", branch])
    }

    pub(crate) fn commit_with(&self, signer: Option<&str>, command: &[&str]) -> Oid {
        self.clock.set(self.clock.get() + 1);
        let key = signer.map(|name| format!("user.signingkey={}", self.key(name).display()));
        let mut args = vec!["-c", "gpg.format=ssh"];
        if let Some(key) = &key {
            args.extend(["-c", key, "-c", "commit.gpgsign=true"]);
        }
        args.extend(command);
        self.git(&args);
        Oid::parse(&self.git(&["rev-parse", "HEAD"])).unwrap()
    }

    pub(crate) fn ask(&self) -> Git {
        Git::new(&self.root, &self.env)
    }

    pub(crate) fn trust(&self) -> Trust {
        self.trust_at(None)
    }

    pub(crate) fn trust_at(&self, base: Option<&str>) -> Trust {
        Trust::read(&self.ask(), Arc::new(self.ask().objects().unwrap()), base).unwrap()
    }
}
