use std::fs;
use std::path::Path;

use super::*;
use crate::git::Git;
use crate::git::fixture::{Fixture, ODD_NAMES, names};

fn all(_: &[u8]) -> bool {
    false
}

fn digest_of(fixture: &Fixture, root: &Path) -> ContentDigest {
    content_digest(root, &fixture.env, &all).unwrap()
}

fn digest(fixture: &Fixture) -> ContentDigest {
    digest_of(fixture, &fixture.root)
}

fn paths(digest: &ContentDigest) -> Vec<String> {
    digest.entries.iter().map(|entry| entry.path.to_string()).collect()
}

fn entry<'a>(digest: &'a ContentDigest, path: &str) -> &'a Entry {
    digest.entries.iter().find(|entry| entry.path == path.into()).unwrap()
}

#[test]
fn the_text_that_is_digested() {
    let fixture = Fixture::new();
    fixture.write("b", "two");
    fixture.write("a c", "one");
    let lines = format!("100644 {} a c\0100644 {} b\0", Sha256::of("one"), Sha256::of("two"));
    let found = digest(&fixture);
    assert_eq!(found.digest, Sha256::of(lines));
    assert_eq!(paths(&found), ["a c", "b"]);
}

#[test]
fn content_counts_and_its_state_in_git_does_not() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    fixture.write("sub/b", "1");
    let untracked = digest(&fixture);
    fixture.git(&["add", "a"]);
    assert_eq!(digest(&fixture), untracked);
    fixture.commit("one");
    assert_eq!(digest(&fixture), untracked);
    fixture.write("a", "1");
    fixture.git(&["commit", "-q", "--allow-empty", "-m", "two"]);
    assert_eq!(digest(&fixture), untracked);
    fixture.git(&["rm", "-q", "--cached", "a"]);
    assert_eq!(digest(&fixture), untracked);

    fixture.write("a", "2");
    fixture.write("new", "");
    fs::remove_file(fixture.root.join("sub/b")).unwrap();
    let changed = digest(&fixture);
    assert_ne!(changed.digest, untracked.digest);
    assert_eq!(changed_between(&untracked, &changed), names(&["a", "new", "sub/b"]));
    assert_eq!(changed_between(&changed, &untracked), names(&["a", "new", "sub/b"]));
    assert_eq!(changed_between(&changed, &changed), []);
}

#[test]
fn what_the_index_hides_counts() {
    let fixture = Fixture::new();
    fixture.write("assumed", "1");
    fixture.write("skipped", "1");
    fixture.commit("one");
    let before = digest(&fixture);
    fixture.git(&["update-index", "--assume-unchanged", "assumed"]);
    fixture.git(&["update-index", "--skip-worktree", "skipped"]);
    fixture.write("assumed", "2");
    fixture.write("skipped", "2");
    assert_eq!(changed_between(&before, &digest(&fixture)), names(&["assumed", "skipped"]));
}

#[test]
fn ignored_excluded_and_other_folders_do_not_count() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*.log\n");
    fixture.write("x.log", "1");
    fixture.write("top", "1");
    fixture.write("sub/.state/s", "1");
    fixture.write("sub/kept", "1");
    let root = fixture.root.join("sub");
    let exclude = |path: &[u8]| path.starts_with(b".state/");
    let found = content_digest(&root, &fixture.env, &exclude).unwrap();
    assert_eq!(paths(&found), ["kept"]);
    assert_eq!(paths(&digest(&fixture)), [".gitignore", "sub/.state/s", "sub/kept", "top"]);
}

