use serde_json::{Value, json};

use crate::scratch::Scratch;

fn lock(path: &str, content: &str) -> Value {
    json!({ "path": path, "sha256": canon::Sha256::of(content) })
}

const ADD_TEST: &str =
    "import { add } from '../src/add.mjs';\ntest('adds negative numbers', () => add(1, -2));\n";
const SUM_TEST: &str = "import { sum } from '../src/sum.mjs';\ntest('sums', () => sum([1, 2]));\n";

/// A small library with a task in progress, another task's locked test that reaches its change, and one that
/// doesn't.
fn library() -> Scratch {
    let scratch = Scratch::chalk();
    scratch.write("src/add.mjs", "export const add = (a, b) => a + b;\n");
    scratch.write(
        "src/sum.mjs",
        "import { add } from './add.mjs';\nexport const sum = (list) => list.reduce(add, 0);\n",
    );
    scratch.write("src/text.mjs", "export const text = 1;\n");
    scratch.write("test/add.test.mjs", ADD_TEST);
    scratch.write("test/sum.test.mjs", SUM_TEST);
    scratch.write("test/text.test.mjs", "import { text } from '../src/text.mjs';\n");
    scratch.write("test/free.test.mjs", "import '../src/add.mjs';\n");
    scratch.commit("library");
    let base = scratch.git(&["rev-parse", "HEAD"]).trim().to_owned();
    scratch.plant(&json!([
        {
            "id": "task-aaaaaaaa", "title": "Add negative numbers", "state": "in-progress",
            "acceptanceCriteria": [{ "text": "adds negative numbers" }, { "text": " " }, { "text": "refuses text" }],
            "tests": [lock("test/add.test.mjs", ADD_TEST)],
            "plan": "1. Write it.\n2. Done.",
            "directives": [
                { "choice": "floats", "instead": "use integers", "resolved": false },
                { "choice": "x", "instead": "an old one", "resolved": true }
            ],
            "reviews": [{ "at": "2026-12-01T00:00:00.000Z", "by": "adversary", "verdict": "block",
                "findings": [{ "severity": "high", "area": "correctness", "note": "overflow" }] }],
            "cairn": { "base": base }
        },
        { "id": "task-bbbbbbbb", "title": "Sum", "state": "done", "tests": [lock("test/sum.test.mjs", SUM_TEST)] },
        { "id": "task-cccccccc", "title": "Text", "state": "done",
          "tests": [lock("test/text.test.mjs", "import { text } from '../src/text.mjs';\n")] }
    ]));
    scratch.commit("spine");
    scratch.write("src/add.mjs", "export const add = (a, b) => b + a;\n");
    scratch.write("src/new file.mjs", "1\n");
    scratch
}

