use std::fs;

use serde_json::json;
use store::git::ChangeKind;

use super::fixture::{Fixture, ID};
use super::{Change, Origin, shown};
use crate::codes;

fn known(fixture: &Fixture) -> super::ChangeSet {
    match fixture.change().unwrap() {
        Change::Known(set) => set,
        Change::Unknown(_) => panic!("outside git"),
    }
}

fn names(fixture: &Fixture) -> Vec<String> {
    known(fixture).files.iter().map(|file| shown(&file.path)).collect()
}

fn origin(fixture: &Fixture) -> Origin {
    known(fixture).base.origin
}

/// Starts the task at the present commit.
fn start(fixture: &Fixture) -> String {
    let head = fixture.git(&["rev-parse", "HEAD"]);
    fixture.task(json!({ "cairn": { "base": head } }));
    head
}

#[test]
fn committed_and_uncommitted_and_untracked_work_is_one_change() {
    let fixture = Fixture::new();
    let base = start(&fixture);
    fixture.write("committed", "1");
    fixture.commit("work");
    fixture.write("README", "edited");
    fixture.write("new", "1");
    fixture.write(".gitignore", "ignored");
    fixture.write("ignored", "1");
    assert_eq!(names(&fixture), [".gitignore", "README", "committed", "new"]);
    let set = known(&fixture);
    assert_eq!(set.base.commit.as_ref().unwrap().as_str(), base);
    assert_eq!(set.base.origin, Origin::Start);
    let diff = set.diff(10_000).unwrap().text;
    for line in ["+++ b/committed", "+edited", "+++ b/new"] {
        assert!(diff.contains(line), "{line} is not in {diff}");
    }
    assert!(set.stat().unwrap().contains("4 files changed"));
}

#[test]
fn the_state_of_the_spine_and_the_held_out_set_are_no_change() {
    let fixture = Fixture::new();
    start(&fixture);
    for name in [
        "tasks.json.77.tmp",
        "updates.jsonl",
        "plans/todo/1.md",
        "held-out/secret.test.mjs",
        "local/cost.jsonl",
    ] {
        fixture.write(format!(".chalk/{name}"), "x");
    }
    fixture.write(".chalk/tests/a.mjs", "x");
    assert_eq!(names(&fixture), [".chalk/tests/a.mjs"]);
    let set = known(&fixture);
    assert!(!set.diff(10_000).unwrap().text.contains("secret"));
    assert!(!set.stat().unwrap().contains("tmp"));
}

#[test]
fn work_that_is_committed_already_is_still_reviewed() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    fixture.commit("work");
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["work".into()], Origin::LastCommit));
    fixture.commit("the state of the spine alone");
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["work".into()], Origin::LastCommit));
}

#[test]
fn an_older_commit_is_not_the_work_of_a_task_that_was_started_after_it() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    fixture.commit("work");
    start(&fixture);
    assert!(fixture.change().unwrap().is_empty());
    assert_eq!((names(&fixture), origin(&fixture)), (vec![], Origin::Start));
    fixture.write(".chalk/.gitignore", "local/\n");
    assert!(fixture.change().unwrap().is_empty(), "what `init` made is no work");
    fixture.git(&["add", ".chalk/tasks.json"]);
    fixture.git(&["commit", "-q", "-m", "the state of the spine alone"]);
    assert!(fixture.change().unwrap().is_empty());
    fixture.write("more", "1");
    assert!(!fixture.change().unwrap().is_empty());
}

#[test]
fn without_a_record_what_is_not_committed_counts() {
    let fixture = Fixture::new();
    fixture.write("before", "1");
    fixture.commit("before");
    fixture.write("work", "1");
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["work".into()], Origin::Head));
}

#[test]
fn a_repository_with_nothing_but_state_has_no_change() {
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.commit("the spine");
    assert!(fixture.change().unwrap().is_empty());
}

