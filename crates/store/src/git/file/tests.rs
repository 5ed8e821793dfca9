use std::fs;

use super::*;
use crate::git::fixture::{Fixture, ODD_NAMES, names};

#[test]
fn files_of_the_folder_asked() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.log\n");
    fixture.write("sub/tracked", "");
    fixture.write("sub/gone", "");
    fixture.write("top", "");
    fixture.commit("one");
    fixture.write("sub/new", "");
    fixture.write("sub/x.log", "");
    fs::remove_file(fixture.root.join("sub/gone")).unwrap();
    let git = Git::new(fixture.root.join("sub"), &fixture.env);
    assert_eq!(git.files().unwrap(), names(&["gone", "new", "tracked"]));
    assert_eq!(git.tracked().unwrap(), names(&["gone", "tracked"]));
    let asked =
        names(&["tracked", "new", "../top", "../../outside", "x.log", "", "/etc/passwd", "../sub/tracked"]);
    let expected = [true, false, true, false, false, false, false, true];
    assert_eq!(git.is_tracked(&asked).unwrap(), expected);
    let asked = names(&["x.log", "tracked", "../y.log", "../../z.log", "none"]);
    assert_eq!(git.ignored(&asked).unwrap(), [true, false, true, false, false]);
}

#[test]
fn a_conflict_is_listed_once() {
    let fixture = Fixture::new();
    fixture.write("a", "0");
    fixture.commit("zero");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.write("a", "1");
    fixture.commit("one");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("a", "2");
    fixture.commit("two");
    assert!(
        fixture
            .ask()
            .output(["-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "topic"])
            .is_err()
    );
    assert_eq!(fixture.ask().files().unwrap(), names(&["a"]));
    assert_eq!(fixture.ask().tracked().unwrap(), names(&["a"]));
}

#[cfg(unix)]
#[test]
fn odd_names_are_names() {
    let fixture = Fixture::new();
    for name in ODD_NAMES {
        fixture.write(name, name);
    }
    let git = fixture.ask();
    let mut expected: Vec<RepoPath> = ODD_NAMES.iter().map(RepoPath::new).collect();
    expected.sort();
    assert_eq!(git.files().unwrap(), expected);
    assert_eq!(git.is_tracked(&expected).unwrap(), vec![false; expected.len()]);
    fixture.commit("one");
    assert_eq!(git.tracked().unwrap(), expected);
    assert_eq!(git.is_tracked(&expected).unwrap(), vec![true; expected.len()]);
    fixture.write(".gitignore", "ignored\n");
    assert_eq!(git.ignored(&expected).unwrap(), vec![false; expected.len()]);
    for name in ODD_NAMES {
        assert_eq!(git.blob("HEAD", &RepoPath::new(name)).unwrap().as_deref(), Some(*name), "{name:?}");
        assert!(git.equals_head(&RepoPath::new(name)).unwrap(), "{name:?}");
    }
    assert_eq!(git.is_tracked(&names(&["n*", "?n", ":/x"])).unwrap(), [false; 3], "no pattern");
}

#[test]
fn case_counts_as_the_repository_has_it() {
    let fixture = Fixture::new();
    fixture.write("Tests/A.rs", "");
    fixture.commit("one");
    let git = fixture.ask();
    for (setting, other_case) in [("false", false), ("true", true)] {
        fixture.git(&["config", "core.ignoreCase", setting]);
        assert_eq!(git.ignore_case().unwrap(), other_case);
        let asked = names(&["Tests/A.rs", "tests/a.rs", "tests/b.rs"]);
        assert_eq!(git.is_tracked(&asked).unwrap(), [true, other_case, false]);
    }
}

#[test]
fn more_paths_than_a_command_line_takes() {
    let fixture = Fixture::new();
    fixture.write("there", "");
    fixture.commit("one");
    let mut asked: Vec<RepoPath> =
        (0..3000).map(|number| RepoPath::new(format!("folder/{number:0100}"))).collect();
    asked.push("there".into());
    let answer = fixture.ask().is_tracked(&asked).unwrap();
    assert_eq!(answer.iter().position(|&found| found), Some(3000));
}

#[cfg(unix)]
#[test]
fn one_path_out_of_reach_does_not_spoil_the_others() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.log\n");
    std::os::unix::fs::symlink("/etc", fixture.root.join("link")).unwrap();
    let asked = names(&["link/x.log", "a.log"]);
    assert_eq!(fixture.ask().ignored(&asked).unwrap(), [false, true]);
}

#[test]
fn blobs_come_from_the_revision() {
    let fixture = Fixture::new();
    fixture.write("sub/a", "old");
    fixture.commit("one");
    fixture.write("sub/a", "new");
    let git = Git::new(fixture.root.join("sub"), &fixture.env);
    assert_eq!(git.blob("HEAD", &"a".into()).unwrap().as_deref(), Some(&b"old"[..]));
    for path in ["b", "../sub", "../nope/a", "../../a", "a/b"] {
        assert_eq!(git.blob("HEAD", &path.into()).unwrap(), None, "{path}");
    }
    for rev in ["nope", "HEAD~3", "--all"] {
        assert!(matches!(git.blob(rev, &"a".into()), Err(GitError::Revision { .. })), "{rev}");
    }
}

#[test]
fn a_replaced_object_does_not_deceive() {
    let fixture = Fixture::new();
    fixture.write("locked", "old");
    fixture.commit("one");
    fixture.write("locked", "new");
    let new = fixture.git(&["hash-object", "-w", "locked"]);
    fixture.git(&["replace", &fixture.git(&["rev-parse", "HEAD:locked"]), &new]);
    assert_eq!(fixture.git(&["show", "HEAD:locked"]), "new", "what git shows");
    assert_eq!(fixture.ask().blob("HEAD", &"locked".into()).unwrap().as_deref(), Some(&b"old"[..]));
}

#[test]
fn equal_after_normalisation() {
    let fixture = Fixture::new();
    let git = fixture.ask();
    let equal = |name: &str| git.equals_head(&name.into()).unwrap();
    fixture.write("lf", "a\nb\n");
    fixture.write("crlf", "a\r\nb\r\n");
    assert!(!equal("lf"), "there is no commit yet");
    fixture.commit("one");
    fixture.git(&["config", "core.autocrlf", "true"]);
    assert!(equal("lf") && equal("crlf"));
    fixture.write("lf", "a\r\nb\r\n");
    assert!(equal("lf"), "the checkout of another system");
    fixture.write("lf", "a\r\nc\r\n");
    assert!(!equal("lf"));
    fs::remove_file(fixture.root.join("crlf")).unwrap();
    assert!(!equal("crlf") && !equal("new"));
    fixture.write("new", "");
    assert!(!equal("new"));
}

#[cfg(unix)]
#[test]
fn a_link_equals_only_itself() {
    use std::os::unix::fs::symlink;
    let fixture = Fixture::new();
    fixture.write("file", "target");
    symlink("target", fixture.root.join("link")).unwrap();
    fixture.commit("one");
    let git = fixture.ask();
    assert!(git.equals_head(&"link".into()).unwrap());
    fs::remove_file(fixture.root.join("link")).unwrap();
    fixture.write("link", "target");
    assert!(!git.equals_head(&"link".into()).unwrap(), "the same bytes in a file");
    fixture.write("elsewhere", "target");
    fs::remove_file(fixture.root.join("file")).unwrap();
    symlink("elsewhere", fixture.root.join("file")).unwrap();
    assert!(!git.equals_head(&"file".into()).unwrap(), "the same bytes behind a link");
    fixture.write("folder/x", "1");
    fixture.commit("two");
    fs::rename(fixture.root.join("folder"), fixture.beside("folder")).unwrap();
    symlink(fixture.beside("folder"), fixture.root.join("folder")).unwrap();
    assert!(!git.equals_head(&"folder/x".into()).unwrap(), "the same file behind a folder that is a link");
}

#[test]
fn settings_are_read_as_git_reads_them() {
    let fixture = Fixture::new();
    let git = fixture.ask();
    assert_eq!(git.config("x.y").unwrap(), None);
    fixture.git(&["config", "--add", "x.y", "one"]);
    fixture.git(&["config", "--add", "x.y", "two\nlines"]);
    assert_eq!(git.config("x.y").unwrap().as_deref(), Some("two\nlines"));
    fixture.git(&["config", "extensions.worktreeConfig", "true"]);
    fixture.git(&["config", "--worktree", "x.y", "own"]);
    assert_eq!(git.config("x.y").unwrap().as_deref(), Some("own"));
}

#[test]
fn repositories_within_are_folders_and_sibling_worktrees_are_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "");
    fixture.commit("one");
    fixture.git(&["worktree", "add", "-q", "trees/w"]);
    fixture.git(&["init", "-q", "nested"]);
    fixture.write("nested/x", "");
    assert_eq!(fixture.ask().files().unwrap(), names(&["a", "nested"]));
}
