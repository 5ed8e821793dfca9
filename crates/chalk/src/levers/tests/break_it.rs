use super::*;

#[test]
fn a_test_that_goes_red_without_the_change_holds() {
    let bed = script(REAL);
    let report = bed.run();
    assert_eq!(report.break_it, Outcome::Held);
    let over: Vec<&str> = report.tests.iter().map(|run| run.over.as_str()).collect();
    assert_eq!(over, ["whole", "reverted"]);
    assert!(report.refusal().is_none() && report.unclear().is_empty());
    let record = bed.fixture.session().results().unwrap().last().unwrap().unwrap();
    assert_eq!((record.kind.as_str(), &record.body["report"]["digest"]), ("levers", &json!(report.digest)));
    let log = fs::read(report.tests[1].run.log.as_ref().unwrap()).unwrap();
    assert_eq!(report.tests[1].run.log_sha256, Some(Sha256::of(log)));
}

#[test]
fn a_test_that_passes_without_the_change_is_vacuous() {
    let bed = script("sh sum.sh\n");
    let report = bed.run();
    assert!(is_vacuous(&report.break_it));
    let refusal = report.refusal().unwrap();
    assert_eq!(refusal.facts[0], "`tests/sum.test.sh` passes over the reverted code");
    assert!(refusal.facts[1].contains("`sum.sh`"), "{refusal:?}");
}

#[test]
fn committed_work_is_taken_back_too() {
    for (test, vacuous) in [(REAL, false), ("true\n", true)] {
        let bed = script(test);
        bed.fixture.commit("the work");
        assert_eq!(is_vacuous(&bed.break_it()), vacuous, "{test}");
    }
}

#[test]
fn deleted_and_renamed_files_come_back() {
    let bed = Bed::with(&[("old.sh", "echo old\n"), ("gone.sh", "echo gone\n")])
        .set("breakTest", json!("sh {test}"));
    bed.fixture.git(&["mv", "old.sh", "new.sh"]);
    fs::remove_file(bed.fixture.root.join("gone.sh")).unwrap();
    let bed = bed.lock("tests/a.test.sh", "test -f old.sh && exit 1; test ! -f gone.sh\n");
    assert_eq!(bed.break_it(), Outcome::Held);
    let bed = bed.lock("tests/b.test.sh", "cat old.sh gone.sh 2> out; test -s out || true\n");
    assert!(is_vacuous(&bed.break_it()));
}

#[test]
fn names_of_any_letters_are_taken_back_and_reach_no_shell() {
    for name in ["gr\u{f6}\u{df}e.sh", "$(touch pwned).sh", "a b'\"c.sh", "-n.sh", "new\nline.sh", "*.sh"] {
        let bed = Bed::with(&[(name, "echo 1\n")])
            .set("breakTest", json!("sh {test}"))
            .set("mutation", json!("test -f {file} && touch \"$(dirname \"$0\")/x\"; test -f {file}"));
        bed.write(name, "echo 2\n");
        let bed = bed.lock(
            "tests/$(touch pwned) \u{e9}.test.sh",
            &format!("cat ./*.sh | grep -q 'echo 2' # {}\n", name.len()),
        );
        let report = bed.run();
        assert_eq!(
            (&report.break_it, &report.mutation),
            (&Outcome::Held, &Outcome::Held),
            "{name}: {report:#?}"
        );
        assert_eq!(report.mutants.len(), 1, "{name}");
        assert!(!bed.fixture.root.join("pwned").exists());
    }
}

#[test]
fn a_test_that_fails_in_the_copy_for_reasons_of_its_own_is_no_proof() {
    let bed = script("test -f built && test \"$(sh sum.sh)\" = 2\n");
    bed.write(".gitignore", "built\n");
    bed.write("built", "output that no commit holds\n");
    assert!(why(&bed.break_it()).contains("doesn't pass in a copy of the tree either"));
    let bed = bed.set("worktree", json!({ "setup": "touch built" }));
    assert_eq!(bed.break_it(), Outcome::Held);
    let bed = bed.set("worktree", json!({ "setup": "exit 4" }));
    assert!(why(&bed.break_it()).contains("exit code 4"));
}

#[test]
fn a_command_that_could_not_run_is_no_proof() {
    for (command, said) in
        [("no-such-runner {test}", "127"), ("exit 126 # {test}", "126"), ("kill -9 $$ # {test}", "signal 9")]
    {
        let bed = script(REAL).set("breakTest", json!(command));
        assert!(why(&bed.break_it()).contains(said), "{command}");
    }
    let bed = script(REAL).set("breakTest", json!("test -f sum.sh && grep -q 2 sum.sh || exit 127 # {test}"));
    assert!(why(&bed.break_it()).contains("127"), "over the reverted code");
}

