use std::fs;

use super::super::fixture::{Fixture, ODD_NAMES};
use super::*;

fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

fn between(fixture: &Fixture, base: &str, head: &str) -> Vec<FilePatch> {
    let (base, head) = (oid(base), oid(head));
    let span = Span { base: &base, head: Some(&head), folder: &"".into(), paths: &[] };
    fixture.untouched_by(|| fixture.ask().patches(&span).unwrap())
}

fn uncommitted(fixture: &Fixture, base: &str) -> Vec<FilePatch> {
    let span = Span { base: &oid(base), head: None, folder: &"".into(), paths: &[] };
    fixture.untouched_by(|| fixture.ask().patches(&span).unwrap())
}

/// Path, what happened, counts and number of hunks of each file.
type Row = (String, Edit, Option<(u64, u64)>, usize);

fn rows(patches: &[FilePatch]) -> Vec<Row> {
    patches
        .iter()
        .map(|patch| (patch.path.legible().into_owned(), patch.edit, patch.lines, patch.hunks.len()))
        .collect()
}

fn row(path: &str, edit: Edit, lines: Option<(u64, u64)>, hunks: usize) -> Row {
    (path.to_owned(), edit, lines, hunks)
}

#[test]
fn every_kind_of_change_has_its_text() {
    let fixture = Fixture::new();
    let long = (0..40).fold(String::new(), |text, n| text + "line " + &n.to_string() + "\n");
    fixture.write("both", &long);
    fixture.write("binary", "a\0b");
    fixture.write("gone", "diff --git a/x b/x\n@@ -1 +1 @@\n");
    fixture.write("mode", "m\n");
    fixture.write("old", &long);
    fixture.write("type", "t\n");
    let base = fixture.commit("one");
    fixture.write("both", long.replace("line 0\n", "first\n").replace("line 39\n", "last"));
    fixture.write("binary", "a\0c");
    fs::remove_file(fixture.root.join("gone")).unwrap();
    fixture.write("new", "n\n\n@@ -1 +1 @@ diff --git is no heading here\n");
    fs::rename(fixture.root.join("old"), fixture.root.join("name")).unwrap();
    fs::remove_file(fixture.root.join("type")).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(fixture.root.join("mode"), fs::Permissions::from_mode(0o755)).unwrap();
        std::os::unix::fs::symlink("both", fixture.root.join("type")).unwrap();
    }
    let expected = [
        row("binary", Edit::Modified, None, 0),
        row("both", Edit::Modified, Some((2, 2)), 2),
        row("gone", Edit::Deleted, Some((0, 2)), 1),
        row("mode", Edit::Modified, Some((0, 0)), 0),
        row("name", Edit::Renamed, Some((0, 0)), 0),
        row("new", Edit::Added, Some((3, 0)), 1),
        row("type", Edit::Modified, Some((1, 1)), 2),
    ];
    // Unless it is in the index, a moved file is a deleted one and an untracked one to git; the overlay puts it there.
    let now = uncommitted(&fixture, &base);
    assert_eq!(rows(&now), expected);
    let head = fixture.commit("two");
    let patches = between(&fixture, &base, &head);
    assert_eq!(patches, now);
    assert_eq!(patches[4].from, Some("old".into()));
    let hunk = &patches[1].hunks[1];
    assert_eq!(hunk.header, b"@@ -37,4 +37,4 @@ line 35");
    assert_eq!((hunk.old, hunk.new), ((37, 4), (37, 4)));
    let tail: Vec<&[u8]> = hunk.lines[3..].iter().map(Vec::as_slice).collect();
    assert_eq!(tail, [&b"-line 39"[..], b"+last", b"\\ No newline at end of file"]);
}

#[test]
fn odd_names_and_odd_lines_come_as_they_are() {
    let fixture = Fixture::new();
    let base = fixture.commit("one");
    for name in ODD_NAMES {
        fixture.write(name, b"\xff\r\n");
    }
    let patches = uncommitted(&fixture, &base);
    let mut names: Vec<_> = ODD_NAMES.iter().map(RepoPath::new).collect();
    names.sort();
    assert_eq!(patches.iter().map(|patch| patch.path.clone()).collect::<Vec<_>>(), names);
    assert!(patches.iter().all(|patch| patch.hunks[0].lines == [b"+\xff\r".to_vec()]));
    let head = fixture.commit("two");
    for name in ODD_NAMES {
        let paths = [RepoPath::new(name)];
        let (base, head) = (oid(&base), oid(&head));
        let span = Span { base: &base, head: Some(&head), folder: &"".into(), paths: &paths };
        let found = fixture.ask().patches(&span).unwrap();
        assert_eq!(found.len(), 1, "{:?}", paths[0]);
        assert_eq!(found[0].path, paths[0]);
    }
}

#[test]
fn a_folder_is_read_by_itself() {
    let fixture = Fixture::new();
    let base = fixture.commit("one");
    for name in ["sub/a", "sub/deep/b", "sub2/c", "d", "su\u{e9}b/e"] {
        fixture.write(name, "x\n");
    }
    let head = fixture.commit("two");
    let (base, head) = (oid(&base), oid(&head));
    let names = |folder: &str, paths: &[&str], head: Option<&Oid>| {
        let paths: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(*path)).collect();
        let span = Span { base: &base, head, folder: &folder.into(), paths: &paths };
        let patches = fixture.ask().patches(&span).unwrap();
        patches.iter().map(|patch| patch.path.to_string()).collect::<Vec<_>>()
    };
    for head in [Some(&head), None] {
        assert_eq!(names("sub", &[], head), ["a", "deep/b"]);
        assert_eq!(names("sub", &["deep"], head), ["deep/b"]);
        assert_eq!(names("sub", &["deep", ""], head), ["a", "deep/b"]);
        assert_eq!(names("su\u{e9}b", &[], head), ["e"]);
        assert_eq!(names("sub", &["dee"], head), [""; 0]);
    }
}

