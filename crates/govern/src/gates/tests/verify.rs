//! Verify by execution (G2).

use crate::gates::verify;

use super::*;

fn mark(check: &str, value: &str) -> Entry {
    Entry::Mark { name: verify::due(check), value: value.into() }
}

/// A world in which this check of `src` is due.
fn due(command: &str, value: &str) -> World {
    let mut world = World::new(&format!(
        r#"{{ "schema": 1, "gates": {{ "verify": true }},
        "checks": {{ "u": {{ "paths": ["src/**"], "command": {command} }} }} }}"#
    ));
    world.learn(mark("u", value));
    world
}

fn said(world: &World, command: &str) -> String {
    let found = world.found(shell(command));
    found.first().map(|found| format!("{}. Next: {}", found.fact, found.next)).unwrap_or_default()
}

#[test]
fn what_changed_is_checked_before_anything_else() {
    let policy = r#"{ "schema": 1, "gates": { "verify": true },
        "checks": { "code": { "paths": ["src/**"], "command": ["cargo", "test"] } } }"#;
    let mut world = World::new(policy);
    assert_eq!(world.shell("touch x"), [""; 0]);
    let due = verify::dirty(&world.policy, &["src/a.rs".to_owned(), "README".to_owned()]);
    assert_eq!(due, ["code"]);
    world.learn(mark("code", ""));
    for command in ["touch x", "cargo test || true", "cargo test; touch x", "cargo test > /dev/null"] {
        assert_eq!(world.shell(command), ["G2 G2-1 Deny"], "{command}");
    }
    for command in ["cargo test", "cargo test -p gate", "cat src/a.rs"] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
}

/// A check that failed locked the session for good: the edit that would have mended it was denied, too.
#[test]
fn what_a_failed_check_is_about_may_be_mended() {
    let check = r#"["sh", "t.sh"]"#;
    let edit = |path: &str| Tool::Edit { path: path.into(), replaced: vec!["one".into()] };
    // Before it ran, there is nothing to mend.
    assert_eq!(due(check, "").judge(edit("/w/src/a.rs")), ["G2 G2-1 Deny"]);
    let red = due(check, verify::RED);
    for tool in [
        edit("/w/src/a.rs"),
        edit("src/deep/new.rs"),
        Tool::Write { path: "/w/src/b.rs".into(), content: None },
        shell("sed -i s/one/two/ src/a.rs"),
        shell("rm -r src/deep"),
        shell("git checkout -- src/a.rs"),
        shell("git checkout HEAD -- src"),
        shell("git checkout src/a.rs"),
        shell("git restore src/a.rs src/deep"),
        shell("git restore --source=HEAD~1 --worktree -- 'src/*.rs'"),
        shell("sh t.sh"),
        shell("cat src/a.rs"),
    ] {
        assert_eq!(red.judge(tool.clone()), [""; 0], "{tool:?}");
    }
    for tool in [
        edit("/w/README.md"),
        Tool::Edits { paths: vec!["src/a.rs".into(), "README.md".into()] },
        shell("touch x"),
        shell("sed -i s/one/two/ src/a.rs x"),
        shell("sed -i s/one/two/ src/a.rs; make"),
        shell("mv src/a.rs a.rs"),
        shell("python3 fix.py"),
        shell("git checkout src"),
        shell("git checkout main"),
        shell("git checkout -- ."),
        shell("git checkout -- src ':!src/a.rs' ':/'"),
        shell("git checkout -- src && touch x"),
        shell("git checkout -b src/a.rs"),
        shell("git restore ."),
        shell("git restore src x"),
        shell("git commit -am x"),
    ] {
        // Other gates may have denied it, too.
        assert_eq!(red.judge(tool.clone()).last().map(String::as_str), Some("G2 G2-1 Deny"), "{tool:?}");
    }
    assert_eq!(
        said(&red, "touch x"),
        "`sh t.sh` failed since what the check u is about changed. Next: run `sh t.sh` again, by itself, or mend what it \
         is about: src/**"
    );
}

/// Of two checks that failed, each kept what the other one was about from being mended.
#[test]
fn of_several_checks_that_failed_each_may_be_mended() {
    let mut world = World::new(
        r#"{ "schema": 1, "gates": { "verify": true }, "checks": {
            "a": { "paths": ["src/**"], "command": ["make", "a"] },
            "b": { "paths": ["docs/*.md"], "command": ["make", "b"] } } }"#,
    );
    world.learn(mark("a", verify::RED));
    world.learn(mark("b", ""));
    // The one that did not run yet is named, and each of them may run.
    assert!(said(&world, "touch src/x").ends_with("Next: run `make b` by itself"));
    assert_eq!(world.shell("make a"), [""; 0]);
    assert_eq!(world.shell("make b"), [""; 0]);
    world.learn(mark("b", verify::RED));
    assert_eq!(world.shell("touch src/x docs/y.md"), [""; 0]);
    assert_eq!(world.shell("git checkout -- docs/y.md"), [""; 0]);
    assert!(said(&world, "touch x").ends_with("or mend what it is about: src/**, docs/*.md"));
    assert_eq!(world.shell("rm -r docs"), ["G2 G2-1 Deny"]);
}

