#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};

use canon::Sha256;
use serde_json::{Value, json};

use super::{Outcome, Report, run};
use crate::change::fixture::{Fixture, ID};
use crate::codes;

/// A repository in which the work below begins at the present commit.
struct Bed {
    fixture: Fixture,
    protocol: Value,
    fields: Value,
}

impl Bed {
    /// With files of before the change.
    fn with(files: &[(&str, &str)]) -> Self {
        let fixture = Fixture::new();
        for (name, content) in files {
            fixture.write(name, content);
        }
        let base = fixture.commit("before");
        Self { fixture, protocol: json!({}), fields: json!({ "cairn": { "base": base } }) }
    }

    fn set(mut self, key: &str, value: Value) -> Self {
        self.protocol[key] = value;
        self
    }

    fn write(&self, name: impl AsRef<Path>, content: &str) {
        self.fixture.write(name, content);
    }

    /// Writes a test and locks it.
    fn lock(mut self, path: &str, content: &str) -> Self {
        self.fixture.write(path, content);
        let lock = json!({ "path": path, "sha256": Sha256::of(content) });
        match self.fields["tests"].as_array_mut() {
            Some(tests) => tests.push(lock),
            None => self.fields["tests"] = json!([lock]),
        }
        self
    }

    fn run(&self) -> Report {
        self.fixture.configure(self.protocol.clone());
        self.fixture.task(self.fields.clone());
        let session = self.fixture.session();
        let report =
            run(&session, &session.config().unwrap(), &session.task(ID).unwrap(), &session.spine.tree)
                .unwrap();
        let left: Vec<_> = fs::read_dir(self.fixture.beside("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?} is left behind");
        report
    }

    fn break_it(&self) -> Outcome {
        self.run().break_it
    }
}

/// A repository with a script that printed 1 and prints 2, and a locked test.
fn script(test: &str) -> Bed {
    let bed = Bed::with(&[("sum.sh", "echo 1\n")]).set("breakTest", json!("sh {test}"));
    bed.write("sum.sh", "echo 2\n");
    bed.lock("tests/sum.test.sh", test)
}

const REAL: &str = "test \"$(sh sum.sh)\" = 2\n";

fn is_vacuous(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Finding { code, .. } if *code == codes::VACUOUS_TEST)
}

