use std::fs;

use super::ChangeKind::{Added, Deleted, Modified, Renamed, TypeChanged, Untracked};
use super::*;
use crate::git::fixture::{Fixture, ODD_NAMES, names};

const HEAD: Comparison = Comparison { base: Some("HEAD"), exclude: &[], renames: false };

fn kinds(git: &Git, comparison: &Comparison) -> Vec<(String, ChangeKind)> {
    git.snapshot()
        .unwrap()
        .changes(comparison)
        .unwrap()
        .into_iter()
        .map(|change| (change.path.to_string(), change.kind))
        .collect()
}

fn text(git: &Git, comparison: &Comparison) -> String {
    String::from_utf8(git.snapshot().unwrap().diff_text(comparison).unwrap()).unwrap()
}

fn expect(found: Vec<(String, ChangeKind)>, expected: &[(&str, ChangeKind)]) {
    let expected: Vec<_> = expected.iter().map(|(path, kind)| ((*path).to_owned(), *kind)).collect();
    assert_eq!(found, expected);
}

#[test]
fn committed_staged_unstaged_and_untracked() {
    let fixture = Fixture::new();
    for name in ["committed", "staged", "unstaged", "gone", "same", "sub/x"] {
        fixture.write(name, "0\n");
    }
    let base = fixture.commit("base");
    fixture.write("committed", "1\n");
    fixture.write("added", "1\n");
    fixture.commit("work");
    fixture.write("staged", "1\n");
    fixture.write("staged-new", "1\n");
    fixture.git(&["add", "staged", "staged-new"]);
    fixture.write("unstaged", "1\n");
    fixture.write("untracked", "new line\n");
    fixture.write("empty", "");
    fixture.write("sub/y", "");
    fs::remove_file(fixture.root.join("gone")).unwrap();

    let git = fixture.ask();
    let since = Comparison::since(&base);
    expect(
        kinds(&git, &since),
        &[
            ("added", Added),
            ("committed", Modified),
            ("empty", Untracked),
            ("gone", Deleted),
            ("staged", Modified),
            ("staged-new", Added),
            ("sub/y", Untracked),
            ("unstaged", Modified),
            ("untracked", Untracked),
        ],
    );
    let diff = text(&git, &since);
    for part in [
        "diff --git a/untracked b/untracked\nnew file mode 100644\n",
        "+++ b/untracked\n@@ -0,0 +1 @@\n+new line\n",
        "diff --git a/gone b/gone\ndeleted file mode 100644\n",
        "diff --git a/empty b/empty\nnew file mode 100644\n",
    ] {
        assert!(diff.contains(part), "{part} in {diff}");
    }
    let stat = String::from_utf8(git.snapshot().unwrap().diff_stat(&since).unwrap()).unwrap();
    assert!(stat.contains(" untracked  | 1 +\n"), "{stat}");
    assert!(stat.contains("9 files changed"), "{stat}");

    let sub = Git::new(fixture.root.join("sub"), &fixture.env);
    expect(kinds(&sub, &since), &[("y", Untracked)]);
    assert!(text(&sub, &since).starts_with("diff --git a/y b/y\n"));
}

#[test]
fn without_any_commit() {
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let fixture = Fixture::with(options);
        let git = fixture.ask();
        let nothing = Comparison::default();
        expect(kinds(&git, &nothing), &[]);
        fixture.write("staged", "1\n");
        fixture.git(&["add", "staged"]);
        fixture.write("new", "1\n");
        expect(kinds(&git, &nothing), &[("new", Untracked), ("staged", Added)]);
        assert!(git.snapshot().unwrap().changes(&HEAD).is_err(), "there is no HEAD to compare with");
    }
}

#[test]
fn nothing_changed_is_nothing() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.commit("one");
    // Other times, the same content.
    fixture.write("a", "1\n");
    let git = fixture.ask();
    expect(kinds(&git, &HEAD), &[]);
    assert_eq!(text(&git, &HEAD), "");
    assert_eq!(git.snapshot().unwrap().diff_stat(&HEAD).unwrap(), b"");
}