/// A check with a blank or a quote in a word could never pass, and its hint was another command.
#[test]
fn a_check_is_known_by_its_words() {
    for (check, shown, other) in [
        (r#"["sh", "-c", "exit 0"]"#, "sh -c 'exit 0'", "sh -c exit 0"),
        (r#"["ls", "a b"]"#, "ls 'a b'", "ls a b"),
        (r#"["sh", "-c", "a && b | c > $D"]"#, "sh -c 'a && b | c > $D'", "sh -c a && b"),
        (r#"["run", "it's", ""]"#, r"run 'it'\''s' ''", "run its"),
        (r#"["run", "*.rs"]"#, "run '*.rs'", "run *.rs"),
    ] {
        let world = due(check, "");
        assert_eq!(
            said(&world, "touch x"),
            format!(
                "what the check u is about changed, and `{shown}` did not pass since. Next: run `{shown}` by itself"
            )
        );
        let passes = |command: &str| {
            let ran = |act: &Act<'_>| verify::ran(&world.policy, act.event, act.effects, Path::new("/w"));
            acted(command, ran) == ["u"]
        };
        assert_eq!(world.shell(shown), [""; 0], "{shown}");
        assert!(passes(shown) && passes(&format!("{shown} more")), "{shown}");
        assert!(passes(&format!("{shown} # it\n")), "{shown}");
        assert!(passes(&shown.replace("'exit 0'", r"exit\ 0").replace("'a b'", "\"a b\"")), "{shown}");
        for hides in [" || true", " &", " | cat", "; true", " && touch x", " > out", " $(touch x)"] {
            assert!(!passes(&format!("{shown}{hides}")), "{shown}{hides}");
        }
        assert!(
            !passes(other) && !passes(&format!("! {shown}")) && !passes(&format!("X=1 {shown}")),
            "{other}"
        );
    }
}

/// In a folder below, no form of the check passed, and one that was about other files did.
#[test]
fn a_check_runs_at_the_top() {
    let mut world = due(r#"["sh", "t.sh"]"#, "");
    for command in ["cd /w && sh t.sh", "(cd /w && sh t.sh)", "(sh t.sh)", "cd src/.. && sh t.sh"] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
    for command in
        ["cd src && sh t.sh", "(cd src && sh t.sh)", "cd $D && sh t.sh", "cd /w; sh t.sh", "cd /w || sh t.sh"]
    {
        assert_eq!(world.shell(command).last().map(String::as_str), Some("G2 G2-1 Deny"), "{command}");
    }
    world.cwd = "/w/src";
    for command in ["cd .. && sh t.sh", "(cd /w && sh t.sh)"] {
        assert_eq!(world.shell(command), [""; 0], "{command}");
    }
    assert_eq!(world.shell("sh t.sh"), ["G2 G2-1 Deny"]);
    assert!(said(&world, "touch x").ends_with("Next: run `cd /w && sh t.sh` by itself"));
    world.learn(mark("u", verify::RED));
    assert!(said(&world, "touch ../x").contains("Next: run `cd /w && sh t.sh` again, by itself, or mend"));
}

/// The plan gate's own hint was denied by the verify gate, and so was looking with this very program.
#[test]
fn a_plan_is_set_and_a_look_taken_whatever_is_due() {
    let mut world = due(r#"["sh", "t.sh"]"#, "");
    let passes = |world: &World| {
        for command in [
            "cairn plan set --from - <<'END'\n[{}]\nEND",
            "echo '[{}]' | cairn plan set --from -",
            "cairn next",
            "cairn status --json | head -5",
            "chalk log",
            "cairn hook status",
            "cairn receipts list --decision deny",
            "cairn workspace records",
        ] {
            assert_eq!(world.shell(command), [""; 0], "{command}");
        }
        for command in
            ["cairn plan set --from - && touch x", "cairn update x", "cairn verify", "cairn next > x"]
        {
            assert_eq!(world.shell(command), ["G2 G2-1 Deny"], "{command}");
        }
    };
    passes(&world);
    world.learn(Entry::Unmark { name: verify::due("u") });
    world.learn(Entry::Mark { name: read_back::mark("src/a.rs"), value: String::new() });
    passes(&world);
}
