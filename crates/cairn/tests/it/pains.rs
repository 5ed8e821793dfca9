//! Faults that users of comparable tools report, as whole classes: which test holds each one down.

use std::fs;
use std::path::Path;

use serde_json::json;

use crate::scratch::Scratch;

#[rustfmt::skip]
/// Class, and the tests (file and function) that fail when it comes back. Classes that only touch what is
/// not here yet (hooks) wait for their layer.
const TABLE: &[(&str, &[(&str, &str)])] = &[
    ("R1 two writers, the later wins", &[
        ("cairn/tests/it/race.rs", "twenty_writers_of_different_files_lose_nothing"),
        ("cairn/tests/it/race.rs", "sixteen_writers_of_one_task_all_stay"),
        ("cairn/tests/it/race.rs", "a_criterion_added_while_the_reviewer_runs_is_kept"),
        ("cairn/tests/it/chant_race.rs", "thirty_writers_share_no_id_lose_no_amendment_and_one_wins"),
    ]),
    ("R2 a write drops what a colleague added", &[
        ("cairn/tests/it/pains.rs", "a_write_after_a_pull_adds_its_own_lines_alone"),
        ("cairn/tests/it/chant_branches.rs", "a_write_after_a_pull_adds_its_own_file_alone"),
    ]),
    ("R3 a union merge doubles records", &[
        ("cairn/tests/it/pains.rs", "a_task_that_a_merge_doubled_is_never_guessed_at"),
        ("cairn/tests/it/pains.rs", "an_event_that_a_merge_doubled_is_shown_once"),
        ("cairn/tests/it/doctor.rs", "records_that_a_union_merge_doubled_are_named"),
    ]),
    ("R4 conflict markers read as corrupt lines", &[
        ("cairn/tests/it/log.rs", "damaged_lines_are_passed_over_and_named"),
        ("cairn/tests/it/task.rs", "damage_is_named_with_its_place_and_nothing_is_changed"),
        ("chant/src/records/tests/history.rs", "a_revision_reads_like_a_fresh_checkout_of_it"),
    ]),
    ("R5 a state set in a work tree never shows on main", &[
        ("cairn/tests/it/pains.rs", "what_is_started_in_a_work_tree_shows_on_main"),
        ("cairn/tests/it/status.rs", "a_status_in_a_worktree_is_that_of_the_one_spine"),
        ("cairn/tests/it/chant_branches.rs", "a_record_on_two_branches_is_shown_as_each_has_it"),
    ]),
    ("R6 two branches take the same number", &[
        ("cairn/tests/it/chant_branches.rs", "two_clones_that_take_one_number_are_told_and_cured"),
        ("cairn/tests/it/chant_branches.rs", "clones_with_prefixes_of_their_own_never_meet"),
    ]),
    ("R7 the state folder deleted or ignored, and gates run over nothing", &[
        ("cairn/tests/it/task.rs", "damage_is_named_with_its_place_and_nothing_is_changed"),
        ("cairn/tests/it/next.rs", "a_spine_that_is_gone_is_no_empty_spine"),
        ("cairn/tests/it/chant_branches.rs", "records_that_are_gone_are_named"),
    ]),
    ("R8 done with nothing implemented", &[
        ("cairn/tests/it/done.rs", "a_red_toolchain_keeps_it_shut"),
        ("cairn/tests/it/work.rs", "an_executor_that_claims_and_did_nothing_is_red"),
    ]),
    ("R9 the test, or what runs it, made to pass", &[
        ("cairn/tests/it/done.rs", "a_test_that_passes_without_the_change_is_named_and_can_be_refused"),
        ("cairn/tests/it/verify.rs", "a_moved_decider_is_named_and_refused_where_policy_says_so"),
        ("cairn/tests/it/verify.rs", "deciders_that_change_appear_and_vanish"),
    ]),
    ("R11 evidence of another run or task taken as current", &[
        ("cairn/tests/it/done.rs", "a_pass_counts_for_what_was_reviewed_alone"),
        ("chalk/src/verify/tests.rs", "a_run_that_died_takes_the_green_of_the_one_before"),
        ("chant/src/records/tests.rs", "verdicts_are_counted_once_each_and_for_the_text_that_they_judged"),
    ]),
    ("R15 line ends of a CRLF checkout broken", &[
        ("cairn/tests/it/update.rs", "a_checkout_with_crlf_stays_one"),
        ("cairn/tests/it/agents.rs", "a_crlf_file_stays_crlf_outside_and_inside_the_block"),
        ("chant/src/records/tests/places.rs", "a_checkout_with_crlf_has_the_same_digests_and_stays_one"),
    ]),
    ("R16 a title that YAML can't read, and one bad file that stops all", &[
        ("chant/src/write/command/tests.rs", "words_come_back_as_they_were_given"),
        ("chant/src/records/tests.rs", "what_is_no_record_is_named_and_the_rest_is_read"),
    ]),
    ("R17 a BOM makes the front matter vanish", &[
        ("chant/src/records/tests/hostile.rs", "front_matter_is_read_within_bounds_or_named"),
    ]),
    ("R18 words become booleans and days become times", &[
        ("chant/src/write/command/tests.rs", "words_written_by_hand_are_what_they_look_like"),
    ]),
    ("R19 duplicate keys, the last one wins", &[
        ("cairn/tests/it/task.rs", "damage_is_named_with_its_place_and_nothing_is_changed"),
        ("chant/src/records/tests.rs", "what_is_no_record_is_named_and_the_rest_is_read"),
        ("chant/src/records/tests/hostile.rs", "front_matter_is_read_within_bounds_or_named"),
    ]),
    ("R20 odd file names quoted or run", &[
        ("cairn/tests/it/pains.rs", "odd_file_names_go_through_every_gate"),
        ("cairn/tests/it/verify.rs", "names_that_git_quotes_are_neither_skipped_nor_run"),
        ("chant/src/records/tests/places.rs", "names_of_any_bytes_stand_in_no_way"),
    ]),
    ("R21 a locked test differs after an autocrlf checkout", &[
        ("cairn/tests/it/verify.rs", "a_locked_test_that_only_differs_by_an_autocrlf_checkout_holds"),
        ("chalk/src/locks/tests.rs", "line_ends_that_git_did_not_make_are_named"),
        ("chant/src/records/tests.rs", "a_digest_leaves_out_what_may_change_after_a_verdict"),
        ("chant/src/records/tests/places.rs", "a_checkout_with_crlf_has_the_same_digests_and_stays_one"),
    ]),
    ("R22 `.git` is a file", &[
        ("cairn/tests/it/verify.rs", "work_trees_of_every_kind_keep_and_find_results"),
        ("store/src/git/layout/tests.rs", "submodules_and_their_worktrees"),
        ("chant/src/records/tests/places.rs", "a_submodule_is_a_repository_of_its_own"),
        ("chant/src/records/tests/places.rs", "linked_work_trees_write_apart"),
    ]),
    ("R23 repository extensions", &[
        ("cairn/tests/it/pains.rs", "every_kind_of_repository_goes_the_whole_way"),
        ("chant/src/records/tests.rs", "a_revision_reads_like_its_checkout_wherever_it_lies"),
        ("chant/src/records/tests/places.rs", "a_read_changes_nothing_in_the_git_directory"),
    ]),
    ("R24 history is cut, and nothing is said", &[
        ("chalk/src/change/tests.rs", "a_shallow_clone_says_that_history_is_cut"),
        ("chalk/src/review/tests.rs", "a_shallow_clone_is_not_reviewed_by_half"),
        ("cairn/tests/it/doctor.rs", "a_shallow_clone_is_said_to_have_its_history_cut"),
        ("chant/src/records/tests/places.rs", "where_history_is_cut_no_commit_is_said_to_have_decided"),
    ]),
    ("R25 detached and unborn HEAD", &[
        ("cairn/tests/it/pains.rs", "every_kind_of_repository_goes_the_whole_way"),
        ("cairn/tests/it/start.rs", "detached_unborn_shallow_and_no_git"),
        ("chant/src/records/tests/places.rs", "records_are_written_wherever_head_stands"),
    ]),
    ("R26 another process holds git's index", &[
        ("cairn/tests/it/pains.rs", "a_held_index_is_no_empty_change"),
        ("cairn/tests/it/chant_branches.rs", "a_held_index_hides_no_change"),
    ]),
    ("R27 slow, and output without end", &[
        ("cairn/tests/it/pains.rs", "ten_thousand_tasks_are_shown_on_a_page"),
        ("cairn/tests/it/pains.rs", "ten_thousand_records_are_listed_soon"),
    ]),
    ("R28 set-up twice, or over what people changed", &[
        ("cairn/tests/it/init.rs", "it_refuses_to_run_twice_and_changes_nothing"),
        ("cairn/tests/it/agents.rs", "a_stray_begin_marker_never_deletes_user_text"),
        ("cairn/tests/it/agents.rs", "a_definition_that_was_edited_is_kept_shown_and_refused"),
    ]),
];