#[test]
fn a_command_that_runs_another_tree_is_no_proof() {
    let bed = script(REAL);
    let elsewhere = format!("cd '{}' && sh {{test}}", bed.fixture.root.display());
    let bed = bed.set("breakTest", json!(elsewhere));
    assert!(why(&bed.break_it()).contains("broken test file"));
    assert!(
        why(&script(REAL).set("breakTest", json!("true # {test}")).break_it()).contains("broken test file")
    );
}

#[test]
fn a_name_that_a_second_shell_would_read_is_refused_and_not_run() {
    let bed = Bed::with(&[("sum.sh", "echo 1\n")]).set("breakTest", json!("sh -c 'sh {test}'"));
    bed.write("sum.sh", "echo 2\n");
    let bed = bed.lock("tests/$(touch pwned).test.sh", REAL);
    assert!(why(&bed.break_it()).contains("program text"));
    assert!(!bed.fixture.root.join("pwned").exists());
}

#[test]
fn nothing_to_take_back_or_to_run_is_off() {
    assert!(why(&script(REAL).set("breakTest", json!(" ")).break_it()).contains("breakTest"));
    let bed = Bed::with(&[]).set("breakTest", json!("sh {test}")).lock("tests/a.test.sh", "true\n");
    assert!(why(&bed.break_it()).contains("tests alone"));
    let bed = script(REAL).set("breakTest", json!("sh {test}"));
    let no_program =
        Bed { fields: json!({ "tests": [{ "path": "a.yaml", "sha256": Sha256::of("") }] }), ..bed };
    assert!(why(&no_program.break_it()).contains("no locked test is a program"));
    let clean = Bed::with(&[("sum.sh", "echo 1\n"), ("tests/a.test.sh", "true\n")])
        .set("breakTest", json!("sh {test}"));
    let clean = clean.lock("tests/a.test.sh", "true\n");
    assert!(why(&clean.break_it()).contains("nothing changed since"));
}

const MODULE: &str = "export function add(a, b) {\n  return a + b;\n}\n";

#[test]
fn a_test_that_only_imports_a_new_module_is_vacuous() {
    let import = "test -f add.js || { echo 'Cannot find module add.js'; exit 1; }; grep -q 'export function add' add.js\n";
    for (test, vacuous) in
        [(import.to_owned(), true), (format!("{import}grep -q 'return a + b' add.js\n"), false)]
    {
        let bed = Bed::with(&[]).set("breakTest", json!("sh {test}"));
        bed.write("add.js", MODULE);
        let bed = bed.lock("tests/add.test.js", &test);
        assert_eq!(is_vacuous(&bed.break_it()), vacuous, "{test}");
    }
}

#[test]
fn a_test_that_only_imports_a_new_export_of_an_old_module_is_vacuous() {
    let import = "grep -q 'function sub' m.js || { echo 'does not provide an export named sub'; exit 1; }\n";
    for (test, vacuous) in
        [(import.to_owned(), true), (format!("{import}grep -q 'return a - b' m.js\n"), false)]
    {
        let bed = Bed::with(&[("m.js", MODULE)]).set("breakTest", json!("sh {test}"));
        bed.write("m.js", &format!("{MODULE}export function sub(a, b) {{\n  return a - b;\n}}\n"));
        let bed = bed.lock("tests/m.test.js", &test);
        let report = bed.run();
        assert_eq!(is_vacuous(&report.break_it), vacuous, "{test}");
        assert_eq!(report.tests[2].over, "emptied");
        if !vacuous {
            assert_eq!(report.break_it, Outcome::Held);
        }
    }
}

#[test]
fn a_regression_test_of_a_fault_that_is_gone_is_real() {
    // Over the emptied code it would pass: a body that does nothing does not fail either.
    let bed =
        Bed::with(&[("m.js", "export const f = () => { throw 1; };\n")]).set("breakTest", json!("sh {test}"));
    bed.write("m.js", "export const f = () => { return 1; };\n");
    let bed = bed.lock("tests/m.test.js", "! grep -q throw m.js\n");
    assert_eq!(bed.break_it(), Outcome::Held);
}

#[test]
fn a_test_of_a_constant_is_not_called_vacuous() {
    let bed = Bed::with(&[("go.mod", "module m\n")]).set("breakTest", json!("sh {test}"));
    bed.write("limit.go", "package m\n\nconst Limit = 5\n\nfunc f() int { return Limit }\n");
    let bed = bed.lock("limit_test.go", "grep -q 'Limit = 5' limit.go\n");
    assert!(why(&bed.break_it()).contains("constants"));
    let bed = bed.lock("other_test.go", "true\n");
    assert!(is_vacuous(&bed.break_it()));
}