#[test]
fn without_a_task_the_project_is_given() {
    let scratch = Scratch::chalk();
    insta::assert_snapshot!(scratch.run(&["chalk", "context"]).all(), @r#"
    exit 0
    --- out
    # demo (discovery)

    No task is in progress: `chalk next` names what comes next.

    ## Spec (`.chalk/spec.md`)

    # demo — spec

    _What is built here, its boundaries, and what was decided to last._

    ## Contract

    - `chalk start ID` before the first edit, `chalk verify` until it is green, then `chalk done ID`
    - locked tests are read-only; one that is wrong is changed with a reason: `chalk amend-spec ID --test PATH --why "..."`
    - the toolchain and the reviewer judge the work, you don't
    - write down what you decide (`chalk decision "..." --why "..."`), ask what you can't decide (`chalk question add "..."`), keep what you learn (`chalk lesson add "..."`)
    --- err
    "#);
    let context = scratch.run(&["chalk", "context", "--json"]).ok().json();
    assert_eq!((&context["task"], &context["impact"]), (&Value::Null, &Value::Null));
}

#[test]
fn a_task_comes_with_everything_that_its_work_needs() {
    let scratch = library();
    scratch.run(&["chalk", "lesson", "add", "test the empty list", "--by", "retro"]).ok();
    scratch.run(&["chalk", "skill", "add", "testing", "Run `node --test`."]).ok();
    scratch.run(&["chalk", "question", "add", "Which rounding?", "--for", "client", "--task", "aaaa"]).ok();
    scratch.run(&["chalk", "handoff", "aaaa", "--reason", "end of day"]).ok();
    insta::assert_snapshot!(scratch.run(&["chalk", "context"]).all(), @r#"
    exit 0
    --- out
    # demo (discovery)

    ## Task: Add negative numbers

    task-aaaaaaaa (in-progress)

    ### Acceptance criteria

    1. adds negative numbers
    2. refuses text

    ### Corrections to follow

    - use integers (instead of: floats)

    ### What the last review blocks on

    - high correctness: overflow

    ### Plan

    1. Write it.
    2. Done.

    ### Handoff from the session before (`.chalk/handoffs/task-aaaaaaa-1.md`)

    > # Handoff: Add negative numbers
    >
    > - task: `task-aaaaaaaa` (in-progress)
    > - written: 2026-12-01T00:00:06.000Z
    > - reason: end of day
    >
    > ## Notes
    >
    > (none)

    ## Tests at risk

    ### Changed files

    - src/add.mjs (modified)
    - src/new file.mjs (untracked)

    ### Tests that import or name them

    - test/add.test.mjs: imports src/add.mjs; locked by task-aaaaaaaa
    - test/sum.test.mjs: imports src/add.mjs through src/sum.mjs; locked by task-bbbbbbbb
    - test/free.test.mjs: imports src/add.mjs

    ### Locked tests of this task (read-only)

    - test/add.test.mjs (intact)

    ### Criteria in the locked tests (by words, an approximation)

    - criterion 1: test/add.test.mjs
    - criterion 2: no locked test speaks of it

    ## Spec (`.chalk/spec.md`)

    # demo — spec

    _What is built here, its boundaries, and what was decided to last._

    ## Skills

    ### testing

    Run `node --test`.

    ## Lessons

    - test the empty list  _(retro, 2026-12-01)_

    ## Open questions

    - q-c104e751 (for client) Which rounding?

    ## Contract

    - `chalk start task-aaaaaaaa` before the first edit, `chalk verify` until it is green, then `chalk done task-aaaaaaaa`
    - locked tests are read-only; one that is wrong is changed with a reason: `chalk amend-spec task-aaaaaaaa --test PATH --why "..."`
    - the toolchain and the reviewer judge the work, you don't
    - write down what you decide (`chalk decision "..." --why "..."`), ask what you can't decide (`chalk question add "..."`), keep what you learn (`chalk lesson add "..."`)
    --- err
    "#);
    let named = scratch.run(&["chalk", "context", "task-aaaa", "--json"]).ok().json();
    assert_eq!(named["task"]["criteria"], json!(["adds negative numbers", "refuses text"]));
    assert_eq!(named["impact"]["coverage"][0]["tests"], json!(["test/add.test.mjs"]));
    assert_eq!(named["impact"]["coverage"][1]["tests"], json!([]));
}

#[test]
fn the_map_reaches_over_the_locks_of_all_tasks() {
    let scratch = library();
    let context = scratch.run(&["chalk", "context", "--json"]).ok().json();
    let tests = context["impact"]["tests"].as_array().unwrap();
    let found: Vec<(&str, usize)> = tests
        .iter()
        .map(|test| (test["path"].as_str().unwrap(), test["lockedBy"].as_array().unwrap().len()))
        .collect();
    assert_eq!(found, [("test/add.test.mjs", 1), ("test/sum.test.mjs", 1), ("test/free.test.mjs", 0)]);
    assert_eq!(tests[1]["lockedBy"], json!(["task-bbbbbbbb"]));
    assert_eq!(tests[1]["because"], json!(["imports src/add.mjs through src/sum.mjs"]));
}

#[test]
fn a_broken_lock_stands_out() {
    let scratch = library();
    scratch.write("test/add.test.mjs", "// nothing\n");
    let ran = scratch.run(&["chalk", "context"]).ok();
    assert!(
        ran.out.contains("- BROKEN: `test/add.test.mjs` was modified since it was locked"),
        "{}",
        ran.out
    );
    let context = scratch.run(&["chalk", "context", "--json"]).ok().json();
    assert_eq!(context["impact"]["locks"][0]["state"], "changed");
    assert_eq!(context["impact"]["tests"][0]["changed"], true);
}

#[test]
fn nothing_of_the_held_out_set_is_ever_told() {
    let scratch = library();
    scratch.write(
        ".chalk/held-out/secret-rounding.test.mjs",
        "import '../../src/add.mjs';\n// SECRET-CONTENT\n",
    );
    scratch.write(".chalk/held-out/deep/other-secret.py", "# SECRET-CONTENT\n");
    scratch.configure(
        "/protocol/regression/tests",
        json!([
            lock(".chalk/held-out/secret-rounding.test.mjs", "x"),
            lock(".chalk/held-out/gone-secret.test.mjs", "y")
        ]),
    );
    scratch.write(
        ".chalk/spec.md",
        "# Spec\n\nRounding: see [secret rounding](.chalk/held-out/secret-rounding.test.mjs).\n\n\
         Never open .chalk/held-out/. Answers are integers.\n\nAlso secret-rounding.test.mjs and `other-secret.py`.\n",
    );
    scratch.run(&["chalk", "lesson", "add", "gone-secret.test.mjs rounds half to even"]).ok();
    scratch.run(&["chalk", "skill", "add", "s", "Run .chalk/held-out/deep/other-secret.py"]).ok();
    scratch.run(&["chalk", "question", "add", "Does .chalk\\held-out\\secret-rounding.test.mjs count?"]).ok();
    let mut tasks = scratch.json(".chalk/tasks.json");
    tasks[0]["title"] = json!("Add, as secret-rounding.test.mjs says");
    tasks[0]["plan"] = json!("Look at ./.chalk/held-out/secret-rounding.test.mjs\nthen write");
    tasks[0]["heldOut"] = json!(["tests/task-secret.test.mjs"]);
    tasks[0]["acceptanceCriteria"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "text": "task-secret.test.mjs passes" }));
    tasks[0]["tests"].as_array_mut().unwrap().push(lock(".chalk/held-out/secret-rounding.test.mjs", "x"));
    tasks[0]["reviews"][0]["findings"][0]["note"] = json!("secret-rounding.test.mjs would fail");
    tasks[2]["tests"] = json!([lock(".chalk/held-out/deep/other-secret.py", "x")]);
    scratch.plant(&tasks);
    scratch.run(&["chalk", "handoff", "aaaa", "--reason", "secret-rounding.test.mjs fails"]).ok();
    let handoff = scratch.json(".chalk/tasks.json")[0]["handoff"]["path"].as_str().unwrap().to_owned();
    for text in [
        scratch.run(&["chalk", "context"]).ok().out,
        scratch.run(&["chalk", "context", "--json"]).ok().out,
        scratch.run(&["chalk", "context", "cccc", "--json"]).ok().out,
        scratch.read(&handoff),
    ] {
        let lower = text.to_lowercase();
        assert!(!lower.contains("secret"), "{text}");
        assert!(!lower.contains("half to even"), "a line about a held-out test tells what is in it: {text}");
        assert!(!lower.contains("chalk/held-out") && !lower.contains("chalk\\\\held-out"), "{text}");
    }
    let context = scratch.run(&["chalk", "context"]).ok().out;
    assert!(
        context.contains("2 held-out tests are locked:") && context.contains("Answers are integers."),
        "{context}"
    );
}

