use std::fs;

use super::*;
use crate::fixture::Scratch;
use crate::published;

fn read_at(scratch: &Scratch, root: &str, asked: Asked<'_>, paths: &[&str]) -> Result<Document, Refusal> {
    at(scratch.place().git(), root, asked, paths, FILE_BYTES)
}

fn range(scratch: &Scratch, spec: &str) -> Document {
    read_at(scratch, "", Asked::Range(spec), &[]).unwrap()
}

fn at(
    git: &Git,
    root: &str,
    asked: Asked<'_>,
    paths: &[&str],
    file_bytes: NonZeroU64,
) -> Result<Document, Refusal> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let request = Request { asked, paths: &paths, file_bytes };
    let read = read(git, ("shop", &root.into()), &request);
    match &read {
        Ok(document) => published::check("patch", document),
        Err(refusal) => published::check("patch", &Failure::from(refusal)),
    }
    read
}

fn names(document: &Document) -> Vec<(&str, &str)> {
    document.files.iter().map(|file| (file.change.as_str(), file.path.as_str())).collect()
}

/// Two branches that part after the first commit.
fn parted() -> (Scratch, [String; 3]) {
    let scratch = Scratch::new();
    scratch.write("a", "1\n");
    let first = scratch.commit("x");
    scratch.write("b", "2\n");
    let main = scratch.commit("x");
    scratch.git(&["checkout", "-q", "-b", "other", &first]);
    scratch.write("c", "3\n");
    let other = scratch.commit("x");
    (scratch, [first, main, other])
}

#[test]
fn each_form_of_a_range_has_its_base_and_head() {
    let (scratch, [first, main, other]) = parted();
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    for (spec, form, base, head, files) in [
        ("main..other", Form::Range, &main, &other, vec![("deleted", "b"), ("added", "c")]),
        ("main..", Form::Range, &main, &other, vec![("deleted", "b"), ("added", "c")]),
        ("..main", Form::Range, &other, &main, vec![("added", "b"), ("deleted", "c")]),
        ("main...other", Form::MergeBase, &first, &other, vec![("added", "c")]),
        ("main...", Form::MergeBase, &first, &other, vec![("added", "c")]),
        ("HEAD", Form::Commit, &first, &other, vec![("added", "c")]),
        (&first, Form::Commit, &empty.to_owned(), &first, vec![("added", "a")]),
        ("HEAD..HEAD", Form::Range, &other, &other, vec![]),
    ] {
        let document = range(&scratch, spec);
        assert_eq!(document.range.spec, spec);
        assert_eq!(document.range.form, form, "{spec}");
        assert_eq!((&document.range.base, document.range.head.as_ref()), (base, Some(head)), "{spec}");
        assert_eq!(names(&document), files, "{spec}");
    }
}

#[test]
fn what_names_no_commit_is_refused() {
    let (scratch, _) = parted();
    for spec in ["", "nowhere", "main..nowhere", "--all", "-p", "HEAD^{tree}", "main:a", "a\nb", "^main"] {
        let refusal = read_at(&scratch, "", Asked::Range(spec), &[]).unwrap_err();
        assert_eq!(refusal.code, codes::REVISION_UNKNOWN, "{spec:?}");
    }
    let refusal = read_at(&scratch, "", Asked::Worktree(Some("main..other")), &[]).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    scratch.git(&["checkout", "-q", "--orphan", "apart"]);
    scratch.commit("x");
    let refusal = read_at(&scratch, "", Asked::Range("main...apart"), &[]).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    assert!(refusal.message.contains("no commit in common"), "{refusal}");
}

#[test]
fn what_a_shallow_clone_cut_off_is_not_shown_as_new() {
    let (scratch, _) = parted();
    let clone = scratch.root.join("clone");
    let url = format!("file://{}", scratch.root.display());
    scratch.git(&["clone", "-q", "--depth=1", &url, clone.to_str().unwrap()]);
    let refusal =
        at(&Git::new(&clone, &scratch.world.env), "", Asked::Range("HEAD"), &[], FILE_BYTES).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    assert!(refusal.message.contains("shallow"), "{refusal}");
}

