use crate::levers::copy::Copy;

use super::*;

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
    let copy = Copy::make(&session, &session.config().unwrap(), &session.spine.tree).unwrap();
    assert!(!dead.exists() && own.exists() && copy.tree.join("sum.sh").is_file());
    fs::remove_dir(own).unwrap();
    drop(copy);
    bed.run();
}
