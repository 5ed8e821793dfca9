use std::fs;

use super::*;
use crate::git::Layout;
use crate::git::fixture::Fixture;

fn oid(text: &str) -> Oid {
    Oid::parse(text).unwrap()
}

/// What `HEAD` is, which is the same whoever is asked.
fn head(fixture: &Fixture) -> Head {
    let head = fixture.ask().head().unwrap();
    let layout = Layout::discover(&fixture.root).unwrap().unwrap();
    assert_eq!(fixture.ask().objects().unwrap().head(&layout).unwrap(), head);
    head
}

#[test]
fn head_on_a_branch_unborn_and_detached() {
    let fixture = Fixture::new();
    assert_eq!(head(&fixture), Head::Branch { name: "main".into(), oid: None });
    let commit = oid(&fixture.commit("one"));
    fixture.git(&["checkout", "-q", "-b", "topic/x"]);
    assert_eq!(head(&fixture), Head::Branch { name: "topic/x".into(), oid: Some(commit.clone()) });
    fixture.git(&["checkout", "-q", "--detach"]);
    let detached = head(&fixture);
    assert_eq!(detached, Head::Detached { oid: commit.clone() });
    assert_eq!((detached.branch(), detached.oid()), (None, Some(&commit)));
    fixture.git(&["checkout", "-q", "-b", "HEAD2"]);
    fixture.git(&["branch", "-m", "x"]);
    assert_eq!(head(&fixture).branch(), Some("x"));
}

#[test]
fn a_broken_branch_is_no_unborn_one() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fs::write(fixture.root.join(".git/refs/heads/main"), "garbage\n").unwrap();
    assert!(matches!(fixture.ask().head(), Err(GitError::Failed { .. })));
    let layout = Layout::discover(&fixture.root).unwrap().unwrap();
    let objects = fixture.ask().objects().unwrap();
    assert!(matches!(objects.head(&layout), Err(GitError::Failed { .. })));
}

#[test]
fn revisions_resolve_to_commits_that_are_here() {
    let fixture = Fixture::new();
    let commit = fixture.commit("one");
    fixture.git(&["tag", "-a", "v1", "-m", "v1"]);
    let git = fixture.ask();
    for rev in ["HEAD", "main", "v1", &commit[..8], &commit] {
        assert_eq!(git.resolve(rev).unwrap(), Some(oid(&commit)), "{rev}");
    }
    let absent = "1".repeat(40);
    for rev in ["nope", "HEAD~1", "", "-x", "--all", absent.as_str(), "HEAD^{tree}"] {
        assert_eq!(git.resolve(rev).unwrap(), None, "{rev}");
    }
    assert!(git.exists(&oid(&commit)).unwrap());
    assert!(!git.exists(&oid(&absent)).unwrap());
}

#[test]
fn merge_bases_and_ancestors_with_all_history() {
    let fixture = Fixture::new();
    let first = fixture.commit("one");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    let topic = fixture.commit("topic");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.commit("two");
    fixture.git(&["checkout", "-q", "--orphan", "alone"]);
    fixture.commit("alone");
    let git = fixture.ask();
    assert!(!git.is_shallow().unwrap());
    assert_eq!(git.merge_base("topic", "main").unwrap(), MergeBase::Found(oid(&first)));
    assert_eq!(git.merge_base("topic", "alone").unwrap(), MergeBase::None);
    assert_eq!(git.is_ancestor(&first, "main").unwrap(), Ancestry::Yes);
    assert_eq!(git.is_ancestor(&topic, "main").unwrap(), Ancestry::No);
    assert!(git.merge_base("nope", "main").is_err());
}

/// A clone whose own branch and `origin/main` were both cut off above the commit they share.
#[test]
fn a_base_behind_the_cut_is_not_none() {
    let fixture = Fixture::new();
    fixture.commit("one");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.commit("topic 1");
    fixture.commit("topic 2");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.commit("main 1");
    fixture.commit("main 2");
    let url = format!("file://{}", fixture.root.display());
    let dir = fixture.beside("");
    fixture.git_in(&dir, &["clone", "-q", "--depth=1", "--no-single-branch", "-b", "topic", &url, "clone"]);
    let git = Git::new(fixture.beside("clone"), &fixture.env);
    assert!(git.is_shallow().unwrap());
    assert_eq!(git.merge_base("HEAD", "origin/main").unwrap(), MergeBase::CutOff);
    assert_eq!(git.is_ancestor("origin/main", "HEAD").unwrap(), Ancestry::CutOff);
    assert_eq!(git.is_ancestor("HEAD", "HEAD").unwrap(), Ancestry::Yes);
    assert_eq!(
        git.merge_base("HEAD", "HEAD").unwrap(),
        MergeBase::Found(git.head().unwrap().oid().unwrap().clone())
    );
}

/// One side of a merge is cut off, so git finds a base on the other side that is older than the true one.
#[test]
fn an_older_base_beside_the_cut_is_not_taken() {
    let fixture = Fixture::new();
    let old = fixture.commit("old");
    fixture.commit("middle");
    let base = fixture.commit("true base");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    let cut = fixture.commit("topic");
    fixture.git(&["checkout", "-q", "-b", "side", &old]);
    fixture.commit("side");
    fixture.git(&["merge", "-q", "--no-edit", "topic"]);
    let git = fixture.ask();
    assert_eq!(git.merge_base("side", "main").unwrap(), MergeBase::Found(oid(&base)));
    fs::write(fixture.root.join(".git/shallow"), format!("{cut}\n")).unwrap();
    assert_eq!(fixture.git(&["merge-base", "side", "main"]), old, "what git says");
    assert_eq!(git.merge_base("side", "main").unwrap(), MergeBase::CutOff);
}

#[test]
fn a_cut_below_the_base_does_no_harm() {
    let fixture = Fixture::new();
    fixture.commit("one");
    let base = fixture.commit("base");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.commit("topic");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.commit("main");
    fs::write(fixture.root.join(".git/shallow"), format!("{base}\n")).unwrap();
    let git = fixture.ask();
    assert!(git.is_shallow().unwrap());
    assert_eq!(git.merge_base("topic", "main").unwrap(), MergeBase::Found(oid(&base)));
}

#[test]
fn the_folder_knows_its_place() {
    let fixture = Fixture::new();
    fixture.write("a\nb/c", "");
    let git = fixture.ask();
    assert_eq!(git.prefix().unwrap(), RepoPath::new(""));
    assert_eq!(Git::new(fixture.root.join("a\nb"), &fixture.env).prefix().unwrap(), RepoPath::new("a\nb"));
}

#[test]
fn other_formats_of_storage() {
    for (options, format) in [
        (&["--object-format=sha256"][..], ObjectFormat::Sha256),
        (&["--ref-format=reftable"], ObjectFormat::Sha1),
        (&["--object-format=sha256", "--ref-format=reftable"], ObjectFormat::Sha256),
    ] {
        let fixture = Fixture::with(options);
        let git = fixture.ask();
        assert_eq!(git.object_format().unwrap(), format);
        assert_eq!(head(&fixture), Head::Branch { name: "main".into(), oid: None });
        let commit = fixture.commit("one");
        fixture.git(&["config", "extensions.worktreeConfig", "true"]);
        assert_eq!(head(&fixture).oid(), Some(&oid(&commit)));
        assert_eq!(git.merge_base("main", "HEAD").unwrap(), MergeBase::Found(oid(&commit)));
        fixture.git(&["checkout", "-q", "--detach"]);
        assert_eq!(head(&fixture), Head::Detached { oid: oid(&commit) });
    }
}
