use std::fs;

use canon::Sha256;

use crate::digest::{changed_between, content_digest};
use crate::git::fixture::{Fixture, names};
use crate::git::{Change, ChangeKind, Comparison, Git, RepoPath};

const HEAD: Comparison = Comparison { base: Some("HEAD"), exclude: &[], renames: false };

/// A way to keep a change from the user's git: what it sets, and the files that it changes.
struct Trick {
    name: &'static str,
    set: fn(&Fixture),
    files: &'static [&'static str],
}

fn info(fixture: &Fixture, name: &str, text: &str) {
    fs::write(fixture.root.join(".git/info").join(name), text).unwrap();
}

fn config(fixture: &Fixture, key: &str, value: &str) {
    fixture.git(&["config", key, value]);
}

fn personal(fixture: &Fixture, name: &str, text: &str) {
    let folder = fixture.beside("home/git");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(name), text).unwrap();
}

fn edit(fixture: &Fixture) {
    fixture.write("a.x", "evil\n");
}

/// Makes git take any content of the file for the committed one.
fn filter(fixture: &Fixture) {
    config(fixture, "filter.hide.clean", "printf '0\\n'");
    edit(fixture);
    // Old enough for git to trust the time.
    let file = fs::File::options().write(true).open(fixture.root.join("a.x")).unwrap();
    file.set_modified(std::time::SystemTime::now() - std::time::Duration::from_hours(1)).unwrap();
    fixture.git(&["add", "a.x"]);
}

const TRICKS: &[Trick] = &[
    Trick {
        name: "info/exclude",
        set: |fixture| {
            info(fixture, "exclude", "new\n");
            fixture.write("new", "evil\n");
        },
        files: &["new"],
    },
    Trick {
        name: "core.excludesFile",
        set: |fixture| {
            fs::write(fixture.beside("rules"), "new\n").unwrap();
            config(fixture, "core.excludesFile", fixture.beside("rules").to_str().unwrap());
            fixture.write("new", "evil\n");
        },
        files: &["new"],
    },
    Trick {
        name: "the user's own ignore file",
        set: |fixture| {
            personal(fixture, "ignore", "new\n");
            fixture.write("new", "evil\n");
        },
        files: &["new"],
    },
    Trick {
        name: "a filter by info/attributes",
        set: |fixture| {
            info(fixture, "attributes", "*.x filter=hide\n");
            filter(fixture);
        },
        files: &["a.x"],
    },
    Trick {
        name: "a filter by core.attributesFile",
        set: |fixture| {
            fs::write(fixture.beside("rules"), "*.x filter=hide\n").unwrap();
            config(fixture, "core.attributesFile", fixture.beside("rules").to_str().unwrap());
            filter(fixture);
        },
        files: &["a.x"],
    },
    Trick {
        name: "a filter by the user's own attributes",
        set: |fixture| {
            personal(fixture, "attributes", "*.x filter=hide\n");
            filter(fixture);
        },
        files: &["a.x"],
    },
    Trick {
        name: "a filter for a committed attribute",
        set: |fixture| {
            config(fixture, "filter.committed.clean", "printf '0\\n'");
            fixture.write("a.filtered", "evil\n");
            fixture.git(&["add", "a.filtered"]);
        },
        files: &["a.filtered"],
    },
    Trick {
        name: "an index that was refreshed by a filter which is gone",
        set: |fixture| {
            info(fixture, "attributes", "*.x filter=hide\n");
            filter(fixture);
            fs::remove_file(fixture.root.join(".git/info/attributes")).unwrap();
        },
        files: &["a.x"],
    },
    Trick {
        name: "assume unchanged",
        set: |fixture| {
            fixture.git(&["update-index", "--assume-unchanged", "a.x"]);
            edit(fixture);
        },
        files: &["a.x"],
    },
    Trick {
        name: "skip worktree",
        set: |fixture| {
            fixture.git(&["update-index", "--skip-worktree", "a.x"]);
            edit(fixture);
        },
        files: &["a.x"],
    },
    #[cfg(unix)]
    Trick {
        name: "core.fileMode",
        set: |fixture| {
            use std::os::unix::fs::PermissionsExt;
            config(fixture, "core.fileMode", "false");
            fs::set_permissions(fixture.root.join("a.x"), fs::Permissions::from_mode(0o755)).unwrap();
        },
        files: &["a.x"],
    },
    #[cfg(target_os = "linux")]
    Trick {
        name: "core.ignoreCase",
        set: |fixture| {
            config(fixture, "core.ignoreCase", "true");
            fixture.write("A.X", "evil\n");
        },
        files: &["A.X"],
    },
];

