use super::*;
use crate::git::fixture::{Fixture, ODD_NAMES, names};

fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

#[test]
fn the_last_commit_of_each_file_whatever_its_name() {
    let fixture = Fixture::new();
    for name in ODD_NAMES {
        fixture.write(name, "1");
    }
    fixture.write("a", "1");
    let first = fixture.commit("one");
    fixture.write("a", "2");
    let second = fixture.commit("two");
    fixture.commit("nothing");
    let mut paths: Vec<RepoPath> = ODD_NAMES.iter().map(RepoPath::new).collect();
    paths.extend(names(&["a", "none"]));
    for config in ["log.showSignature=true", "log.showRoot=false", "log.follow=true", "diff.relative=true"] {
        let (key, value) = config.split_once('=').unwrap();
        fixture.git(&["config", key, value]);
    }
    let found = fixture.ask().last_changes("HEAD", &paths).unwrap();
    assert_eq!(found.len(), ODD_NAMES.len() + 1);
    assert_eq!(found[&RepoPath::from("a")], oid(&second));
    assert!(ODD_NAMES.iter().all(|name| found[&RepoPath::new(name)] == oid(&first)));
    let inside = Git::new(fixture.root.join(" b"), &fixture.env);
    assert_eq!(inside.last_changes("HEAD", &names(&["a"])).unwrap()[&RepoPath::from("a")], oid(&second));
    assert!(fixture.ask().last_changes("none", &names(&["a"])).is_err());
}

#[test]
fn more_files_than_fit_a_command_line() {
    let fixture = Fixture::new();
    let paths: Vec<RepoPath> = (0..300).map(|n| RepoPath::new(format!("records/{n}"))).collect();
    for path in &paths {
        fixture.write(path.as_bytes(), "1");
    }
    let first = fixture.commit("one");
    fixture.write("records/7", "2");
    fixture.write("other", "2");
    let second = fixture.commit("two");
    let found = fixture.ask().last_changes("HEAD", &paths).unwrap();
    assert_eq!(found.len(), 300);
    assert_eq!(found[&paths[7]], oid(&second));
    assert_eq!(found[&paths[8]], oid(&first));
}

#[test]
fn of_a_merge_only_its_own_work_counts() {
    let fixture = Fixture::new();
    fixture.write("both", "1\n2\n3\n4\n5\n6\n7\n8\n");
    fixture.write("kept", "old");
    let base = fixture.commit("base");
    fixture.git(&["checkout", "-q", "-b", "side"]);
    fixture.write("both", "1\n2\n3\n4\n5\n6\n7\neight\n");
    fixture.write("kept", "new");
    let side = fixture.commit("side");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("both", "one\n2\n3\n4\n5\n6\n7\n8\n");
    let main = fixture.commit("main");
    fixture.git(&["merge", "-q", "--no-edit", "side"]);
    let clean = oid(&fixture.git(&["rev-parse", "HEAD"]));
    let own = |head: &Oid| {
        let objects = || std::fs::metadata(fixture.root.join(".git/objects")).unwrap().modified().unwrap();
        let before = objects();
        let changes = fixture.ask().own_changes(&oid(&base), head).unwrap();
        assert_eq!(objects(), before, "merging left no trace");
        changes
    };
    let changes = own(&clean);
    let parents = vec![oid(&main), oid(&side)];
    assert_eq!(changes.len(), 3);
    assert_eq!(changes[2], Touched { commit: clean.clone(), parents: parents.clone(), paths: vec![] });
    // A merge that takes back what one side did is not what merging gives.
    fixture.write("kept", "old");
    fixture.git(&["commit", "-q", "-a", "--amend", "--no-edit"]);
    let sided = oid(&fixture.git(&["rev-parse", "HEAD"]));
    let expected = Touched { commit: sided.clone(), parents: parents.clone(), paths: names(&["kept"]) };
    assert_eq!(own(&sided)[2], expected);

    let lineage = fixture.ask().lineage(std::slice::from_ref(&sided), &[oid(&base)]).unwrap();
    assert_eq!(lineage[0], Lineage { commit: sided.clone(), parents });
    assert_eq!(lineage.len(), 3);
    let line = fixture.ask().first_parent_changes(&sided, &names(&["both", "kept"])).unwrap();
    assert_eq!(line, [oid(&base), oid(&main), sided]);
}

#[test]
fn of_a_merge_of_many_nothing_is_told() {
    let fixture = Fixture::new();
    let base = fixture.commit("base");
    for side in ["a", "b", "c"] {
        fixture.git(&["checkout", "-q", "-b", side, &base]);
        fixture.write(side, "x");
        fixture.commit(side);
    }
    fixture.git(&["merge", "-q", "--no-edit", "a", "b"]);
    let head = oid(&fixture.git(&["rev-parse", "HEAD"]));
    let changes = fixture.untouched_by(|| fixture.ask().own_changes(&oid(&base), &head).unwrap());
    assert_eq!(changes.len(), 4);
    assert_eq!((changes[3].parents.len(), changes[3].paths.len()), (3, 0));
    assert!(changes[..3].iter().all(|one| one.paths.len() == 1));
}

#[test]
fn a_repository_in_a_folder_with_an_odd_name() {
    let fixture = Fixture::new();
    let odd = fixture.beside("a:b\"c\\d");
    fixture.git(&["init", "-q", "-b", "main", odd.to_str().unwrap()]);
    let git = |args: &[&str]| fixture.git_in(&odd, args);
    git(&["commit", "-q", "--allow-empty", "-m", "base"]);
    git(&["checkout", "-q", "-b", "side"]);
    git(&["commit", "-q", "--allow-empty", "-m", "side"]);
    git(&["checkout", "-q", "main"]);
    git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let [base, head] = ["HEAD^", "HEAD"].map(|rev| oid(&git(&["rev-parse", rev])));
    assert_eq!(Git::new(&odd, &fixture.env).own_changes(&base, &head).unwrap().len(), 2);
}