#[test]
fn the_working_tree_is_compared_with_a_commit() {
    let (scratch, [first, ..]) = parted();
    scratch.write(".gitignore", "ignored\n");
    scratch.write("ignored", "x\n");
    scratch.write("a", "changed\n");
    let document = read_at(&scratch, "", Asked::Worktree(None), &[]).unwrap();
    assert_eq!((document.range.spec.as_str(), document.range.head.as_ref()), ("HEAD", None));
    assert_eq!(document.range.form, Form::Worktree);
    assert_eq!(names(&document), [("added", ".gitignore"), ("modified", "a")]);
    let document = read_at(&scratch, "", Asked::Worktree(Some(&first)), &["c"]).unwrap();
    assert_eq!((document.range.spec.as_str(), names(&document)), (first.as_str(), vec![("added", "c")]));
    let unborn = Scratch::new();
    unborn.write("new", "1\n");
    assert_eq!(names(&read_at(&unborn, "", Asked::Worktree(None), &[]).unwrap()), [("added", "new")]);
}

#[test]
fn a_workspace_below_the_top_sees_its_own_files() {
    let scratch = Scratch::with(&["--object-format=sha256"]);
    scratch.write("apps/shop/src/a", "1\n2\n3\n4\n5\n");
    scratch.write("apps/shop/b", "1\n");
    scratch.write("apps/shopping/c", "1\n");
    scratch.write("outside", "1\n2\n3\n4\n5\n6\n7\n");
    scratch.commit("x");
    fs::rename(scratch.root.join("apps/shop/src/a"), scratch.root.join("apps/shop/moved")).unwrap();
    fs::rename(scratch.root.join("outside"), scratch.root.join("apps/shop/inside")).unwrap();
    scratch.write("apps/shopping/c", "2\n");
    scratch.commit("x");
    let document = read_at(&scratch, "apps/shop", Asked::Range("HEAD"), &[]).unwrap();
    assert_eq!(document.workspace.root, "apps/shop");
    assert_eq!(names(&document), [("added", "inside"), ("renamed", "moved")]);
    assert_eq!(document.files[1].from.as_deref(), Some("src/a"));
    assert_eq!(document.range.base.len(), 64);
    let root = read_at(&scratch, "", Asked::Range("HEAD^"), &[]).unwrap();
    assert_eq!(root.workspace.root, ".");
    assert!(root.range.base.starts_with("6ef19b41"));
}

#[test]
fn paths_are_taken_from_the_workspace_root_by_their_letters() {
    let scratch = Scratch::new();
    for name in ["w/src/a", "w/src/b", "w/s*", "w/:x", "w/docs/c"] {
        scratch.write(name, "1\n");
    }
    scratch.commit("x");
    for (paths, shown, found) in [
        (vec!["src/"], vec!["src"], vec!["src/a", "src/b"]),
        (vec!["s*", ":x"], vec!["s*", ":x"], vec![":x", "s*"]),
        (vec!["src/a", "docs"], vec!["src/a", "docs"], vec!["docs/c", "src/a"]),
        (vec!["nowhere"], vec!["nowhere"], vec![]),
        (vec![".", "src"], vec![".", "src"], vec![":x", "docs/c", "s*", "src/a", "src/b"]),
    ] {
        let document = read_at(&scratch, "w", Asked::Range("HEAD"), &paths).unwrap();
        assert_eq!(document.paths, shown);
        assert_eq!(document.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), found);
    }
    for path in ["", "/", "/etc", "..", "../x", "a/../../x", "./a", "a//b", "a\\b", "a\nb"] {
        let refusal = read_at(&scratch, "w", Asked::Range("HEAD"), &[path]).unwrap_err();
        assert_eq!(refusal.code, codes::PATCH_PATH_INVALID, "{path:?}");
    }
}

