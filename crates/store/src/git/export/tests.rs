use std::fs;

use super::*;
use crate::git::fixture::{Fixture, ODD_NAMES, names};

fn read(path: PathBuf) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[test]
fn a_revision_and_nothing_of_today() {
    let fixture = Fixture::new();
    fixture.write("a", "old");
    fixture.write("sub/b", "old");
    let old = fixture.commit("old");
    fixture.write("a", "new");
    fixture.write("c", "new");
    fixture.commit("new");
    fixture.write("a", "today");
    fixture.write("untracked", "");
    let dest = fixture.beside("out/deep");
    let sub = Git::new(fixture.root.join("sub"), &fixture.env);
    let there = fixture.untouched_by(|| sub.export(&old, &dest, None).unwrap());
    assert_eq!(there, dest.join("sub"));
    assert_eq!(read(dest.join("a")).as_deref(), Some("old"));
    assert_eq!(read(dest.join("sub/b")).as_deref(), Some("old"));
    assert!(!dest.join("c").exists() && !dest.join("untracked").exists() && !dest.join(".git").exists());
    assert_eq!(read(fixture.root.join("a")).as_deref(), Some("today"));
}

#[test]
fn some_files_over_others() {
    let fixture = Fixture::new();
    for name in ["a", "sub/b", "sub/c/d", "subway"] {
        fixture.write(name, "1");
    }
    fixture.commit("one");
    for name in ["a", "sub/b", "sub/c/d", "subway"] {
        fixture.write(name, "2");
    }
    fixture.commit("two");
    let dest = fixture.beside("out");
    fixture.ask().export("HEAD~1", &dest, None).unwrap();
    let sub = Git::new(fixture.root.join("sub"), &fixture.env);
    sub.export("HEAD", &dest, Some(&names(&["c", "../a", "missing"]))).unwrap();
    let found: Vec<_> = ["a", "sub/b", "sub/c/d", "subway"].map(|name| read(dest.join(name)).unwrap()).into();
    assert_eq!(found, ["2", "1", "2", "1"]);
    assert!(matches!(sub.export("nope", &dest, None), Err(GitError::Revision { .. })));
}

#[test]
fn attributes_and_settings_of_a_checkout() {
    let fixture = Fixture::new();
    fixture.write(".gitattributes", "*.txt text eol=crlf\n");
    fixture.write("sub/a.txt", "a\n");
    fixture.write("sub/a.bin", "a\n");
    fixture.commit("one");
    // The attributes of today must not count.
    fixture.write(".gitattributes", "*.bin text eol=crlf\n");
    let dest = fixture.beside("out");
    fixture.ask().export("HEAD", &dest, None).unwrap();
    assert_eq!(read(dest.join("sub/a.txt")).as_deref(), Some("a\r\n"));
    assert_eq!(read(dest.join("sub/a.bin")).as_deref(), Some("a\n"));
}

#[cfg(unix)]
#[test]
fn odd_names_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = Fixture::new();
    for name in ODD_NAMES {
        fixture.write(name, name);
    }
    fixture.write("run", "");
    fs::set_permissions(fixture.root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("run", fixture.root.join("link")).unwrap();
    fixture.commit("one");
    let (dest, part) = (fixture.beside("out"), fixture.beside("part"));
    fixture.ask().export("HEAD", &dest, None).unwrap();
    let odd: Vec<RepoPath> = ODD_NAMES.iter().map(RepoPath::new).collect();
    fixture.ask().export("HEAD", &part, Some(&odd)).unwrap();
    for path in &odd {
        assert_eq!(fs::read(dest.join(path.to_path())).unwrap(), path.as_bytes());
        assert_eq!(fs::read(part.join(path.to_path())).unwrap(), path.as_bytes());
    }
    assert_ne!(fs::metadata(dest.join("run")).unwrap().permissions().mode() & 0o111, 0);
    assert_eq!(fs::read_link(dest.join("link")).unwrap(), Path::new("run"));
    assert!(!part.join("run").exists());
}

#[test]
fn from_worktrees_sparse_checkouts_and_submodules() {
    let fixture = Fixture::new();
    fixture.write("in/a", "1");
    fixture.write("out/b", "1");
    fixture.commit("one");
    fixture.git(&["worktree", "add", "-q", "../w"]);
    fixture.git_in(&fixture.beside("w"), &["sparse-checkout", "set", "--sparse-index", "in"]);
    let dest = fixture.beside("dest");
    let git = Git::new(fixture.beside("w"), &fixture.env);
    git.export("HEAD", &dest, None).unwrap();
    assert!(dest.join("out/b").exists());
    assert_eq!(
        git.snapshot().unwrap().changes(&crate::git::Comparison::since("HEAD")).unwrap(),
        [],
        "a sparse checkout deletes nothing"
    );
    assert_eq!(git.files().unwrap(), names(&["in/a", "out/b"]));
}
