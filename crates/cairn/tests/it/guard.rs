use std::fs;

use serde_json::json;

use crate::scratch::Scratch;

const ONE: &str = ".chalk/held-out/one.test.mjs";

fn locks(scratch: &Scratch) -> Vec<(String, String)> {
    let config = scratch.json(".chalk/chalk.json");
    let tests = config["protocol"]["regression"]["tests"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    tests.iter().map(|lock| (text(&lock["path"]), text(&lock["sha256"]))).collect()
}

fn paths(scratch: &Scratch) -> Vec<String> {
    locks(scratch).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn a_held_out_file_is_locked_and_logged() {
    let scratch = Scratch::chalk();
    scratch.write(ONE, "1\n");
    let ran = scratch.run(&["chalk", "guard", "add", ONE]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ locked `.chalk/held-out/one.test.mjs`
      1 held-out test in all
    --- err
    ");
    assert_eq!(locks(&scratch), [(ONE.to_owned(), canon::Sha256::of("1\n").to_string())]);
    assert!(scratch.read(".chalk/updates.jsonl").contains("\"title\":\"Held-out set: 1 file locked\""));
    // The log is read by the implementer: it has a count and no name.
    assert!(!scratch.read(".chalk/updates.jsonl").contains("one.test"));
    let ran =
        scratch.run(&["chalk", "guard", "add", "./.chalk/../.chalk/held-out/one.test.mjs", "--json"]).ok();
    assert_eq!(ran.json()["already"], json!([ONE]));
}

#[test]
fn a_changed_file_needs_a_reason_which_is_logged() {
    let scratch = Scratch::chalk();
    scratch.write(ONE, "1\n");
    scratch.run(&["chalk", "guard", "add", ONE]).ok();
    scratch.write(ONE, "2\n");
    scratch.write(".chalk/held-out/two.test.mjs", "2\n");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "guard", "add", ".chalk/held-out/two.test.mjs", ONE]);
    insta::assert_snapshot!(ran.all(), @r#"
    exit 1
    --- out
    --- err
    ✗ `.chalk/held-out/one.test.mjs` changed since it was locked (reason-missing)
      hint: restore what was locked, or give the reason of the change
      next: chalk guard add .chalk/held-out/one.test.mjs --why "..."
    "#);
    assert_eq!(scratch.spine(), before);
    let ran = scratch.run(&["chalk", "guard", "add", ONE, "--why", "the API changed"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ locked `.chalk/held-out/one.test.mjs` again as it is now; the reason is logged as a decision
      1 held-out test in all
    --- err
    ");
    assert_eq!(locks(&scratch)[0].1, canon::Sha256::of("2\n").to_string());
    let decisions = scratch.read(".chalk/decisions.md");
    assert!(decisions.contains("## Locked the changed held-out file"), "{decisions}");
    assert!(decisions.contains("- _why:_ the API changed"), "{decisions}");
}

#[test]
fn what_is_no_held_out_file_is_refused() {
    let scratch = Scratch::chalk();
    fs::create_dir(scratch.path(".chalk/held-out/deep")).unwrap();
    let before = scratch.spine();
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/none.mjs"]).refused(1, "doesn't exist");
    scratch.run(&["chalk", "guard", "add", ".chalk/held-out/deep"]).refused(1, "is a folder");
    scratch.run(&["chalk", "guard", "add", ".chalk/tasks.json"]).refused(1, "state of the spine");
    scratch.run(&["chalk", "guard", "add", ".chalk/tasks.json", "--json"]).refused(1, "test-unreadable");
    scratch.run(&["chalk", "guard", "add"]).refused(1, "usage");
    scratch.run(&["chalk", "guard", "add", ONE, "--why", " "]).refused(1, "empty");
    scratch.run(&["chalk", "guard"]).refused(1, "usage");
    assert_eq!(scratch.spine(), before);
}

#[test]
#[cfg(unix)]
fn nothing_is_locked_through_a_link() {
    let scratch = Scratch::chalk();
    scratch.write("outside.mjs", "1\n");
    std::os::unix::fs::symlink(scratch.path("outside.mjs"), scratch.path(ONE)).unwrap();
    scratch.run(&["chalk", "guard", "add", ONE]).refused(1, "is a symbolic link");
}

#[test]
fn a_set_outside_the_repository_is_locked_by_absolute_paths() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/regression/dir", json!("~/sets/demo"));
    let folder = fs::canonicalize(scratch.home()).unwrap().join("sets/demo");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("a.test.mjs"), "1\n").unwrap();
    let file = folder.join("a.test.mjs").display().to_string();
    let ran = scratch.run(&["chalk", "guard", "add", &file]).ok();
    assert_eq!(ran.err, "");
    assert_eq!(paths(&scratch), [file]);
    let ran = scratch.run(&["chalk", "guard", "list", "--json"]).ok();
    assert_eq!(ran.json()["tests"][0]["state"], "intact");
}

#[test]
fn a_file_beside_the_set_and_one_that_git_tracks_are_named() {
    let scratch = Scratch::chalk();
    scratch.write("tests/held.mjs", "1\n");
    scratch.commit("leaked");
    let ran = scratch.run(&["chalk", "guard", "add", "tests/held.mjs"]).ok();
    insta::assert_snapshot!(ran.err, @r"
    warning: `tests/held.mjs` lies outside of the set's folder, `.chalk/held-out`
    warning: git tracks `tests/held.mjs`, so every work tree holds it; take it out with `git rm --cached`
    ");
}

#[test]
fn a_copy_in_a_work_tree_of_the_implementer_is_no_held_out_file() {
    let scratch = Scratch::chalk();
    let tree = scratch.root().with_file_name("linked");
    scratch.git(&["worktree", "add", "-q", tree.to_str().unwrap()]);
    fs::create_dir_all(tree.join(".chalk/held-out")).unwrap();
    fs::write(tree.join(ONE), "1\n").unwrap();
    scratch.run_in(&tree, &["chalk", "guard", "add", ONE]).refused(1, "linked work tree");
    // The set of the main checkout is reached from there by its path.
    scratch.write(ONE, "1\n");
    scratch.run_in(&tree, &["chalk", "guard", "add", scratch.path(ONE).to_str().unwrap()]).ok();
    assert_eq!(paths(&scratch), [ONE]);
}

#[test]
fn the_list_says_what_holds_and_how_many_are_asked_for() {
    let scratch = Scratch::chalk();
    for (name, content) in [("a", "1\n"), ("b", "2\n"), ("c", "3\n")] {
        scratch.write(&format!(".chalk/held-out/{name}.mjs"), content);
        scratch.run(&["chalk", "guard", "add", &format!(".chalk/held-out/{name}.mjs")]).ok();
    }
    scratch.write(".chalk/held-out/b.mjs", "changed\n");
    fs::remove_file(scratch.path(".chalk/held-out/c.mjs")).unwrap();
    scratch.write(".chalk/held-out/d.mjs", "");
    scratch.write("lib/app.dart", "x\n".repeat(10_000));
    let ran = scratch.run(&["chalk", "guard", "list"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    3 held-out tests in `.chalk/held-out`
    ✓ 4355a46b19d3  .chalk/held-out/a.mjs
    ✗ 53c234e5e847  `.chalk/held-out/b.mjs` was modified since it was locked
    ✗ 1121cfccd591  `.chalk/held-out/c.mjs` is gone
    ! 10000 lines of code (0 by the published formula) ask for 5
    ! not locked: 1 file in the folder
      hint: lock them with `guard add`, or take them away
    --- err
    ");
    let listed = scratch.run(&["chalk", "guard", "list", "--json"]).json();
    assert_eq!(listed["size"]["published"]["loc"], 0, "the published formula knows no Dart");
    assert_eq!(listed["size"]["own"]["loc"], 10_000);
    assert_eq!(listed["size"]["floor"], 5);
    assert_eq!(listed["unlocked"], json!([".chalk/held-out/d.mjs"]));
}

/// A project whose author runs `script`.
fn authored(script: &str) -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("src/secret.mjs", "export const secret = 1\n");
    scratch.write(".chalk/spec.md", "# demo\n\nAdds two numbers.\n");
    let task = json!([{ "id": "task-aaaaaaaa", "title": "Add", "state": "specd",
        "acceptanceCriteria": [{ "text": "1 + 1 is 2" }, { "text": "  " }], "tests": [] }]);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&task)));
    scratch.configure("/protocol/regression/authorCommand", json!(script));
    scratch.commit("set up");
    scratch
}

#[test]
fn an_author_sees_the_specification_and_not_the_code() {
    let scratch = authored("ls -A > seen.txt; cat > prompt.txt; pwd > where.txt; echo \"$OLDPWD\" > old.txt");
    let ran = scratch.run(&["chalk", "guard", "gen"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 0
    --- out
    ✓ the author wrote 4 held-out tests, locked now
      4 held-out tests in all
    --- err
    ");
    let prompt = scratch.read(".chalk/held-out/prompt.txt");
    insta::assert_snapshot!(prompt, @r"
    Write regression tests for the project that is specified below. You see what it must do, and not the
    code: the tests are held out from whoever writes that code, and the code is held out from you. Test
    only behaviour that the specification or a criterion states.

    Write the test files into the folder you stand in. Print nothing that gives a test away.
    They will run from the project's root, and lie in `.chalk/held-out` below it.

    # Specification

    # demo

    Adds two numbers.

    # Acceptance criteria

    ## Add

    - 1 + 1 is 2
    ");
    let seen = scratch.read(".chalk/held-out/seen.txt");
    assert_eq!(seen, ".chalk\nseen.txt\n");
    let place = scratch.read(".chalk/held-out/where.txt");
    assert!(!place.starts_with(scratch.root().to_str().unwrap()), "{place}");
    assert!(!std::path::Path::new(place.trim()).exists(), "the folder is gone afterwards");
    assert_eq!(scratch.read(".chalk/held-out/old.txt"), "\n");
    assert_eq!(paths(&scratch).len(), 4);
}

#[test]
fn an_author_may_write_where_it_stands_where_the_set_lies_and_into_the_set() {
    let scratch = authored("");
    let set = scratch.path(".chalk/held-out");
    let script = format!(
        "mkdir deep; echo 1 > deep/a.mjs; echo 2 > .chalk/held-out/b.mjs; echo 3 > \"$CHALK_HELD_OUT_DIR/c.mjs\"; \
         echo 4 > {}/d.mjs; echo r > README.md; mkdir node_modules; echo 5 > node_modules/e.mjs",
        set.display()
    );
    scratch.configure("/protocol/regression/authorCommand", json!(script));
    scratch.run(&["chalk", "guard", "gen"]).ok();
    let folder = ".chalk/held-out";
    assert_eq!(
        paths(&scratch),
        ["b.mjs", "c.mjs", "d.mjs", "deep/a.mjs"].map(|name| format!("{folder}/{name}"))
    );
    assert_eq!(scratch.read(".chalk/held-out/deep/a.mjs"), "1\n");
    assert!(!scratch.read(".chalk/held-out/README.md").starts_with("r\n"));
}

#[test]
fn a_script_of_the_project_may_be_the_author() {
    let scratch = authored("node .chalk/author.mjs");
    scratch.write(
        ".chalk/author.mjs",
        "import { writeFileSync } from 'node:fs'\nwriteFileSync('a.test.mjs', '1')\n",
    );
    scratch.configure("/protocol/regression/authorCommand", json!("sh .chalk/author.sh"));
    scratch.write(
        ".chalk/author.sh",
        "echo 1 > a.test.mjs; ls src > /dev/null 2>&1 && echo leak > leak.mjs; true\n",
    );
    scratch.run(&["chalk", "guard", "gen"]).ok();
    assert_eq!(paths(&scratch), [".chalk/held-out/a.test.mjs"]);
}

#[test]
fn an_author_that_fails_or_writes_nothing_keeps_nothing() {
    let scratch = authored("echo 1 > a.test.mjs; exit 3");
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "guard", "gen"]).refused(1, "the author failed: exit code 3");
    assert!(ran.err.contains("author.log"), "{}", ran.err);
    assert_eq!(scratch.spine(), before);
    let scratch = authored("true");
    let before = scratch.spine();
    scratch.run(&["chalk", "guard", "gen", "--json"]).refused(1, "author-failed");
    assert_eq!(scratch.spine(), before);
    let scratch = authored("");
    scratch.run(&["chalk", "guard", "gen"]).refused(1, "authorCommand");
}

#[test]
fn an_author_does_not_write_over_the_set() {
    let scratch = authored("echo new > one.test.mjs; echo 2 > two.test.mjs");
    scratch.write(ONE, "old\n");
    scratch.run(&["chalk", "guard", "add", ONE]).ok();
    let before = scratch.spine();
    let ran = scratch.run(&["chalk", "guard", "gen"]);
    insta::assert_snapshot!(ran.all(), @r"
    exit 1
    --- out
    --- err
    ✗ the author wrote over 1 file of the set (test-locked)
      `.chalk/held-out/one.test.mjs`
      hint: nothing was taken over; move these files away to have them written anew
    ");
    assert_eq!(scratch.spine(), before);
    // What is there with the same content is no conflict.
    scratch.configure("/protocol/regression/authorCommand", json!("echo old > one.test.mjs"));
    let ran = scratch.run(&["chalk", "guard", "gen", "--json"]).ok();
    assert_eq!(ran.json()["already"], json!([ONE]));
}

/// A folder written as a whole path, or with `..`, was taken for one outside, and its tests came into diffs.
#[test]
fn a_held_out_folder_is_recognised_however_it_is_written() {
    for form in ["whole", "dots", "plain"] {
        let scratch = Scratch::chalk();
        let dir = match form {
            "whole" => scratch.path("ho").to_str().unwrap().to_owned(),
            "dots" => "src/../ho".to_owned(),
            _ => "ho".to_owned(),
        };
        scratch.configure("/protocol/regression/dir", json!(dir));
        scratch
            .configure("/protocol/review/command", json!("cat > ../prompt; echo '{\"verdict\":\"pass\"}'"));
        let id = scratch.task("one");
        scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
        scratch.run(&["chalk", "start", &id]).ok();
        scratch.write("ho/withheld.test.sh", "echo SECRET\n");
        scratch.write("code.sh", "echo\n");
        scratch.run(&["chalk", "guard", "add", "ho/withheld.test.sh"]).ok();
        scratch.run(&["chalk", "review", &id]).ok();
        assert!(!fs::read_to_string(scratch.path("../prompt")).unwrap().contains("SECRET"), "{form}");
        assert!(!scratch.run(&["chalk", "context", &id]).ok().out.contains("withheld"), "{form}");
    }
}

/// Naming the source folder as the held-out one took all code out of what is judged.
#[test]
fn a_folder_that_git_tracks_is_held_out_from_no_gate() {
    let scratch = Scratch::chalk();
    scratch.write("src/a.sh", "echo\n");
    scratch.configure("/protocol/regression/dir", json!("src"));
    scratch.configure("/protocol/review/command", json!("cat > ../prompt; echo '{\"verdict\":\"pass\"}'"));
    scratch.commit("all");
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("src/a.sh", "echo CHANGED\n");
    scratch.run(&["chalk", "review", &id]).ok();
    assert!(fs::read_to_string(scratch.path("../prompt")).unwrap().contains("CHANGED"));
}