#[test]
fn a_held_out_folder_outside_the_repository_is_not_named_either() {
    let scratch = library();
    let outside = scratch.home().join("kept-away");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("far-secret.test.mjs"), "").unwrap();
    scratch.configure("/protocol/regression/dir", json!("~/kept-away"));
    scratch.write(
        ".chalk/spec.md",
        format!(
            "# Spec\n\nsee {}/far-secret.test.mjs and ~/kept-away/x\n\nfar-secret.test.mjs\n",
            outside.display()
        ),
    );
    let context = scratch.run(&["chalk", "context"]).ok().out;
    assert!(!context.contains("secret") && !context.contains("kept-away"), "{context}");
}

#[test]
fn a_long_spec_is_sliced_by_what_the_task_is_about() {
    let scratch = library();
    let filler = "words about something else entirely\n".repeat(80);
    scratch.write(
        ".chalk/spec.md",
        format!("# Library\r\n\r\nIntro.\r\n\r\n## Deployment\r\n{filler}\r\n## Negative numbers\r\nThey add up.\r\n\r\n## History\r\n{filler}"),
    );
    let context = scratch.run(&["chalk", "context", "--json"]).ok().json();
    let given: Vec<&str> = context["spec"]["sections"]
        .as_array()
        .unwrap()
        .iter()
        .map(|part| part["heading"].as_str().unwrap())
        .collect();
    assert_eq!(given, ["", "Negative numbers"]);
    assert_eq!(context["spec"]["leftOut"], json!(["Deployment", "History"]));
    let text = scratch.run(&["chalk", "context"]).ok().out;
    assert!(
        text.contains("(left out, read them in the file where they matter: Deployment; History)"),
        "{text}"
    );
}

