//! What changed and no check is about is read back before anything else is done.

use serde_json::{Value, json};

use crate::hook_course::{after, before, claude, shell};
use crate::scratch::Scratch;

/// A repository with the verify gate, a check of `src`, and a file that no check is about.
fn project() -> Scratch {
    let scratch = Scratch::repository();
    let policy = json!({
        "schema": 1, "gates": { "verify": true },
        "checks": { "code": { "paths": ["src/**"], "command": ["make", "test"] } },
    });
    scratch.write(".governance/policy.json", policy.to_string());
    scratch.write(".gitignore", "*.log\nout/\n");
    scratch.write("data.csv", "0\n");
    scratch.write("more.csv", "0\n");
    scratch.commit("first");
    scratch
}

/// A call from before to after.
fn does(scratch: &Scratch, id: &str, tool: &str, input: &Value, act: impl FnOnce()) {
    assert_eq!(before(scratch, id, tool, input.clone()), None);
    act();
    let said = after(scratch, id, tool, input.clone(), json!({ "stdout": "" }));
    assert_eq!(said.denial(), None, "{said:?}");
}

fn writes(scratch: &Scratch, id: &str, name: &str) {
    let input = json!({ "file_path": scratch.path(name), "content": id });
    does(scratch, id, "Write", &input, || scratch.write(name, id));
}

fn runs(scratch: &Scratch, id: &str, command: &str, act: impl FnOnce()) {
    does(scratch, id, "Bash", &json!({ "command": command }), act);
}

#[test]
fn a_changed_file_is_read_back_before_the_next_acting_call() {
    let scratch = project();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    writes(&scratch, "w1", "data.csv");
    insta::assert_snapshot!(
        shell(&scratch, "x1", "touch x").unwrap(),
        @"G2 (G2-1): data.csv changed, no check is about it, and nobody looked at it since. Next: read data.csv, then make the call again"
    );
    // Looking passes, and at another file helps nothing.
    runs(&scratch, "r1", "cat more.csv", || ());
    assert!(shell(&scratch, "x2", "touch x").is_some());
    let read = json!({ "file_path": scratch.path("data.csv") });
    does(&scratch, "r2", "Read", &read, || ());
    assert_eq!(shell(&scratch, "x3", "touch x"), None);
    // What a check is about is the check's, what git ignores and what lies outside is nobody's.
    writes(&scratch, "w2", "build.log");
    writes(&scratch, "w3", "out/a/b.txt");
    writes(&scratch, "w4", "../elsewhere.csv");
    assert_eq!(shell(&scratch, "x4", "touch x"), None);
    writes(&scratch, "w5", "src/a.c");
    let due = shell(&scratch, "x5", "touch x").unwrap();
    assert!(due.contains("`make test`") && !due.contains("looked at"), "{due}");
}

#[test]
fn what_one_command_changed_is_read_back_together() {
    let scratch = project();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    runs(&scratch, "u0", "make seen", || ());
    runs(&scratch, "u1", "python3 gen.py", || {
        scratch.write("data.csv", "1\n");
        scratch.write("more.csv", "1\n");
        scratch.write("new/deep/a.csv", "1\n");
        scratch.write("out/ignored", "1\n");
    });
    insta::assert_snapshot!(
        shell(&scratch, "x1", "touch x").unwrap(),
        @"G2 (G2-1): data.csv, more.csv and new/ changed, no check is about them, and nobody looked at them since. Next: run `cat data.csv more.csv; ls -R new/`, then make the call again"
    );
    // It shows what git tracks, and of what it was asked.
    runs(&scratch, "r1", "git diff -- more.csv", || ());
    let due = shell(&scratch, "x2", "touch x").unwrap();
    assert!(due.contains("data.csv and new/ changed"), "{due}");
    runs(&scratch, "r2", "git diff", || ());
    let due = shell(&scratch, "x3", "touch x").unwrap();
    assert!(due.contains("new/ changed") && !due.contains("data.csv"), "{due}");
    runs(&scratch, "r3", "ls -R new", || ());
    runs(&scratch, "x4", "git commit -am x", || scratch.commit("second"));
    // It was committed, and not changed.
    assert_eq!(shell(&scratch, "x5", "touch x"), None);
}

