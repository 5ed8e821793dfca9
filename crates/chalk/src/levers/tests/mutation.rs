use super::*;

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