#[test]
fn the_budget_cuts_the_elastic_parts_and_names_each_cut() {
    let scratch = library();
    for n in 0..20 {
        scratch.run(&["chalk", "lesson", "add", &format!("LESSON-{n:02} {}", "x".repeat(150))]).ok();
    }
    for name in ["a", "b", "c"] {
        scratch.run(&["chalk", "skill", "add", name, &format!("SKILL-{name} {}", "y".repeat(1500))]).ok();
    }
    let spec =
        format!("# Library\n\n{}\n## Negative numbers\n{}", "intro\n".repeat(1000), "numbers\n".repeat(1000));
    scratch.write(".chalk/spec.md", spec);
    let whole = scratch.run(&["chalk", "context"]).ok().out;
    assert!(!whole.contains("LESSON-04") && whole.contains("LESSON-05") && whole.contains("LESSON-19"));
    assert!(whole.contains("(lessons: 5 older ones left out"), "{whole}");
    for budget in [6000, 9000, 12_000] {
        scratch.configure("/protocol/contextBudget", json!(budget));
        let cut = scratch.run(&["chalk", "context"]).ok().out;
        assert!(cut.len() <= budget + 600, "{} of {budget}", cut.len());
        assert!(cut.len() >= budget / 2, "{} of {budget}: the budget is used", cut.len());
        for part in [
            "1. adds negative numbers",
            "test/add.test.mjs (intact)",
            "high correctness: overflow",
            "## Contract",
        ] {
            assert!(cut.contains(part), "{part} is not in {cut}");
        }
        assert!(cut.contains("LESSON-19"), "the newest lesson stays");
        assert!(cut.contains("left out to fit the context budget"));
    }
    scratch.configure("/protocol/contextBudget", json!(1));
    let least = scratch.run(&["chalk", "context"]).ok().out;
    assert!(!least.contains("LESSON-") && !least.contains("SKILL-"), "{least}");
    assert!(
        least.contains("(lessons: 20 older ones left out")
            && least.contains("(skills: `a`, `b`, `c` left out")
    );
    assert!(least.contains("1. adds negative numbers") && least.contains("## Contract"));
    let document = scratch.run(&["chalk", "context", "--json"]).ok().json();
    let parts: Vec<&str> =
        document["cuts"].as_array().unwrap().iter().map(|cut| cut["part"].as_str().unwrap()).collect();
    for part in ["spec", "skills", "lessons"] {
        assert!(parts.contains(&part), "{parts:?}");
    }
}