/// The same commit checked out with each setting, in clones so that files and index are what git makes them.
#[test]
fn line_ends_of_the_checkout_do_not_count() {
    let fixture = Fixture::new();
    fixture.write(
        ".gitattributes",
        "*.auto text=auto\n*.text text\n*.crlf text eol=crlf\n*.lf text eol=lf\n*.bin -text\n*.eol eol=crlf\n*.old crlf\n\
         *.autolf text=auto eol=lf\n*.autocrlf text=auto eol=crlf\n*.macro binary\n",
    );
    for kind in ["plain", "auto", "text", "crlf", "lf", "bin", "eol", "old", "autolf", "autocrlf", "macro"] {
        for (content, bytes) in [
            ("lf", &b"a\nb\n"[..]),
            ("crlf", b"a\r\nb\r\n"),
            ("mixed", b"a\r\nb\nc\rd\n"),
            ("pairs", b"a\r\nb\n"),
            ("binary", b"a\r\n\0b\n"),
            ("empty", b""),
        ] {
            fixture.write(format!("{content}.{kind}"), bytes);
        }
    }
    // Without conversion, so that blobs with CRLF exist.
    fixture.git(&["config", "core.autocrlf", "false"]);
    fixture.commit("as added");
    let mut digests = Vec::new();
    for setting in ["false", "true", "input"] {
        for eol in ["lf", "crlf"] {
            let clone = fixture.beside(&format!("clone-{setting}-{eol}"));
            let (autocrlf, core_eol) = (format!("core.autocrlf={setting}"), format!("core.eol={eol}"));
            fixture.git(&["clone", "-q", "-c", &autocrlf, "-c", &core_eol, ".", clone.to_str().unwrap()]);
            digests.push((setting, eol, digest_of(&fixture, &clone)));
        }
    }
    let crlf = fs::read(fixture.beside("clone-true-crlf/lf.plain")).unwrap();
    assert_eq!(crlf, b"a\r\nb\r\n", "the clones differ on disk");
    let (_, _, first) = &digests[0];
    for (setting, eol, other) in &digests {
        assert_eq!(changed_between(first, other), [], "autocrlf={setting} eol={eol}");
        assert_eq!(first.digest, other.digest);
    }
    assert_eq!(entry(first, "lf.text").sha256, Sha256::of("a\nb\n"));
    assert_eq!(entry(first, "crlf.plain").sha256, Sha256::of("a\r\nb\r\n"));
}

/// For every attribute, setting and content, the digest is of the bytes that `git add` would store.
#[test]
fn line_ends_are_those_that_git_would_add() {
    let fixture = Fixture::new();
    let kinds = [
        "text=auto",
        "text",
        "-text",
        "eol=lf",
        "eol=crlf",
        "text=auto eol=lf",
        "crlf",
        "-crlf",
        "binary",
        "",
    ];
    let contents = [
        &b"a\nb\n"[..],
        b"a\r\nb\r\n",
        b"a\rb\r\n",
        b"a\r\nb\n",
        b"\0\r\n",
        b"\x01\r\n",
        b"a\r\n\x1a",
        b"a\r",
        b"\r\n",
        b"",
    ];
    let attributes = kinds.iter().enumerate().map(|(kind, attributes)| format!("*.{kind} {attributes}\n"));
    fixture.write(".gitattributes", attributes.collect::<Vec<_>>().concat());
    for autocrlf in ["false", "true", "input"] {
        fixture.git(&["config", "core.autocrlf", autocrlf]);
        for (kind, _) in kinds.iter().enumerate() {
            for (number, content) in contents.iter().enumerate() {
                fixture.write(format!("{autocrlf}/new-{number}.{kind}"), content);
                fixture.write(format!("{autocrlf}/over-{number}.{kind}"), content);
            }
        }
        // These files have an index version with CRLF, whatever the attributes say.
        let blob = fixture.git(&["hash-object", "-w", "--no-filters", ".gitattributes"]);
        fs::write(fixture.beside("crlf"), "x\r\ny\r\n").unwrap();
        let crlf =
            fixture.git(&["hash-object", "-w", "--no-filters", fixture.beside("crlf").to_str().unwrap()]);
        let mut info = Vec::new();
        for kind in 0..kinds.len() {
            for number in 0..contents.len() {
                let which = if number % 4 == 3 { &blob } else { &crlf };
                info.extend(format!("100644 {which}\t{autocrlf}/over-{number}.{kind}\0").into_bytes());
            }
        }
        let git = fixture.ask();
        git.call(["update-index", "-z", "--index-info"]).input(&info).answer().unwrap();
        let found = digest_of(&fixture, &fixture.root.join(autocrlf));
        fixture.git(&["add", "."]);
        for entry in &found.entries {
            let stored =
                git.output(["cat-file", "blob", &format!(":{autocrlf}/{}", entry.path)]).unwrap().stdout;
            assert_eq!(entry.sha256, Sha256::of(&stored), "autocrlf={autocrlf} {} {stored:?}", entry.path);
        }
        assert_eq!(found.entries.len(), 2 * kinds.len() * contents.len());
    }
}