#[test]
fn an_edit_with_its_old_time_put_back_shows() {
    let fixture = Fixture::new();
    let path = fixture.root.join("a");
    let write = |content: &str| {
        fs::write(&path, content).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_hours(1)).unwrap();
    };
    write("00\n");
    fixture.commit("base");
    // Git may be built to compare whole seconds.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    write("11\n");
    for (key, value) in [("core.trustctime", "false"), ("core.checkStat", "minimal")] {
        fixture.git(&["config", key, value]);
        assert_eq!(fixture.git(&["diff", "--name-only"]), "", "what git shows");
        expect(kinds(&fixture.ask(), &HEAD), &[("a", Modified)]);
        fixture.git(&["config", "--unset", key]);
    }
}

#[test]
fn files_that_the_index_hides_show() {
    let fixture = Fixture::new();
    for name in ["sub/assumed", "sub/skipped", "sub/deleted", "sub/sparse"] {
        fixture.write(name, "0\n");
    }
    fixture.commit("base");
    fixture.git(&["update-index", "--assume-unchanged", "sub/assumed", "sub/deleted"]);
    fixture.git(&["update-index", "--skip-worktree", "sub/skipped", "sub/sparse"]);
    for name in ["sub/assumed", "sub/skipped"] {
        fixture.write(name, "changed\n");
    }
    for name in ["sub/deleted", "sub/sparse"] {
        fs::remove_file(fixture.root.join(name)).unwrap();
    }
    assert_eq!(fixture.git(&["status", "--porcelain"]), "", "what git shows");
    let sub = Git::new(fixture.root.join("sub"), &fixture.env);
    expect(kinds(&sub, &HEAD), &[("assumed", Modified), ("deleted", Deleted), ("skipped", Modified)]);
}

#[test]
fn renames_only_when_asked() {
    let fixture = Fixture::new();
    fixture.write("old", "1\n2\n3\n4\n");
    fixture.commit("base");
    fs::rename(fixture.root.join("old"), fixture.root.join("new")).unwrap();
    let git = fixture.ask();
    expect(kinds(&git, &HEAD), &[("new", Untracked), ("old", Deleted)]);
    let change = Change { path: "new".into(), old_path: Some("old".into()), kind: Renamed };
    assert_eq!(git.snapshot().unwrap().changes(&Comparison { renames: true, ..HEAD }).unwrap(), [change]);
    assert!(text(&git, &Comparison { renames: true, ..HEAD }).contains("rename from old\nrename to new\n"));
}

#[test]
fn excluded_files_and_folders() {
    let fixture = Fixture::new();
    fixture.commit("base");
    for name in ["state/a", "state/b/c", "state2", "[x]", "x", "kept"] {
        fixture.write(name, "1\n");
    }
    fixture.git(&["init", "-q", "state/nested"]);
    let exclude = names(&["state", "[x]"]);
    let comparison = Comparison { exclude: &exclude, ..HEAD };
    let git = fixture.ask();
    expect(kinds(&git, &comparison), &[("kept", Untracked), ("state2", Untracked), ("x", Untracked)]);
    let diff = text(&git, &comparison);
    assert!(!diff.contains("state/") && !diff.contains("[x]") && diff.contains("b/state2"), "{diff}");
}

