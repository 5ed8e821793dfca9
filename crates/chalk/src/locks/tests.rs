use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use canon::{Clock, Timestamp};
use gate::Silent;
use store::{Entropy, Env, World};

use super::*;
use crate::root::Spine;

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(0)
    }
}

impl Entropy for Still {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// A project with a spine, in git or not.
struct Project {
    folder: tempfile::TempDir,
    world: World,
}

impl Project {
    fn new(in_git: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = fs::canonicalize(folder.path()).unwrap();
        let root = top.join("project");
        fs::create_dir_all(root.join(".chalk")).unwrap();
        fs::write(root.join(".chalk/chalk.json"), "{}\n").unwrap();
        let mut env: Env = [("PATH", std::env::var_os("PATH").unwrap_or_default())].into_iter().collect();
        env.set("HOME", top.as_os_str());
        env.set("GIT_CONFIG_NOSYSTEM", "1");
        let world = World { cwd: root, env, clock: Box::new(Still), entropy: Box::new(Still) };
        let project = Self { folder, world };
        if in_git {
            project.git(&["init", "-q", "-b", "main"]);
        }
        project
    }

    fn top(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    fn root(&self) -> PathBuf {
        self.top().join("project")
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    #[track_caller]
    fn git(&self, args: &[&str]) {
        self.git_in(&self.root(), args);
    }

    #[track_caller]
    fn git_in(&self, dir: &Path, args: &[&str]) {
        let identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.args(identity).args(args).current_dir(dir).env_clear();
        git.envs(self.world.env.iter());
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "x"]);
    }

    /// A session for a caller in `cwd`, relative to the folder around the project.
    fn session(&mut self, cwd: &str) -> Session<'_> {
        self.world.cwd = fs::canonicalize(self.top().join(cwd)).unwrap();
        let spine = Spine::find(&self.world.cwd).unwrap().unwrap();
        Session::at(&self.world, spine, |rest| format!("chalk {rest}"), &Silent)
    }
}

fn task(locks: &[Lock]) -> Task {
    Task { id: "task-1".to_owned(), tests: locks.to_vec(), ..Task::default() }
}

/// The state of one lock taken on `then`, when the file holds `now`.
fn state_of(project: &mut Project, then: &str, now: &[u8]) -> LockState {
    let root = project.root();
    let lock = Lock { path: "t.test.js".to_owned(), sha256: Sha256::of(then) };
    project.write("t.test.js", now);
    let session = project.session("project");
    let states = check(&session, &task(&[lock]), &root).unwrap();
    states.into_iter().next().unwrap()
}

#[test]
fn a_locked_test_differs_after_an_autocrlf_checkout() {
    let mut project = Project::new(true);
    project.git(&["config", "core.autocrlf", "true"]);
    project.write("t.test.js", "a\nb\n");
    project.commit();
    let state = state_of(&mut project, "a\nb\n", b"a\r\nb\r\n");
    assert_eq!(state.state, Integrity::IntactByGit, "{state:?}");
    // The other way round: locked where the checkout has CRLF.
    assert_eq!(state_of(&mut project, "a\r\nb\r\n", b"a\nb\n").state, Integrity::IntactByGit);
    // A changed line beside the line ends is a change.
    assert_eq!(state_of(&mut project, "a\nb\n", b"a\r\nc\r\n").state, Integrity::Changed);
}

#[test]
fn line_ends_that_git_did_not_make_are_named() {
    let mut project = Project::new(true);
    let state = state_of(&mut project, "a\nb\n", b"a\r\nb\r\n");
    assert_eq!(state.state, Integrity::LineEnds);
    insta::assert_snapshot!(state.sentence(), @"`t.test.js` has other line ends than when it was locked, and git doesn't have the file as it is");
    project.commit();
    let state = state_of(&mut project, "a\nb\n", b"a\r\nb\r\n");
    insta::assert_snapshot!(state.sentence(), @"`t.test.js` has other line ends than when it was locked, and they are committed so");
    let state = state_of(&mut Project::new(false), "a\n", b"a\r\n");
    insta::assert_snapshot!(state.sentence(), @"`t.test.js` has other line ends than when it was locked, and there is no git to have put them there");
}

#[test]
fn a_lock_that_holds_asks_git_nothing() {
    let mut project = Project::new(true);
    project.write("t.test.js", "a\n");
    // A repository that git can't read any more.
    fs::write(project.root().join(".git/config"), "[broken").unwrap();
    let root = project.root();
    let lock = |path: &str, content: &str| Lock { path: path.to_owned(), sha256: Sha256::of(content) };
    let task = task(&[lock("t.test.js", "a\n"), lock("u.test.js", "a\n"), lock("t.test.js", "b")]);
    let session = project.session("project");
    let broken = first_break(&session, &task, &root).unwrap().unwrap();
    assert_eq!((broken.path.as_str(), broken.state), ("u.test.js", Integrity::Missing));
    let states: Vec<Integrity> =
        check(&session, &task, &root).unwrap().iter().map(|lock| lock.state).collect();
    assert_eq!(states, [Integrity::Intact, Integrity::Missing, Integrity::Changed]);
}

