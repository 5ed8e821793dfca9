use std::fs;
use std::time::Duration;

use super::*;
use crate::git::fixture::Fixture;

#[test]
fn variables_that_point_elsewhere_are_dropped() {
    let mut fixture = Fixture::new();
    let elsewhere = fixture.beside("elsewhere");
    fixture.env.set("GIT_DIR", elsewhere);
    fixture.env.set("GIT_INDEX_FILE", "/nowhere/index");
    assert_eq!(fixture.ask().files().unwrap(), []);
}

#[test]
fn a_failure_tells_command_code_and_reason() {
    let fixture = Fixture::bare_folder();
    let error = Git::new(fixture.beside("home"), &fixture.env).output(["status", "new\nline"]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.starts_with("`git status new\\nline` failed with exit code 128: fatal: not a git repository"),
        "{text}"
    );
    assert!(matches!(error, GitError::Failed { status: Some(128), .. }));
}

#[test]
fn a_missing_program_is_told_from_a_missing_folder() {
    let mut fixture = Fixture::new();
    let error = Git::new(fixture.beside("nowhere"), &fixture.env).head().unwrap_err();
    assert!(matches!(error, GitError::Start { .. }), "{error}");
    fixture.env.set("PATH", fixture.beside("home"));
    let error = fixture.ask().head().unwrap_err();
    assert!(matches!(error, GitError::NotInstalled), "{error}");
    assert!(error.to_string().contains("hint: install git"), "{error}");
}

/// Puts every question.
fn ask_all(fixture: &Fixture, out: &str) {
    let mut git = fixture.ask();
    git.backoff = &[];
    let comparison = crate::git::Comparison::since("HEAD");
    let head = git.head().unwrap();
    let files = git.files().unwrap();
    git.tracked().unwrap();
    git.is_tracked(&files).unwrap();
    git.ignored(&files).unwrap();
    git.merge_base("HEAD", head.oid().unwrap().as_str()).unwrap();
    git.is_ancestor("HEAD", "HEAD").unwrap();
    git.blob("HEAD", &"a".into()).unwrap();
    git.equals_head(&"a".into()).unwrap();
    git.config("core.bare").unwrap();
    assert_eq!(git.snapshot().unwrap().changes(&comparison).unwrap().len(), 2);
    git.snapshot().unwrap().diff_text(&comparison).unwrap();
    git.snapshot().unwrap().diff_stat(&comparison).unwrap();
    git.export("HEAD", &fixture.beside(out), None).unwrap();
    git.output(["status", "--porcelain"]).unwrap();
    crate::digest::content_digest(&fixture.root, &fixture.env, &|_| false).unwrap();
}

/// One file changed and one new.
fn with_changes() -> Fixture {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    fixture.commit("one");
    fixture.write("a", "2");
    fixture.write("b", "");
    fixture
}

#[test]
fn reads_take_no_lock_and_write_nothing() {
    let fixture = with_changes();
    for lock in ["index.lock", "HEAD.lock", "config.lock", "packed-refs.lock"] {
        fs::write(fixture.root.join(".git").join(lock), "").unwrap();
    }
    fixture.untouched_by(|| ask_all(&fixture, "out"));
}

#[cfg(unix)]
#[test]
fn a_git_directory_without_write_permission_can_be_read() {
    use std::os::unix::fs::PermissionsExt;

    fn set(folder: &Path, mode: u32) {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                set(&path, mode);
            }
        }
        fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    }

    let fixture = with_changes();
    let git_dir = fixture.root.join(".git");
    set(&git_dir, 0o555);
    ask_all(&fixture, "out");
    set(&git_dir, 0o755);
}

#[test]
fn reads_do_not_refresh_the_index() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    fixture.commit("one");
    let file = fs::File::options().write(true).open(fixture.root.join("a")).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    fixture.untouched_by(|| fixture.ask().output(["status"]).unwrap());
}

#[test]
fn a_lock_that_goes_away_is_waited_for() {
    let fixture = Fixture::new();
    fixture.write("a", "");
    let lock = fixture.root.join(".git/index.lock");
    fs::write(&lock, "").unwrap();
    let released = lock.clone();
    let holder = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        fs::remove_file(released).unwrap();
    });
    fixture.ask().output(["add", "a"]).unwrap();
    holder.join().unwrap();
    assert_eq!(fixture.ask().tracked().unwrap(), ["a".into()]);
}

#[test]
fn a_lock_that_stays_is_an_error_of_its_own() {
    let fixture = Fixture::new();
    fixture.write("a", "");
    fs::write(fixture.root.join(".git/index.lock"), "").unwrap();
    let mut git = fixture.ask();
    git.backoff = &[Duration::ZERO];
    let error = git.output(["add", "a"]).unwrap_err();
    assert!(matches!(error, GitError::Locked { .. }), "{error}");
    assert!(error.to_string().contains("index.lock"), "{error}");
}

#[test]
fn large_input_and_output_at_once_do_not_block() {
    let fixture = Fixture::new();
    let names: Vec<u8> = (0..40_000).flat_map(|number| format!("folder/{number}\0").into_bytes()).collect();
    let call = fixture.ask();
    let call = call.call(["check-attr", "-z", "--stdin", "text", "eol"]).input(&names);
    assert_eq!(call.answer().unwrap().1.iter().filter(|&&byte| byte == 0).count(), 40_000 * 6);
}

#[test]
fn an_option_is_no_revision() {
    for rev in ["", "-x", "--output=/tmp/x", "a\0b"] {
        assert!(matches!(revision(rev), Err(GitError::Revision { .. })), "{rev:?}");
    }
    assert!(revision("HEAD~1").is_ok());
}