#[test]
fn what_init_made_is_no_work_until_somebody_writes_in_it_or_commits_it() {
    let block = "<!-- chalk:begin (managed) -->\nrules\n<!-- chalk:end -->\n";
    let set_up = |fixture: &Fixture| {
        fixture.write(".chalk/.gitignore", "local/\n");
        fixture.write(".chalk/spec.md", "# p\n");
        fixture.write(".claude/agents/chalk-reviewer.md", "x\n");
        fixture.write("AGENTS.md", block);
    };
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    set_up(&fixture);
    assert!(fixture.change().unwrap().is_empty());
    fixture.git(&["add", "-A"]);
    assert!(fixture.change().unwrap().is_empty());
    fixture.write("AGENTS.md", format!("my own rules\n{block}"));
    assert!(!fixture.change().unwrap().is_empty());
    fixture.write("AGENTS.md", block);
    fixture.commit("set-up");
    assert_eq!(origin(&fixture), Origin::Beginning);
    assert!(fixture.change().unwrap().is_empty());

    let fixture = Fixture::new();
    fixture.write("work", "1");
    fixture.commit("work");
    set_up(&fixture);
    assert_eq!(origin(&fixture), Origin::LastCommit, "the work is what a reviewer must see");
    assert!(names(&fixture).contains(&"work".to_owned()));
    fixture.commit("set-up");
    assert!(!fixture.change().unwrap().is_empty());
}

#[test]
fn before_the_first_commit_everything_is_the_change() {
    let fixture = Fixture::without_git();
    fixture.git(&["init", "-q", "-b", "main"]);
    fixture.write("work", "1");
    let set = known(&fixture);
    assert_eq!((set.base.commit, set.base.origin), (None, Origin::Beginning));
    assert_eq!(set.files[0].kind, ChangeKind::Untracked);
    let first = fixture.commit("first");
    assert_eq!(names(&fixture), ["work"], "{first} is the first commit");
    assert_eq!(origin(&fixture), Origin::Beginning);
}

#[test]
fn outside_git_nothing_is_known() {
    let fixture = Fixture::without_git();
    let change = fixture.change().unwrap();
    assert!(matches!(change, Change::Unknown(_)) && !change.is_empty());
    assert_eq!((change.base(), change.files().len()), (None, 0));
}

#[test]
fn a_folder_that_the_repository_around_it_ignores_is_outside_git() {
    let fixture = Fixture::without_git();
    fixture.git_in(&fixture.beside(""), &["init", "-q"]);
    fs::write(fixture.beside(".gitignore"), "project\n").unwrap();
    assert!(matches!(fixture.change().unwrap(), Change::Unknown(_)));
}

#[test]
fn a_branch_begins_where_it_left_the_other_whether_head_is_on_it_or_detached() {
    let fixture = Fixture::new();
    let first = fixture.git(&["rev-parse", "HEAD"]);
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    fixture.write("one", "1");
    fixture.commit("one");
    fixture.write("two", "2");
    fixture.commit("two");
    for args in [&["checkout", "-q", "feature"][..], &["checkout", "-q", "--detach"]] {
        fixture.git(args);
        assert_eq!((names(&fixture), origin(&fixture)), (vec!["one".into(), "two".into()], Origin::Branch));
        assert_eq!(known(&fixture).base.commit.unwrap().as_str(), first);
    }
}

#[test]
fn what_was_merged_in_from_others_is_not_the_tasks_change() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    start(&fixture);
    fixture.write("mine", "1");
    fixture.commit("mine");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("theirs", "1");
    fixture.commit("theirs");
    fixture.git(&["checkout", "-q", "feature"]);
    fixture.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["mine".into()], Origin::Branch));
}

#[test]
fn a_task_started_on_a_branch_does_not_answer_for_the_tasks_before_it() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    fixture.write("task one", "1");
    fixture.commit("task one");
    start(&fixture);
    fixture.write("task two", "1");
    fixture.commit("task two");
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["task two".into()], Origin::Start));
}

#[test]
fn a_start_that_was_rewritten_is_measured_from_what_both_have_in_common() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    fixture.commit("gone");
    start(&fixture);
    fixture.git(&["reset", "-q", "--hard", "main"]);
    fixture.task(json!({ "cairn": { "base": fixture.git(&["rev-parse", "feature@{1}"]) } }));
    fixture.write("work", "1");
    fixture.commit("work");
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["work".into()], Origin::Start));
}