#[test]
fn every_class_has_its_tests() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (class, tests) in TABLE {
        for (file, test) in *tests {
            let text =
                fs::read_to_string(crates.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(text.contains(&format!("fn {test}(")), "{class}: `{test}` is not in {file}");
        }
    }
}

/// Takes a task from its first line to done in the scratch project.
#[track_caller]
fn whole_way(scratch: &Scratch, name: &str) {
    scratch.run(&["chalk", "init", "--bare", "--no-agents"]).ok();
    scratch.configure("/protocol/verify/test", json!("test -s code.sh"));
    scratch.configure(
        "/protocol/review",
        json!({ "command": "cat >/dev/null; echo '{\"verdict\":\"pass\"}'", "required": true }),
    );
    let id = scratch.task("one");
    scratch.write(name, "exit 0\n");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works", "--test", name]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.write("code.sh", "echo\n");
    scratch.git(&["add", "-A"]);
    scratch.run(&["chalk", "verify"]).ok();
    scratch.run(&["chalk", "review", &id]).ok();
    scratch.run(&["chalk", "context", &id]).ok();
    scratch.run(&["chalk", "done", &id]).ok();
    scratch.run(&["chalk", "audit"]).ok();
    scratch.run(&["chalk", "phase", "build"]).ok();
    scratch.run(&["chalk", "doctor", "--json"]);
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["state"], "done");
}