#[test]
fn a_handoff_is_read_from_its_own_folder_alone() {
    let scratch = library();
    scratch.write("secret.md", "not for agents");
    let mut tasks = scratch.json(".chalk/tasks.json");
    for path in [".chalk/handoffs/../../secret.md", "secret.md", "/etc/hostname"] {
        tasks[0]["handoff"] = json!({ "path": path, "seq": 1 });
        scratch.plant(&tasks);
        let ran = scratch.run(&["chalk", "context"]).ok();
        assert!(
            !ran.out.contains("not for agents") && ran.err.contains("no handoff document"),
            "{}",
            ran.all()
        );
    }
    tasks[0]["handoff"] = json!({ "path": ".chalk/handoffs/gone.md", "seq": 1 });
    scratch.plant(&tasks);
    let ran = scratch.run(&["chalk", "context"]).ok();
    assert!(ran.err.is_empty(), "a document that is gone is no fault: {}", ran.all());
    tasks[0]["handoff"] = json!({ "path": ".chalk/handoffs/long.md", "seq": 2 });
    scratch.plant(&tasks);
    scratch.write(".chalk/handoffs/long.md", "# Title\n".to_owned() + &"line\n".repeat(10_000));
    let ran = scratch.run(&["chalk", "context"]).ok();
    assert!(ran.out.contains("> # Title") && ran.out.len() < 16_000, "{}", ran.out.len());
}

#[test]
#[cfg(unix)]
fn a_linked_spec_is_read_where_it_lies_in_the_repository() {
    use std::os::unix::fs::symlink;
    let scratch = library();
    let link = |target: &str| {
        let _ = std::fs::remove_file(scratch.path(".chalk/spec.md"));
        symlink(target, scratch.path(".chalk/spec.md")).unwrap();
        scratch.run(&["chalk", "context"]).ok()
    };
    scratch.write("docs/spec.md", "# The linked spec\n");
    assert!(link("../docs/spec.md").out.contains("# The linked spec"));
    scratch.write(".chalk/held-out/h1.test.mjs", "held out text\n");
    std::fs::write(scratch.home().join("outside.md"), "outside text\n").unwrap();
    for target in ["held-out/h1.test.mjs", "../../home/outside.md", "gone.md"] {
        let ran = link(target);
        assert!(!ran.out.contains("held out text") && !ran.out.contains("outside text"), "{}", ran.all());
        assert!(ran.err.contains("the spec is passed over"), "{}", ran.all());
    }
    symlink("../docs/spec.md", scratch.path(".chalk/lessons.md")).unwrap();
    assert!(scratch.run(&["chalk", "context"]).ok().err.contains("the lessons are passed over"));
}

#[test]
fn no_file_steers_the_terminal() {
    let scratch = library();
    scratch.write(".chalk/spec.md", "# A\u{1b}[2J\u{7} title\r\n\ttext\n");
    scratch.write(".chalk/lessons.md", "- one\u{1b}]0;x\u{7}\n");
    let ran = scratch.run(&["chalk", "context"]).ok();
    assert!(!ran.out.contains('\u{1b}') && !ran.out.contains('\u{7}'), "{:?}", ran.out);
    assert!(ran.out.contains("\ttext"));
}