#[test]
fn a_pushed_start_of_the_work_stays_in_the_change() {
    let fixture = Fixture::new();
    start(&fixture);
    fixture.write("one", "1");
    let pushed = fixture.commit("one");
    fixture.git(&["update-ref", "refs/remotes/origin/main", &pushed]);
    fixture.write("two", "1");
    assert_eq!(names(&fixture), ["one", "two"]);
    fixture.task(json!({}));
    assert_eq!((names(&fixture), origin(&fixture)), (vec!["two".into()], Origin::Branch), "without a record");
}

#[test]
fn a_local_branch_behind_its_remote_makes_no_foreign_work_ours() {
    let fixture = Fixture::new();
    fixture.git(&["checkout", "-q", "-b", "fetched"]);
    fixture.write("theirs", "1");
    let theirs = fixture.commit("theirs");
    fixture.git(&["update-ref", "refs/remotes/origin/main", &theirs]);
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    fixture.write("mine", "1");
    fixture.commit("mine");
    assert_eq!(names(&fixture), ["mine"]);
}

#[test]
fn a_shallow_clone_says_that_history_is_cut() {
    let fixture = Fixture::new();
    let first = fixture.git(&["rev-parse", "HEAD"]);
    fixture.git(&["checkout", "-q", "-b", "feature"]);
    for name in ["one", "two", "three"] {
        fixture.write(name, "1");
        fixture.commit(name);
    }
    let url = format!("file://{}", fixture.root.display());
    let mut clone = Fixture::without_git();
    for (number, args) in [&["--single-branch"][..], &["--no-single-branch"]].into_iter().enumerate() {
        let folder = clone.beside(&format!("clone{number}"));
        let folder_name = folder.to_str().unwrap();
        let branch = ["clone", "-q", "--depth", "2", "-b", "feature"];
        let all = [&branch[..], args, &[&url, folder_name]].concat();
        clone.git_in(&clone.root, &all);
        clone.root.clone_from(&folder);
        clone.world.cwd = folder;
        assert_eq!(clone.change().unwrap_err().code, codes::HISTORY_CUT, "{args:?}");
        clone.write("dirty", "1");
        assert_eq!(clone.change().unwrap_err().code, codes::HISTORY_CUT, "{args:?}, with more work");
        clone.task(json!({ "cairn": { "base": first } }));
        assert_eq!(clone.change().unwrap_err().code, codes::HISTORY_CUT, "{args:?}, started before the cut");
    }
    let one = fixture.git(&["rev-parse", "HEAD~1"]);
    clone.task(json!({ "cairn": { "base": one } }));
    assert_eq!(names(&clone), ["dirty", "three"], "the start is on this side of the cut");
}

#[test]
fn a_shallow_clone_of_the_target_branch_does_not_take_its_edge_for_the_first_commit() {
    let fixture = Fixture::new();
    fixture.write("work", "1");
    fixture.commit("work");
    let mut clone = Fixture::without_git();
    let folder = clone.beside("clone");
    let url = format!("file://{}", fixture.root.display());
    clone.git(&["clone", "-q", "--depth", "1", &url, folder.to_str().unwrap()]);
    clone.root.clone_from(&folder);
    clone.world.cwd = folder;
    assert_eq!(clone.change().unwrap_err().code, codes::HISTORY_CUT);
    clone.write("new", "1");
    assert_eq!(names(&clone), ["new"], "what is not committed is all here");
}

#[test]
fn a_linked_work_tree_is_judged_by_its_own_files() {
    let fixture = Fixture::new();
    start(&fixture);
    let tree = fixture.beside("tree");
    fixture.git(&["worktree", "add", "-q", "-b", "feature", tree.to_str().unwrap()]);
    fixture.write("in the main tree", "1");
    fs::write(tree.join("in the linked tree"), "1").unwrap();
    let session = fixture.session();
    let task = session.task(ID).unwrap();
    let change = super::of(&session, &session.config().unwrap(), &task, &tree).unwrap();
    let names: Vec<String> = change.files().iter().map(|file| shown(&file.path)).collect();
    assert_eq!(names, ["in the linked tree"]);
}