#[test]
fn every_kind_of_repository_goes_the_whole_way() {
    for (kind, init) in [
        ("sha256", &["init", "-q", "--object-format=sha256"][..]),
        ("reftable", &["init", "-q", "--ref-format=reftable"]),
        ("plain", &["init", "-q"]),
    ] {
        for head in ["unborn", "branch", "detached"] {
            let scratch = Scratch::empty();
            scratch.git(init);
            if kind == "plain" {
                scratch.git(&["config", "extensions.worktreeConfig", "true"]);
            }
            if head != "unborn" {
                scratch.write("README", "x\n");
                scratch.commit("first");
            }
            if head == "detached" {
                scratch.git(&["checkout", "-q", "--detach"]);
            }
            whole_way(&scratch, "tests/a.test.sh");
        }
    }
}

#[test]
fn odd_file_names_go_through_every_gate() {
    for name in
        ["tests/हिंद.test.sh", "tests/a b\nc.test.sh", "tests/$(touch pwned).test.sh", "tests/-n 'q\".test.sh"]
    {
        let scratch = Scratch::repository();
        whole_way(&scratch, name);
        assert!(!scratch.path("pwned").exists(), "a file name was run");
        assert_eq!(scratch.json(".chalk/tasks.json")[0]["tests"][0]["path"], name);
    }
}

#[test]
fn a_write_after_a_pull_adds_its_own_lines_alone() {
    let scratch = Scratch::chalk();
    scratch.task("mine");
    scratch.commit("one");
    scratch.git(&["clone", "-q", ".", "../other"]);
    let other = scratch.root().parent().unwrap().join("other");
    for n in 0..8 {
        scratch.run_in(&other, &["chalk", "task", "add", &format!("theirs {n}")]).ok();
    }
    scratch.git_in(&other, &["commit", "-qam", "eight"]);
    scratch.git(&["pull", "-q", "../other", "main"]);
    let ran = scratch.run(&["chalk", "task", "add", "after the pull"]).ok();
    assert!(ran.err.is_empty(), "a pull is no tampering: {}", ran.err);
    let numbers = scratch.git(&["diff", "--numstat", "--", ".chalk/tasks.json", ".chalk/updates.jsonl"]);
    assert_eq!(numbers, "11\t0\t.chalk/tasks.json\n1\t0\t.chalk/updates.jsonl\n");
}

#[test]
fn a_task_that_a_merge_doubled_is_never_guessed_at() {
    let scratch = Scratch::chalk();
    let id = scratch.task("one");
    let mut tasks = scratch.json(".chalk/tasks.json");
    let again = tasks[0].clone();
    tasks.as_array_mut().unwrap().push(again);
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&tasks)));
    let before = scratch.spine();
    scratch.run(&["chalk", "spec", &id, "--criterion", "x"]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "start", &id]).refused(1, "ambiguous-id");
    scratch.run(&["chalk", "doctor"]).refused(2, &id);
    assert_eq!(scratch.spine(), before);
}

#[test]
fn an_event_that_a_merge_doubled_is_shown_once() {
    let scratch = Scratch::chalk();
    scratch.run(&["chalk", "update", "once"]).ok();
    let log = scratch.read(".chalk/updates.jsonl");
    scratch.write(".chalk/updates.jsonl", format!("{log}{log}"));
    assert_eq!(scratch.run(&["chalk", "log", "--json"]).ok().json().as_array().unwrap().len(), 1);
    assert_eq!(scratch.read(".chalk/updates.jsonl"), format!("{log}{log}"));
}

/// An agent that makes the repository look bare would have every gate that asks git look away.
#[test]
fn a_repository_that_was_made_to_look_bare_is_refused() {
    let scratch = Scratch::chalk();
    scratch.git(&["config", "core.bare", "true"]);
    let before = scratch.spine();
    for args in [&["next"][..], &["verify"], &["update", "x"], &["status"]] {
        scratch.run(&[&["chalk"], args].concat()).refused(1, "core.bare");
    }
    assert_eq!(scratch.spine(), before);
}