fn why(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Inconclusive { why } => why.join("\n"),
        Outcome::Off { why } => why.clone(),
        other => panic!("{other:?}"),
    }
}

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
fn stash_index_refs_and_files_of_the_user_are_untouched() {
    let bed = script("rm -f sum.sh README; echo x > new; false\n")
        .set("mutation", json!("echo x > {file}; rm README"));
    let fixture = &bed.fixture;
    fixture.write("README", "stashed by the user\n");
    fixture.git(&["stash", "push", "-q", "README"]);
    fixture.write("README", "staged\n");
    fixture.git(&["add", "README"]);
    fixture.write("README", "not staged\n");
    fixture.configure(bed.protocol.clone());
    fixture.task(bed.fields.clone());
    let state = || {
        let files =
            ["README", "sum.sh", "tests/sum.test.sh"].map(|name| fs::read(fixture.root.join(name)).unwrap());
        let git = ["stash list", "for-each-ref", "status --porcelain", "diff --cached", "worktree list"];
        let git = git.map(|words| fixture.git(&words.split(' ').collect::<Vec<_>>()));
        (files, git, fs::read(fixture.root.join(".git/index")).unwrap())
    };
    fixture.git(&["status"]);
    let before = state();
    assert!(matches!(bed.break_it(), Outcome::Inconclusive { .. }));
    assert_eq!(bed.run().mutants[0].run.cause, "exit code 0");
    assert_eq!(state(), before);
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
    assert!(why(&no_program.break_it()).contains("no locked test"));
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

#[test]
fn packages_of_the_repository_are_those_of_the_copy() {
    let bed = Bed::with(&[("packages/one/index.js", "1\n"), (".gitignore", "node_modules\n")])
        .set("breakTest", json!("sh {test}"));
    bed.write("node_modules/left-pad/index.js", "pad\n");
    bed.write("node_modules/@scope/pkg/index.js", "scoped\n");
    std::os::unix::fs::symlink("../packages/one", bed.fixture.root.join("node_modules/one")).unwrap();
    bed.write("packages/one/index.js", "2\n");
    let bed = bed.lock(
        "tests/a.test.sh",
        "grep -q pad node_modules/left-pad/index.js && grep -q scoped node_modules/@scope/pkg/index.js &&\n\
         grep -q 2 node_modules/one/index.js && rm -rf node_modules/* node_modules/@scope\n",
    );
    // The first run clears the folder, so the second says nothing; what counts is that both saw the copy's.
    let report = bed.run();
    assert!(report.tests[0].run.success && !report.tests[1].run.success, "{report:#?}");
    for name in ["left-pad", "@scope/pkg", "one"] {
        assert!(bed.fixture.root.join("node_modules").join(name).join("index.js").is_file(), "{name}");
    }
}

#[test]
fn build_output_is_not_copied() {
    let bed = script(&format!("test ! -e dist && {REAL}"));
    bed.write(".gitignore", "dist\n");
    bed.write("dist/sum.sh", "echo 2\n");
    assert_eq!(bed.break_it(), Outcome::Held);
}

#[test]
fn the_held_out_set_is_not_in_the_copy() {
    let bed = script(&format!("test ! -e .chalk/held-out && test ! -e .chalk/tasks.json && {REAL}"));
    bed.write(".chalk/held-out/secret.test.sh", "true\n");
    assert_eq!(bed.break_it(), Outcome::Held);
}

#[test]
fn a_spine_in_a_subfolder_has_the_rest_of_the_repository_around_it() {
    let mut bed = Bed::with(&[("shared.sh", "echo 1\n")]).set("breakTest", json!("sh {test}"));
    let sub = bed.fixture.root.join("sub");
    fs::create_dir(&sub).unwrap();
    fs::rename(bed.fixture.root.join(".chalk"), sub.join(".chalk")).unwrap();
    bed.write("sub/sum.sh", "echo 1\n");
    let base = bed.fixture.commit("moved");
    bed.fields = json!({ "cairn": { "base": base } });
    bed.fixture.root.clone_from(&sub);
    bed.fixture.world.cwd = sub;
    bed.write("sum.sh", "echo 2\n");
    let bed = bed.lock("tests/a.test.sh", "test -f ../shared.sh && test \"$(sh sum.sh)\" = 2\n");
    assert_eq!(bed.break_it(), Outcome::Held);
}

#[test]
fn links_lead_into_the_copy() {
    let bed = Bed::with(&[("sum.sh", "echo 1\n")]).set("breakTest", json!("sh {test}"));
    std::os::unix::fs::symlink(bed.fixture.root.join("sum.sh"), bed.fixture.root.join("link.sh")).unwrap();
    bed.fixture.commit("link");
    let base = bed.fixture.git(&["rev-parse", "HEAD"]);
    let bed = Bed { fields: json!({ "cairn": { "base": base } }), ..bed };
    bed.write("sum.sh", "echo 2\n");
    let bed = bed.lock("tests/a.test.sh", "test \"$(sh link.sh)\" = 2\n");
    assert_eq!(bed.break_it(), Outcome::Held);
}

#[test]
fn nothing_is_written_through_a_link_that_leads_out_of_the_copy() {
    let outside = |bed: &Bed, name: &str| {
        let path = bed.fixture.beside("home").join(name);
        fs::write(&path, "true\n").unwrap();
        path
    };
    // A file that is new, a folder that was one before, and a locked test.
    let bed =
        Bed::with(&[("sum.sh", "echo 1\n"), ("lib/x.sh", "echo 1\n")]).set("breakTest", json!("sh {test}"));
    bed.write("sum.sh", "echo 2\n");
    fs::remove_dir_all(bed.fixture.root.join("lib")).unwrap();
    std::os::unix::fs::symlink(bed.fixture.beside("home"), bed.fixture.root.join("lib")).unwrap();
    std::os::unix::fs::symlink(outside(&bed, "y.sh"), bed.fixture.root.join("new.sh")).unwrap();
    let files = [outside(&bed, "x.sh"), outside(&bed, "y.sh"), outside(&bed, "a.test.sh")];
    let bed = bed.lock("tests/real.test.sh", REAL).lock("tests/real2.test.sh", REAL);
    assert_eq!(bed.break_it(), Outcome::Held);
    assert!(files.iter().all(|file| file.is_file()));

    fs::remove_file(bed.fixture.root.join("tests/real.test.sh")).unwrap();
    std::os::unix::fs::symlink(&files[2], bed.fixture.root.join("tests/real.test.sh")).unwrap();
    assert!(why(&bed.break_it()).contains("link"));
    for file in files {
        assert_eq!(fs::read_to_string(&file).ok().as_deref(), Some("true\n"), "{}", file.display());
    }
}

#[test]
fn copies_of_killed_runs_are_removed() {
    let bed = script(REAL);
    let short = Sha256::of(bed.fixture.root.as_os_str().as_encoded_bytes()).short();
    let dead = bed.fixture.beside("tmp").join(format!("cairn-copy-{short}-4194400-0"));
    fs::create_dir_all(dead.join("project")).unwrap();
    let own = bed.fixture.beside("tmp").join(format!("cairn-copy-{short}-{}-99999", std::process::id()));
    fs::create_dir(&own).unwrap();
    bed.fixture.configure(bed.protocol.clone());
    bed.fixture.task(bed.fields.clone());
    let session = bed.fixture.session();
    let copy = super::copy::Copy::make(&session, &session.config().unwrap(), &session.spine.tree).unwrap();
    assert!(!dead.exists() && own.exists() && copy.tree.join("sum.sh").is_file());
    fs::remove_dir(own).unwrap();
    drop(copy);
    bed.run();
}

/// A repository with two changed programs and a mutation tool that counts its runs.
fn mutated(body: &str) -> (Bed, PathBuf) {
    let bed = Bed::with(&[("a.sh", "1\n"), ("b.sh", "1\n")]);
    let count = bed.fixture.beside("count");
    let tool = bed.fixture.script("mutate", &format!("echo \"$1\" >> '{}'\n{body}", count.display()));
    let bed = bed.set("mutation", json!(format!("{tool} {{file}}")));
    bed.write("a.sh", "2\n");
    bed.write("b.sh", "2\n");
    bed.write("notes.md", "no program\n");
    (bed.lock("tests/a.test.sh", "true\n"), count)
}

fn runs(count: &Path) -> usize {
    fs::read_to_string(count).unwrap_or_default().lines().count()
}

#[test]
fn survivors_are_a_finding_with_score_and_report() {
    let (bed, _) = mutated("echo '4 mutants tested in 1s: 1 missed, 3 caught'; test \"$1\" = a.sh");
    let report = bed.run();
    let Outcome::Finding { code, facts, .. } = &report.mutation else { panic!("{report:#?}") };
    assert_eq!((*code, facts[0].as_str()), (codes::MUTANTS_SURVIVE, "`b.sh`: 3 of 4 noticed (75 %)"));
    assert_eq!(report.mutants[0].score.unwrap().percent, Some(75.0));
    let log = fs::read(report.mutants[1].run.log.as_ref().unwrap()).unwrap();
    assert_eq!(report.mutants[1].run.log_sha256, Some(Sha256::of(log)));
}

#[test]
fn a_mutation_run_is_kept_for_the_same_content_and_command() {
    let (bed, count) = mutated("exit 0");
    assert_eq!(bed.run().mutation, Outcome::Held);
    assert_eq!(runs(&count), 2);
    let again = bed.run();
    assert!(again.mutants.iter().all(|mutated| mutated.cached) && again.mutation == Outcome::Held);
    assert_eq!(runs(&count), 2);
    bed.write("notes.md", "any change of the tree can change what the tests see\n");
    bed.run();
    assert_eq!(runs(&count), 4);
    let other = bed.protocol["mutation"].as_str().unwrap().replace("{file}", "{file} --all");
    let bed = bed.set("mutation", json!(other));
    bed.run();
    assert_eq!(runs(&count), 6);
}

#[test]
fn a_kept_finding_is_still_one() {
    let (bed, _) = mutated("exit 2");
    assert!(bed.run().mutation.is_finding() && bed.run().mutation.is_finding());
}

#[test]
fn a_mutation_run_that_could_not_run_is_neither_pass_nor_kept() {
    let (bed, count) = mutated("echo '3 mutants tested: 3 caught'; exit 127");
    assert!(why(&bed.run().mutation).contains("127"));
    assert!(why(&bed.run().mutation).contains("127"));
    assert_eq!(runs(&count), 4);
}

#[test]
fn a_vacuous_test_spares_the_mutation_run() {
    let (bed, count) = mutated("exit 0");
    let report = bed.set("breakTest", json!("sh {test}")).run();
    assert!(is_vacuous(&report.break_it) && why(&report.mutation).contains("another lever"));
    assert_eq!(runs(&count), 0);
}

#[test]
fn usage_errors_of_cargo_mutants_are_no_survivors() {
    for (code, survivors) in [(1, false), (2, true), (3, true), (4, false), (70, false)] {
        let (bed, _) = mutated("");
        let bed = bed.set("mutation", json!(format!("exit {code} # cargo mutants --file {{file}}")));
        assert_eq!(bed.run().mutation.is_finding(), survivors, "{code}");
    }
}

#[test]
fn a_feature_without_a_test_is_found() {
    let bed = Bed::with(&[("sum.sh", "echo 1\n"), ("tests/old.test.sh", "true\n")]);
    bed.write("sum.sh", "echo 2\n");
    bed.fixture.commit("committed before");
    let report = bed.run();
    let refusal = report.refusal().unwrap();
    assert_eq!((refusal.code, refusal.facts[0].as_str()), (codes::NO_TEST_CHANGE, "changed: `sum.sh`"));
    fs::remove_file(bed.fixture.root.join("tests/old.test.sh")).unwrap();
    assert!(bed.run().require_test.is_finding(), "a test that is gone is none");
    bed.write("tests/sum.test.sh", "true\n");
    assert_eq!(bed.run().require_test, Outcome::Held);
}

#[test]
fn what_needs_no_test_is_let_through() {
    for (fields, protocol, said) in [
        (json!({ "branchType": "docs" }), json!({}), "`docs`"),
        (json!({ "labels": ["bug", "no-test"] }), json!({}), "`no-test`"),
        (json!({ "acceptanceCriteria": [{ "text": " " }] }), json!({}), "no criteria"),
        (json!({}), json!({ "requireTest": false }), "false"),
        (json!({ "tests": [{ "path": "t", "sha256": Sha256::of("") }] }), json!({}), "locked tests"),
    ] {
        let mut bed = Bed::with(&[]);
        bed.write("sum.sh", "echo 2\n");
        bed.protocol = protocol;
        for (key, value) in fields.as_object().unwrap() {
            bed.fields[key] = value.clone();
        }
        assert!(why(&bed.run().require_test).contains(said), "{fields}");
    }
}

#[test]
fn unit_tests_in_a_rust_file_are_tests() {
    let code = "pub fn f() -> u8 { 1 }\n";
    let tests = "#[cfg(test)]\nmod tests { #[test] fn f() { assert_eq!(super::f(), 1) } }\n";
    let bed = Bed::with(&[("src/lib.rs", &format!("{code}{tests}"))]);
    bed.write("src/lib.rs", &format!("pub fn g() {{}}\n{code}{tests}"));
    assert!(bed.run().require_test.is_finding(), "the tests are the same");
    bed.write("src/lib.rs", &format!("pub fn g() {{}}\n{code}{}", tests.replace(", 1)", ", 2)")));
    assert_eq!(bed.run().require_test, Outcome::Held);
}

#[test]
fn outside_git_and_beyond_a_cut_nothing_is_claimed() {
    let fixture = Fixture::without_git();
    fixture.write("sum.sh", "echo 2\n");
    let bed = Bed { fixture, protocol: json!({ "mutation": "true {file}" }), fields: json!({}) };
    let report = bed.run();
    assert!(
        why(&report.require_test).contains("outside git") && why(&report.mutation).contains("outside git")
    );

    let origin = Fixture::new();
    origin.git(&["checkout", "-q", "-b", "feature"]);
    origin.commit("one");
    let mut bed = Bed { fixture: Fixture::without_git(), ..bed };
    let folder = bed.fixture.beside("clone");
    let url = format!("file://{}", origin.root.display());
    bed.fixture.git_in(
        &bed.fixture.root,
        &["clone", "-q", "--depth", "1", "-b", "feature", &url, folder.to_str().unwrap()],
    );
    bed.fixture.root.clone_from(&folder);
    bed.fixture.world.cwd = folder;
    let report = bed.run();
    assert!(report.refusal().is_none());
    assert!(report.unclear().iter().all(|line| line.contains("shallow")) && report.unclear().len() == 2);
}

#[test]
fn what_is_off_leaves_no_record() {
    let bed = Bed::with(&[]).set("requireTest", json!(false));
    bed.run();
    assert!(bed.fixture.session().results().unwrap().last().unwrap().is_none());
}
