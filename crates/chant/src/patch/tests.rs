use std::fs;
use std::path::Path;

use store::Env;

use super::*;
use crate::published;

/// A repository in a temporary folder.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new(options: &[&str]) -> Self {
        let repository = Self(tempfile::tempdir().unwrap());
        repository.git(&[&["init", "-q", "-b", "main"], options].concat());
        repository
    }

    fn env() -> Env {
        std::env::vars_os().filter(|(name, _)| name == "PATH").collect()
    }

    fn git(&self, args: &[&str]) -> String {
        let mut all = vec!["-c", "user.name=A", "-c", "user.email=a@example.org"];
        all.extend(args);
        let output = Git::new(self.0.path(), &Self::env()).output(all).unwrap();
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", "x"]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn read(&self, root: &str, asked: Asked<'_>, paths: &[&str]) -> Result<Document, Refusal> {
        at(self.0.path(), root, asked, paths, FILE_BYTES)
    }

    fn range(&self, spec: &str) -> Document {
        self.read("", Asked::Range(spec), &[]).unwrap()
    }
}

fn at(
    dir: &Path,
    root: &str,
    asked: Asked<'_>,
    paths: &[&str],
    file_bytes: NonZeroU64,
) -> Result<Document, Refusal> {
    let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
    let request = Request { asked, paths: &paths, file_bytes };
    let read = read(&Git::new(dir, &Repository::env()), ("shop", &root.into()), &request);
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
fn parted() -> (Repository, [String; 3]) {
    let repository = Repository::new(&[]);
    repository.write("a", "1\n");
    let first = repository.commit();
    repository.write("b", "2\n");
    let main = repository.commit();
    repository.git(&["checkout", "-q", "-b", "other", &first]);
    repository.write("c", "3\n");
    let other = repository.commit();
    (repository, [first, main, other])
}

#[test]
fn each_form_of_a_range_has_its_base_and_head() {
    let (repository, [first, main, other]) = parted();
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
        let document = repository.range(spec);
        assert_eq!(document.range.spec, spec);
        assert_eq!(document.range.form, form, "{spec}");
        assert_eq!((&document.range.base, document.range.head.as_ref()), (base, Some(head)), "{spec}");
        assert_eq!(names(&document), files, "{spec}");
    }
}

#[test]
fn what_names_no_commit_is_refused() {
    let (repository, _) = parted();
    for spec in ["", "nowhere", "main..nowhere", "--all", "-p", "HEAD^{tree}", "main:a", "a\nb", "^main"] {
        let refusal = repository.read("", Asked::Range(spec), &[]).unwrap_err();
        assert_eq!(refusal.code, codes::REVISION_UNKNOWN, "{spec:?}");
    }
    let refusal = repository.read("", Asked::Worktree(Some("main..other")), &[]).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    repository.git(&["checkout", "-q", "--orphan", "apart"]);
    repository.commit();
    let refusal = repository.read("", Asked::Range("main...apart"), &[]).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    assert!(refusal.message.contains("no commit in common"), "{refusal}");
}

#[test]
fn what_a_shallow_clone_cut_off_is_not_shown_as_new() {
    let (repository, _) = parted();
    let clone = repository.0.path().join("clone");
    let url = format!("file://{}", repository.0.path().display());
    repository.git(&["clone", "-q", "--depth=1", &url, clone.to_str().unwrap()]);
    let refusal = at(&clone, "", Asked::Range("HEAD"), &[], FILE_BYTES).unwrap_err();
    assert_eq!(refusal.code, codes::REVISION_UNKNOWN);
    assert!(refusal.message.contains("shallow"), "{refusal}");
}

#[test]
fn the_working_tree_is_compared_with_a_commit() {
    let (repository, [first, ..]) = parted();
    repository.write(".gitignore", "ignored\n");
    repository.write("ignored", "x\n");
    repository.write("a", "changed\n");
    let document = repository.read("", Asked::Worktree(None), &[]).unwrap();
    assert_eq!((document.range.spec.as_str(), document.range.head.as_ref()), ("HEAD", None));
    assert_eq!(document.range.form, Form::Worktree);
    assert_eq!(names(&document), [("added", ".gitignore"), ("modified", "a")]);
    let document = repository.read("", Asked::Worktree(Some(&first)), &["c"]).unwrap();
    assert_eq!((document.range.spec.as_str(), names(&document)), (first.as_str(), vec![("added", "c")]));
    let unborn = Repository::new(&[]);
    unborn.write("new", "1\n");
    assert_eq!(names(&unborn.read("", Asked::Worktree(None), &[]).unwrap()), [("added", "new")]);
}