#[test]
fn without_git_the_change_is_not_known_and_the_rest_is() {
    let scratch = Scratch::plain();
    scratch.write("t.test.mjs", "adds\n");
    scratch.plant(&json!([{ "id": "task-aaaaaaaa", "title": "t", "state": "in-progress",
        "acceptanceCriteria": [{ "text": "adds" }], "tests": [lock("t.test.mjs", "adds\n")] }]));
    insta::assert_snapshot!(scratch.run(&["chalk", "context"]).all(), @r#"
    exit 0
    --- out
    # demo (discovery)

    ## Task: t

    task-aaaaaaaa (in-progress)

    ### Acceptance criteria

    1. adds

    ## Tests at risk

    What changed is not known: outside git nothing tells old from new.

    ### Locked tests of this task (read-only)

    - t.test.mjs (intact)

    ### Criteria in the locked tests (by words, an approximation)

    - criterion 1: t.test.mjs

    ## Spec (`.chalk/spec.md`)

    # demo — spec

    _What is built here, its boundaries, and what was decided to last._

    ## Contract

    - `chalk start task-aaaaaaaa` before the first edit, `chalk verify` until it is green, then `chalk done task-aaaaaaaa`
    - locked tests are read-only; one that is wrong is changed with a reason: `chalk amend-spec task-aaaaaaaa --test PATH --why "..."`
    - the toolchain and the reviewer judge the work, you don't
    - write down what you decide (`chalk decision "..." --why "..."`), ask what you can't decide (`chalk question add "..."`), keep what you learn (`chalk lesson add "..."`)
    --- err
    "#);
}

#[test]
fn a_task_in_a_worktree_is_mapped_there() {
    let scratch = library();
    scratch.commit("all");
    scratch.git(&["worktree", "add", "-q", "../work", "-b", "work"]);
    let work = scratch.root().parent().unwrap().join("work");
    std::fs::write(work.join("src/text.mjs"), "export const text = 2;\n").unwrap();
    let context = scratch.run_in(&work, &["chalk", "context", "--json"]).ok().json();
    let changed = context["impact"]["changed"].to_string();
    assert!(changed.contains("src/text.mjs"), "{changed}");
}

#[test]
fn a_task_that_is_not_there_is_refused() {
    let scratch = library();
    scratch.run(&["chalk", "context", "none"]).refused(1, "not-found");
    scratch.run(&["chalk", "context", "task-"]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "context", "aaaa", "bbbb"]).refused(1, "usage");
}

#[test]
fn spines_of_the_node_implementation_give_a_context() {
    let Some(scratch) = Scratch::node("shelf") else { return };
    let ran = scratch.run(&["chalk", "context", "task-faad4b4"]).ok();
    insta::assert_snapshot!(ran.all(), @r#"
    exit 0
    --- out
    # shelf (spec)

    a small library of sums

    ## Task: Größe & 日本語: "quoted" title

    task-faad4b41 (blocked)
    Blocked: needs decision: waiting for rounding

    ### Acceptance criteria

    1. prints ünïcode

    ## Tests at risk

    Nothing changed yet.

    ## Spec (`.chalk/spec.md`)

    # shelf — spec

    > a small library of sums

    _What we're building, the boundaries, and the durable decisions. Human + agent authored._

    ## Open questions

    - q-cb7dbb06 (for client) Which rounding?

    ## Held out

    1 held-out test is locked: an audit runs it, and it is not for you to look for

    ## Contract

    - `chalk start task-faad4b41` before the first edit, `chalk verify` until it is green, then `chalk done task-faad4b41`
    - locked tests are read-only; one that is wrong is changed with a reason: `chalk amend-spec task-faad4b41 --test PATH --why "..."`
    - the toolchain and the reviewer judge the work, you don't
    - write down what you decide (`chalk decision "..." --why "..."`), ask what you can't decide (`chalk question add "..."`), keep what you learn (`chalk lesson add "..."`)
    --- err
    "#);
    assert!(!ran.out.contains("h1.test"), "the held-out test is not named");
    for name in ["widgets", "schema-1.0"] {
        let Some(scratch) = Scratch::node(name) else { return };
        scratch.run(&["chalk", "context", "--json"]).ok();
    }
}

/// What `init` had made and nobody committed looked like work on the task.
#[test]
fn what_init_made_is_no_change() {
    let scratch = Scratch::repository();
    scratch.run(&["chalk", "init", "--bare", "--name", "demo"]).ok();
    let id = scratch.task("Add");
    scratch.run(&["chalk", "spec", &id, "--criterion", "adds"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("add.sh", "echo 3\n");
    let ran = scratch.run(&["chalk", "context", &id, "--json"]).ok();
    let files = ran.json()["impact"]["changed"].clone();
    let paths: Vec<_> = files.as_array().unwrap().iter().map(|file| file["path"].clone()).collect();
    assert_eq!(paths, ["add.sh"]);
}