/// The check was due again after it had passed: the files that a file tool had written were found as changed past the
/// gates. So were those of a commit, as if it had changed them back.
#[test]
fn what_the_session_wrote_or_committed_makes_no_check_due_again() {
    let scratch = project();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    writes(&scratch, "w1", "src/a.c");
    runs(&scratch, "u0", "make test", || ());
    writes(&scratch, "w0", "src/deep/b.c");
    runs(&scratch, "u1", "make test", || ());
    assert_eq!(shell(&scratch, "x0", "touch x"), None);
    runs(&scratch, "u2", "git commit -am x", || scratch.commit("second"));
    assert_eq!(shell(&scratch, "x1", "touch x"), None);
    // A change that is taken back is one.
    writes(&scratch, "w2", "src/a.c");
    runs(&scratch, "u3", "make test", || ());
    runs(&scratch, "u4", "python3 undo.py", || scratch.write("src/a.c", "w1"));
    assert!(shell(&scratch, "x2", "touch x").is_some_and(|due| due.contains("`make test`")));
    runs(&scratch, "u5", "make test", || ());
    // What another program adds to a folder of the session's own is none of the session's.
    writes(&scratch, "w3", "src/new/a.c");
    runs(&scratch, "u6", "make test", || scratch.write("src/new/b.c", "1"));
    assert!(shell(&scratch, "x3", "touch x").is_some_and(|due| due.contains("`make test`")));
}

/// A listing of a new folder was taken for none where the call that made it had announced the file in it, and the hint
/// said to `cat` a folder.
#[test]
fn a_listing_of_a_new_folder_shows_what_lies_in_it() {
    for listing in ["ls -R nq", "find nq", "ls -R nq/", "cat nq/a/b/c"] {
        let scratch = project();
        claude(&scratch, "SessionStart", json!({ "source": "startup" }));
        runs(&scratch, "u0", "make seen", || ());
        let make = "mkdir -p nq/a/b && python3 -c \"open('nq/a/b/c','w').write('1')\"";
        runs(&scratch, "u1", make, || scratch.write("nq/a/b/c", "1"));
        assert_eq!(
            shell(&scratch, "x1", "touch x").unwrap(),
            "G2 (G2-1): nq/ changed, no check is about it, and nobody looked at it since. Next: list nq/ with \
             `ls -R nq/`, then make the call again"
        );
        runs(&scratch, "r1", listing, || ());
        assert_eq!(shell(&scratch, "x2", "touch x"), None, "{listing}");
        let list = scratch.run(&["cairn", "receipts", "list", "--json"]).ok().json();
        assert!(!list.to_string().contains("unannounced-write"), "the call named the file");
    }
}

/// Of six files four were named, "and 2 more".
#[test]
fn all_that_changed_is_named_in_one_denial_with_one_command_that_shows_it() {
    let scratch = project();
    claude(&scratch, "SessionStart", json!({ "source": "startup" }));
    runs(&scratch, "u0", "make seen", || ());
    runs(&scratch, "u1", "python3 gen.py", || {
        for name in ["a", "b c", "d'e", "-f", "g", "h"] {
            scratch.write(name, "1");
        }
        scratch.write("new/deep/i", "1");
    });
    let denied = shell(&scratch, "x1", "touch x").unwrap();
    insta::assert_snapshot!(denied, @r"G2 (G2-1): -f, a, b c, d'e, g, h and new/ changed, no check is about them, and nobody looked at them since. Next: run `cat ./-f a 'b c' 'd'\''e' g h; ls -R new/`, then make the call again");
    let command = denied.split_once("run `").unwrap().1.split_once("`, then").unwrap().0;
    runs(&scratch, "r1", command, || ());
    assert_eq!(shell(&scratch, "x2", "touch x"), None, "{command}");
    // More than anybody reads at once is named in turn.
    runs(&scratch, "u2", "python3 gen.py", || {
        (10..35).for_each(|n| scratch.write(&format!("n{n}"), "1"));
    });
    for (id, rest) in [("1", "n29 and 5 more changed"), ("2", "n33 and n34 changed")] {
        let denied = shell(&scratch, &format!("y{id}"), "touch x").unwrap();
        assert!(denied.contains(rest), "{denied}");
        let command = denied.split_once("run `").unwrap().1.split_once("`, then").unwrap().0;
        runs(&scratch, &format!("z{id}"), command, || ());
    }
    assert_eq!(shell(&scratch, "x3", "touch x"), None);
}