#[cfg(unix)]
#[test]
fn modes_links_and_odd_names() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let fixture = Fixture::new();
    for name in ODD_NAMES {
        fixture.write(name, name);
    }
    fixture.write("run", "x");
    fs::set_permissions(fixture.root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("/etc/passwd", fixture.root.join("link")).unwrap();
    symlink("nowhere", fixture.root.join("dangling")).unwrap();
    let found = digest(&fixture);
    assert_eq!(entry(&found, "run").mode, 0o100_755);
    assert_eq!(
        (entry(&found, "link").mode, entry(&found, "link").sha256),
        (0o120_000, Sha256::of("/etc/passwd"))
    );
    assert_eq!(entry(&found, "dangling").sha256, Sha256::of("nowhere"));
    for name in ODD_NAMES {
        let path = RepoPath::new(name);
        assert_eq!(found.entries.iter().find(|entry| entry.path == path).unwrap().sha256, Sha256::of(name));
    }
    fixture.commit("one");
    assert_eq!(digest(&fixture), found);

    fs::set_permissions(fixture.root.join("run"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(changed_between(&found, &digest(&fixture)), names(&["run"]));
    fixture.git(&["config", "core.fileMode", "false"]);
    assert_eq!(digest(&fixture), found, "the mode in the index counts");
}

#[cfg(unix)]
#[test]
fn links_on_disk_where_the_system_has_none() {
    let fixture = Fixture::new();
    std::os::unix::fs::symlink("target\r\n", fixture.root.join("link")).unwrap();
    fixture.commit("one");
    let found = digest(&fixture);
    fixture.git(&["config", "core.symlinks", "false"]);
    fixture.git(&["config", "core.autocrlf", "true"]);
    fs::remove_file(fixture.root.join("link")).unwrap();
    fixture.write("link", "target\r\n");
    assert_eq!(digest(&fixture), found);
}

#[cfg(unix)]
#[test]
fn nothing_is_read_through_a_link_or_from_a_pipe() {
    let fixture = Fixture::new();
    fixture.write("folder/a", "1");
    fixture.write("pipe", "1");
    fixture.commit("one");
    fs::rename(fixture.root.join("folder"), fixture.beside("folder")).unwrap();
    std::os::unix::fs::symlink("../folder", fixture.root.join("folder")).unwrap();
    fs::remove_file(fixture.root.join("pipe")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(fixture.root.join("pipe")).status().unwrap();
    assert!(status.success());
    let found = digest(&fixture);
    assert_eq!(paths(&found), ["folder"]);
    assert_eq!(entry(&found, "folder").sha256, Sha256::of("../folder"));
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::new();
    fixture.write("secret", "1");
    let file = fixture.root.join("secret");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(&file).is_ok() {
        return; // The superuser reads everything.
    }
    let error = content_digest(&fixture.root, &fixture.env, &all).unwrap_err().to_string();
    assert!(error.contains(file.to_str().unwrap()), "{error}");
    fs::remove_dir_all(fixture.root.join(".git")).unwrap();
    assert!(content_digest(&fixture.root, &fixture.env, &all).is_err());
}

#[test]
fn a_repository_without_a_git_to_ask_is_an_error() {
    let mut fixture = Fixture::new();
    fixture.env.set("PATH", fixture.beside("home"));
    let error = content_digest(&fixture.root, &fixture.env, &all).unwrap_err();
    assert!(matches!(error, DigestError::Git(GitError::NotInstalled)), "{error}");
    fixture.write("sub/.git", "gitdir: nowhere");
    let error = content_digest(&fixture.root.join("sub"), &fixture.env, &all).unwrap_err();
    assert!(error.to_string().contains("sub/.git"), "{error}");
    assert!(content_digest(&fixture.beside("nowhere"), &fixture.env, &all).is_err());
}

#[test]
fn submodules_count_with_what_is_in_them() {
    let fixture = Fixture::new();
    let library = fixture.beside("library");
    fixture.git_in(&fixture.beside(""), &["init", "-q", "-b", "main", "library"]);
    fs::write(library.join("x"), "1").unwrap();
    fixture.git_in(&library, &["add", "x"]);
    fixture.git_in(&library, &["commit", "-q", "-m", "one"]);
    fixture.git(&["submodule", "--quiet", "add", "../library", "sub"]);
    fixture.commit("one");
    let clean = digest(&fixture);
    assert_eq!(entry(&clean, "sub").mode, 0o160_000);
    assert_eq!(entry(&clean, "sub").sha256, digest_of(&fixture, &fixture.root.join("sub")).digest);

    fixture.write("sub/y", "1");
    assert_eq!(changed_between(&clean, &digest(&fixture)), names(&["sub"]));
    let exclude = |path: &[u8]| path == b"sub/y";
    assert_eq!(content_digest(&fixture.root, &fixture.env, &exclude).unwrap(), clean);
    fs::remove_file(fixture.root.join("sub/y")).unwrap();

    fixture.git(&["submodule", "--quiet", "deinit", "-f", "sub"]);
    let absent = digest(&fixture);
    let commit = fixture.git_in(&library, &["rev-parse", "HEAD"]);
    assert_eq!(entry(&absent, "sub").sha256, Sha256::of(commit));
    fixture.write("sub/stray", "1");
    assert_ne!(digest(&fixture), absent, "git does not show this file");
    fs::remove_file(fixture.root.join("sub/stray")).unwrap();
    fixture.write("sub/build/stray", "1");
    assert_ne!(digest(&fixture), absent, "a folder for output is no hiding place");
}

#[test]
fn repositories_within_count_and_sibling_worktrees_do_not() {
    let fixture = Fixture::new();
    fixture.write("a", "1");
    fixture.commit("one");
    let before = digest(&fixture);
    fixture.git(&["worktree", "add", "-q", "trees/w"]);
    assert_eq!(digest(&fixture), before);
    assert_eq!(paths(&digest_of(&fixture, &fixture.root.join("trees/w"))), ["a"]);
    fixture.git(&["init", "-q", "nested"]);
    fixture.write("nested/x", "1");
    let with_nested = digest(&fixture);
    assert_eq!(changed_between(&before, &with_nested), names(&["nested"]));
    fixture.write("nested/x", "2");
    let changed = digest(&fixture);
    assert_eq!(changed_between(&with_nested, &changed), names(&["nested"]));
    fixture.git_in(&fixture.root.join("nested"), &["add", "x"]);
    fs::write(fixture.root.join("nested/.git/info/exclude"), "private\n").unwrap();
    assert_eq!(digest(&fixture), changed);
    fixture.write("nested/private", "1");
    assert_eq!(changed_between(&changed, &digest(&fixture)), names(&["nested"]));
}

#[test]
fn every_kind_of_repository_gives_the_same_digest() {
    let mut digests = Vec::new();
    for options in [&[][..], &["--object-format=sha256"], &["--ref-format=reftable"]] {
        let fixture = Fixture::with(options);
        fixture.write("a", "1");
        fixture.write("sub/b", "1");
        digests.push(digest(&fixture));
        fixture.commit("one");
        fixture.git(&["config", "extensions.worktreeConfig", "true"]);
        fixture.git(&["worktree", "add", "-q", "--detach", "../w"]);
        digests.push(digest_of(&fixture, &fixture.beside("w")));
    }
    assert!(digests.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn a_conflict_counts_once() {
    let fixture = Fixture::new();
    fixture.write("a", "0");
    fixture.commit("zero");
    fixture.git(&["checkout", "-q", "-b", "topic"]);
    fixture.write("a", "1");
    fixture.commit("one");
    fixture.git(&["checkout", "-q", "main"]);
    fixture.write("a", "2");
    fixture.commit("two");
    let merge = ["-c", "user.name=A", "-c", "user.email=a@example.org", "merge", "topic"];
    assert!(Git::new(&fixture.root, &fixture.env).output(merge).is_err());
    assert_eq!(paths(&digest(&fixture)), ["a"]);
}

#[test]
fn outside_git_ignore_files_and_known_output_folders() {
    let fixture = Fixture::bare_folder();
    for name in
        ["a", ".hidden", "x.log", "node_modules/m", "sub/target/t", "sub/b", "sub/c", "build", ".ignored"]
    {
        fixture.write(name, "1\r\n");
    }
    fixture.write(".gitignore", "*.log\n");
    fixture.write("sub/.gitignore", "c\n");
    fixture.write(".ignore", "a\n");
    let exclude = |path: &[u8]| path == b"sub/b";
    let found = content_digest(&fixture.root, &fixture.env, &exclude).unwrap();
    assert_eq!(
        paths(&found),
        [".gitignore", ".hidden", ".ignore", ".ignored", "a", "build", "sub/.gitignore"],
        "a file may have the name of an output folder"
    );
    assert_eq!(entry(&found, "a").sha256, Sha256::of("1\r\n"));
}

#[test]
fn a_folder_that_a_repository_ignores_is_not_empty() {
    let fixture = Fixture::new();
    fixture.write(".gitignore", "*\n");
    fixture.write("project/a", "1");
    let found = digest_of(&fixture, &fixture.root.join("project"));
    assert_eq!(paths(&found), ["a"]);
    fs::create_dir(fixture.root.join(".git/x")).unwrap();
    assert_eq!(paths(&digest(&fixture)), Vec::<String>::new());
}

#[test]
fn many_files_in_their_order() {
    let fixture = Fixture::new();
    for number in 0..500 {
        fixture.write(format!("{number:03}"), number.to_string());
    }
    fixture.write("large", vec![b'x'; 300_000]);
    let found = digest(&fixture);
    assert_eq!(found.entries.len(), 501);
    for number in 0..500 {
        assert_eq!(found.entries[number].sha256, Sha256::of(number.to_string()));
    }
    assert_eq!(found.entries[500].sha256, Sha256::of(vec![b'x'; 300_000]));
}