#[test]
fn a_workspace_below_the_top_sees_its_own_files() {
    let repository = Repository::new(&["--object-format=sha256"]);
    repository.write("apps/shop/src/a", "1\n2\n3\n4\n5\n");
    repository.write("apps/shop/b", "1\n");
    repository.write("apps/shopping/c", "1\n");
    repository.write("outside", "1\n2\n3\n4\n5\n6\n7\n");
    repository.commit();
    fs::rename(repository.0.path().join("apps/shop/src/a"), repository.0.path().join("apps/shop/moved"))
        .unwrap();
    fs::rename(repository.0.path().join("outside"), repository.0.path().join("apps/shop/inside")).unwrap();
    repository.write("apps/shopping/c", "2\n");
    repository.commit();
    let document = repository.read("apps/shop", Asked::Range("HEAD"), &[]).unwrap();
    assert_eq!(document.workspace.root, "apps/shop");
    assert_eq!(names(&document), [("added", "inside"), ("renamed", "moved")]);
    assert_eq!(document.files[1].from.as_deref(), Some("src/a"));
    assert_eq!(document.range.base.len(), 64);
    let root = repository.read("", Asked::Range("HEAD^"), &[]).unwrap();
    assert_eq!(root.workspace.root, ".");
    assert!(root.range.base.starts_with("6ef19b41"));
}

#[test]
fn paths_are_taken_from_the_workspace_root_by_their_letters() {
    let repository = Repository::new(&[]);
    for name in ["w/src/a", "w/src/b", "w/s*", "w/:x", "w/docs/c"] {
        repository.write(name, "1\n");
    }
    repository.commit();
    for (paths, shown, found) in [
        (vec!["src/"], vec!["src"], vec!["src/a", "src/b"]),
        (vec!["s*", ":x"], vec!["s*", ":x"], vec![":x", "s*"]),
        (vec!["src/a", "docs"], vec!["src/a", "docs"], vec!["docs/c", "src/a"]),
        (vec!["nowhere"], vec!["nowhere"], vec![]),
        (vec![".", "src"], vec![".", "src"], vec![":x", "docs/c", "s*", "src/a", "src/b"]),
    ] {
        let document = repository.read("w", Asked::Range("HEAD"), &paths).unwrap();
        assert_eq!(document.paths, shown);
        assert_eq!(document.files.iter().map(|file| file.path.as_str()).collect::<Vec<_>>(), found);
    }
    for path in ["", "/", "/etc", "..", "../x", "a/../../x", "./a", "a//b", "a\\b", "a\nb"] {
        let refusal = repository.read("w", Asked::Range("HEAD"), &[path]).unwrap_err();
        assert_eq!(refusal.code, codes::PATCH_PATH_INVALID, "{path:?}");
    }
}

#[test]
fn where_no_repository_is_nothing_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let refusal = at(folder.path(), "", Asked::Range("HEAD"), &[], FILE_BYTES).unwrap_err();
    assert_eq!(refusal.code, codes::NOT_A_GIT_REPOSITORY);
}

#[test]
fn the_bytes_are_those_that_git_writes() {
    let repository = Repository::new(&[]);
    let lines = |n: usize| (0..n).fold(String::new(), |text, n| text + &n.to_string() + " \u{e9}\r\n");
    repository.write("a", &lines(90));
    repository.commit();
    repository.write("a", &lines(90).replace("10 ", "ten ").replace("80 ", "eighty "));
    repository.commit();
    let diff =
        Git::new(repository.0.path(), &Repository::env()).output(["diff", "HEAD^", "HEAD"]).unwrap().stdout;
    let start = diff.windows(3).position(|window| window == b"@@ ").unwrap();
    let document = repository.range("HEAD");
    let file = &document.files[0];
    assert_eq!((file.bytes, file.hunk_count, file.truncated), ((diff.len() - start) as u64, 2, false));
    assert_eq!((file.additions, file.deletions), (Some(2), Some(2)));

    let room = NonZeroU64::new(file.bytes - 1).unwrap();
    let cut = at(repository.0.path(), "", Asked::Range("HEAD"), &[], room).unwrap();
    assert_eq!(cut.limits.total_bytes, 16 * room.get());
    assert!(cut.summary.truncated);
    assert_eq!(cut.files[0].bytes, file.bytes);
    assert_eq!(cut.files[0].hunks[0], file.hunks[0]);
    assert_eq!(cut.files[0].hunks[1].lines, file.hunks[1].lines[..file.hunks[1].lines.len() - 1]);
}

#[test]
fn the_text_shows_files_hunks_and_sums() {
    let repository = Repository::new(&[]);
    repository.write("a", "1\n2\n");
    repository.write("old name", "1\n2\n3\n4\n");
    repository.commit();
    repository.write("a", "1\nt\u{1b}[31m\to\n");
    repository.write("bin", "\0");
    fs::rename(repository.0.path().join("old name"), repository.0.path().join("new\nname")).unwrap();
    let head = repository.commit();
    let document = repository.range("HEAD");
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
    let cut = at(repository.0.path(), "", Asked::Worktree(Some("HEAD^")), &["a"], NonZeroU64::MIN).unwrap();
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
    let repository = Repository::new(&[]);
    fs::write(repository.0.path().join(std::ffi::OsStr::from_bytes(b"a\xff\"")), b"\xfe\n").unwrap();
    repository.commit();
    let document = repository.range("HEAD");
    assert_eq!(document.files[0].path, "\"a\\377\\\"\"");
    assert_eq!(document.files[0].hunks[0].lines, ["+\u{fffd}"]);
    assert_eq!(document.files[0].bytes, "@@ -0,0 +1 @@\n+x\n".len() as u64);
}