#[test]
fn where_no_repository_is_nothing_is_read() {
    let refusal =
        at(Scratch::outside().place().git(), "", Asked::Range("HEAD"), &[], FILE_BYTES).unwrap_err();
    assert_eq!(refusal.code, codes::NOT_A_GIT_REPOSITORY);
}

#[test]
fn the_bytes_are_those_that_git_writes() {
    let scratch = Scratch::new();
    let lines = |n: usize| (0..n).fold(String::new(), |text, n| text + &n.to_string() + " \u{e9}\r\n");
    scratch.write("a", lines(90));
    scratch.commit("x");
    scratch.write("a", lines(90).replace("10 ", "ten ").replace("80 ", "eighty "));
    scratch.commit("x");
    let diff = scratch.place().git().output(["diff", "HEAD^", "HEAD"]).unwrap().stdout;
    let start = diff.windows(3).position(|window| window == b"@@ ").unwrap();
    let document = range(&scratch, "HEAD");
    let file = &document.files[0];
    assert_eq!((file.bytes, file.hunk_count, file.truncated), ((diff.len() - start) as u64, 2, false));
    assert_eq!((file.additions, file.deletions), (Some(2), Some(2)));

    let room = NonZeroU64::new(file.bytes - 1).unwrap();
    let cut = at(scratch.place().git(), "", Asked::Range("HEAD"), &[], room).unwrap();
    assert_eq!(cut.limits.total_bytes, 16 * room.get());
    assert!(cut.summary.truncated);
    assert_eq!(cut.files[0].bytes, file.bytes);
    assert_eq!(cut.files[0].hunks[0], file.hunks[0]);
    assert_eq!(cut.files[0].hunks[1].lines, file.hunks[1].lines[..file.hunks[1].lines.len() - 1]);
}

#[test]
fn the_text_shows_files_hunks_and_sums() {
    let scratch = Scratch::new();
    scratch.write("a", "1\n2\n");
    scratch.write("old name", "1\n2\n3\n4\n");
    scratch.commit("x");
    scratch.write("a", "1\nt\u{1b}[31m\to\n");
    scratch.write("bin", "\0");
    fs::rename(scratch.root.join("old name"), scratch.root.join("new\nname")).unwrap();
    let head = scratch.commit("x");
    let document = range(&scratch, "HEAD");
    let base = &document.range.base;
    assert_eq!(
        text(&document),
        format!(
            "patch     {}..{} (HEAD, commit)\n\
             modified  a +1 -1\n\
             @@ -1,2 +1,2 @@\n 1\n-2\n+t\\u{{1b}}[31m\to\n\
             added     bin binary\n\
             renamed   new\\nname (from old name) +0 -0\n\
             3 files, +1 -1\n",
            &base[..8],
            &head[..8]
        )
    );
    let cut = at(scratch.place().git(), "", Asked::Worktree(Some("HEAD^")), &["a"], NonZeroU64::MIN).unwrap();
    assert_eq!(
        text(&cut),
        format!(
            "patch     {}..working tree (HEAD^, worktree)\n\
             modified  a +1 -1; truncated, 0 of 1 hunks shown\n\
             1 file, +1 -1; truncated at 1 bytes a file, 16 in all\n",
            &base[..8]
        )
    );
}

#[cfg(unix)]
#[test]
fn a_name_that_is_no_text_is_quoted_as_git_does() {
    use std::os::unix::ffi::OsStrExt;
    let scratch = Scratch::new();
    fs::write(scratch.root.join(std::ffi::OsStr::from_bytes(b"a\xff\"")), b"\xfe\n").unwrap();
    scratch.commit("x");
    let document = range(&scratch, "HEAD");
    assert_eq!(document.files[0].path, "\"a\\377\\\"\"");
    assert_eq!(document.files[0].hunks[0].lines, ["+\u{fffd}"]);
    assert_eq!(document.files[0].bytes, "@@ -0,0 +1 @@\n+x\n".len() as u64);
}
