use std::sync::Arc;

use super::*;
use crate::git::fixture::Fixture;

fn at_head(fixture: &Fixture) -> Revision {
    Revision::open(Arc::new(fixture.ask().objects().unwrap()), "HEAD").unwrap().unwrap()
}

fn both(fixture: &Fixture) -> [Box<dyn Tree>; 2] {
    [Box::new(WorkTree::new(&fixture.root)), Box::new(at_head(fixture))]
}

#[test]
fn a_commit_and_its_checkout_are_read_alike() {
    for format in ["sha1", "sha256"] {
        let fixture = Fixture::with(&[&format!("--object-format={format}")]);
        for (n, name) in crate::git::fixture::ODD_NAMES.iter().enumerate() {
            fixture.write(name, format!("{n}\r\n\0"));
        }
        fixture.write("folder/deeper/a", "1");
        fixture.write("folder.b", "2");
        fixture.write("folder0", "3");
        fixture.commit("one");
        let [disk, commit] = both(&fixture);
        for folder in ["", "folder", "folder/deeper", "folder.b", "none", "..", "folder/none/x"] {
            let folder = RepoPath::from(folder);
            let mut listed = disk.list(&folder).unwrap();
            if let Some(entries) = &mut listed {
                entries.retain(|entry| entry.name != b".git");
            }
            assert_eq!(listed, commit.list(&folder).unwrap(), "{folder}");
            assert_eq!(disk.read(&folder).unwrap(), commit.read(&folder).unwrap(), "{folder}");
        }
        let names: Vec<_> = crate::git::fixture::ODD_NAMES.iter().map(RepoPath::new).collect();
        let contents = commit.read_many(&names).unwrap();
        assert!(contents.iter().all(Option::is_some));
        assert_eq!(disk.read_many(&names).unwrap(), contents);
        assert_eq!(disk.read(&names[0]).unwrap().unwrap(), b"0\r\n\0");
    }
}

#[test]
#[cfg(unix)]
fn nothing_is_read_through_a_link() {
    let fixture = Fixture::new();
    fixture.write("real/file", "x");
    std::os::unix::fs::symlink("real", fixture.root.join("folder")).unwrap();
    std::os::unix::fs::symlink("real/file", fixture.root.join("file")).unwrap();
    fixture.commit("links");
    for tree in both(&fixture) {
        assert_eq!(tree.kind(&RepoPath::from("file")).unwrap(), Some(EntryKind::Link));
        assert_eq!(tree.read(&RepoPath::from("file")).unwrap(), None);
        assert_eq!(tree.read(&RepoPath::from("folder/file")).unwrap(), None);
        assert_eq!(tree.list(&RepoPath::from("folder")).unwrap(), None);
        assert_eq!(tree.read(&RepoPath::from("real/file")).unwrap().unwrap(), b"x");
    }
}

#[test]
fn what_names_no_commit_is_no_tree() {
    let fixture = Fixture::new();
    let objects = Arc::new(fixture.ask().objects().unwrap());
    for rev in ["HEAD", "", "-x", "a b", "a\nb", &"0".repeat(40), "HEAD:file"] {
        assert!(Revision::open(Arc::clone(&objects), rev).unwrap().is_none(), "{rev:?}");
    }
    fixture.write("file", "x");
    let commit = fixture.commit("one");
    assert_eq!(Revision::open(objects, "HEAD").unwrap().unwrap().oid().as_str(), commit);
}

#[test]
fn an_overlay_shows_what_a_write_would_leave() {
    let fixture = Fixture::new();
    fixture.write("folder/b", "old");
    let disk = WorkTree::new(&fixture.root);
    let tree =
        Overlay::new(&disk).with(RepoPath::from("folder/a"), "new").with(RepoPath::from("folder/b"), "newer");
    let names: Vec<_> =
        tree.list(&RepoPath::from("folder")).unwrap().unwrap().into_iter().map(|entry| entry.name).collect();
    assert_eq!(names, [b"a", b"b"]);
    assert_eq!(tree.read(&RepoPath::from("folder/b")).unwrap().unwrap(), b"newer");
    assert_eq!(disk.read(&RepoPath::from("folder/a")).unwrap(), None);
}