fn fixture() -> Fixture {
    let fixture = Fixture::new();
    fixture.write(".gitattributes", "*.filtered filter=committed\n");
    fixture.write("a.x", "0\n");
    fixture.write("a.filtered", "0\n");
    fixture.commit("base");
    fixture
}

fn text(fixture: &Fixture) -> String {
    String::from_utf8(fixture.ask().snapshot().unwrap().diff_text(&HEAD).unwrap()).unwrap()
}

fn changed(fixture: &Fixture) -> Vec<RepoPath> {
    fixture.ask().snapshot().unwrap().changes(&HEAD).unwrap().into_iter().map(|change| change.path).collect()
}

#[test]
fn no_private_rule_hides_a_change() {
    for Trick { name, set, files } in TRICKS {
        let fixture = fixture();
        let digest = || content_digest(&fixture.root, &fixture.env, &|_| false).unwrap();
        let before = digest();
        set(&fixture);
        assert_eq!(fixture.git(&["status", "--porcelain"]), "", "{name}: what git shows");
        fixture.untouched_by(|| {
            assert_eq!(changed(&fixture), names(files), "{name}");
            assert_eq!(changed_between(&before, &digest()), names(files), "{name}");
            let text = text(&fixture);
            assert!(text.contains("+evil\n") || text.contains("\nnew mode 100755\n"), "{name}: {text}");
            let stat = fixture.ask().snapshot().unwrap().diff_stat(&HEAD).unwrap();
            assert!(String::from_utf8_lossy(&stat).contains("1 file changed"), "{name}");
        });
    }
}

#[test]
fn no_private_rule_hides_the_text_of_a_change() {
    let tricks = [
        Trick {
            name: "info/attributes",
            set: |fixture| info(fixture, "attributes", "* -diff\n"),
            files: &[],
        },
        Trick { name: "a macro", set: |fixture| info(fixture, "attributes", "* binary\n"), files: &[] },
        Trick {
            name: "core.bigFileThreshold",
            set: |fixture| config(fixture, "core.bigFileThreshold", "1"),
            files: &[],
        },
        Trick {
            name: "a driver for binary files",
            set: |fixture| {
                config(fixture, "diff.d.binary", "true");
                info(fixture, "attributes", "* diff=d\n");
            },
            files: &[],
        },
    ];
    for Trick { name, set, .. } in tricks {
        let fixture = fixture();
        edit(&fixture);
        set(&fixture);
        let shown = fixture.git(&["diff"]);
        assert!(shown.contains("Binary files"), "{name}: what git shows: {shown}");
        assert!(text(&fixture).contains("-0\n+evil\n"), "{name}");
    }
}

#[test]
fn what_is_committed_counts() {
    let fixture = fixture();
    fixture.write(".gitignore", "*.log\n");
    fixture.write(".gitattributes", "*.x -diff\n*.t text\n");
    fixture.write("b.t", "0\n");
    fixture.commit("rules");
    fixture.write("x.log", "1\n");
    fixture.write("b.t", "0\r\n");
    edit(&fixture);
    assert_eq!(changed(&fixture), names(&["a.x"]));
    assert!(text(&fixture).contains("Binary files a/a.x and b/a.x differ"));
}