#[cfg(unix)]
#[test]
fn odd_names_links_modes_and_types() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = Fixture::new();
    fixture.write("run", "#!\n");
    fixture.write("turned", "x");
    fixture.write("folder", "x");
    fixture.commit("base");
    for name in ODD_NAMES {
        fixture.write(name, "1\n");
    }
    fs::set_permissions(fixture.root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(fixture.root.join("turned")).unwrap();
    symlink("run", fixture.root.join("turned")).unwrap();
    symlink("/etc/passwd", fixture.root.join("link")).unwrap();
    fs::remove_file(fixture.root.join("folder")).unwrap();
    fixture.write("folder/file", "1\n");
    let changes = fixture.ask().snapshot().unwrap().changes(&HEAD).unwrap();
    let mut expected: Vec<(RepoPath, ChangeKind)> =
        ODD_NAMES.iter().map(|name| (RepoPath::new(name), Untracked)).collect();
    for (name, kind) in [
        ("run", Modified),
        ("turned", TypeChanged),
        ("link", Untracked),
        ("folder", Deleted),
        ("folder/file", Untracked),
    ] {
        expected.push((name.into(), kind));
    }
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(changes.into_iter().map(|change| (change.path, change.kind)).collect::<Vec<_>>(), expected);
    let diff = fixture.ask().snapshot().unwrap().diff_text(&HEAD).unwrap();
    let diff = String::from_utf8_lossy(&diff);
    assert!(diff.contains("+/etc/passwd\n"), "the target and not what is behind it: {diff}");
    assert!(diff.contains("diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"), "{diff}");
}

#[test]
fn the_form_does_not_depend_on_settings() {
    let fixture = Fixture::new();
    fixture.write(".gitattributes", "*.x diff=hostile\n");
    fixture.write(".gitignore", "hooks\n");
    fixture.write("a.x", "1\n2\n\n4\n5\n6\n7\n8\n9\n");
    fixture.commit("base");
    fixture.write("a.x", "1\n2\n\n4\nfive\n6\n7\n8\n9\n");
    fixture.write("new", "1\n");
    let git = fixture.ask();
    let (plain, stat) = (text(&git, &HEAD), git.snapshot().unwrap().diff_stat(&HEAD).unwrap());
    assert!(plain.contains("\n--- a/a.x\n+++ b/a.x\n@@ -2,7 +2,7 @@\n 2\n"), "{plain}");
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "/bin/false"),
        ("diff.hostile.command", "/bin/false"),
        ("diff.hostile.textconv", "/bin/false"),
        ("diff.context", "0"),
        ("diff.renames", "copies"),
        ("diff.algorithm", "patience"),
        ("diff.ignoreSubmodules", "all"),
        ("diff.submodule", "log"),
        ("diff.relative", "false"),
        ("diff.statGraphWidth", "1"),
        ("diff.statNameWidth", "1"),
        ("diff.orderFile", "/nowhere"),
        ("diff.autoRefreshIndex", "false"),
        ("diff.interHunkContext", "9"),
        ("diff.colorMoved", "zebra"),
        ("diff.wsErrorHighlight", "all"),
        ("diff.indentHeuristic", "false"),
        ("diff.suppressBlankEmpty", "true"),
        ("diff.srcPrefix", "x/"),
        ("pager.diff", "/bin/false"),
        ("color.ui", "always"),
        ("core.abbrev", "4"),
        ("core.pager", "/bin/false"),
        ("core.safecrlf", "true"),
        ("core.fsmonitor", "hooks/spy"),
        ("core.splitIndex", "true"),
        ("core.untrackedCache", "true"),
        ("core.hooksPath", "hooks"),
    ] {
        fixture.git(&["config", key, value]);
    }
    for hook in ["hooks/post-index-change", "hooks/spy"] {
        fixture.write(hook, "#!/bin/sh\ntouch ../ran\n");
        #[cfg(unix)]
        fs::set_permissions(fixture.root.join(hook), std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .unwrap();
    }
    assert_eq!(text(&git, &HEAD), plain);
    assert_eq!(git.snapshot().unwrap().diff_stat(&HEAD).unwrap(), stat);
    assert!(!fixture.beside("ran").exists(), "a program of the repository ran");
}

#[test]
fn a_split_index_is_read_and_not_written() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.commit("base");
    fixture.git(&["update-index", "--split-index"]);
    fixture.git(&["config", "core.splitIndex", "true"]);
    fixture.write("a", "2\n");
    fixture.write("b", "2\n");
    fixture.git(&["add", "b"]);
    fixture.write("c", "2\n");
    let found = fixture.untouched_by(|| kinds(&fixture.ask(), &HEAD));
    expect(found, &[("a", Modified), ("b", Added), ("c", Untracked)]);
}