#[test]
fn a_spine_in_a_subfolder_sees_its_own_folder_alone() {
    let mut fixture = Fixture::new();
    let sub = fixture.root.join("sub");
    fs::create_dir(&sub).unwrap();
    fs::rename(fixture.root.join(".chalk"), sub.join(".chalk")).unwrap();
    fixture.commit("moved");
    fixture.write("outside", "1");
    fixture.write("sub/inside", "1");
    fixture.write("sub/.chalk/updates.jsonl", "{}");
    fixture.world.cwd = sub;
    let session = fixture.session();
    let task = session.task(ID).unwrap();
    let change = super::of(&session, &session.config().unwrap(), &task, &session.spine.tree).unwrap();
    let names: Vec<String> = change.files().iter().map(|file| shown(&file.path)).collect();
    assert_eq!(names, ["inside"]);
}

#[cfg(unix)]
#[test]
fn names_of_any_bytes_are_in_the_change_and_on_one_line() {
    use std::os::unix::ffi::OsStrExt as _;
    let fixture = Fixture::new();
    start(&fixture);
    for name in [&b"gr\xc3\xb6\xc3\x9fe"[..], b"-n", b" b/x", b"new\nline", b"\xff", b"$(touch pwned)"] {
        fixture.write(std::ffi::OsStr::from_bytes(name), "1");
    }
    assert_eq!(
        names(&fixture),
        [" b/x", "$(touch pwned)", "-n", "gr\u{f6}\u{df}e", "new\\nline", "\u{fffd}"]
    );
}

#[test]
fn asking_changes_nothing_in_the_repository() {
    let fixture = Fixture::new();
    start(&fixture);
    fixture.write("README", "staged");
    fixture.git(&["add", "README"]);
    fixture.write("new", "1");
    let before =
        (fixture.git(&["status", "--porcelain"]), fs::read(fixture.root.join(".git/index")).unwrap());
    let set = known(&fixture);
    set.diff(100).unwrap();
    set.stat().unwrap();
    let after = (fixture.git(&["status", "--porcelain"]), fs::read(fixture.root.join(".git/index")).unwrap());
    assert_eq!(before.0, after.0);
}

#[test]
fn a_nested_repository_is_shown_after_the_rest_and_takes_no_room_from_it() {
    let fixture = Fixture::new();
    start(&fixture);
    fixture.write("work", "mine\n".repeat(100));
    fixture.git(&["init", "-q", "nested"]);
    for number in 0..100 {
        fixture.write(format!("nested/{number:02}"), "filler\n".repeat(100));
    }
    let set = known(&fixture);
    let whole = set.diff(1_000_000).unwrap();
    assert!(whole.text.starts_with("diff --git a/work b/work\n"));
    assert!(whole.text.contains("diff --git a/nested/07 b/nested/07\n") && whole.cut.is_empty());
    let cut = set.diff(2_000).unwrap();
    assert_eq!(cut.text.matches("+mine\n").count(), 100, "{}", cut.text);
    assert!(cut.text.len() < 3_500 && cut.cut.contains(&"nested/99".to_owned()), "{cut:?}");
}

#[test]
fn what_the_diff_can_not_show_is_named() {
    let other = Fixture::new();
    let fixture = Fixture::new();
    fixture.git(&["submodule", "add", "-q", other.root.to_str().unwrap(), "lib"]);
    fixture.write("out/a", "1");
    fixture.commit("base");
    fixture.git(&["submodule", "--quiet", "deinit", "-f", "lib"]);
    fixture.write("lib/stray", "1");
    fixture.git(&["update-index", "--skip-worktree", "out/a"]);
    fs::remove_file(fixture.root.join("out/a")).unwrap();
    fs::write(fixture.root.join(".git/info/exclude"), "private\n").unwrap();
    fixture.write("private", "evil\n");
    let diff = known(&fixture).diff(10_000).unwrap();
    assert_eq!(
        diff.cut,
        [
            "lib (files in a submodule that is not checked out: not shown)",
            "out/a (not checked out, 1 in all: not looked at)",
        ]
    );
    assert_eq!(diff.private, ["private"]);
    assert!(diff.text.contains("+evil\n"));
}