#[cfg(unix)]
#[test]
fn a_file_system_without_permissions_is_believed() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = fixture();
    config(&fixture, "core.fileMode", "false");
    for name in ["a.x", "a.filtered", ".gitattributes", ".git/HEAD"] {
        fs::set_permissions(fixture.root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(changed(&fixture), []);
}

/// The content that an LFS pointer names is no change, whatever the filter says, and another content is one.
#[test]
fn a_file_of_git_lfs_is_compared_by_its_pointer() {
    let fixture = fixture();
    let pointer = |content: &str| {
        let (sha256, size) = (Sha256::of(content), content.len());
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize {size}\n")
    };
    fixture.write(".gitattributes", "*.big filter=lfs diff=lfs merge=lfs -text\n");
    fixture.write("a.big", pointer("content"));
    fixture.write("b.big", pointer("content"));
    fixture.commit("pointers");
    config(&fixture, "filter.lfs.clean", &format!("printf '{}'", pointer("content").replace('\n', "\\n")));
    fixture.write("a.big", "content");
    fixture.write("b.big", "contend");
    fixture.git(&["add", "."]);
    assert_eq!(fixture.git(&["status", "--porcelain"]), "", "what git shows");
    assert_eq!(changed(&fixture), names(&["b.big"]));
}

#[test]
fn in_every_kind_of_repository() {
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let fixture = Fixture::with(options);
        fixture.write("a", "0\n");
        fixture.write("sub/b", "0\n");
        let base = fixture.commit("base");
        fixture.git(&["config", "extensions.worktreeConfig", "true"]);
        fixture.git(&["worktree", "add", "-q", "--detach", "../w"]);
        fixture.git(&[
            "clone",
            "-q",
            "--depth=1",
            &format!("file://{}", fixture.root.display()),
            "../shallow",
        ]);
        for folder in [&fixture.root, &fixture.beside("w"), &fixture.beside("shallow")] {
            fs::write(folder.join("a"), "1\n").unwrap();
            fs::write(folder.join("sub/c"), "1\n").unwrap();
            let git = Git::new(folder, &fixture.env);
            for base in ["HEAD", base.as_str()] {
                let changes = git.snapshot().unwrap().changes(&Comparison::since(base)).unwrap();
                let expected = [("a", ChangeKind::Modified), ("sub/c", ChangeKind::Untracked)]
                    .map(|(path, kind)| Change { path: path.into(), old_path: None, kind });
                assert_eq!(changes, expected, "{options:?} {}", folder.display());
            }
            let sub = Git::new(folder.join("sub"), &fixture.env);
            let diff = String::from_utf8(sub.snapshot().unwrap().diff_text(&HEAD).unwrap()).unwrap();
            assert!(diff.starts_with("diff --git a/c b/c\n"), "{diff}");
        }
    }
}

#[test]
fn a_partial_clone_fetches_what_the_change_needs() {
    let fixture = Fixture::new();
    fixture.write("a", "0\n");
    fixture.commit("base");
    fixture.write("a", "1\n");
    fixture.commit("next");
    fixture.git(&["config", "uploadpack.allowFilter", "true"]);
    let clone = fixture.beside("clone");
    let url = format!("file://{}", fixture.root.display());
    fixture.git(&["clone", "-q", "--filter=blob:none", &url, clone.to_str().unwrap()]);
    let git = Git::new(&clone, &fixture.env);
    let diff =
        String::from_utf8(git.snapshot().unwrap().diff_text(&Comparison::since("HEAD~1")).unwrap()).unwrap();
    assert!(diff.contains("-0\n+1\n"), "{diff}");
}

#[test]
fn a_sparse_checkout_is_no_change_and_is_named() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let fixture = Fixture::new();
        for name in ["in/a", "out/b", "out/deep/c"] {
            fixture.write(name, "0\n");
        }
        fixture.commit("base");
        fixture.git(&["sparse-checkout", "set", "--cone", index, "in"]);
        fixture.write("in/a", "1\n");
        let git = fixture.ask();
        assert_eq!(changed(&fixture), names(&["in/a"]), "{index}");
        assert_eq!(
            git.snapshot().unwrap().aside(&HEAD).unwrap().absent,
            names(&["out/b", "out/deep/c"]),
            "{index}"
        );
        fixture.write("out/b", "1\n");
        assert_eq!(changed(&fixture), names(&["in/a", "out/b"]), "{index}");
    }
}