#[test]
fn a_conflict_is_one_change() {
    let fixture = Fixture::new();
    fixture.write("a", "0\n");
    fixture.write("b", "0\n");
    let base = fixture.commit("zero");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.write("a", "1\n");
    fixture.write("b", "1\n");
    fixture.commit("one");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("a", "2\n");
    fs::remove_file(fixture.root.join("b")).unwrap();
    fixture.commit("two");
    assert!(
        fixture
            .ask()
            .output(["-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "topic"])
            .is_err()
    );
    expect(kinds(&fixture.ask(), &Comparison::since(&base)), &[("a", Modified), ("b", Modified)]);
    fs::remove_file(fixture.root.join("b")).unwrap();
    expect(kinds(&fixture.ask(), &Comparison::since(&base)), &[("a", Modified), ("b", Deleted)]);
}

#[test]
fn submodules_and_repositories_within() {
    let fixture = Fixture::new();
    let library = fixture.beside("library");
    fixture.git_in(&fixture.beside(""), &["init", "-q", "-b", "main", "library"]);
    fs::write(library.join("x"), "1\n").unwrap();
    fixture.git_in(&library, &["add", "x"]);
    fixture.git_in(&library, &["commit", "-q", "-m", "one"]);
    fixture.git(&["submodule", "--quiet", "add", "../library", "sub"]);
    fixture.git(&["config", "-f", ".gitmodules", "submodule.sub.ignore", "all"]);
    fixture.commit("base");
    let git = fixture.ask();
    expect(kinds(&git, &HEAD), &[]);
    fixture.write("sub/x", "2\n");
    expect(kinds(&git, &HEAD), &[("sub", Modified)]);

    fixture.git(&["clone", "-q", "../library", "nested"]);
    fixture.git(&["init", "-q", "unborn"]);
    fixture.write("unborn/y", "1\n");
    fixture.git(&["worktree", "add", "-q", "trees/w"]);
    expect(kinds(&git, &HEAD), &[("nested", Untracked), ("sub", Modified), ("unborn", Untracked)]);
    let diff = text(&git, &HEAD);
    assert!(diff.contains("diff --git a/nested b/nested\nnew file mode 160000\n"), "{diff}");
    assert!(!diff.contains("b/sub"), "the commit is the same: {diff}");
    for (key, value) in [("diff.submodule", "log"), ("diff.ignoreSubmodules", "all")] {
        fixture.git(&["config", key, value]);
    }
    assert_eq!(text(&git, &HEAD), diff);
}

#[test]
fn from_a_linked_worktree_and_a_bare_hub() {
    let fixture = Fixture::new();
    fixture.write("a", "1\n");
    fixture.commit("base");
    fixture.git(&["worktree", "add", "-q", "../w"]);
    fs::write(fixture.beside("w/a"), "2\n").unwrap();
    fs::write(fixture.beside("w/b"), "2\n").unwrap();
    let git = Git::new(fixture.beside("w"), &fixture.env);
    expect(kinds(&git, &HEAD), &[("a", Modified), ("b", Untracked)]);
    expect(kinds(&fixture.ask(), &HEAD), &[]);
}

#[test]
fn line_ends_of_another_system_are_no_change() {
    let fixture = Fixture::new();
    fixture.write("lf", "a\nb\n");
    fixture.write("crlf", "a\r\nb\r\n");
    fixture.commit("base");
    for (key, value) in
        [("core.autocrlf", "true"), ("core.safecrlf", "true"), ("diff.autoRefreshIndex", "false")]
    {
        fixture.git(&["config", key, value]);
    }
    fixture.write("lf", "a\r\nb\r\n");
    let git = fixture.ask();
    expect(kinds(&git, &HEAD), &[]);
    assert_eq!(text(&git, &HEAD), "");
    assert_eq!(git.snapshot().unwrap().diff_stat(&HEAD).unwrap(), b"");
}