/// A spine whose test command is the gate itself started thousands of processes.
#[test]
fn a_gate_that_calls_itself_ends() {
    let scratch = Scratch::chalk();
    let command = format!("ln -sf '{}' ../chalk && ../chalk verify", env!("CARGO_BIN_EXE_cairn"));
    scratch.configure("/protocol/verify/test", json!(command));
    let ran = scratch.run(&["chalk", "verify"]).refused(2, "circle");
    assert!(ran.out.contains("RED"), "{}", ran.out);
}

#[test]
fn what_is_started_in_a_work_tree_shows_on_main() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/verify/test", json!("sh a.test.sh"));
    scratch.write("a.test.sh", "test -f code\n");
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works", "--test", "a.test.sh"]).ok();
    scratch.commit("spec");
    scratch.git(&["worktree", "add", "-q", "../linked", "-b", "feature"]);
    let linked = scratch.root().parent().unwrap().join("linked");
    scratch.run_in(&linked, &["chalk", "start", &id]).ok();
    let status = scratch.run(&["chalk", "status", "--json"]).ok();
    assert!(status.out.contains("in-progress"), "{}", status.out);
    // The work tree tests itself, and the main checkout tests the work tree of the task.
    scratch.run_in(&linked, &["chalk", "verify"]).refused(2, "RED");
    fs::write(linked.join("code"), "").unwrap();
    scratch.run_in(&linked, &["chalk", "verify"]).ok();
    assert!(scratch.run(&["chalk", "verify"]).ok().out.contains("linked"));
    scratch.run_in(&linked, &["chalk", "done", &id]).ok();
    assert_eq!(scratch.json(".chalk/tasks.json")[0]["state"], "done");
}

#[test]
fn a_held_index_is_no_empty_change() {
    let scratch = Scratch::chalk();
    scratch.configure("/protocol/review/command", json!("cat > ../prompt; echo '{\"verdict\":\"pass\"}'"));
    let id = scratch.task("one");
    scratch.run(&["chalk", "spec", &id, "--criterion", "works"]).ok();
    scratch.run(&["chalk", "start", &id]).ok();
    scratch.commit("spine");
    scratch.write("code.sh", "echo new\n");
    fs::write(scratch.path(".git/index.lock"), "").unwrap();
    scratch.run(&["chalk", "verify"]).ok();
    scratch.run(&["chalk", "review", &id]).ok();
    scratch.run(&["chalk", "done", &id]).ok();
    assert!(fs::read_to_string(scratch.path("../prompt")).unwrap().contains("echo new"));
    assert!(scratch.path(".git/index.lock").exists());
}

#[test]
fn ten_thousand_tasks_are_shown_on_a_page() {
    let scratch = Scratch::chalk();
    let task = |n: usize, state: &str| {
        json!({ "id": format!("task-{n:08x}"), "title": format!("task {n}"), "state": state,
            "acceptanceCriteria": [{ "text": "works" }], "tests": [], "after": [], "reviews": [] })
    };
    let tasks: Vec<_> = (0..10_000).map(|n| task(n, ["todo", "specd", "done", "blocked"][n % 4])).collect();
    scratch.write(".chalk/tasks.json", format!("{}\n", canon::json::pretty(&json!(tasks))));
    scratch.run(&["chalk", "accept", "--why", "test"]).ok();
    for args in [&["next"][..], &["status"], &["backlog"], &["context"]] {
        let ran = scratch.run(&[&["chalk"], args].concat()).ok();
        assert!(ran.out.lines().count() < 80, "{args:?} prints {} lines", ran.out.lines().count());
        assert!(
            scratch.run(&[&["chalk"], args, &["--json"]].concat()).ok().out.len() < 64 * 1024,
            "{args:?}"
        );
    }
}

#[test]
fn ten_thousand_records_are_listed_soon() {
    let scratch = crate::workspace::notes();
    for n in 3..=10_000 {
        crate::workspace::note(&scratch, &format!("n-{n:05}"), "decided", "supersedes: []\nreviews: []\n");
    }
    scratch.commit("many");
    let begun = std::time::Instant::now();
    let listed = scratch.run(&["chant", "workspace", "records", "--json", "--kind", "notes/note.kind.mjs"]);
    assert_eq!(listed.ok().json()["summary"]["total"], 10_000);
    // Far more than it takes, also unoptimised on a busy machine; what it must not do is look at each by itself.
    assert!(begun.elapsed() < std::time::Duration::from_mins(2), "{:?}", begun.elapsed());
}
