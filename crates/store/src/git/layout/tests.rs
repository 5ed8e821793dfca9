use std::fs;
use std::path::Path;

use super::*;
use crate::git::fixture::Fixture;

fn layout(at: &Path) -> Layout {
    Layout::discover(at).unwrap().unwrap()
}

/// The layout must be what git itself says.
fn agrees_with_git(fixture: &Fixture, at: &Path) -> Layout {
    let found = layout(at);
    let asked = |what: &str| {
        let answer = fixture.git_in(at, &["rev-parse", "--path-format=absolute", what]);
        Path::new(&answer).canonicalize().unwrap()
    };
    assert_eq!(found.work_tree, asked("--show-toplevel"));
    assert_eq!(found.git_dir, asked("--git-dir"));
    assert_eq!(found.common_dir, asked("--git-common-dir"));
    found
}

#[test]
fn a_plain_repository_from_any_depth() {
    let fixture = Fixture::new();
    fixture.write("a/b/c", "");
    for at in ["", "a/b"] {
        let found = agrees_with_git(&fixture, &fixture.root.join(at));
        assert!(!found.is_linked_worktree());
        assert_eq!(found.main_work_tree(), Some(fixture.root.as_path()));
    }
    assert_eq!(layout(&fixture.root.join("a/b/c")).work_tree, fixture.root, "from a file");
}

#[test]
fn outside_any_repository_and_from_nowhere() {
    let fixture = Fixture::bare_folder();
    assert_eq!(Layout::discover(&fixture.beside("home")).unwrap(), None);
    let error = Layout::discover(&fixture.beside("nowhere")).unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
}

#[test]
fn linked_worktrees_lead_to_the_main_one() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["worktree", "add", "-q", "../w"]);
    fixture.git(&["worktree", "add", "-q", "inner/w2"]);
    for at in [fixture.beside("w"), fixture.root.join("inner/w2")] {
        let found = agrees_with_git(&fixture, &at);
        assert!(found.is_linked_worktree());
        assert_eq!(found.main_work_tree(), Some(fixture.root.as_path()));
    }
}

#[test]
fn relative_paths_in_git_files() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["worktree", "add", "-q", "../w"]);
    // What `--relative-paths` writes, which is younger than some gits.
    fs::write(fixture.beside("w/.git"), "gitdir: ../repo/.git/worktrees/w\r\n").unwrap();
    let found = agrees_with_git(&fixture, &fixture.beside("w"));
    assert_eq!(found.main_work_tree(), Some(fixture.root.as_path()));
}

#[test]
fn submodules_and_their_worktrees() {
    let fixture = Fixture::new();
    let library = fixture.beside("library");
    fixture.git_in(&fixture.beside(""), &["init", "-q", "-b", "main", "library"]);
    fixture.git_in(&library, &["commit", "-q", "--allow-empty", "-m", "one"]);
    fixture.git(&["submodule", "--quiet", "add", "../library", "deep/sub"]);
    let submodule = fixture.root.join("deep/sub");
    let found = agrees_with_git(&fixture, &submodule);
    assert_eq!(found.git_dir, fixture.root.join(".git/modules/deep/sub"));
    assert!(!found.is_linked_worktree());
    assert_eq!(found.main_work_tree(), Some(submodule.as_path()));

    fixture.git_in(&submodule, &["worktree", "add", "-q", fixture.beside("w").to_str().unwrap()]);
    let found = agrees_with_git(&fixture, &fixture.beside("w"));
    assert!(found.is_linked_worktree());
    assert_eq!(found.main_work_tree(), Some(submodule.as_path()));

    fixture.commit("with submodule");
    fixture.git(&["worktree", "add", "-q", "../outer"]);
    fixture.git_in(&fixture.beside("outer"), &["submodule", "--quiet", "update", "--init"]);
    let found = agrees_with_git(&fixture, &fixture.beside("outer/deep/sub"));
    assert_eq!(found.main_work_tree(), Some(fixture.beside("outer/deep/sub").as_path()));
}

#[test]
fn a_separate_git_directory_keeps_no_way_back() {
    let fixture = Fixture::bare_folder();
    fs::create_dir(&fixture.root).unwrap();
    let store = fixture.beside("store");
    fixture.git(&["init", "-q", "--separate-git-dir", store.to_str().unwrap()]);
    let found = agrees_with_git(&fixture, &fixture.root);
    assert_eq!(found.git_dir, store);
    fixture.commit("one");
    fixture.git(&["worktree", "add", "-q", "../w"]);
    assert_eq!(agrees_with_git(&fixture, &fixture.beside("w")).main_work_tree(), None);
}

#[test]
fn a_bare_repository_has_no_work_tree_but_its_worktrees_do() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["clone", "-q", "--bare", ".", "../hub/.bare"]);
    let hub = fixture.beside("hub");
    fs::write(hub.join(".git"), "gitdir: ./.bare\n").unwrap();
    assert_eq!(Layout::discover(&hub).unwrap(), None);
    fixture.git_in(&hub, &["worktree", "add", "-q", "work"]);
    let found = agrees_with_git(&fixture, &hub.join("work"));
    assert!(found.is_linked_worktree());
    assert_eq!(found.main_work_tree(), None);
}

#[test]
fn a_bare_repository_called_dot_git_is_no_work_tree_either() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["clone", "-q", "--bare", ".", "../hub/.git"]);
    let hub = fixture.beside("hub");
    fixture.git_in(&hub, &["worktree", "add", "-q", "work"]);
    assert_eq!(Layout::discover(&hub).unwrap(), None);
    assert_eq!(agrees_with_git(&fixture, &hub.join("work")).main_work_tree(), None);
}

#[test]
fn settings_of_a_worktree_of_its_own() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["config", "extensions.worktreeConfig", "true"]);
    fixture.git(&["worktree", "add", "-q", "../w"]);
    let elsewhere = fixture.beside("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fixture.git(&["config", "--worktree", "core.worktree", elsewhere.to_str().unwrap()]);
    let found = agrees_with_git(&fixture, &fixture.beside("w"));
    assert_eq!(found.work_tree, fixture.beside("w"));
    assert_eq!(found.main_work_tree(), Some(elsewhere.as_path()));
    assert_eq!(layout(&fixture.root).work_tree, elsewhere);
}

#[test]
fn other_formats_of_storage() {
    for options in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        let fixture = Fixture::with(options);
        agrees_with_git(&fixture, &fixture.root);
    }
}

#[test]
fn a_folder_that_is_no_repository_is_passed_over() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.root.join("sub/.git")).unwrap();
    assert_eq!(agrees_with_git(&fixture, &fixture.root.join("sub")).work_tree, fixture.root);
}

#[test]
fn a_damaged_git_file_is_named() {
    let fixture = Fixture::new();
    for text in ["", "gitdir: \n", "nonsense", "gitdir: nowhere", "gitdir: .."] {
        fixture.write("sub/.git", text);
        let error = Layout::discover(&fixture.root.join("sub")).unwrap_err().to_string();
        let file = fixture.root.join("sub/.git");
        assert!(error.contains(file.to_str().unwrap()), "{text:?}: {error}");
    }
}

#[cfg(unix)]
#[test]
fn links_are_resolved_before_the_walk() {
    let fixture = Fixture::new();
    fixture.write("src/a", "");
    let link = fixture.beside("link");
    std::os::unix::fs::symlink(fixture.root.join("src"), &link).unwrap();
    assert_eq!(layout(&link).work_tree, fixture.root);
}
