use super::*;
use crate::git::ChangeKind;
use crate::git::fixture::{Fixture, names};

const HEAD: Comparison = Comparison { base: Some("HEAD"), exclude: &[], renames: false };

/// A repository with a submodule `sub` that has one file `x`.
fn with_submodule() -> Fixture {
    let fixture = Fixture::new();
    let library = fixture.beside("library");
    fixture.git_in(&fixture.beside(""), &["init", "-q", "-b", "main", "library"]);
    fs::write(library.join("x"), "1\n").unwrap();
    fixture.git_in(&library, &["add", "x"]);
    fixture.git_in(&library, &["commit", "-q", "-m", "one"]);
    fixture.git(&["submodule", "--quiet", "add", "../library", "sub"]);
    fixture.commit("base");
    fixture
}

fn shown(aside: &Aside) -> Vec<(String, String, Option<Unshown>)> {
    let text = |nested: &Nested| String::from_utf8(nested.text.clone()).unwrap();
    aside.nested.iter().map(|it| (it.path.to_string(), text(it), it.unshown.clone())).collect()
}

fn only(fixture: &Fixture) -> (String, String, Option<Unshown>) {
    let mut shown = shown(&fixture.ask().snapshot().unwrap().aside(&HEAD).unwrap());
    assert_eq!(shown.len(), 1, "{shown:?}");
    shown.remove(0)
}

#[test]
fn nothing_aside_is_nothing() {
    let fixture = with_submodule();
    fixture.write("new", "1\n");
    assert_eq!(fixture.ask().snapshot().unwrap().aside(&HEAD).unwrap(), Aside::default());
}

#[test]
fn what_changed_in_a_submodule_is_shown_against_its_own_rules() {
    let fixture = with_submodule();
    let git_dir = fixture.root.join(".git/modules/sub");
    fs::write(git_dir.join("info/exclude"), "new\n").unwrap();
    fixture.git_in(&fixture.root.join("sub"), &["update-index", "--assume-unchanged", "x"]);
    fixture.write("sub/x", "2\n");
    fixture.write("sub/new", "3\n");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "", "what git shows");
    let changes = fixture.ask().snapshot().unwrap().changes(&HEAD).unwrap();
    assert_eq!(
        changes.iter().map(|it| (&it.path, it.kind)).collect::<Vec<_>>(),
        [(&"sub".into(), ChangeKind::Modified)]
    );
    let (path, text, unshown) = fixture.untouched_by(|| only(&fixture));
    assert_eq!((path.as_str(), unshown), ("sub", None));
    assert!(text.contains("diff --git a/sub/x b/sub/x\n") && text.contains("-1\n+2\n"), "{text}");
    assert!(text.contains("+++ b/sub/new\n@@ -0,0 +1 @@\n+3\n"), "{text}");

    let exclude = names(&["sub/new"]);
    let aside = fixture.ask().snapshot().unwrap().aside(&Comparison { exclude: &exclude, ..HEAD }).unwrap();
    assert!(!shown(&aside)[0].1.contains("new"), "{aside:?}");
    let exclude = names(&["sub"]);
    assert_eq!(
        fixture.ask().snapshot().unwrap().aside(&Comparison { exclude: &exclude, ..HEAD }).unwrap().nested,
        []
    );
}