#[test]
fn settings_do_not_change_the_answer() {
    let fixture = Fixture::new();
    fixture.write("a.c", "int f()\n{\n\n1\n2\n3\n4\n}\n");
    fixture.write("moved", "1\n2\n3\n4\n5\n");
    let base = fixture.commit("one");
    fixture.write("a.c", "int f()\n{\n\n1\n2\n3\n5\n}\n");
    fs::rename(fixture.root.join("moved"), fixture.root.join("b")).unwrap();
    let head = fixture.commit("two");
    let plain = between(&fixture, &base, &head);
    let attributes = fixture.beside("attributes");
    fs::write(&attributes, "*.c binary\n").unwrap();
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.renames", "copies"),
        ("diff.renameLimit", "1"),
        ("diff.context", "0"),
        ("diff.interHunkContext", "9"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.algorithm", "histogram"),
        ("diff.external", "false"),
        ("diff.orderFile", "nowhere"),
        ("diff.relative", "true"),
        ("color.ui", "always"),
        ("diff.submodule", "log"),
        ("core.attributesFile", attributes.to_str().unwrap()),
    ] {
        fixture.git(&["config", key, value]);
    }
    assert_eq!(between(&fixture, &base, &head), plain);
    assert_eq!(plain.len(), 2);
}

#[test]
fn a_submodule_shows_its_commits() {
    let fixture = Fixture::new();
    let inner = fixture.beside("inner");
    fs::create_dir(&inner).unwrap();
    fixture.git_in(&inner, &["init", "-q"]);
    fixture.git_in(&inner, &["commit", "-q", "--allow-empty", "-m", "one"]);
    fixture.git(&["submodule", "add", "-q", inner.to_str().unwrap(), "sub"]);
    let base = fixture.commit("one");
    fixture.git_in(&fixture.root.join("sub"), &["commit", "-q", "--allow-empty", "-m", "two"]);
    let patches = uncommitted(&fixture, &base);
    assert_eq!(rows(&patches), [row("sub", Edit::Modified, Some((1, 1)), 1)]);
    assert!(patches[0].hunks[0].lines[1].starts_with(b"+Subproject commit "));
}

#[test]
fn a_path_in_conflict_comes_once() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.commit("one");
    fixture.git(&["checkout", "-q", "-b", "other"]);
    fixture.write("a", "2\n");
    fixture.commit("two");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("a", "3\n");
    let base = fixture.commit("three");
    let merge =
        fixture.ask().output(["-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "other"]);
    assert!(merge.is_err());
    assert_eq!(rows(&uncommitted(&fixture, &base)), [row("a", Edit::Modified, Some((4, 0)), 1)]);
    fs::remove_file(fixture.root.join("a")).unwrap();
    assert_eq!(rows(&uncommitted(&fixture, &base)), [row("a", Edit::Deleted, Some((0, 1)), 1)]);
}

#[test]
fn a_bare_repository_and_long_object_names() {
    let fixture = Fixture::with(&["--object-format=sha256"]);
    fixture.write("s/a", "1\n");
    let head = fixture.commit("one");
    let copy = fixture.beside("copy");
    fixture.git(&["clone", "-q", "--bare", ".", copy.to_str().unwrap()]);
    let head = oid(&head);
    let base = super::super::ObjectFormat::of(&head).empty_tree();
    let span = Span { base: &base, head: Some(&head), folder: &"s".into(), paths: &[] };
    let patches = Git::new(&copy, &fixture.env).patches(&span).unwrap();
    assert_eq!(rows(&patches), [row("a", Edit::Added, Some((1, 0)), 1)]);
}

#[test]
fn no_answer_is_taken_for_another() {
    for (output, what) in [
        (&b":100644 100644 a b M\0a"[..], "a field that does not end"),
        (b":100644\0a\0", "an entry without a status"),
        (b":100644 100644 a b M\0a\x001\t1\ta\0", "fewer texts than files"),
        (b":1 1 a b M\0a\x001\t1\ta\0\0diff --git a b\n@@ -1 +1 @@\n-a\n", "a hunk that is cut off"),
        (b":1 1 a b M\0a\x001\t1\ta\0\0diff --git a b\n@@ -1 +1 @@\n-a\n-b\n", "a hunk that is too long"),
        (b":1 1 a b M\0a\x001\t1\ta\0\0diff --git a b\ndiff --git a b\n", "more texts than files"),
        (b":1 1 a b M\0a\x00x\t1\ta\0", "a count that is no number"),
    ] {
        assert_eq!(parse(output).unwrap_err(), what);
    }
    assert_eq!(parse(b"").unwrap(), []);
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]
    #[test]
    fn no_output_is_too_odd(output: Vec<u8>) {
        let _ = parse(&output);
        let _ = parse(&[b":1 1 a b M\0a\x001\t1\ta\0\0diff --git a b\n@@ -1 +1 @@\n", &output[..]].concat());
    }
}
