//! `workspace patch`.

use insta::assert_snapshot;
use serde_json::json;

use crate::scratch::Scratch;

fn patch(scratch: &Scratch, args: &[&str]) -> crate::scratch::Ran {
    scratch.run(&[&["chant", "workspace", "patch"], args].concat())
}

fn shop() -> Scratch {
    let scratch = Scratch::repository();
    scratch.write("shop/chant.workspace.json", r#"{ "name": "shop", "schema": 1, "members": [] }"#);
    scratch.write("shop/a", "one\ntwo\n");
    scratch.write("beside", "one\n");
    scratch.commit("shop");
    scratch.write("shop/a", "one\nthree\n");
    scratch.write("shop/b/c", [0, 1, 2]);
    scratch.write("beside", "two\n");
    scratch.commit("more");
    scratch
}

/// The text with commits taken out.
fn text(ran: &crate::scratch::Ran) -> String {
    let text = ran.all();
    let head = text.lines().find(|line| line.starts_with("patch ")).unwrap();
    let (before, after) = (&head[10..18], &head[20..28]);
    text.replace(before, "[base]").replace(after, "[head]")
}

#[test]
fn hunks_are_shown_for_people() {
    let scratch = shop();
    let inside = |args: &[&str]| {
        scratch.run_in(&scratch.path("shop"), &[&["chant", "workspace", "patch"], args].concat())
    };
    assert_snapshot!(text(&inside(&["HEAD~1..HEAD"])), @"
    exit 0
    --- out
    patch     [base]..[head] (HEAD~1..HEAD, range)
    modified  a +1 -1
    @@ -1,2 +1,2 @@
     one
    -two
    +three
    added     b/c binary
    2 files, +1 -1
    --- err
    ");
    assert_snapshot!(text(&inside(&["HEAD", "--path", "a/", "--max-bytes", "20"])), @"
    exit 0
    --- out
    patch     [base]..[head] (HEAD, commit)
    modified  a +1 -1; truncated, 0 of 1 hunks shown
    1 file, +1 -1; truncated at 20 bytes a file, 320 in all
    --- err
    ");
    scratch.write("shop/a", "four\n");
    let document = inside(&["--worktree", "--json", "--path", "a"]).ok().json();
    assert_eq!(document["range"]["form"], "worktree");
    assert_eq!(document["range"]["head"], json!(null));
    assert_eq!(document["workspace"], json!({ "name": "shop", "root": "shop" }));
    assert_eq!(document["files"][0]["path"], "a");
}

#[test]
fn a_repository_without_a_working_tree_has_patches_too() {
    let scratch = shop();
    scratch.git(&["mv", "shop/chant.workspace.json", "chant.workspace.json"]);
    scratch.commit("at the top");
    scratch.git(&["clone", "-q", "--bare", ".", "bare.git"]);
    let args = ["chant", "workspace", "patch", "HEAD~1", "--json"];
    let bare = scratch.run_in(&scratch.path("bare.git"), &args).ok().json();
    assert_eq!(bare, scratch.run(&args).ok().json());
}

#[test]
fn a_failure_is_printed_on_both_streams() {
    let scratch = shop();
    let failure = |args: &[&str], folder: &str, code: &str| {
        let args = [&["chant", "workspace", "patch", "--json"], args].concat();
        let ran = scratch.run_in(&scratch.path(folder), &args);
        assert_eq!((ran.code, &ran.json()["error"]["code"]), (1, &json!(code)), "{}", ran.all());
        assert!(ran.err.contains(code), "{}", ran.all());
    };
    failure(&["none..HEAD"], "shop", "revision-unknown");
    failure(&["HEAD", "--path", "../beside"], "shop", "patch-path-invalid");
    failure(&["HEAD"], "", "declaration-missing");
    scratch.write("shop/chant.workspace.jsonc", "{}");
    failure(&["HEAD"], "shop", "declaration-ambiguous");
    std::fs::remove_file(scratch.path("shop/chant.workspace.jsonc")).unwrap();
    for (text, code) in [
        ("{", "declaration-unparseable"),
        ("{}", "declaration-invalid"),
        (r#"{ "name": "a", "schema": 1, "minReader": "9.0.0", "members": [] }"#, "reader-too-old"),
        (
            r#"{ "name": "a", "schema": 1, "members": [{ "name": "x", "dir": "x", "kind": "chant" }, { "name": "y", "dir": "x", "kind": "chant" }] }"#,
            "placement-invalid",
        ),
    ] {
        scratch.write("shop/chant.workspace.json", text);
        failure(&["HEAD"], "shop", code);
    }
    let plain = Scratch::empty();
    patch(&plain, &["HEAD", "--json"]).refused(1, "not-a-git-repository");
    assert_snapshot!(patch(&scratch, &["HEAD"]).all(), @"
    exit 1
    --- out
    --- err
    ✗ no chant.workspace.json or chant.workspace.jsonc from the top up (declaration-missing)
      hint: `chant workspace init` proposes one
    ");
    assert_snapshot!(patch(&scratch, &[]).all(), @"
    exit 1
    --- out
    --- err
    ✗ the following required arguments were not provided (usage)
      <RANGE>
      hint: usage: chant workspace patch <RANGE>
    ");
    patch(&scratch, &["HEAD", "--max-bytes", "0"]).refused(1, "--max-bytes");
}