#[test]
fn commits_in_a_submodule_are_shown_since_the_one_at_the_base() {
    let fixture = with_submodule();
    let sub = fixture.root.join("sub");
    fixture.write("sub/x", "2\n");
    fixture.git_in(&sub, &["commit", "-q", "-a", "-m", "two"]);
    fixture.git(&["add", "sub"]);
    fixture.git(&["commit", "-q", "-m", "two"]);
    let since = Comparison::since("HEAD~1");
    let all = shown(&fixture.ask().snapshot().unwrap().aside(&since).unwrap());
    assert!(all[0].1.contains("-1\n+2\n"), "{all:?}");
    assert_eq!(fixture.ask().snapshot().unwrap().aside(&HEAD).unwrap().nested, []);

    // A clone of the submodule that does not have that commit.
    let commit = fixture.git(&["rev-parse", "HEAD~1:sub"]);
    fs::remove_dir_all(&sub).unwrap();
    fixture.git_in(&fixture.beside(""), &["init", "-q", "-b", "main", "other"]);
    fixture.git_in(&fixture.beside("other"), &["commit", "-q", "--allow-empty", "-m", "other"]);
    fixture.git(&["clone", "-q", "../other", "sub"]);
    let all = shown(&fixture.ask().snapshot().unwrap().aside(&since).unwrap());
    assert_eq!(all[0].2, Some(Unshown::Since(Oid::parse(&commit).unwrap())));
}

#[test]
fn a_repository_within_is_new_as_a_whole() {
    let fixture = Fixture::new();
    fixture.commit("base");
    fixture.git(&["init", "-q", "-b", "main", "nested"]);
    fixture.write("nested/x", "1\n");
    assert!(only(&fixture).1.contains("+++ b/nested/x\n@@ -0,0 +1 @@\n+1\n"));
    let nested = fixture.root.join("nested");
    fixture.git_in(&nested, &["add", "x"]);
    fixture.git_in(&nested, &["commit", "-q", "-m", "one"]);
    fixture.write("nested/y", "2\n");
    fixture.git(&["init", "-q", "nested/deep"]);
    fixture.write("nested/deep/z", "3\n");
    let all = shown(&fixture.ask().snapshot().unwrap().aside(&HEAD).unwrap());
    assert_eq!(all.iter().map(|it| it.0.as_str()).collect::<Vec<_>>(), ["nested", "nested/deep"]);
    assert!(all[0].1.contains("+++ b/nested/x\n") && all[0].1.contains("+++ b/nested/y\n"), "{all:?}");
    assert!(all[1].1.contains("+++ b/nested/deep/z\n"), "{all:?}");
}

#[test]
fn of_a_large_repository_within_only_what_is_not_committed_is_shown() {
    let fixture = Fixture::new();
    fixture.commit("base");
    fixture.git(&["init", "-q", "-b", "main", "nested"]);
    for number in 0..=MANY {
        fixture.write(format!("nested/{number}"), "1\n");
    }
    assert_eq!(only(&fixture), ("nested".into(), String::new(), Some(Unshown::Many(MANY + 1))));
    let nested = fixture.root.join("nested");
    fixture.git_in(&nested, &["add", "."]);
    fixture.git_in(&nested, &["commit", "-q", "-m", "one"]);
    fixture.write("nested/7", "2\n");
    let (_, text, unshown) = only(&fixture);
    assert!(text.contains("-1\n+2\n") && !text.contains("b/nested/8"), "{text}");
    assert_eq!(unshown, Some(Unshown::Many(MANY + 1)));
}

#[test]
fn files_in_the_place_of_a_submodule_are_named() {
    let fixture = with_submodule();
    fixture.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    assert_eq!(fixture.ask().snapshot().unwrap().changes(&HEAD).unwrap(), []);
    fixture.write("sub/stray", "1\n");
    assert_eq!(fixture.git(&["status", "--porcelain"]), "", "what git shows");
    assert_eq!(fixture.ask().snapshot().unwrap().changes(&HEAD).unwrap()[0].path, "sub".into());
    assert_eq!(only(&fixture), ("sub".into(), String::new(), Some(Unshown::NotCheckedOut)));
}

#[test]
fn what_a_private_rule_ignores_is_named() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.log\n");
    fixture.commit("base");
    fs::write(fixture.root.join(".git/info/exclude"), "notes\n").unwrap();
    for name in ["notes", "x.log", "new"] {
        fixture.write(name, "1\n");
    }
    assert_eq!(fixture.ask().snapshot().unwrap().aside(&HEAD).unwrap().private, names(&["notes"]));
}