#[test]
fn what_cannot_be_read_is_no_content() {
    let mut project = Project::new(false);
    project.write("folder/x", "");
    let root = project.root();
    let lock = Lock { path: "folder".to_owned(), sha256: Sha256::of("") };
    let session = project.session("project");
    let states = check(&session, &task(&[lock]), &root).unwrap();
    assert_eq!(states[0].state, Integrity::Unreadable);
    insta::assert_snapshot!(states[0].sentence(), @"`folder` can't be read: it is a folder");
}

#[test]
fn a_path_locked_on_windows_is_found() {
    let mut project = Project::new(false);
    project.write("test/a.js", "a");
    let root = project.root();
    let lock = Lock { path: "test\\a.js".to_owned(), sha256: Sha256::of("a") };
    let session = project.session("project");
    assert!(check(&session, &task(&[lock]), &root).unwrap()[0].holds());
    assert!(is_same("test\\a.js", "./test/a.js"));
}

#[test]
fn paths_are_relative_to_the_root_wherever_the_caller_stands() {
    let mut project = Project::new(true);
    project.write("test/größe \t.js", "a");
    project.commit();
    project.git(&["worktree", "add", "-q", "../linked"]);
    project.git(&["worktree", "add", "-q", "--detach", "inner"]);
    fs::write(project.top().join("outside.js"), "a").unwrap();
    let mut name = |cwd: &str, given: &str| {
        let session = project.session(cwd);
        name(&session, given).unwrap().name
    };
    assert_eq!(name("project", "./test//größe \t.js"), "test/größe \t.js");
    assert_eq!(name("project/test", "größe \t.js"), "test/größe \t.js");
    assert_eq!(name("linked", "test/größe \t.js"), "test/größe \t.js");
    assert_eq!(name("project", "../linked/test/größe \t.js"), "test/größe \t.js");
    assert_eq!(name("linked", "../project/test/größe \t.js"), "test/größe \t.js");
    assert_eq!(name("project", "inner/test/größe \t.js"), "test/größe \t.js");
    assert_eq!(name("project", "../outside.js"), "../outside.js");
    assert_eq!(name("linked/test", "../../outside.js"), "../outside.js");
}

#[test]
fn a_spine_in_a_subfolder_of_the_repository() {
    let mut project = Project::new(false);
    project.git_in(&project.top(), &["init", "-q"]);
    project.write("test/a.js", "a");
    project.git_in(&project.top(), &["add", "-A"]);
    project.git_in(&project.top(), &["commit", "-q", "-m", "x"]);
    project.git_in(&project.top(), &["worktree", "add", "-q", "linked"]);
    for cwd in ["project", "linked/project", "linked/project/test"] {
        let up = if cwd.ends_with("test") { "../" } else { "" };
        let session = project.session(cwd);
        let named = name(&session, &format!("{up}test/a.js")).unwrap();
        assert_eq!(named.name, "test/a.js", "{cwd}");
        assert!(named.file.starts_with(&named.tree) && named.file.is_file());
    }
}

#[test]
fn what_is_no_test_file_is_refused_with_the_reason() {
    let mut project = Project::new(true);
    project.write("test/a.js", "a");
    project.write(".chalk/tests/b.js", "b");
    #[cfg(unix)]
    std::os::unix::fs::symlink("test/a.js", project.root().join("link.js")).unwrap();
    let top = project.top();
    let mut refused = |cwd: &str, given: &str| {
        let session = project.session(cwd);
        let refusal = take(&session, given).unwrap_err();
        assert_eq!(refusal.code, codes::TEST_UNREADABLE);
        let text = format!("{} / {}", refusal.message, refusal.hint.unwrap_or_default());
        text.replace(top.to_str().unwrap(), "[top]")
    };
    insta::assert_snapshot!(refused("project", "test"), @"`test` is a folder / lock its files one by one: `--test` may be given several times");
    insta::assert_snapshot!(refused("project", "test/b.js"), @"`test/b.js` doesn't exist / write the test first: a lock holds its content");
    insta::assert_snapshot!(refused("project", "nowhere/b.js"), @"`nowhere/b.js` doesn't exist / write the test first: a lock holds its content");
    insta::assert_snapshot!(refused("project/test", "test/a.js"), @"`test/a.js` doesn't exist / paths start where you stand; it is `[top]/project/test/a.js`");
    insta::assert_snapshot!(refused("project", ".chalk/chalk.json"), @"`.chalk/chalk.json` is state of the spine, which every command changes / tests may lie in `.chalk/tests`");
    #[cfg(unix)]
    insta::assert_snapshot!(refused("project", "link.js"), @"`link.js` is a symbolic link to `test/a.js` / lock the file that it leads to");
    assert_eq!(
        take(&project.session("project"), ".chalk/tests/b.js").unwrap().lock.path,
        ".chalk/tests/b.js"
    );
}

#[test]
fn the_digest_is_of_the_raw_bytes() {
    let mut project = Project::new(true);
    project.git(&["config", "core.autocrlf", "true"]);
    project.write("t.js", b"\xff\r\n");
    assert_eq!(take(&project.session("project"), "t.js").unwrap().lock.sha256, Sha256::of(b"\xff\r\n"));
}

#[test]
fn lf_for_crlf_and_nothing_else() {
    for (text, lf) in [("a\r\nb\r", "a\nb\r"), ("\r\r\n", "\r\n"), ("", ""), ("\n", "\n")] {
        assert_eq!(with_lf(text.as_bytes()), lf.as_bytes(), "{text:?}");
    }
}
